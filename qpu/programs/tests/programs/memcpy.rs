//! memcpy.

use super::{LIMIT_US, RAM_BYTES, assert_clean, runners};
use qpu::job::{Buffer, CacheClear, Job, Launch, QpuSet, Runner};
use qpu_programs::memcpy::{ROW_BYTES, programs};
use tests::mutate::Random;
use v3d_sim::SimRunner;

/// Copies `rows` random rows, and checks that they and nothing else have been written.
fn copy<const QPUS: usize>(runner: &mut SimRunner, rows: u32, random: &mut Random) {
    runner.release_all();
    let words: Vec<u32> = (0..rows * 16).map(|_| random.bits() as u32).collect();
    let bytes = rows * ROW_BYTES;
    let from = runner.alloc(bytes.max(4), 64).expect("room");
    runner.write(from, 0, &words).expect("its own buffer");
    let to = runner.alloc(bytes + 128, 64).expect("room");
    runner
        .write(to, 0, &vec![7; words.len() + 32])
        .expect("its own buffer");
    let inside = Buffer {
        addr: to.addr.offset(64),
        bytes,
    };
    let programs = programs::<_, QPUS>(runner, from, inside).expect("room");
    let launches = [Launch {
        programs: &programs,
        clear: CacheClear::All,
        qpus: QpuSet::ALL,
    }];
    let job = Job {
        launches: &launches,
    };
    runner.run(&job, LIMIT_US).expect("the job ends");
    let mut copied = vec![0; words.len() + 32];
    runner.read(to, 0, &mut copied).expect("its own buffer");
    assert!(
        copied[16..][..words.len()] == words,
        "{rows} rows, {QPUS} QPUs"
    );
    assert_eq!(copied[..16], [7; 16], "{rows} rows, {QPUS} QPUs: before");
    assert_eq!(
        copied[16 + words.len()..],
        [7; 16],
        "{rows} rows, {QPUS} QPUs: behind"
    );
}

#[test]
fn rows_arrive_and_nothing_else_is_written() {
    let mut random = Random::new(tests::seed());
    for mut runner in runners() {
        for rows in [0, 1, 2, 3, 4, 5, 7, 31, 32, 33, 64, 65, 100, 1000] {
            copy::<1>(&mut runner, rows, &mut random);
            copy::<5>(&mut runner, rows, &mut random);
            copy::<8>(&mut runner, rows, &mut random);
            copy::<12>(&mut runner, rows, &mut random);
        }
        assert_clean(&runner);
    }
}

#[test]
fn any_number_of_qpus() {
    let mut random = Random::new(tests::seed());
    let mut runner = SimRunner::new(RAM_BYTES).with_order_seed(tests::seed());
    copy::<2>(&mut runner, 333, &mut random);
    copy::<3>(&mut runner, 333, &mut random);
    copy::<4>(&mut runner, 333, &mut random);
    copy::<6>(&mut runner, 333, &mut random);
    copy::<7>(&mut runner, 333, &mut random);
    copy::<9>(&mut runner, 333, &mut random);
    copy::<10>(&mut runner, 333, &mut random);
    copy::<11>(&mut runner, 333, &mut random);
}
