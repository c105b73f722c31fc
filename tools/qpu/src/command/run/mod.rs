//! `qpu run`: QPU code from a job file, on the simulated V3D.
//!
//! Standard output is one JSON object whatever happens to the programs; a fault, a deadlock, the
//! cycle limit or Ctrl-C is exit status 5 and a sentence on standard error. Profile and trace for
//! people go to standard error too; with a file name, and the timeline always, to files. A trace is
//! written while the job runs, as `FILE.??????.part` beside its file, and gets its name at the end
//! or on Ctrl-C; what a killed process leaves there is good up to its last line.

mod board;
mod dumps;
mod report;

use std::path::{Path, PathBuf};

use v3d_sim::{
    Access, DeadlockReport, FaultKind, JobEnd, JobRun, Observer, Outcome, Profile, Unobserved, Wait,
};

use crate::command::BoardOptions;
use common::constants;
use common::failure::{Failure, Result};
use common::files::output::{self, Output};
use common::files::{Input, apart};
use common::quantity::{range, whole};
use common::say;
use common::stop::{self, Stop};
use host::port::PortChoice;
use workbench::job_file::JobFile;
use workbench::known_rule;
use workbench::watch::timeline::Timeline;
use workbench::watch::trace::{Selection, Trace};
use workbench::watch::{Watch, profile};

/// Rounds between two looks at Ctrl-C.
const SLICE_ROUNDS: u64 = 100_000;

/// Options of `run`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The job: a JSON file as docs/formats.md describes it, or - for standard input, with files
    /// relative to the current folder
    job: PathBuf,
    /// Stop at the first warning, as `"strict": true` in the job does
    #[arg(long, conflicts_with = "port")]
    strict: bool,
    /// Print no warning of this rule, and do not stop for it; can be given several times
    #[arg(long, value_name = "RULE", conflicts_with = "port")]
    allow: Vec<String>,
    /// Run without the cycle model, as `"functional": true` in the job does
    #[arg(long, conflicts_with = "port")]
    functional: bool,
    /// Let QPUs advance in another order, without time, as `"seed": NUMBER` in the job does
    #[arg(long, value_name = "NUMBER", conflicts_with = "port")]
    seed: Option<u64>,
    /// Another value of a constant of the cycle model, to see what depends on it; can be given
    /// several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = constants::change, conflicts_with = "port")]
    set: Vec<(String, f64)>,
    /// Show where the clocks go, by QPU and by instruction, on standard error
    #[arg(long, conflicts_with = "port")]
    profile: bool,
    /// Write the profile as JSON
    #[arg(long, value_name = "FILE", conflicts_with = "port")]
    profile_json: Option<PathBuf>,
    /// Write a timeline that ui.perfetto.dev opens
    #[arg(long, value_name = "FILE", conflicts_with = "port")]
    timeline: Option<PathBuf>,
    /// The most entries of the timeline
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 500_000,
        value_parser = whole::<usize>,
        requires = "timeline"
    )]
    timeline_limit: usize,
    /// Log what every instruction changes, on standard error or to a file (until the end it is
    /// FILE.??????.part, which a killed process leaves)
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-",
          conflicts_with = "port")]
    trace: Option<PathBuf>,
    /// Only these QPUs, for example 11,10
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "trace",
          value_parser = clap::value_parser!(u8).range(0..12))]
    trace_qpu: Vec<u8>,
    /// Only between these V3D clocks, for example 1000..2000
    #[arg(long, value_name = "FROM..TO", requires = "trace", value_parser = range)]
    trace_clocks: Option<std::ops::Range<u64>>,
    /// Only instructions at these addresses, for example 0x40001000..0x40001040
    #[arg(long, value_name = "FROM..TO", requires = "trace", value_parser = range)]
    trace_pc: Option<std::ops::Range<u64>>,
    /// The most instructions of the log
    #[arg(
        long,
        value_name = "COUNT",
        default_value_t = 100_000,
        value_parser = whole::<u64>,
        requires = "trace"
    )]
    trace_limit: u64,
    /// Let the job's dumps go to files outside its folder
    #[arg(long)]
    dump_anywhere: bool,
    #[command(flatten)]
    board_port: BoardOptions,
}

/// A file that cannot be written is a wrong option, before the run.
fn as_usage(failure: Failure) -> Failure {
    Failure::usage(failure.message)
}

