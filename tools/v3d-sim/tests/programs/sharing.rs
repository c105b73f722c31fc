//! Resources that QPUs share: semaphores, the mutex, the VPM, and the order of turns.

use crate::lab::*;
use qpu::generate::*;
use qpu::isa::BranchCond;
use qpu::job::Program;
use v3d_sim::SimRunner;

/// A strict runner for each of some orders.
fn orders() -> impl Iterator<Item = Lab> {
    let fixed = std::iter::once(SimRunner::new(1 << 20));
    let seeded = (0..8).map(|seed| SimRunner::new(1 << 20).with_order_seed(seed));
    fixed.chain(seeded).map(Lab::with)
}

/// A counter in row 0 of the VPM; every program adds to it many times under the mutex.
#[test]
fn the_mutex_keeps_a_counter() {
    const ROUNDS: u32 = 40;
    let mut b = Builder::new();
    b.ldi(ra(0), ROUNDS);
    let again = b.here("again");
    b.mov(NONE, MUTEX_ACQUIRE);
    b.ldi(RD_SETUP, 0x0010_1a00u32);
    b.add(R0, VPM, 1);
    b.ldi(WR_SETUP, 0x1a00u32);
    b.mov(VPM, R0);
    b.ldi(RD_SETUP, 0x0010_1a00u32); // drains the write
    b.mov(R1, VPM);
    b.mov(MUTEX_RELEASE, R0);
    b.sub(ra(0), ra(0), 1).setf();
    b.brr(BranchCond::AllZC, again);
    b.nops(3);
    b.end();
    let words = b.finish().unwrap_or_else(|error| panic!("{error}"));
    for mut lab in orders() {
        lab.zero_rows();
        let program = lab.load(&words, &[]);
        lab.run(&[program; 12]).unwrap();
        let mut last = Builder::new();
        store(&mut last, lab.out);
        let last = lab.load(&last.finish().unwrap(), &[]);
        lab.run(&[last]).unwrap();
        assert_eq!(lab.rows()[0], [12 * ROUNDS; 16]);
    }
}

/// Without the drain before the release, the next holder may read the row as it was. Functional:
/// with time, the writer's next fetch of code gives the row time enough.
#[test]
fn a_vpm_write_that_is_not_drained_may_be_seen_late() {
    let runner = SimRunner::new(1 << 20).with_strict(false);
    let mut lab = Lab::with(runner.with_functional(true));
    let mut writer = Builder::new();
    writer.ldi(WR_SETUP, 0x1a00u32);
    writer.ldi(VPM, 5u32);
    writer.srel(0);
    writer.end();
    let mut reader = Builder::new();
    reader.ldi(RD_SETUP, 0x0010_1a00u32);
    reader.sacq(0);
    reader.mov(R0, VPM);
    reader.ldi(WR_SETUP, 0x1a01u32);
    reader.mov(VPM, R0);
    store(&mut reader, lab.out);
    let writer = lab.load(&writer.finish().unwrap(), &[]);
    let reader = lab.load(&reader.finish().unwrap(), &[]);
    lab.run(&[writer, reader]).unwrap();
    assert_eq!(lab.rows()[..2], [[5; 16], [0; 16]]);
}

/// With three instructions between, as in py-videocore's semaphore test that ran on hardware, it is
/// seen.
#[test]
fn a_vpm_write_is_seen_a_few_instructions_after_a_hand_over() {
    for mut lab in orders() {
        let mut writer = Builder::new();
        writer.ldi(WR_SETUP, 0x1a00u32);
        writer.ldi(VPM, 5u32);
        writer.srel(0);
        writer.end();
        let mut reader = Builder::new();
        reader.sacq(0);
        reader.ldi(RD_SETUP, 0x0010_1a00u32);
        reader.ldi(WR_SETUP, 0x1a01u32);
        reader.mov(VPM, VPM);
        store(&mut reader, lab.out);
        let writer = lab.load(&writer.finish().unwrap(), &[]);
        let reader = lab.load(&reader.finish_unchecked().unwrap(), &[]);
        lab.runner = lab.runner.with_strict(false);
        lab.run(&[writer, reader]).unwrap();
        assert_eq!(lab.rows()[1], [5; 16]);
    }
}

