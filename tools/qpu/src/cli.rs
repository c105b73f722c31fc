//! The command line.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use common::command_line::{self, Group};

use crate::command::{
    asm, bench, check, compare, debug, digits, dis, explain, export, fft, fft2, flowgraph,
    hello_fft, plan, run, selftest,
};

/// Write, check, run and explain programs and FFT plans of the VideoCore IV's QPUs.
#[derive(Parser, Debug)]
#[command(name = "qpu", version, about, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// The commands in the order of the help.
pub const GROUPS: &[Group] = &[
    ("Programs", &["asm", "dis", "check", "explain"]),
    (
        "Runs, on the simulated V3D or a board",
        &["run", "debug", "selftest"],
    ),
    ("Plans", &["plan", "export", "flowgraph", "digits"]),
    ("Transforms", &["fft", "fft2", "hello-fft", "bench"]),
    ("The model", &["compare"]),
];

#[derive(Subcommand, Debug)]
enum Command {
    /// Assemble QPU code from text, in vc4asm's language
    Asm(asm::Options),
    /// Show QPU code, from binary or hexadecimal words, as source of the assembler
    Dis(dis::Options),
    /// Find what is wrong with QPU code before it runs
    Check(check::Options),
    /// Say what a rule of QPU code is, who says so, and what to do
    Explain(explain::Options),
    /// Run QPU code from a job file on the simulated V3D
    Run(run::Options),
    /// Step through a job: breakpoints, watches, registers, VPM and memory
    Debug(debug::Options),
    /// Run QPU programs whose results are known, on the simulated V3D
    Selftest(selftest::Options),
    /// Explain how the QPUs transform a length: passes, memory, traffic, predicted clocks
    Plan(plan::Options),
    /// Write a plan as code, lists, memory map and launches, for drivers in C, or as a job
    Export(export::Options),
    /// Draw the data flow of a transform, with its twiddles, as SVG or PDF
    Flowgraph(flowgraph::Options),
    /// Print which bin lies where after a transform in place: digit reversal
    Digits(digits::Options),
    /// Transform the points of a file and write the bins to a file
    Fft(fft::Options),
    /// Transform a picture in two dimensions on the simulated V3D: draw its spectrum, or filter it
    Fft2(fft2::Options),
    /// Transform tones on the QPUs, as GPU_FFT's hello_fft: length, time and error in one line
    HelloFft(hello_fft::Options),
    /// Count the ARM instructions of the CPU engine's transforms on the virtual Pi
    Bench(bench::Options),
    /// Set a report of a board beside the cycle model: which constants it decides
    Compare(compare::Options),
}

/// Runs the command that the process's arguments name.
#[must_use]
pub fn main() -> ExitCode {
    let arguments: Arguments = match command_line::parse(GROUPS) {
        Ok(arguments) => arguments,
        Err(status) => return status,
    };
    let done = match arguments.command {
        Command::Asm(options) => asm::run(&options),
        Command::Dis(options) => dis::run(&options),
        Command::Check(options) => check::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Run(options) => run::run(&options),
        Command::Debug(options) => debug::run(&options),
        Command::Selftest(options) => selftest::run(&options),
        Command::Plan(options) => plan::run(&options),
        Command::Export(options) => export::run(&options),
        Command::Flowgraph(options) => flowgraph::run(&options),
        Command::Digits(options) => digits::run(&options),
        Command::Fft(options) => fft::run(&options),
        Command::Fft2(options) => fft2::run(&options),
        Command::HelloFft(options) => hello_fft::run(&options),
        Command::Bench(options) => bench::run(&options),
        Command::Compare(options) => compare::run(&options),
    };
    command_line::end("qpu", done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_help_has_each_command_once() {
        let mut shown: Vec<_> = GROUPS.iter().flat_map(|(_, names)| *names).collect();
        let command = Arguments::command();
        let all = command.get_subcommands().map(|known| known.get_name());
        let mut all: Vec<_> = all.collect();
        shown.sort();
        all.sort_unstable();
        assert_eq!(shown.into_iter().copied().collect::<Vec<_>>(), all);
        command_line::grouped::<Arguments>(GROUPS).debug_assert();
    }
}
