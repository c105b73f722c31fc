//! `qpuscope selftest`: QPU programs whose results are known, run on the simulated V3D.
//!
//! `sha256` is also a yardstick: every slot of its rounds holds work for the add ALU, so what is
//! missing to 100 % of the issue slots is what the machine around the ALUs costs. Short messages
//! show the start of the programs (cold caches), long ones the rounds. `--engine cpu` computes the
//! same digests on this computer, with the crate `sha2`.

use std::collections::BTreeMap;
use std::time::Instant;

use clap::{Subcommand, ValueEnum};
use qpu::job::{Job, Launch, QpuSet, Runner};
use qpu_programs::hello::{ADDED, hello};
use qpu_programs::sha256::{self, Digest, Group, LANES, Sha256};
use serde_json::{Value, json};
use sha2::Digest as _;
use v3d_sim::{Board, SimRunner, Statistics};

use crate::failure::{Failure, Result};
use crate::say;

/// RAM of the simulated board.
const RAM_BYTES: u32 = 64 << 20;
/// V3D time that a test may take.
const LIMIT_US: u32 = 60_000_000;
/// The longest message: groups of 12 QPUs fit the memory several times.
const MAX_BYTES: u64 = 65_536;
/// Clocks of an issue slot.
const SLOT_CLOCKS: f64 = 4.0;

/// Options of `selftest`.
#[derive(clap::Args, Debug)]
pub struct Options {
    #[command(subcommand)]
    program: Program,
}

