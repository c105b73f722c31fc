//! PCM: receives frames of bits from the pins into its FIFO, and asks DMA to empty it.
//!
//! In master mode the bit clock is that of the clock manager and runs while EN is set; frames run
//! from RXON on. In slave mode both clocks come from the pins. Reception starts and ends with a
//! whole frame. Strict where the manual leaves room: SYNC does not follow in slave mode (Linux:
//! "does not seem to work"), clearing and leaving standby take three and five bit clocks, and
//! neither ends without a clock. MODE, RXC, and all of CS but EN and RXON may only change while
//! nothing is received. Not modelled, and stopping the run: transmission, PDM, GRAY, a bit clock
//! from one side and a frame clock from the other.
//!
//! Sources: BCM2835 ARM Peripherals, chapter 8; Linux `bcm2835-i2s.c` for the bits of RXC and DREQ.

mod link;
mod receiver;

pub use link::{Data, Link};
pub use receiver::PcmWords;
use receiver::{DEPTH, Format, Receiver};

use super::NEVER;
use crate::fault::FaultKind;
use crate::rules::{BlockRule, BrokenRules};

const EN: u32 = 1 << 0;
const RXON: u32 = 1 << 1;
const TXON: u32 = 1 << 2;
const RXCLR: u32 = 1 << 4;
const TXTHR: u32 = 3 << 5;
const RXTHR: u32 = 3 << 7;
const DMAEN: u32 = 1 << 9;
const RXSYNC: u32 = 1 << 14;
const RXERR: u32 = 1 << 16;
const RXR: u32 = 1 << 18;
const RXD: u32 = 1 << 20;
const RXF: u32 = 1 << 22;
const RXSEX: u32 = 1 << 23;
const SYNC: u32 = 1 << 24;
const STBY: u32 = 1 << 25;
/// What a transmitter shows that nobody has filled: TXSYNC, TXW, TXD, TXE.
const TX_IDLE: u32 = 1 << 13 | 1 << 17 | 1 << 19 | 1 << 21;
/// Bits of CS that hold what is written.
const CS_KEPT: u32 = EN | RXON | TXTHR | RXTHR | DMAEN | RXSEX | STBY;

const CLK_DIS: u32 = 1 << 28;
const PDME: u32 = 1 << 26;
const FRXP: u32 = 1 << 25;
const CLKM: u32 = 1 << 23;
const CLKI: u32 = 1 << 22;
const FSM: u32 = 1 << 21;
const FSI: u32 = 1 << 20;

/// INTEN and INTSTC.
const INT_RXR: u32 = 1 << 1;
const INT_RXERR: u32 = 1 << 3;

/// Bit clocks for the FIFO to be cleared, and for SYNC to be echoed: the manual's two, and the one
/// that runs.
const CLEAR_CLOCKS: u64 = 3;
/// The same for the FIFO's memory to leave standby: the manual's four.
const WAKE_CLOCKS: u64 = 5;

/// Source of the clocks, by MODE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Off: no clock is used.
    Off,
    /// This block gives both clocks.
    Master,
    /// Both clocks come from the pins.
    Slave,
}

/// Something that takes bit clocks.
#[derive(Clone, Copy, Default)]
struct Pending {
    clocks: u64,
    /// Bit clocks of the link at which it is done.
    due: Option<u64>,
}

impl Pending {
    fn start(clocks: u64, link: Option<&Link>, now: u64) -> Self {
        let due = link.map(|link| link.clock.cycles_at(now) + clocks);
        Self { clocks, due }
    }

    fn is_done(&self, link: &Link, now: u64) -> bool {
        self.due.is_some_and(|due| link.clock.cycles_at(now) >= due)
    }
}

/// The block.
#[derive(Default)]
pub struct Pcm {
    cs: u32,
    mode: u32,
    rxc: u32,
    txc: u32,
    dreq: u32,
    inten: u32,
    intstc: u32,
    /// What SYNC reads as, and a write of the other value on its way.
    sync: bool,
    sync_written: bool,
    syncing: Option<Pending>,
    clearing: Option<Pending>,
    waking: Option<Pending>,
    /// RXCLR was written since EN.
    was_cleared: bool,
    link: Option<Link>,
    receiver: Receiver,
    /// Rules that were broken.
    pub broken: BrokenRules,
}

impl Pcm {
    /// The block after reset.
    pub fn new() -> Self {
        Self {
            dreq: 0x1030_3020,
            ..Self::default()
        }
    }

    /// The words since power-on.
    pub fn counts(&self) -> PcmWords {
        self.receiver.counts
    }

    /// Goes on to count from there.
    pub fn count_from(&mut self, counts: PcmWords) {
        self.receiver.counts = counts;
    }

    /// The source of its clocks.
    pub fn role(&self) -> Role {
        match (self.cs & EN != 0, self.mode & CLKM != 0) {
            (false, _) => Role::Off,
            (_, true) => Role::Slave,
            (_, false) if self.mode & CLK_DIS != 0 => Role::Off,
            _ => Role::Master,
        }
    }

