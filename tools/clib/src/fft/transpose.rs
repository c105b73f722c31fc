//! From checked options to an exchange of rows and columns on the simulator.

use qpu::job::{BusAddr, CacheClear, Job, Launch, Program, QpuSet, Runner};
use qpu_fft::planner::BOARD_BYTES;
use qpu_programs::transpose::{self, MAX_PITCH, MAX_QPUS, Rows};
use v3d_sim::{SimError, SimRunner};

use super::structures::{FftResult, TransposeOptions};
use super::transform::{Machine, failed};
use crate::boundary::{Failure, LIMIT_US, status, wrong};

/// Bytes of a point.
const POINT: u64 = 8;
/// Bytes of memory beside the points: code, lists, and what is left of pages.
const MORE: u64 = 8 * 4096;

/// A matrix and its transpose, as far as the options say.
pub struct Transpose {
    rows: u32,
    columns: u32,
    from_step: u32,
    to_step: u32,
    machine: Machine,
}

impl Transpose {
    /// The matrices of these options.
    pub fn new(options: &TransposeOptions) -> Result<Self, Failure> {
        let machine = Machine::new(options.board, options.clock_hz, options.flags)?;
        let (rows, columns) = (options.rows, options.columns);
        let step = |given: u32, least: u32| if given == 0 { least } else { given };
        let [from_step, to_step] = [
            step(options.from_step, columns),
            step(options.to_step, rows),
        ];
        for (name, step, least) in [
            ("from_step", from_step, columns),
            ("to_step", to_step, rows),
        ] {
            if step < least {
                let text = format!("options.{name} is {step}; a row has {least} points");
                return Err(wrong(text));
            }
        }
        let pitch = |step: u32| u64::from(step) * POINT;
        let nowhere = |step: u32| Rows {
            at: BusAddr(0),
            pitch: pitch(step).min(u32::MAX.into()) as u32,
        };
        if transpose::Transpose::of_points(nowhere(from_step), nowhere(to_step), rows, columns)
            .is_none()
        {
            return Err(wrong(format!(
                "a matrix of {rows} rows and {columns} columns, {to_step} points from a row of its transpose to the next, \
                 is not transposed: give multiples of 8 rows and of 16 columns, and a to_step of at most {}",
                u64::from(MAX_PITCH) / POINT
            )));
        }
        let made = Self {
            rows,
            columns,
            from_step,
            to_step,
            machine,
        };
        let points = made.points_of_matrix();
        let points = points.saturating_add(made.points_of_transpose());
        let bytes = points.saturating_mul(POINT);
        if bytes > BOARD_BYTES {
            let text = format!(
                "{bytes} bytes of points are more than the {BOARD_BYTES} that a board has for the QPUs: take a smaller matrix"
            );
            return Err(Failure::new(status::ERROR_MEMORY, text));
        }
        Ok(made)
    }

    /// Points from the first to the last of the matrix.
    fn points_of_matrix(&self) -> u64 {
        u64::from(self.rows - 1) * u64::from(self.from_step) + u64::from(self.columns)
    }

    /// Points from the first to the last of the transpose.
    fn points_of_transpose(&self) -> u64 {
        u64::from(self.columns - 1) * u64::from(self.to_step) + u64::from(self.rows)
    }

    /// Floats that the matrix and its transpose have, with what lies between rows.
    pub fn counts(&self) -> [u64; 2] {
        [self.points_of_matrix(), self.points_of_transpose()].map(|points| 2 * points)
    }

    /// Transposes; what lies between the rows of `to` stays.
    pub fn run(&self, from: &[f32], to: &mut [f32]) -> Result<FftResult, Failure> {
        let bytes = self.counts().map(|count| 4 * count as u32);
        let all = u64::from(bytes[0]) + u64::from(bytes[1]) + MORE;
        let mut runner = self.machine.runner(all as u32);
        let result = self.run_on(&mut runner, from, to, bytes);
        result.map_err(failed)
    }

