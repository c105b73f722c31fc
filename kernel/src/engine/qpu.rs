//! The QPU engine: FFT plans of `qpu::fft` on whatever runs QPU jobs.
//!
//! On the device the runner is the V3D driver, in host tests the simulator; plan and programs are
//! the same. Plans stay prepared while the runner's memory holds them, so that changing between
//! lengths costs nothing; when it is full, all make room for the new one. After a job that failed
//! nothing is taken for granted: V3D has been restarted, and the next [`Engine::prepare`] starts
//! from empty memory.
//!
//! Simulated, not yet run on hardware.

use dsp::{Complex, Direction};
use qpu::fft::{self, MAX_LOG2_POINTS, MIN_LOG2_POINTS, Plan};
use qpu::job::{Buffer, QpuSet, Runner};
use wire::RunQpu;

use super::{Engine, EngineError, EngineKind, Timing, qpu_test};

/// How long a pass may take. The longest takes well under a millisecond (simulated).
pub const LIMIT_US: u32 = 50_000;

/// Lengths with a plan.
const LENGTHS: usize = (MAX_LOG2_POINTS - MIN_LOG2_POINTS + 1) as usize;
/// Complex points that are copied at a time.
const CHUNK: usize = 32;

/// FFTs on the QPUs of a runner.
pub struct QpuEngine<R: Runner> {
    runner: R,
    error: fn(R::Error) -> EngineError,
    /// By length, from the shortest.
    plans: [Option<Plan>; LENGTHS],
    /// Length that was prepared last.
    current: Option<usize>,
}

impl<R: Runner> QpuEngine<R> {
    /// An engine on `runner`, all of whose memory it may use. `error` says what an error of the
    /// runner means.
    pub const fn new(runner: R, error: fn(R::Error) -> EngineError) -> Self {
        Self {
            runner,
            error,
            plans: [const { None }; LENGTHS],
            current: None,
        }
    }

    /// The runner, for what is not an FFT. Buffers that the caller takes are lost at the next
    /// preparation that needs room.
    pub const fn runner(&mut self) -> &mut R {
        &mut self.runner
    }

    /// Gives up all plans and their memory.
    fn clear(&mut self) {
        self.plans = [const { None }; LENGTHS];
        self.current = None;
        self.runner.release_all();
    }

    fn convert(&self, error: fft::Error<R::Error>) -> EngineError {
        match error {
            fft::Error::Length(_) => EngineError::Length,
            // The catalogue is built with the planner: only a length can be missing from both.
            fft::Error::Catalogue(..) => EngineError::NotAvailable,
            fft::Error::Runner(error) => (self.error)(error),
        }
    }
}

/// Position of a length among the plans.
fn index(log2n: u32) -> Option<usize> {
    (MIN_LOG2_POINTS..=MAX_LOG2_POINTS).position(|length| length == log2n)
}

impl<R: Runner> Engine for QpuEngine<R> {
    fn kind(&self) -> EngineKind {
        EngineKind::Qpu
    }

    fn supports(&self, log2n: u32) -> bool {
        index(log2n).is_some()
    }

    fn prepare(&mut self, log2n: u32) -> Result<(), EngineError> {
        let index = index(log2n).ok_or(EngineError::Length)?;
        if self.plans[index].is_none() {
            let catalogue = &qpu_programs::CATALOGUE;
            let plan = Plan::new(catalogue, log2n, &mut self.runner).or_else(|_| {
                self.clear();
                Plan::new(catalogue, log2n, &mut self.runner)
            });
            match plan {
                Ok(plan) => self.plans[index] = Some(plan),
                Err(error) => {
                    self.clear();
                    return Err(self.convert(error));
                }
            }
        }
        self.current = Some(index);
        Ok(())
    }

    fn transform(
        &mut self,
        direction: Direction,
        data: &mut [Complex<f32>],
    ) -> Result<Timing, EngineError> {
        let plan = self.current.and_then(|index| self.plans[index].as_mut());
        let plan = plan.filter(|plan| plan.points() as usize == data.len());
        let plan = plan.ok_or(EngineError::Length)?;
        let result = transform(plan, &mut self.runner, direction, data);
        result.map_err(|error| {
            self.clear();
            self.convert(error)
        })
    }

    fn run_program(&mut self, request: &RunQpu, output: &mut [u32]) -> Result<u32, EngineError> {
        self.clear();
        super::run_program(&mut self.runner, request, output).map_err(self.error)
    }

    fn test_qpus(&mut self, on: QpuSet) -> Result<qpu_test::Verdict, EngineError> {
        self.clear();
        qpu_test::round(&mut self.runner, on).map_err(self.error)
    }
}

fn transform<R: Runner>(
    plan: &mut Plan,
    runner: &mut R,
    direction: Direction,
    data: &mut [Complex<f32>],
) -> Result<Timing, fft::Error<R::Error>> {
    write(runner, plan.input(), data)?;
    let direction = match direction {
        Direction::Forward => fft::Direction::Forward,
        Direction::Inverse => fft::Direction::Inverse,
    };
    let report = plan.run(runner, direction, LIMIT_US)?;
    read(runner, plan.output(), data)?;
    Ok(Timing {
        qpu_us: report.elapsed_us,
        cpu_us: 0,
    })
}

fn write<R: Runner>(runner: &mut R, to: Buffer, data: &[Complex<f32>]) -> Result<(), R::Error> {
    let mut words = [0; 2 * CHUNK];
    for (number, chunk) in data.chunks(CHUNK).enumerate() {
        for (pair, z) in words.chunks_exact_mut(2).zip(chunk) {
            pair.copy_from_slice(&[z.re.to_bits(), z.im.to_bits()]);
        }
        runner.write(to, (number * words.len()) as u32, &words[..2 * chunk.len()])?;
    }
    Ok(())
}

fn read<R: Runner>(
    runner: &mut R,
    from: Buffer,
    data: &mut [Complex<f32>],
) -> Result<(), R::Error> {
    let mut words = [0; 2 * CHUNK];
    for (number, chunk) in data.chunks_mut(CHUNK).enumerate() {
        runner.read(
            from,
            (number * 2 * CHUNK) as u32,
            &mut words[..2 * chunk.len()],
        )?;
        for (z, pair) in chunk.iter_mut().zip(words.chunks_exact(2)) {
            *z = Complex::new(f32::from_bits(pair[0]), f32::from_bits(pair[1]));
        }
    }
    Ok(())
}
