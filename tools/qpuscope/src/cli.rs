//! qpuscope: read, show and record spectra; run and inspect QPU code.
//!
//! # Synopsis
//!
//! | command | does |
//! |---|---|
//! | `qpuscope sim IMAGE` | runs kernel.img on a virtual Pi, its serial line on a pty, TCP or stdio |
//! | `qpuscope read [PORT]` | shows, records or draws the spectra that come from a line or a recording of one |
//! | `qpuscope fft --input FILE` | sends samples to an instrument; writes and draws the spectra it computes |
//! | `qpuscope fft2 IN.png OUT.png` | draws the spectrum of a picture, or filters it, by transforms on the simulated V3D |
//! | `qpuscope run JOB.json` | runs QPU code on the simulated V3D |
//! | `qpuscope debug JOB.json` | the same step by step: breakpoints, registers, VPM, memory |
//! | `qpuscope asm FILE.qasm` | assembles QPU code |
//! | `qpuscope dis FILE` | QPU code as source of the assembler |
//! | `qpuscope check FILE` | finds what is wrong with QPU code before it runs |
//! | `qpuscope explain RULE` | a rule of QPU code, its remedy and its source |
//! | `qpuscope plan N` | how the QPUs transform N points: passes, memory, traffic, predicted clocks |
//! | `qpuscope selftest` | hello and SHA-256, whose results are known, on the simulated V3D |
//! | `qpuscope bench --engine cpu` | ARM instructions of the CPU engine's transforms, on the virtual Pi |
//! | `qpuscope digits N RADIX` | which bin lies where after a transform in place |
//! | `qpuscope flowgraph N -o FILE` | the data flow of a transform with its twiddles, as SVG or PDF |
//! | `qpuscope card DIR` | what lies on an SD card for the firmware, and what is wrong with it |
//! | `qpuscope info` | versions, and what the firmware at a port says of itself |
//! | `qpuscope report [PORT] -o FILE` | what a board is, and what its microbenchmarks, its line and its clocks do, in a file |
//! | `qpuscope compare FILE` | such a file beside the cycle model: which constants it decides |
//! | `qpuscope list` | the serial ports of this computer |
//!
//! Each command has `--help`.
//!
//! # Ports
//!
//! `--port` (or `QPUSCOPE_PORT`) is a serial device, `tcp:HOST:PORT`, or `sim:IMAGE`, a virtual Pi
//! in this process whose time passes only while somebody waits for it. `read` also takes a file of
//! recorded bytes, and `-` for standard input. Without a port the only serial port is used. Opening
//! a port never resets a board.
//!
//! # Recordings
//!
//! `fft` takes WAV files (8, 16, 24, 32 bits or float; stereo as two channels or, with
//! `--stereo iq`, as one complex signal), raw unsigned 8-bit I/Q with `--rate`, and a column of a
//! CSV file. Of a CSV file with time stamps in its first column the rate is known and missing rows
//! are interpolated, which is said. A column has no full scale, so its levels are relative to one
//! unit of it, and mean and linear trend are taken off before sending.
//!
//! # Output and exit status
//!
//! Data goes to standard output, everything else to standard error. `--json` prints one object
//! (`read`: one for each spectrum).
//!
//! A file that is written lies beside its name, as `NAME.??????.part`, until it is whole, and is
//! then renamed: when the disk gets full an older file stays as it is, and no part remains. A
//! process that is killed leaves the part. Links are followed, modes are kept; devices and pipes
//! are written in place. No output may be a file that the command reads, by whatever name or link.
//!
//! What boards, files and arguments say reaches the terminal with control characters shown as
//! `\x1b`, and is cut where it is long; JSON has all of it.
//!
//! Ctrl-C, SIGTERM and a hang-up end a command with what it has so far; the second time, or while
//! it waits for somebody else (a pipe without a writer, a connection), they end it at once, with
//! 128 and the signal's number as status: 130 for Ctrl-C.
//!
//! | status | meaning |
//! |---|---|
//! | 0 | done |
//! | 1 | tried and not done |
//! | 2 | wrong option, or a file that is not what it is said to be |
//! | 3 | no port, or nobody answers |
//! | 4 | the line: cut, wrong rate, or not this protocol |
//! | 5 | the result cannot be trusted: a fault, a deadlock, lost data under `--strict` |
//!
//! # Time-outs
//!
//! | what | at most |
//! |---|---|
//! | the first answer of a board | asked for 16 times in 8 s |
//! | any other answer | 0.5 s, 4 times; up to 16 where damage comes in its place |
//! | the end of a stream | 0.5 s, 60 times: the longest record takes 23 s |
//! | the end of a job of the QPUs | its limit and 2.5 s, 4 times |
//! | a proof of a plan, a microbenchmark | 4 s, 4 times |
//! | an upload without any byte | 5 s |
//! | an upload in which nothing moves: no sample received or granted, no value of a spectrum | 30 s; 120 s behind its last sample |
//! | the first byte that `read` waits for; a connection; a port that takes no bytes | 5 s |
//! | a pipe without a writer | until a signal comes |
//! | a TCP host of `sim` that is silent and gone | some 30 s |
//!
//! # Transcript
//!
//! A test runs these commands and compares what they print.
//!
//! ```console
//! $ echo 'mov r0, unif; thrend' | qpuscope asm --no-check -
//! 0x15827d80, 0x30020827, // mov r0, unif; thrend
//! $ echo 'moc r0, unif' | qpuscope asm -
//! -:1:1: error: `moc` is no instruction, signal or macro [unknown-instruction]
//!   moc r0, unif
//!   ^^^
//!   did you mean mov?
//! qpuscope: -: 1 error; nothing was written
//! [status 2]
//! $ echo '0x009e7000 0x300009e7, 0x009e7000 0x100009e7, 0x009e7000 0x100009e7' | qpuscope dis -
//!     nop; thrend                              # 0x300009e7_009e7000 @0000
//!     nop                                      # 0x100009e7_009e7000 @0008 |
//!     nop                                      # 0x100009e7_009e7000 @0010 |
//! $ qpuscope check hazard.hex
//! hazard.hex:0x0008: regfile-read-after-write: ra3 was written in the instruction before and cannot be read yet
//!     mov r1, ra3
//!     to fix it, put an instruction between, or keep the value in r0..r3
//! qpuscope: hazard.hex: 1 finding in 5 instructions; `qpuscope explain RULE` says more of a rule
//! [status 5]
//! $ qpuscope explain regfile-read-after-write
//! regfile-read-after-write (found by: check and simulator)
//!
//! A register of file A or B that an instruction writes cannot be read by the next one: the write comes
//! too late, and the old value is read. Accumulators r0..r3 and r5 can be read at once. The rule holds
//! over branches (the last delay slot is followed by the target), for load immediates and for links. A
//! write and a read under opposite conditions touch different lanes and are allowed.
//!
//! To fix it, put an instruction between, or keep the value in r0..r3.
//!
//! Source: Broadcom's guide, QPU instruction restrictions; vc4asm's addendum.
//! $ qpuscope explain sfu-result
//! qpuscope: there is no rule `sfu-result`; the nearest are sfu-result-too-early, sfu-result-overwritten, setup-reserved-bits; `qpuscope explain` lists all
//! [status 2]
//! $ qpuscope fft --input song.mp3
//! qpuscope: song.mp3 is no recording that qpuscope knows: it neither begins as a WAV file nor ends in .csv, .iq or .cu8; give --rate HZ for raw unsigned 8-bit I/Q, or --column NAME for a table
//! [status 2]
//! $ qpuscope fft --input renamed.wav
//! qpuscope: renamed.wav is not a WAV file: it begins with 49 44 33 04 instead of "RIFF"; convert it first (for example with `ffmpeg -i renamed.wav out.wav`), or name it .iq and give --rate if it is raw 8-bit I/Q
//! [status 2]
//! $ qpuscope fft --input recording.iq
//! qpuscope: recording.iq is raw I/Q and does not say its sample rate; give it with --rate, for example --rate 2M
//! [status 2]
//! $ qpuscope fft --input recording.iq --rate 2M --n 1000
//! qpuscope: --n 1000 is not a power of two; use 512 or 1024
//! [status 2]
//! $ qpuscope fft --input recording.iq --rate 2M
//! recording.iq: 1000 complex samples at 2000000 Hz
//! qpuscope: recording.iq holds 1000 samples, fewer than one block of 4096; choose a smaller --n
//! [status 2]
//! $ qpuscope fft --input table.csv
//! qpuscope: table.csv has several columns of numbers; choose one with --column: `left`, `right`
//! [status 2]
//! $ qpuscope fft --input tone.wav --port sim:absent.img
//! tone.wav: 144000 real samples at 48000 Hz
//! qpuscope: cannot read the image absent.img: No such file or directory (os error 2); build it with `cargo xtask build`, which writes target/kernel.img
//! [status 2]
//! $ qpuscope fft --input tone.wav --port tcp:127.0.0.1:1
//! tone.wav: 144000 real samples at 48000 Hz
//! qpuscope: nobody answers at tcp:127.0.0.1:1 (Connection refused (os error 111)); start the other side first, for example with `qpuscope sim IMAGE --line tcp:127.0.0.1:1`
//! [status 3]
//! $ qpuscope fft2 renamed.wav out.png
//! qpuscope: renamed.wav cannot be read as PNG: Invalid PNG signature.; convert it first (for example with `magick IN OUT.png`)
//! [status 2]
//! $ qpuscope fft2 photo.png out.png --mask low
//! error: invalid value 'low' for '--mask <MASK>': `low` is no mask; give low:F or high:F with a cutoff F in cycles per pixel above 0 and up to 0.71, for example low:0.1
//!
//! For more information, try '--help'.
//! [status 2]
//! $ qpuscope read noise.bin
//! 0 spectra in 0 frames; 1000 bytes lost, 0 CRC errors, 0 sequence gaps, 0 incomplete spectra
//! qpuscope: none of the 1000 bytes of noise.bin decodes: it holds something else, or was recorded at a wrong rate; record it again at the board's rate
//! [status 4]
//! $ qpuscope read recorded.bin --lines 1
//! qpuscope test
//! 0.000 s, record 0: N = 1024, hann window, average of 4 blocks, engine qpu
//!      bin       frequency      period  level (dBFS)
//!      128       6.000 kHz      167 µs    -10.00
//! 0.100 s, record 1: N = 1024, hann window, average of 4 blocks, engine qpu
//!      bin       frequency      period  level (dBFS)
//!      128       6.000 kHz      167 µs    -10.00
//! 2 spectra in 5 frames; 0 bytes lost, 0 CRC errors, 0 sequence gaps, 0 incomplete spectra
//! $ mkdir card; echo 'gpu_mem=16' > card/config.txt; qpuscope card card 2>&1 | tail -n 4
//! WRONG  kernel.img       is missing; copy kernel.img of qpuscope to the card
//! ok     cmdline.txt      not there, so qpuscope takes its defaults
//! 5 things to put right.
//! qpuscope: card will not do as it is; put the lines marked WRONG right and look again
//! $ qpuscope card absent
//! qpuscope: cannot read absent: No such file or directory (os error 2); check the path and its permissions
//! [status 2]
//! $ qpuscope plan 1000
//! qpuscope: no plan has 1000 points; lengths are the powers of two 16, 32, 64 .. 4194304
//! [status 2]
//! $ qpuscope selftest hello
//! hello: 100 + 0x1234 = 0x1298 in word 0 of 16, ok
//! $ qpuscope digits 8 2
//! 8 points, stages of radix 2,2,2
//! index  digits  turned    bin
//!     0     000     000      0
//!     1     001     100      4
//!     2     010     010      2
//!     3     011     110      6
//!     4     100     001      1
//!     5     101     101      5
//!     6     110     011      3
//!     7     111     111      7
//! $ qpuscope digits 12 3,4 --json
//! {"bins":[0,3,6,9,1,4,7,10,2,5,8,11],"points":12,"radices":[3,4],"self_inverse":false}
//! $ qpuscope digits 32 4
//! qpuscope: 32 is not a power of 4; use `mixed`, radix 2, or give those of all stages, for example 4,4,2
//! [status 2]
//! $ qpuscope bench --engine cpu --length 1000
//! qpuscope: --length 1000 is not a power of two from 1 to 4194304; use 512
//! [status 2]
//! $ qpuscope flowgraph 4096 --classic -o flow.svg
//! wrote flow.svg: 4096 points, radix 2, 12 stages; 34 of 4096 rows drawn, --full draws all
//! $ qpuscope flowgraph 100 -o flow.svg
//! qpuscope: 100 is not a power of two; use 64 or 128, or give the radices with --passes
//! [status 2]
//! $ qpuscope compare recorded.bin
//! qpuscope: recorded.bin is no report: write one with `qpuscope report PORT -o FILE`, and give that file
//! [status 2]
//! $ qpuscope run job.json
//! qpuscope: bad job file job.json: memory[0].size: unknown key; known are at, file, offset, bytes, zero, words
//! [status 2]
//! ```
//!
//! With an image of the firmware, which a virtual Pi runs:
//!
//! ```console
//! $ qpuscope fft --port sim:kernel.img --quiet --input tone.wav --window flat-top --lines 1
//! tone.wav: 144000 real samples at 48000 Hz
//! Raspberry Pi 1 B, firmware 0.1.0, engine qpu
//! tone.wav: N = 4096, flat-top window, average of 69 blocks, engine qpu
//!      bin       frequency      period  level (dBFS)
//!       85        996.1 Hz     1.00 ms      0.00
//! wrote spectrum.png, spectrum.svg, spectrum.csv
//! $ qpuscope fft --port sim:kernel.img --quiet --input tone.wav --n 131072
//! tone.wav: 144000 real samples at 48000 Hz
//! qpuscope: the board refuses: n=131072: more than the memory set aside for a block; use n=65536 or less and average more blocks
//! [status 2]
//! $ head -n 5 spectrum.csv
//! # spectrum of tone.wav
//! # 0 dBFS is a sine of full-scale amplitude
//! # sample rate 48000 Hz, N = 4096 real, window flat-top (ENBW 3.7702 bins), 2048 samples overlap, average of 69 blocks
//! # engine qpu, board Raspberry Pi 1 B, firmware 0.1.0
//! bin,frequency_hz,power,level_dBFS
//! ```

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::command::{
    asm, bench, card, check, compare, debug, digits, dis, explain, fft, fft2, flowgraph, info,
    list, plan, read, report, run, selftest, sim,
};
use crate::failure::Exit;
use crate::{say, text};

