//! Sources of samples: what they say of themselves, and the generator.
//!
//! A source says what its samples are ([`Signal`]), hands them to the analyser when that wants
//! some, and says when it will have more. A live source does not wait: when a record is finished
//! while the one before is still being sent, its record is dropped. An upload waits instead.

use dsp::Complex;
use dsp::generator::{self, RATE_HZ};
use wire::{Domain, Rate, SampleFormat, Source, State};

use super::board::{SECOND_US, Stage};
use crate::engine::samples::Coding;

/// Samples made or copied in one step.
pub(super) const SAMPLE_BUDGET: usize = 2048;

/// The samples of a source.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Signal {
    pub source: Source,
    pub coding: Coding,
    pub rate: Rate,
    /// The true rate is not further away than this; 0: it is exact.
    pub rate_within_hz: f64,
    /// The stream number of its records.
    pub stream: u16,
}

impl Signal {
    /// Reports if its samples lie in the ring of a capture.
    pub(super) const fn is_captured(&self) -> bool {
        match self.source {
            Source::Generator | Source::Upload => false,
            Source::I2s | Source::Smi => true,
        }
    }

    /// Reports if the source cannot wait.
    pub(super) const fn is_live(&self) -> bool {
        !matches!(self.source, Source::Upload)
    }

    /// The instrument's state while this source has a stream.
    pub(super) const fn state(&self) -> State {
        match self.source {
            Source::Generator | Source::I2s | Source::Smi => State::Streaming,
            Source::Upload => State::Uploading,
        }
    }

    /// The firmware's stage while its samples are transformed.
    pub(super) const fn stage(&self) -> Stage {
        match self.source {
            Source::Generator | Source::I2s | Source::Smi => Stage::Streaming,
            Source::Upload => Stage::Uploading,
        }
    }
}

/// The generator in real time.
///
/// It never leaves samples out: on a machine that is too slow it falls behind, so that a record
/// with the same number has the same samples everywhere.
pub(super) struct Generator {
    samples: generator::Generator,
    domain: Domain,
    /// The time of sample 0.
    epoch_us: u64,
}

impl Generator {
    pub(super) const fn new(domain: Domain, now_us: u64) -> Self {
        Self {
            samples: generator::Generator::new(),
            domain,
            epoch_us: now_us,
        }
    }

    /// Real or complex samples at the generator's rate.
    pub(super) fn signal(&self, stream: u16) -> Signal {
        Signal {
            source: Source::Generator,
            coding: Coding::new(SampleFormat::F32, self.domain),
            rate: Rate::hz(RATE_HZ),
            rate_within_hz: 0.0,
            stream,
        }
    }

    /// Makes the samples from number `next` on that are due, at most as many as are wanted; reports
    /// if there were any.
    pub(super) fn feed(
        &mut self,
        next: u64,
        wants: usize,
        now_us: u64,
        mut take: impl FnMut(Complex<f32>),
    ) -> bool {
        let due = now_us.saturating_sub(self.epoch_us) * RATE_HZ / SECOND_US;
        if due > next + RATE_HZ {
            // A second behind: be late rather than leave samples out, so that every record of a
            // run is the same everywhere, however slow the machine.
            self.epoch_us = now_us - next * SECOND_US / RATE_HZ;
        }
        let ready = due.saturating_sub(next).min(wants as u64);
        let count = (ready as usize).min(SAMPLE_BUDGET);
        for _ in 0..count {
            take(match self.domain {
                Domain::Real => Complex::new(self.samples.real(), 0.0),
                Domain::Complex => self.samples.complex(),
            });
        }
        count > 0
    }

    /// When sample `number` is due.
    pub(super) fn due_us(&self, number: u64) -> u64 {
        self.epoch_us + (number * SECOND_US).div_ceil(RATE_HZ)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The samples that are handed on at a time, by a generator that began at 0.
    fn fed(generator: &mut Generator, next: u64, wants: usize, now_us: u64) -> Vec<f32> {
        let mut samples = Vec::new();
        let any = generator.feed(next, wants, now_us, |sample| samples.push(sample.re));
        assert_eq!(any, !samples.is_empty());
        samples
    }

    #[test]
    fn samples_come_when_they_are_due_and_wanted() {
        let mut generator = Generator::new(Domain::Real, 0);
        assert_eq!(fed(&mut generator, 0, 100, 0), []);
        let at_us = generator.due_us(10);
        assert_eq!(fed(&mut generator, 0, 100, at_us - 1).len(), 9);
        assert_eq!(fed(&mut generator, 9, 100, at_us).len(), 1);
        assert_eq!(fed(&mut generator, 10, 3, SECOND_US / 2).len(), 3);
        assert_eq!(
            fed(&mut generator, 13, usize::MAX, SECOND_US / 2).len(),
            SAMPLE_BUDGET
        );
    }

    #[test]
    fn a_slow_machine_falls_behind_and_leaves_nothing_out() {
        let mut late = Generator::new(Domain::Real, 0);
        let samples = fed(&mut late, 0, 4, 10 * SECOND_US);
        let mut punctual = Generator::new(Domain::Real, 0);
        assert_eq!(samples, fed(&mut punctual, 0, 4, SECOND_US));
        assert_eq!(late.due_us(0), 10 * SECOND_US);
    }
}