impl Options {
    /// Refuses outputs that are one file, one with what is read, or that cannot be written.
    fn check(&self, job: &JobFile) -> Result<()> {
        let dumps = job.dumps.iter().map(|dump| dump.file.as_path());
        let more = [&self.profile_json, &self.timeline, &self.trace];
        let more: Vec<&Path> = more.into_iter().flatten().map(PathBuf::as_path).collect();
        let outputs: Vec<&Path> = dumps.chain(more.iter().copied()).collect();
        let mut inputs: Vec<Input> = vec![(&self.job, "the job file")];
        inputs.extend(job.files.iter().map(|file| (&**file, "read by the job")));
        let port = self.board_port.choice()?;
        inputs.extend(port.iter().flat_map(PortChoice::inputs));
        apart(&outputs, &inputs)?;
        let files = more.into_iter().filter(|file| *file != Path::new("-"));
        for file in files {
            output::check(file).map_err(as_usage)?;
        }
        dumps::check(job, &self.job, self.dump_anywhere)
    }

    fn trace(&self) -> Result<Option<Trace>> {
        let Some(path) = &self.trace else {
            return Ok(None);
        };
        let out = match path == Path::new("-") {
            true => Output::standard_error(),
            false => Output::create(path).map_err(as_usage)?,
        };
        let qpus = match &self.trace_qpu[..] {
            [] => 0xfff,
            list => list.iter().fold(0, |bits, qpu| bits | 1 << qpu),
        };
        let selection = Selection {
            qpus,
            clocks: self.trace_clocks.clone().unwrap_or(0..u64::MAX),
            addresses: self.trace_pc.clone().unwrap_or(0..u64::MAX),
            limit: self.trace_limit,
        };
        Ok(Some(Trace::new(out, selection)))
    }
}

/// Runs to the end, or until Ctrl-C: then there is no end.
fn go<O: Observer>(run: &mut JobRun, job: &mut JobFile, stop: &Stop, observer: &mut O) {
    while !stop.asked()
        && run
            .advance(&mut job.memory, SLICE_ROUNDS, observer)
            .is_none()
    {}
}

/// Runs a job and prints what it did.
///
/// # Errors
/// Usage for a bad job file or option, integrity for a job that did not end well.
pub fn run(options: &Options) -> Result<()> {
    let stop = Stop::on_ctrl_c();
    let mut job = JobFile::read(&options.job)?;
    options.check(&job)?;
    job.options.strict |= options.strict;
    job.options.functional |= options.functional;
    job.options.order_seed = options.seed.or(job.options.order_seed);
    for name in &options.allow {
        job.options.allowed.push(known_rule::simulated(name)?);
    }
    for (name, value) in &options.set {
        constants::apply(&mut job.options.constants, name, *value)?;
    }
    constants::note(&job.options.constants);
    for note in &job.notes {
        say::note(&format!("note: {note}\n"));
    }
    if job.launches.iter().all(|launch| launch.programs.is_empty()) {
        say::note("note: the job starts no program; name code and uniforms under programs\n");
    }
    // A conversation with a board does not look at `stop`.
    let board = stop::blocking(|| {
        let client = options.board_port.connect()?;
        client
            .map(|client| board::run(client, &mut job))
            .transpose()
    })?;
    if board.is_some() {
        return Ok(());
    }
    let mut watch = Watch {
        profile: (options.profile || options.profile_json.is_some()).then(Profile::new),
        timeline: options
            .timeline
            .is_some()
            .then(|| Timeline::new(options.timeline_limit)),
        trace: options.trace()?,
    };

    let mut run = JobRun::new(std::mem::take(&mut job.launches), &job.options);
    if watch.is_wanted() {
        go(&mut run, &mut job, &stop, &mut watch);
    } else {
        go(&mut run, &mut job, &stop, &mut Unobserved);
    }
    let outcome = run.outcome(JobEnd::Interrupted);

    let printed = say::json(&format!("{:#}\n", report::report(&outcome, &job.options)));
    for warning in &outcome.warnings {
        say::note(&format!("warning: {warning} [{} times]\n", warning.count));
    }
    let shown = show(options, watch, &outcome, job.options.clock_hz);
    let dumped = dumps::write(&mut job);
    judge(&outcome, job.options.limit_cycles)
        .and(printed)
        .and(shown)
        .and(dumped)
}

