//! Memory taken by a job whose RAM is 256 MiB, all of which it reads and stores to.
//!
//! `cargo run --release -p v3d-sim --example memory` prints the largest resident size of the
//! process (Linux) and exits with 1 when it is above 300 MiB.

use qpu::generate::*;
use qpu::isa::BranchCond;
use qpu::job::{BusAddr, CacheClear, Program};
use v3d_sim::{JobEnd, JobLaunch, JobOptions, SparseMemory, run_job};

const RAM: u32 = 256 << 20;
const BASE: u32 = 0x4000_0000;
const MOST_KIB: u64 = 300 << 10;

/// Rows of 64 bytes in a store, and bytes that a round of the loop moves on.
const ROWS: u32 = 64;
const STEP: u32 = ROWS * 64;

fn program() -> Vec<u64> {
    let mut b = Builder::new();
    b.mov(ra(0), UNIF); // where it starts
    b.mov(ra(1), UNIF); // rounds
    b.ldi(WR_SETUP, 0x8010_4000u32 | ROWS << 23);
    b.ldi(WR_SETUP, 0xc000_0000u32);
    b.shl(R1, ELEM_NUM, 6); // a line for each lane
    b.ldi(R3, STEP);
    let again = b.here("again");
    b.add(R0, ra(0), R1);
    b.mov(TMU0_S, R0);
    b.mov(ST_ADDR, ra(0));
    b.nop().ldtmu0();
    b.mov(NONE, ST_WAIT);
    b.add(ra(0), ra(0), R3);
    b.sub(ra(1), ra(1), 1).setf();
    b.brr(BranchCond::AllZC, again);
    b.nops(3);
    b.end();
    b.finish_unchecked().expect("it encodes")
}

fn main() -> std::process::ExitCode {
    let mut memory = SparseMemory::new();
    memory.put_zero(BASE, RAM as usize);
    let code: Vec<u8> = program()
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    memory.put(BASE, &code);
    let rounds = (RAM - 2 * STEP) / STEP;
    let uniforms = [BASE + STEP, rounds].map(u32::to_le_bytes);
    memory.put(BASE + 2048, uniforms.as_flattened());
    for functional in [true, false] {
        let program = Program {
            code: BusAddr(BASE),
            uniforms: BusAddr(BASE + 2048),
        };
        let launches = vec![
            JobLaunch {
                programs: vec![program],
                clear: CacheClear::None,
            };
            2
        ];
        let options = JobOptions {
            functional,
            limit_cycles: u64::MAX,
            ..JobOptions::default()
        };
        let outcome = run_job(&mut memory, &launches, &options);
        assert_eq!(outcome.end, JobEnd::Completed, "{:?}", outcome.faults);
        println!(
            "functional {functional}: {} bytes stored, {} lookups",
            outcome.statistics.vdw.bytes, outcome.statistics.tmu_requests
        );
    }
    let Some(kib) = largest_resident_kib() else {
        println!("this system does not tell how much memory the process took");
        return std::process::ExitCode::SUCCESS;
    };
    println!(
        "{} MiB of RAM, {} MiB resident at most",
        RAM >> 20,
        kib >> 10
    );
    if kib > MOST_KIB {
        return std::process::ExitCode::FAILURE;
    }
    std::process::ExitCode::SUCCESS
}

fn largest_resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
