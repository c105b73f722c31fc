//! `qpuscope plan N`: which passes a transform takes on the QPUs, and what they cost.
//!
//! Clocks are those that `cargo xtask tune` measured on the simulator and committed, in proportion for other
//! batches; traffic and memory follow from the plan. The floor is that of `cargo xtask bench`
//! ([`qpu::fft::roofline`]).

use serde_json::json;
use std::fmt::Write as _;

use qpu::fft::Plan;
use qpu::fft::pass::Pass;
use qpu::fft::request::{Error, Request};
use qpu::fft::roofline::Roofline;
use qpu::fft::split::{MAX_LOG2_POINTS, MIN_LOG2_POINTS};
use qpu::fft::table;
use qpu_programs::FFT;
use v3d_sim::Board;

use crate::failure::{Failure, Result};
use crate::say;

/// Bytes of an interleaved complex point.
const POINT_BYTES: u64 = 8;

/// Options of `plan`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Points of a transform: a power of two, 16 to 4194304
    n: u64,
    /// Transforms at a time
    #[arg(long, default_value_t = 1)]
    batch: u32,
    /// The inverse transform: the same passes, with imaginary parts negated at both ends
    #[arg(long)]
    inverse: bool,
    /// Board whose clock turns clocks into time
    #[arg(long, default_value = "pi1")]
    board: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the plan.
///
/// # Errors
/// Usage, for lengths and batches that have no plan, and unknown boards.
pub fn run(options: &Options) -> Result<()> {
    let Some(board) = Board::from_name(&options.board) else {
        let names: Vec<_> = Board::ALL.iter().map(|board| board.name()).collect();
        return Err(Failure::usage(format!(
            "there is no board `{}`; choose one of {}",
            options.board,
            names.join(", ")
        )));
    };
    let lengths = (1 << MIN_LOG2_POINTS)..=(1 << MAX_LOG2_POINTS);
    if !options.n.is_power_of_two() || !lengths.contains(&options.n) {
        return Err(Failure::usage(format!(
            "no plan has {} points; lengths are the powers of two 16, 32, 64 .. {}",
            options.n,
            lengths.end()
        )));
    }
    let log2_points = options.n.ilog2();
    let request = Request::new(log2_points, options.batch);
    let refused = |error: Error<()>| Failure::usage(error.to_string());
    let arrangement = Plan::arrangement_of(FFT, &request).map_err(refused)?;
    let split = arrangement.split();
    let memory = arrangement.memory();
    let points = u64::from(options.batch) << log2_points;

    // The table's clocks are of its own split.
    let row = table::row(log2_points, options.batch)
        .filter(|row| row.cycles > 0 && qpu::fft::Split::new(row.log2_radices) == Some(split));
    let clocks =
        row.map(|row| f64::from(row.cycles) * f64::from(options.batch) / f64::from(row.batch));
    let floor = Roofline::SIMULATED
        .floor(log2_points, options.batch)
        .clocks();
    let share = clocks.map(|clocks| floor / clocks);
    let us = |clocks: f64| clocks * 1e6 / f64::from(board.clock_hz());

    let mut passes = Vec::new();
    let mut text = format!(
        "{} {} transform{} of {} points{}: {split}\n\n\
         pass    radix  points a unit reads  units  programs  code  read (bytes)  written (bytes)\n",
        options.batch,
        if options.inverse {
            "inverse"
        } else {
            "forward"
        },
        if options.batch == 1 { "" } else { "s" },
        options.n,
        if options.batch == 1 { "" } else { " each" },
    );
    for pass in arrangement.passes() {
        let (role, radix, parts, vectors, stores_row_by_row) = match &pass.step.pass {
            Pass::Points(geometry) => (
                format!("{:?}", geometry.role()).to_lowercase(),
                geometry.radix(),
                geometry.parts(),
                geometry.vectors(),
                geometry.is_stored_by_rows(),
            ),
            Pass::Shared(shared) => ("shared".into(), shared.points(), 1, 16, false),
            Pass::Real(_) | Pass::Product(_) | Pass::Power(_) => continue,
        };
        let read = points * POINT_BYTES * u64::from(parts);
        let written = points * POINT_BYTES;
        let _ = writeln!(
            text,
            "{role:6}  {:5}  {:19}  {:5}  {:8}  {:4}  {read:12}  {written:15}",
            radix,
            vectors * 16,
            pass.units(),
            pass.programs,
            pass.program.code.len(),
        );
        passes.push(json!({
            "role": role,
            "radix": radix,
            "parts": parts,
            "units": pass.units(),
            "programs": pass.programs,
            "instructions": pass.program.code.len(),
            "read_bytes": read,
            "written_bytes": written,
            "twiddle_bytes": pass.step.pass.table_bytes(),
            "stores_row_by_row": stores_row_by_row,
        }));
    }
    let _ = write!(
        text,
        "\nmemory beside input and output: {} bytes (programs and lists {}, twiddles {}, between passes {})\n\
         input {} bytes, output {} bytes; they may be the same\n",
        memory.total(),
        memory.programs,
        memory.tables,
        memory.scratch,
        request.input_bytes(),
        request.output_bytes(),
    );
    match (clocks, share) {
        (Some(clocks), Some(share)) => {
            let _ = writeln!(
                text,
                "{clocks:.0} V3D clocks (simulated, second run), {:.2} a point, {:.0} us on {}\n\
                 floor {floor:.0} clocks: {share:.2} of the roofline",
                clocks / points as f64,
                us(clocks),
                board.name(),
            );
        }
        _ => {
            let _ = writeln!(
                text,
                "floor {floor:.0} clocks; this length and split have not been timed (`cargo xtask tune --write`)"
            );
        }
    }
    if options.json {
        let radices: Vec<_> = split.radices().collect();
        let object = json!({
            "n": options.n,
            "batch": options.batch,
            "direction": if options.inverse { "inverse" } else { "forward" },
            "board": board.name(),
            "radices": radices,
            "passes": passes,
            "memory_bytes": memory.total(),
            "program_bytes": memory.programs,
            "table_bytes": memory.tables,
            "scratch_bytes": memory.scratch,
            "input_bytes": request.input_bytes(),
            "output_bytes": request.output_bytes(),
            "clocks": clocks,
            "us": clocks.map(us),
            "floor_clocks": floor,
            "share": share,
        });
        text = format!("{object:#}\n");
    }
    say::data(&text)
}
