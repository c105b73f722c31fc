//! Proofs: a plan of the QPUs held to the ARM on noise, before its first result is believed.
//!
//! Noise reaches every input, every bin and every code of a sample, and no two runs have the same,
//! so that memory which still holds an older answer does not pass. A plan runs twice: first with
//! code that no cache holds, then with code that all hold, because a race may be lost in one of
//! them only. The error is that of amplitudes, relative to all of them: a single wrong bin of
//! 65,536 is 4,000 parts in a million of it.

use dsp::spectrum::{Domain, accumulate, accumulate_pair, begin, remove_mean};
use dsp::{Complex, Direction, Gain};
use wire::SampleFormat;

use super::cpu::CpuEngine;
use super::{Candidate, EngineError, Fft, Spectra};

/// The largest error that passes, in parts of 10^9. The QPUs truncate: right plans stay below 3,000
/// (simulated).
pub const LIMIT_PPB: u32 = 10_000;
/// Runs of a proof, each with noise of its own.
const RUNS: u32 = 2;
/// Points that are loaded at a time.
const SOME: usize = 64;
/// Points between two pauses.
const PAUSE: usize = 1024;

/// Memory that a proof computes in; each as long as the longest block, or in words, as all samples
/// of the blocks of a record.
pub struct Bench<'a> {
    /// The signal, or what the QPUs made of it.
    pub samples: &'a mut [u32],
    /// The points that are transformed.
    pub work: &'a mut [Complex<f32>],
    /// Powers of the ARM.
    pub wanted: &'a mut [f64],
    /// Powers of the QPUs.
    pub got: &'a mut [f64],
}

/// The result of a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Proof {
    /// Difference from the ARM, in parts of 10^9; what is no number is as wrong as can be.
    pub error_ppb: u32,
    /// Time of the last run on the QPUs, in microseconds.
    pub qpu_us: u32,
}

impl Proof {
    /// Reports if the plan can be believed.
    #[must_use]
    pub const fn is_right(&self) -> bool {
        self.error_ppb <= LIMIT_PPB
    }
}

/// Numbers that look random, the same for the same seed.
struct Noise(u32);

impl Noise {
    fn new(seed: u32) -> Self {
        // No seed may be 0, and neighbours are to have little in common.
        Self(seed.wrapping_mul(0x9e37_79b9) | 1)
    }

    fn word(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// From -1 to below 1.
    fn number(&mut self) -> f32 {
        (self.word() >> 8) as f32 / 8_388_608.0 - 1.0
    }
}

/// Differences of amplitudes from what is wanted, bin by bin.
#[derive(Clone, Copy, Default)]
struct Differences {
    squares: f64,
    power: f64,
}

impl Differences {
    /// Takes the square of a difference, and the power that is wanted.
    fn take(&mut self, square: f64, power: f64) {
        self.squares += square;
        self.power += power;
    }

    /// Relative to the amplitude of all bins, in parts of 10^9.
    fn ppb(&self) -> u32 {
        ppb(libm::sqrt(self.squares / self.power))
    }

