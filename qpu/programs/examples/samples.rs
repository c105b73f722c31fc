//! Clocks of plans that read samples, beside complex f32 of the same length and batch.
//!
//! `cargo run --release -p qpu-programs --example samples [LOG2 ..]`: the second run of each plan,
//! by the simulator's cycle model. Without lengths: 2^4 to 2^14.

use qpu::job::Runner;
use qpu_fft::request::Request;
use qpu_fft::samples::Format;
use qpu_fft::{Direction, Plan};
use qpu_programs::FFT;
use v3d_sim::{SimError, SimRunner};

const LIMIT_US: u32 = 10_000_000;

fn main() -> Result<(), String> {
    let given: Result<Vec<u32>, _> = std::env::args().skip(1).map(|a| a.parse()).collect();
    let mut lengths = given.map_err(|error| format!("lengths are powers of two: {error}"))?;
    if lengths.is_empty() {
        lengths.extend(4..=14);
    }
    println!(
        "| points | batch | split | f32 | f32, window | i16 | i16, window | i32 | i32, window | u8 | u8, window |"
    );
    println!("|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for log2_points in lengths {
        for batch in [1, 10] {
            let mut request = Request::new(log2_points, batch);
            let plan = Plan::arrangement_of::<SimError>(FFT, &request);
            let split = plan.map_err(|error| error.to_string())?.split;
            print!("| 2^{log2_points} | {batch} | {split} |");
            for samples in [Format::F32, Format::I16, Format::I32, Format::U8] {
                for windowed in [false, true] {
                    (request.samples, request.windowed) = (samples, windowed);
                    let clocks = clocks(&request).map_err(|error| error.to_string())?;
                    print!(" {clocks} |");
                }
            }
            println!();
        }
    }
    Ok(())
}

/// The clocks of the second run, on whatever memory holds: programs take no decisions by data.
fn clocks(request: &Request) -> Result<u64, qpu_fft::request::Error<SimError>> {
    let memory = Plan::memory::<SimError>(FFT, request)?;
    let bytes = u64::from(memory.total()) + request.input_bytes() + request.output_bytes();
    let mut runner = SimRunner::new(bytes as u32 + (64 << 10));
    let mut plan = Plan::with_buffers(FFT, request, &mut runner)?;
    let zeros = vec![0; request.input_bytes() as usize / 4];
    runner.write(plan.input(), 0, &zeros)?;
    plan.run(&mut runner, Direction::Forward, LIMIT_US)?;
    let report = plan.run(&mut runner, Direction::Forward, LIMIT_US)?;
    Ok(report.cycles.unwrap_or_default())
}
