//! Means of many short blocks: lots that the QPUs sum in single precision, summed by the ARM in
//! double precision, held to the mean of the same blocks in double precision.

use dsp::spectrum::{Detector, Domain, accumulate, begin};
use dsp::{Complex, Direction, Window};
use kernel::engine::cpu::CpuEngine;
use kernel::engine::qpu::{MAX_LOG2, QpuEngine};
use kernel::engine::samples::{Coding, History};
use kernel::engine::{EngineError, Fft, Manner, Spectra};
use std::f64::consts::TAU;
use tests::mutate::Random;
use v3d_sim::SimRunner;
use wire::SampleFormat;

/// The block that begins at a sample, times a window.
pub fn windowed(samples: &History, first: usize, window: &[f32]) -> Vec<Complex<f32>> {
    let mut block = vec![Complex::ZERO; window.len()];
    samples.load(first, &vec![1.0; window.len()], &mut block);
    let scaled = block.iter().zip(window).map(|(x, w)| x.scale(*w));
    scaled.collect()
}

/// The shortest blocks that the QPUs sum: as many in a lot as there can be.
const LOG2N: u32 = 5;
const N: usize = 1 << LOG2N;
pub const BLOCKS: u32 = 1 << (MAX_LOG2 - LOG2N);
/// What a mean of 2^20 blocks may be off by.
const TOLERANCE_DB: f64 = 0.005;
/// Bins below this share of the strongest are what the transform itself is off by.
const FLOOR: f64 = 1e-8;

/// The signal of a lot: a tone that is the same in each block, whose sums lose the same in each
/// addition; noise; a burst of one block in a lot.
fn sample(random: &mut Random, lot: u32, index: usize) -> Complex<f32> {
    let tone = |bin: f64, size: f64| {
        let angle = TAU * bin * index as f64 / N as f64;
        Complex::new(size * angle.cos(), size * angle.sin())
    };
    let (steady, noise) = (tone(5.0, 0.3), random.signed_unit() * 0.01);
    let is_burst = index / N == (lot as usize * 37) % BLOCKS as usize;
    let burst = tone(11.0, if is_burst { 0.5 } else { 0.0 });
    let other = random.signed_unit() * 0.01;
    Complex::new(
        (steady.re + burst.re + noise) as f32,
        (steady.im + burst.im + other) as f32,
    )
}

/// Compares after so many lots of blocks.
pub fn compare(lots: u32, domain: Domain, detector: Detector) {
    let runner = SimRunner::new(16 << 20).with_functional(true);
    let mut qpus = QpuEngine::new(runner, |_| EngineError::Device, Box::leak(Box::default()));
    let mut twiddles = vec![Complex::ZERO; 1 << MAX_LOG2];
    let mut arm = CpuEngine::new(&mut twiddles);
    arm.prepare(LOG2N).expect("a length");
    let spectra = Spectra {
        log2n: LOG2N,
        coding: Coding::new(SampleFormat::F32, domain),
        window: Window::Hann,
        hop: N,
        blocks: BLOCKS,
        bins: [0, domain.bins(N)],
        detector,
        removes_mean: false,
        manner: Manner::Fastest,
        split_for: 0,
    };
    let mut window = [0.0; N];
    spectra.window.fill(&mut window);
    let mut random = Random::new(7);
    let mut held = vec![0.0; spectra.held()];
    begin(detector, &mut held);
    let mut wanted = held.clone();
    let mut words = vec![0; 2 << MAX_LOG2];
    for lot in 0..lots {
        let mut samples = History::new(&mut words);
        samples.begin(spectra.coding);
        for index in 0..spectra.samples() {
            samples.push(sample(&mut random, lot, index));
        }
        let taken = qpus.take_power(&spectra, &window, samples.words(), &mut held);
        assert!(taken.is_ok(), "{taken:?}");
        for block in 0..BLOCKS as usize {
            let mut work = windowed(&samples, block * N, &window);
            arm.transform(Direction::Forward, &mut work)
                .expect("the ARM");
            accumulate(domain, detector, &work, &mut wanted);
        }
    }
    let strongest = wanted.iter().copied().fold(0.0, f64::max);
    let mut compared = 0;
    for (index, (got, wanted)) in held.iter().zip(&wanted).enumerate() {
        if *wanted > FLOOR * strongest {
            let error = 10.0 * (got / wanted).log10().abs();
            assert!(
                error < TOLERANCE_DB,
                "{lots} lots, {domain:?}, {detector:?}, value {index}: {error} dB"
            );
            compared += 1;
        }
    }
    assert!(compared > spectra.held() / 2, "{compared} values");
}
