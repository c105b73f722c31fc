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
            Self::Asm(_) => moved::say_where("asm"),
            Self::Dis(_) => moved::say_where("dis"),
            Self::Check(_) => moved::say_where("check"),
            Self::Explain(_) => moved::say_where("explain"),
            Self::Run(_) => moved::say_where("run"),
            Self::Debug(_) => moved::say_where("debug"),
            Self::Selftest(_) => moved::say_where("selftest"),
            Self::Plan(_) => moved::say_where("plan"),
            Self::Export(_) => moved::say_where("export"),
            Self::Fft2(_) => moved::say_where("fft2"),
            Self::HelloFft(_) => moved::say_where("hello-fft"),
            Self::Flowgraph(_) => moved::say_where("flowgraph"),
            Self::Digits(_) => moved::say_where("digits"),
            Self::Compare(_) => moved::say_where("compare"),
            Self::Bench(_) => moved::say_where("bench"),
        }
    }
}

/// Runs the command that the process's arguments name.
#[must_use]
pub fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    if words.first().is_some_and(|word| word == "fft")
        && words.iter().any(|word| word == "--complex")
    {
        return command_line::end("qpuscope", moved::say_where("fft"));
    }
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