    /// Takes the amplitudes of bins, given powers.
    fn take_powers(&mut self, got: &[f64], wanted: &[f64]) {
        for (got, wanted) in got.iter().zip(wanted) {
            let difference = libm::sqrt(*got) - libm::sqrt(*wanted);
            self.take(difference * difference, *wanted);
        }
    }
}

/// Parts of 10^9. What is no number is as wrong as can be: memory that nobody wrote holds such
/// values.
#[must_use]
pub fn ppb(error: f64) -> u32 {
    if error.is_nan() {
        u32::MAX
    } else {
        (1e9 * error) as u32
    }
}

/// Difference of the amplitudes of bins from the ARM's, given powers: relative to that of all bins,
/// in parts of 10^9.
#[must_use]
pub fn difference_ppb(got: &[f64], wanted: &[f64]) -> u32 {
    let mut all = Differences::default();
    all.take_powers(got, wanted);
    all.ppb()
}

/// Difference of the wanted bins from the ARM's ([`difference_ppb`]), of both detectors where there
/// are two.
#[must_use]
pub fn spectra_ppb(spectra: &Spectra, got: &[f64], wanted: &[f64]) -> u32 {
    let mut all = Differences::default();
    let bins = spectra.coding.domain.bins(spectra.points());
    let [first, end] = spectra.bins;
    for (got, wanted) in got.chunks(bins).zip(wanted.chunks(bins)) {
        let [got, wanted] = [got, wanted].map(|part| part.get(first..end).unwrap_or_default());
        all.take_powers(got, wanted);
    }
    all.ppb()
}

/// Runs a plan on noise and compares it with the ARM. `window` has a coefficient for each point,
/// `gain` is its, `seed` another one for each proof.
///
/// # Errors
/// Those of the QPUs.
pub fn prove(
    qpu: &mut impl Fft,
    cpu: &mut CpuEngine,
    candidate: &Candidate,
    (window, gain): (&[f32], Gain),
    bench: &mut Bench,
    seed: u32,
) -> Result<Proof, EngineError> {
    let mut proof = Proof::default();
    for run in 0..RUNS {
        let mut noise = Noise::new(seed.wrapping_add(run << 16));
        let next = match candidate {
            Candidate::Transform { log2n, manner } => {
                qpu.prepare(*log2n, *manner)?;
                let forward =
                    prove_transform(qpu, cpu, *log2n, Direction::Forward, bench, &mut noise)?;
                let inverse =
                    prove_transform(qpu, cpu, *log2n, Direction::Inverse, bench, &mut noise)?;
                Proof {
                    error_ppb: forward.error_ppb.max(inverse.error_ppb),
                    ..forward
                }
            }
            Candidate::Power(spectra) => {
                prove_power(qpu, cpu, spectra, (window, gain), bench, &mut noise)?
            }
        };
        proof = Proof {
            error_ppb: proof.error_ppb.max(next.error_ppb),
            qpu_us: next.qpu_us,
        };
    }
    Ok(proof)
}

fn prove_transform(
    qpu: &mut impl Fft,
    cpu: &mut CpuEngine,
    log2n: u32,
    direction: Direction,
    bench: &mut Bench,
    noise: &mut Noise,
) -> Result<Proof, EngineError> {
    let points = 1 << log2n;
    let work = bench.work.get_mut(..points).ok_or(EngineError::NoMemory)?;
    let words = bench.samples.get_mut(..2 * points);
    let words = words.ok_or(EngineError::NoMemory)?;
    let begin = noise.0;
    let fill = |noise: &mut Noise, work: &mut [Complex<f32>]| {
        for z in work {
            *z = Complex::new(noise.number(), noise.number());
        }
    };
    fill(noise, work);
    let qpu_us = qpu.transform(direction, work)?;
    for (pair, z) in words.as_chunks_mut().0.iter_mut().zip(&*work) {
        *pair = [z.re.to_bits(), z.im.to_bits()];
    }
    fill(&mut Noise(begin), work);
    cpu.prepare(log2n)?;
    cpu.transform(direction, work)?;
    let mut all = Differences::default();
    for ([re, im], z) in words.as_chunks().0.iter().zip(&*work) {
        let component = |got: u32, wanted: f32| f64::from(f32::from_bits(got)) - f64::from(wanted);
        let difference = Complex::new(component(*re, z.re), component(*im, z.im));
        let wanted = Complex::new(f64::from(z.re), f64::from(z.im));
        all.take(difference.norm_sqr(), wanted.norm_sqr());
    }
    Ok(Proof {
        error_ppb: all.ppb(),
        qpu_us,
    })
}

fn prove_power(
    qpu: &mut impl Fft,
    cpu: &mut CpuEngine,
    spectra: &Spectra,
    (window, gain): (&[f32], Gain),
    bench: &mut Bench,
    noise: &mut Noise,
) -> Result<Proof, EngineError> {
    let Spectra { coding, .. } = *spectra;
    let words = bench.samples.get_mut(..coding.words(spectra.samples()));
    let words = words.ok_or(EngineError::NoMemory)?;
    for word in &mut *words {
        *word = match coding.format {
            SampleFormat::F32 => noise.number().to_bits(),
            SampleFormat::U8
            | SampleFormat::I8
            | SampleFormat::I16
            | SampleFormat::I32
            | SampleFormat::U8High => noise.word(),
        };
    }
    let [got, wanted] =
        [&mut *bench.got, &mut *bench.wanted].map(|all| all.get_mut(..spectra.held()));
    let (got, wanted) = got.zip(wanted).ok_or(EngineError::NoMemory)?;
    begin(spectra.detector, got);
    begin(spectra.detector, wanted);
    let qpu_us = qpu.take_power(spectra, window, words, got)?;
    let mut first = 0;
    let end = spectra.blocks as usize * spectra.hop;
    while first < end {
        let work = &mut *bench.work;
        let is_pair = spectra.coding.domain == Domain::Real && first + spectra.hop < end;
        let block = Block {
            samples: words,
            first,
            is_pair,
        };
        power_by_the_arm(cpu, spectra, (window, gain), block, work, wanted)?;
        first += spectra.hop * (1 + usize::from(is_pair));
    }
    Ok(Proof {
        error_ppb: spectra_ppb(spectra, got, wanted),
        qpu_us,
    })
}

/// A block for the ARM.
#[derive(Clone, Copy)]
pub struct Block<'a> {
    /// Samples, the block's among them.
    pub samples: &'a [u32],
    /// The index of its first sample.
    pub first: usize,
    /// It is two blocks of real samples, the second a hop behind the first.
    pub is_pair: bool,
}

