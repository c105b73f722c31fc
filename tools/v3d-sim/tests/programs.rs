//! Whole programs, from words in memory to words in memory.

use qpu::generate::*;
use qpu::job::{Buffer, CacheClear, Job, Launch, Program, Runner};
use qpu::vpm::{Block, Store, store_stride};
use v3d_sim::SimRunner;

/// Loads code and uniforms into a runner.
fn load(runner: &mut SimRunner, words: &[u64], uniforms: &[u32]) -> Program {
    let words: Vec<u32> = words
        .iter()
        .flat_map(|word| [*word as u32, (word >> 32) as u32])
        .collect();
    let code = put(runner, &words);
    let uniforms = put(runner, uniforms);
    Program {
        code: code.addr,
        uniforms: uniforms.addr,
    }
}

fn put(runner: &mut SimRunner, words: &[u32]) -> Buffer {
    let buffer = runner.alloc(words.len().max(1) as u32 * 4, 64).unwrap();
    runner.write(buffer, 0, words).unwrap();
    buffer
}

fn get(runner: &mut SimRunner, buffer: Buffer) -> Vec<u32> {
    let mut words = vec![0; buffer.bytes as usize / 4];
    runner.read(buffer, 0, &mut words).unwrap();
    words
}

fn run(runner: &mut SimRunner, programs: &[Program]) -> Result<(), v3d_sim::SimError> {
    let launch = Launch {
        programs,
        clear: CacheClear::All,
    };
    runner
        .run(
            &Job {
                launches: &[launch],
            },
            10_000,
        )
        .map(|_| ())
}

/// Stores a row of the VPM to the address in the next uniform.
fn store_row(b: &mut Builder, row: u8) {
    b.ldi(WR_SETUP, Store::rows(1, row).setup().unwrap());
    b.ldi(WR_SETUP, store_stride(0));
    b.mov(ST_ADDR, UNIF);
    b.mov(NONE, ST_WAIT);
}

#[test]
fn a_uniform_and_a_constant_are_stored() {
    let mut runner = SimRunner::new(65536);
    let out = runner.alloc(64, 64).unwrap();
    let mut b = Builder::new();
    b.ldi(WR_SETUP, Block::row(3).write_setup().unwrap());
    b.mov(R0, ELEM_NUM);
    b.add(R0, R0, UNIF);
    b.ldi(R1, 0x1000u32);
    b.add(VPM, R0, R1);
    store_row(&mut b, 3);
    b.end();
    let program = load(&mut runner, &b.finish().unwrap(), &[500, out.addr.0]);
    run(&mut runner, &[program]).unwrap();
    let expected: Vec<u32> = (0..16).map(|lane| 0x1000 + 500 + lane).collect();
    assert_eq!(get(&mut runner, out), expected);
    let statistics = runner.statistics();
    assert_eq!(statistics.instructions[11], b.len() as u64);
    assert_eq!((statistics.vdw.commands, statistics.vdw.bytes), (1, 64));
}

/// The same, from words that others assembled (vc4asm, asurati; qpu.md 1.14).
#[test]
fn a_program_of_known_words_runs() {
    let mut runner = SimRunner::new(65536);
    let out = runner.alloc(64, 64).unwrap();
    let words = [
        0x1002_0827_1582_7d80,                          // mov r0, unif
        0xe002_08e7_0000_0080,                          // ldi r3, 128
        0xe002_1c67_0000_1a00,                          // ldi wr_setup, H32 row 0
        0x1002_0827_0c9e_70c0 & !(0xf << 60) | 1 << 60, // add r0, r0, r3
        0x1002_0c27_159e_7000,                          // mov vpm, r0
        0xe002_1c67_8090_4000,                          // ldi wr_setup, one row of 16
        0xe002_1c67_c000_0000,                          // ldi wr_setup, stride 0
        0x1002_0867_1582_7d80,                          // mov r1, unif
        0x1002_1ca7_159e_7240,                          // mov st_addr, r1
        0x1002_09e7_159f_2e00,                          // or -, st_wait, r0
        0xd002_09a7_159c_1fc0,                          // mov host_int, 1
        0x3000_09e7_009e_7000,                          // thrend
        0x1000_09e7_009e_7000,
        0x1000_09e7_009e_7000,
    ];
    let program = load(&mut runner, &words, &[1000, out.addr.0]);
    run(&mut runner, &[program]).unwrap();
    assert_eq!(get(&mut runner, out), [1128; 16]);
    assert_eq!(runner.statistics().host_interrupts, 1);
}

#[test]
fn lanes_look_up_what_they_ask_for() {
    let mut runner = SimRunner::new(65536);
    let table = put(&mut runner, &(0..64).map(|n| n * n).collect::<Vec<u32>>());
    let out = runner.alloc(64, 64).unwrap();
    let mut b = Builder::new();
    b.ldi(WR_SETUP, Block::row(0).write_setup().unwrap());
    b.shl(R0, ELEM_NUM, 3);
    b.add(TMU0_S, R0, UNIF);
    b.nop().ldtmu0();
    b.mov(VPM, R4);
    store_row(&mut b, 0);
    b.end();
    let program = load(
        &mut runner,
        &b.finish().unwrap(),
        &[table.addr.0, out.addr.0],
    );
    run(&mut runner, &[program]).unwrap();
    let expected: Vec<u32> = (0..16).map(|lane| 4 * lane * lane).collect();
    assert_eq!(get(&mut runner, out), expected);
    assert_eq!(runner.statistics().counters[24], 16);
}
