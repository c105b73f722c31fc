//! Broken silicon: each defect breaks its own thing in a program that depends on it, with time and
//! without, and leaves the others alone.

use crate::lab::*;
use qpu::generate::*;
use qpu::job::{Buffer, Program, QpuSet, Runner};
use v3d_sim::{Config, Defect, SimRunner};

/// A lab of a V3D with this defect, with time and without.
fn labs(defect: Option<Defect>) -> impl Iterator<Item = Lab> {
    [false, true].into_iter().map(move |functional| {
        let config = Config {
            functional,
            defect,
            ..Config::default()
        };
        Lab::with(SimRunner::with_config(1 << 20, config))
    })
}

/// QPUs that may get programs; the first program goes to the highest.
fn only(qpus: &[u8]) -> QpuSet {
    let sets = qpus.iter().map(|qpu| QpuSet::only(*qpu));
    sets.fold(QpuSet::NONE, QpuSet::with)
}

/// Another QPU writes row 0 and tells this one, which looks at once, looks again after a while, and
/// stores: what it read both times, and what its store took of the row itself.
fn hand_over(lab: &mut Lab, qpus: &[u8]) -> [Row; 3] {
    lab.runner.use_qpus(QpuSet::ALL);
    lab.zero_rows();
    let mut writer = Builder::new();
    writer.ldi(WR_SETUP, 0x1a00u32);
    writer.ldi(VPM, 5u32);
    writer.ldi(RD_SETUP, 0x0010_1a00u32); // drains the write
    writer.mov(R0, VPM);
    writer.srel(0);
    writer.end();
    let mut reader = Builder::new();
    reader.ldi(WR_SETUP, 0x1a01u32);
    reader.sacq(0);
    for pause in [0, 500] {
        reader.nops(pause);
        reader.ldi(RD_SETUP, 0x0010_1a00u32);
        reader.nops(3);
        reader.mov(VPM, VPM);
        if pause == 0 {
            // What the store takes of row 0 is that of the moment, in row 8 of the result.
            reader.ldi(WR_SETUP, 0x8090_4000u32);
            reader.ldi(WR_SETUP, 0xc000_0000u32);
            reader.ldi(ST_ADDR, lab.out.addr.0 + 8 * 64);
            reader.mov(NONE, ST_WAIT);
        }
    }
    reader.ldi(WR_SETUP, 0x8110_4080u32); // two rows from row 1 on
    reader.ldi(WR_SETUP, 0xc000_0000u32);
    reader.ldi(ST_ADDR, lab.out.addr.0);
    reader.mov(NONE, ST_WAIT);
    reader.end();
    let writer = lab.load(&writer.finish().unwrap(), &[]);
    let reader = lab.load(&reader.finish_unchecked().unwrap(), &[]);
    lab.runner.use_qpus(only(qpus));
    lab.run(&[writer, reader]).unwrap();
    let rows = lab.rows();
    [rows[0], rows[1], rows[8]]
}

#[test]
fn rows_of_another_slice_are_seen_late() {
    for mut lab in labs(Some(Defect::LateVpm)) {
        assert_eq!(hand_over(&mut lab, &[11, 0]), [[0; 16], [5; 16], [5; 16]]);
        assert_eq!(hand_over(&mut lab, &[11, 10]), [[5; 16]; 3]);
    }
    for defect in others(Defect::LateVpm) {
        for mut lab in labs(defect) {
            assert_eq!(hand_over(&mut lab, &[11, 0]), [[5; 16]; 3], "{defect:?}");
        }
    }
}

/// None, and every other defect.
fn others(one: Defect) -> impl Iterator<Item = Option<Defect>> {
    let rest = Defect::EACH.into_iter().filter(move |other| *other != one);
    std::iter::once(None).chain(rest.map(Some))
}

