//! A test in the memory of a runner, ready to run.

use qpu::job::{Buffer, CacheClear, Job, Launch, Program, QpuSet, Report, Runner};
use qpu::machine::LINE_BYTES as LINE;
use qpu_fft::planner::streams::Streams;
use qpu_fft::{Direction, Plan};

use super::{Error, LAUNCHES, LIMIT_US, Test, of_plan};
use crate::FIRMWARE;
use crate::code::{
    BENCH_CODE, BENCH_EMPTY, BENCH_HANDOVER, BENCH_LOOKUPS, BENCH_SPIN, BENCH_UNIFORMS,
    BENCH_VECTORS, place, place_at, place_uniforms,
};
use crate::firmware;

/// Programs of a launch, at the most.
const MOST: usize = 16;
/// The length of the transform, as a power of two.
const LOG2_POINTS: u32 = 14;
/// The loop of a program that an instruction cache of 4 KiB holds with what begins and ends it.
const FITTING_BYTES: u32 = 3840;
/// So many different lengths keep the QPU busy, so that the ends of launches do not all fall at the
/// same point between two looks at V3D.
const LENGTHS: usize = 8;
/// Instructions before the loop of `bench-code.qasm`: a line.
const HEAD: usize = 8;
/// Instructions of the loop as it is written: its counter, its branch and the three behind that.
const LOOP: usize = 5;
/// Bytes that the lookups of a QPU go round: all of a TMU's cache.
const ROUND_BYTES: u32 = 4096;

/// A test, placed.
pub struct Prepared {
    test: Test,
    programs: [Program; MOST],
    count: usize,
    /// Programs that keep the QPU busy, each a little longer than the one before.
    spins: [Program; LENGTHS],
    /// Uniforms of each program, of which the first is the number of repetitions.
    uniforms: [Option<Buffer>; MOST],
    qpus: QpuSet,
    plan: Option<Plan>,
}

impl Prepared {
    /// Places a test.
    ///
    /// # Errors
    /// When there is no room, or no plan.
    pub fn new<R: Runner>(runner: &mut R, test: Test) -> Result<Self, Error<R::Error>> {
        let mut prepared = Self {
            test,
            programs: [Program::default(); MOST],
            count: 0,
            spins: [Program::default(); LENGTHS],
            uniforms: [None; MOST],
            qpus: QpuSet::ALL,
            plan: None,
        };
        prepared.place(runner)?;
        prepared.settle(runner)?;
        Ok(prepared)
    }

    /// Launches a program that clears caches before all others, where no launch clears them: code
    /// and uniforms are new.
    fn settle<R: Runner>(&self, runner: &mut R) -> Result<(), R::Error> {
        if let Some(program) = self.programs[..self.count].first()
            && matches!(
                self.test,
                Test::Launch { .. } | Test::Queue { .. } | Test::Relaunch { .. }
            )
        {
            let launches = [self.launch(core::slice::from_ref(program), CacheClear::All)];
            let job = Job {
                launches: &launches,
            };
            runner.run(&job, LIMIT_US)?;
        }
        Ok(())
    }

