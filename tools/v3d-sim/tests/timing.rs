//! The cycle model on small programs: latencies and rates that were published, order, determinism.
//!
//! Published: TMU latencies of 9, 12 and 20 slots (Raspberry Pi forum, Terminus-IMRC), five slots
//! to the first VPM read, 690 MB/s of VDR and 1.12 GB/s of VDW (Terminus-IMRC), 86 clocks for a
//! program of four instructions (swrenn). The report on fidelity holds the same figures in more
//! detail.

use qpu::generate::*;
use qpu::job::{BusAddr, CacheClear, Program};
use v3d_sim::{Board, JobEnd, JobLaunch, JobOptions, Outcome, SparseMemory, run_job};

const ALIAS: u32 = 0xc000_0000;
const CODE: u32 = ALIAS | 0x0001_0000;
const UNIFORMS: u32 = ALIAS | 0x0002_0000;
/// In another bank of SDRAM than code and uniforms.
const DATA: u32 = ALIAS | 0x0010_2000;
/// Address of the results.
const RESULTS: u32 = DATA + 0x10_0000;

/// Runs a program on some QPUs of a Pi 2, where nothing but SDRAM lies behind V3D.
fn run(qpus: usize, functional: bool, body: impl FnOnce(&mut Builder)) -> (Outcome, SparseMemory) {
    let mut b = Builder::new();
    body(&mut b);
    b.end();
    let words = b.finish_unchecked().expect("a program");
    let mut memory = SparseMemory::new();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.put(CODE, &bytes);
    memory.put_zero(UNIFORMS, 4096);
    memory.put(
        DATA,
        &(0..65_536u32)
            .flat_map(u32::to_le_bytes)
            .collect::<Vec<u8>>(),
    );
    memory.put_zero(RESULTS, 12 * 4096);
    let program = Program {
        code: BusAddr(CODE),
        uniforms: BusAddr(UNIFORMS),
    };
    let launch = JobLaunch {
        programs: vec![program; qpus],
        clear: CacheClear::All,
    };
    let options = JobOptions {
        board: Board::Pi2,
        functional,
        ..JobOptions::default()
    };
    let outcome = run_job(&mut memory, &[launch], &options);
    assert_eq!(outcome.end, JobEnd::Completed, "{:?}", outcome.faults);
    (outcome, memory)
}

fn cycles(body: impl Fn(&mut Builder)) -> f64 {
    run(1, false, body).0.cycles as f64
}

fn stalled(outcome: &Outcome, cause: &str) -> u64 {
    outcome.statistics.stall[11]
        .get(cause)
        .copied()
        .unwrap_or(0)
}

/// r0: a word a lane of the line at DATA.
fn line(b: &mut Builder) {
    b.ldi(R0, DATA);
    b.mov(R1, ELEM_NUM);
    b.shl(R1, R1, 2);
    b.add(R0, R0, R1);
}

/// Slots from the write of an address to an `ldtmu` that does not stall, for the last of two
/// lookups.
fn latency(between: impl Fn(&mut Builder)) -> u64 {
    let stall = |second: bool| {
        let (outcome, _) = run(1, false, |b| {
            line(b);
            b.mov(TMU0_S, R0);
            b.nop().ldtmu0();
            between(b);
            if second {
                b.mov(TMU0_S, R0);
                b.nop().ldtmu0();
            }
        });
        stalled(&outcome, "tmu")
    };
    (stall(true) - stall(false)) / 4 + 1
}

#[test]
fn lookups_take_nine_twelve_and_twenty_slots() {
    assert_eq!(latency(|_| ()), 9);
    // A line 4 KiB away takes the place of the first in the TMU's cache, and not in the L2C.
    let l2c = latency(|b| {
        b.ldi(R1, 4096);
        b.add(R2, R0, R1);
        b.mov(TMU0_S, R2);
        b.nop().ldtmu0();
    });
    assert_eq!(l2c, 12);
    let sdram = latency(|b| {
        b.ldi(R1, 64);
        b.add(R0, R0, R1);
    });
    assert!((19..=21).contains(&sdram), "{sdram}");
}

#[test]
fn the_first_vpm_read_stalls_for_five_slots_and_others_do_not() {
    let stall = |vectors: u32| {
        let (outcome, _) = run(1, false, |b| {
            b.ldi(RD_SETUP, 0x1a00 | vectors << 20);
            for _ in 0..vectors {
                b.mov(R0, VPM);
            }
        });
        stalled(&outcome, "vpm")
    };
    assert_eq!(stall(1), 5 * 4);
    assert_eq!(stall(8), 5 * 4);
}

/// Megabytes a second of the DMA transfers of `body`, `bytes` each, at 250 MHz.
fn rate(bytes: f64, body: impl Fn(&mut Builder)) -> f64 {
    let times = |count: u32| {
        cycles(|b| {
            for _ in 0..count {
                body(b);
            }
        })
    };
    bytes * 16.0 * 250.0 / (times(32) - times(16))
}

