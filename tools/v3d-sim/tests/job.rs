//! `run_job`: launches on a sparse memory, and what the outcome says.

use qpu::generate::*;
use qpu::isa::BranchCond;
use qpu::job::{BusAddr, CacheClear, Program};
use v3d_sim::{JobEnd, JobLaunch, JobOptions, SparseMemory, run_job};

fn put(memory: &mut SparseMemory, at: u32, body: impl FnOnce(&mut Builder)) {
    let mut b = Builder::new();
    body(&mut b);
    b.end();
    let words = b.finish_unchecked().unwrap();
    memory.put(
        at,
        &words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect::<Vec<u8>>(),
    );
}

fn launch(programs: &[(u32, u32)]) -> JobLaunch {
    let program = |(code, uniforms): &(u32, u32)| Program {
        code: BusAddr(*code),
        uniforms: BusAddr(*uniforms),
    };
    JobLaunch {
        programs: programs.iter().map(program).collect(),
        clear: CacheClear::All,
    }
}

/// Stores its first uniform to the address in the second.
fn put_storer(memory: &mut SparseMemory, at: u32) {
    put(memory, at, |b| {
        b.mov(NONE, MUTEX_ACQUIRE);
        b.ldi(WR_SETUP, 0x1a00u32);
        b.mov(VPM, UNIF);
        b.ldi(WR_SETUP, 0x8090_4000u32);
        b.ldi(WR_SETUP, 0xc000_0000u32);
        b.mov(ST_ADDR, UNIF);
        b.mov(NONE, ST_WAIT);
        b.mov(MUTEX_RELEASE, 1);
        b.mov(HOST_INT, 1);
    });
}

#[test]
fn forty_programs_through_every_alias() {
    let mut memory = SparseMemory::new();
    put_storer(&mut memory, 0x4000_1000);
    memory.put_zero(0xc010_0000, 40 * 64);
    let mut programs = Vec::new();
    for number in 0..40u32 {
        let uniforms = 0x0000_3000 + number * 8;
        memory.put(
            uniforms,
            &[number + 1, 0x8010_0000 + number * 64]
                .map(u32::to_le_bytes)
                .concat(),
        );
        programs.push((
            [0, 0x4000_0000, 0x8000_0000, 0xc000_0000][number as usize % 4] | 0x1000,
            uniforms,
        ));
    }
    for order_seed in [None, Some(1), Some(2)] {
        let options = JobOptions {
            order_seed,
            strict: true,
            ..JobOptions::default()
        };
        let outcome = run_job(&mut memory, &[launch(&programs)], &options);
        assert_eq!(
            (outcome.end, &outcome.faults[..]),
            (JobEnd::Completed, &[][..])
        );
        for number in 0..40 {
            let row = memory.get(0x10_0000 + number * 64, 64).unwrap();
            assert_eq!(row, (number + 1).to_le_bytes().repeat(16));
        }
        let statistics = outcome.statistics;
        assert_eq!(statistics.host_interrupts, 40);
        assert_eq!(
            (statistics.vdw.commands, statistics.vdw.bytes),
            (40, 40 * 64)
        );
        assert_eq!(statistics.instructions.iter().sum::<u64>(), 40 * 12);
        assert!(
            statistics
                .stall
                .iter()
                .any(|stall| stall.contains_key("mutex"))
        );
        assert!(outcome.running.is_empty() && outcome.cycles > 0);
    }
}

#[test]
fn launches_run_one_after_the_other() {
    let mut memory = SparseMemory::new();
    put_storer(&mut memory, 0x1000);
    memory.put(0x2000, &[1u32, 0x2100].map(u32::to_le_bytes).concat());
    // The second stores what the first has stored as its own uniform stream.
    memory.put(0x2100, &[0; 8]);
    memory.put(0x2104, &0x2200u32.to_le_bytes());
    memory.put(0x2300, &[7u32, 0x2200].map(u32::to_le_bytes).concat());
    let outcome = run_job(
        &mut memory,
        &[launch(&[(0x1000, 0x2000)]), launch(&[(0x1000, 0x2300)])],
        &JobOptions::default(),
    );
    assert_eq!(outcome.end, JobEnd::Completed);
    assert_eq!(memory.get(0x2100, 4).unwrap(), [1, 0, 0, 0]);
    assert_eq!(memory.get(0x2200, 4).unwrap(), [7, 0, 0, 0]);
}

