//! `qpu fft`: the transform of a file's points, written to a file.
//!
//! Forward, or with `--inverse` back, divided by N as NumPy does. Points and bins are .npy (a batch
//! is an array of rows), .cf32 or .csv (columns of real and imaginary parts). The simulated V3D and
//! a board run the plan that `qpu plan` shows; `--engine host` computes in double precision what
//! they approximate.

use std::fmt::Debug;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use qpu::job::Runner;
use qpu_fft::request::{Error, Request, Scale};
use qpu_fft::{Direction, Plan};
use qpu_programs::FFT;
use reference_fft::Complex;
use v3d_sim::{SimError, SimRunner};

use common::failure::{Failure, Result};
use common::files::{apart, output::Output};
use common::quantity::whole;
use common::{files, say};
use host::input::{Format, Points};
use host::port::PortChoice;

use super::BoardOptions;
use host::npy;
use qpu_fft::planner::BOARD_BYTES;
use workbench::remote::Remote;
use workbench::transform;

/// The shortest and the longest transform of the QPUs.
const LENGTHS: [u64; 2] = [16, 1 << 22];
/// Points that with their bins fill the memory of a board.
const MOST: u64 = BOARD_BYTES / 16;

/// Which engine computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum PointEngine {
    /// The board at the port, or the simulated V3D where none is named.
    Auto,
    /// The QPUs of a board.
    Qpu,
    /// The simulated V3D.
    Sim,
    /// This computer, in double precision.
    Host,
}

/// Options of `fft`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The points: .npy, .cf32 or another raw format of I/Q, WAV or SigMF of I/Q, or .csv with
    /// columns of real and imaginary parts
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// File to write, .npy, .cf32 or .csv
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Format of raw points, where the file's name has none
    #[arg(long, value_name = "FORMAT", value_parser = host::format::format, help = host::format::help())]
    samples: Option<Format>,
    /// Points of a transform, a power of two (default: all there are)
    #[arg(long, value_parser = whole::<u32>)]
    n: Option<u32>,
    /// Transforms that lie one after the other (default: as many as the file has)
    #[arg(long, value_parser = whole::<u32>)]
    batch: Option<u32>,
    /// From bins to points, divided by their number
    #[arg(long)]
    inverse: bool,
    /// Which engine computes
    #[arg(long, value_enum, default_value = "auto")]
    engine: PointEngine,
    #[command(flatten)]
    board_port: BoardOptions,
}

/// The kind of file that bins are written to.
#[derive(Clone, Copy)]
enum Kind {
    Npy,
    Raw,
    Csv,
}

/// Transforms that are done together.
#[derive(Clone, Copy)]
struct Batch {
    n: u64,
    count: u64,
    direction: Direction,
}

/// Reads, transforms, writes.
///
/// # Errors
/// Usage for options and files, otherwise what the engine says.
pub fn run(options: &Options) -> Result<()> {
    let path = options.out.as_path();
    let kind = kind(path)?;
    let port = options.board_port.choice()?;
    let mut inputs = port.as_ref().map_or_else(Vec::new, PortChoice::inputs);
    inputs.push((&options.input, "the file of points"));
    apart(&[path], &inputs)?;
    files::output::check(path)?;
    let read = Points::read(&options.input, options.samples, MOST)?;
    let batch = batch(options, &read)?;
    let (bins, place) = transform(options, batch, &read.points)?;
    refuse_overflow(&say::path(&options.input), batch, &read.points, &bins)?;
    say_losses(options, &read);
    let is_flat = batch.count == 1 && read.rows.is_none();
    let shape = if is_flat {
        vec![batch.n]
    } else {
        vec![batch.count, batch.n]
    };
    write(path, kind, &shape, &bins)?;
    let Batch { n, count, .. } = batch;
    say::note(&format!(
        "wrote {}: {count} {} of {n} points ({}) on {place}\n",
        say::path(path),
        match (options.inverse, count) {
            (false, 1) => "transform",
            (false, _) => "transforms",
            (true, 1) => "inverse transform",
            (true, _) => "inverse transforms",
        },
        read.format,
    ));
    Ok(())
}