/// Lets `held` take the power of a block, or the powers of a pair, computed by the ARM.
///
/// # Errors
/// When the ARM has no table for the length.
pub fn power_by_the_arm(
    cpu: &mut CpuEngine,
    spectra: &Spectra,
    (window, gain): (&[f32], Gain),
    block: Block,
    work: &mut [Complex<f32>],
    held: &mut [f64],
) -> Result<(), EngineError> {
    let work = work.get_mut(..spectra.points());
    let work = work.ok_or(EngineError::NoMemory)?;
    let Block {
        samples,
        first,
        is_pair,
    } = block;
    spectra.coding.load(samples, first, window, work);
    if is_pair {
        let mut some = [Complex::ZERO; SOME];
        let pieces = window.chunks(SOME).zip(work.chunks_mut(SOME));
        for (ahead, (window, work)) in (spectra.hop..).step_by(SOME).zip(pieces) {
            let some = &mut some[..window.len()];
            spectra.coding.load(samples, first + ahead, window, some);
            for (z, next) in work.iter_mut().zip(some) {
                z.im = next.re;
            }
        }
    }
    if spectra.removes_mean {
        remove_mean(window, gain.coherent, work);
    }
    cpu.prepare(spectra.log2n)?;
    cpu.transform(Direction::Forward, work)?;
    if is_pair {
        accumulate_pair(spectra.detector, work, held);
    } else {
        accumulate(spectra.coding.domain, spectra.detector, work, held);
    }
    Ok(())
}

/// Energy of a block times its window, as its bins have it: N times the sum of squares; of real
/// samples, whose bins are half of all. `pause` is called every [`PAUSE`] points.
#[must_use]
pub fn energy_in(
    spectra: &Spectra,
    window: &[f32],
    samples: &[u32],
    mut pause: impl FnMut(),
) -> f64 {
    let Spectra { coding, .. } = *spectra;
    let mut sum = 0.0;
    // A few at a time, so that no block has to be held.
    let mut some = [Complex::ZERO; SOME];
    for (first, window) in (0..).step_by(SOME).zip(window.chunks(SOME)) {
        let some = &mut some[..window.len()];
        coding.load(samples, first, window, some);
        let squares = |z: &Complex<f32>| f64::from(z.re * z.re + z.im * z.im);
        sum += some.iter().map(squares).sum::<f64>();
        if first.is_multiple_of(PAUSE) {
            pause();
        }
    }
    sum * spectra.points() as f64
}

/// Energy of all bins: of real samples the bins between the ends count twice. Of one block two
/// detectors hold the same, and this is the mean of both.
#[must_use]
pub fn energy_out(spectra: &Spectra, held: &[f64]) -> f64 {
    let parts = spectra.detector.parts().len();
    let ends: f64 = held
        .chunks(spectra.coding.domain.bins(spectra.points()))
        .filter_map(|part| Some(part.first()? + part.last()?))
        .sum();
    let sum: f64 = held.iter().sum();
    let energy = match spectra.coding.domain {
        Domain::Complex => sum,
        Domain::Real => 2.0 * sum - ends,
    };
    energy / parts as f64
}
