//! The parallel input: SMI, its clock, its pins and a DMA channel.
//!
//! An ADC of eight bits lies on SD8 to SD15, so that the UART keeps GPIO 14 and 15, and takes its
//! clock from SOE. What SMI does with its data pins between transfers is not documented. So it gets
//! them when reads are under way and loses them before reads end (as in iosoft's program), and what
//! was read meanwhile is left out: DMA writes it to a word that nobody reads.
//!
//! Simulated, not yet run on hardware.

use super::{Line, Shared};
use crate::dma::{self, Request};
use crate::gpio::SOE_PIN;
use crate::instrument::capture::PortError;
use crate::smi::{self, Defect, Smi};

/// Bytes of reads that are left out at the start: 2048 samples, 102 us at 20 MS/s. Pins get their
/// functions meanwhile. iosoft leaves out 24 samples; the pipeline of an AD9226 has 7.
const SKIP_BYTES: u32 = 4096;

/// The time after which the transfer is given a new length: a small part of 214 s, and less often
/// than AVDecoder did it without losing samples.
const READ_ON_US: u64 = 100_000;

/// The words that SMI's FIFO may hold at the least: twice the level at which iosoft's programs let
/// DMA hurry.
const LEAST_WORDS: u32 = 16;

/// The input.
pub(super) struct Parallel {
    smi: Smi,
    has_pins: bool,
    /// When the transfer last got its length.
    read_on_us: u64,
}

impl Parallel {
    pub(super) const fn new(smi: Smi, has_pins: bool) -> Self {
        Self {
            smi,
            has_pins,
            read_on_us: 0,
        }
    }

    /// Begins to fill the ring, with a sample every `cycles` cycles of SMI's clock.
    pub(super) fn open(&mut self, shared: &mut Shared, cycles: u32) -> Result<(), PortError> {
        if !self.has_pins {
            return Err(PortError::NoSmiPins);
        }
        if shared.dma.is_none() {
            return Err(PortError::NoDma);
        }
        shared.gpio.pull_smi_strobe();
        if shared.listen() >> SOE_PIN & 1 != 0 {
            return Err(PortError::SmiDriven);
        }
        let started = self.start(shared, cycles, 0);
        if started.is_err() {
            self.close(shared);
        }
        started
    }

    /// Begins anew at byte `at` of the ring.
    pub(super) fn begin_again(
        &mut self,
        shared: &mut Shared,
        cycles: u32,
        at: u32,
    ) -> Result<(), PortError> {
        self.close(shared);
        self.start(shared, cycles, at)
    }

    fn start(&mut self, shared: &mut Shared, cycles: u32, at: u32) -> Result<(), PortError> {
        let clock = shared.clocks.start_smi();
        clock.map_err(|_| PortError::NoGenerator)?;
        self.smi.set_up(cycles).map_err(|_| PortError::NoSmi)?;
        let first_of_ring = shared.fill_ring(Request::Smi, smi::FIFO, at);
        let unread = shared.line(Line::Unread);
        let skip = dma::skip_block(first_of_ring, Request::Smi, smi::FIFO, unread, SKIP_BYTES);
        let first = shared.put_block(Line::Skip, &skip);
        shared.gpio.route_smi_strobe();
        if let Some(channel) = &mut shared.dma {
            channel.start(first, Request::Smi, unread);
        }
        self.smi.read_on();
        shared.gpio.route_smi_data();
        self.read_on_us = shared.clock.now_us();
        Ok(())
    }

    /// Stops.
    pub(super) fn close(&mut self, shared: &mut Shared) {
        shared.gpio.release_smi();
        self.smi.stop();
        if let Some(channel) = &mut shared.dma {
            channel.stop();
        }
        shared.clocks.stop_smi();
    }

    /// Words that may have been read and are not in memory.
    pub(super) fn held_words(&self) -> u32 {
        // A count that is too small would make losses of words that wait.
        let words = self.smi.fifo_words().unwrap_or(smi::MOST_WORDS);
        words.max(LEAST_WORDS) + dma::HELD_WORDS
    }

    /// The words of SMI's FIFO, where they have been counted.
    pub(super) const fn fifo_words(&self) -> Option<u32> {
        self.smi.fifo_words()
    }

    /// Reports if reads were disturbed, and sees to it that they go on.
    ///
    /// # Errors
    /// When they have ended.
    pub(super) fn is_disturbed(&mut self, now_us: u64) -> Result<bool, PortError> {
        match self.smi.check() {
            Ok(()) => {}
            Err(Defect::Disturbed) => return Ok(true),
            Err(Defect::Ended) => return Err(PortError::Ended),
        }
        if now_us >= self.read_on_us + READ_ON_US {
            self.smi.read_on();
            self.read_on_us = now_us;
        }
        Ok(false)
    }
}
