//! Whole programs, from words in memory to words in memory.

mod alu;
mod caches;
mod conflicts;
mod defects;
mod faults;
mod flow;
mod lab;
mod lanes;
mod races;
mod rules;
mod sharing;
mod tmu;
mod uniforms;
mod vpm;
mod warned;

use lab::Lab;
use qpu::generate::*;
use qpu::vpm::Block;
use v3d_sim::SimRunner;

/// A lab in which a warning is an error.
fn strict() -> Lab {
    Lab::with(SimRunner::new(1 << 20))
}

#[test]
fn a_uniform_and_a_constant_are_stored() {
    let mut lab = strict();
    let mut b = Builder::new();
    b.ldi(WR_SETUP, Block::row(0).write_setup().unwrap());
    b.mov(R0, ELEM_NUM);
    b.add(R0, R0, UNIF);
    b.ldi(R1, 0x1000u32);
    b.add(VPM, R0, R1);
    lab::store(&mut b, lab.out);
    let program = lab.load(&b.finish().unwrap(), &[500]);
    lab.run(&[program]).unwrap();
    assert_eq!(
        lab.rows()[0],
        std::array::from_fn(|lane| 0x1000 + 500 + lane as u32)
    );
    let statistics = lab.runner.statistics();
    assert_eq!(statistics.instructions[11], b.len() as u64);
    assert_eq!((statistics.vdw.commands, statistics.vdw.bytes), (1, 1024));
}

/// The counterpart from words that others assembled (vc4asm, asurati, Broadcom).
#[test]
fn a_program_of_known_words_runs() {
    let mut lab = strict();
    let words = [
        0x1002_0827_1582_7d80, // mov r0, unif
        0xe002_08e7_0000_0080, // ldi r3, 128
        0xe002_1c67_0000_1a00, // ldi wr_setup, H32 row 0
        0x1002_0827_0c9e_70c0, // add r0, r0, r3
        0x1002_0c27_159e_7000, // mov vpm, r0
        0xe002_1c67_8090_4000, // ldi wr_setup, one row of 16
        0xe002_1c67_c000_0000, // ldi wr_setup, stride 0
        0x1002_0867_1582_7d80, // mov r1, unif
        0x1002_1ca7_159e_7240, // mov st_addr, r1
        0x1002_09e7_159f_2e00, // or -, st_wait, r0
        0xd002_09a7_159c_1fc0, // mov host_int, 1
        0x3000_09e7_009e_7000, // thrend
        0x1000_09e7_009e_7000,
        0x1000_09e7_009e_7000,
    ];
    let program = lab.load(&words, &[1000, lab.out.addr.0]);
    lab.run(&[program]).unwrap();
    assert_eq!(lab.rows()[0], [1128; 16]);
    assert_eq!(lab.rows()[1], [0xdddd_dddd; 16]);
    assert_eq!(lab.runner.statistics().host_interrupts, 1);
}

#[test]
fn lanes_look_up_what_they_ask_for() {
    let mut lab = strict();
    let table = lab.put(&(0..64).map(|n| n * n).collect::<Vec<u32>>());
    let result = lab.program(&[table.addr.0], |b| {
        b.shl(R0, ELEM_NUM, 3);
        b.add(TMU0_S, R0, UNIF);
        b.nop().ldtmu0();
        lab::show(b, R4);
    });
    assert_eq!(
        result.rows[0],
        std::array::from_fn(|lane| 4 * (lane * lane) as u32)
    );
    assert_eq!(lab.runner.statistics().counters[24], 16);
}
