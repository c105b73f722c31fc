//! Times transforms of planes on the simulated V3D: rows, columns, and what both make together.
//!
//! ```text
//! cargo run --release -p qpu-programs --example planes [ROWS COLUMNS]..
//! ```
//!
//! ROWS and COLUMNS are powers of two, 4 for 16. A plane is transformed twice, forward; the second
//! run counts, as in `cargo xtask bench`. Beside it the rows alone, as a batch of transforms, run
//! in the same way. The last column has the clocks of each launch: where passes are not in one, of
//! each pass.

use qpu::job::{Buffer, Job, QpuSet, Report, Runner};
use qpu_fft::request::{Request, Transform};
use qpu_fft::{Direction, Plan};
use qpu_programs::FFT;
use std::error::Error;
use v3d_sim::{SimError, SimRunner};

/// Simulated time that a launch may take.
const LIMIT_US: u32 = 10_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let sizes: Vec<u32> = std::env::args()
        .skip(1)
        .map(|text| text.parse())
        .collect::<Result<_, _>>()?;
    let default = [4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 7, 9, 9, 7, 9, 9];
    let sizes = if sizes.is_empty() {
        &default[..]
    } else {
        &sizes[..]
    };
    println!("rows   columns  1 launch  QPUs    clocks  clk/point  rows alone  launches");
    for pair in sizes.chunks_exact(2) {
        let [log2_rows, log2_columns] = [pair[0], pair[1]];
        let points = f64::from(1 << (log2_rows + log2_columns));
        let transform = Transform::Plane {
            log2_rows,
            log2_columns,
        };
        for one_launch in [false, true] {
            for qpus in [12, 8, 6] {
                let with = |mut request: Request| {
                    // Not as the table says.
                    let split = Plan::arrangement_of::<()>(FFT, &request).map(|x| x.split);
                    request.split = split.ok();
                    (request.qpus, request.one_launch) = (qpus, one_launch);
                    time(&request)
                };
                let (clocks, launches) = with(Request::of(transform, 1))?;
                let (rows, _) = with(Request::new(log2_columns, 1 << log2_rows))?;
                println!(
                    "2^{log2_rows:<4} 2^{log2_columns:<6} {one_launch:8}  {qpus:4}  {clocks:8}  {:9.2}  {rows:10}  {launches:?}",
                    clocks as f64 / points,
                );
            }
        }
    }
    Ok(())
}

/// A runner that times each launch.
struct Timed {
    runner: SimRunner,
    launches: Vec<u64>,
}

impl Runner for Timed {
    type Error = SimError;

    fn alloc(&mut self, bytes: u32, align: u32) -> Result<Buffer, SimError> {
        self.runner.alloc(bytes, align)
    }

    fn release_all(&mut self) {
        self.runner.release_all();
    }

    fn write(&mut self, buffer: Buffer, first: u32, words: &[u32]) -> Result<(), SimError> {
        self.runner.write(buffer, first, words)
    }

    fn read(&mut self, buffer: Buffer, first: u32, words: &mut [u32]) -> Result<(), SimError> {
        self.runner.read(buffer, first, words)
    }

    fn use_qpus(&mut self, qpus: QpuSet) {
        self.runner.use_qpus(qpus);
    }

    fn run(&mut self, job: &Job, limit_us: u32) -> Result<Report, SimError> {
        let mut report = Report::default();
        self.launches.clear();
        for launch in job.launches {
            let launches = &[*launch];
            report = self.runner.run(&Job { launches }, limit_us)?;
            self.launches.push(report.cycles.unwrap_or(0));
        }
        Ok(report)
    }
}

/// V3D clocks of the second run, and those of each launch.
fn time(request: &Request) -> Result<(u64, Vec<u64>), Box<dyn Error>> {
    let error = |error: qpu_fft::request::Error<v3d_sim::SimError>| error.to_string();
    let memory = Plan::memory(FFT, request).map_err(error)?;
    let data = request.input_bytes() as u32;
    let mut runner = Timed {
        runner: SimRunner::new(memory.total() + 2 * data + 65536),
        launches: vec![],
    };
    let mut plan = Plan::with_buffers(FFT, request, &mut runner).map_err(error)?;
    let words: Vec<u32> = (0..data / 4)
        .map(|index| ((index % 251) as f32 / 125.0 - 1.0).to_bits())
        .collect();
    for _ in 0..2 {
        runner.write(plan.input(), 0, &words)?;
        plan.run(&mut runner, Direction::Forward, LIMIT_US)
            .map_err(error)?;
    }
    Ok((runner.launches.iter().sum(), runner.launches))
}