#[test]
fn the_cycle_limit_stops_a_job() {
    let mut memory = SparseMemory::new();
    put(&mut memory, 0x1000, |b| {
        let forever = b.here("forever");
        b.brr(BranchCond::Always, forever);
        b.nops(3);
    });
    let options = JobOptions {
        limit_cycles: 4000,
        functional: true,
        ..JobOptions::default()
    };
    let outcome = run_job(&mut memory, &[launch(&[(0x1000, 0)])], &options);
    assert_eq!((outcome.end, outcome.cycles), (JobEnd::CycleLimit, 4000));
    assert_eq!(outcome.statistics.instructions[11], 1000);
    assert_eq!(outcome.running[0].qpu, 11);
}

#[test]
fn a_deadlock_ends_a_job_at_once() {
    let mut memory = SparseMemory::new();
    put(&mut memory, 0x1000, |b| {
        b.sacq(3);
    });
    let outcome = run_job(
        &mut memory,
        &[launch(&[(0x1000, 0); 30])],
        &JobOptions::default(),
    );
    assert_eq!(outcome.end, JobEnd::Deadlock);
    // Starting twelve programs takes its time.
    assert!(outcome.timed && outcome.cycles < 1000);
    let report = outcome.deadlock.unwrap();
    assert_eq!(report.waiting.len(), 12);
    assert_eq!(report.queued, 16);
}

#[test]
fn memory_is_what_was_put_rounded_out_and_prefetch_never_faults() {
    let mut memory = SparseMemory::new();
    // The program ends with its page; its uniforms are the last word of theirs.
    let mut b = Builder::new();
    b.mov(R0, UNIF);
    b.end();
    let words = b.finish().unwrap();
    let code = 0x2000 - 8 * words.len() as u32;
    memory.put(
        code,
        &words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect::<Vec<u8>>(),
    );
    memory.put_zero(0x4ffc, 4);
    let outcome = run_job(
        &mut memory,
        &[launch(&[(code, 0x4ffc)])],
        &JobOptions::default(),
    );
    assert_eq!(outcome.end, JobEnd::Completed);
    assert!(outcome.warnings.is_empty());
    let outcome = run_job(
        &mut memory,
        &[launch(&[(code, 0x5000)])],
        &JobOptions::default(),
    );
    assert_eq!(outcome.end, JobEnd::Fault);
    assert_eq!(outcome.faults[0].kind.id(), "memory");
}

#[test]
fn warnings_are_counted_and_strictness_makes_them_faults() {
    let mut memory = SparseMemory::new();
    put(&mut memory, 0x1000, |b| {
        for _ in 0..3 {
            b.ldi(ra(0), 1u32);
            b.mov(R0, ra(0));
        }
    });
    let outcome = run_job(
        &mut memory,
        &[launch(&[(0x1000, 0); 2])],
        &JobOptions::default(),
    );
    assert_eq!(outcome.end, JobEnd::Completed);
    let [warning] = &outcome.warnings[..] else {
        panic!("{:?}", outcome.warnings)
    };
    assert_eq!(
        (warning.rule.id(), warning.count),
        ("regfile-read-after-write", 6)
    );
    let place = warning.place.as_ref().unwrap();
    assert_eq!(
        (place.qpu, place.pc, &place.disassembly[..]),
        (11, 0x1008, "mov r0, ra0")
    );
    let options = JobOptions {
        strict: true,
        ..JobOptions::default()
    };
    let outcome = run_job(&mut memory, &[launch(&[(0x1000, 0)])], &options);
    assert_eq!(outcome.end, JobEnd::Fault);
    assert_eq!(outcome.faults[0].kind.id(), "regfile-read-after-write");
}

#[test]
fn a_uniform_that_nobody_put_is_reported() {
    const UNIFORMS: u32 = 0x4000_3000;
    let mut memory = SparseMemory::new();
    put_storer(&mut memory, 0x4000_1000);
    put(&mut memory, 0x4000_2000, |b| {
        b.mov(R0, UNIF);
        b.mov(R0, UNIF);
        b.mov(R0, UNIF);
    });
    let words = [7u32, UNIFORMS].map(u32::to_le_bytes);
    memory.put(UNIFORMS, &words.concat());
    let reader = launch(&[(0x4000_2000, UNIFORMS)]);
    let rules = |memory: &mut SparseMemory, launches: &[JobLaunch]| {
        let outcome = run_job(memory, launches, &JobOptions::default());
        assert_eq!(outcome.end, JobEnd::Completed);
        let warnings = outcome.warnings.iter();
        let reported = warnings.map(|warning| (warning.rule.id(), warning.count));
        reported.collect::<Vec<_>>()
    };
    let reported = rules(&mut memory, std::slice::from_ref(&reader));
    assert_eq!(reported, [("uniforms-not-put", 1)]);
    // What a program has stored is there: sixteen words.
    let storer = launch(&[(0x4000_1000, UNIFORMS)]);
    assert_eq!(rules(&mut memory, &[storer, reader]), []);
}