    /// Bit clocks of a frame in master mode.
    pub fn frame_clocks(&self) -> u64 {
        u64::from(self.mode >> 10 & 0x3ff) + 1
    }

    /// Bit clocks for which the frame clock is active in master mode, and its level then.
    pub fn frame_sync(&self) -> (u64, bool) {
        (u64::from(self.mode & 0x3ff), self.mode & FSI == 0)
    }

    /// True if a frame starts with the falling edge of the frame clock.
    pub fn starts_on_fall(&self) -> bool {
        self.mode & FSI != 0
    }

    /// True if inputs are sampled on the rising edge of the bit clock.
    pub fn samples_on_rise(&self) -> bool {
        self.mode & CLKI != 0
    }

    /// The wires in use.
    pub fn link(&self) -> Option<&Link> {
        self.link.as_ref()
    }

    /// The wires are other ones from `now` on; `advance` has been called.
    pub fn set_link(&mut self, link: Option<Link>, now: u64) {
        match (link, &mut self.link) {
            (None, None) => return,
            (Some(new), Some(old)) if new.goes_on_as(old) => {
                old.data = new.data;
                return;
            }
            (link, _) => self.link = link,
        }
        let link = self.link.as_ref();
        let pending = [&mut self.syncing, &mut self.clearing, &mut self.waking];
        for pending in pending.into_iter().flatten() {
            *pending = Pending::start(pending.clocks, link, now);
        }
        self.receiver.stop();
        self.start_receiver(now);
    }

    fn start_receiver(&mut self, now: u64) {
        let is_master = self.role() == Role::Master;
        if let Some(link) = &mut self.link
            && self.cs & (EN | RXON) == EN | RXON
            && !self.receiver.is_on()
        {
            if is_master {
                link.first = link.clock.cycles_at(now) + 1;
            }
            let format = Format::of(self.rxc, self.mode, self.cs, link.frame_clocks);
            self.receiver.start(format, link, now);
        }
    }

    /// Receives up to `now`.
    pub fn advance(&mut self, now: u64) {
        let Some(link) = &self.link else { return };
        if self.syncing.is_some_and(|sync| sync.is_done(link, now)) {
            self.syncing = None;
            self.sync = !self.sync;
        }
        // What comes before the FIFO is there does not last.
        for pending in [&mut self.waking, &mut self.clearing] {
            if let Some(due) = pending.and_then(|pending| pending.due) {
                let done = link.clock.clock_after(due);
                self.receiver.advance(now.min(done), link, false);
                if done <= now {
                    *pending = None;
                    self.receiver.clear();
                }
            }
        }
        let stored = self.stores();
        let Some(link) = &self.link else { return };
        self.receiver.advance(now, link, stored);
        let level = self.receiver.level();
        if level >= self.threshold() {
            self.intstc |= INT_RXR;
        }
        if self.receiver.error {
            self.intstc |= INT_RXERR;
        }
    }

    /// True if words that come are kept.
    fn stores(&self) -> bool {
        self.cs & STBY != 0 && self.waking.is_none() && self.clearing.is_none()
    }

    /// Words that set RXR: one, a quarter, three quarters, all.
    fn threshold(&self) -> usize {
        [1, DEPTH / 4, DEPTH * 3 / 4, DEPTH][((self.cs & RXTHR) >> 7) as usize]
    }

    /// True if DMA should read the FIFO; `advance` has been called.
    pub fn requests(&self) -> bool {
        self.cs & (EN | DMAEN) == EN | DMAEN && self.receiver.level() > self.request_level()
    }

    fn panic_level(&self) -> usize {
        (self.dreq >> 16 & 0x7f) as usize
    }

    fn request_level(&self) -> usize {
        (self.dreq & 0x7f) as usize
    }

    /// The time at which [`Pcm::requests`] will be true, as far as can be seen.
    pub fn requests_at(&self) -> u64 {
        let Some(link) = &self.link else {
            return if self.requests() { 0 } else { NEVER };
        };
        if self.cs & (EN | DMAEN) != EN | DMAEN {
            return NEVER;
        }
        let (level, wanted) = (self.receiver.level(), self.request_level());
        if let Some(pending) = self.waking.or(self.clearing) {
            // It has to be looked at again then.
            return pending.due.map_or(NEVER, |due| link.clock.clock_after(due));
        }
        match wanted.checked_sub(level) {
            None => 0,
            Some(_) if !self.stores() || wanted >= DEPTH => NEVER,
            Some(ahead) => self.receiver.word_at(ahead as u64, link),
        }
    }

    /// GPU interrupt 55.
    pub fn interrupt(&self) -> bool {
        self.intstc & self.inten != 0
    }

    /// The time at which the interrupt may come, if one is enabled.
    pub fn interrupt_at(&self) -> u64 {
        match &self.link {
            Some(link) if self.inten != 0 => self.receiver.word_at(0, link),
            _ => NEVER,
        }
    }

