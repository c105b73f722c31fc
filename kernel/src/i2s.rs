//! The I2S input: PCM, its clock, its pins and a DMA channel as one port.
//!
//! Two outputs must not drive one wire. So before the board drives a clock it listens to the pins,
//! and refuses when they carry one; and before it hears one it looks if there is one.
//!
//! Simulated, not yet run on hardware.

use crate::board::PcmPins;
use crate::clock_manager::ClockManager;
use crate::dma::{self, Channel, Request};
use crate::dma_buf::DmaBuf;
use crate::gpio::Gpio;
use crate::instrument::capture::{Place, Port, PortError, RING_BYTES, Wiring};
use crate::pcm::{self, Pcm, Slots};
use crate::timer::Clock;

/// The time for which pins are listened to: more than two frames at 8000 a second.
const LISTEN_US: u64 = 300;

/// The drivers of the input.
pub struct I2s {
    /// The generators of bit clock and frame clock.
    pub clocks: ClockManager,
    /// The block.
    pub pcm: Pcm,
    /// The pins.
    pub gpio: Gpio,
    /// Where the board has them.
    pub pins: Option<PcmPins>,
    /// A channel of the ARM's.
    pub dma: Option<Channel>,
    /// The time.
    pub clock: Clock,
    /// The ring and its tail.
    pub memory: DmaBuf,
    /// The control block.
    pub control: DmaBuf,
}

impl I2s {
    /// Listens to the pins: those of GPIO 0 to 31 that changed.
    fn listen(&self) -> u32 {
        let first = self.gpio.levels();
        let mut changed = 0;
        self.clock.wait_for(LISTEN_US, || {
            changed |= self.gpio.levels() ^ first;
            false
        });
        changed
    }

    /// Refuses clocks that are there and should not be, or the other way round.
    fn check_clocks(&self, pins: PcmPins, is_master: bool) -> Result<(), PortError> {
        let pin = pins.bit_clock();
        let changed = self.listen();
        let changes = |pin: u8| changed >> pin & 1 != 0;
        match (changes(pin), changes(pin + 1)) {
            (true, _) if is_master => Err(PortError::Driven { pin }),
            (_, true) if is_master => Err(PortError::Driven { pin: pin + 1 }),
            (false, _) if !is_master => Err(PortError::NoClock { pin }),
            (_, false) if !is_master => Err(PortError::NoFrames { pin: pin + 1 }),
            _ => Ok(()),
        }
    }

    /// Starts all but DMA.
    fn start(&mut self, wiring: &Wiring, pins: PcmPins) -> Result<(), PortError> {
        let slots = Slots {
            left: wiring.left,
            right: wiring.right,
        };
        if let Some(divisor) = wiring.divisor {
            let started = self.clocks.start_gp0();
            started
                .and_then(|()| self.clocks.start_pcm(divisor))
                .map_err(|_| PortError::NoGenerator)?;
            self.gpio.route_gp0();
        }
        let is_master = wiring.divisor.is_some();
        self.pcm.set_up(slots, is_master);
        self.gpio.route_pcm(pins);
        let ready = self.pcm.clear(is_master);
        ready.map_err(|_| PortError::NoBlock)
    }
}

impl Port for I2s {
    fn open(&mut self, wiring: &Wiring) -> Result<(), PortError> {
        self.close();
        let pins = self.pins.ok_or(PortError::NoPins)?;
        if self.dma.is_none() {
            return Err(PortError::NoDma);
        }
        self.check_clocks(pins, wiring.divisor.is_some())?;
        if let Err(error) = self.start(wiring, pins) {
            self.close();
            return Err(error);
        }
        let (itself, to) = (self.control.bus(), self.memory.bus());
        let bytes = RING_BYTES as u32;
        let block = dma::ring_block(itself, Request::PcmRx, pcm::FIFO, to, bytes);
        let written = self.control.write(0, &block);
        debug_assert!(written, "a control block fits");
        if let Some(channel) = &mut self.dma {
            channel.start(itself);
        }
        self.pcm.receive();
        Ok(())
    }

    fn close(&mut self) {
        self.pcm.stop();
        if let Some(channel) = &mut self.dma {
            channel.stop();
        }
        self.clocks.stop();
        if let Some(pins) = self.pins {
            self.gpio.release_pcm(pins);
        }
    }

    fn place(&mut self) -> Result<Place, PortError> {
        let channel = self.dma.as_ref().ok_or(PortError::NoDma)?;
        let before_us = self.clock.now_us();
        let destination = channel.destination();
        let at_us = self.clock.now_us();
        let destination = destination.map_err(|failed| PortError::Dma(failed.debug))?;
        if self.pcm.has_overrun() {
            return Err(PortError::Overrun);
        }
        let bytes = destination.wrapping_sub(self.memory.bus().0);
        // Until the channel has loaded its block, DEST_AD is what it was.
        let is_in_ring = bytes as usize <= RING_BYTES;
        Ok(Place {
            bytes: if is_in_ring { bytes } else { 0 },
            at_us,
            within_us: (at_us - before_us) as u32 + 1,
        })
    }

    fn memory(&mut self) -> &mut DmaBuf {
        &mut self.memory
    }
}

/// Words of the memory of a control block.
pub const CONTROL_BYTES: usize = 4 * dma::BLOCK_WORDS;
