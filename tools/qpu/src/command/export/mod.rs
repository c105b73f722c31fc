//! `qpu export N`: a plan as data, for drivers that queue programs themselves.
//!
//! A plan is code, lists of uniforms and tables in one block of memory, and launches: programs that
//! are queued together, each launch behind clears of V3D's caches and the end of the launch before.
//! C gets it for memory at any address: a list says to which words the address is added.
//! The head of such a file says how to run it. A job file has the address of the memory that
//! boards give to jobs, so that `qpu run` runs it on the simulator and on boards alike.

mod c;
mod exported;

use std::path::{Path, PathBuf};

use qpu::job::CacheClear;
use qpu_fft::Direction;
use qpu_fft::request::{Request, Scale};
use serde_json::{Value, json};
use v3d_sim::Board;

use common::failure::{Failure, Result};
use common::files::output;
use common::say;
use exported::Exported;
use qpu_fft::planner::tuning::Chip;
use qpu_fft::request::TransformKind;
use workbench::transform;

/// Bus address of the memory that boards give to jobs, without its alias.
const JOB_MEMORY: u32 = 0x0100_0000;

/// The form of an exported plan.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// C99: a header with constants
    C,
    /// A job file for `qpu run`
    Job,
}

/// The factor of results.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Factor {
    /// 1: forward and then inverse gives N times the input
    None,
    /// 1/N
    Points,
    /// 1/sqrt(N)
    Root,
}

/// Options of `export`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
    qpu export 4096 --to c -o fft_4096.h                    code, lists, map and launches for C\n  \
    qpu export 1024 --batch 10 --inverse --to c -o fft.h\n  \
    qpu export 256 --to job -o job.json                     then `qpu run job.json`, with points in input.cf32 beside it")]
pub struct Options {
    /// Points of a transform, of a plane its columns: a power of two, 16 to 4194304
    n: u64,
    /// Form of the output
    #[arg(long, value_enum, value_name = "FORM")]
    to: Form,
    /// Where it goes; - for standard output, which is the default
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Transforms at a time
    #[arg(long, default_value_t = 1)]
    batch: u32,
    /// The inverse transform
    #[arg(long)]
    inverse: bool,
    /// Real points to bins, or with --inverse bins to real points: 32 to 8388608 points
    #[arg(long)]
    real: bool,
    /// A plane of this many rows and N columns
    #[arg(long, value_name = "ROWS", conflicts_with_all = ["real", "powers"])]
    rows: Option<u64>,
    /// The mean power spectrum of this many segments of N samples; of real samples with --real
    #[arg(long, value_name = "SEGMENTS", conflicts_with = "inverse")]
    powers: Option<u32>,
    /// Factor of the results
    #[arg(long, value_enum, default_value = "none", conflicts_with = "powers")]
    scale: Factor,
    /// Board to plan for: pi1, zero, or, whose V3D reaches memory past the system L2, pi2, pi3 and
    /// zero2
    #[arg(long, default_value = "pi1")]
    board: String,
    /// Name of the plan in C (default: fft_4096, real_1024_inverse, .., by its kind)
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// File that the job reads, in its own folder: 32-bit floats, little-endian (default:
    /// input.cf32, or input.f32 where they are real)
    #[arg(long, value_name = "FILE")]
    input: Option<String>,
    /// File that the job writes, in its own folder (default: output.cf32 or output.f32)
    #[arg(long, value_name = "FILE")]
    output: Option<String>,
}

/// A plan, and the words about it.
struct Named {
    plan: Exported,
    /// A name for C.
    name: String,
    /// A line: what it transforms.
    title: String,
    /// The command that made it.
    command: String,
    /// The options as `qpuscope_fft_options` has them: kind, points, direction, batch, segments,
    /// scale. A plane is kind 4, which has none.
    options: [u32; 6],
    /// Numbers of the input are pairs, and of the output.
    pairs: [bool; 2],
    board: Board,
    /// Alias of bus addresses.
    alias: u32,
}

/// Writes the plan.
///
/// # Errors
/// Usage, for lengths, batches and kinds that have no plan, unknown boards, and names that are
/// none; failed, when the file cannot be written.
pub fn run(options: &Options) -> Result<()> {
    if options.to != Form::Job && (options.input.is_some() || options.output.is_some()) {
        return Err(Failure::usage(
            "--input and --output are files of a job; leave them out, or use --to job",
        ));
    }
    let out = options
        .out
        .as_deref()
        .filter(|path| *path != Path::new("-"));
    if let Some(path) = out {
        output::check(path)?;
    }
    let named = named(options)?;
    let mut about = named.title.clone();
    let text = match options.to {
        Form::C => c::text(&named),
        Form::Job => {
            let [input, output] = files(options, &named);
            about += &format!(", which reads {input} and writes {output} in its folder");
            job_text(&named, &input, &output)
        }
    };
    let Some(path) = out else {
        return say::data(&text);
    };
    output::write(path, text.as_bytes())?;
    say::data(&format!(
        "wrote {}: {about}; {} of memory, {}\n",
        say::path(path),
        counted(named.plan.bytes as usize, "byte"),
        counted(named.plan.launches.len(), "launch"),
    ))
}

fn counted(count: usize, thing: &str) -> String {
    match (count, thing) {
        (1, _) => format!("1 {thing}"),
        (_, "launch") => format!("{count} launches"),
        _ => format!("{count} {thing}s"),
    }
}

/// The files that a job reads and writes.
fn files(options: &Options, named: &Named) -> [String; 2] {
    let given = [&options.input, &options.output];
    std::array::from_fn(|at| {
        let ending = if named.pairs[at] { "cf32" } else { "f32" };
        let name = ["input", "output"][at];
        given[at]
            .clone()
            .unwrap_or_else(|| format!("{name}.{ending}"))
    })
}

