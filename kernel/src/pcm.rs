//! PCM: the receiving half of the I2S block.
//!
//! A frame has 64 bit clocks: a left and a right slot of 32. Each slot that is wanted becomes a
//! word of the FIFO, its first bit the highest, so that a sample of 24 bits lies in bits 31 to 8.
//! Data comes one clock behind the edge of the frame clock and is sampled on the rising edge of the
//! bit clock, and the frame clock is low for left: what the I2S specification asks for, and what
//! the manual calls inverted (CLKI, FSI).
//!
//! A reset of the FIFO takes two bit clocks. The block echoes SYNC when they are over; in slave
//! mode it may not (Linux), so a slave waits for a fixed time.
//!
//! Sources: BCM2835 ARM Peripherals, chapter 8 (order: section 8.4.3); signs of CLKI and FSI,
//! request and panic levels: Linux bcm2835-i2s.c.

use embedded_hal::delay::DelayNs;
use qpu::job::BusAddr;
use tock_registers::fields::FieldValue;
use tock_registers::interfaces::{ReadWriteable, Readable, Writeable};
use tock_registers::registers::ReadWrite;
use tock_registers::{register_bitfields, register_structs};

use crate::mmio::Mmio;
use crate::timer::{Clock, Timeout};

register_bitfields! { u32,
    CS_A [
        STBY OFFSET(25) NUMBITS(1) [],
        SYNC OFFSET(24) NUMBITS(1) [],
        RXERR OFFSET(16) NUMBITS(1) [],
        TXERR OFFSET(15) NUMBITS(1) [],
        DMAEN OFFSET(9) NUMBITS(1) [],
        RXTHR OFFSET(7) NUMBITS(2) [],
        RXCLR OFFSET(4) NUMBITS(1) [],
        TXCLR OFFSET(3) NUMBITS(1) [],
        TXON OFFSET(2) NUMBITS(1) [],
        RXON OFFSET(1) NUMBITS(1) [],
        EN OFFSET(0) NUMBITS(1) []
    ],
    MODE_A [
        CLKM OFFSET(23) NUMBITS(1) [],
        CLKI OFFSET(22) NUMBITS(1) [],
        FSM OFFSET(21) NUMBITS(1) [],
        FSI OFFSET(20) NUMBITS(1) [],
        FLEN OFFSET(10) NUMBITS(10) [],
        FSLEN OFFSET(0) NUMBITS(10) []
    ],
    RXC_A [
        CH1WEX OFFSET(31) NUMBITS(1) [],
        CH1EN OFFSET(30) NUMBITS(1) [],
        CH1POS OFFSET(20) NUMBITS(10) [],
        CH1WID OFFSET(16) NUMBITS(4) [],
        CH2WEX OFFSET(15) NUMBITS(1) [],
        CH2EN OFFSET(14) NUMBITS(1) [],
        CH2POS OFFSET(4) NUMBITS(10) [],
        CH2WID OFFSET(0) NUMBITS(4) []
    ],
    DREQ_A [
        TX_PANIC OFFSET(24) NUMBITS(7) [],
        RX_PANIC OFFSET(16) NUMBITS(7) [],
        TX OFFSET(8) NUMBITS(7) [],
        RX OFFSET(0) NUMBITS(7) []
    ]
}

register_structs! {
    /// The registers of PCM, as far as they are used.
    pub Registers {
        (0x00 => CS_A: ReadWrite<u32, CS_A::Register>),
        (0x04 => FIFO_A: ReadWrite<u32>),
        (0x08 => MODE_A: ReadWrite<u32, MODE_A::Register>),
        (0x0c => RXC_A: ReadWrite<u32, RXC_A::Register>),
        (0x10 => TXC_A: ReadWrite<u32>),
        (0x14 => DREQ_A: ReadWrite<u32, DREQ_A::Register>),
        (0x18 => INTEN_A: ReadWrite<u32>),
        (0x1c => INTSTC_A: ReadWrite<u32>),
        (0x20 => @END),
    }
}

/// The FIFO as DMA sees it.
pub const FIFO: BusAddr = BusAddr(0x7e20_3004);

