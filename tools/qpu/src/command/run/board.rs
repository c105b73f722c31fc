//! A job on the QPUs of a board.
//!
//! The firmware keeps memory for the QPUs at the same place on every board, from 0x41000000 on. A
//! job that lies there is written to the board as it stands, run, and what `dump` names is read
//! back. Board, order and constants of a job file are about the simulator.

use qpu::job::{BusAddr, Job, Launch, Program, QpuSet};
use serde_json::{Value, json};

use super::dumps;
use common::failure::{Failure, Result};
use common::say;
use host::client::Client;
use workbench::job_file::JobFile;

/// The address behind the alias bits of another.
const BEHIND_ALIAS: u32 = 0x3fff_ffff;
/// Bytes of a page of memory.
const PAGE_BYTES: u32 = 4096;

/// Runs a job on the board of `client`, writes its dumps and prints what there is to say.
///
/// # Errors
/// Usage, when the job does not lie in the board's memory for the QPUs; what the board says.
pub fn run(mut client: Client, job: &mut JobFile) -> Result<()> {
    let result = run_on(&mut client, job);
    // The next host begins at the first rate, whatever happened to this one.
    let left = client.leave();
    let report = result?;
    left?;
    let printed = say::json(&format!("{report:#}\n"));
    dumps::write(job).and(printed)
}

/// Runs the job; gives what there is to say about it, and leaves in its memory what the board has.
fn run_on(client: &mut Client, job: &mut JobFile) -> Result<Value> {
    client.stop()?;
    let end = job.memory.pages().last().map(|(at, _)| at + PAGE_BYTES);
    let first = job.memory.pages().next().map(|(at, _)| at);
    let (Some(first), Some(end)) = (first, end) else {
        return Err(Failure::usage(
            "the job has no memory, so there is nothing to run",
        ));
    };
    // The first answer says where memory begins, whose size depends on that.
    let start = client.job_memory(PAGE_BYTES)?.address;
    let start_behind = start & BEHIND_ALIAS;
    if first < start_behind {
        return Err(Failure::usage(format!(
            "the job has memory at {:#010x}, and the board's QPUs have theirs from {start:#010x} on; write the job for \
             addresses from there on",
            first | start & !BEHIND_ALIAS
        )));
    }
    let block = client.job_memory(end - start_behind)?;
    for (at, page) in job.memory.pages() {
        let words: Vec<u32> = words(page).collect();
        client.job_write((at - start_behind) / 4, &words)?;
    }
    // V3D fetches uniforms ahead, also for programs that read none and name no place for them.
    let address = |address: BusAddr| {
        let offset = (address.0 & BEHIND_ALIAS).wrapping_sub(start_behind);
        BusAddr(start + if offset < block.bytes { offset } else { 0 })
    };
    let launches = job
        .launches
        .iter()
        .filter(|launch| !launch.programs.is_empty());
    let launches: Vec<(Vec<Program>, _)> = launches
        .map(|launch| {
            let programs = launch.programs.iter().map(|program| Program {
                code: address(program.code),
                uniforms: address(program.uniforms),
            });
            (programs.collect(), launch.clear)
        })
        .collect();
    let launches: Vec<Launch> = launches
        .iter()
        .map(|(programs, clear)| Launch {
            programs,
            clear: *clear,
            qpus: QpuSet::ALL,
        })
        .collect();
    let limit_us =
        u128::from(job.options.limit_cycles) * 1_000_000 / u128::from(job.options.clock_hz.max(1));
    let elapsed_us = if launches.is_empty() {
        0
    } else {
        let limit_us = u32::try_from(limit_us).unwrap_or(u32::MAX).max(1);
        let launches = Job {
            launches: &launches,
        };
        client.run_job(1, &launches, limit_us)?
    };
    for dump in &job.dumps {
        // Whole words, of which the first and last may be in part.
        let from = (dump.at & BEHIND_ALIAS) & !3;
        let to = ((dump.at & BEHIND_ALIAS) + dump.bytes as u32).next_multiple_of(4);
        let mut words = vec![0; ((to - from) / 4) as usize];
        client.job_read((from - start_behind) / 4, &mut words)?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        job.memory.put(from, &bytes);
    }
    Ok(json!({
        "end": "completed",
        "elapsed_us": elapsed_us,
        "board": client.description(),
        "memory": { "at": block.address, "bytes": block.bytes },
    }))
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    let words = bytes.as_chunks().0.iter();
    words.map(|word| u32::from_le_bytes(*word))
}
