//! Assembles a program that stores its lanes' numbers plus a uniform, runs it, and prints what it
//! stored and how long it took.
//!
//! `cargo run -p v3d-sim --example lanes`

use qpu::job::{BusAddr, CacheClear, Program};
use v3d_sim::{JobLaunch, JobOptions, SparseMemory, run_job};

const CODE: u32 = 0x4000_1000;
const UNIFORMS: u32 = 0x4000_2000;
const RESULT: u32 = 0x4000_3000;

const SOURCE: &str = "
    mov r0, unif
    mov vw_setup, vpm_setup(1, 1, h32(0))
    add vpm, r0, elem_num
    mov vw_setup, vdw_setup_0(1, 16, dma_h32(0, 0))
    mov vw_addr, unif
    mov -, vw_wait
    nop; thrend
    nop
    nop
";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words = qpu::asm::assemble(SOURCE, &qpu::asm::Options::default())?.words;
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let uniforms = [100, RESULT].map(u32::to_le_bytes).concat();
    let mut memory = SparseMemory::new();
    memory.put(CODE, &code);
    memory.put(UNIFORMS, &uniforms);
    memory.put_zero(RESULT, 64);
    let program = Program {
        code: BusAddr(CODE),
        uniforms: BusAddr(UNIFORMS),
    };
    let launch = JobLaunch {
        programs: vec![program],
        clear: CacheClear::All,
    };
    let outcome = run_job(&mut memory, &[launch], &JobOptions::default());
    let stored = memory
        .get(RESULT, 64)
        .map_err(|fault| format!("{fault:?}"))?;
    let lanes = stored.as_chunks::<4>().0.iter();
    let lanes: Vec<u32> = lanes.map(|word| u32::from_le_bytes(*word)).collect();
    println!(
        "{lanes:?}\n{:?}, {} clocks of V3D",
        outcome.end, outcome.cycles
    );
    Ok(())
}
