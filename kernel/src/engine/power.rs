//! Power spectra of the QPUs: transform, |X|² and sums of several blocks on V3D.
//!
//! The ARM multiplies blocks by the window as it copies them in, and copies sums out. A record of so many
//! blocks and what is left of an upload are two kinds of spectra, so two plans are kept.

use dsp::Complex;
use dsp::spectrum::Domain;
use qpu::fft::bins::power::Powers;
use qpu::fft::request::{Error, Request, Transform};
use qpu::fft::{Direction, Plan};
use qpu::job::Runner;

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

/// Spectra and the plan for them.
#[derive(Clone, Debug)]
pub struct PowerPlan {
    spectra: Spectra,
    plan: Plan,
}

impl PowerPlan {
    /// The plan for `spectra`.
    ///
    /// # Errors
    /// As [`Plan::new`].
    pub fn new<R: Runner>(spectra: &Spectra, runner: &mut R) -> Result<Self, Error<R::Error>> {
        let is_real = spectra.domain == Domain::Real;
        let powers = Powers::new(is_real, spectra.log2n, spectra.blocks);
        let request = Request::of(Transform::Powers(powers), 1);
        Ok(Self {
            spectra: *spectra,
            plan: Plan::with_buffers(qpu_programs::FFT, &request, runner)?,
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
        (window, samples): (&[f32], &[Complex<f32>]),
        sums: &mut [f64],
        limit_us: u32,
    ) -> Result<Timing, Error<R::Error>> {
        let mut first = 0;
        for block in 0..self.spectra.blocks as usize {
            let samples = &samples[block * self.spectra.hop..][..self.spectra.points()];
            let block = samples.iter().zip(window).map(|(x, w)| x.scale(*w));
            first = match self.spectra.domain {
                Domain::Real => self.write(runner, first, block.map(|x| [x.re]))?,
                Domain::Complex => self.write(runner, first, block.map(|x| [x.re, x.im]))?,
            };
        }
        let report = self.plan.run(runner, Direction::Forward, limit_us)?;
        self.read(runner, sums)?;
        Ok(Timing {
            qpu_us: report.elapsed_us,
            cpu_us: 0,
        })
    }

    /// Writes numbers from word `first` of the input on; the word behind them.
    fn write<R: Runner, const PARTS: usize>(
        &self,
        runner: &mut R,
        mut first: u32,
        mut points: impl Iterator<Item = [f32; PARTS]>,
    ) -> Result<u32, R::Error> {
        let mut words = [0; CHUNK];
        loop {
            let mut count = 0;
            for (words, point) in words.chunks_exact_mut(PARTS).zip(&mut points) {
                words.copy_from_slice(&point.map(f32::to_bits));
                count += PARTS;
            }
            if count == 0 {
                return Ok(first);
            }
            runner.write(self.plan.input(), first, &words[..count])?;
            first += count as u32;
        }
    }

    /// Powers are means over the blocks, in the order of `sums`; of real samples bin 0 and the last have half.
    fn read<R: Runner>(&self, runner: &mut R, sums: &mut [f64]) -> Result<(), R::Error> {
        let blocks = f64::from(self.spectra.blocks);
        let ends = match self.spectra.domain {
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
