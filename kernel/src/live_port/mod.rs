//! The port of live inputs: I2S or a parallel ADC, one at a time, in front of one ring.
//!
//! Both share a DMA channel, the ring, the clock manager and pins: GPIO 18 to 21 are PCM's or SMI's
//! upper data pins.

mod i2s;
mod parallel;

use qpu::job::BusAddr;

use i2s::I2s;
use parallel::Parallel;

use crate::board::Revision;
use crate::clock_manager::ClockManager;
use crate::dma::{self, BLOCK_WORDS, Channel, Request};
use crate::dma_buf::{DmaBuf, LINE_BYTES};
use crate::gpio::Gpio;
use crate::instrument::capture::{Place, Port, PortError, RING_BYTES, Wiring};
use crate::pcm::{self, Pcm};
use crate::smi::Smi;
use crate::timer::Clock;

/// The time for which pins are listened to: more than two frames at 8000 a second.
const LISTEN_US: u64 = 300;

/// What a line of the memory for DMA's control has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Line {
    /// The block that leaves words out.
    Skip,
    /// The block of the first turn of the ring.
    First,
    /// The block of all others.
    Ring,
    /// A word that nobody reads.
    Unread,
}

/// Bytes of the memory for DMA's control.
pub const CONTROL_BYTES: usize = (Line::Unread as usize + 1) * LINE_BYTES;

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
    /// DMA's control, of [`CONTROL_BYTES`].
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

    /// The address of a line of DMA's control.
    fn line(&self, line: Line) -> BusAddr {
        BusAddr(self.control.bus().0 + (line as usize * LINE_BYTES) as u32)
    }

    /// Puts a control block into its line; returns its address.
    fn put_block(&mut self, line: Line, block: &[u32; BLOCK_WORDS]) -> BusAddr {
        let written = self.control.write(line as usize * LINE_BYTES / 4, block);
        debug_assert!(written, "control blocks fit");
        self.line(line)
    }

    /// Makes the control blocks that fill the ring, from byte `at` on; returns the first.
    fn fill_ring(&mut self, request: Request, fifo: BusAddr, at: u32) -> BusAddr {
        let (ring, to) = (self.line(Line::Ring), self.memory.bus());
        let bytes = RING_BYTES as u32;
        self.put_block(Line::Ring, &dma::fill_block(ring, request, fifo, to, bytes));
        let from = BusAddr(to.0 + at);
        let first = dma::fill_block(ring, request, fifo, from, bytes - at);
        self.put_block(Line::First, &first)
    }
}

/// The inputs, and the drivers that they share.
pub struct LivePort {
    shared: Shared,
    i2s: I2s,
    parallel: Parallel,
    /// The input that is open.
    open: Option<Wiring>,
    /// The byte of the ring at which it began.
    began_at: u32,
    /// DMA's place has not been in what it fills since then.
    is_fresh: bool,
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
            began_at: 0,
            is_fresh: false,
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
        (self.began_at, self.is_fresh) = (0, true);
        Ok(())
    }

    fn begin_again(&mut self, at: u32) -> Result<(), PortError> {
        let shared = &mut self.shared;
        (self.began_at, self.is_fresh) = (at, true);
        match self.open {
            Some(Wiring::I2s(slots)) => self.i2s.begin_again(shared, slots, at),
            Some(Wiring::Smi { cycles }) => self.parallel.begin_again(shared, cycles, at),
            None => Ok(()),
        }
    }

    fn held_words(&self) -> u32 {
        match self.open {
            Some(Wiring::Smi { .. }) => self.parallel.held_words(),
            _ => pcm::FIFO_WORDS + dma::HELD_WORDS,
        }
    }

    fn smi_fifo_words(&self) -> Option<u32> {
        self.parallel.fifo_words()
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
        let is_overrun = match self.open {
            Some(Wiring::Smi { .. }) => self.parallel.is_disturbed(at_us)?,
            _ => self.i2s.pcm.has_overrun(),
        };
        let bytes = destination.wrapping_sub(self.shared.memory.bus().0);
        // Words that are left out go elsewhere. Before the channel has loaded its block, the place
        // may be that of the last one, which is behind.
        let ring = RING_BYTES as u32;
        let is_behind = bytes.wrapping_sub(self.began_at) & (ring - 1) >= ring / 2;
        let is_in_ring = bytes <= ring && !(self.is_fresh && is_behind);
        self.is_fresh &= !is_in_ring;
        Ok(Place {
            bytes: if is_in_ring { bytes } else { self.began_at },
            at_us,
            within_us: (at_us - before_us) as u32 + 1,
            is_overrun,
        })
    }

    fn memory(&mut self) -> &mut DmaBuf {
        &mut self.shared.memory
    }
}
