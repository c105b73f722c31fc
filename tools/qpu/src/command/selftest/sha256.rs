//! `qpu selftest sha256`: digests of messages by the QPUs, by the ARM, or by this computer.
//!
//! It is also a yardstick: every slot of the QPUs' rounds holds work for the add ALU, so what is
//! missing to 100 % of the issue slots is what the machine around the ALUs costs. Short messages
//! show the start of the programs (cold caches), long ones the rounds. The ARM and this computer
//! run the crate `sha2`, compiled for each.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use clap::ValueEnum;
use guest_fft::digests::{DIGEST_BYTES, ENGINE, MAX_BYTES};
use guest_fft::{MAGIC, POINTS_AT, Task};
use qpu::job::Runner;
use qpu_programs::sha256::{self, Digest, Group, LANES, Sha256};
use serde_json::json;
use sha2::Digest as _;
use v3d_sim::{Board, Statistics};

use super::{did_not_end, print, runner, verdict, wrong};
use common::failure::Result;
use common::quantity::within;
use workbench::guest::Guest;
use workbench::transform::launch;

/// Clocks of an issue slot.
const SLOT_CLOCKS: f64 = 4.0;
/// Instructions of the ARM that a block may take; it takes some 3000.
const MOST_OF_A_BLOCK: u64 = 20_000;

/// Options of `selftest sha256`.
#[derive(clap::Args, Debug)]
pub(super) struct Options {
    /// The engine that computes
    #[arg(long, value_enum, default_value_t = Engine::Qpu)]
    engine: Engine,
    /// QPUs that take part; with another engine, only the number of messages depends on it
    #[arg(long, value_name = "COUNT", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=12))]
    qpus: u32,
    /// Bytes of each message
    #[arg(long, value_name = "COUNT", default_value_t = 10_000, value_parser = within::<u64>(0..=MAX_BYTES as u64))]
    bytes: u64,
    /// With --engine arm, the guest's image (default: guest-fft.img in the folder target, where
    /// `cargo xtask guest` puts it)
    #[arg(long, env = "QPUSCOPE_GUEST_FFT", value_name = "FILE")]
    guest: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
enum Engine {
    /// The simulated V3D
    Qpu,
    /// The ARM of the virtual Pi
    Arm,
    /// This computer
    Host,
}

/// Computes the digests and says how long that took.
///
/// # Errors
/// Integrity, when a digest is wrong or a program does not end; usage, when there is no guest.
pub(super) fn run(options: &Options) -> Result<()> {
    match options.engine {
        Engine::Qpu => run_qpu(options),
        Engine::Arm => run_arm(options),
        Engine::Host => run_host(options),
    }
}

/// Messages that are all different: each is a number and zeros.
fn messages(options: &Options) -> Vec<Vec<u8>> {
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

fn run_qpu(options: &Options) -> Result<()> {
    let messages = messages(options);
    let mut runner = runner();
    let (digests, cycles) =
        digests_by_qpu(&mut runner, &messages).map_err(|error| did_not_end(&error))?;
    let first_wrong = first_wrong(&messages, &digests);
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
    let verdict = verdict(passed, "all as sha2 computes them");
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

/// The first message whose digest is another than this computer computes.
fn first_wrong(messages: &[Vec<u8>], digests: &[Digest]) -> Option<usize> {
    let mut pairs = messages.iter().zip(digests);
    pairs.position(|(message, digest)| digest_by_host(message) != *digest)
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
    let report = launch(runner, &programs)?;
    let mut digests = vec![];
    for group in groups {
        digests.extend(group.answer(runner)?.digests);
    }
    Ok((digests, report.cycles.unwrap_or(1).max(1)))
}

fn run_arm(options: &Options) -> Result<()> {
    let guest = Guest::load(options.guest.as_deref())?;
    let messages = messages(options);
    let count = messages.len();
    let blocks = (count * sha256::blocks(options.bytes as usize)) as u64;
    let task = Task {
        magic: MAGIC,
        engine: ENGINE,
        log2n: options.bytes as u32,
        radix: count as u32,
        ..Task::default()
    };
    // Three nanoseconds an instruction (two clocks of 700 MHz), and as long for memory.
    let done = guest.run(&task, 6 * MOST_OF_A_BLOCK * (blocks + 1000))?;
    let bytes = done.bytes(POINTS_AT, DIGEST_BYTES * count);
    let bytes = bytes.ok_or_else(|| wrong("the guest left no digests"))?;
    let digests = bytes.as_chunks().0;
    let first_wrong = first_wrong(&messages, digests);
    let passed = first_wrong.is_none();
    let verdict = verdict(passed, "all as this computer computes them");
    let (instructions, seconds) = (done.instructions(), done.us() * 1e-6);
    let rate = count as f64 / seconds;
    print(
        options.json,
        &json!({
            "program": "sha256", "engine": "arm", "passed": passed, "messages": count,
            "message_bytes": options.bytes, "simulated": true, "instructions": instructions,
            "seconds": seconds, "hashes_per_second": rate,
            "blocks_per_second": blocks as f64 / seconds,
        }),
        &format!(
            "sha256: {count} messages of {} bytes on the virtual Pi's ARM, {verdict}\n\
             modelled (two clocks of 700 MHz an instruction, and waits for memory): {instructions} instructions, \
             {rate:.0} hashes a second, {:.2} million blocks a second\n",
            options.bytes,
            blocks as f64 / seconds / 1e6
        ),
    )?;
    match first_wrong {
        None => Ok(()),
        Some(number) => Err(wrong(&format!(
            "the ARM's digest of message {number} is wrong"
        ))),
    }
}

fn run_host(options: &Options) -> Result<()> {
    let known = sha256::known::messages();
    let passed = known
        .iter()
        .enumerate()
        .all(|(lane, message)| digest_by_host(message) == sha256::known::digest(lane));
    let messages = messages(options);
    let start = Instant::now();
    let mut folded = 0;
    for message in &messages {
        folded ^= digest_by_host(message)[0];
    }
    std::hint::black_box(folded);
    let seconds = start.elapsed().as_secs_f64().max(1e-9);
    let rate = messages.len() as f64 / seconds;
    let verdict = verdict(passed, "known digests right");
    print(
        options.json,
        &json!({
            "program": "sha256", "engine": "host", "passed": passed, "messages": messages.len(),
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

fn digest_by_host(message: &[u8]) -> Digest {
    sha2::Sha256::digest(message).into()
}