    fn status(&self) -> u32 {
        let level = self.receiver.level();
        let flag = |bit: u32, set: bool| if set { bit } else { 0 };
        self.cs
            | TX_IDLE
            | flag(RXSYNC, self.receiver.is_in_sync())
            | flag(RXERR, self.receiver.error)
            | flag(RXR, level >= self.threshold())
            | flag(RXD, level > 0)
            | flag(RXF, level == DEPTH)
            | flag(SYNC, self.sync)
    }

    /// Reads a register; `advance` has been called.
    ///
    /// # Errors
    /// A register that is not modelled or does not exist.
    pub fn read(&mut self, offset: u32) -> Result<u32, FaultKind> {
        Ok(match offset {
            0x00 => self.status(),
            0x04 => self.receiver.take(),
            0x08 => self.mode,
            0x0c => self.rxc,
            0x10 => self.txc,
            0x14 => self.dreq,
            0x18 => self.inten,
            0x1c => self.intstc,
            _ => return Err(gap(offset)),
        })
    }

    /// Writes a register; `advance` has been called, and the wires are looked at afterwards.
    ///
    /// # Errors
    /// A register that is not modelled or does not exist, or a change while frames are received.
    pub fn write(&mut self, offset: u32, value: u32, now: u64) -> Result<(), FaultKind> {
        let receives = self.cs & (EN | RXON) == EN | RXON;
        match offset {
            0x00 => self.write_cs(value, now)?,
            0x04 => return Err(FaultKind::NotModelled("transmission by PCM".into())),
            0x08 | 0x0c if receives => {
                return Err(misuse("MODE or RXC was changed while frames are received"));
            }
            0x08 => {
                if value & PDME != 0 {
                    return Err(FaultKind::NotModelled("PDM input of PCM".into()));
                }
                if (value & CLKM != 0) != (value & FSM != 0) {
                    let what = "PCM with bit clock and frame clock from different sides";
                    return Err(FaultKind::NotModelled(what.into()));
                }
                self.mode = value & 0x1fff_ffff;
            }
            0x0c => self.rxc = value,
            0x10 => self.txc = value,
            0x14 => self.dreq = value & 0x7f7f_7f7f,
            0x18 => self.inten = value & 0xf,
            0x1c => self.intstc &= !value,
            _ => return Err(gap(offset)),
        }
        Ok(())
    }

    fn write_cs(&mut self, value: u32, now: u64) -> Result<(), FaultKind> {
        if value & TXON != 0 {
            return Err(FaultKind::NotModelled("transmission by PCM".into()));
        }
        let sync = value & SYNC != 0;
        let changes = (self.cs ^ value) & (CS_KEPT & !(EN | RXON)) | value & RXCLR;
        let runs = self.cs & value & (EN | RXON) == EN | RXON;
        if runs && (changes != 0 || sync != self.sync_written) {
            return Err(misuse(
                "more than EN and RXON of CS was changed while frames are received",
            ));
        }
        self.sync_written = sync;
        let begins = value & (EN | RXON) == EN | RXON && self.cs & RXON == 0;
        let wakes = value & STBY != 0 && self.cs & STBY == 0;
        self.cs = value & CS_KEPT;
        if value & RXERR != 0 {
            self.receiver.error = false;
        }
        // TXERR and TXCLR do nothing: there is no transmitter.
        let link = self.link.as_ref();
        if wakes {
            self.waking = Some(Pending::start(WAKE_CLOCKS, link, now));
        }
        if value & RXCLR != 0 {
            self.clearing = Some(Pending::start(CLEAR_CLOCKS, link, now));
        }
        if value & EN == 0 {
            self.was_cleared = false;
        } else if value & RXCLR != 0 {
            self.was_cleared = true;
        }
        // An echo that is on its way is that of the last value written.
        let differs = sync != self.sync;
        let echoes = differs && self.mode & CLKM == 0;
        match (echoes, self.syncing) {
            (false, _) => self.syncing = None,
            (true, None) => self.syncing = Some(Pending::start(CLEAR_CLOCKS, link, now)),
            (true, Some(_)) => {}
        }
        if begins {
            self.note_begin();
        }
        if self.cs & EN == 0 {
            self.receiver.stop();
        }
        self.receiver.stop_after_frame(self.cs & RXON == 0);
        self.start_receiver(now);
        Ok(())
    }

    /// The rules that reception breaks when it begins now.
    fn note_begin(&mut self) {
        let is_empty = self.was_cleared && self.receiver.level() == 0;
        let levels = self.request_level() + 1..DEPTH;
        let has_room = self.cs & DMAEN == 0 || levels.contains(&self.panic_level());
        for (rule, is_broken) in [
            (BlockRule::PcmClear, !is_empty),
            (BlockRule::PcmClearWait, self.clearing.is_some()),
            (BlockRule::PcmStandby, self.waking.is_some()),
            (BlockRule::PcmLevels, !has_room),
        ] {
            self.broken.note_if(rule, is_broken);
        }
    }
}

fn misuse(what: &'static str) -> FaultKind {
    FaultKind::Misuse("PCM", what)
}

fn gap(offset: u32) -> FaultKind {
    match offset {
        0x20 => FaultKind::NotModelled("PCM's GRAY mode".into()),
        _ => FaultKind::Unmapped,
    }
}
