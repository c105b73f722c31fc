//! One DMA channel: loads control blocks and moves words, in the order of time.
//!
//! A word that was written is on its way for a while: DEST_AD runs ahead of memory unless the
//! control block says WAIT_RESP, and END and INT do unless CS says WAIT_FOR_OUTSTANDING_WRITES. An
//! error of a read stops the channel and raises its interrupt.
//!
//! Writes arrive in their order, and only so many are on their way at a time (with WAIT_RESP one).
//! A channel that may not send what it has read begins no other burst: that it could read ahead
//! into its buffer is not documented.
//!
//! Sources: BCM2835 ARM Peripherals, sections 4.2 to 4.5; Linux `bcm2835-dma.c`, which finds that a
//! channel without a control block is idle whatever ACTIVE says.

use std::collections::VecDeque;

use super::bus::{DmaBus, Writes};
use super::control_block::{
    BYTES, ControlBlock, DEST_INC, DEST_WIDTH, INTEN, SRC_INC, SRC_WIDTH, WAIT_RESP, misuse,
};
use super::paced::Paced;
use crate::clock::{
    ARM_HZ, DMA_BLOCK_CLOCKS, DMA_LITE_FACTOR, DMA_MEMORY_CLOCKS, DMA_PERIPHERAL_CLOCKS,
};
use crate::devices::NEVER;
use crate::fault::FaultKind;
use crate::map::is_peripheral;
use crate::rules::BlockRule;

const ACTIVE: u32 = 1 << 0;
const END: u32 = 1 << 1;
const INT: u32 = 1 << 2;
const DREQ: u32 = 1 << 3;
const PAUSED: u32 = 1 << 4;
const DREQ_STOPS_DMA: u32 = 1 << 5;
const WAITING_FOR_OUTSTANDING_WRITES: u32 = 1 << 6;
const ERROR: u32 = 1 << 8;
const WAIT_FOR_OUTSTANDING_WRITES: u32 = 1 << 28;
const ABORT: u32 = 1 << 30;
const RESET: u32 = 1 << 31;
/// Bits of CS that hold what is written, ACTIVE aside: priorities, waiting, DISDEBUG.
const CS_KEPT: u32 = 0x30ff_0000;
const READ_ERROR: u32 = 1 << 2;
const LITE: u32 = 1 << 28;
const VERSION: u32 = 2 << 25;
/// Writes of DEBUG that clear an error.
const ERRORS: u32 = 7;

/// The time after which a reset is over for a program that does not look: 100 us. Source: librpitx,
/// dma.cpp.
const RESET_CLOCKS: u64 = ARM_HZ / 10_000;

/// A write that has not reached memory yet.
struct Landing {
    at: u64,
    /// It has come to memory and waits for others until then.
    waits: bool,
    bus: u32,
    bytes: Vec<u8>,
}

/// A channel.
#[derive(Default)]
pub struct Channel {
    number: u32,
    cs: u32,
    conblk: u32,
    block: ControlBlock,
    /// The control block has been loaded.
    loaded: bool,
    /// Clock at which the channel can go on.
    free_at: u64,
    landings: VecDeque<Landing>,
    /// Words that have been read and not been sent, and the clock from which they are there.
    gathered: Vec<u8>,
    gathered_at: u64,
    /// The words have to wait for a write to arrive.
    blocked: bool,
    /// The block is done as soon as all writes have landed.
    ending: bool,
    errors: u32,
    /// It was reset since boot.
    was_reset: bool,
    /// The end of a reset that nobody has seen to end.
    resets_until: u64,
}

impl Channel {
    /// A channel after reset.
    pub fn new(number: u32) -> Self {
        Self {
            number,
            ..Self::default()
        }
    }

    fn is_lite(&self) -> bool {
        self.number >= 7
    }

    fn is_active(&self) -> bool {
        self.cs & ACTIVE != 0
    }

    /// True if it has something to do, now or later.
    pub fn is_live(&self) -> bool {
        self.is_active() || !self.landings.is_empty()
    }