    fn run_on(
        &self,
        runner: &mut SimRunner,
        from: &[f32],
        to: &mut [f32],
        bytes: [u32; 2],
    ) -> Result<FftResult, SimError> {
        let bits = |floats: &[f32]| floats.iter().map(|x| x.to_bits()).collect::<Vec<u32>>();
        let source = runner.alloc(bytes[0], 4096)?;
        let target = runner.alloc(bytes[1], 4096)?;
        runner.write(source, 0, &bits(from))?;
        runner.write(target, 0, &bits(to))?;
        let rows = |at, step: u32| Rows {
            at,
            pitch: step * POINT as u32,
        };
        let [from_rows, to_rows] = [
            rows(source.addr, self.from_step),
            rows(target.addr, self.to_step),
        ];
        let matrix = transpose::Transpose::of_points(from_rows, to_rows, self.rows, self.columns);
        let matrix = matrix.expect("checked when it was made");
        let mut programs = [Program::default(); MAX_QPUS as usize];
        let used = matrix.programs(runner, MAX_QPUS, &mut programs)?;
        let launches = &[Launch {
            programs: &programs[..used],
            clear: CacheClear::All,
            qpus: QpuSet::ALL,
        }];
        let report = runner.run(&Job { launches }, LIMIT_US)?;
        let mut words = vec![0; to.len()];
        runner.read(target, 0, &mut words)?;
        for (to, word) in to.iter_mut().zip(words) {
            *to = f32::from_bits(word);
        }
        Ok(self.machine.result(&report))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_change_places_and_gaps_stay() {
        let options = TransposeOptions {
            struct_size: size_of::<TransposeOptions>() as u32,
            rows: 8,
            columns: 16,
            from_step: 20,
            to_step: 9,
            ..TransposeOptions::default()
        };
        let transpose = Transpose::new(&options).unwrap_or_else(|f| panic!("{}", f.text));
        let counts = transpose.counts();
        assert_eq!(counts, [2 * (7 * 20 + 16), 2 * (15 * 9 + 8)]);
        let from: Vec<f32> = (0..counts[0]).map(|x| x as f32).collect();
        let mut to = vec![-1.0; counts[1] as usize];
        let result = transpose.run(&from, &mut to);
        let result = result.unwrap_or_else(|f| panic!("{}", f.text));
        assert!(result.cycles > 0 && result.timed == 1 && result.programs == 1);
        for (at, pair) in to.chunks(2).enumerate() {
            let (column, row) = (at / 9, at % 9);
            let here = 2 * (row * 20 + column);
            let expected = match row < 8 {
                true => [here as f32, here as f32 + 1.0],
                false => [-1.0; 2],
            };
            assert_eq!(pair, expected, "row {row}, column {column}");
        }
    }

    #[test]
    fn a_matrix_that_no_board_holds_is_refused() {
        let options = TransposeOptions {
            rows: 8192,
            columns: 8192,
            ..TransposeOptions::default()
        };
        let failure = Transpose::new(&options).err().expect("a refusal");
        assert_eq!(failure.status, status::ERROR_MEMORY);
    }

    #[test]
    fn sizes_whose_sum_no_number_holds_are_refused() {
        let options = TransposeOptions {
            rows: u32::MAX - 7,
            columns: u32::MAX - 15,
            from_step: u32::MAX,
            to_step: 0,
            ..TransposeOptions::default()
        };
        let short = TransposeOptions {
            rows: 8,
            to_step: 8199,
            ..options
        };
        let long = TransposeOptions {
            rows: u32::MAX - 7,
            columns: 16,
            ..options
        };
        for options in [options, short, long] {
            let failure = Transpose::new(&options).err().expect("a refusal");
            assert!(
                matches!(failure.status, status::ERROR_MEMORY | status::ERROR_OPTION),
                "{}",
                failure.text
            );
        }
    }
}
