//! A parallel ADC: an AD9226 module whose upper eight bits are wired to SD8 to SD15.
//!
//! It samples on the rising edge of its clock, which is SOE, and puts a sample out seven cycles
//! later, as offset binary of 12 bits. Its outputs always drive. The low four bits are not wired:
//! their pins are the UART's.
//!
//! Source: datasheet of the AD9226 (Analog Devices, Rev. B): 65 MS/s, data latency of seven clock
//! cycles, straight binary with DFS low.

use std::collections::VecDeque;

use super::signal::Signal;

/// GPIO of the lowest wire, SD8; seven follow.
pub const FIRST_PIN: u32 = 16;
/// Wires of data.
pub const WIRES: u32 = 8;
/// Cycles from a sample to its code on the outputs.
const LATENCY: usize = 7;

/// Faults of the wiring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ParallelWiring {
    /// Every wire is where it should be.
    #[default]
    Right,
    /// The wire of the clock is off: the outputs stay as they are.
    NoClock,
    /// All data wires are stuck at this level.
    Stuck(bool),
    /// One data wire is off, 0 for the lowest; the Pi's pull-down holds it at 0.
    WireOff(u32),
    /// Nothing is there.
    Absent,
}

/// An ADC on the data pins of the SMI block.
#[derive(Clone, Debug, PartialEq)]
pub struct ParallelPart {
    /// Faults of its wires.
    pub wiring: ParallelWiring,
    /// The signal that it measures: its left channel. A count is one of eight bits.
    pub signal: Signal,
}

impl ParallelPart {
    /// A part that is wired as it should be.
    pub fn new(signal: Signal) -> Self {
        Self {
            wiring: ParallelWiring::Right,
            signal,
        }
    }

    /// The upper eight bits of the code of sample `index` at `rate_hz`.
    pub fn code(&self, index: u64, rate_hz: f64) -> u8 {
        if self.signal == Signal::Count {
            return index as u8;
        }
        let [left, _] = self.signal.sample(index, rate_hz);
        // To the nearest of 12 bits' codes; the wires take the upper eight bits. Full scale fills
        // the scale of those eight: 127.5 of their steps.
        let code = ((i64::from(left) * 2040 + (1 << 30)) >> 31) + 2048;
        (code >> 4) as u8
    }
}

/// The ADC at work: the samples that are on their way through it.
#[derive(Clone, Debug, Default)]
pub struct ParallelAdc {
    part: Option<ParallelPart>,
    /// Codes behind the one on the outputs.
    pipeline: VecDeque<u8>,
    output: u8,
}

impl ParallelAdc {
    /// The part, which was just switched on, or none.
    pub fn new(part: Option<ParallelPart>) -> Self {
        Self {
            part,
            pipeline: VecDeque::from([0; LATENCY]),
            output: 0,
        }
    }

    /// Changes its wires.
    pub fn set_wiring(&mut self, wiring: ParallelWiring) {
        if let Some(part) = &mut self.part {
            part.wiring = wiring;
        }
    }

    /// The levels of the data wires, the lowest in bit 0; a wire that nothing drives is 0.
    pub fn levels(&self) -> u8 {
        match self.part.as_ref().map(|part| part.wiring) {
            None | Some(ParallelWiring::Absent | ParallelWiring::Stuck(false)) => 0,
            Some(ParallelWiring::Stuck(true)) => 0xff,
            Some(ParallelWiring::WireOff(wire)) => self.output & !(1 << (wire % WIRES)),
            Some(_) => self.output,
        }
    }

    /// The data wires that it drives, the lowest in bit 0.
    pub fn driven(&self) -> u8 {
        match self.part.as_ref().map(|part| part.wiring) {
            None | Some(ParallelWiring::Absent) => 0,
            Some(ParallelWiring::WireOff(wire)) => !(1 << (wire % WIRES)),
            Some(_) => 0xff,
        }
    }

    /// A rising edge of the board's clock, at which it takes sample `index`.
    pub fn clock(&mut self, index: u64, rate_hz: f64) {
        let Some(part) = &self.part else { return };
        if part.wiring == ParallelWiring::NoClock {
            return;
        }
        self.pipeline.push_back(part.code(index, rate_hz));
        self.output = self.pipeline.pop_front().unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_comes_out_seven_cycles_later() {
        let mut adc = ParallelAdc::new(Some(ParallelPart::new(Signal::Count)));
        for index in 0..300 {
            adc.clock(index, 1.0);
            let wanted = index.saturating_sub(7) as u8;
            assert_eq!(adc.levels(), wanted);
        }
    }

    #[test]
    fn codes_are_offset_binary() {
        let bytes: Vec<u8> = (0..=255).collect();
        let part = ParallelPart::new(Signal::raw_u8(&bytes).unwrap());
        for (index, byte) in bytes.iter().enumerate() {
            assert_eq!(part.code(index as u64, 1.0), *byte);
        }
        assert_eq!(ParallelPart::new(Signal::Silence).code(0, 1.0), 0x80);
    }

    #[test]
    fn wires_can_be_wrong() {
        let mut adc = ParallelAdc::new(Some(ParallelPart::new(
            Signal::raw_u8(&[0xff, 0xff, 0xff]).unwrap(),
        )));
        for index in 0..8 {
            adc.clock(index, 1.0);
        }
        for (wiring, levels) in [
            (ParallelWiring::Right, 0xff),
            (ParallelWiring::WireOff(7), 0x7f),
            (ParallelWiring::Stuck(false), 0),
            (ParallelWiring::Stuck(true), 0xff),
            (ParallelWiring::Absent, 0),
        ] {
            adc.set_wiring(wiring);
            assert_eq!(adc.levels(), levels, "{wiring:?}");
        }
    }
}