    /// Its interrupt line.
    pub fn interrupts(&self) -> bool {
        self.cs & INT != 0
    }

    /// The clock at which something happens, [`NEVER`] while only others can change that.
    pub fn next_event(&self, paced: &Paced) -> u64 {
        let lands = self.landings.front().map_or(NEVER, |landing| landing.at);
        let stands = self.ending || self.blocked;
        let acts = if !self.is_active() || stands || !self.loaded && self.conblk == 0 {
            NEVER
        } else if self.loaded {
            self.free_at.max(paced.requests_at(self.block.permap()))
        } else {
            self.free_at
        };
        lands.min(acts)
    }

    /// Does what is due at `now`; `fails` makes its next read from a peripheral or memory fail. A
    /// channel that is held up begins nothing before the clock `held_until`.
    ///
    /// # Errors
    /// A mistake of the guest, with an address.
    pub fn act(
        &mut self,
        now: u64,
        paced: &mut Paced,
        bus: &mut DmaBus<'_>,
        held_until: Option<u64>,
        fails: &mut bool,
    ) -> Result<(), (FaultKind, u32)> {
        self.land(now, bus)?;
        let is_due = self.free_at <= now && (self.loaded || self.conblk != 0);
        if !self.is_active() || self.ending || self.blocked || !is_due {
            return Ok(());
        }
        if let Some(end) = held_until {
            self.free_at = end;
            return Ok(());
        }
        if !self.loaded {
            return self.load(now, bus);
        }
        paced.advance(now);
        if paced.requests(self.block.permap()) {
            self.transfer(now, paced, bus, fails)?;
        }
        Ok(())
    }

    /// Writes that have come to memory by `now` wait for others, and arrive.
    fn land(&mut self, now: u64, bus: &mut DmaBus<'_>) -> Result<(), (FaultKind, u32)> {
        while let Some(first) = self.landings.front_mut() {
            let at = first.at;
            if at > now {
                return Ok(());
            }
            if !std::mem::replace(&mut first.waits, true) {
                first.at += bus.wait_to_write(first.bus, first.bytes.len(), at);
                if first.at > now {
                    return Ok(());
                }
            }
            let at = first.at;
            if let Some(Landing { bus: to, bytes, .. }) = self.landings.pop_front() {
                bus.write(to, &bytes)?;
            }
            // Those behind it come no sooner.
            if let Some(next) = self.landings.front_mut() {
                next.at = next.at.max(at);
            }
            if self.block.ti & WAIT_RESP != 0 {
                self.free_at = self.free_at.max(at);
            }
            self.send(at, bus)?;
            if self.ending && self.landings.is_empty() {
                self.end_block(at);
            }
        }
        Ok(())
    }

    fn load(&mut self, now: u64, bus: &mut DmaBus<'_>) -> Result<(), (FaultKind, u32)> {
        let mut bytes = [0; BYTES as usize];
        let waited = bus.read(self.conblk, &mut bytes, now)?;
        let (words, _) = bytes.as_chunks();
        let words = std::array::from_fn(|index| {
            words.get(index).map_or(0, |word| u32::from_le_bytes(*word))
        });
        self.block = ControlBlock::from_words(words);
        self.block
            .check(self.is_lite())
            .map_err(|kind| (kind, self.conblk))?;
        if !Paced::has(self.block.permap()) {
            let what = format!("DMA paced by data request {}", self.block.permap());
            return Err((FaultKind::NotModelled(what), self.conblk));
        }
        self.loaded = true;
        self.free_at = now + DMA_BLOCK_CLOCKS + waited;
        Ok(())
    }