/// Read, show and record spectra; run and inspect QPU code.
#[derive(Parser, Debug)]
#[command(
    name = "qpuscope",
    version,
    about,
    arg_required_else_help = true,
    after_help = "Files are written beside their name, as NAME.??????.part, and renamed when they are whole: an older file \
                  is kept until then, and what a killed process has written remains under that name. Ctrl-C, SIGTERM and a \
                  hang-up end a command with what it has so far; twice, or in a wait, at once.\n\n\
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
    /// Send samples to an instrument; write and draw the spectra that it computes
    Fft(fft::Options),
    /// Transform a picture in two dimensions on the simulated V3D: draw its spectrum, or filter it
    Fft2(fft2::Options),
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
        Command::Fft(options) => fft::run(&options),
        Command::Fft2(options) => fft2::run(&options),
        Command::Run(options) => run::run(&options),
        Command::Debug(options) => debug::run(&options),
        Command::Asm(options) => asm::run(&options),
        Command::Dis(options) => dis::run(&options),
        Command::Selftest(options) => selftest::run(&options),
        Command::Check(options) => check::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Plan(options) => plan::run(&options),
        Command::Bench(options) => bench::run(&options),
        Command::Digits(options) => digits::run(&options),
        Command::Flowgraph(options) => flowgraph::run(&options),
        Command::Card(options) => card::run(&options),
        Command::Info(options) => info::run(&options),
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
