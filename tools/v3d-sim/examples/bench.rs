//! How many QPU instructions a second the simulator executes.
//!
//! Twelve QPUs run a loop of float arithmetic with both ALUs, rotations, flags, register files and a TMU
//! lookup, about the mix of an FFT. Run with `cargo run --release -p v3d-sim --example bench`.

use qpu::generate::*;
use qpu::isa::BranchCond;
use qpu::job::{CacheClear, Job, Launch, Program, Runner};
use std::time::Instant;
use v3d_sim::SimRunner;

const LOOPS: u32 = 20_000;

fn program() -> Vec<u64> {
    let mut b = Builder::new();
    b.mov(ra(1), UNIF);
    b.shl(R2, ELEM_NUM, 2);
    b.itof(R0, ELEM_NUM);
    b.mov(rb(2), R0);
    b.mov(R1, R0);
    b.mov(R3, R0);
    b.add(rb(1), R2, ra(1));
    b.ldi(ra(0), LOOPS);
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
    b.finish().unwrap_or_else(|error| panic!("{error}"))
}

fn main() {
    let words: Vec<u32> = program()
        .iter()
        .flat_map(|word| [*word as u32, (word >> 32) as u32])
        .collect();
    for (name, functional, seed) in [
        ("functional", true, None),
        ("functional, order 1", true, Some(1)),
        ("with time", false, None),
    ] {
        let mut runner = SimRunner::new(1 << 20).with_functional(functional);
        if let Some(seed) = seed {
            runner = runner.with_order_seed(seed);
        }
        let code = runner.alloc(words.len() as u32 * 4, 64).expect("room");
        runner.write(code, 0, &words).expect("fits");
        let data = runner.alloc(4096, 4096).expect("room");
        runner.write(data, 0, &[0x3f80_0000; 1024]).expect("fits");
        let uniforms = runner.alloc(64, 64).expect("room");
        runner.write(uniforms, 0, &[data.addr.0]).expect("fits");
        let programs = [Program {
            code: code.addr,
            uniforms: uniforms.addr,
        }; 12];
        let launches = [Launch {
            programs: &programs,
            clear: CacheClear::All,
        }];
        let start = Instant::now();
        runner
            .run(
                &Job {
                    launches: &launches,
                },
                10_000_000,
            )
            .unwrap_or_else(|error| panic!("{error}"));
        let seconds = start.elapsed().as_secs_f64();
        let instructions: u64 = runner.statistics().instructions.iter().sum();
        println!(
            "{name}: {instructions} instructions in {seconds:.2} s: {:.1} million a second",
            instructions as f64 / seconds / 1e6
        );
    }
}
