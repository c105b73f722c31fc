//! The firmware's QPU engine on the simulated QPUs: plans kept, made anew, and given up.

mod averaged_lots;
mod host_jobs;
mod known_answer;
mod long_average;

use dsp::spectrum::{Detector, Domain, accumulate, remove_mean};
use dsp::{Complex, Direction, Window};
use kernel::engine::cpu::CpuEngine;
use kernel::engine::proof::{energy_in, energy_out};
use kernel::engine::qpu::{LIMIT_US, MAX_LOG2, MIN_LOG2, Plans, QpuEngine};
use kernel::engine::samples::{Coding, History};
use kernel::engine::{Candidate, EngineError, Fft, Manner, Samples, Spectra};
use qpu::job::{Buffer, Job, QpuSet, Report, Runner};
use std::cell::Cell;
use std::rc::Rc;
use v3d_sim::SimRunner;
use wire::{Beta, Channels, SampleFormat};

const LENGTHS: std::ops::RangeInclusive<u32> = MIN_LOG2..=MAX_LOG2;
const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Inverse];

/// Strict rules, no time: QPUs advance in an order that the seed makes.
fn runner(ram_bytes: u32) -> SimRunner {
    SimRunner::new(ram_bytes).with_order_seed(5)
}

/// Room for the plans of an engine.
fn plans() -> &'static mut Plans {
    Box::leak(Box::default())
}

fn data() -> Vec<Complex<f32>> {
    vec![Complex::ZERO; 1 << MAX_LOG2]
}

/// Transforms the chirp of 2^`log2n` points; the relative rms error.
fn known_answer(
    engine: &mut impl Fft,
    log2n: u32,
    direction: Direction,
) -> Result<f64, EngineError> {
    known_answer::relative_rms_error(log2n, direction, &mut data(), |data| {
        engine.prepare(log2n, Manner::Fastest)?;
        engine.transform(direction, data).map(|_| ())
    })
}

fn forward(engine: &mut impl Fft, log2n: u32) -> Result<f64, EngineError> {
    known_answer(engine, log2n, Direction::Forward)
}

/// Reports if the engine has the fastest plan of that length.
fn supports(engine: &impl Fft, log2n: u32) -> bool {
    let manner = Manner::Fastest;
    engine.has(&Candidate::Transform { log2n, manner })
}

/// Real numbers.
const F32: Coding = Coding::new(SampleFormat::F32, Domain::Real);

/// Every coding of samples.
fn codings() -> impl Iterator<Item = Coding> {
    let of = |format| [Domain::Real, Domain::Complex].map(|domain| Coding::new(format, domain));
    SampleFormat::UPLOADED.into_iter().flat_map(of)
}

/// Frames of two i32, as I2S brings them: left, right, and I in the right channel.
fn frames() -> impl Iterator<Item = Coding> {
    [
        (Domain::Real, Channels::First),
        (Domain::Real, Channels::Second),
        (Domain::Complex, Channels::Swapped),
    ]
    .into_iter()
    .map(|(domain, channels)| Coding {
        channels,
        ..Coding::new(SampleFormat::I32, domain)
    })
}

const KAISER: Window = Window::Kaiser(Beta::from_milli(6_500).unwrap());

/// The tolerance as a share of a bin's power plus the same share of the mean power of all bins.
const POWER_TOLERANCE: f64 = 4e-6;

/// The mean of blocks, which keep theirs.
const PLAIN: Spectra = Spectra {
    log2n: 0,
    coding: F32,
    window: Window::Hann,
    hop: 0,
    blocks: 0,
    bins: [0, 0],
    detector: Detector::Mean,
    removes_mean: false,
    manner: Manner::Fastest,
    split_for: 0,
};

/// The tolerance for the amplitude of a bin, in parts of the sum of all samples.
const CUT: f64 = 5e-8;

/// Lets `held` take the spectra that the ARM computes, block by block.
fn take_by_the_arm(spectra: &Spectra, window: &[f32], samples: &History, held: &mut [f64]) {
    let mut twiddles = data();
    let mut engine = CpuEngine::new(&mut twiddles);
    engine.prepare(spectra.log2n).unwrap();
    for block in 0..spectra.blocks as usize {
        let mut work = averaged_lots::windowed(samples, block * spectra.hop, window);
        if spectra.removes_mean {
            remove_mean(window, spectra.window.gain(window).coherent, &mut work);
        }
        engine.transform(Direction::Forward, &mut work).unwrap();
        accumulate(spectra.coding.domain, spectra.detector, &work, held);
    }
}

