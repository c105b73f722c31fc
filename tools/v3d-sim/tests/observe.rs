//! Observers: they see all that is counted, in order, and change nothing.

use qpu::generate::*;
use qpu::isa::BranchCond;
use qpu::job::{BusAddr, CacheClear, Program};
use v3d_sim::{
    DmaEngine, Issue, JobEnd, JobLaunch, JobOptions, JobRun, Observer, Profile, QpuStatus, QpuView,
    SparseMemory, Stall, Statistics, UnitEvent, Unobserved, run_job, run_job_observed,
};

const CODE: u32 = 0x4000_1000;
const UNIFORMS: u32 = 0x4000_2000;
const DATA: u32 = 0x4000_3000;
const PROGRAMS: u32 = 5;

/// Memory with a program that uses every shared unit, for programs that wait for each other.
fn memory() -> (SparseMemory, Vec<JobLaunch>) {
    let mut b = Builder::new();
    b.mov(R0, UNIF);
    b.mov(R1, UNIF);
    b.mov(TMU0_S, R0);
    b.srel(4);
    b.nop().ldtmu0();
    b.mov(NONE, MUTEX_ACQUIRE);
    b.ldi(WR_SETUP, 0x1a00u32);
    b.mov(VPM, R4);
    b.ldi(WR_SETUP, 0x8090_4000u32);
    b.ldi(WR_SETUP, 0xc000_0000u32);
    b.mov(ST_ADDR, R1);
    b.mov(NONE, ST_WAIT);
    b.mov(MUTEX_RELEASE, 1);
    b.sacq(4);
    b.end();
    let words = b.finish_unchecked().unwrap();
    let mut memory = SparseMemory::new();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.put(CODE, &bytes);
    memory.put(DATA, &7u32.to_le_bytes().repeat(16));
    memory.put_zero(DATA + 4096, 4096);
    let mut programs = vec![];
    for number in 0..PROGRAMS {
        let uniforms = UNIFORMS + number * 8;
        let words = [DATA, DATA + 4096 + 64 * number].map(u32::to_le_bytes);
        memory.put(uniforms, &words.concat());
        programs.push(Program {
            code: BusAddr(CODE),
            uniforms: BusAddr(uniforms),
        });
    }
    let launch = JobLaunch {
        programs,
        clear: CacheClear::All,
    };
    (memory, vec![launch])
}

#[derive(Default)]
struct Seen {
    issued: [u64; 12],
    stalled: [u64; 12],
    units: Vec<(u64, UnitEvent)>,
    started: Vec<(u8, u32)>,
    ended: Vec<u8>,
    /// The values in r1 after the second instruction of each program.
    r1: Vec<u32>,
    clock: u64,
}

impl Observer for Seen {
    fn issued(&mut self, issue: Issue, qpu: QpuView<'_>) {
        assert!(issue.clock >= self.clock, "clocks never go back");
        assert_eq!(issue.qpu, qpu.number());
        self.clock = issue.clock;
        self.issued[usize::from(issue.qpu)] += 1;
        if issue.pc == CODE + 8 {
            self.r1.push(qpu.accumulator(1)[0]);
        }
    }

    fn stalled(&mut self, stall: Stall) {
        self.stalled[usize::from(stall.qpu)] += stall.clocks;
    }

    fn unit(&mut self, clock: u64, event: UnitEvent) {
        self.units.push((clock, event));
    }

    fn program_started(&mut self, _: u64, qpu: QpuView<'_>) {
        assert_eq!(qpu.status(), QpuStatus::Running);
        self.started.push((qpu.number(), qpu.pc()));
    }

    fn program_ended(&mut self, _: u64, qpu: u8) {
        self.ended.push(qpu);
    }
}

fn stalls(statistics: &Statistics) -> [u64; 12] {
    std::array::from_fn(|qpu| statistics.stall[qpu].values().sum())
}

