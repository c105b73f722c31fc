//! FFT plans on the simulated QPUs, against a DFT in f64.
//!
//! Every length, both directions, several kinds of input, and several orders in which the QPUs
//! advance: a missing wait can pass one order and fail all others. The simulator is strict, so
//! whatever the reference forbids or leaves open would stop a program.

mod signals;

use dsp::{Complex, Direction};
use kernel::engine::known_answer;
use kernel::engine::qpu::QpuEngine;
use kernel::engine::{Engine, EngineError};
use qpu::fft::{self, MAX_LOG2_POINTS, MIN_LOG2_POINTS, Plan};
use qpu::isa::{self, Instruction, raddr, waddr};
use qpu::job::{Buffer, CacheClear, Job, Launch, QpuSet, Report, Runner};
use qpu_programs::CATALOGUE;
use signals::{Random, assert_spectrum, dft};
use v3d_sim::SimRunner;

const RAM_BYTES: u32 = 1 << 20;
const LIMIT_US: u32 = 100_000;
/// Largest relative rms error of any length, direction and input.
const TOLERANCE: f64 = 1e-6;
const LENGTHS: std::ops::RangeInclusive<u32> = MIN_LOG2_POINTS..=MAX_LOG2_POINTS;
const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Inverse];

/// Orders in which QPUs advance: the simulator's own, and shuffled ones.
const ORDERS: [Option<u64>; 4] = [None, Some(1), Some(2), Some(3)];

fn runner(order: Option<u64>) -> SimRunner {
    let runner = SimRunner::new(RAM_BYTES);
    match order {
        Some(seed) => runner.with_order_seed(seed),
        None => runner,
    }
}

fn transform(
    plan: &mut Plan,
    runner: &mut SimRunner,
    direction: Direction,
    input: &[Complex<f32>],
) -> Vec<Complex<f32>> {
    let words: Vec<u32> = input
        .iter()
        .flat_map(|z| [z.re.to_bits(), z.im.to_bits()])
        .collect();
    runner.write(plan.input(), 0, &words).unwrap();
    // Whatever is not written shows: no output may be left over from the transform before.
    runner
        .write(plan.output(), 0, &vec![f32::NAN.to_bits(); words.len()])
        .unwrap();
    let direction = match direction {
        Direction::Forward => fft::Direction::Forward,
        Direction::Inverse => fft::Direction::Inverse,
    };
    plan.run(runner, direction, LIMIT_US).unwrap();
    let mut words = vec![0; words.len()];
    runner.read(plan.output(), 0, &mut words).unwrap();
    let float = |word: u32| f32::from_bits(word);
    words
        .chunks_exact(2)
        .map(|pair| Complex::new(float(pair[0]), float(pair[1])))
        .collect()
}

/// Transforms `input(points)` in every length, direction and order.
fn check(name: &str, input: impl Fn(usize) -> Vec<Complex<f32>>) {
    for log2n in LENGTHS {
        let input = input(1 << log2n);
        let expected = DIRECTIONS.map(|direction| dft(direction, &input));
        for order in ORDERS {
            let mut runner = runner(order);
            let mut plan = Plan::new(&CATALOGUE, log2n, &mut runner).unwrap();
            for (direction, expected) in DIRECTIONS.into_iter().zip(&expected) {
                let output = transform(&mut plan, &mut runner, direction, &input);
                let what = format!("{name}, 2^{log2n}, {direction:?}, order {order:?}");
                assert_spectrum(&what, &output, expected, TOLERANCE);
            }
        }
    }
}

#[test]
fn random_input() {
    check("random", |points| {
        Random::new(points as u64).complex(points)
    });
}

#[test]
fn a_tone_between_two_bins() {
    check("tone", |points| {
        let turns = |n: usize| (points as f64 / 7.0 + 0.3) * n as f64 / points as f64;
        let angle = |n| std::f64::consts::TAU * turns(n);
        (0..points)
            .map(|n| Complex::new(angle(n).cos() as f32, angle(n).sin() as f32))
            .collect()
    });
}

#[test]
fn a_real_tone_on_a_bin() {
    check("real tone", |points| {
        let angle = |n: usize| {
            std::f64::consts::TAU * (n * (points / 16 + 1) % points) as f64 / points as f64
        };
        (0..points)
            .map(|n| Complex::new(angle(n).cos() as f32, 0.0))
            .collect()
    });
}