/// Noise in the coding of all blocks, with an offset where means are removed.
fn noise<'a>(spectra: &Spectra, words: &'a mut [u32]) -> History<'a> {
    let mut random = tests::mutate::Random::new(u64::from(spectra.log2n));
    let coding = spectra.coding;
    let mut samples = History::new(words);
    samples.begin(coding);
    if coding.format == SampleFormat::F32 {
        for _ in 0..spectra.samples() {
            let re = random.signed_unit() as f32;
            let im = random.signed_unit() as f32;
            let offset = if spectra.removes_mean { 0.5 } else { 0.0 };
            samples.push(Complex::new(re + offset, im - offset));
        }
    } else {
        let bytes = spectra.samples() * coding.bytes();
        let bytes: Vec<_> = (0..bytes).map(|_| random.below(256) as u8).collect();
        samples.extend(&bytes);
    }
    assert_eq!(samples.len(), spectra.samples());
    samples
}

/// Compares the energy of one block's bins with that of its samples, as the checks of a stream do.
fn compare_energy(engine: &mut impl Fft, alone: &Spectra) {
    let mut window = vec![0.0; alone.points()];
    alone.window.fill(&mut window);
    let mut words = vec![0; 2 << MAX_LOG2];
    let samples = noise(alone, &mut words);
    let mut held = vec![0.0; alone.held()];
    let taken = engine.take_power(alone, &window, samples.words(), &mut held);
    assert!(taken.is_ok(), "{alone:?}: {taken:?}");
    let energy = energy_in(alone, &window, samples.words(), || ());
    let error = (energy_out(alone, &held) / energy - 1.0).abs();
    // A tenth of what the checks allow.
    assert!(error < 1e-5, "{alone:?}: {error:e}");
}

/// Lets what is held take powers of noise on both engines, and compares.
fn compare_powers(engine: &mut impl Fft, spectra: &Spectra) {
    let points = spectra.points();
    let mut window = vec![0.0; points];
    spectra.window.fill(&mut window);
    let mut words = vec![0; 2 << MAX_LOG2];
    let samples = noise(spectra, &mut words);
    // Of the greatest and the least it stays in some bins.
    let before = |detector: &Detector| match detector {
        Detector::Mean | Detector::MeanMax => 1.5,
        Detector::Max => points as f64 / 4.0,
        Detector::Min => points as f64 / 64.0,
    };
    let bins = spectra.coding.domain.bins(points);
    let parts = spectra.detector.parts().iter();
    let mut held: Vec<f64> = parts.flat_map(|part| vec![before(part); bins]).collect();
    let mut expected = held.clone();
    assert!(engine.has(&Candidate::Power(*spectra)), "{spectra:?}");
    let taken = engine.take_power(spectra, &window, samples.words(), &mut held);
    assert!(taken.is_ok(), "{spectra:?}: {taken:?}");
    take_by_the_arm(spectra, &window, &samples, &mut expected);
    let means: Vec<f64> = expected
        .chunks(bins)
        .map(|part| part.iter().sum::<f64>() / bins as f64)
        .collect();
    let [first, end] = spectra.bins;
    let is_wanted = |bin: usize| (first..end).contains(&bin);
    let of_bin = |(index, of): (usize, (&f64, &f64))| (index / bins, index % bins, *of.0, *of.1);
    for (part, bin, got, wanted) in held.iter().zip(&expected).enumerate().map(of_bin) {
        if !is_wanted(bin) {
            let before = before(&spectra.detector.parts()[part]);
            assert_eq!(got, before, "{spectra:?} bin {bin} is not wanted");
            continue;
        }
        let mean = means[part];
        // A constant is transformed before it goes; what is cut off is a part of it, too.
        let cut = if spectra.removes_mean { CUT } else { 0.0 } * points as f64;
        let allowed = POWER_TOLERANCE * (wanted + mean) + 2.0 * wanted.sqrt() * cut;
        let error = (got - wanted).abs();
        assert!(error <= allowed, "{spectra:?} bin {bin}: {got}, {wanted}");
    }
}

