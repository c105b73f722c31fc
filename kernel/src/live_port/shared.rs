//! Drivers and memory that both live inputs need: clocks, pins, a DMA channel and memory.

use crate::clock_manager::ClockManager;
use crate::dma::Channel;
use crate::dma_buf::DmaBuf;
use crate::gpio::Gpio;
use crate::timer::Clock;

/// The time for which pins are listened to: more than two frames at 8000 a second.
const LISTEN_US: u64 = 300;

/// The drivers and the memory.
pub struct Shared {
    /// The generators of clocks.
    pub clocks: ClockManager,
    /// The pins.
    pub gpio: Gpio,
    /// A channel of the ARM's.
    pub dma: Option<Channel>,
    /// The time.
    pub clock: Clock,
    /// The ring and its tail.
    pub memory: DmaBuf,
    /// Two control blocks, each in a line, and a line for words that nobody wants.
    pub control: DmaBuf,
}

impl Shared {
    /// Listens to the pins: those of GPIO 0 to 31 that changed.
    pub(super) fn listen(&self) -> u32 {
        let first = self.gpio.levels();
        let mut changed = 0;
        self.clock.wait_for(LISTEN_US, || {
            changed |= self.gpio.levels() ^ first;
            false
        });
        changed
    }
}