fn kind(path: &Path) -> Result<Kind> {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    match ending.to_str() {
        Some("npy") => Ok(Kind::Npy),
        Some("cf32") => Ok(Kind::Raw),
        Some("csv") => Ok(Kind::Csv),
        _ => Err(Failure::usage(format!(
            "{} would be none of .npy, .cf32 and .csv; name it as one of them",
            say::path(path)
        ))),
    }
}

/// The transforms that the options and the file's points make.
fn batch(options: &Options, read: &Points) -> Result<Batch> {
    let name = say::path(&options.input);
    let points = read.points.len() as u64;
    let asked = options.batch.map(u64::from);
    let (n, count) = match (options.n.map(u64::from), asked.or(read.rows)) {
        (Some(n), Some(count)) => (n, count),
        (Some(n), None) => (n, points / n.max(1)),
        (None, count) => (points / count.unwrap_or(1).max(1), count.unwrap_or(1)),
    };
    let [least, most] = LENGTHS;
    if !n.is_power_of_two() || !(least..=most).contains(&n) {
        return Err(Failure::usage(format!(
            "{name} holds {points} points, of which transforms of {n} were to be made; lengths are the powers of two \
             {least}, {}, .. {most}: choose one with --n, or a number of transforms with --batch",
            2 * least
        )));
    }
    if n.checked_mul(count) != Some(points) || count == 0 {
        return Err(Failure::usage(format!(
            "{name} holds {points} points, and {count} transforms of {n} take {}; give another --n or --batch, or cut \
             the file",
            n.saturating_mul(count.max(1))
        )));
    }
    Ok(Batch {
        n,
        count,
        direction: transform::direction(options.inverse),
    })
}

/// Refuses bins that are not finite.
///
/// The points are at fault where a sum of them may leave single precision, the engine where none
/// can.
fn refuse_overflow(name: &str, batch: Batch, points: &[[f32; 2]], bins: &[[f32; 2]]) -> Result<()> {
    let is_finite = |bin: &[f32; 2]| bin.iter().all(|part| part.is_finite());
    let Some(first) = bins.iter().position(|bin| !is_finite(bin)) else {
        return Ok(());
    };
    let count = bins.iter().filter(|bin| !is_finite(bin)).count();
    let n = batch.n as usize;
    let of = match batch.count {
        1 => String::new(),
        _ => format!(" of transform {}", first / n),
    };
    let (what, letter) = match batch.direction {
        Direction::Forward => ("bins", 'X'),
        Direction::Inverse => ("points", 'x'),
    };
    let found = format!(
        "{count} of {} {what} are not finite in single precision, the first {letter}({}){of}",
        bins.len(),
        first % n
    );
    let sums = points.chunks(n).map(|points| {
        let parts = points.iter().flatten().map(|part| f64::from(part.abs()));
        parts.sum::<f64>()
    });
    // Each stage adds products of a sine and of a cosine, which are at most the sum of both parts.
    let largest = sums.fold(0.0, f64::max);
    if largest > f64::from(f32::MAX) {
        return Err(Failure::usage(format!(
            "{name}: {found}: sums reach {largest:.1e}, and it holds at most {:.1e}; nothing was written: divide the \
             numbers by a power of two, such as {n}",
            f32::MAX
        )));
    }
    Err(Failure::integrity(format!(
        "{name}: {found}, although all sums of its numbers are; nothing was written: run it again, or with --engine host"
    )))
}

/// Says which numbers of the file were not taken as they are.
fn say_losses(options: &Options, read: &Points) {
    let name = say::path(&options.input);
    if read.rounded > 0 {
        common::say::remark!(
            "{name}: {} numbers rounded to single precision, which has 24 significant bits",
            read.rounded
        );
    }
    let taken = match options.engine {
        PointEngine::Host => "which single precision holds with fewer digits or as 0",
        _ => "which QPUs take as 0",
    };
    if read.tiny > 0 {
        common::say::remark!(
            "{name}: {} numbers are smaller than {:.1e}, {taken}; multiply the numbers by a power of two to keep them",
            read.tiny,
            f32::MIN_POSITIVE
        );
    }
}