/// Bit clocks of a frame.
pub const FRAME_BITS: u32 = 64;
/// Bit clocks of a slot.
const SLOT_BITS: u32 = FRAME_BITS / 2;
/// Bit clocks from the edge of the frame clock to the first bit of a slot.
const DATA_DELAY: u32 = 1;
/// CHxWID of a slot: its bits, less 8, and less 16 more that CHxWEX adds.
const SLOT_WIDTH: u32 = SLOT_BITS - 8 - 16;

/// Words in the FIFO at which DMA is asked for: few, so that DMA's place says how many frames there
/// have been.
pub const REQUEST_WORDS: u32 = 8;
/// Words of the FIFO (BCM2835 ARM Peripherals, chapter 8).
pub const FIFO_WORDS: u32 = 64;
/// Words in the FIFO at which DMA is to hurry.
const PANIC_WORDS: u32 = 48;

/// The time that SYNC may take to come back: two periods of the slowest bit clock, and more.
const SYNC_US: u64 = 1000;
/// A frame of the slowest part (8000 a second), with room.
const FRAME_US: u32 = 130;
/// Four periods of the slowest bit clock (8000 frames a second), with room: the FIFO's memory then
/// has left standby.
const STANDBY_US: u32 = 50;

/// The PCM block.
pub struct Pcm {
    registers: Mmio<Registers>,
    clock: Clock,
}

impl Pcm {
    /// Takes the block.
    #[must_use]
    pub const fn new(registers: Mmio<Registers>, clock: Clock) -> Self {
        Self { registers, clock }
    }

    /// Wakes the block and tells it the shape of frames. `slots`: if the left and the right one
    /// become words; the left one comes first, while the frame clock is low. A master gives bit
    /// clock and frame clock, a slave hears them. Before this the block's pins must not be routed:
    /// it would drive them.
    pub fn set_up(&mut self, slots: [bool; 2], is_master: bool) {
        self.registers.visit(|pcm| {
            pcm.CS_A.set(0);
            pcm.MODE_A.write(mode(is_master));
            pcm.CS_A.write(awake());
        });
        self.clock.delay_us(STANDBY_US);
        self.registers.visit(|pcm| {
            pcm.RXC_A.write(receive(slots));
            pcm.TXC_A.set(0);
            pcm.INTEN_A.set(0);
            pcm.DREQ_A.write(
                DREQ_A::RX.val(REQUEST_WORDS)
                    + DREQ_A::RX_PANIC.val(PANIC_WORDS)
                    + DREQ_A::TX.val(PANIC_WORDS)
                    + DREQ_A::TX_PANIC.val(REQUEST_WORDS),
            );
        });
    }

    /// Empties the FIFO, and lets it ask for DMA. The bit clock runs.
    ///
    /// # Errors
    /// When the block does not answer, as a master: its SYNC bit stays as it is.
    pub fn clear(&mut self, is_master: bool) -> Result<(), Timeout> {
        let errors = CS_A::RXERR::SET + CS_A::TXERR::SET;
        let clears = CS_A::RXCLR::SET + CS_A::TXCLR::SET;
        self.registers
            .visit(|pcm| pcm.CS_A.write(awake() + clears + errors));
        let has_synced = self.sync();
        self.registers
            .visit(|pcm| pcm.CS_A.write(awake() + CS_A::DMAEN::SET));
        (has_synced || !is_master).then_some(()).ok_or(Timeout)
    }

    /// Waits for two bit clocks; reports if they came.
    fn sync(&mut self) -> bool {
        let read = || self.registers.visit(|pcm| pcm.CS_A.read(CS_A::SYNC));
        let wanted = 1 - read();
        self.registers
            .visit(|pcm| pcm.CS_A.write(awake() + CS_A::SYNC.val(wanted)));
        self.clock.wait_for(SYNC_US, || read() == wanted)
    }

    /// Begins to receive with the next frame.
    pub fn receive(&mut self) {
        self.registers.visit(|pcm| {
            pcm.CS_A
                .modify(CS_A::RXON::SET + CS_A::RXERR::CLEAR + CS_A::TXERR::CLEAR)
        });
    }

