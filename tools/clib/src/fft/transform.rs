//! From checked options to a plan on the simulator, and its runs.

use qpu::job::{Report, Runner};
use qpu_fft::planner::BOARD_BYTES;
use qpu_fft::planner::tuning::Chip;
use qpu_fft::request::{Error, Request, Scale, Transform, TransformKind};
use qpu_fft::{Direction, Plan};
use qpu_programs::FFT;
use v3d_sim::{Board, Config, SimError, SimRunner};

use super::structures::{FftOptions, FftResult, FftSizes};
use crate::boundary::{Failure, LIMIT_US, choice, clock_of, status, wrong};

/// `QPUSCOPE_FUNCTIONAL`.
const FUNCTIONAL: u32 = 1;

/// The simulated V3D that is asked for.
pub struct Machine {
    board: Board,
    clock_hz: u32,
    is_timed: bool,
}

impl Machine {
    /// The V3D of a board, at its own clock where `clock_hz` is 0.
    pub fn new(board: u32, clock_hz: u32, flags: u32) -> Result<Self, Failure> {
        let board = choice("board", board, &Board::ALL)?;
        if flags & !FUNCTIONAL != 0 {
            let text = format!("options.flags is {flags:#x}; 0 and 1 have a meaning");
            return Err(wrong(text));
        }
        Ok(Self {
            board,
            clock_hz: clock_of(board, clock_hz)?,
            is_timed: flags & FUNCTIONAL == 0,
        })
    }

    /// A runner with so much memory. Programs that break a rule are stopped.
    pub fn runner(&self, bytes: u32) -> SimRunner {
        let config = Config {
            strict: true,
            functional: !self.is_timed,
            clock_hz: self.clock_hz,
            ..Config::for_board(self.board)
        };
        SimRunner::with_config(bytes, config)
    }

    /// The result of a run, for the caller.
    pub fn result(&self, report: &Report) -> FftResult {
        FftResult {
            struct_size: size_of::<FftResult>() as u32,
            timed: self.is_timed.into(),
            clock_hz: self.clock_hz,
            programs: report.programs,
            cycles: report.cycles.unwrap_or(0),
        }
    }
}

/// A simulator that does not do what our programs ask for.
pub fn failed(error: SimError) -> Failure {
    let text = format!("the simulated V3D failed: {error}; report it");
    Failure::new(status::ERROR_INTERNAL, text)
}

/// `qpuscope_fft`: a plan, and the simulated V3D that it is made ready on.
pub struct Fft {
    runner: SimRunner,
    plan: Plan,
    direction: Direction,
    machine: Machine,
}

fn request(options: &FftOptions, board: Board) -> Result<(Request, Direction), Failure> {
    let segments = options.segments.max(1);
    let powers = |is_real| TransformKind::Powers { is_real, segments };
    let kinds = [
        TransformKind::Complex,
        TransformKind::Real,
        powers(false),
        powers(true),
    ];
    let kind = choice("kind", options.kind, &kinds)?;
    let directions = [Direction::Forward, Direction::Inverse];
    let direction = choice("direction", options.direction, &directions)?;
    let scales = [Scale::None, Scale::ByPoints, Scale::ByRootOfPoints];
    let scale = choice("scale", options.scale, &scales)?;
    let transform = kind.of(options.points.into(), direction);
    let transform = transform.map_err(|failure| wrong(failure.to_string()))?;
    let mut request = Request::of(transform, options.batch.max(1));
    match direction {
        Direction::Forward => request.forward = scale,
        Direction::Inverse => request.inverse = scale,
    }
    request.chip = Chip::with_system_l2(board.has_system_l2());
    Ok((request, direction))
}

impl Fft {
    /// A plan for these options.
    pub fn new(options: &FftOptions) -> Result<Self, Failure> {
        let machine = Machine::new(options.board, options.clock_hz, options.flags)?;
        let (request, direction) = request(options, machine.board)?;
        let memory = Plan::memory::<SimError>(FFT, &request);
        let memory = memory.map_err(|error| match error {
            Error::TooLarge(_) => Failure::new(status::ERROR_MEMORY, error.to_string()),
            error => wrong(error.to_string()),
        })?;
        let [input, output] = [request.input_bytes(), request.output_bytes()];
        let bytes = u64::from(memory.total())
            .saturating_add(input)
            .saturating_add(output);
        if bytes > BOARD_BYTES {
            return Err(Failure::new(
                status::ERROR_MEMORY,
                format!(
                    "the plan needs {bytes} bytes, and a board has {BOARD_BYTES} for the QPUs: take fewer points or a \
                     smaller batch"
                ),
            ));
        }
        // Buffers begin at multiples of 4096.
        let mut runner = machine.runner(bytes as u32 + 3 * 4096);
        let plan = Plan::with_buffers(FFT, &request, &mut runner);
        let plan = plan.map_err(|error| wrong(error.to_string()))?;
        Ok(Self {
            runner,
            plan,
            direction,
            machine,
        })
    }