#[test]
fn an_observer_sees_what_is_counted_and_changes_nothing() {
    for (functional, order_seed) in [(true, None), (true, Some(3)), (false, None)] {
        let options = JobOptions {
            functional,
            order_seed,
            strict: true,
            ..JobOptions::default()
        };
        let (mut memory, launches) = memory();
        let mut seen = Seen::default();
        let mut observed_memory = memory.clone();
        let observed = run_job_observed(&mut observed_memory, &launches, &options, &mut seen);
        let alone = run_job(&mut memory, &launches, &options);
        assert_eq!(observed, alone);
        assert_eq!(alone.end, JobEnd::Completed, "{:?}", alone.faults);
        let out = |memory: &mut SparseMemory| memory.get(DATA + 4096, 64 * 5).unwrap();
        assert_eq!(out(&mut memory), 7u32.to_le_bytes().repeat(80));
        assert_eq!(out(&mut memory), out(&mut observed_memory));
        assert_eq!(seen.issued, alone.statistics.instructions);
        assert_eq!(seen.stalled, stalls(&alone.statistics));
        assert_eq!(seen.started.len(), PROGRAMS as usize);
        assert!(seen.started.iter().all(|(_, pc)| *pc == CODE));
        assert_eq!(seen.ended.len(), PROGRAMS as usize);
        let mut r1 = seen.r1.clone();
        r1.sort_unstable();
        let expected: Vec<u32> = (0..PROGRAMS).map(|n| DATA + 4096 + 64 * n).collect();
        assert_eq!(r1, expected);
    }
}

/// Programs of different lengths that look up, spin, and store one after the other, eight times
/// each.
fn contention() -> (SparseMemory, Vec<JobLaunch>) {
    let mut b = Builder::new();
    for register in 0..3 {
        b.mov(ra(register), UNIF);
    }
    b.ldi(ra(3), 8u32);
    let again = b.here("again");
    b.mov(R1, ra(0));
    b.mov(TMU0_S, ra(1));
    let spin = b.here("spin");
    b.sub(R1, R1, 1).setf();
    b.brr(BranchCond::AllZC, spin);
    b.nops(3);
    b.nop().ldtmu0();
    b.mov(NONE, MUTEX_ACQUIRE);
    b.ldi(WR_SETUP, 0x1a00u32);
    b.mov(VPM, R4);
    b.ldi(WR_SETUP, 0x8090_4000u32);
    b.ldi(WR_SETUP, 0xc000_0000u32);
    b.mov(ST_ADDR, ra(2));
    b.mov(NONE, ST_WAIT);
    b.mov(MUTEX_RELEASE, 1);
    b.sub(ra(3), ra(3), 1).setf();
    b.brr(BranchCond::AllZC, again);
    b.nops(3);
    b.end();
    let words = b.finish().unwrap();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut memory = SparseMemory::new();
    memory.put(CODE, &bytes);
    memory.put(DATA, &7u32.to_le_bytes().repeat(16));
    memory.put_zero(DATA + 4096, 4096);
    let programs = (0..9u32).map(|number| {
        let uniforms = UNIFORMS + number * 16;
        let words = [3 + number * number, DATA, DATA + 4096 + 64 * number];
        memory.put(uniforms, &words.map(u32::to_le_bytes).concat());
        Program {
            code: BusAddr(CODE),
            uniforms: BusAddr(uniforms),
        }
    });
    let launch = JobLaunch {
        programs: programs.collect(),
        clear: CacheClear::All,
    };
    (memory, vec![launch])
}

/// An observer sees every instruction in its round; without one, QPUs run ahead between those that
/// order them.
#[test]
fn running_ahead_changes_nothing_but_the_speed() {
    let options = JobOptions {
        functional: true,
        strict: true,
        ..JobOptions::default()
    };
    let (mut memory, launches) = contention();
    let mut observed_memory = memory.clone();
    let mut seen = Seen::default();
    let observed = run_job_observed(&mut observed_memory, &launches, &options, &mut seen);
    let alone = run_job(&mut memory, &launches, &options);
    assert_eq!(alone.end, JobEnd::Completed, "{:?}", alone.faults);
    assert!(stalls(&alone.statistics).iter().sum::<u64>() > 1_000);
    assert_eq!(observed, alone);
    let out = |memory: &mut SparseMemory| memory.get(DATA + 4096, 64 * 9).unwrap();
    assert_eq!(out(&mut memory), 7u32.to_le_bytes().repeat(16 * 9));
    assert_eq!(out(&mut memory), out(&mut observed_memory));
}

/// Jobs without and with the cycle model.
fn both() -> [JobOptions; 2] {
    [true, false].map(|functional| JobOptions {
        functional,
        ..JobOptions::default()
    })
}

#[test]
fn uses_of_shared_units_come_in_pairs() {
    for options in both() {
        check_units(&options);
    }
}

