//! The command line: [the manual page](../MANUAL.md) and its commands.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::command::{
    asm, bench, card, check, compare, debug, digits, dis, explain, export, fft, fft2, flowgraph,
    hello_fft, info, list, plan, probe, read, report, run, selftest, sim, web,
};
use common::failure::Exit;
use common::{files, say, stop, text};

/// Read, show and record spectra; run and inspect QPU code.
#[derive(Parser, Debug)]
#[command(
    name = "qpuscope",
    version,
    about,
    arg_required_else_help = true,
    after_help = "Files are written beside their name, as NAME.??????.part, and renamed when they are whole: an older file \
                  is kept until then. Only a process that is killed (SIGKILL) leaves such a part behind. Ctrl-C, SIGTERM and a \
                  hang-up end read, run, debug, sim and web with what they have so far; twice, or in a wait, at once; other \
                  commands at once.\n\n\
                  Time-outs: a board is asked 16 times in 8 s who it is; then an answer takes at most 0.5 s and is asked for \
                  4 times, or 16 where damage comes in its place (the end of a stream 60 times; a job its limit and 2.5 s; a \
                  proof or a microbenchmark 4 s). An upload is given up after 5 s without any byte, and when nothing moves for \
                  30 s, or 120 s behind its last sample: no sample received or granted, no value of a spectrum. `read` waits \
                  5 s for a first byte of a line, a connection 5 s, a serial port that takes nothing 5 s. A pipe without a writer is \
                  waited for until a signal comes. `sim` gives up a TCP host that is silent and gone after some 30 s."
)]
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
    /// Serve the page that shows spectra in a browser, with a line or a recording of one
    Web(web::Options),
    /// Send samples to an instrument; write and draw the spectra that it computes
    Fft(fft::Options),
    /// Transform a picture in two dimensions on the simulated V3D: draw its spectrum, or filter it
    Fft2(fft2::Options),
    /// Transform tones on the QPUs, as GPU_FFT's hello_fft: length, time and error in one line
    HelloFft(hello_fft::Options),
    /// Run QPU code from a job file on the simulated V3D
    Run(run::Options),
    /// Step through a job: breakpoints, watches, registers, VPM and memory
    Debug(debug::Options),
    /// Assemble QPU code from text, in vc4asm's language
    Asm(asm::Options),
    /// Show QPU code, from binary or hexadecimal words, as source of the assembler
    Dis(dis::Options),
    /// Run QPU programs whose results are known, on the simulated V3D
    Selftest(selftest::Options),
    /// Find what is wrong with QPU code before it runs
    Check(check::Options),
    /// Say what a rule of QPU code is, who says so, and what to do
    Explain(explain::Options),
    /// Explain how the QPUs transform a length: passes, memory, traffic, predicted clocks
    Plan(plan::Options),
    /// Write a plan as code, lists, memory map and launches, for drivers in C, or as a job
    Export(export::Options),
    /// Count the ARM instructions of the CPU engine's transforms on the virtual Pi
    Bench(bench::Options),
    /// Print which bin lies where after a transform in place: digit reversal
    Digits(digits::Options),
    /// Draw the data flow of a transform, with its twiddles, as SVG or PDF
    Flowgraph(flowgraph::Options),
    /// Look at an SD card for the firmware, and say line by line what is wrong with it
    Card(card::Options),
    /// Versions, and what the firmware at a port says of itself
    Info(info::Options),
    /// Say what is on the pins of a board's live input, and what is wrong with it
    Probe(probe::Options),
    /// Find out what a board is and what it does, and write that to a file
    Report(report::Options),
    /// Set a report beside the cycle model: which constants it decides
    Compare(compare::Options),
    /// List the serial ports of this computer
    List(list::Options),
}

/// Runs the command that the process's arguments name.
#[must_use]
pub fn main() -> ExitCode {
    stop::tidy_up_with(files::part::remove_all);
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let text = error.render().to_string();
            match text::said(&text) {
                // Help and version are no errors and go to standard output.
                plain if plain == text => drop(error.print()),
                // A name such as `*` brings is not to act on the terminal.
                safe => say::note(&safe),
            }
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
        Command::Web(options) => web::run(&options),
        Command::Fft(options) => fft::run(&options),
        Command::Fft2(options) => fft2::run(&options),
        Command::HelloFft(options) => hello_fft::run(&options),
        Command::Run(options) => run::run(&options),
        Command::Debug(options) => debug::run(&options),
        Command::Asm(options) => asm::run(&options),
        Command::Dis(options) => dis::run(&options),
        Command::Selftest(options) => selftest::run(&options),
        Command::Check(options) => check::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Plan(options) => plan::run(&options),
        Command::Export(options) => export::run(&options),
        Command::Bench(options) => bench::run(&options),
        Command::Digits(options) => digits::run(&options),
        Command::Flowgraph(options) => flowgraph::run(&options),
        Command::Card(options) => card::run(&options),
        Command::Info(options) => info::run(&options),
        Command::Probe(options) => probe::run(&options),
        Command::Report(options) => report::run(&options),
        Command::Compare(options) => compare::run(&options),
        Command::List(options) => list::run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.message.is_empty() {
                say::note(&format!("qpuscope: {failure}\n"));
            }
            ExitCode::from(failure.exit as u8)
        }
    }
}