#[test]
fn an_impulse() {
    check("impulse", |points| {
        let mut input = vec![Complex::ZERO; points];
        input[points / 3] = Complex::new(0.75, -0.25);
        input
    });
}

#[test]
fn every_order_of_the_qpus_gives_the_same_bits() {
    for log2n in [10, 12] {
        let input = Random::new(10).complex(1 << log2n);
        let outputs = (1..=20).map(|seed| {
            let mut runner = runner(Some(seed));
            let mut plan = Plan::new(&CATALOGUE, log2n, &mut runner).unwrap();
            transform(&mut plan, &mut runner, Direction::Forward, &input)
        });
        let mut outputs = outputs.collect::<Vec<_>>().into_iter();
        let first = outputs.next().unwrap();
        assert!(outputs.all(|output| output == first), "2^{log2n}");
    }
}

#[test]
fn plans_of_all_lengths_live_side_by_side_and_run_again() {
    let mut runner = runner(Some(7));
    let mut plans: Vec<_> = LENGTHS
        .map(|log2n| Plan::new(&CATALOGUE, log2n, &mut runner).unwrap())
        .collect();
    let mut random = Random::new(77);
    for plan in &mut plans {
        let input = random.complex(plan.points() as usize);
        let expected = dft(Direction::Forward, &input);
        let output = transform(plan, &mut runner, Direction::Forward, &input);
        assert_spectrum("side by side", &output, &expected, TOLERANCE);
    }
    // Again, and back: what is in caches and buffers from before must not matter.
    for plan in plans.iter_mut().rev() {
        let input = random.complex(plan.points() as usize);
        let spectrum = transform(plan, &mut runner, Direction::Forward, &input);
        let output = transform(plan, &mut runner, Direction::Inverse, &spectrum);
        let scale = f64::from(plan.points());
        let expected: Vec<_> = input
            .iter()
            .map(|z| Complex::new(f64::from(z.re) * scale, f64::from(z.im) * scale))
            .collect();
        assert_spectrum("there and back", &output, &expected, 2.0 * TOLERANCE);
    }
}

#[test]
fn a_length_without_a_plan_is_refused_with_the_range() {
    for log2n in [0, 7, 13, 31, 32] {
        let error = Plan::new(&CATALOGUE, log2n, &mut runner(None)).unwrap_err();
        assert!(error.to_string().contains("2^8 to 2^12"), "{error}");
    }
}

#[test]
fn a_runner_without_memory_is_an_error() {
    let mut runner = SimRunner::new(8192);
    assert!(matches!(
        Plan::new(&CATALOGUE, 12, &mut runner),
        Err(fft::Error::Runner(_))
    ));
}

/// The catalogue with every access to the mutex taken out.
fn catalogue_without_mutex() -> fft::Catalogue {
    let strip = |&word: &u64| match isa::decode(word) {
        Ok(Instruction::Alu(mut alu)) => {
            if alu.raddr_a == raddr::MUTEX_ACQUIRE {
                alu = isa::Alu::NOP;
            }
            if alu.write.waddr_add == waddr::MUTEX_RELEASE {
                alu.write.waddr_add = waddr::NOP;
            }
            if alu.write.waddr_mul == waddr::MUTEX_RELEASE {
                alu.write.waddr_mul = waddr::NOP;
            }
            Instruction::Alu(alu).encode()
        }
        _ => word,
    };
    let program = |program: &fft::Program| fft::Program {
        code: program.code.iter().map(strip).collect::<Vec<_>>().leak(),
        ..*program
    };
    fft::Catalogue {
        fft: CATALOGUE.fft.iter().map(program).collect::<Vec<_>>().leak(),
    }
}

#[test]
fn without_the_mutex_these_tests_would_fail() {
    let input = Random::new(4).complex(1 << 12);
    let mut runner = runner(Some(1)).with_strict(false);
    let mut plan = Plan::new(&catalogue_without_mutex(), 12, &mut runner).unwrap();
    let output = transform(&mut plan, &mut runner, Direction::Forward, &input);
    let error = dsp::dft::relative_rms_error(&output, &dft(Direction::Forward, &input));
    assert!(error > 0.1, "{error:e}");
}

fn engine(order: Option<u64>) -> QpuEngine<SimRunner> {
    QpuEngine::new(runner(order), |_| EngineError::Device)
}