    /// Ends reception. When this returns the frame under way has ended, too.
    pub fn pause(&mut self) {
        self.registers.visit(|pcm| pcm.CS_A.write(awake()));
        self.clock.delay_us(FRAME_US);
    }

    /// Reports if the FIFO ran over: words are missing then, and left and right may have changed
    /// places.
    #[must_use]
    pub fn has_overrun(&self) -> bool {
        self.registers.visit(|pcm| pcm.CS_A.is_set(CS_A::RXERR))
    }

    /// Stops the block; its pins carry no clock any more.
    pub fn stop(&mut self) {
        self.registers.visit(|pcm| pcm.CS_A.set(0));
    }
}

/// The block on, its FIFO's memory not in standby.
fn awake() -> FieldValue<u32, CS_A::Register> {
    CS_A::EN::SET + CS_A::STBY::SET
}

/// The shape of frames and who gives their clocks.
fn mode(is_master: bool) -> FieldValue<u32, MODE_A::Register> {
    let slave = u32::from(!is_master);
    MODE_A::CLKM.val(slave)
        + MODE_A::FSM.val(slave)
        + MODE_A::CLKI::SET
        + MODE_A::FSI::SET
        + MODE_A::FLEN.val(FRAME_BITS - 1)
        + MODE_A::FSLEN.val(SLOT_BITS)
}

/// The slots that are received. A single one is channel 1, wherever it lies.
fn receive([wants_left, wants_right]: [bool; 2]) -> FieldValue<u32, RXC_A::Register> {
    let [left, right] = [DATA_DELAY, SLOT_BITS + DATA_DELAY];
    let first = if wants_left { left } else { right };
    let second = u32::from(wants_left && wants_right);
    RXC_A::CH1EN::SET
        + RXC_A::CH1WEX::SET
        + RXC_A::CH1WID.val(SLOT_WIDTH)
        + RXC_A::CH1POS.val(first)
        + RXC_A::CH2EN.val(second)
        + RXC_A::CH2WEX.val(second)
        + RXC_A::CH2WID.val(second * SLOT_WIDTH)
        + RXC_A::CH2POS.val(second * right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mmio::fake;
    use crate::timer::fake::clock as fake_clock;
    use core::mem::offset_of;

    const BOTH: [bool; 2] = [true; 2];

    #[test]
    fn registers_lie_where_the_manual_says() {
        assert_eq!(offset_of!(Registers, RXC_A), 0x0c);
        assert_eq!(offset_of!(Registers, DREQ_A), 0x14);
        assert_eq!(offset_of!(Registers, INTEN_A), 0x18);
    }

    #[test]
    fn frames_are_those_of_i2s_with_two_slots_of_32_bits() {
        let inverted = 1 << 22 | 1 << 20;
        assert_eq!(mode(true).value, inverted | 63 << 10 | 32);
        assert_eq!(
            mode(false).value,
            inverted | 1 << 23 | 1 << 21 | 63 << 10 | 32
        );
        let slot = |position: u32| 1 << 15 | 1 << 14 | position << 4 | 8;
        assert_eq!(receive(BOTH).value, slot(1) << 16 | slot(33));
        assert_eq!(receive([false, true]).value, slot(33) << 16);
    }

    #[test]
    fn it_is_ready_when_its_fifo_asks_dma_and_receives_nothing_yet() {
        // SYNC reads back what was written into this memory, as on a block that answers.
        let (registers, words) = fake::zeros();
        let mut pcm = Pcm::new(registers, fake_clock());
        pcm.set_up(BOTH, true);
        assert_eq!(pcm.clear(true), Ok(()));
        let ready = 1 << 25 | 1 << 9 | 1;
        assert_eq!(words.at(0x00), ready);
        assert_eq!(words.at(0x14), 8 << 24 | 48 << 16 | 48 << 8 | 8);
        pcm.receive();
        assert_eq!(words.at(0x00), ready | 1 << 1);
        words.set(0x00, ready | 1 << 16);
        assert!(pcm.has_overrun());
        pcm.stop();
        assert_eq!(words.at(0x00), 0);
    }
}
