//! The speed of the programs that are written as text, by the simulator's cycle model.
//!
//! `cargo run --release -p qpu-programs --example speed`

use qpu::job::{CacheClear, Job, Launch, Program, QpuSet, Runner};
use qpu_programs::sha256::{Group, LANES, Sha256, blocks};
use qpu_programs::{memcpy, transpose::Transpose};
use v3d_sim::{DEFAULT_CLOCK_HZ, SimError, SimRunner};

const LIMIT_US: u32 = 10_000_000;
const COPIED_BYTES: u32 = 1 << 20;

fn main() -> Result<(), SimError> {
    println!("Pi 1, {} MHz, simulated", DEFAULT_CLOCK_HZ / 1_000_000);
    println!("memcpy of {} KiB", COPIED_BYTES >> 10);
    copy::<1>()?;
    copy::<2>()?;
    copy::<4>()?;
    copy::<8>()?;
    copy::<12>()?;
    println!("transpose of 512 x 512 words");
    for qpus in 1..=4 {
        transpose(512, qpus)?;
    }
    println!("sha256, 12 QPUs");
    for bytes in [55, 1000, 10_000] {
        sha256(bytes)?;
    }
    Ok(())
}

/// Clocks that the programs take, started together.
fn clocks(runner: &mut SimRunner, programs: &[Program]) -> Result<u64, SimError> {
    let launches = [Launch {
        programs,
        clear: CacheClear::All,
        qpus: QpuSet::ALL,
    }];
    let job = Job {
        launches: &launches,
    };
    Ok(runner.run(&job, LIMIT_US)?.cycles.unwrap_or(0))
}

/// Bytes moved in so many clocks, in 10^6 bytes a second.
fn mb_per_second(bytes: u32, clocks: u64) -> f64 {
    f64::from(bytes) * f64::from(DEFAULT_CLOCK_HZ) / clocks as f64 / 1e6
}

fn copy<const QPUS: usize>() -> Result<(), SimError> {
    let mut runner = SimRunner::new(8 << 20).with_functional(false);
    let from = runner.alloc(COPIED_BYTES, 4096)?;
    let to = runner.alloc(COPIED_BYTES, 4096)?;
    let programs = memcpy::programs::<_, QPUS>(&mut runner, from, to)?;
    let clocks = clocks(&mut runner, &programs)?;
    let speed = mb_per_second(COPIED_BYTES, clocks);
    println!("  {QPUS:2} QPUs {clocks:8} clocks {speed:6.0} MB/s");
    Ok(())
}

fn transpose(side: u32, qpus: u32) -> Result<(), SimError> {
    let mut runner = SimRunner::new(8 << 20).with_functional(false);
    let bytes = 4 * side * side;
    let from = runner.alloc(bytes, 4096)?;
    let to = runner.alloc(bytes, 4096)?;
    let matrix = Transpose::of_words(from.addr, to.addr, side, side).expect("whole tiles");
    let mut programs = [Program::default(); 4];
    let used = matrix.programs(&mut runner, qpus, &mut programs)?;
    let clocks = clocks(&mut runner, &programs[..used])?;
    let speed = mb_per_second(bytes, clocks);
    println!("  {qpus:2} QPUs {clocks:8} clocks {speed:6.0} MB/s");
    Ok(())
}

fn sha256(bytes: usize) -> Result<(), SimError> {
    const QPUS: usize = 12;
    let mut runner = SimRunner::new(8 << 20).with_functional(false);
    let mut sha256 = Sha256::new(&mut runner)?;
    let message = vec![0; bytes];
    let mut programs = vec![];
    for _ in 0..QPUS {
        let group = sha256.load(&mut runner, &[message.as_slice(); LANES])?;
        programs.push(Group::program(&group));
    }
    let clocks = clocks(&mut runner, &programs)?;
    let count = blocks(bytes) * LANES * QPUS;
    let blocks_per_second = count as f64 * f64::from(DEFAULT_CLOCK_HZ) / clocks as f64;
    let instructions: u64 = runner.statistics().instructions.iter().sum();
    let used = 4.0 * instructions as f64 / (clocks * QPUS as u64) as f64;
    println!(
        "  {bytes:5} bytes {clocks:8} clocks {:6.2} million blocks/s, {:.1} % of the issue slots",
        blocks_per_second / 1e6,
        100.0 * used
    );
    Ok(())
}