fn check_units(options: &JobOptions) {
    let (mut memory, launches) = memory();
    let mut seen = Seen::default();
    let _ = run_job_observed(&mut memory, &launches, options, &mut seen);
    let count = |wanted: fn(&UnitEvent) -> bool| {
        let found = seen.units.iter().filter(|(_, event)| wanted(event));
        found.count() as u32
    };
    assert_eq!(
        count(|e| matches!(e, UnitEvent::TmuRequest { addresses, .. } if addresses[3] == DATA)),
        PROGRAMS
    );
    assert_eq!(count(|e| matches!(e, UnitEvent::TmuTaken { .. })), PROGRAMS);
    assert_eq!(
        count(|e| matches!(e, UnitEvent::Mutex { held: true, .. })),
        PROGRAMS
    );
    assert_eq!(
        count(|e| matches!(e, UnitEvent::Mutex { held: false, .. })),
        PROGRAMS
    );
    assert_eq!(
        count(|e| matches!(e, UnitEvent::Semaphore { number: 4, .. })),
        2 * PROGRAMS
    );
    let dma: Vec<(u64, UnitEvent)> = seen
        .units
        .iter()
        .filter(|(_, e)| matches!(e, UnitEvent::DmaRequest { .. } | UnitEvent::DmaDone { .. }))
        .copied()
        .collect();
    assert_eq!(dma.len() as u32, 2 * PROGRAMS);
    for pair in dma.chunks_exact(2) {
        let [
            (
                begin,
                UnitEvent::DmaRequest {
                    engine,
                    qpu,
                    rows,
                    row_bytes,
                    ..
                },
            ),
            (end, done),
        ] = pair
        else {
            panic!("{pair:?}");
        };
        assert_eq!((*engine, *rows, *row_bytes), (DmaEngine::Store, 1, 64));
        assert_eq!(
            *done,
            UnitEvent::DmaDone {
                engine: *engine,
                qpu: *qpu
            }
        );
        assert!(end > begin);
    }
    // The last count is 0 again.
    let last = seen.units.iter().rev().find_map(|(_, event)| match event {
        UnitEvent::Semaphore { count, .. } => Some(*count),
        _ => None,
    });
    assert_eq!(last, Some(0));
}

#[test]
fn a_job_can_be_stopped_after_every_round_and_goes_on_as_if_not() {
    for options in both() {
        check_stops(options);
    }
}

fn check_stops(options: JobOptions) {
    let (mut memory, launches) = memory();
    let whole = run_job(&mut memory.clone(), &launches, &options);
    let mut run = JobRun::new(launches, &options);
    let mut rounds = 0;
    while run.advance(&mut memory, 1, &mut Unobserved).is_none() {
        rounds += 1;
        assert!(rounds < 100_000);
        assert_eq!(run.v3d().qpu(11).number(), 11);
    }
    assert_eq!(run.outcome(JobEnd::CycleLimit), whole);
    assert_eq!(run.launch(), 1);
}

#[test]
fn a_profile_adds_up_to_the_statistics() {
    for options in both() {
        check_profile(&options);
    }
}

fn check_profile(options: &JobOptions) {
    let (mut memory, launches) = memory();
    let mut profile = Profile::new();
    let outcome = run_job_observed(&mut memory, &launches, options, &mut profile);
    let lines = profile.lines();
    assert_eq!(lines.len(), 17, "each instruction has a line");
    assert!(lines.windows(2).all(|pair| pair[0].pc + 8 == pair[1].pc));
    assert!(
        lines
            .iter()
            .all(|line| line.total().issues == u64::from(PROGRAMS))
    );
    for (qpu, spent) in profile.by_qpu().iter().enumerate() {
        assert_eq!(spent.issues, outcome.statistics.instructions[qpu]);
        assert_eq!(spent.stalled, outcome.statistics.stall[qpu]);
    }
    // The wait for a store is that of the instruction that reads st_wait.
    let waits = lines.iter().find(|line| line.pc == CODE + 11 * 8).unwrap();
    assert!(waits.total().stalled["vdw"] > 0, "{waits:?}");
}

#[test]
fn an_instruction_that_is_waited_for_in_vain_has_a_line() {
    for options in both() {
        check_vain_wait(&options);
    }
}

fn check_vain_wait(options: &JobOptions) {
    let (mut memory, launches) = memory();
    // Nobody increments semaphore 3.
    let word = 0xe800_09e7_0000_0013u64;
    memory.put(CODE, &word.to_le_bytes());
    let mut profile = Profile::new();
    let outcome = run_job_observed(&mut memory, &launches, options, &mut profile);
    assert_eq!(outcome.end, JobEnd::Deadlock);
    let [line] = &profile.lines()[..] else {
        panic!("one instruction was reached");
    };
    assert_eq!((line.pc, line.word), (CODE, Some(word)));
    let total = line.total();
    assert_eq!(total.issues, 0);
    assert!(total.stalled["semaphore"] > 0);
}