#[test]
fn the_engine_gives_the_known_answer() {
    let mut data = vec![Complex::ZERO; 1 << MAX_LOG2_POINTS];
    let mut engine = engine(Some(5));
    assert!(!engine.supports(7) && !engine.supports(13));
    for log2n in LENGTHS.rev() {
        for direction in DIRECTIONS {
            let error =
                known_answer::relative_rms_error(&mut engine, log2n, direction, &mut data).unwrap();
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
    assert_eq!(engine.prepare(13), Err(EngineError::Length));
}

#[test]
fn an_engine_with_little_memory_makes_room_for_each_length() {
    let mut data = vec![Complex::ZERO; 1 << MAX_LOG2_POINTS];
    // Enough for the longest plan, not for all.
    let mut engine = QpuEngine::new(SimRunner::new(300 << 10), |_| EngineError::NoMemory);
    for log2n in LENGTHS.chain(LENGTHS.rev()) {
        let error =
            known_answer::relative_rms_error(&mut engine, log2n, Direction::Forward, &mut data);
        assert!(error.unwrap() <= known_answer::TOLERANCE);
    }
    let mut engine = QpuEngine::new(SimRunner::new(8192), |_| EngineError::NoMemory);
    assert_eq!(engine.prepare(12), Err(EngineError::NoMemory));
}

/// A runner whose jobs fail while `broken`.
struct Breaking {
    inner: SimRunner,
    broken: std::rc::Rc<std::cell::Cell<bool>>,
}

impl Runner for Breaking {
    type Error = ();

    fn alloc(&mut self, bytes: u32, align: u32) -> Result<Buffer, ()> {
        self.inner.alloc(bytes, align).map_err(|_| ())
    }
    fn release_all(&mut self) {
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

/// A runner that never clears a cache.
struct Uncleared(SimRunner);

impl Runner for Uncleared {
    type Error = <SimRunner as Runner>::Error;

    fn alloc(&mut self, bytes: u32, align: u32) -> Result<Buffer, Self::Error> {
        self.0.alloc(bytes, align)
    }
    fn release_all(&mut self) {
        self.0.release_all();
    }
    fn write(&mut self, buffer: Buffer, first: u32, words: &[u32]) -> Result<(), Self::Error> {
        self.0.write(buffer, first, words)
    }
    fn read(&mut self, buffer: Buffer, first: u32, words: &mut [u32]) -> Result<(), Self::Error> {
        self.0.read(buffer, first, words)
    }
    fn use_qpus(&mut self, qpus: QpuSet) {
        self.0.use_qpus(qpus);
    }
    fn run(&mut self, job: &Job, limit_us: u32) -> Result<Report, Self::Error> {
        let clear = CacheClear::None;
        let launches: Vec<_> = job
            .launches
            .iter()
            .map(|launch| Launch { clear, ..*launch })
            .collect();
        self.0.run(
            &Job {
                launches: &launches,
            },
            limit_us,
        )
    }
}

#[test]
fn without_cache_clears_these_tests_would_fail() {
    let mut runner = Uncleared(runner(None));
    let mut plan = Plan::new(&CATALOGUE, 8, &mut runner).unwrap();
    let mut run = || plan.run(&mut runner, fft::Direction::Forward, LIMIT_US);
    // The second transform reads planes that the first one read and this one stored.
    let error = run().and_then(|_| run()).unwrap_err();
    assert!(format!("{error}").contains("stored to since"), "{error}");
}

#[test]
fn a_failed_job_is_reported_and_the_engine_works_again_after_prepare() {
    let broken = std::rc::Rc::new(std::cell::Cell::new(false));
    let inner = runner(None);
    let timeout = EngineError::Timeout {
        limit_us: kernel::engine::qpu::LIMIT_US,
    };
    let mut engine = QpuEngine::new(
        Breaking {
            inner,
            broken: broken.clone(),
        },
        |()| EngineError::Timeout {
            limit_us: kernel::engine::qpu::LIMIT_US,
        },
    );
    let mut data = vec![Complex::ZERO; 256];
    let mut error =
        || known_answer::relative_rms_error(&mut engine, 8, Direction::Forward, &mut data);
    assert!(error().unwrap() <= known_answer::TOLERANCE);
    broken.set(true);
    assert_eq!(error(), Err(timeout));
    broken.set(false);
    assert!(error().unwrap() <= known_answer::TOLERANCE);
}
