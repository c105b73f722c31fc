//! The I2S input: PCM, its clock, its pins and a DMA channel.
//!
//! Two outputs must not drive one wire. So before the board drives a clock it listens to the pins,
//! and refuses when they carry one; and before it hears one it looks if there is one.
//!
//! Simulated, not yet run on hardware.

use super::Shared;
use crate::board::PcmPins;
use crate::dma::{self, Request};
use crate::instrument::capture::{PortError, RING_BYTES, Slots};
use crate::pcm::{self, Pcm};

/// The input.
pub(super) struct I2s {
    pub pcm: Pcm,
    /// The place of its pins, if the board has them.
    pins: Option<PcmPins>,
}

impl I2s {
    pub(super) const fn new(pcm: Pcm, pins: Option<PcmPins>) -> Self {
        Self { pcm, pins }
    }

    /// Begins to fill the ring.
    pub(super) fn open(&mut self, shared: &mut Shared, slots: Slots) -> Result<(), PortError> {
        let pins = self.pins.ok_or(PortError::NoPins)?;
        if shared.dma.is_none() {
            return Err(PortError::NoDma);
        }
        check_clocks(shared, pins, slots.divisor.is_some())?;
        if let Err(error) = self.start(shared, slots, pins) {
            self.close(shared);
            return Err(error);
        }
        let (itself, to) = (shared.control.bus(), shared.memory.bus());
        let bytes = RING_BYTES as u32;
        let block = dma::ring_block(itself, Request::PcmRx, pcm::FIFO, to, bytes);
        let written = shared.control.write(0, &block);
        debug_assert!(written, "a control block fits");
        if let Some(channel) = &mut shared.dma {
            channel.start(itself);
        }
        self.pcm.receive();
        Ok(())
    }

    /// Starts all but DMA.
    fn start(&mut self, shared: &mut Shared, slots: Slots, pins: PcmPins) -> Result<(), PortError> {
        if let Some(divisor) = slots.divisor {
            let started = shared.clocks.start_gp0();
            started
                .and_then(|()| shared.clocks.start_pcm(divisor))
                .map_err(|_| PortError::NoGenerator)?;
            shared.gpio.route_gp0();
        }
        let is_master = slots.divisor.is_some();
        self.pcm.set_up([slots.left, slots.right], is_master);
        shared.gpio.route_pcm(pins);
        let ready = self.pcm.clear(is_master);
        ready.map_err(|_| PortError::NoBlock)
    }

    /// Stops.
    pub(super) fn close(&mut self, shared: &mut Shared) {
        self.pcm.stop();
        if let Some(channel) = &mut shared.dma {
            channel.stop();
        }
        shared.clocks.stop();
        if let Some(pins) = self.pins {
            shared.gpio.release_pcm(pins);
        }
    }
}

/// Refuses clocks that are there and should not be, or the other way round.
fn check_clocks(shared: &Shared, pins: PcmPins, is_master: bool) -> Result<(), PortError> {
    let pin = pins.bit_clock();
    let changed = shared.listen();
    let changes = |pin: u8| changed >> pin & 1 != 0;
    match (changes(pin), changes(pin + 1)) {
        (true, _) if is_master => Err(PortError::Driven { pin }),
        (_, true) if is_master => Err(PortError::Driven { pin: pin + 1 }),
        (false, _) if !is_master => Err(PortError::NoClock { pin }),
        (_, false) if !is_master => Err(PortError::NoFrames { pin: pin + 1 }),
        _ => Ok(()),
    }
}
