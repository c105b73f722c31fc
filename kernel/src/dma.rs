//! DMA: one channel that fills a ring of memory from a peripheral's FIFO.
//!
//! A channel takes its orders from a control block in memory. The block of a ring names itself as
//! the next one, so the channel goes round until it is stopped. Nothing interrupts: DEST_AD says
//! where the channel is. A failed channel stops and says so in CS and DEBUG.
//!
//! Channels 0 to 6 are whole ones; 7 to 14 are "lite" ones with a shorter length and half the
//! speed. The VideoCore uses some of them, so the mailbox is asked which are the ARM's.
//!
//! Sources: BCM2835 ARM Peripherals, chapter 4; SMI's request: iosoft's rpi_smi_defs.h; the order
//! of a stop, and the channels of the ARM when nobody says which (mask 0x7f35): Linux bcm2835-dma.c
//! and bcm2708-dmaengine.c; ENABLE before anything else, and the wait for the end of a reset:
//! Circle and iosoft's rpi_dma_utils.c.

use qpu::job::BusAddr;
use tock_registers::fields::FieldValue;
use tock_registers::interfaces::{ReadWriteable, Readable, Writeable};
use tock_registers::registers::{ReadOnly, ReadWrite, WriteOnly};
use tock_registers::{register_bitfields, register_structs};

use crate::arch::cpu;
use crate::mmio::Mmio;
use crate::timer::Clock;

register_bitfields! { u32,
    CS [
        RESET OFFSET(31) NUMBITS(1) [],
        ABORT OFFSET(30) NUMBITS(1) [],
        DISDEBUG OFFSET(29) NUMBITS(1) [],
        WAIT_FOR_OUTSTANDING_WRITES OFFSET(28) NUMBITS(1) [],
        PANIC_PRIORITY OFFSET(20) NUMBITS(4) [],
        PRIORITY OFFSET(16) NUMBITS(4) [],
        ERROR OFFSET(8) NUMBITS(1) [],
        WAITING_FOR_OUTSTANDING_WRITES OFFSET(6) NUMBITS(1) [],
        INT OFFSET(2) NUMBITS(1) [],
        END OFFSET(1) NUMBITS(1) [],
        ACTIVE OFFSET(0) NUMBITS(1) []
    ],
    TI [
        PERMAP OFFSET(16) NUMBITS(5) [ PcmRx = 3, Smi = 4 ],
        SRC_DREQ OFFSET(10) NUMBITS(1) [],
        SRC_INC OFFSET(8) NUMBITS(1) [],
        DEST_INC OFFSET(4) NUMBITS(1) [],
        WAIT_RESP OFFSET(3) NUMBITS(1) []
    ],
    DEBUG [
        LITE OFFSET(28) NUMBITS(1) [],
        READ_ERROR OFFSET(2) NUMBITS(1) [],
        FIFO_ERROR OFFSET(1) NUMBITS(1) [],
        READ_LAST_NOT_SET_ERROR OFFSET(0) NUMBITS(1) []
    ]
}

register_structs! {
    /// The registers of a channel, as far as they are used.
    pub ChannelRegisters {
        (0x00 => CS: ReadWrite<u32, CS::Register>),
        (0x04 => CONBLK_AD: ReadWrite<u32>),
        (0x08 => TI: ReadOnly<u32, TI::Register>),
        (0x0c => SOURCE_AD: ReadOnly<u32>),
        (0x10 => DEST_AD: ReadOnly<u32>),
        (0x14 => TXFR_LEN: ReadOnly<u32>),
        (0x18 => STRIDE: ReadOnly<u32>),
        (0x1c => NEXTCONBK: ReadWrite<u32>),
        (0x20 => DEBUG: ReadWrite<u32, DEBUG::Register>),
        (0x24 => _reserved),
        (0x100 => @END),
    },
    /// Channels 0 to 14, and what they share.
    pub Registers {
        (0x000 => CHANNELS: [ChannelRegisters; 15]),
        (0xf00 => _channel_15),
        (0xfe0 => INT_STATUS: ReadOnly<u32>),
        (0xfe4 => _reserved),
        (0xff0 => ENABLE: ReadWrite<u32>),
        (0xff4 => _end: WriteOnly<u32>),
        (0xff8 => @END),
    }
}

/// Words that a channel may have read and not written: its place is that of the next write.
pub const HELD_WORDS: u32 = 1;

/// Words of a control block, which begins at a multiple of 32 bytes.
pub const BLOCK_WORDS: usize = 8;

/// Whole channels, the ones that Linux leaves to drivers first.
const WHOLE: [u8; 7] = [5, 4, 2, 0, 6, 3, 1];

/// The ARM's channels where the firmware does not say.
pub const USUAL_CHANNELS: u32 = 0x7f35;

/// The time that a channel may take to end its writes: many times that of one write.
const STOP_US: u64 = 100;