    /// A burst from a peripheral, or up to 16 bytes from memory.
    fn transfer(
        &mut self,
        now: u64,
        paced: &mut Paced,
        bus: &mut DmaBus<'_>,
        fails: &mut bool,
    ) -> Result<(), (FaultKind, u32)> {
        if std::mem::take(fails) {
            self.errors |= READ_ERROR;
            self.cs &= !ACTIVE;
            self.cs |= INT;
            return Ok(());
        }
        let block = self.block;
        let slowness = if self.is_lite() { DMA_LITE_FACTOR } else { 1 };
        let mut done = now;
        let mut words = Vec::new();
        if is_peripheral(block.source) {
            for _ in 0..block.beats(self.is_lite()).min(block.length / 4) {
                done += DMA_PERIPHERAL_CLOCKS * slowness;
                let word = paced.read(block.source, done);
                words.extend(word.map_err(|kind| (kind, block.source))?.to_le_bytes());
            }
        } else {
            let most = if block.ti & SRC_WIDTH != 0 {
                16 - block.source % 16
            } else {
                4
            };
            words = vec![0; most.min(block.length) as usize];
            done += DMA_MEMORY_CLOCKS * slowness + bus.read(block.source, &mut words, now)?;
        }
        let bytes = words.len() as u32;
        if block.ti & SRC_INC != 0 {
            self.block.source = block.source.wrapping_add(bytes);
        }
        self.block.length -= bytes;
        self.free_at = done;
        self.gathered.extend(words);
        self.gathered_at = done;
        self.send(now, bus)
    }

    /// Sends the words that have been read, as far as writes may be on their way; `now` is the
    /// clock at which the last of them arrived. The block ends when all have been sent.
    fn send(&mut self, now: u64, bus: &mut DmaBus<'_>) -> Result<(), (FaultKind, u32)> {
        let block = self.block;
        let Writes {
            outstanding,
            clocks,
        } = bus.writes;
        let waits = block.ti & WAIT_RESP != 0;
        let most = if waits { 1 } else { outstanding };
        let sent_at = now.max(self.gathered_at);
        while self.has_write() {
            if is_peripheral(self.block.destination) {
                return bus.write_peripheral(self.block.destination);
            }
            if self.landings.len() >= most {
                self.blocked = true;
                return Ok(());
            }
            let to = self.block.destination;
            let rest = self
                .gathered
                .split_off(self.room().min(self.gathered.len()));
            let bytes = std::mem::replace(&mut self.gathered, rest);
            if block.ti & DEST_INC != 0 {
                self.block.destination = to.wrapping_add(bytes.len() as u32);
            }
            self.landings.push_back(Landing {
                at: sent_at + clocks,
                waits: false,
                bus: to,
                bytes,
            });
        }
        if std::mem::take(&mut self.blocked) {
            self.free_at = self.free_at.max(sent_at);
        }
        // With WAIT_RESP the last one is waited for, too.
        self.blocked = waits && !self.landings.is_empty();
        if self.loaded && self.block.length == 0 && !self.ending && !self.blocked {
            if self.cs & WAIT_FOR_OUTSTANDING_WRITES != 0 && !self.landings.is_empty() {
                self.ending = true;
            } else {
                self.end_block(sent_at);
            }
        }
        Ok(())
    }

    /// Bytes up to the end of the next write.
    fn room(&self) -> usize {
        match self.block.ti & DEST_WIDTH != 0 && self.block.ti & DEST_INC != 0 {
            true => 16 - (self.block.destination % 16) as usize,
            false => 4,
        }
    }

    /// True if enough words have been read for the next write.
    fn has_write(&self) -> bool {
        let is_last = self.block.length == 0;
        !self.gathered.is_empty() && (is_last || self.gathered.len() >= self.room())
    }

    /// The block has ended; the next one is loaded at once.
    fn end_block(&mut self, now: u64) {
        self.ending = false;
        self.loaded = false;
        self.cs |= END;
        if self.block.ti & INTEN != 0 {
            self.cs |= INT;
        }
        self.conblk = self.block.next;
        self.free_at = self.free_at.max(now);
        if self.conblk == 0 {
            self.cs &= !ACTIVE;
        }
    }

