//! transpose.

use super::{LIMIT_US, assert_clean, runners};
use qpu::job::{CacheClear, Job, Launch, Program, QpuSet, Runner};
use qpu_programs::transpose::Transpose;
use v3d_sim::SimRunner;

fn transpose(runner: &mut SimRunner, rows: u32, columns: u32, qpus: u32) {
    runner.release_all();
    let count = rows * columns;
    let words: Vec<u32> = (0..count)
        .map(|index| index.wrapping_mul(2_654_435_761))
        .collect();
    let from = runner.alloc(4 * count, 64).expect("room");
    runner.write(from, 0, &words).expect("its own buffer");
    let to = runner.alloc(4 * count + 64, 64).expect("room");
    runner
        .write(to, 0, &vec![0; words.len() + 16])
        .expect("its own buffer");
    let matrix = Transpose::of_words(from.addr, to.addr, rows, columns).expect("whole tiles");
    let mut programs = [Program::default(); 4];
    let used = matrix.programs(runner, qpus, &mut programs).expect("room");
    let launches = [Launch {
        programs: &programs[..used],
        clear: CacheClear::All,
        qpus: QpuSet::ALL,
    }];
    let job = Job {
        launches: &launches,
    };
    runner.run(&job, LIMIT_US).expect("the job ends");
    let mut result = vec![0; words.len() + 16];
    runner.read(to, 0, &mut result).expect("its own buffer");
    for row in 0..rows {
        for column in 0..columns {
            let (here, there) = (row * columns + column, column * rows + row);
            assert_eq!(
                result[there as usize], words[here as usize],
                "{rows} x {columns}, {qpus} QPUs: row {row}, column {column}"
            );
        }
    }
    assert_eq!(result[words.len()..], [0; 16]);
}

#[test]
fn every_word_changes_places() {
    for mut runner in runners() {
        for (rows, columns) in [
            (16, 16),
            (16, 64),
            (64, 16),
            (48, 80),
            (160, 32),
            (1024, 16),
        ] {
            for qpus in 1..=4 {
                transpose(&mut runner, rows, columns, qpus);
            }
        }
        assert_clean(&runner);
    }
}
