//! `qpu hello-fft LOG2_N`: the test of GPU_FFT's `hello_fft`, in one line.
//!
//! It prints what [`workbench::hello_fft`] finds on the simulated V3D or, with `--port`, on the
//! QPUs of a virtual Pi or of a board that allows jobs.

use serde_json::json;

use common::failure::{Failure, Result};
use common::quantity::within;
use common::say;
use workbench::hello_fft::{ToneTest, on_board, on_simulator};

use crate::command::BoardOptions;

/// Shortest and longest transform, as powers of two.
const LENGTHS: std::ops::RangeInclusive<u32> = 4..=22;

/// Options of `hello-fft`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
    qpu hello-fft 12                            4096 points on the simulated V3D\n  \
    qpu hello-fft 10 --batch 10                 ten transforms of 1024 points\n  \
    qpu hello-fft 12 -p sim:target/kernel.img   on the QPUs of a virtual Pi, by its clock")]
pub struct Options {
    /// Logarithm of the number of points to base 2: 4 to 22
    #[arg(value_name = "LOG2_N")]
    log2n: u32,
    /// Transforms at a time, each with a tone of its own
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = within::<u32>(1..=u64::from(u32::MAX)))]
    batch: u32,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    board_port: BoardOptions,
}

/// Runs the transforms and prints what came of them.
///
/// # Errors
/// Usage, for lengths and batches that have no plan; what the board says.
pub fn run(options: &Options) -> Result<()> {
    let Options { log2n, batch, .. } = *options;
    if !LENGTHS.contains(&log2n) {
        let meant = log2n
            .checked_ilog2()
            .filter(|log2| log2n.is_power_of_two() && LENGTHS.contains(log2));
        let meant = meant.map_or_else(String::new, |log2| {
            format!("; for {log2n} points give {log2}")
        });
        return Err(Failure::usage(format!(
            "2^{log2n} points have no plan; give a number from {} to {}{meant}",
            LENGTHS.start(),
            LENGTHS.end()
        )));
    }
    let measured = match options.board_port.connect()? {
        None => on_simulator(log2n, batch)?,
        Some(client) => on_board(log2n, batch, client)?,
    };
    let ToneTest {
        us,
        clocks,
        rel_rms_err,
        place,
    } = measured;
    let points = 1u32 << log2n;
    if options.json {
        return say::json(&format!(
            "{:#}\n",
            json!({
                "points": points, "batch": batch, "direction": "inverse", "us": us,
                "clocks": clocks, "rel_rms_err": rel_rms_err, "place": place,
            })
        ));
    }
    let transforms = match batch {
        1 => String::new(),
        batch => format!("{batch} x "),
    };
    // A board's clock has no more than microseconds.
    let us = match clocks {
        Some(_) => format!("{us:.2}"),
        None => format!("{us}"),
    };
    say::data(&format!(
        "{transforms}{points} points, {us} us, rel_rms_err = {rel_rms_err:.1e}; {place}\n"
    ))
}
