//! QPU instructions a second that the simulator executes, functional and with time.
//!
//! `cargo run --release -p v3d-sim --example bench [NAME [functional|time]]` runs every workload,
//! or those whose name contains NAME, and prints one line each: instructions, and millions of them
//! for each second of this thread's CPU time (of wall-clock time where the system does not tell).
//! Workloads: a loop that keeps both ALUs of twelve QPUs busy, this project's FFT of 4096 points,
//! and GPU_FFT's own shaders where `QPUSCOPE_USERLAND` names a checkout of raspberrypi/userland; of
//! these 2^20 points only when named.

use fidelity::gpu_fft::{Plan, Shape, hello_fft};
use fidelity::{Machine, Release, Userland};
use qpu::generate::*;
use qpu::isa::BranchCond;
use qpu::job::Runner;
use qpu_fft::request::Request;
use std::time::Instant;
use v3d_sim::{Config, SimRunner, Statistics};

/// Iterations of the ALU loop: about three million instructions.
const ITERATIONS: u32 = 8_000;

/// Transforms by this project's FFT.
const TRANSFORMS: u32 = 40;

/// Clocks after which a program does not end any more.
const LIMIT_CLOCKS: u64 = 1 << 32;

/// About the mix of an FFT: float arithmetic with both ALUs, rotations, conditions, both register
/// files, and a lookup.
fn alu_loop() -> Vec<u32> {
    let mut b = Builder::new();
    b.mov(ra(1), UNIF);
    b.shl(R2, ELEM_NUM, 2);
    b.itof(R0, ELEM_NUM);
    b.mov(rb(2), R0);
    b.mov(R1, R0);
    b.mov(R3, R0);
    b.add(rb(1), R2, ra(1));
    b.ldi(ra(0), ITERATIONS);
    let repeat = b.here("repeat");
    b.mov(TMU0_S, rb(1));
    for _ in 0..6 {
        b.fadd(R0, R0, R1).fmul(R1, R1, rb(2));
        b.fsub(ra(4), R0, R3).fmul(R3, R3, 0.5);
        b.mov(R2, R0).mov(R3, R1).rotate(4);
        b.fmul(rb(3), R2, R3);
    }
    b.nop().ldtmu0();
    b.mov(rb(2), R4);
    b.sub(ra(0), ra(0), 1).setf();
    b.brr(BranchCond::AllZC, repeat);
    b.nops(3);
    b.end();
    let words = b.finish().unwrap_or_else(|error| panic!("{error}"));
    words
        .iter()
        .flat_map(|word| [*word as u32, (word >> 32) as u32])
        .collect()
}

fn run_alu_loop(config: Config) -> impl FnOnce() -> u64 {
    let mut machine = Machine::new(config, 1 << 20);
    let code = machine.alloc(4096).expect("room");
    machine.store(code, &alu_loop());
    let data = machine.alloc(4096).expect("room");
    machine.store(data, &[0x3f80_0000; 1024]);
    let uniforms = machine.alloc(4096).expect("room");
    machine.store(uniforms, &[data]);
    move || {
        let run = machine.run(&[(code, uniforms); 12], LIMIT_CLOCKS);
        total(&run.unwrap_or_else(|error| panic!("{error}")).statistics)
    }
}

fn run_own_fft(config: Config) -> impl FnOnce() -> u64 {
    let mut runner = SimRunner::with_config(1 << 20, config);
    let request = Request::new(12, 1);
    let plan = qpu_fft::Plan::with_buffers(qpu_programs::FFT, &request, &mut runner);
    let mut plan = plan.expect("4096 points");
    let input: Vec<u32> = (0..8192)
        .map(|n| (n as f32 * 0.37).sin().to_bits())
        .collect();
    move || {
        for _ in 0..TRANSFORMS {
            runner.write(plan.input(), 0, &input).expect("fits");
            plan.run(&mut runner, qpu_fft::Direction::Forward, 1_000_000)
                .expect("a transform");
        }
        total(&runner.statistics())
    }
}

fn run_gpu_fft(userland: &Userland, log2n: u32, jobs: u32, config: Config) -> impl FnOnce() -> u64 {
    let shape = Shape::inverse(Release::V3, log2n, jobs);
    let (mut machine, plan) =
        Plan::alone(userland, shape, config).unwrap_or_else(|error| panic!("{error}"));
    hello_fft::fill(&plan, &mut machine);
    move || {
        let run = plan.execute(&mut machine);
        total(&run.unwrap_or_else(|error| panic!("{error}")).statistics)
    }
}

fn total(statistics: &Statistics) -> u64 {
    statistics.instructions.iter().sum()
}

/// Nanoseconds that this thread has run; Linux says so.
fn cpu_ns() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

fn measure<'a>(
    name: &str,
    functional: bool,
    prepare: impl FnOnce(Config) -> Box<dyn FnOnce() -> u64 + 'a>,
) {
    let run = prepare(Config {
        functional,
        ..Config::default()
    });
    let (start, cpu) = (Instant::now(), cpu_ns());
    let instructions = run();
    let seconds = match (cpu, cpu_ns()) {
        (Some(before), Some(after)) => (after - before) as f64 / 1e9,
        _ => start.elapsed().as_secs_f64(),
    };
    println!(
        "{name:<16} {:<10} {instructions:>10} instructions {seconds:>7.3} s {:>6.1} million a second",
        if functional {
            "functional"
        } else {
            "with time"
        },
        instructions as f64 / seconds / 1e6
    );
}

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let userland = Userland::from_environment().unwrap_or_else(|error| panic!("{error}"));
    let is_wanted = |name: &str| name.contains(&wanted);
    let modes: &[bool] = match std::env::args().nth(2).as_deref() {
        Some("functional") => &[true],
        Some("time") => &[false],
        _ => &[true, false],
    };
    for &functional in modes {
        if is_wanted("alu loop") {
            measure("alu loop", functional, |config| {
                Box::new(run_alu_loop(config))
            });
        }
        if is_wanted("own fft 2^12") {
            measure("own fft 2^12", functional, |config| {
                Box::new(run_own_fft(config))
            });
        }
        let Some(userland) = &userland else {
            println!(
                "GPU_FFT: not run, set QPUSCOPE_USERLAND to a checkout of raspberrypi/userland"
            );
            continue;
        };
        for (log2n, jobs) in [(8, 200), (12, 20), (14, 5), (16, 2), (20, 1)] {
            let name = format!("gpu_fft 2^{log2n}");
            // The longest is for those who ask for it.
            if is_wanted(&name) && (log2n < 20 || !wanted.is_empty()) {
                measure(&name, functional, |config| {
                    Box::new(run_gpu_fft(userland, log2n, jobs, config))
                });
            }
        }
    }
}
