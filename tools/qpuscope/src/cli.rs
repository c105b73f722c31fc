//! The command line. The manual page is the documentation of the library, in `lib.rs`.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::command::{dis, fft, info, list, read, run, sim};
use crate::failure::Exit;

/// Read, show and record spectra; run and inspect QPU code.
#[derive(Parser, Debug)]
#[command(name = "qpuscope", version, about, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Run kernel.img on a virtual Pi, its serial line on a pty, TCP or stdio
    Sim(sim::Options),
    /// Show, record or draw the spectra that come from a line or a recording of one
    Read(read::Options),
    /// Send samples to an instrument; write and draw the spectra that it computes
    Fft(fft::Options),
    /// Run QPU code from a job file on the simulated V3D
    Run(run::Options),
    /// List QPU code, from binary or hexadecimal words
    Dis(dis::Options),
    /// Versions, and what the firmware at a port says of itself
    Info(info::Options),
    /// List the serial ports of this computer
    List(list::Options),
}

/// Runs the command that the process's arguments name.
#[must_use]
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are no errors and go to standard output.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() {
                Exit::Usage as u8
            } else {
                0
            });
        }
    };
    let done = match arguments.command {
        Command::Sim(options) => sim::run(&options),
        Command::Read(options) => read::run(&options),
        Command::Fft(options) => fft::run(&options),
        Command::Run(options) => run::run(&options),
        Command::Dis(options) => dis::run(&options),
        Command::Info(options) => info::run(&options),
        Command::List(options) => list::run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("qpuscope: {failure}");
            ExitCode::from(failure.exit as u8)
        }
    }
}
