//! `cargo xtask`: builds, runs and tests the project, by the commands of [`USAGE`].
//!
//! Progress goes to standard error and data to standard output. Nothing waits without a limit.

#![forbid(unsafe_code)]

mod browser;
mod card;
mod circles;
mod demo;
mod dist;
mod firmware;
mod flat;
mod lint;
mod notices;
mod package;
mod process;
mod qemu;
mod reproduce;
mod stack_frames;
mod tests;
mod toolchain;
mod web;
mod workspace;

use anyhow::{Result, bail};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask <command>
  setup                installs what is missing where it may, else says what to install
  build                target/kernel.elf and target/kernel.img
  guest                target/guest-fft.img, which `qpu bench --engine cpu` and `selftest` run
  reproduce            compiles anew in two folders, compares the images and lists them; --dist: and
                       what dist makes, which compiles qpuscope twice, optimized
  demo                 the spectrum of a recording, computed by kernel.img on the virtual Pi
                       [--input FILE] [--rate HZ] [--column NAME] [--out DIR] [--json]
                       --live [--out DIR]: a parallel ADC at 20 MS/s with bursts shorter than a block, as live.png
  test [FILTER]        every test; last line: N passed, N failed, N skipped
  soak [NAME]          the long forms of tests, all or those with NAME in theirs; --list names them
  lint                 rustfmt, clippy for the host and for the target, circles, lengths, words and prose,
                       notices, and `cargo deny` if it is there
                       --quick: only circles, widths and paths;
                       --count [--root DIR]: only counts product lines and names of types that are used twice
  circles [--root DIR] modules that import each other in a circle, with the names that tie them
  notices [--write]    notices/*.txt, the licences in what dist makes, from Cargo.lock; without --write: are they old?
  qemu [--flat]        kernel.elf (or the flat image) in QEMU's raspi0, line on stdio
  fuzz [NAME COUNT]    mutated inputs from tests/corpus; without NAME lists the targets
  fidelity             the V3D simulator against every published hardware figure: docs/fidelity.md;
                       exit 1 when one is out of its band [--json] [--out FILE] [--no-variants]
  tune [FROM..TO]      times every split of each length on the simulator [--board NAME] [--conservative]
                       [--more-passes] [5,7,7 ..]; --write: the fastest into qpu/fft/src/planner/tuned, where plans find them
  bench                the FFT on the QPUs beside GPU_FFT, length by length
                       [--quick] [--kind complex|real|real-i16|iq-u8|spectrum] [--lengths FROM..TO]
                       [--batch COUNT] [--direction forward|inverse|both] [--port PORT] [--out DIR]
                       [--json] [--recorded]; --record: keeps the figures, and writes docs/performance.md
                       from all that are kept; --beside: so the tables of the ARM and of planes;
                       --document: only writes it; --host [--python PYTHON]: `qpuscope read` in each
                       format beside NumPy, on this computer
  clib DIR             libqpuscope into a folder: libraries, headers, qpuscope.pc
  card DIR             a folder for an SD card, and what is wrong on it; exit 1 when something is
  dist [--card-only]   target/dist: a zip for a card, a static qpuscope for Linux, SHA256SUMS
  web DIR              the page with a virtual Pi in it: a folder of static files for any web server
                       --serve: in target/web/page, shown on 127.0.0.1 by `qpuscope web`;
                       --bench: its figures in headless Chromium, as the table of docs/web.md";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<ExitCode> {
    let Some((command, rest)) = arguments.split_first() else {
        bail!("no command\n{USAGE}");
    };
    match command.as_str() {
        "setup" => {
            let toolchain = toolchain::find_or_install()?;
            eprintln!("firmware compiler: {toolchain}");
            let qemu = qemu::find_or_install()?;
            eprintln!("qemu: {}", qemu.display());
            // Only the tests of the page need it.
            match browser::find_or_install() {
                Ok(chromium) => eprintln!("chromium: {}", chromium.display()),
                Err(error) => eprintln!("tests of the page will be skipped: {error:#}"),
            }
            Ok(ExitCode::SUCCESS)
        }
        "build" => {
            let image = firmware::build(&toolchain::find_or_install()?)?;
            eprintln!("{image}");
            Ok(ExitCode::SUCCESS)
        }
        "guest" => {
            let guest = firmware::build_guest(&toolchain::find_or_install()?, "guest-fft")?;
            eprintln!("{guest}");
            Ok(ExitCode::SUCCESS)
        }
        "reproduce" => {
            let dist = match rest {
                [] => false,
                [word] if word == "--dist" => true,
                _ => bail!("`cargo xtask reproduce` takes --dist or nothing"),
            };
            reproduce::run(&toolchain::find_or_install()?, dist)?;
            eprintln!("the same bytes from two folders, each compiled anew");
            Ok(ExitCode::SUCCESS)
        }
        "demo" => demo::run(rest),
        "test" => tests::run(rest),
        "soak" => tests::soak(rest),
        "circles" => circles::run(rest).map(|()| ExitCode::SUCCESS),
        "lint" => lint::run(rest),
        "notices" => notices::run(rest).map(|()| ExitCode::SUCCESS),
        "qemu" => qemu::run(rest),
        "fuzz" => package::fuzz(rest),
        "tune" => package::run("qpu-programs", &["--example", "tune"], rest),
        "fidelity" => package::run("fidelity", &[], rest),
        "bench" => {
            // What is recorded must not be of an image from before the last change.
            let records = ["--record", "--beside"];
            if rest.iter().any(|argument| records.contains(&&**argument)) {
                let toolchain = toolchain::find_or_install()?;
                eprintln!("{}", firmware::build(&toolchain)?);
                eprintln!("{}", firmware::build_guest(&toolchain, "guest-fft")?);
            }
            if rest.iter().any(|argument| argument == "--host") {
                package::build("qpuscope")?;
            }
            package::run("bench", &[], rest)
        }
        "clib" => package::run("clib", &["--features", "boards"], rest),
        "card" => card::run(rest),
        "dist" => dist::run(rest),
        "web" => web::run(rest),
        "help" | "-h" | "--help" => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        other => bail!("there is no command {other:?}\n{USAGE}"),
    }
}