/// True if programs end of which `waiters` count semaphore 0 down and one counts it up once; `late`
/// more come to it long after that.
fn pass(lab: &mut Lab, waiters: usize, late: usize) -> bool {
    let waiter = |pause: usize| {
        let mut b = Builder::new();
        b.nops(pause);
        b.sacq(0);
        b.end();
        b.finish().unwrap()
    };
    let mut giver = Builder::new();
    giver.nops(400);
    giver.srel(0);
    giver.end();
    let early = lab.load(&waiter(1), &[]);
    let after = lab.load(&waiter(1200), &[]);
    let giver = lab.load(&giver.finish().unwrap(), &[]);
    let mut programs = vec![giver];
    programs.extend(std::iter::repeat_n(early, waiters));
    programs.extend(std::iter::repeat_n(after, late));
    lab.run(&programs).is_ok()
}

#[test]
fn a_semaphore_lets_two_through_where_two_wait() {
    for mut lab in labs(Some(Defect::SemaphoreTwo)) {
        assert!(pass(&mut lab, 2, 0));
        assert!(pass(&mut lab, 1, 0));
        assert!(!pass(&mut lab, 3, 0), "a third waits");
        assert!(!pass(&mut lab, 1, 1), "who did not wait then does now");
    }
    for defect in others(Defect::SemaphoreTwo) {
        for mut lab in labs(defect) {
            assert!(pass(&mut lab, 1, 0) && !pass(&mut lab, 2, 0), "{defect:?}");
        }
    }
}

#[test]
fn reserved_qpus_get_programs_all_the_same() {
    let mut b = Builder::new();
    b.nops(30);
    b.end();
    let words = b.finish().unwrap();
    let used = |lab: &mut Lab| {
        lab.runner.use_qpus(only(&[2, 3]));
        let program = lab.load(&words, &[]);
        lab.run(&[program; 4]).unwrap();
        let instructions = lab.runner.statistics().instructions;
        instructions.iter().filter(|count| **count > 0).count()
    };
    for mut lab in labs(Some(Defect::NoReservation)) {
        assert_eq!(used(&mut lab), 4);
    }
    for defect in others(Defect::NoReservation) {
        for mut lab in labs(defect) {
            assert_eq!(used(&mut lab), 2, "{defect:?}");
        }
    }
}

/// Code that puts `value` into row 0 of the result.
fn shows(value: u32, out: Buffer) -> Vec<u64> {
    let mut b = Builder::new();
    b.ldi(WR_SETUP, 0x1a00u32);
    b.ldi(VPM, value);
    b.ldi(WR_SETUP, 0x8090_4000u32);
    b.ldi(WR_SETUP, 0xc000_0000u32);
    b.ldi(ST_ADDR, out.addr.0);
    b.mov(NONE, ST_WAIT);
    b.end();
    b.finish().unwrap()
}

/// Output of a program that takes the place of another, caches being cleared between.
fn replaced(lab: &mut Lab, program: Program, value: u32) -> u32 {
    let words: Vec<u32> = shows(value, lab.out)
        .iter()
        .flat_map(|word| [*word as u32, (word >> 32) as u32])
        .collect();
    let buffer = Buffer {
        addr: program.code,
        bytes: words.len() as u32 * 4,
    };
    lab.runner.write(buffer, 0, &words).unwrap();
    lab.run(&[program]).unwrap();
    lab.rows()[0][0]
}

/// So many instructions in a row.
fn long(lab: &mut Lab, instructions: usize) {
    let mut b = Builder::new();
    b.nops(instructions);
    b.end();
    let program = lab.load(&b.finish().unwrap(), &[]);
    lab.run(&[program]).unwrap();
}

