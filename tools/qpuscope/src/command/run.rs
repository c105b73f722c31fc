//! `qpuscope run`: QPU code from a job file, on the simulated V3D.
//!
//! Standard output is one JSON object whatever happens to the programs; a fault, a deadlock or the
//! cycle limit is exit status 5 and a sentence on standard error.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use v3d_sim::{JobEnd, Outcome, Place};

use crate::failure::{Failure, Result};
use crate::job_file::JobFile;

/// Options of `run`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The job: a JSON file as docs/formats.md describes it
    job: PathBuf,
}

/// Writes what memory holds after the run to the files that the job names.
fn write_dumps(job: &mut JobFile) -> Result<()> {
    for dump in &job.dumps {
        let bytes = job.memory.get(dump.at, dump.bytes).map_err(|fault| {
            Failure::failed(format!(
                "{:#010x} went away during the run; report this",
                fault.addr
            ))
        })?;
        std::fs::write(&dump.file, bytes).map_err(|error| writing(&dump.file, &error))?;
    }
    Ok(())
}

/// Runs a job and prints what it did.
///
/// # Errors
/// Usage for a bad job file, integrity for a job that did not end well.
pub fn run(options: &Options) -> Result<()> {
    let mut job = JobFile::read(&options.job)?;
    let outcome = v3d_sim::run_job(&mut job.memory, &job.launches, &job.options);
    crate::say::data(&format!(
        "{:#}\n",
        report(&outcome, job.options.limit_cycles)
    ))?;
    for warning in &outcome.warnings {
        eprintln!("warning: {warning} [{} times]", warning.count);
    }
    let dumped = write_dumps(&mut job);
    match outcome.end {
        JobEnd::Completed => dumped,
        JobEnd::Fault => Err(Failure::integrity(format!(
            "a program faulted: {}; `qpuscope dis` shows the code around it",
            outcome
                .faults
                .first()
                .map_or_else(String::new, ToString::to_string)
        ))),
        JobEnd::Deadlock => Err(Failure::integrity(format!(
            "{}; check that every semaphore decrement has its increment",
            outcome
                .deadlock
                .as_ref()
                .map_or_else(|| "deadlock".to_owned(), ToString::to_string)
        ))),
        JobEnd::CycleLimit => Err(Failure::integrity(format!(
            "the programs had not ended after {} cycles; look for an endless loop, or raise limit_cycles",
            job.options.limit_cycles
        ))),
    }
}

fn writing(path: &Path, error: &std::io::Error) -> Failure {
    Failure::failed(format!(
        "cannot write {}: {error}; check the folder that dump names",
        path.display()
    ))
}

/// The outcome as the format of design.md section 5.
fn report(outcome: &Outcome, limit_cycles: u64) -> Value {
    let statistics = &outcome.statistics;
    let mut faults: Vec<Value> = outcome
        .faults
        .iter()
        .map(|fault| {
            entry(
                fault.place.as_ref(),
                fault.kind.id(),
                &fault.kind.to_string(),
                1,
            )
        })
        .collect();
    if let Some(deadlock) = &outcome.deadlock {
        faults.extend(
            deadlock.waiting.iter().map(|(place, wait)| {
                entry(Some(place), "deadlock", &format!("waits for {wait}"), 1)
            }),
        );
    }
    if outcome.end == JobEnd::CycleLimit {
        let text = format!("not ended after {limit_cycles} cycles");
        faults.push(entry(None, "cycle-limit", &text, 1));
    }
    let warnings: Vec<Value> = outcome
        .warnings
        .iter()
        .map(|warning| {
            let text = match warning.detail.as_str() {
                "" => warning.rule.text().to_owned(),
                detail => format!("{}: {detail}", warning.rule.text()),
            };
            entry(
                warning.place.as_ref(),
                warning.rule.id(),
                &text,
                warning.count,
            )
        })
        .collect();
    json!({
        "end": match outcome.end {
            JobEnd::Completed => "completed",
            JobEnd::Fault => "fault",
            JobEnd::Deadlock => "deadlock",
            JobEnd::CycleLimit => "cycle-limit",
        },
        "timed": false,
        "cycles": outcome.cycles,
        "instructions": statistics.instructions,
        "stall": statistics.stall,
        "counters": statistics.counters,
        "tmu_requests": statistics.tmu_requests,
        "vdr": { "commands": statistics.vdr.commands, "bytes": statistics.vdr.bytes },
        "vdw": { "commands": statistics.vdw.commands, "bytes": statistics.vdw.bytes },
        "host_interrupts": statistics.host_interrupts,
        "faults": faults,
        "warnings": warnings,
    })
}

fn entry(place: Option<&Place>, rule: &str, text: &str, count: u64) -> Value {
    json!({
        "qpu": place.map(|place| place.qpu),
        "pc": place.map(|place| place.pc),
        "disassembly": place.map(|place| place.disassembly.clone()),
        "rule": rule,
        "message": text,
        "count": count,
    })
}
