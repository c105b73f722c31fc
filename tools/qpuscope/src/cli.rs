//! The command line.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use common::command_line::{self, Group};

use crate::command::{card, fft, info, list, moved, probe, read, report, sim, web};

/// Read, show and record the spectra of an instrument, and send it recordings.
#[derive(Parser, Debug)]
#[command(name = "qpuscope", version, about, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// The commands in the order of the help.
pub const GROUPS: &[Group] = &[
    ("Spectra", &["read", "fft", "web"]),
    ("Boards", &["list", "info", "probe", "report", "card"]),
    ("Without a board", &["sim"]),
];

#[derive(Subcommand, Debug)]
enum Command {
    /// Show, record or draw the spectra that come from a line or a recording of one
    Read(read::Options),
    /// Send a recording to an instrument; write and draw the spectra that it computes
    Fft(fft::Options),
    /// Serve the page that shows spectra in a browser, with a line or a recording of one
    Web(web::Options),
    /// List the serial ports of this computer
    List(list::Options),
    /// Versions, and what the firmware at a port says of itself
    Info(info::Options),
    /// Say what is on the pins of a board's live input, and what is wrong with it
    Probe(probe::Options),
    /// Find out what a board is and what it does, and write that to a file
    Report(report::Options),
    /// Look at an SD card for the firmware, and say line by line what is wrong with it
    Card(card::Options),
    /// Run kernel.img on a virtual Pi, its serial line on a pty, TCP or stdio
    Sim(sim::Options),
    #[command(flatten)]
    Moved(Moved),
}

/// Commands that are those of `qpu` now.
#[derive(Subcommand, Debug)]
enum Moved {
    #[command(hide = true)]
    Asm(moved::Options),
    #[command(hide = true)]
    Dis(moved::Options),
    #[command(hide = true)]
    Check(moved::Options),
    #[command(hide = true)]
    Explain(moved::Options),
    #[command(hide = true)]
    Run(moved::Options),
    #[command(hide = true)]
    Debug(moved::Options),
    #[command(hide = true)]
    Selftest(moved::Options),
    #[command(hide = true)]
    Plan(moved::Options),
    #[command(hide = true)]
    Export(moved::Options),
    #[command(hide = true)]
    Fft2(moved::Options),
    #[command(hide = true)]
    HelloFft(moved::Options),
    #[command(hide = true)]
    Flowgraph(moved::Options),
    #[command(hide = true)]
    Digits(moved::Options),
    #[command(hide = true)]
    Compare(moved::Options),
    #[command(hide = true)]
    Bench(moved::Options),
}

impl Moved {
    fn run(&self) -> common::failure::Result<()> {
        match self {
            Self::Asm(options) => moved::run("asm", options),
            Self::Dis(options) => moved::run("dis", options),
            Self::Check(options) => moved::run("check", options),
            Self::Explain(options) => moved::run("explain", options),
            Self::Run(options) => moved::run("run", options),
            Self::Debug(options) => moved::run("debug", options),
            Self::Selftest(options) => moved::run("selftest", options),
            Self::Plan(options) => moved::run("plan", options),
            Self::Export(options) => moved::run("export", options),
            Self::Fft2(options) => moved::run("fft2", options),
            Self::HelloFft(options) => moved::run("hello-fft", options),
            Self::Flowgraph(options) => moved::run("flowgraph", options),
            Self::Digits(options) => moved::run("digits", options),
            Self::Compare(options) => moved::run("compare", options),
            Self::Bench(options) => moved::run("bench", options),
        }
    }
}

/// Runs the command that the process's arguments name.
#[must_use]
pub fn main() -> ExitCode {
    let arguments: Arguments = match command_line::parse(GROUPS) {
        Ok(arguments) => arguments,
        Err(status) => return status,
    };
    let done = match arguments.command {
        Command::Read(options) => read::run(&options),
        Command::Fft(options) => fft::run(&options),
        Command::Web(options) => web::run(&options),
        Command::List(options) => list::run(&options),
        Command::Info(options) => info::run(&options),
        Command::Probe(options) => probe::run(&options),
        Command::Report(options) => report::run(&options),
        Command::Card(options) => card::run(&options),
        Command::Sim(options) => sim::run(&options),
        Command::Moved(moved) => moved.run(),
    };
    command_line::end("qpuscope", done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_help_has_each_command_once_and_none_that_has_moved() {
        let mut shown: Vec<_> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        let command = Arguments::command();
        let all = command
            .get_subcommands()
            .filter(|known| !known.is_hide_set());
        let mut all: Vec<_> = all.map(clap::Command::get_name).collect();
        shown.sort_unstable();
        all.sort_unstable();
        assert_eq!(shown, all);
        command_line::grouped::<Arguments>(GROUPS).debug_assert();
    }
}
