//! `qpu debug`: a job step by step, with a look at registers, VPM and memory.
//!
//! Commands come from the terminal, from standard input or from `--command`; docs/simulator.md
//! shows a session. Ctrl-C stops a job that runs, and ends the debugger while it waits for a
//! command. Away from a terminal nothing prompts, and a command that is wrong makes the exit status
//! 2.

use std::io::{BufRead, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;

use common::failure::{Failure, Result};
use common::say;
use common::stop::{self, Stop};
use workbench::debugger::Debugger;

/// The longest line that is taken.
const MOST_BYTES: u64 = 4096;

/// Options of `debug`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The job: a JSON file as docs/formats.md describes it
    job: PathBuf,
    /// A command, done in place of what would be typed; may be given several times
    #[arg(short, long, value_name = "COMMAND")]
    command: Vec<String>,
}

/// One command: what it shows goes to standard output, what is wrong to standard error.
fn execute(debugger: &mut Debugger, line: &str, wrong: &mut u32) -> Result<ControlFlow<()>> {
    match debugger.execute(line) {
        Ok((shown, next)) => {
            say::data(&shown)?;
            Ok(next)
        }
        Err(text) => {
            *wrong += 1;
            say::note(&format!("{text}\n"));
            Ok(ControlFlow::Continue(()))
        }
    }
}

/// A line of standard input; `None` at its end.
fn read_line(input: &mut impl BufRead) -> Result<Option<String>> {
    let mut bytes = vec![];
    let read = stop::blocking(|| {
        std::io::Read::take(&mut *input, MOST_BYTES).read_until(b'\n', &mut bytes)
    });
    match read {
        Ok(0) => Ok(None),
        Ok(_) => Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned())),
        Err(error) => Err(Failure::failed(format!(
            "cannot read standard input: {error}; give commands with --command"
        ))),
    }
}

/// Debugs a job until `quit` or the end of the commands.
///
/// # Errors
/// Usage for a bad job file, and when a command of a script was wrong.
pub fn run(options: &Options) -> Result<()> {
    let stop = Stop::on_ctrl_c();
    let mut debugger = Debugger::new(options.job.clone(), stop.clone())?;
    let mut wrong = 0;
    if !options.command.is_empty() {
        for line in &options.command {
            if execute(&mut debugger, line, &mut wrong)?.is_break() {
                break;
            }
        }
        return judge(wrong);
    }
    let mut input = std::io::stdin().lock();
    let talks = std::io::stdin().is_terminal();
    if talks {
        let _ = execute(&mut debugger, "qpu", &mut wrong)?;
        say::data("`help` lists the commands\n")?;
    }
    // What an empty line repeats: the last step.
    let mut last = String::new();
    loop {
        if talks {
            let mut out = std::io::stdout().lock();
            let _ = write!(out, "(QPU {}) ", debugger.qpu()).and_then(|()| out.flush());
        }
        let Some(mut line) = read_line(&mut input)? else {
            if talks {
                say::data("\n")?;
            }
            break;
        };
        if talks {
            // A Ctrl-C that came with the line is not for what comes next.
            let _ = stop.take();
        }
        let first = line.chars().next();
        match first {
            None if talks => line.clone_from(&last),
            Some('s' | 'n') => last.clone_from(&line),
            _ => last.clear(),
        }
        if execute(&mut debugger, &line, &mut wrong)?.is_break() {
            break;
        }
    }
    judge(if talks { 0 } else { wrong })
}

fn judge(wrong: u32) -> Result<()> {
    match wrong {
        0 => Ok(()),
        1 => Err(Failure::usage("a command was wrong; see above")),
        _ => Err(Failure::usage(format!(
            "{wrong} commands were wrong; see above"
        ))),
    }
}