/// The job, at the address of the memory that boards give to jobs.
fn job_text(named: &Named, input: &str, output: &str) -> String {
    let plan = &named.plan;
    let base = named.alias | JOB_MEMORY;
    let at = |offset: u32| format!("{:#010x}", base + offset);
    let mut memory = vec![json!({ "at": at(0), "zero": plan.bytes })];
    memory.extend(
        plan.placed(base)
            .iter()
            .map(|part| json!({ "at": at(part.offset), "words": part.words })),
    );
    memory.push(json!({ "at": at(plan.input.offset), "file": input, "bytes": plan.input.bytes }));
    let launches = plan.launches.iter().map(|launch| {
        let programs = launch.programs.iter();
        let programs = programs
            .map(|[code, uniforms]| json!({ "code": at(*code), "uniforms": at(*uniforms) }));
        let clear = match launch.clear {
            CacheClear::None => "none",
            CacheClear::Data => "data",
            CacheClear::All => "all",
        };
        json!({ "programs": programs.collect::<Value>(), "clear": clear })
    });
    let job = json!({
        "board": named.board.name(),
        "dump": [{ "at": at(plan.output.offset), "bytes": plan.output.bytes, "file": output }],
        "launches": launches.collect::<Value>(),
        "memory": memory,
    });
    format!("{job}\n")
}

fn named(options: &Options) -> Result<Named> {
    let board = transform::board(&options.board)?;
    let direction = transform::direction(options.inverse);
    let (number, kind, word) = match (options.rows, options.powers, options.real) {
        (Some(rows), _, _) => (4, TransformKind::Plane(rows), "plane"),
        (None, Some(segments), is_real) => {
            let kind = TransformKind::Powers { is_real, segments };
            let word = if is_real { "real_powers" } else { "powers" };
            (2 + u32::from(is_real), kind, word)
        }
        (None, None, true) => (1, TransformKind::Real, "real"),
        (None, None, false) => (0, TransformKind::Complex, "fft"),
    };
    let transform = kind.of(options.n, direction);
    let transform = transform.map_err(|error| Failure::usage(error.to_string()))?;
    let mut request = Request::of(transform, options.batch);
    let scale = match options.scale {
        Factor::None => Scale::None,
        Factor::Points => Scale::ByPoints,
        Factor::Root => Scale::ByRootOfPoints,
    };
    match direction {
        Direction::Forward => request.forward = scale,
        Direction::Inverse => request.inverse = scale,
    }
    request.chip = Chip::with_system_l2(board.has_system_l2());
    let alias = match board.has_system_l2() {
        true => 0x4000_0000,
        false => 0xc000_0000,
    };
    let plan = Exported::new(&request, direction, alias | JOB_MEMORY)?;
    let name = match &options.name {
        Some(name) => checked_name(name)?,
        None => default_name(options, word),
    };
    Ok(Named {
        plan,
        name,
        title: title(options),
        command: command(options),
        options: [
            number,
            options.n as u32,
            options.inverse.into(),
            options.batch,
            options.powers.unwrap_or(1),
            options.scale as u32,
        ],
        pairs: [
            number != 3 && (number != 1 || options.inverse),
            number == 0 || number == 4 || number == 1 && !options.inverse,
        ],
        board,
        alias,
    })
}

/// A name that C takes.
fn checked_name(name: &str) -> Result<String> {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let is_free = !c::is_taken(name);
    if name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_name) && is_free {
        return Ok(name.to_owned());
    }
    Err(Failure::usage(format!(
        "--name {} is no name in C that is free; use lower-case letters, digits and _, a letter first",
        common::text::quote(name)
    )))
}

fn default_name(options: &Options, word: &str) -> String {
    let mut name = match options.rows {
        Some(rows) => format!("{word}_{rows}x{}", options.n),
        None => format!("{word}_{}", options.n),
    };
    if let Some(segments) = options.powers {
        name += &format!("_of_{segments}");
    }
    if options.batch > 1 {
        name += &format!("_x{}", options.batch);
    }
    if options.inverse {
        name += "_inverse";
    }
    name
}

fn title(options: &Options) -> String {
    let count = options.batch;
    let plural = if count == 1 { "" } else { "s" };
    let direction = transform::name(transform::direction(options.inverse));
    let kind = if options.real { "real" } else { "complex" };
    match (options.rows, options.powers) {
        (Some(rows), _) => format!(
            "{count} {direction} transform{plural} of a plane of {rows} rows and {} columns",
            options.n
        ),
        (None, Some(segments)) => format!(
            "{count} mean{plural} of the power of {segments} transforms of {} {kind} samples",
            options.n
        ),
        (None, None) => format!(
            "{count} {direction} transform{plural} of {} {kind} points",
            options.n
        ),
    }
}

/// The command that makes this plan again.
fn command(options: &Options) -> String {
    let mut words = format!("qpu export {}", options.n);
    if let Some(rows) = options.rows {
        words += &format!(" --rows {rows}");
    }
    for (is_given, word) in [(options.real, " --real"), (options.inverse, " --inverse")] {
        words += if is_given { word } else { "" };
    }
    if let Some(segments) = options.powers {
        words += &format!(" --powers {segments}");
    }
    if options.batch != 1 {
        words += &format!(" --batch {}", options.batch);
    }
    words += match options.scale {
        Factor::None => "",
        Factor::Points => " --scale points",
        Factor::Root => " --scale root",
    };
    if options.board != "pi1" {
        words += &format!(" --board {}", options.board);
    }
    words
}