#[test]
fn powers_of_the_qpus_are_those_of_the_arm() {
    let mut engine = QpuEngine::new(runner(32 << 20), |_| EngineError::Device, plans());
    for (log2n, hop, blocks) in [
        (5, 32, 1),
        (5, 7, 40),
        (6, 64, 3),
        (8, 128, 16),
        (9, 1, 5),
        (10, 512, 16),
        (12, 2048, 16),
        (13, 5000, 2),
        (16, 1, 1),
    ] {
        for coding in codings().chain(frames()) {
            for (window, detector, removes_mean) in [
                (Window::Hann, Detector::Mean, false),
                (Window::Rectangular, Detector::Mean, false),
                (Window::FlatTop, Detector::Max, true),
                (Window::Rectangular, Detector::Min, true),
                (KAISER, Detector::Min, false),
                // A constant has side lobes everywhere.
                (KAISER, Detector::Mean, true),
            ] {
                // Formats that differ in their first pass: a few lengths of every kind of plan.
                let is_like_others =
                    [SampleFormat::I32, SampleFormat::U8High].contains(&coding.format);
                if is_like_others && (![6, 12, 13].contains(&log2n) || window == KAISER) {
                    continue;
                }
                let all = coding.domain.bins(1 << log2n);
                // All, or some of them.
                let bins = match window {
                    Window::Rectangular => [all / 3, all - all / 5],
                    _ => [0, all],
                };
                let spectra = Spectra {
                    log2n,
                    coding,
                    window,
                    hop,
                    blocks,
                    bins,
                    detector,
                    removes_mean,
                    ..PLAIN
                };
                compare_powers(&mut engine, &spectra);
                let conservative = Spectra {
                    manner: Manner::Conservative,
                    ..spectra
                };
                let has = engine.has(&Candidate::Power(conservative));
                assert_eq!(has, log2n >= 8, "{conservative:?}");
                if has && window != Window::Rectangular {
                    compare_powers(&mut engine, &conservative);
                }
                if detector == Detector::Mean {
                    compare_powers(&mut engine, &spectra.alone());
                    compare_energy(&mut engine, &spectra.alone());
                }
            }
        }
    }
    let none = Spectra {
        log2n: 4,
        hop: 16,
        blocks: 1,
        bins: [0, 9],
        ..PLAIN
    };
    assert!(!engine.has(&Candidate::Power(none)));
    let refused = engine.take_power(&none, &[0.0; 16], &[0; 16], &mut [0.0; 9]);
    assert_eq!(refused, Err(EngineError::Length));
}

#[test]
fn two_detectors_of_the_qpus_are_those_of_the_arm() {
    let mut engine = QpuEngine::new(runner(32 << 20), |_| EngineError::Device, plans());
    let complex = Coding::new(SampleFormat::I16, Domain::Complex);
    for (log2n, hop, blocks, coding, window, removes_mean) in [
        (5, 32, 1, F32, Window::Hann, true),
        (5, 7, 40, complex, Window::FlatTop, false),
        (8, 128, 16, F32, Window::Rectangular, true),
        (10, 512, 16, complex, Window::Hann, true),
        (12, 2048, 3, F32, Window::Hann, false),
    ] {
        let all = coding.domain.bins(1 << log2n);
        let spectra = Spectra {
            log2n,
            coding,
            window,
            hop,
            blocks,
            bins: match window {
                Window::Rectangular => [all / 3, all - all / 5],
                _ => [0, all],
            },
            detector: Detector::MeanMax,
            removes_mean,
            ..PLAIN
        };
        compare_powers(&mut engine, &spectra);
        compare_powers(&mut engine, &spectra.alone());
        compare_energy(&mut engine, &spectra.alone());
        // A constant has side lobes everywhere in this window, and no program for two takes them.
        let everywhere = Spectra {
            window: KAISER,
            removes_mean: true,
            ..spectra
        };
        assert!(!engine.has(&Candidate::Power(everywhere)));
    }
}