#[test]
fn dma_moves_rows_at_the_published_rates() {
    let load = rate(1024.0, |b| {
        b.ldi(RD_SETUP, 0x8300_1000u32);
        b.ldi(LD_ADDR, DATA);
        b.mov(NONE, LD_WAIT);
    });
    assert!((load / 690.0 - 1.0).abs() < 0.12, "{load} MB/s");
    let store = rate(8192.0, |b| {
        b.ldi(WR_SETUP, 0x8010_4000u32);
        b.ldi(WR_SETUP, 0xc000_0000u32);
        b.ldi(ST_ADDR, DATA);
        b.mov(NONE, ST_WAIT);
    });
    assert!((store / 1120.0 - 1.0).abs() < 0.12, "{store} MB/s");
}

#[test]
fn the_shortest_program_is_active_for_about_86_clocks() {
    let (outcome, _) = run(1, false, |b| {
        b.mov(HOST_INT, 1);
    });
    let counters = outcome.statistics.counters;
    assert_eq!((counters[16], counters[20]), (16, 4));
    assert_eq!((counters[21], counters[22], counters[29]), (1, 2, 2));
    // SDRAM takes a little longer than the L2 of the board that was measured.
    assert!((76..=110).contains(&counters[14]), "{}", counters[14]);
}

#[test]
fn a_program_does_not_wait_for_those_that_start_after_it() {
    let first = |qpus| stalled(&run(qpus, false, |b| b.nops(40)).0, "code");
    // The others ask for uniforms at most.
    assert!(
        first(12) <= first(1) + 40,
        "{} and {} clocks",
        first(12),
        first(1)
    );
}

/// A host takes time to queue twelve programs: a QPU that has ended one by then gets another.
#[test]
fn programs_that_end_at_once_take_few_qpus() {
    let used = |functional, nops| {
        let (outcome, _) = run(12, functional, |b| b.nops(nops));
        let instructions = outcome.statistics.instructions;
        instructions.iter().filter(|&&count| count > 0).count()
    };
    assert!((2..=4).contains(&used(false, 0)), "{}", used(false, 0));
    assert_eq!(used(false, 200), 12);
    // Without time all are queued at once.
    assert_eq!(used(true, 0), 12);
}

/// Twelve QPUs that each store what they looked up, in rows of their own.
fn shared_work(b: &mut Builder) {
    line(b);
    b.mov(R2, QPU_NUM);
    b.shl(R2, R2, 12);
    b.add(R0, R0, R2);
    for step in 0..8u32 {
        b.ldi(R1, step * 64);
        b.add(TMU0_S, R0, R1);
        b.nop().ldtmu0();
        b.mov(ra(1), R4);
    }
    b.nop();
    b.mov(NONE, MUTEX_ACQUIRE);
    b.ldi(WR_SETUP, 0x1a00u32);
    b.mov(VPM, ra(1));
    b.ldi(WR_SETUP, 0x8090_4000u32);
    b.ldi(WR_SETUP, 0xc000_0000u32);
    b.ldi(R1, RESULTS);
    b.add(R2, R2, R1);
    b.mov(ST_ADDR, R2);
    b.mov(NONE, ST_WAIT);
    b.mov(MUTEX_RELEASE, R0);
}

#[test]
fn runs_are_equal_and_their_results_those_of_a_functional_run() {
    let with_room = |functional| run(12, functional, shared_work);
    let results = |mut memory: SparseMemory| -> Vec<u8> {
        let row = |qpu: u32| {
            memory
                .get(DATA + 0x10_0000 + qpu * 4096, 64)
                .expect("stored")
        };
        (0..12).flat_map(row).collect()
    };
    let (first, memory) = with_room(false);
    let stored = results(memory);
    let (second, _) = with_room(false);
    assert_eq!(first, second);
    assert_eq!(results(with_room(true).1), stored);
    // QPU 0's last line begins with word 7 * 16 of its page.
    assert_eq!(stored[..4], (7 * 16u32).to_le_bytes());
}

#[test]
fn twelve_qpus_share_what_one_has_to_itself() {
    let lookups = |b: &mut Builder| {
        line(b);
        b.mov(R2, QPU_NUM);
        b.shl(R2, R2, 12);
        b.add(R0, R0, R2);
        // Four at a time: one QPU alone does not keep the bus busy, twelve do.
        for first in (0..32u32).step_by(4) {
            for step in first..first + 4 {
                b.ldi(R1, step * 64);
                b.add(TMU0_S, R0, R1);
            }
            (0..4).for_each(|_| {
                b.nop().ldtmu0();
            });
        }
    };
    let one = run(1, false, lookups).0;
    let all = run(12, false, lookups).0;
    assert_eq!(
        one.statistics.counters[25] * 12,
        all.statistics.counters[25]
    );
    // One waits for latencies; twelve wait for the bus as well, and are not twelve times as slow.
    let [alone, among] = [&one, &all].map(|outcome| stalled(outcome, "tmu"));
    assert!(
        among > alone * 3 / 2 && among < 12 * alone,
        "{alone} and {among} clocks"
    );
}