#[derive(Subcommand, Debug)]
enum Program {
    /// A number plus 0x1234, by one QPU
    Hello {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// SHA-256 of sixteen messages on each QPU
    Sha256(Sha256Options),
}

#[derive(clap::Args, Debug)]
struct Sha256Options {
    /// The engine that computes
    #[arg(long, value_enum, default_value_t = Engine::Qpu)]
    engine: Engine,
    /// QPUs that take part; with --engine cpu, only the number of messages depends on it
    #[arg(long, value_name = "COUNT", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=12))]
    qpus: u32,
    /// Bytes of each message
    #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(0..=MAX_BYTES))]
    bytes: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
enum Engine {
    /// This computer
    Cpu,
    /// The simulated V3D
    Qpu,
}

/// Runs a test and prints what came of it.
///
/// # Errors
/// Integrity, when a result is wrong or a program does not end.
pub fn run(options: &Options) -> Result<()> {
    match &options.program {
        Program::Hello { json } => run_hello(*json),
        Program::Sha256(options) => match options.engine {
            Engine::Cpu => run_cpu(options),
            Engine::Qpu => run_qpu(options),
        },
    }
}

fn runner() -> SimRunner {
    SimRunner::new(RAM_BYTES).with_functional(false)
}

fn print(json: bool, object: &Value, text: &str) -> Result<()> {
    if json {
        say::json(&format!("{object:#}\n"))
    } else {
        say::data(text)
    }
}

fn run_hello(json: bool) -> Result<()> {
    let number = 100;
    let words = hello(&mut runner(), number, LIMIT_US).map_err(|error| did_not_end(&error))?;
    let expected = number + ADDED;
    let passed = words == [expected; LANES];
    let verdict = if passed { "ok" } else { "FAILED" };
    print(
        json,
        &json!({ "program": "hello", "engine": "qpu", "passed": passed, "words": words }),
        &format!(
            "hello: {number} + {ADDED:#x} = {:#x} in word 0 of {LANES}, {verdict}\n",
            words[0]
        ),
    )?;
    if passed {
        return Ok(());
    }
    Err(wrong(&format!(
        "hello gave {words:x?}, not {expected:#x} in each word"
    )))
}

/// Messages that are all different: each is a number and zeros.
fn messages(options: &Sha256Options) -> Vec<Vec<u8>> {
    let count = options.qpus as usize * LANES;
    let message = |number: usize| {
        let mut message = vec![0; options.bytes as usize];
        let number = number.to_le_bytes();
        let length = number.len().min(message.len());
        message[..length].copy_from_slice(&number[..length]);
        message
    };
    (0..count).map(message).collect()
}

fn run_qpu(options: &Sha256Options) -> Result<()> {
    let messages = messages(options);
    let mut runner = runner();
    let (digests, cycles) =
        digests_by_qpu(&mut runner, &messages).map_err(|error| did_not_end(&error))?;
    let first_wrong = messages
        .iter()
        .zip(&digests)
        .position(|(message, digest)| Digest::from(sha2::Sha256::digest(message)) != *digest);
    let count = messages.len();
    let clock_hz = Board::default().clock_hz();
    let instructions: u64 = runner.statistics().instructions.iter().sum();
    let seconds = cycles as f64 / f64::from(clock_hz);
    let rate = count as f64 / seconds;
    let blocks = (count * sha256::blocks(options.bytes as usize)) as f64;
    let efficiency = instructions as f64 * SLOT_CLOCKS / (cycles as f64 * f64::from(options.qpus));
    let stalls = stalls(&runner.statistics());
    let timed = runner.is_timed();
    let passed = first_wrong.is_none();
    let verdict = if passed {
        "all as sha2 computes them"
    } else {
        "FAILED"
    };
    let how = if timed {
        "cycle model"
    } else {
        "without cycle model"
    };
    print(
        options.json,
        &json!({
            "program": "sha256", "engine": "qpu", "passed": passed, "qpus": options.qpus,
            "messages": count, "message_bytes": options.bytes, "simulated": true, "timed": timed,
            "board": Board::default().name(), "clock_hz": clock_hz, "cycles": cycles,
            "instructions": instructions, "hashes_per_second": rate,
            "blocks_per_second": blocks / seconds, "issue_efficiency": efficiency, "stall": stalls,
        }),
        &format!(
            "sha256: {count} messages of {} bytes on {} QPU{}, {verdict}\n\
             simulated ({how}, {}, {} MHz): {cycles} clocks, {rate:.0} hashes a second, {:.2} million blocks a second\n\
             issue slots used: {:.1} %; stalled on{}\n",
            options.bytes,
            options.qpus,
            if options.qpus == 1 { "" } else { "s" },
            Board::default().name(),
            clock_hz / 1_000_000,
            blocks / seconds / 1e6,
            100.0 * efficiency,
            stall_text(&stalls, cycles * u64::from(options.qpus))
        ),
    )?;
    match first_wrong {
        None => Ok(()),
        Some(number) => Err(wrong(&format!(
            "the digest of message {number} (QPU program {}, lane {}) is wrong",
            number / LANES,
            number % LANES
        ))),
    }
}

/// Clocks for which QPUs were stalled, by cause.
fn stalls(statistics: &Statistics) -> BTreeMap<&'static str, u64> {
    let mut sums = BTreeMap::new();
    for (cause, clocks) in statistics.stall.iter().flatten() {
        *sums.entry(*cause).or_default() += clocks;
    }
    sums
}

fn stall_text(stalls: &BTreeMap<&'static str, u64>, of_clocks: u64) -> String {
    if stalls.is_empty() {
        return " nothing".to_owned();
    }
    let share = |(cause, clocks): (&&str, &u64)| {
        format!(
            " {cause} {:.1} %",
            100.0 * *clocks as f64 / of_clocks as f64
        )
    };
    stalls.iter().map(share).collect::<Vec<_>>().join(",")
}

/// The digests, and V3D clocks from the first program's start to the last one's end.
fn digests_by_qpu<R: Runner>(
    runner: &mut R,
    messages: &[Vec<u8>],
) -> Result<(Vec<Digest>, u64), R::Error> {
    let mut sha256 = Sha256::new(runner)?;
    let mut groups: Vec<Group> = vec![];
    for messages in messages.chunks(LANES) {
        let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        groups.push(sha256.load(runner, &messages)?);
    }
    let programs: Vec<_> = groups.iter().map(Group::program).collect();
    let launches = [Launch {
        programs: &programs,
        clear: Group::CLEAR,
        qpus: QpuSet::ALL,
    }];
    let job = Job {
        launches: &launches,
    };
    let report = runner.run(&job, LIMIT_US)?;
    let mut digests = vec![];
    for group in groups {
        digests.extend(group.answer(runner)?.digests);
    }
    Ok((digests, report.cycles.unwrap_or(1).max(1)))
}

fn run_cpu(options: &Sha256Options) -> Result<()> {
    let known = sha256::known::messages();
    let passed = known
        .iter()
        .enumerate()
        .all(|(lane, message)| digest_by_cpu(message) == sha256::known::digest(lane));
    let messages = messages(options);
    let start = Instant::now();
    let mut folded = 0;
    for message in &messages {
        folded ^= digest_by_cpu(message)[0];
    }
    std::hint::black_box(folded);
    let seconds = start.elapsed().as_secs_f64().max(1e-9);
    let rate = messages.len() as f64 / seconds;
    let verdict = if passed {
        "known digests right"
    } else {
        "FAILED"
    };
    print(
        options.json,
        &json!({
            "program": "sha256", "engine": "cpu", "passed": passed, "messages": messages.len(),
            "message_bytes": options.bytes, "simulated": false, "seconds": seconds,
            "hashes_per_second": rate,
        }),
        &format!(
            "sha256: {} messages of {} bytes on this computer, {verdict}\nmeasured: {rate:.0} hashes a second\n",
            messages.len(),
            options.bytes
        ),
    )?;
    if passed {
        Ok(())
    } else {
        Err(wrong("this computer computes SHA-256 wrongly"))
    }
}

fn digest_by_cpu(message: &[u8]) -> Digest {
    sha2::Sha256::digest(message).into()
}

fn wrong(what: &str) -> Failure {
    Failure::integrity(format!("{what}; report this with the version of qpuscope"))
}

fn did_not_end(error: &impl std::fmt::Display) -> Failure {
    wrong(&format!("the program did not end well: {error}"))
}