#[test]
fn plans_of_powers_and_transforms_make_room_for_each_other() {
    // Enough for one of the longer plans.
    let mut engine = QpuEngine::new(runner(600 << 10), |_| EngineError::NoMemory, plans());
    for blocks in [8, 3, 8, 1] {
        for log2n in [10, 6] {
            let spectra = Spectra {
                log2n,
                hop: 1 << (log2n - 1),
                blocks,
                bins: [0, (1 << (log2n - 1)) + 1],
                ..PLAIN
            };
            compare_powers(&mut engine, &spectra);
            assert!(forward(&mut engine, 12).unwrap() <= known_answer::TOLERANCE);
        }
    }
}

/// Runners that do nothing else meanwhile end each when it is started.
#[test]
fn powers_that_are_started_come_in_order_and_are_those_that_are_taken() {
    let mut engine = QpuEngine::new(runner(8 << 20), |_| EngineError::Device, plans());
    let spectra = Spectra {
        log2n: 8,
        hop: 128,
        blocks: 4,
        bins: [0, 129],
        ..PLAIN
    };
    let alone = spectra.alone();
    let mut window = vec![0.0; spectra.points()];
    spectra.window.fill(&mut window);
    let mut words = vec![0; 4096];
    let mut held = vec![0.0; 129];
    assert_eq!(engine.finish_power(&mut held), Err(EngineError::Lost));
    let lots = [1.0, 2.0].map(|scale: f32| {
        let samples = noise(&spectra, &mut words);
        let words = samples.words().iter();
        let scaled = words.map(|word| (scale * f32::from_bits(*word)).to_bits());
        scaled.collect::<Vec<_>>()
    });
    let taken = lots.each_ref().map(|words| {
        let mut held = vec![0.0; 129];
        let timing = engine.take_power(&spectra, &window, words, &mut held);
        assert!(timing.is_ok(), "{timing:?}");
        held
    });
    assert_ne!(taken[0], taken[1]);
    for round in 0..2 {
        assert!(engine.can_start(&spectra));
        engine
            .start_power(&spectra, &window, Samples::Copied(&lots[0]))
            .unwrap();
        // A plan that is not there might take the memory of what is under way.
        let other = Spectra {
            blocks: 3,
            ..spectra
        };
        let words = other.coding.words(other.samples());
        assert!(!engine.can_start(&other));
        let busy = engine.start_power(&other, &window, Samples::Copied(&lots[0][..words]));
        assert_eq!(busy, Err(EngineError::Busy));
        let busy = engine.take_power(&other, &window, &lots[0][..words], &mut held);
        assert_eq!(busy, Err(EngineError::Busy));
        assert_eq!(engine.can_start(&alone), round > 0);
        engine
            .start_power(&spectra, &window, Samples::Copied(&lots[1]))
            .unwrap();
        assert!(!engine.can_start(&spectra), "both sets are in use");
        for taken in &taken {
            held.fill(0.0);
            assert!(engine.has_power());
            engine.finish_power(&mut held).unwrap();
            assert_eq!(held, *taken);
        }
        let words = &lots[0][..spectra.points()];
        let taken = engine.take_power(&alone, &window, words, &mut held);
        assert!(taken.is_ok(), "{taken:?}");
        engine
            .start_power(&spectra, &window, Samples::Copied(&lots[0]))
            .unwrap();
        engine.abandon();
    }
}

/// A runner whose jobs fail while `broken`, and that counts how often all memory is given back.
struct Counting {
    inner: SimRunner,
    broken: Rc<Cell<bool>>,
    releases: Rc<Cell<u32>>,
}

impl Runner for Counting {
    type Error = ();

    fn alloc(&mut self, bytes: u32, align: u32) -> Result<Buffer, ()> {
        self.inner.alloc(bytes, align).map_err(|_| ())
    }
    fn release_all(&mut self) {
        self.releases.set(self.releases.get() + 1);
        self.inner.release_all();
    }
    fn write(&mut self, buffer: Buffer, first: u32, words: &[u32]) -> Result<(), ()> {
        self.inner.write(buffer, first, words).map_err(|_| ())
    }
    fn read(&mut self, buffer: Buffer, first: u32, words: &mut [u32]) -> Result<(), ()> {
        self.inner.read(buffer, first, words).map_err(|_| ())
    }
    fn use_qpus(&mut self, qpus: QpuSet) {
        self.inner.use_qpus(qpus);
    }
    fn run(&mut self, job: &Job, limit_us: u32) -> Result<Report, ()> {
        if self.broken.get() {
            return Err(());
        }
        self.inner.run(job, limit_us).map_err(|_| ())
    }
}

