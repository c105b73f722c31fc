//! `qpuscope report`: what a board is and what it does, in a file for others to look at.
//!
//! One command, under two minutes at 115,200 baud: who the board is, the times of its start, its
//! clocks now and after a minute of spectra, the order in which QPUs get programs, microbenchmarks
//! that tell one constant of V3D each, whether V3D comes back after a program that does not end,
//! and what the line loses at each rate. No code is sent: all programs are in the image.
//! `qpu compare` says what the figures mean.

use std::path::PathBuf;
use std::time::Duration;

use super::port_options::{LineOptions, PortOperand};
use common::constants;
use common::failure::{Failure, Result};
use common::files::{apart, output};
use common::quantity::seconds;
use common::say;
use host::client::Client;
use host::report::gather::{LONGEST_PLANS, Wanted, gather};
use host::utc::Utc;

/// Options of `report`.
#[derive(clap::Args, Debug)]
pub struct Options {
    #[command(flatten)]
    port: PortOperand,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    line: LineOptions,
    /// Seconds for which spectra keep the board busy between the two readings of its clocks
    #[arg(long, value_parser = seconds, default_value = "60")]
    load: Duration,
    /// Look at a live input too, i2s or smi, which drives its pins; can be given twice
    #[arg(long, value_name = "INPUT", value_parser = ["i2s", "smi"])]
    live: Vec<String>,
    /// Another value of a constant of a virtual Pi's V3D; can be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = constants::change)]
    set: Vec<(String, f64)>,
}

/// Asks the board and writes the file.
///
/// # Errors
/// When nobody answers, the line breaks, or the file cannot be written.
pub fn run(options: &Options) -> Result<()> {
    let model = constants::with(&options.set)?;
    let port = options.line.choice(options.port.name().as_deref())?;
    if !options.set.is_empty() && !port.is_virtual() {
        return Err(Failure::usage(
            "--set changes a virtual Pi and no board; give sim:IMAGE as the port, or leave it out",
        ));
    }
    constants::note(&model);
    apart(&[&options.out], &port.inputs())?;
    output::check(&options.out)?;
    let (link, logs) = port.open_with(model)?;
    let mut client = Client::new(link, options.line.baud, logs, true);
    let wanted = Wanted {
        load: options.load,
        created_unix: (Utc::now().0 / 1_000_000) as u64,
        longest_plans: LONGEST_PLANS,
        live: options.live.clone(),
    };
    let report = gather(&mut client, &wanted)?;
    output::write(&options.out, report.to_text().as_bytes())?;
    for note in &report.notes {
        say::remark!("note: {note}");
    }
    say::remark!(
        "wrote {}; `qpu compare {0}` says what it decides",
        say::path(&options.out)
    );
    Ok(())
}
