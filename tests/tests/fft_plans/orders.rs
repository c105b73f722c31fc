//! Tests of what must not matter, the order in which QPUs advance, and of what must: locks and
//! cache clears.

use super::harness::{DIRECTIONS, LIMIT_US, Pace, bits, read, run, runner, transform, write};
use super::signals::{Random, dft};
use dsp::Direction;
use qpu::isa::{self, Instruction};
use qpu::job::{Buffer, CacheClear, Job, Launch, QpuSet, Report, Runner};
use qpu::machine::QPUS;
use qpu_fft::kernels::catalogue::Pass;
use qpu_fft::kernels::code::Code;
use qpu_fft::planner::tuning;
use qpu_fft::planner::tuning::Chip;
use qpu_fft::program::Program;
use qpu_fft::request::Request;
use qpu_fft::{Plan, Split};
use qpu_programs::FFT;
use v3d_sim::SimRunner;

/// Eight seeds: each another order of QPUs in every round, with pauses from the first round on, so
/// that programs also start at different times.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=8;

#[test]
fn every_order_of_the_qpus_gives_the_same_bits() {
    for (log2n, batch) in [
        (4, 40),
        (5, 30),
        (6, 40),
        (7, 40),
        (8, 1),
        (8, 3),
        (8, 30),
        (9, 1),
        (9, 3),
        (9, 10),
        (10, 1),
        (10, 3),
        (11, 2),
        (12, 1),
        (13, 1),
        (14, 1),
        (15, 1),
    ] {
        let input = Random::new(10).complex(batch << log2n);
        let request = Request::new(log2n, batch as u32);
        for direction in DIRECTIONS {
            let with = |pace| transform(&request, pace, true, direction, &input);
            let timed = with(Pace::Timed);
            for seed in SEEDS {
                let same = bits(&with(Pace::Shuffled(seed))) == bits(&timed);
                assert!(same, "2^{log2n} x {batch}, {direction:?}, order {seed}");
            }
        }
    }
}

#[test]
fn fewer_qpus_give_the_same_bits() {
    for log2n in 5..=14 {
        let batch = 4;
        let input = Random::new(10).complex(batch << log2n);
        let mut request = Request::new(log2n, batch as u32);
        let with = |request: &Request| {
            transform(request, Pace::Functional, true, Direction::Forward, &input)
        };
        // Too few for a pipeline, or for those that share a tile, take another split, which rounds
        // otherwise.
        let tuned = tuning::split(Chip::Bcm2835, log2n, batch as u32).expect("a split");
        let sharers = (0..tuned.passes()).map(|pass| 1 << tuned.log2_sharers(pass));
        let sharers = sharers.max().unwrap_or(1).max(2);
        let least = Pass::of(&tuned).map_or(sharers, |one| one.layout().least_programs());
        let in_passes = tuning::row_in_passes(log2n, batch as u32);
        let in_passes = in_passes.and_then(|row| Split::new(row.log2_radices));
        for (split, least) in [(None, least), (in_passes, 2)] {
            (request.split, request.qpus) = (split, QPUS);
            let all = with(&request);
            for qpus in [2, 3, 5, 8, 11] {
                if u32::from(qpus) >= least {
                    request.qpus = qpus;
                    assert!(bits(&with(&request)) == bits(&all), "2^{log2n} on {qpus}");
                }
            }
        }
    }
}

/// The programs with every semaphore taken out.
fn without_locks() -> &'static [Program] {
    let strip = |word| match isa::decode(word) {
        Ok(Instruction::Semaphore(_)) => isa::Alu::NOP.encode(),
        _ => word,
    };
    let program = |program: &Program| Program {
        code: Code::Words(program.code.iter().map(strip).collect::<Vec<_>>().leak()),
        ..*program
    };
    FFT.iter().map(program).collect::<Vec<_>>().leak()
}

#[test]
fn without_the_locks_these_tests_would_fail() {
    let input = Random::new(4).complex(1 << 10);
    let request = Request::new(10, 1);
    let mut runner = runner(&request, Pace::Shuffled(1)).with_strict(false);
    let mut plan = Plan::with_buffers(without_locks(), &request, &mut runner).unwrap();
    write(&mut runner, plan.input(), &input);
    plan.run(&mut runner, qpu_fft::Direction::Forward, LIMIT_US)
        .unwrap();
    let output = read(&mut runner, plan.output(), input.len());
    let error = dsp::dft::relative_rms_error(&output, &dft(Direction::Forward, &input));
    assert!(error > 0.01, "{error:e}");
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
        let job = Job {
            launches: &launches,
        };
        self.0.run(&job, limit_us)
    }
}

#[test]
fn without_cache_clears_these_tests_would_fail() {
    let request = Request::new(13, 1);
    let mut runner = Uncleared(runner(&request, Pace::Timed));
    let mut plan = Plan::with_buffers(FFT, &request, &mut runner).unwrap();
    let mut run = || plan.run(&mut runner, qpu_fft::Direction::Forward, LIMIT_US);
    // The second transform reads cells that the first one read and this one stored.
    let error = run().and_then(|_| run()).unwrap_err();
    assert!(format!("{error}").contains("stored to since"), "{error}");
}

#[test]
fn a_plan_leaves_the_semaphores_as_they_were() {
    // A hundred runs of plans of all kinds on one V3D: a count that is not given back adds up.
    let lengths = 4..=12;
    let mut runner = SimRunner::new(8 << 20).with_functional(true);
    let mut plans: Vec<_> = lengths
        .map(|log2n| Plan::with_buffers(FFT, &Request::new(log2n, 2), &mut runner).unwrap())
        .collect();
    let mut outputs = vec![Vec::new(); plans.len()];
    for round in 0..20 {
        for (plan, wanted) in plans.iter_mut().zip(&mut outputs) {
            let input = Random::new(6).complex(2 * plan.points() as usize);
            let output = bits(&run(plan, &mut runner, Direction::Forward, &input));
            if round == 0 {
                *wanted = output;
            } else {
                assert!(output == *wanted, "round {round}, {} points", plan.points());
            }
        }
    }
}