#[test]
fn code_stays_until_other_code_takes_its_place_in_the_cache() {
    for mut lab in labs(Some(Defect::StaleInstructions)) {
        lab.runner.use_qpus(only(&[7]));
        let program = lab.load(&shows(1, lab.out), &[]);
        assert_eq!(replaced(&mut lab, program, 1), 1);
        assert_eq!(replaced(&mut lab, program, 2), 1);
        // Half the cache of other code leaves it there; all of it does not.
        long(&mut lab, 256);
        assert_eq!(replaced(&mut lab, program, 3), 1);
        long(&mut lab, 520);
        assert_eq!(replaced(&mut lab, program, 4), 4);
        // A slice has a cache of its own.
        lab.runner.use_qpus(only(&[8]));
        assert_eq!(replaced(&mut lab, program, 5), 5);
        lab.runner.use_qpus(only(&[7]));
        assert_eq!(replaced(&mut lab, program, 6), 4);
        // After a power cycle, here for a deadlock.
        let mut b = Builder::new();
        b.sacq(3);
        b.end();
        let stuck = lab.load(&b.finish().unwrap(), &[]);
        lab.run(&[stuck]).unwrap_err();
        assert_eq!(replaced(&mut lab, program, 7), 7);
        assert_eq!(replaced(&mut lab, program, 8), 7, "it is still broken");
    }
    for defect in others(Defect::StaleInstructions) {
        for mut lab in labs(defect) {
            let program = lab.load(&shows(1, lab.out), &[]);
            for value in 1..4 {
                assert_eq!(replaced(&mut lab, program, value), value, "{defect:?}");
            }
        }
    }
}

/// Products of sixteen floats with themselves, moved, rotated and added; and an integer product.
fn products(lab: &mut Lab, qpu: u8) -> Vec<Row> {
    lab.runner.use_qpus(only(&[qpu]));
    let result = lab.program(&[], |b| {
        b.itof(R0, ELEM_NUM);
        b.fadd(R0, R0, 1.0);
        b.ldi(R1, 1.234_567f32.to_bits());
        for _ in 0..12 {
            b.fmul(R0, R0, R1);
            show(b, R0);
        }
        b.mul24(R2, ELEM_NUM, ELEM_NUM);
        show(b, R2);
        b.fadd(R2, R1, R1);
        show(b, R2);
    });
    result.rows
}

#[test]
fn one_qpu_multiplies_wrongly() {
    let right = products(&mut Lab::new(), 4);
    for mut lab in labs(Some(Defect::WrongQpu(4))) {
        let wrong = products(&mut lab, 4);
        let differ = |lane: usize| (0..12).any(|row| wrong[row][lane] != right[row][lane]);
        let lanes: Vec<usize> = (0..16).filter(|lane| differ(*lane)).collect();
        assert!(
            !lanes.is_empty() && lanes.iter().all(|lane| lane % 4 == 1),
            "{lanes:?}"
        );
        for lane in lanes {
            let value = |rows: &[Row]| f32::from_bits(rows[11][lane]);
            let relative = (value(&wrong) / value(&right) - 1.0).abs();
            assert!((1e-3..1.0).contains(&relative), "lane {lane}: {relative}");
        }
        assert_eq!(wrong[12..14], right[12..14]);
        // Its neighbours have the same code from the same cache.
        assert_eq!(products(&mut lab, 5), right);
        assert_eq!(products(&mut lab, 4), wrong);
    }
    for defect in others(Defect::WrongQpu(5)) {
        for mut lab in labs(defect) {
            assert_eq!(products(&mut lab, 4), right, "{defect:?}");
        }
    }
}

#[test]
fn a_defect_comes_and_goes_at_any_time() {
    for mut lab in labs(None) {
        let right = products(&mut lab, 4);
        lab.runner.set_defect(Some(Defect::WrongQpu(4)));
        assert_ne!(products(&mut lab, 4), right);
        lab.runner.set_defect(Some(Defect::LateVpm));
        assert_eq!(products(&mut lab, 4), right);
        assert_ne!(hand_over(&mut lab, &[11, 0])[0], [5; 16]);
        lab.runner.set_defect(None);
        assert_eq!(hand_over(&mut lab, &[11, 0])[0], [5; 16]);
        // A line that was read when all was well.
        lab.runner.use_qpus(only(&[7]));
        let program = lab.load(&shows(1, lab.out), &[]);
        assert_eq!(replaced(&mut lab, program, 1), 1);
        lab.runner.set_defect(Some(Defect::StaleInstructions));
        assert_eq!(replaced(&mut lab, program, 2), 1);
    }
}
