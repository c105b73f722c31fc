//! Power spectra of the QPUs: conversion, window, transform, |X|² and sums on V3D.
//!
//! The ARM copies samples in as they came, and sums out. Samples that blocks share are copied once, unless blocks
//! begin inside words, which the QPUs cannot read; then each block is copied by itself. A plan keeps its window and
//! is made for one kind of spectra; a record of so many blocks and what is left of an upload are two
//! kinds, so two plans are kept.

use dsp::Window;
use dsp::spectrum::Domain;
use qpu::fft::bins::power::Powers;
use qpu::fft::request::{Error, Request, Transform};
use qpu::fft::samples::Format;
use qpu::fft::{Direction, Plan};
use qpu::job::Runner;
use wire::SampleFormat;

use super::samples::{Coding, word_at};
use super::{Spectra, Timing};

/// Numbers that are copied at a time.
const CHUNK: usize = 64;

/// Whether there are plans for such spectra: a transform of half the length is the shortest, and all samples
/// are no more than the longest block has.
pub fn is_there(spectra: &Spectra) -> bool {
    let most = 1u64 << super::qpu::MAX_LOG2;
    (5..=super::qpu::MAX_LOG2).contains(&spectra.log2n)
        && spectra.blocks >= 1
        && u64::from(spectra.blocks) << spectra.log2n <= most
}

/// What the plan for such spectra is made from.
#[must_use]
pub fn request(spectra: &Spectra) -> Request {
    let Coding { format, domain } = spectra.coding;
    let is_real = domain == Domain::Real;
    let powers = Powers::new(is_real, spectra.log2n, spectra.blocks);
    let mut request = Request::of(Transform::Powers(powers), 1);
    request.samples = match format {
        SampleFormat::U8 => Format::U8,
        SampleFormat::I16 => Format::I16,
        SampleFormat::F32 => Format::F32,
    };
    let hop_bytes = spectra.hop * spectra.coding.bytes();
    request.hop = hop_bytes.is_multiple_of(4).then_some(spectra.hop as u32);
    request.windowed = spectra.window != Window::Rectangular;
    request
}

/// Spectra and the plan for them.
#[derive(Clone, Debug)]
pub struct PowerPlan {
    spectra: Spectra,
    plan: Plan,
}

impl PowerPlan {
    /// The plan for `spectra`; `window` has a coefficient for each point of a block.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn new<R: Runner>(
        spectra: &Spectra,
        window: &[f32],
        runner: &mut R,
    ) -> Result<Self, Error<R::Error>> {
        let request = request(spectra);
        let mut plan = Plan::with_buffers(qpu_programs::FFT, &request, runner)?;
        if request.windowed {
            let coefficient = |n: u32| window.get(n as usize).copied().unwrap_or_default();
            plan.set_window(runner, |n| coefficient(n).into())?;
        }
        Ok(Self {
            spectra: *spectra,
            plan,
        })
    }

    /// Whether it is for these.
    #[must_use]
    pub fn is_for(&self, spectra: &Spectra) -> bool {
        self.spectra == *spectra
    }

    /// Adds the power of all blocks of `samples` to `sums`; nothing on an error.
    ///
    /// # Errors
    /// As [`Plan::run`].
    pub fn add<R: Runner>(
        &mut self,
        runner: &mut R,
        samples: &[u32],
        sums: &mut [f64],
        limit_us: u32,
    ) -> Result<Timing, Error<R::Error>> {
        self.write(runner, samples)?;
        let report = self.plan.run(runner, Direction::Forward, limit_us)?;
        self.read(runner, sums)?;
        Ok(Timing {
            qpu_us: report.elapsed_us,
            cpu_us: 0,
        })
    }

    /// Writes the samples of all blocks.
    fn write<R: Runner>(&self, runner: &mut R, samples: &[u32]) -> Result<(), R::Error> {
        let Spectra { coding, .. } = self.spectra;
        let input = self.plan.input();
        if self.plan.request().hop.is_some() {
            let words = coding.words(self.spectra.samples());
            return runner.write(input, 0, &samples[..words.min(samples.len())]);
        }
        let block_words = coding.words(self.spectra.points());
        let mut words = [0; CHUNK];
        for block in 0..self.spectra.blocks as usize {
            let start = block * self.spectra.hop * coding.bytes();
            for first in (0..block_words).step_by(CHUNK) {
                let words = &mut words[..CHUNK.min(block_words - first)];
                for (index, word) in (first..).zip(&mut *words) {
                    *word = word_at(samples, start + 4 * index);
                }
                runner.write(input, (block * block_words + first) as u32, words)?;
            }
        }
        Ok(())
    }

    /// Powers are means over the blocks, in the order of `sums`; of real samples bin 0 and the last have half.
    fn read<R: Runner>(&self, runner: &mut R, sums: &mut [f64]) -> Result<(), R::Error> {
        let blocks = f64::from(self.spectra.blocks);
        let ends = match self.spectra.coding.domain {
            Domain::Real => Some(self.spectra.points() / 2),
            Domain::Complex => None,
        };
        let mut words = [0; CHUNK];
        for (number, sums) in sums.chunks_mut(CHUNK).enumerate() {
            let first = number * CHUNK;
            let words = &mut words[..sums.len()];
            runner.read(self.plan.output(), first as u32, words)?;
            for (bin, (sum, &word)) in (first..).zip(sums.iter_mut().zip(&*words)) {
                let is_end = ends.is_some_and(|last| bin == 0 || bin == last);
                let factor = if is_end { 2.0 * blocks } else { blocks };
                *sum += factor * f64::from(f32::from_bits(word));
            }
        }
        Ok(())
    }
}
