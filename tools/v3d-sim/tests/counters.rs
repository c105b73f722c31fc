//! The thirty performance counter sources through PCTR registers, with the cycle model.

use qpu::generate::*;
use v3d_sim::{Config, SOURCE_NAMES, SOURCES, SparseMemory, V3d};

const CODE: u32 = 0x4000_1000;
const UNIFORMS: u32 = 0x4000_2000;
const DATA: u32 = 0x4000_3000;

const PCTRC: u32 = 0x670;
const PCTRE: u32 = 0x674;
const PCTR0: u32 = 0x680;
const SRQPC: u32 = 0x430;
const SRQUA: u32 = 0x434;

/// Looks up 32 lines, stores what the last gave.
fn memory() -> SparseMemory {
    let mut b = Builder::new();
    b.mov(ra(0), UNIF);
    b.shl(R0, ELEM_NUM, 6);
    b.add(R1, ra(0), R0);
    b.mov(TMU0_S, R1);
    b.ldi(R2, 1024);
    b.add(TMU0_S, R1, R2);
    b.nop().ldtmu0();
    b.nop().ldtmu0();
    b.ldi(WR_SETUP, 0x1a00u32);
    b.mov(VPM, R4);
    b.ldi(WR_SETUP, 0x8090_4000u32);
    b.ldi(WR_SETUP, 0xc000_0000u32);
    b.mov(ST_ADDR, UNIF);
    b.mov(NONE, ST_WAIT);
    b.end();
    let words = b.finish_unchecked().unwrap();
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut memory = SparseMemory::new();
    memory.put(CODE, &code);
    memory.put(
        UNIFORMS,
        &[DATA, DATA + 4096].map(u32::to_le_bytes).concat(),
    );
    memory.put_zero(DATA, 8192);
    memory
}

/// Values of the counters of these sources after a program on each of five QPUs, and the block
/// itself, for its own statistics.
fn run(sources: &[usize]) -> (Vec<u32>, V3d) {
    let mut memory = memory();
    let mut v3d = V3d::new(Config {
        functional: false,
        ..Config::default()
    });
    // VPMBASE: all of the VPM.
    v3d.write_register(0x504, 16);
    for (counter, source) in sources.iter().enumerate() {
        v3d.write_register(PCTR0 + 8 * counter as u32 + 4, *source as u32);
    }
    v3d.write_register(PCTRC, 0xffff);
    v3d.write_register(PCTRE, 1 << 31 | 0xffff);
    for _ in 0..5 {
        v3d.write_register(SRQUA, UNIFORMS);
        v3d.write_register(SRQPC, CODE);
    }
    // In parts, as a driver that polls lets time pass.
    while v3d.is_running() {
        v3d.advance(&mut memory, 7);
        assert!(v3d.clocks() < 100_000);
    }
    assert!(v3d.faults().is_empty(), "{:?}", v3d.faults());
    let counts = (0..sources.len() as u32).map(|n| v3d.read_register(PCTR0 + 8 * n));
    (counts.collect::<Vec<_>>(), v3d)
}

#[test]
fn every_source_can_be_counted() {
    let all: Vec<usize> = (0..SOURCES).collect();
    for sources in all.chunks(16) {
        let (counts, v3d) = run(sources);
        let counters = v3d.statistics().counters;
        for (source, count) in sources.iter().zip(counts) {
            let name = SOURCE_NAMES[*source];
            assert_eq!(u64::from(count), counters[*source], "{source}: {name}");
        }
    }
}

/// Findings of experiments on chips about programs of users (docs/hardware/qpu.md 6.3).
#[test]
fn counts_keep_the_identities_of_the_chip() {
    let (counts, v3d) = run(&[16, 20, 21, 22, 24, 25, 29]);
    let instructions: u64 = v3d.statistics().instructions.iter().sum();
    let [
        executing,
        hits,
        fills,
        uniforms,
        quads,
        tmu_misses,
        l2c_misses,
    ] = counts[..].try_into().unwrap();
    assert_eq!(u64::from(executing), 4 * instructions);
    assert_eq!(u64::from(hits), instructions);
    // 19 instructions are 3 lines in each of the two slices that QPUs 11 to 7 belong to.
    assert_eq!(fills, 6);
    assert_eq!(uniforms, 5 * (2 + 2));
    assert_eq!(quads, 16 * 2 * 5);
    assert!(
        tmu_misses >= 32 && l2c_misses >= 32,
        "{tmu_misses} {l2c_misses}"
    );
}

#[test]
fn sources_of_the_3d_pipeline_stay_0() {
    let (_, v3d) = run(&[]);
    let counters = v3d.statistics().counters;
    for source in (0..13).chain([15, 18, 19]) {
        assert_eq!(counters[source], 0, "{}", SOURCE_NAMES[source]);
    }
}