/// The time that a channel may take to load a control block: many times that of a read.
const LOAD_US: u64 = 100;
/// The time that a reset may take, as long as librpitx waits in any case. Circle waits until RESET
/// reads 0, without a limit.
const RESET_US: u64 = 100;

/// A share of the bus for samples that cannot wait, and more when the FIFO fills.
const PRIORITY: u32 = 8;
const PANIC_PRIORITY: u32 = 15;

/// The peripheral that paces a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// PCM's receive FIFO (DREQ 3).
    PcmRx,
    /// SMI's FIFO (DREQ 4).
    Smi,
}

impl Request {
    /// The bits of CS for a channel that it paces. A write that is waited for at the end of a block
    /// delays the next block, and SMI's samples go on meanwhile. AVDecoder and iosoft do without.
    fn control(self) -> FieldValue<u32, CS::Register> {
        let priorities = CS::PANIC_PRIORITY.val(PANIC_PRIORITY) + CS::PRIORITY.val(PRIORITY);
        match self {
            Self::PcmRx => priorities + CS::WAIT_FOR_OUTSTANDING_WRITES::SET,
            Self::Smi => priorities,
        }
    }

    /// The transfer information of a channel that it paces.
    fn information(self) -> FieldValue<u32, TI::Register> {
        TI::SRC_DREQ::SET
            + match self {
                // Each write is waited for, so that DEST_AD never runs ahead of memory by more than
                // one.
                Self::PcmRx => TI::PERMAP::PcmRx + TI::WAIT_RESP::SET,
                // A word every 100 ns leaves no time to wait (iosoft, AVDecoder).
                Self::Smi => TI::PERMAP::Smi,
            }
    }
}

/// A control block that moves words of a FIFO to `bytes` bytes of memory. The block at `next`
/// follows; that of a ring is its own next one.
#[must_use]
pub fn fill_block(
    next: BusAddr,
    request: Request,
    fifo: BusAddr,
    to: BusAddr,
    bytes: u32,
) -> [u32; BLOCK_WORDS] {
    let information = request.information() + TI::DEST_INC::SET;
    [information.value, fifo.0, to.0, bytes, 0, next.0, 0, 0]
}

/// A control block that leaves out the first `bytes` bytes of a FIFO: all of them go to one word of
/// memory. The block at `next` follows.
#[must_use]
pub fn skip_block(
    next: BusAddr,
    request: Request,
    fifo: BusAddr,
    to: BusAddr,
    bytes: u32,
) -> [u32; BLOCK_WORDS] {
    let information = request.information();
    [information.value, fifo.0, to.0, bytes, 0, next.0, 0, 0]
}

/// A channel that has stopped by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failed {
    /// DEBUG, whose lowest three bits say why.
    pub debug: u32,
}

/// A channel of the ARM's.
pub struct Channel {
    registers: Mmio<Registers>,
    clock: Clock,
    number: u8,
}

impl Channel {
    /// The first whole channel of those in `mask`, one bit each; `None` when it has none.
    #[must_use]
    pub fn of(registers: Mmio<Registers>, clock: Clock, mask: u32) -> Option<Self> {
        let number = WHOLE.into_iter().find(|number| mask >> number & 1 != 0)?;
        Some(Self {
            registers,
            clock,
            number,
        })
    }

    fn visit<R>(&self, visit: impl FnOnce(&ChannelRegisters) -> R) -> R {
        let number = usize::from(self.number);
        self.registers.visit(|dma| visit(&dma.CHANNELS[number]))
    }

    /// Starts at a control block, which is in RAM already, and waits until the channel has loaded
    /// it: then its place is that of the block's `destination`.
    pub fn start(&mut self, block: BusAddr, request: Request, destination: BusAddr) {
        self.stop();
        // Nothing may start before the block is in RAM.
        cpu::data_sync_barrier();
        self.visit(|channel| {
            channel.CS.write(CS::INT::SET + CS::END::SET);
            // The errors of the channel's last user are cleared by writing ones.
            channel.DEBUG.write(
                DEBUG::READ_ERROR::SET
                    + DEBUG::FIFO_ERROR::SET
                    + DEBUG::READ_LAST_NOT_SET_ERROR::SET,
            );
            channel.CONBLK_AD.set(block.0);
            channel.CS.write(request.control() + CS::ACTIVE::SET);
        });
        let place = || self.visit(|channel| channel.DEST_AD.get());
        self.clock.wait_for(LOAD_US, || place() == destination.0);
    }

    /// Ends the transfer: the channel pauses, its writes end, and it is reset.
    pub fn stop(&mut self) {
        // A channel that is not enabled may take no orders.
        let number = self.number;
        self.registers
            .visit(|dma| dma.ENABLE.set(dma.ENABLE.get() | 1 << number));
        self.visit(|channel| channel.CS.modify(CS::ACTIVE::CLEAR));
        let writes = || self.visit(|it| it.CS.is_set(CS::WAITING_FOR_OUTSTANDING_WRITES));
        self.clock.wait_for(STOP_US, || !writes());
        self.visit(|channel| channel.CS.write(CS::RESET::SET));
        let is_reset = || self.visit(|it| !it.CS.is_set(CS::RESET));
        self.clock.wait_for(RESET_US, is_reset);
        cpu::data_sync_barrier();
    }

