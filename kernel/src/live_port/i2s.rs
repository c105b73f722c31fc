//! The I2S input: PCM, its clock, its pins and a DMA channel.
//!
//! Two outputs must not drive one wire. So before the board drives a clock it listens to the pins,
//! and refuses when they carry one; and before it hears one it looks if there is one. Both clock
//! pins are pulled down first: a wire that floats beside others looks like a clock.
//!
//! Simulated, not yet run on hardware.

use qpu::job::BusAddr;

use super::Shared;
use crate::board::PcmPins;
use crate::dma::Request;
use crate::instrument::capture::{PortError, Slots};
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
        self.receive(shared, 0);
        Ok(())
    }

    /// Begins again with a whole frame, at byte `at` of the ring. Clocks and pins stay as they are:
    /// a microphone without a clock would be silent for a second afterwards.
    pub(super) fn begin_again(
        &mut self,
        shared: &mut Shared,
        slots: Slots,
        at: u32,
    ) -> Result<(), PortError> {
        if let Some(channel) = &mut shared.dma {
            channel.stop();
        }
        self.pcm.pause();
        let cleared = self.pcm.clear(slots.divisor.is_some());
        cleared.map_err(|_| PortError::NoBlock)?;
        self.receive(shared, at);
        Ok(())
    }

    /// Starts DMA at byte `at` of the ring, and lets words come.
    fn receive(&mut self, shared: &mut Shared, at: u32) {
        let first = shared.fill_ring(Request::PcmRx, pcm::FIFO, at);
        let to = BusAddr(shared.memory.bus().0 + at);
        if let Some(channel) = &mut shared.dma {
            channel.start(first, Request::PcmRx, to);
        }
        self.pcm.receive();
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
fn check_clocks(shared: &mut Shared, pins: PcmPins, is_master: bool) -> Result<(), PortError> {
    let pin = pins.bit_clock();
    shared.gpio.pull_pcm_clocks(pins);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock_manager::ClockManager;
    use crate::dma_buf::DmaBuf;
    use crate::gpio::Gpio;
    use crate::mmio::fake;
    use crate::timer::fake::{clock, watched};

    /// A board whose clock pins float: their levels change, unless they are pulled down.
    fn floating() -> Shared {
        let (registers, words) = fake::zeros();
        let (mut noise, mut pulled) = (0, 0);
        let time = watched(move || {
            if words.at(0x94) == 0b01 {
                pulled |= words.at(0x98);
            }
            noise = !noise;
            words.set(0x34, noise & !pulled);
        });
        Shared {
            clocks: ClockManager::new(fake::zeros().0, clock()),
            gpio: Gpio::new(registers, time),
            dma: None,
            clock: time,
            memory: DmaBuf::fake(16),
            control: DmaBuf::fake(16),
        }
    }

    #[test]
    fn wires_that_float_are_no_clocks() {
        for pins in [PcmPins::Header, PcmPins::P5] {
            // A level that changes twice between two looks seems not to change.
            let hears = |_| floating().listen() >> pins.bit_clock() & 0b11 != 0;
            assert!((0..20).any(hears), "{pins:?}");
            let checked = check_clocks(&mut floating(), pins, true);
            assert!(checked.is_ok(), "{pins:?}: {checked:?}");
            let checked = check_clocks(&mut floating(), pins, false);
            let pin = pins.bit_clock();
            assert!(matches!(checked, Err(PortError::NoClock { pin: named }) if named == pin));
        }
    }
}
