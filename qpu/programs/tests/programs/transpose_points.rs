//! transpose-points.

use super::{LIMIT_US, assert_clean, runners};
use qpu::job::{CacheClear, Job, Launch, Program, QpuSet, Runner};
use qpu_programs::transpose::{Rows, Transpose};
use v3d_sim::SimRunner;

/// Transposes a matrix with gaps of so many points behind each row of source and result.
fn transpose(runner: &mut SimRunner, [rows, columns]: [u32; 2], gaps: [u32; 2], qpus: u32) {
    runner.release_all();
    let [from_step, to_step] = [columns + gaps[0], rows + gaps[1]];
    let words: Vec<u32> = (0..2 * rows * from_step)
        .map(|index| index.wrapping_mul(2_654_435_761))
        .collect();
    let from = runner.alloc(8 * rows * from_step, 64).expect("room");
    runner.write(from, 0, &words).expect("its own buffer");
    let mut result = vec![7; 2 * (columns * to_step) as usize];
    let to = runner.alloc(8 * columns * to_step, 64).expect("room");
    runner.write(to, 0, &result).expect("its own buffer");
    let rows_of = |at, step: u32| Rows {
        at,
        pitch: 8 * step,
    };
    let (source, target) = (rows_of(from.addr, from_step), rows_of(to.addr, to_step));
    let matrix = Transpose::of_points(source, target, rows, columns).expect("whole tiles");
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
    runner.read(to, 0, &mut result).expect("its own buffer");
    for column in 0..columns {
        for row in 0..to_step {
            let there = 2 * (column * to_step + row) as usize;
            let here = 2 * (row * from_step + column) as usize;
            let expected = if row < rows {
                &words[here..here + 2]
            } else {
                &[7; 2]
            };
            assert_eq!(
                &result[there..there + 2],
                expected,
                "{rows} x {columns}, {qpus} QPUs: row {row}, column {column}"
            );
        }
    }
}

#[test]
fn every_point_changes_places() {
    for mut runner in runners() {
        for (rows, columns, gaps) in [
            (8, 16, [0, 0]),
            (16, 16, [0, 5]),
            (8, 64, [3, 0]),
            (72, 48, [0, 0]),
            (256, 32, [512, 8]),
        ] {
            for qpus in 1..=4 {
                transpose(&mut runner, [rows, columns], gaps, qpus);
            }
        }
        assert_clean(&runner);
    }
}

#[test]
fn matrices_without_whole_tiles_are_refused() {
    let rows = |pitch| Rows {
        at: qpu::job::BusAddr(0),
        pitch,
    };
    let new = |count, columns, pitch| Transpose::of_points(rows(128), rows(pitch), count, columns);
    assert!(new(8, 16, 65_592).is_some());
    for (count, columns, pitch) in [(0, 16, 64), (4, 16, 64), (8, 8, 64), (8, 16, 65_600)] {
        assert!(new(count, columns, pitch).is_none(), "{count} x {columns}");
    }
}
