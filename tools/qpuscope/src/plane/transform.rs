//! Transforms of planes: on the simulated V3D, or on a board's.

use qpu::fft::request::{Error, Request, Scale, Transform};
use qpu::fft::{Direction, Plan};
use qpu::job::{Buffer, Job, LaunchOrder, QpuSet, Report, Runner};
use qpu_programs::FFT;
use v3d_sim::{Board, SimRunner};

use super::{MIN_SIDE, Spectrum};
use crate::client::Client;
use crate::failure::{Failure, Result};
use crate::remote::Remote;

/// Simulated time that a launch may take.
const LIMIT_US: u32 = 60_000_000;
/// Bytes that a Pi 1 can leave to the QPUs beside the system.
const MEMORY: u64 = 384 << 20;

/// Where planes are transformed.
enum Machine {
    Simulated(Box<SimRunner>),
    Board(Box<Remote>),
}

/// Reports an error of the simulator as a failure.
fn broken<T>(result: std::result::Result<T, v3d_sim::SimError>) -> Result<T> {
    result.map_err(|error| {
        Failure::integrity(format!(
            "the simulated V3D failed: {error}; report it with the picture's size"
        ))
    })
}

impl Runner for Machine {
    type Error = Failure;

    fn alloc(&mut self, bytes: u32, align: u32) -> Result<Buffer> {
        match self {
            Self::Simulated(runner) => broken(runner.alloc(bytes, align)),
            Self::Board(remote) => remote.alloc(bytes, align),
        }
    }

    fn release_all(&mut self) {
        match self {
            Self::Simulated(runner) => runner.release_all(),
            Self::Board(remote) => remote.release_all(),
        }
    }

    fn write(&mut self, buffer: Buffer, first: u32, words: &[u32]) -> Result<()> {
        match self {
            Self::Simulated(runner) => broken(runner.write(buffer, first, words)),
            Self::Board(remote) => remote.write(buffer, first, words),
        }
    }

    fn read(&mut self, buffer: Buffer, first: u32, words: &mut [u32]) -> Result<()> {
        match self {
            Self::Simulated(runner) => broken(runner.read(buffer, first, words)),
            Self::Board(remote) => remote.read(buffer, first, words),
        }
    }

    fn use_qpus(&mut self, qpus: QpuSet) {
        match self {
            Self::Simulated(runner) => runner.use_qpus(qpus),
            Self::Board(remote) => remote.use_qpus(qpus),
        }
    }

    fn launch_order(&self) -> LaunchOrder {
        match self {
            Self::Simulated(runner) => runner.launch_order(),
            Self::Board(remote) => remote.launch_order(),
        }
    }

    fn run(&mut self, job: &Job, limit_us: u32) -> Result<Report> {
        match self {
            Self::Simulated(runner) => broken(runner.run(job, limit_us)),
            Self::Board(remote) => remote.run(job, limit_us),
        }
    }
}

/// A plan for planes of one size.
pub struct Planes {
    machine: Machine,
    plan: Plan,
    width: usize,
    height: usize,
}

/// A size that the planner refuses.
fn refused(width: usize, height: usize, error: Error<Failure>) -> Failure {
    Failure::usage(format!(
        "{width} x {height}: {error}; take a smaller picture"
    ))
}

impl Planes {
    /// Planes of `width` columns and `height` rows, on the board of `client` or simulated; the
    /// inverse divides by their points.
    ///
    /// # Errors
    /// Usage, when a side is no power of two, or the plane needs more memory than a board has; what
    /// the board says.
    pub fn new(width: usize, height: usize, client: Option<Client>) -> Result<Self> {
        let (request, bytes) = Self::request(width, height)?;
        // Buffers begin at multiples of 4096.
        let bytes = bytes as u32 + 3 * 4096;
        let mut machine = match client {
            None => Machine::Simulated(Box::new(SimRunner::new(bytes))),
            Some(client) => Machine::Board(Box::new(Remote::new(client, bytes)?)),
        };
        let plan = Plan::with_buffers(FFT, &request, &mut machine)
            .map_err(|error| refused(width, height, error))?;
        Ok(Self {
            machine,
            plan,
            width,
            height,
        })
    }

    /// The request for planes of this size, and the bytes that it needs.
    ///
    /// # Errors
    /// Usage, when a side is no power of two, or the plane needs more memory than a board has.
    pub fn request(width: usize, height: usize) -> Result<(Request, u64)> {
        let too_large = |bytes: u64| {
            Failure::usage(format!(
                "{width} x {height} needs {bytes} bytes for points, spectrum and between the passes, and a board \
                 has {MEMORY} for the QPUs; take a smaller picture"
            ))
        };
        for (side, name) in [(width, "wide"), (height, "high")] {
            if !side.is_power_of_two() || side < MIN_SIDE {
                return Err(Failure::usage(format!(
                    "the spectrum is {side} bins {name}; the QPUs transform powers of two from {MIN_SIDE} on"
                )));
            }
        }
        // Two planes of two numbers are the least that is needed.
        let least = 16 * width as u64 * height as u64;
        if least > MEMORY {
            return Err(too_large(least));
        }
        let transform = Transform::Plane {
            log2_rows: height.ilog2(),
            log2_columns: width.ilog2(),
        };
        let mut request = Request::of(transform, 1);
        request.inverse = Scale::ByPoints;
        let memory = Plan::memory(FFT, &request);
        let memory = memory.map_err(|error| refused(width, height, error))?;
        let bytes = u64::from(memory.total()) + 2 * request.input_bytes();
        if bytes > MEMORY {
            return Err(too_large(bytes));
        }
        Ok((request, bytes))
    }

    /// Transforms points of the plane's size; gives the result and what it took.
    ///
    /// # Errors
    /// When the simulated V3D faults, which is a bug; what the board says.
    ///
    /// # Panics
    /// When there are fewer points.
    pub fn run(&mut self, direction: Direction, points: &[[f32; 2]]) -> Result<(Spectrum, Report)> {
        let count = self.width * self.height;
        let words: Vec<u32> = points[..count]
            .iter()
            .flatten()
            .map(|x| x.to_bits())
            .collect();
        self.machine.write(self.plan.input(), 0, &words)?;
        let report = self.plan.run(&mut self.machine, direction, LIMIT_US);
        let report = report.map_err(|error| match error {
            Error::Runner(failure) => failure,
            error => Failure::integrity(format!("the plan failed: {error}; report this")),
        })?;
        let mut words = vec![0; 2 * count];
        self.machine.read(self.plan.output(), 0, &mut words)?;
        let bins = words.chunks_exact(2);
        let spectrum = Spectrum {
            width: self.width,
            height: self.height,
            bins: bins
                .map(|pair| [pair[0], pair[1]].map(f32::from_bits))
                .collect(),
        };
        Ok((spectrum, report))
    }

    /// Where they are transformed.
    #[must_use]
    pub fn place(&self) -> String {
        match &self.machine {
            Machine::Simulated(_) => format!("{} (simulated)", Board::Pi1.name()),
            Machine::Board(remote) => remote.description(),
        }
    }
}
