//! `qpu selftest transpose`: a matrix turned over, in tiles of 16 by 16 through the VPM.
//!
//! Rows are read by a TMU and written to the VPM as columns, which a DMA stores. So every word is
//! read once and written once, in whole lines of 64 bytes, and the store engine bounds the speed.

use qpu::job::{BusAddr, Program, Runner};
use qpu_programs::transpose::{MAX_QPUS, TILE, Transpose};
use serde_json::json;
use v3d_sim::{Board, SimError};

use super::{did_not_end, print, runner, verdict, wrong};
use common::failure::{Failure, Result};
use common::quantity::whole;
use workbench::transform::launch;

/// Most rows and columns: two such matrices fit the simulated board, and run in seconds.
const MAX_SIDE: u32 = 2048;

/// Options of `selftest transpose`.
#[derive(clap::Args, Debug)]
pub(super) struct Options {
    /// Rows of the matrix: a multiple of 16, up to 2048
    #[arg(long, value_name = "COUNT", default_value_t = 512, value_parser = whole::<u32>)]
    rows: u32,
    /// Columns of the matrix: a multiple of 16, up to 2048
    #[arg(long, value_name = "COUNT", default_value_t = 512, value_parser = whole::<u32>)]
    columns: u32,
    /// QPUs that take part
    #[arg(long, value_name = "COUNT", default_value_t = MAX_QPUS, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_QPUS)))]
    qpus: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Transposes a matrix of words that are all different, and compares.
///
/// # Errors
/// Usage, when a side is no multiple of 16; integrity, when a word is not where it belongs or a
/// program does not end.
pub(super) fn run(options: &Options) -> Result<()> {
    let (rows, columns) = (options.rows, options.columns);
    for (side, name) in [(rows, "--rows"), (columns, "--columns")] {
        if side == 0 || side > MAX_SIDE || !side.is_multiple_of(TILE) {
            let near = side.clamp(1, MAX_SIDE).next_multiple_of(TILE);
            return Err(Failure::usage(format!(
                "{name} {side} is no multiple of {TILE} from {TILE} to {MAX_SIDE}; use {near}"
            )));
        }
    }
    let words: Vec<u32> = (0..rows * columns).collect();
    let (transposed, qpus, cycles) =
        transpose(options, &words).map_err(|error| did_not_end(&error))?;
    let at = |index: usize| {
        let (column, row) = (index as u32 / rows, index as u32 % rows);
        row * columns + column
    };
    let first_wrong = (0..words.len()).find(|&index| transposed[index] != at(index));
    let passed = first_wrong.is_none();
    let verdict = verdict(passed, "ok");
    let clock_hz = Board::default().clock_hz();
    let bytes = 4 * words.len() as u64;
    let rate = bytes as f64 * f64::from(clock_hz) / cycles as f64;
    print(
        options.json,
        &json!({
            "program": "transpose", "engine": "qpu", "passed": passed, "rows": rows,
            "columns": columns, "qpus": qpus, "simulated": true,
            "board": Board::default().name(), "clock_hz": clock_hz, "cycles": cycles,
            "bytes_per_second": rate,
        }),
        &format!(
            "transpose: {rows} x {columns} words on {qpus} QPU{}, {verdict}\n\
             simulated (cycle model, {}, {} MHz): {cycles} clocks, {:.0} MB/s read and as many written\n",
            if qpus == 1 { "" } else { "s" },
            Board::default().name(),
            clock_hz / 1_000_000,
            rate / 1e6
        ),
    )?;
    match first_wrong {
        None => Ok(()),
        Some(index) => Err(wrong(&format!(
            "row {}, column {} of the transpose is word {}, not word {}",
            index as u32 / rows,
            index as u32 % rows,
            transposed[index],
            at(index)
        ))),
    }
}

/// The words of the transpose, the QPUs that took part, and the clocks that they took.
fn transpose(options: &Options, words: &[u32]) -> Result<(Vec<u32>, usize, u64), SimError> {
    let mut runner = runner();
    let bytes = 4 * words.len() as u32;
    let from = runner.alloc(bytes, 4096)?;
    let to = runner.alloc(bytes, 4096)?;
    runner.write(from, 0, words)?;
    let matrix = Transpose::of_words(from.addr, to.addr, options.rows, options.columns)
        .expect("sides are multiples of a tile's");
    let nowhere = Program {
        code: BusAddr(0),
        uniforms: BusAddr(0),
    };
    let mut programs = [nowhere; MAX_QPUS as usize];
    let qpus = matrix.programs(&mut runner, options.qpus, &mut programs)?;
    let report = launch(&mut runner, &programs[..qpus])?;
    let mut transposed = vec![0; words.len()];
    runner.read(to, 0, &mut transposed)?;
    Ok((transposed, qpus, report.cycles.unwrap_or(1).max(1)))
}