    fn place<R: Runner>(&mut self, runner: &mut R) -> Result<(), Error<R::Error>> {
        match self.test {
            Test::Launch { programs } => {
                let code = place(runner, BENCH_EMPTY)?;
                let uniforms = place_uniforms(runner, &[0])?;
                for _ in 0..programs {
                    self.add(code, uniforms);
                }
            }
            Test::Queue { spins } => {
                self.qpus = QpuSet::only(0);
                let code = place(runner, BENCH_EMPTY)?;
                let uniforms = place_uniforms(runner, &[0])?;
                for _ in 0..MOST {
                    self.add(code, uniforms);
                }
                let spin = place(runner, BENCH_SPIN)?;
                for (more, program) in (0..).zip(&mut self.spins) {
                    program.code = spin.addr;
                    program.uniforms = place_uniforms(runner, &[spins + more])?.addr;
                }
            }
            Test::Uniforms { qpus, lines } => {
                self.qpus = QpuSet::from_bits((1 << qpus.min(4)) - 1);
                let code = place(runner, BENCH_UNIFORMS)?;
                for _ in 0..qpus.min(4) {
                    let stream = runner.alloc(LINE * u32::from(lines), LINE)?;
                    for line in 0..u32::from(lines) {
                        runner.write(stream, line * LINE / 4, &[0; LINE as usize / 4])?;
                    }
                    self.add_counted(runner, code, &[stream.addr.0, lines.into()])?;
                }
            }
            Test::Lookups {
                qpus,
                lines,
                misses,
            } => {
                let code = place(runner, BENCH_LOOKUPS)?;
                let data = runner.alloc(2 * ROUND_BYTES, 2 * ROUND_BYTES)?;
                let between_lanes = LINE * u32::from(lines) / 16;
                let [step, mask] = if misses {
                    [LINE * u32::from(lines), ROUND_BYTES - 1]
                } else {
                    [0, 0]
                };
                for qpu in 0..qpus {
                    // Two QPUs share a TMU, whose cache holds the lines of one of them only.
                    let half = if misses { u32::from(qpu % 2) } else { 0 };
                    let first = data.addr.offset(half * ROUND_BYTES).0;
                    let uniforms = [first, between_lanes, step, mask];
                    self.add_counted(runner, code, &uniforms)?;
                }
            }
            Test::Vectors { qpus, columns } => {
                let code = place(runner, BENCH_VECTORS)?;
                for qpu in 0..u32::from(qpus) {
                    self.add_counted(runner, code, &[vpm_setup(4 * qpu, columns)])?;
                }
            }
            Test::Handover => {
                let code = place(runner, BENCH_HANDOVER)?;
                for side in 0..2 {
                    self.add_counted(runner, code, &[side])?;
                }
            }
            Test::Code { bytes } => {
                let code = place_loop(runner, bytes)?;
                self.add_counted(runner, code, &[])?;
            }
            Test::Relaunch { .. } => {
                let code = place_loop(runner, FITTING_BYTES)?;
                let uniforms = place_uniforms(runner, &[1])?;
                self.add(code, uniforms);
            }
            Test::Transform { streamed } => {
                let mut request = firmware::transform(LOG2_POINTS);
                if !streamed {
                    request.streams = Some(Streams::default());
                }
                let plan = Plan::with_buffers(FIRMWARE, &request, runner).map_err(of_plan)?;
                self.plan = Some(plan);
            }
        }
        Ok(())
    }

    fn add(&mut self, code: Buffer, uniforms: Buffer) {
        if let Some(program) = self.programs.get_mut(self.count) {
            program.code = code.addr;
            program.uniforms = uniforms.addr;
            self.count += 1;
        }
    }

    /// Adds a program whose first uniform is the number of repetitions, and the others as given.
    fn add_counted<R: Runner>(
        &mut self,
        runner: &mut R,
        code: Buffer,
        uniforms: &[u32],
    ) -> Result<(), R::Error> {
        let mut words = [1; 8];
        let count = 1 + uniforms.len().min(words.len() - 1);
        words[1..count].copy_from_slice(&uniforms[..count - 1]);
        let uniforms = place_uniforms(runner, &words[..count])?;
        self.uniforms[self.count.min(MOST - 1)] = Some(uniforms);
        self.add(code, uniforms);
        Ok(())
    }