    fn status(&self, paced: &Paced) -> u32 {
        let flag = |bit: u32, set: bool| if set { bit } else { 0 };
        let waits = self.loaded && !paced.requests(self.block.permap());
        self.cs
            | flag(DREQ, self.loaded && !waits)
            | flag(PAUSED, !self.is_active())
            | flag(DREQ_STOPS_DMA, self.is_active() && waits)
            | flag(WAITING_FOR_OUTSTANDING_WRITES, !self.landings.is_empty())
            | flag(ERROR, self.errors != 0)
    }

    /// DEST_AD: with WAIT_RESP the address of what has not reached memory yet.
    fn destination(&self) -> u32 {
        match self.landings.front() {
            Some(landing) if self.block.ti & WAIT_RESP != 0 => landing.bus,
            _ => self.block.destination,
        }
    }

    /// Reads a register; time has been brought up to now.
    ///
    /// # Errors
    /// No such register.
    pub fn read(&mut self, offset: u32, paced: &Paced) -> Result<u32, FaultKind> {
        Ok(match offset {
            0x00 => {
                // RESET reads 0: it clears itself at once.
                self.resets_until = 0;
                self.status(paced)
            }
            0x04 => self.conblk,
            0x08 => self.block.ti,
            0x0c => self.block.source,
            0x10 => self.destination(),
            0x14 => self.block.length,
            0x18 => self.block.stride,
            0x1c => self.block.next,
            0x20 => {
                let outstanding = self.landings.len().min(15) as u32;
                let kind = VERSION | if self.is_lite() { LITE } else { 0 };
                self.errors | outstanding << 4 | kind
            }
            _ => return Err(FaultKind::Unmapped),
        })
    }

    /// The rule that a write at `now` breaks, if it does.
    pub fn rule_broken_by(&self, offset: u32, value: u32, now: u64) -> Option<BlockRule> {
        let resets = offset == 0x00 && value & RESET != 0;
        if now < self.resets_until && !resets {
            return Some(BlockRule::DmaResetWait);
        }
        (offset == 0x04 && !self.was_reset).then_some(BlockRule::DmaReset)
    }

    /// Writes a register at `now`; time has been brought up to it.
    ///
    /// # Errors
    /// No such register, or a change that the manual forbids.
    pub fn write(&mut self, offset: u32, value: u32, now: u64) -> Result<(), FaultKind> {
        let busy = self.is_active() && (self.loaded || self.conblk != 0);
        match offset {
            0x00 => self.control(value, now),
            0x04 if busy => {
                return Err(misuse("CONBLK_AD was changed while the channel is active"));
            }
            0x04 if !value.is_multiple_of(BYTES) => {
                return Err(misuse("CONBLK_AD is no multiple of 32"));
            }
            0x04 => {
                self.conblk = value;
                self.loaded = false;
                self.forget();
                self.free_at = now;
            }
            0x1c if busy => {
                return Err(misuse("NEXTCONBK was changed while the channel is active"));
            }
            0x1c => self.block.next = value,
            0x20 => self.errors &= !(value & ERRORS),
            // What a control block fills is read-only.
            0x08..=0x18 => {}
            _ => return Err(FaultKind::Unmapped),
        }
        Ok(())
    }

    /// Words that have not been sent are not sent any more.
    fn forget(&mut self) {
        self.gathered.clear();
        self.blocked = false;
    }

    fn control(&mut self, value: u32, now: u64) {
        if value & RESET != 0 {
            // Writes that are on their way arrive all the same.
            let landings = std::mem::take(&mut self.landings);
            *self = Self {
                landings,
                was_reset: true,
                resets_until: now + RESET_CLOCKS,
                ..Self::new(self.number)
            };
            return;
        }
        self.cs &= !(value & (END | INT));
        self.cs = self.cs & (END | INT) | value & (CS_KEPT | ACTIVE);
        self.free_at = self.free_at.max(now);
        if value & ABORT != 0 && self.loaded {
            self.forget();
            self.ending = false;
            self.loaded = false;
            self.conblk = self.block.next;
        }
        if self.conblk == 0 && !self.loaded && value & ABORT != 0 {
            self.cs &= !ACTIVE;
        }
    }
}