    /// Floats that it reads and writes.
    pub fn sizes(&self) -> FftSizes {
        let request = self.plan.request();
        let segments = u64::from(request.batch) * u64::from(request.transform.segments());
        FftSizes {
            struct_size: size_of::<FftSizes>() as u32,
            reserved: 0,
            input_count: request.input_bytes() / 4,
            input_step: request.input_bytes() / 4 / segments,
            output_count: request.output_bytes() / 4,
            output_step: request.output_bytes() / 4 / u64::from(request.batch),
            memory_bytes: request.input_bytes()
                + request.output_bytes()
                + u64::from(self.plan.arrangement().memory.total()),
        }
    }

    /// Transforms so many floats as [`Fft::sizes`] says.
    pub fn execute(&mut self, points: &[f32]) -> Result<(Vec<f32>, FftResult), Failure> {
        let words: Vec<u32> = points.iter().map(|point| point.to_bits()).collect();
        let (input, output) = (self.plan.input(), self.plan.output());
        self.runner.write(input, 0, &words).map_err(failed)?;
        let report = self.plan.run(&mut self.runner, self.direction, LIMIT_US);
        let report = report.map_err(|error| match error {
            Error::Runner(error) => failed(error),
            error => Failure::new(status::ERROR_INTERNAL, format!("{error}; report it")),
        })?;
        let mut words = vec![0; self.sizes().output_count as usize];
        self.runner.read(output, 0, &mut words).map_err(failed)?;
        let result = self.machine.result(&report);
        let mut bins: Vec<f32> = words.into_iter().map(f32::from_bits).collect();
        let step = self.sizes().output_step as usize;
        let used = self.used_of(step);
        for transform in bins.chunks_exact_mut(step) {
            transform[used..].fill(0.0);
        }
        Ok((bins, result))
    }

    /// Floats of an output of `step` floats that hold bins; rows are filled up behind the last bin.
    fn used_of(&self, step: usize) -> usize {
        let points = self.plan.points() as usize;
        match self.plan.request().transform {
            Transform::RealToBins { .. } => points + 2,
            Transform::Powers(powers) if powers.is_real => points / 2 + 1,
            _ => step,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::guard;

    /// Numbers at the edges of what 32 bits hold.
    const EDGES: [u32; 6] = [0, 1, 3, 16, 1 << 31, u32::MAX];

    fn plan(options: &FftOptions) -> i32 {
        guard(|| Fft::new(options).map(|_| ()))
    }

    #[test]
    fn numbers_at_the_edges_are_refused_by_their_names() {
        let zero = FftOptions {
            points: 32,
            flags: FUNCTIONAL,
            ..FftOptions::default()
        };
        for number in EDGES {
            for other in EDGES {
                let sizes = FftOptions {
                    points: number,
                    batch: other,
                    ..zero
                };
                let means = FftOptions {
                    kind: 2,
                    batch: number,
                    segments: other,
                    ..zero
                };
                let real = FftOptions {
                    kind: 3,
                    points: 1 << 23,
                    ..means
                };
                for options in [sizes, means, real] {
                    let status = plan(&options);
                    assert_ne!(status, status::ERROR_INTERNAL, "{options:?}");
                }
            }
        }
    }

    #[test]
    fn a_clock_that_no_chip_has_is_refused_with_the_range() {
        let clock = |clock_hz| FftOptions {
            points: 32,
            clock_hz,
            ..FftOptions::default()
        };
        for hz in [1, 10, 49_999_999, 1_000_000_001, u32::MAX] {
            let failure = Fft::new(&clock(hz)).err().expect("a refusal");
            assert_eq!(failure.status, status::ERROR_OPTION);
            let said = format!(
                "options.clock_hz is {hz}; give 50000000 to 1000000000, or 0 for the board's own"
            );
            assert_eq!(failure.text, said);
        }
        for hz in [0, 50_000_000, 1_000_000_000] {
            let mut plan = Fft::new(&clock(hz)).unwrap_or_else(|f| panic!("{}", f.text));
            let done = plan.execute(&[0.5; 64]);
            assert!(done.is_ok_and(|(_, result)| result.cycles > 0), "{hz}");
        }
    }
}
