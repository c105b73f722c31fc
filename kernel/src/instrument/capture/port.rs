//! A port: the hardware that fills a ring of memory with samples.
//!
//! The device implements it with drivers (`crate::i2s`), the tests with a program that plays DMA.
//! Nothing here waits for longer than some milliseconds.

use core::fmt;

use crate::dma_buf::DmaBuf;

/// Bytes of the ring that DMA fills: more than a second at the highest rates of I2S.
pub const RING_BYTES: usize = 4 << 20;

/// Bytes behind the ring, which continue a block that begins near its end: the longest block of I/Q
/// samples.
pub const TAIL_BYTES: usize = 512 << 10;

/// Words in front of DMA's place that may not be in memory yet: those of the line that it is
/// writing and of the one before.
pub const MARGIN_BYTES: u64 = 128;

/// Words by which DMA's place may be behind or before the samples that the input has taken.
pub const JITTER_WORDS: u32 = crate::pcm::REQUEST_WORDS;

/// The slots that are to be received, and the source of the clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wiring {
    /// The left slot of each frame becomes a word.
    pub left: bool,
    /// The right slot, behind the left one.
    pub right: bool,
    /// Bit clock of the board: its crystal divided by this. `None`: the ADC gives the clocks.
    pub divisor: Option<u32>,
}

impl Wiring {
    /// Bytes of a frame in memory.
    #[must_use]
    pub const fn frame_bytes(&self) -> u32 {
        4 * (self.left as u32 + self.right as u32)
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
}

/// Why a port cannot be opened, or why it has stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PortError {
    /// The board has no connector with the pins.
    NoPins,
    /// The block does not answer.
    NoBlock,
    /// The firmware leaves the ARM no DMA channel.
    NoDma,
    /// The clock generator does not start.
    NoGenerator,
    /// Another part drives the clock of this pin, which the board was to drive.
    Driven {
        /// GPIO number.
        pin: u8,
    },
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
    /// The FIFO ran over.
    Overrun,
}

impl fmt::Display for PortError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NoPins => f.write_str(
                "this board has no pins for I2S; use one with 40 pins, or a Pi 1 A or B with the \
                 holes P5",
            ),
            Self::NoBlock => f.write_str(
                "the PCM block does not answer within 1 ms, as in an emulator that has none; set \
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
            Self::Overrun => {
                f.write_str("the FIFO of the input ran over, so samples are missing; start again")
            }
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