    /// The address of the next write.
    ///
    /// # Errors
    /// When the channel has failed or does not run any more.
    pub fn destination(&self) -> Result<u32, Failed> {
        self.visit(|channel| {
            let status = channel.CS.extract();
            if status.is_set(CS::ERROR) || !status.is_set(CS::ACTIVE) {
                let debug = channel.DEBUG.get();
                return Err(Failed { debug });
            }
            Ok(channel.DEST_AD.get())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mmio::fake;
    use crate::timer::fake::{clock as fake_clock, watched};
    use core::mem::offset_of;
    use std::sync::{Arc, Mutex};

    #[test]
    fn registers_lie_where_the_manual_says() {
        assert_eq!(offset_of!(ChannelRegisters, DEST_AD), 0x10);
        assert_eq!(offset_of!(ChannelRegisters, DEBUG), 0x20);
        assert_eq!(size_of::<ChannelRegisters>(), 0x100);
        assert_eq!(offset_of!(Registers, ENABLE), 0xff0);
    }

    #[test]
    fn the_block_of_a_ring_waits_for_pcm_and_leads_to_itself() {
        let [itself, fifo, to] = [0x4010_0000, 0x7e20_3004, 0x4200_0000].map(BusAddr);
        let block = fill_block(itself, Request::PcmRx, fifo, to, 1 << 22);
        let information = 3 << 16 | 1 << 10 | 1 << 4 | 1 << 3;
        let wanted = [information, fifo.0, to.0, 1 << 22, 0, itself.0, 0, 0];
        assert_eq!(block, wanted);
    }

    #[test]
    fn a_ring_of_smi_does_not_wait_for_its_writes_and_can_begin_later() {
        let [itself, fifo, to] = [0x4010_0000, 0x7e60_000c, 0x4200_0000].map(BusAddr);
        let [ring, skip] =
            [fill_block, skip_block].map(|block| block(itself, Request::Smi, fifo, to, 4096));
        assert_eq!(ring[0], 4 << 16 | 1 << 10 | 1 << 4);
        assert_eq!(skip[0], 4 << 16 | 1 << 10);
        assert_eq!(ring[1..], skip[1..]);
    }

    #[test]
    fn a_whole_channel_of_the_arms_is_taken() {
        for (mask, number) in [
            (USUAL_CHANNELS, Some(5)),
            (0x3c, Some(5)),
            (0x7f15, Some(4)),
        ] {
            let channel = Channel::of(fake::zeros().0, fake_clock(), mask);
            assert_eq!(channel.map(|it| it.number), number, "{mask:#x}");
        }
        assert!(Channel::of(fake::zeros().0, fake_clock(), 0x7f80).is_none());
    }

    #[test]
    fn a_start_enables_the_channel_and_an_error_is_reported_with_its_reason() {
        let (registers, words) = fake::zeros();
        let mut channel =
            Channel::of(registers, fake_clock(), USUAL_CHANNELS).expect("there is one");
        let (block, to) = (BusAddr(0x4010_0020), BusAddr(0x4200_0040));
        words.set(0x510, to.0);
        for (request, waits) in [(Request::PcmRx, 1 << 28), (Request::Smi, 0)] {
            channel.start(block, request, to);
            assert_eq!(words.at(0xff0), 1 << 5);
            assert_eq!(words.at(0x504), 0x4010_0020);
            assert_eq!(words.at(0x500), waits | 15 << 20 | 8 << 16 | 1);
        }
        assert_eq!(channel.destination(), Ok(0x4200_0040));
        words.set(0x500, 1 << 8);
        words.set(0x520, 0b100);
        assert_eq!(channel.destination(), Err(Failed { debug: 0b100 }));
        channel.stop();
        assert_eq!(words.at(0x500), 1 << 31);
    }

    #[test]
    fn a_start_waits_for_the_end_of_the_reset_of_a_channel_that_is_enabled() {
        let (registers, words) = fake::zeros();
        let resets = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&resets);
        // The block ends its reset at the second look at it.
        let clock = watched(move || {
            let mut seen = seen.lock().unwrap();
            if words.at(0x500) == 1 << 31 {
                seen.push((words.at(0xff0), words.at(0x504)));
                words.set(0x500, (seen.len() as u32 % 2) << 31);
            }
        });
        let mut channel = Channel::of(registers, clock, USUAL_CHANNELS).expect("there is one");
        channel.start(BusAddr(0x4010_0020), Request::Smi, BusAddr(0));
        assert!(words.at(0x500) & 1 != 0, "it is active");
        assert_eq!(*resets.lock().unwrap(), [(1 << 5, 0); 2]);
    }
}