/// Slaves report and wait; the master waits for all and lets them go.
#[test]
fn a_barrier_of_twelve() {
    const ROUNDS: u32 = 10;
    let barrier = |b: &mut Builder, master: bool| {
        // Arrive and go, then depart and reset: a second pair, so that it can be used again.
        for (up, down) in [(0, 1), (2, 3)] {
            if master {
                for _ in 0..11 {
                    b.sacq(up);
                }
                for _ in 0..11 {
                    b.srel(down);
                }
            } else {
                b.srel(up);
                b.sacq(down);
            }
        }
    };
    let program = |master: bool| {
        let mut b = Builder::new();
        b.ldi(ra(0), ROUNDS);
        b.ldi(R0, 0u32);
        let again = b.here("again");
        barrier(&mut b, master);
        b.sub(ra(0), ra(0), 1).setf();
        b.brr(BranchCond::AllZC, again);
        b.nops(3);
        b.end();
        b.finish().unwrap_or_else(|error| panic!("{error}"))
    };
    for mut lab in orders() {
        let slave = lab.load(&program(false), &[]);
        let mut programs = [slave; 12];
        programs[5] = lab.load(&program(true), &[]);
        lab.run(&programs).unwrap();
    }
}

#[test]
fn semaphores_hold_fifteen() {
    let mut lab = Lab::with(SimRunner::new(1 << 20));
    let mut b = Builder::new();
    for _ in 0..16 {
        b.srel(9);
    }
    b.end();
    let program = lab.load(&b.finish().unwrap(), &[]);
    let error = lab.run(&[program]).unwrap_err().to_string();
    assert!(
        error.contains("waits for semaphore 9 to fall below 15"),
        "{error}"
    );
    assert!(error.contains("semaphores: 9=15"), "{error}");
}

#[test]
fn a_deadlock_names_who_waits_for_what() {
    let mut lab = Lab::with(SimRunner::new(1 << 20));
    let mut holder = Builder::new();
    holder.mov(NONE, MUTEX_ACQUIRE);
    holder.nop();
    holder.sacq(4);
    holder.end();
    let mut other = Builder::new();
    other.srel(2);
    other.nops(4);
    other.mov(NONE, MUTEX_ACQUIRE);
    other.end();
    let holder = lab.load(&holder.finish_unchecked().unwrap(), &[]);
    let other = lab.load(&other.finish_unchecked().unwrap(), &[]);
    let error = lab.run(&[holder, other]).unwrap_err().to_string();
    for part in [
        "deadlock: no QPU can go on",
        "QPU 11 at",
        "waits for semaphore 4 to rise above 0",
        "QPU 10 at",
        "waits for the mutex",
        "semaphores: 2=1; mutex: held by QPU 11; programs queued: 0",
    ] {
        assert!(error.contains(part), "{part} in {error}");
    }
    // The next job runs.
    let mut b = Builder::new();
    b.nop();
    b.end();
    let nothing = lab.load(&b.finish().unwrap(), &[]);
    lab.run(&[nothing]).unwrap();
}

#[test]
fn twenty_eight_programs_run_on_twelve_qpus() {
    for mut lab in orders() {
        let mut programs: Vec<Program> = Vec::new();
        for number in 0..28u32 {
            let mut b = Builder::new();
            b.mov(NONE, MUTEX_ACQUIRE);
            b.ldi(WR_SETUP, 0x1a00 + number % 16);
            b.mov(VPM, UNIF);
            b.ldi(RD_SETUP, 0x0010_1a00 + number % 16);
            b.mov(R0, VPM);
            b.mov(MUTEX_RELEASE, R0);
            b.end();
            programs.push(lab.load(&b.finish().unwrap(), &[number]));
        }
        lab.run(&programs).unwrap();
        let statistics = lab.runner.statistics();
        assert_eq!(statistics.instructions.iter().sum::<u64>(), 28 * 9);
        assert_eq!(statistics.counters[20], 28 * 9);
        assert_eq!(
            statistics.counters[22],
            28 * 3,
            "each read one uniform and fetched two ahead"
        );
    }
}
