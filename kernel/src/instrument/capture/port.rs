//! A port: the hardware that fills a ring of memory with samples.
//!
//! The device implements it with drivers (`crate::live_port`), the tests with a program that plays
//! DMA. Nothing here waits for longer than some milliseconds.

use core::fmt;

use crate::dma_buf::DmaBuf;

/// Bytes of the ring that DMA fills: more than a second at the highest rates of I2S, and a tenth of
/// a second at 20 MS/s from SMI.
pub const RING_BYTES: usize = 4 << 20;

/// Bytes behind the ring, which continue a block that begins near its end: the longest block of I/Q
/// samples.
pub const TAIL_BYTES: usize = 512 << 10;

/// Words in front of DMA's place that may not be in memory yet: those of the line that it is
/// writing and of the one before.
pub const MARGIN_BYTES: u64 = 128;

/// Words by which DMA's place may be behind or before the samples that the input has taken.
pub const JITTER_WORDS: u32 = crate::pcm::REQUEST_WORDS;

/// The slots of I2S that are to be received, and the source of the clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slots {
    /// The left slot of each frame becomes a word.
    pub left: bool,
    /// The right slot, behind the left one.
    pub right: bool,
    /// Bit clock of the board: its crystal divided by this. `None`: the ADC gives the clocks.
    pub divisor: Option<u32>,
}

/// The block that receives, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wiring {
    /// PCM.
    I2s(Slots),
    /// SMI; a sample, in the upper byte of two, every so many cycles of its clock of 100 MHz.
    Smi {
        /// At least 5.
        cycles: u32,
    },
}

impl Wiring {
    /// Bytes of a frame in memory.
    #[must_use]
    pub const fn frame_bytes(&self) -> u32 {
        match self {
            Self::I2s(slots) => 4 * (slots.left as u32 + slots.right as u32),
            Self::Smi { .. } => 2,
        }
    }

    /// Reports if the board gives the clock.
    #[must_use]
    pub const fn gives_clock(&self) -> bool {
        match self {
            Self::I2s(slots) => slots.divisor.is_some(),
            Self::Smi { .. } => true,
        }
    }
}

/// The place of DMA at a moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// Bytes from the start of the ring to the next write.
    pub bytes: u32,
    /// The latest moment at which it was there.
    pub at_us: u64,
    /// The moment is known to so many microseconds.
    pub within_us: u32,
    /// The FIFO ran over, or DMA took a word that was not there: what came since may be in another
    /// order, and [`Port::begin_again`] is to follow.
    pub is_overrun: bool,
}

/// Why a port cannot be opened, or why it has stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PortError {
    /// The board has no connector with the pins of PCM.
    NoPins,
    /// As [`PortError::NoPins`], for those of SMI.
    NoSmiPins,
    /// PCM does not answer.
    NoBlock,
    /// SMI does not answer.
    NoSmi,
    /// The firmware leaves the ARM no DMA channel.
    NoDma,
    /// The clock generator does not start.
    NoGenerator,
    /// Another part drives the clock of this pin, which the board was to drive.
    Driven {
        /// GPIO number.
        pin: u8,
    },
    /// As [`PortError::Driven`], for the clock of a parallel ADC.
    SmiDriven,
    /// This pin does not change, and the ADC was to drive it: the bit clock.
    NoClock {
        /// GPIO number.
        pin: u8,
    },
    /// As [`PortError::NoClock`], for the frame clock.
    NoFrames {
        /// GPIO number.
        pin: u8,
    },
    /// DMA has stopped; its DEBUG register.
    Dma(u32),
    /// The FIFO runs over again and again, and hardly a sample comes to the ring.
    Overrun,
    /// SMI has ended its transfer.
    Ended,
}

impl fmt::Display for PortError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NoPins => f.write_str(
                "this board has no pins for I2S; use one with 40 pins, or a Pi 1 A or B with the \
                 holes P5",
            ),
            Self::NoSmiPins => {
                f.write_str("this board has no pins for SMI; use one with 40 pins (A+, B+ or Zero)")
            }
            Self::NoBlock => f.write_str(
                "the PCM block does not answer within 1 ms, as in an emulator that has none; set \
                 input=gen",
            ),
            Self::NoSmi => f.write_str(
                "the SMI block does not answer within 1 ms, as in an emulator that has none; set \
                 input=gen",
            ),
            Self::NoDma => {
                f.write_str("the boot files leave the ARM no DMA channel; take newer boot files")
            }
            Self::NoGenerator => f.write_str(
                "the clock generator does not start within 1 ms, as in an emulator that has none; \
                 switch the board off and on, or set input=gen",
            ),
            Self::Driven { pin } => write!(
                f,
                "GPIO {pin} carries a clock that is not the board's; set clock=adc, or strap the \
                 ADC as clock slave"
            ),
            Self::SmiDriven => f.write_str(
                "GPIO 6 carries a clock that is not the board's; cut the ADC module's own clock \
                 off, so that GPIO 6 alone drives CLK",
            ),
            Self::NoClock { pin } => write!(
                f,
                "no clock on GPIO {pin}; is the ADC on, and strapped as clock master? If not, set \
                 clock=board"
            ),
            Self::NoFrames { pin } => write!(
                f,
                "no frame clock on GPIO {pin}, but a bit clock; check the wire of LRCK (WS)"
            ),
            Self::Dma(debug) => write!(
                f,
                "DMA stopped with an error (DEBUG {debug:#010x}); start again"
            ),
            Self::Overrun => f.write_str(
                "the FIFO of the input runs over again and again, so samples are missing; set a \
                 lower rate",
            ),
            Self::Ended => f.write_str("SMI stopped to read; start again"),
        }
    }
}

/// The hardware in front of a ring of [`RING_BYTES`], and [`TAIL_BYTES`] behind it.
pub trait Port {
    /// Begins to receive at the start of the ring. A port that was open is closed before.
    ///
    /// # Errors
    /// When it does not; it is closed then.
    fn open(&mut self, wiring: &Wiring) -> Result<(), PortError>;

    /// Begins to receive again, with a whole frame, at byte `at` of the ring, a multiple of 64. The
    /// FIFO is emptied. The port is open, and its clocks go on where they can.
    ///
    /// # Errors
    /// When it does not.
    fn begin_again(&mut self, at: u32) -> Result<(), PortError>;

    /// Words that may have been received and are not in the ring: those of the FIFO, and of DMA.
    fn held_words(&self) -> u32;

    /// The words of SMI's FIFO, where they have been counted since the board started.
    fn smi_fifo_words(&self) -> Option<u32>;

    /// Stops.
    fn close(&mut self);

    /// Returns how far it has come.
    ///
    /// # Errors
    /// When it has stopped by itself.
    fn place(&mut self) -> Result<Place, PortError>;

    /// The ring and its tail.
    fn memory(&mut self) -> &mut DmaBuf;
}