    /// One run with so many repetitions, of any number from 1 on.
    ///
    /// # Errors
    /// Those of the runner.
    pub fn run<R: Runner>(
        &mut self,
        runner: &mut R,
        repetitions: u32,
    ) -> Result<Report, Error<R::Error>> {
        let programs = &self.programs[..self.count];
        match self.test {
            Test::Launch { .. } => {
                let launch = self.launch(programs, CacheClear::None);
                repeat(repetitions, || run(runner, &[launch; LAUNCHES]))
            }
            Test::Relaunch { clear } => {
                let launch = self.launch(programs, clear);
                repeat(repetitions, || run(runner, &[launch; LAUNCHES]))
            }
            Test::Queue { .. } => {
                let empty = (repetitions as usize).min(MOST - 1);
                let mut programs = [self.programs; LENGTHS];
                for (programs, spin) in programs.iter_mut().zip(self.spins) {
                    programs[0] = spin;
                }
                let launches: [_; LAUNCHES] = core::array::from_fn(|number| {
                    let programs = &programs[number % LENGTHS][..=empty];
                    self.launch(programs, CacheClear::None)
                });
                run(runner, &launches)
            }
            Test::Transform { .. } => {
                let plan = self.plan.as_mut().ok_or(Error::NoPlan)?;
                repeat(repetitions, || {
                    let report = plan.run(runner, Direction::Forward, LIMIT_US);
                    report.map_err(of_plan)
                })
            }
            _ => {
                for uniforms in self.uniforms.iter().flatten() {
                    runner.write(*uniforms, 0, &[repetitions])?;
                }
                run(runner, &[self.launch(programs, CacheClear::All)])
            }
        }
    }

    const fn launch<'a>(&self, programs: &'a [Program], clear: CacheClear) -> Launch<'a> {
        Launch {
            programs,
            clear,
            qpus: self.qpus,
        }
    }
}

fn run<R: Runner>(runner: &mut R, launches: &[Launch]) -> Result<Report, Error<R::Error>> {
    Ok(runner.run(&Job { launches }, LIMIT_US)?)
}

/// The sum of so many runs.
fn repeat<E>(repetitions: u32, mut run: impl FnMut() -> Result<Report, E>) -> Result<Report, E> {
    let mut all = Report {
        cycles: Some(0),
        ..Report::default()
    };
    for _ in 0..repetitions {
        let report = run()?;
        all.elapsed_us += report.elapsed_us;
        all.programs += report.programs;
        all.cycles = all
            .cycles
            .zip(report.cycles)
            .map(|(sum, cycles)| sum + cycles);
    }
    Ok(all)
}

/// Puts a loop of `bytes` bytes, a multiple of 64, at the start of a line, and what begins and ends
/// it, into the memory of `runner`: `bench-code.qasm` and `nop`s.
fn place_loop<R: Runner>(runner: &mut R, bytes: u32) -> Result<Buffer, R::Error> {
    let (head, tail) = BENCH_CODE.split_at(HEAD);
    let nops = (bytes as usize / 8).saturating_sub(LOOP);
    let tail = tail.iter().enumerate().map(move |(at, &word)| match at {
        // The branch's offset is its lower word.
        1 => word >> 32 << 32 | u64::from((word as u32).wrapping_sub(8 * nops as u32)),
        _ => word,
    });
    // The last instruction of the head is a `nop`.
    let nops = core::iter::repeat_n(head[HEAD - 1], nops);
    // A page, so that lines lie in the sets of caches as they do anywhere else.
    place_at(runner, 4096, head.iter().copied().chain(nops).chain(tail))
}

/// VPM write setup for vectors of words one after the other, from number `first` on: rows, or
/// columns of which 16 lie side by side in each block of sixteen rows.
///
/// Source: VideoCore IV 3D Architecture Reference Guide, table 32.
const fn vpm_setup(first: u32, columns: bool) -> u32 {
    /// A step of one vector, and elements of 32 bits.
    const WORDS: u32 = 1 << 12 | 2 << 8;
    const HORIZONTAL: u32 = 1 << 11;
    // A row's number is Y; a column's is Y's upper two bits and X.
    if columns {
        WORDS | first
    } else {
        WORDS | HORIZONTAL | first
    }
}