/// Writes what was watched.
fn show(options: &Options, watch: Watch, outcome: &Outcome, clock_hz: u32) -> Result<()> {
    if let Some(trace) = watch.trace {
        if trace.is_empty() {
            let counts = outcome.statistics.instructions.iter().enumerate().rev();
            let ran = counts.filter(|(_, count)| **count > 0);
            let ran: Vec<_> = ran.map(|(qpu, _)| qpu.to_string()).collect();
            say::note(&match &ran[..] {
                [] => "note: the trace is empty: no QPU has executed an instruction\n".to_owned(),
                ran => format!(
                    "note: the trace is empty: no instruction is in the QPUs, clocks and addresses that are chosen; QPUs {} have \
                     executed some, in {} clocks\n",
                    ran.join(", "),
                    outcome.cycles
                ),
            });
        }
        let left_out = trace.finish()?;
        if left_out > 0 {
            say::note(&format!(
                "note: the trace ends after {} instructions and leaves out {left_out}; --trace-limit raises that, --trace-qpu, --trace-clocks and --trace-pc choose\n",
                options.trace_limit
            ));
        }
    }
    if let (Some(watched), Some(path)) = (watch.timeline, &options.timeline) {
        if let Some(clock) = watched.cut_at() {
            say::note(&format!(
                "note: the timeline is full at clock {clock} of {}; --timeline-limit {} holds twice as much\n",
                outcome.cycles,
                options.timeline_limit.max(1).saturating_mul(2)
            ));
        }
        let mut out = Output::create(path)?;
        let written = watched.write(&mut out, outcome.cycles, clock_hz);
        written.map_err(|error| out.failure(&error))?;
        out.finish()?;
    }
    if let Some(watched) = watch.profile {
        if options.profile {
            say::note(&profile::text(&watched, outcome, clock_hz));
        }
        if let Some(path) = &options.profile_json {
            let json = format!("{:#}\n", profile::json(&watched, outcome, clock_hz));
            output::write(path, json.as_bytes())?;
        }
    }
    Ok(())
}

/// The exit status that the end of a job stands for.
fn judge(outcome: &Outcome, limit_cycles: u64) -> Result<()> {
    let message = match outcome.end {
        JobEnd::Completed => return Ok(()),
        JobEnd::Fault => {
            let fault = outcome.faults.first();
            let place = match fault.map(|fault| &fault.kind) {
                Some(FaultKind::Memory(Access::Uniform, _)) => {
                    "give as many uniforms as the program reads, or look for a loop that reads too many; "
                }
                Some(FaultKind::Memory(Access::Code, _)) => {
                    "end the program with thrend and two more instructions, or correct the branch; "
                }
                Some(FaultKind::Memory(..)) => {
                    "correct the address, or name memory there in the job; "
                }
                _ => "",
            };
            format!(
                "a program faulted: {}; {place}`qpu debug` shows what its registers hold then",
                fault.map_or_else(String::new, ToString::to_string)
            )
        }
        JobEnd::Deadlock => outcome.deadlock.as_ref().map_or_else(
            || "deadlock".to_owned(),
            |report| format!("{report}; {}", advice(report)),
        ),
        JobEnd::CycleLimit => format!(
            "the programs had not ended after {limit_cycles} cycles; look for an endless loop, or raise limit_cycles"
        ),
        JobEnd::Interrupted => format!(
            "interrupted after {} cycles; the output shows the job as it was then",
            outcome.cycles
        ),
    };
    Err(Failure::integrity(message))
}

/// The remedy for a deadlock, by what is waited for.
fn advice(report: &DeadlockReport) -> &'static str {
    let waits = |which: fn(&Wait) -> bool| report.waiting.iter().any(|(_, wait)| which(wait));
    if waits(|wait| matches!(wait, Wait::Host)) {
        "a breakpoint halts its QPU until a host resumes it: take bkpt out, or use `qpu debug`"
    } else if waits(|wait| matches!(wait, Wait::TmuRequest(_))) {
        "take a result with ldtmu before the ninth lookup"
    } else if waits(|wait| !matches!(wait, Wait::Mutex)) {
        "check that every semaphore decrement has its increment"
    } else {
        "check that whoever takes the mutex gives it back"
    }
}