/// The transforms, and where they were computed.
fn transform(
    options: &Options,
    batch: Batch,
    points: &[[f32; 2]],
) -> Result<(Vec<[f32; 2]>, String)> {
    match (options.engine, options.board_port.port.is_some()) {
        (PointEngine::Host, _) => Ok((on_host(batch, points), "this computer".to_owned())),
        (PointEngine::Sim, _) | (PointEngine::Auto, false) => {
            let runner = SimRunner::new(bytes(batch)?);
            let bins = on_qpus(batch, points, runner)?;
            Ok((bins, "the simulated V3D".to_owned()))
        }
        (PointEngine::Qpu, false) => Err(Failure::usage(
            "--engine qpu is a board's; name it with --port, or give --engine sim",
        )),
        (PointEngine::Auto | PointEngine::Qpu, true) => {
            let bytes = bytes(batch)?;
            let Some(client) = options.board_port.connect()? else {
                return Err(Failure::no_device(
                    "no port was named; give one with --port",
                ));
            };
            let runner = Remote::new(client, bytes)?;
            let place = runner.description();
            Ok((on_qpus(batch, points, runner)?, place))
        }
    }
}

fn request(batch: Batch) -> Request {
    Request {
        inverse: Scale::ByPoints,
        ..Request::new(batch.n.ilog2(), batch.count as u32)
    }
}

fn refused(error: Error<impl Debug>) -> Failure {
    Failure::usage(format!(
        "{error}; take a shorter transform or a smaller --batch"
    ))
}

/// Bytes of QPU memory for points, bins and the plan.
fn bytes(batch: Batch) -> Result<u32> {
    let request = request(batch);
    let memory = Plan::memory::<SimError>(FFT, &request).map_err(refused)?;
    let bytes = u64::from(memory.total()) + request.input_bytes() + request.output_bytes();
    // Buffers begin at multiples of 4096.
    let bytes = bytes + 3 * 4096;
    if bytes > BOARD_BYTES {
        return Err(Failure::usage(format!(
            "points, bins and the plan take {bytes} bytes, and a board has {BOARD_BYTES} for the QPUs; take a smaller --batch"
        )));
    }
    Ok(bytes as u32)
}

fn on_qpus<R: Runner>(batch: Batch, points: &[[f32; 2]], mut runner: R) -> Result<Vec<[f32; 2]>>
where
    R::Error: Debug,
    Failure: From<R::Error>,
{
    let failed = |error: Error<R::Error>| match error {
        Error::Runner(error) | Error::Memory { error, .. } => error.into(),
        error => refused(error),
    };
    let mut plan = Plan::with_buffers(FFT, &request(batch), &mut runner).map_err(failed)?;
    let ran = transform::run(&mut plan, &mut runner, batch.direction, points);
    ran.map(|(bins, _)| bins).map_err(failed)
}

fn on_host(batch: Batch, points: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let n = batch.n as usize;
    let factor = match batch.direction {
        Direction::Forward => 1.0,
        Direction::Inverse => 1.0 / n as f64,
    };
    let mut bins: Vec<_> = points
        .iter()
        .map(|&[re, im]| Complex::new(re.into(), im.into()))
        .collect();
    reference_fft::plan(n, batch.direction).process(&mut bins);
    bins.iter()
        .map(|bin| [bin.re, bin.im].map(|part| (part * factor) as f32))
        .collect()
}

fn write(path: &Path, kind: Kind, shape: &[u64], bins: &[[f32; 2]]) -> Result<()> {
    let mut output = Output::create(path)?;
    let mut put = |bytes: &[u8]| output.write_all(bytes);
    let written = match kind {
        Kind::Csv => put(b"re,im\n").and_then(|()| {
            let mut lines = bins.iter().map(|[re, im]| format!("{re:?},{im:?}\n"));
            lines.try_for_each(|line| put(line.as_bytes()))
        }),
        Kind::Npy | Kind::Raw => {
            let header = match kind {
                Kind::Npy => npy::encode("<c8", shape),
                _ => vec![],
            };
            put(&header).and_then(|()| {
                let mut parts = bins.iter().flatten();
                parts.try_for_each(|part| put(&part.to_le_bytes()))
            })
        }
    };
    written.map_err(|error| output.failure(&error))?;
    output.finish()
}