#[test]
fn the_engine_gives_the_known_answer_in_every_length_of_the_instrument() {
    assert_eq!(1 << MIN_LOG2, kernel::instrument::MIN_N);
    assert_eq!(1 << MAX_LOG2, kernel::instrument::MAX_N);
    let mut engine = QpuEngine::new(runner(32 << 20), |_| EngineError::Device, plans());
    assert!(!supports(&engine, MIN_LOG2 - 1) && !supports(&engine, MAX_LOG2 + 1));
    for log2n in LENGTHS.rev() {
        assert!(supports(&engine, log2n));
        for direction in DIRECTIONS {
            let error = known_answer(&mut engine, log2n, direction).unwrap();
            println!("known answer, 2^{log2n}, {direction:?}: {error:.2e}");
            assert!(
                error <= known_answer::TOLERANCE,
                "2^{log2n} {direction:?}: {error:e}"
            );
        }
    }
    let mut short = [Complex::ZERO; 100];
    let refused = engine.transform(Direction::Forward, &mut short);
    assert_eq!(refused, Err(EngineError::Length));
    assert_eq!(
        engine.prepare(MAX_LOG2 + 1, Manner::Fastest),
        Err(EngineError::Length)
    );
}

/// The engine may use this much in the firmware; it needs no room made among its own lengths.
#[test]
fn plans_of_all_lengths_lie_side_by_side() {
    let runner = Counting {
        inner: runner(8 << 20),
        broken: Rc::default(),
        releases: Rc::default(),
    };
    let releases = runner.releases.clone();
    let mut engine = QpuEngine::new(runner, |()| EngineError::NoMemory, plans());
    for log2n in LENGTHS.chain(LENGTHS) {
        assert_eq!(engine.prepare(log2n, Manner::Fastest), Ok(()), "2^{log2n}");
    }
    assert_eq!(releases.get(), 0);
}

#[test]
fn an_engine_with_little_memory_makes_room_for_each_length() {
    // Enough for 2^12 points, not for all lengths up to it.
    let mut engine = QpuEngine::new(runner(256 << 10), |_| EngineError::NoMemory, plans());
    for log2n in (4..=12).chain((4..=12).rev()) {
        let error = forward(&mut engine, log2n).unwrap();
        assert!(error <= known_answer::TOLERANCE, "2^{log2n}: {error:e}");
    }
    let mut engine = QpuEngine::new(runner(8192), |_| EngineError::NoMemory, plans());
    assert_eq!(
        engine.prepare(12, Manner::Fastest),
        Err(EngineError::NoMemory)
    );
}

#[test]
fn a_failed_job_is_reported_and_the_engine_works_again_after_prepare() {
    let broken = Rc::new(Cell::new(false));
    let timeout = EngineError::Timeout { limit_us: LIMIT_US };
    let runner = Counting {
        inner: runner(1 << 20),
        broken: broken.clone(),
        releases: Rc::default(),
    };
    let mut engine = QpuEngine::new(
        runner,
        |()| EngineError::Timeout { limit_us: LIMIT_US },
        plans(),
    );
    for log2n in [6, 9, 12] {
        assert!(forward(&mut engine, log2n).unwrap() <= known_answer::TOLERANCE);
        broken.set(true);
        assert_eq!(forward(&mut engine, log2n), Err(timeout));
        let mut data = vec![Complex::ZERO; 1 << log2n];
        let unprepared = engine.transform(Direction::Forward, &mut data);
        assert_eq!(unprepared, Err(EngineError::Length));
        broken.set(false);
        assert!(forward(&mut engine, log2n).unwrap() <= known_answer::TOLERANCE);
    }
    let spectra = Spectra {
        log2n: 8,
        hop: 100,
        blocks: 2,
        bins: [0, 129],
        ..PLAIN
    };
    compare_powers(&mut engine, &spectra);
    broken.set(true);
    let mut sums = [0.5; 129];
    let samples = vec![1f32.to_bits(); spectra.samples()];
    let failed = engine.take_power(&spectra, &[1.0; 256], &samples, &mut sums);
    assert_eq!((failed, sums), (Err(timeout), [0.5; 129]));
    broken.set(false);
    compare_powers(&mut engine, &spectra);
}
