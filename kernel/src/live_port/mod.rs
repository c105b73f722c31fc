//! The port of live inputs: I2S or a parallel ADC, one at a time, in front of one ring.
//!
//! Both share a DMA channel, the ring, the clock manager and pins: GPIO 18 to 21 are PCM's or SMI's
//! upper data pins.

mod i2s;
mod parallel;

pub use parallel::CONTROL_BYTES;

use i2s::I2s;
use parallel::Parallel;

use crate::board::Revision;
use crate::clock_manager::ClockManager;
use crate::dma::Channel;
use crate::dma_buf::DmaBuf;
use crate::gpio::Gpio;
use crate::instrument::capture::{Place, Port, PortError, RING_BYTES, Wiring};
use crate::pcm::Pcm;
use crate::smi::Smi;
use crate::timer::Clock;

/// The time for which pins are listened to: more than two frames at 8000 a second.
const LISTEN_US: u64 = 300;

/// The drivers and the memory that both inputs need.
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

/// The inputs, and the drivers that they share.
pub struct LivePort {
    shared: Shared,
    i2s: I2s,
    parallel: Parallel,
    /// The input that is open.
    open: Option<Wiring>,
}

impl LivePort {
    /// Puts the inputs of a board together.
    #[must_use]
    pub fn new(shared: Shared, pcm: Pcm, smi: Smi, revision: Revision) -> Self {
        Self {
            shared,
            i2s: I2s::new(pcm, revision.pcm_pins()),
            parallel: Parallel::new(smi, revision.has_smi_pins()),
            open: None,
        }
    }
}

impl Port for LivePort {
    fn open(&mut self, wiring: &Wiring) -> Result<(), PortError> {
        self.close();
        let shared = &mut self.shared;
        match *wiring {
            Wiring::I2s(slots) => self.i2s.open(shared, slots),
            Wiring::Smi { cycles } => self.parallel.open(shared, cycles),
        }?;
        self.open = Some(*wiring);
        Ok(())
    }

    fn close(&mut self) {
        let shared = &mut self.shared;
        match self.open.take() {
            Some(Wiring::I2s(_)) => self.i2s.close(shared),
            Some(Wiring::Smi { .. }) => self.parallel.close(shared),
            None => {}
        }
    }

    fn place(&mut self) -> Result<Place, PortError> {
        let shared = &self.shared;
        let channel = shared.dma.as_ref().ok_or(PortError::NoDma)?;
        let before_us = shared.clock.now_us();
        let destination = channel.destination();
        let at_us = shared.clock.now_us();
        let destination = destination.map_err(|failed| PortError::Dma(failed.debug))?;
        match self.open {
            Some(Wiring::Smi { .. }) => self.parallel.check(at_us)?,
            _ if self.i2s.pcm.has_overrun() => return Err(PortError::Overrun),
            _ => {}
        }
        let bytes = destination.wrapping_sub(self.shared.memory.bus().0);
        // Until the channel has loaded the ring's block, DEST_AD is what it was.
        let is_in_ring = bytes as usize <= RING_BYTES;
        Ok(Place {
            bytes: if is_in_ring { bytes } else { 0 },
            at_us,
            within_us: (at_us - before_us) as u32 + 1,
        })
    }

    fn memory(&mut self) -> &mut DmaBuf {
        &mut self.shared.memory
    }
}
