//! `qpu plan N`: which passes a transform takes on the QPUs, and what they cost.
//!
//! Traffic and memory follow from the plan. Clocks of complex transforms are those that
//! `cargo xtask tune` measured on the simulator, forward, and committed, for a Pi 1 and a Pi 2: of
//! a single transform and, up to 2^15 points, of ten. What is not in these tables is run on the
//! simulator, unless it is long: then other batches are predicted from those, and other kinds have
//! no clocks. The bound is that of `cargo xtask bench` ([`flowgraph::plan::bound`]), which is of a
//! Pi 1. With `--time` any plan is run on the simulator as any board, with `--port` on the QPUs of
//! a board as well.

mod report;

use flowgraph::plan::{Planned, cost};
use qpu_fft::planner::tuning::Chip;
use qpu_fft::request::{Error, Request, TransformKind};
use qpu_fft::samples::Format;
use qpu_fft::{Direction, Plan};
use qpu_programs::FFT;
use report::Report;
use v3d_sim::{Board, Config, Constants, SimError, SimRunner};

use crate::command::BoardOptions;
use common::failure::{Failure, Result};
use common::quantity::whole;
use common::{constants, say};
use host::client::Client;
use workbench::remote::Remote;
use workbench::transform;
use workbench::transform::{LIMIT_US, direction, failed, memory};

/// Points of a batch that are run unasked where no table has them: in less than a second.
const SHORT: u64 = 1 << 16;

/// Runs on a board behind the first. Its clock counts microseconds, and its memory is refreshed now
/// and then.
const RUNS: u32 = 8;

/// Options of `plan`.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "A pass goes over memory once: the first, a middle, the last one, or a single one for all. A shared pass \
    is one launch of two steps. A unit is what a QPU has in registers at a time. Programs are the QPUs that work, and code \
    is their instructions. Marks behind a radix are explained below the table; `qpu flowgraph N` draws the same passes."
)]
pub struct Options {
    /// Points of a transform, of a plane its columns: a power of two, 16 to 4194304
    #[arg(value_parser = whole::<u64>)]
    n: u64,
    /// Transforms at a time
    #[arg(long, default_value_t = 1, value_parser = whole::<u32>)]
    batch: u32,
    /// The inverse transform: of complex points the same passes, with imaginary parts negated at
    /// both ends
    #[arg(long)]
    inverse: bool,
    /// Real points to bins, or with --inverse bins to real points: 32 to 8388608 points
    #[arg(long)]
    real: bool,
    /// A plane of this many rows and N columns
    #[arg(long, value_name = "ROWS", conflicts_with_all = ["real", "powers"], value_parser = whole::<u64>)]
    rows: Option<u64>,
    /// The mean power spectrum of this many segments of N samples; of real samples with --real
    #[arg(long, value_name = "SEGMENTS", conflicts_with = "inverse", value_parser = whole::<u32>)]
    powers: Option<u32>,
    /// Format of the samples that the first pass reads
    #[arg(long, default_value = "f32", value_parser = ["f32", "i32", "i16", "u8", "u8-high", "i8"])]
    samples: String,
    /// Samples are multiplied by a window
    #[arg(long, conflicts_with = "inverse")]
    windowed: bool,
    /// Samples from one transform's start to the next one's; less than N makes them overlap
    #[arg(long, value_parser = whole::<u32>)]
    hop: Option<u32>,
    /// Run it twice on the simulator, as that board, and print the second run's clocks, whatever
    /// the table of timed transforms has
    #[arg(long)]
    time: bool,
    /// With --time, another value of a constant of the cycle model, to see what depends on it; can
    /// be given several times
    #[arg(long, value_name = "NAME=VALUE", requires = "time", value_parser = constants::change)]
    set: Vec<(String, f64)>,
    /// Board to plan for: pi1, zero, or, whose V3D reaches memory past the system L2, pi2, pi3 and
    /// zero2
    #[arg(long, default_value = "pi1")]
    board: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    board_port: BoardOptions,
}

/// The time that a board took.
struct Measured {
    /// Microseconds from the first request to V3D to the end of the last program, in the shortest
    /// run.
    us: u32,
    /// The board at the other end of the line.
    place: String,
}

/// Prints the plan.
///
/// # Errors
/// Usage, for lengths, batches and kinds that have no plan, and unknown boards.
pub fn run(options: &Options) -> Result<()> {
    let board = transform::board(&options.board)?;
    let direction = direction(options.inverse);
    let request = Request {
        chip: Chip::with_system_l2(board.has_system_l2()),
        ..request(options, direction)?
    };
    let model = constants::with(&options.set)?;
    let planned = Planned::new(request).map_err(|error| Failure::usage(error.to_string()))?;
    // Before the simulation, which takes longer than a board that refuses.
    let measured = match options.board_port.connect()? {
        Some(client) => Some(on_board(&request, direction, client)?),
        None => None,
    };
    let tabled = matches!(board, Board::Pi1 | Board::Pi2)
        .then(|| cost::tabled(&planned))
        .flatten();
    let is_tabled = tabled.is_some_and(|tabled| !tabled.is_predicted);
    let is_simulated = options.time || !is_tabled && planned.points() <= SHORT;
    let clocks = if is_simulated {
        Some(simulated(&request, direction, board, &model)?)
    } else {
        tabled.map(|tabled| tabled.clocks)
    };
    let report = Report {
        options,
        is_predicted: !is_simulated && !is_tabled,
        planned: &planned,
        direction,
        clocks,
        bound: (board == Board::Pi1).then(|| cost::bound(&request)),
        constants: &model,
        board,
        measured: measured.as_ref(),
    };
    constants::note(&model);
    match options.json {
        true => say::json(&format!("{:#}\n", report.json())),
        false => say::data(&report.text()),
    }
}

fn request(options: &Options, direction: Direction) -> Result<Request> {
    let kind = match (options.rows, options.powers) {
        (Some(rows), _) => TransformKind::Plane(rows),
        (None, Some(segments)) => TransformKind::Powers {
            is_real: options.real,
            segments,
        },
        (None, None) if options.real => TransformKind::Real,
        (None, None) => TransformKind::Complex,
    };
    let transform = kind.of(options.n, direction);
    let transform = transform.map_err(|error| Failure::usage(error.to_string()))?;
    let mut request = Request::of(transform, options.batch);
    request.samples = Format::from_name(&options.samples).unwrap_or(Format::F32);
    request.windowed = options.windowed;
    request.hop = options.hop;
    Ok(request)
}

/// Clocks of the second run on the simulator, of that board's V3D.
fn simulated(
    request: &Request,
    direction: Direction,
    board: Board,
    constants: &Constants,
) -> Result<f64> {
    let bytes = bytes(request)?;
    let config = Config {
        strict: true,
        constants: constants.clone(),
        ..Config::for_board(board)
    };
    let mut runner = SimRunner::with_config(bytes, config);
    let refused = |error: Error<SimError>| Failure::usage(error.to_string());
    let mut plan = Plan::with_buffers(FFT, request, &mut runner).map_err(refused)?;
    let mut run = || {
        let report = plan.run(&mut runner, direction, LIMIT_US);
        report.map_err(|error| {
            Failure::integrity(format!("the simulated V3D failed: {error}; report it"))
        })
    };
    run()?;
    Ok(run()?.cycles.unwrap_or(0) as f64)
}

/// Measures a plan on the board of `client`, with whatever is in its memory.
fn on_board(request: &Request, direction: Direction, client: Client) -> Result<Measured> {
    let mut remote = Remote::new(client, bytes(request)?)?;
    let mut plan = Plan::with_buffers(FFT, request, &mut remote).map_err(failed)?;
    let mut run = || plan.run(&mut remote, direction, LIMIT_US).map_err(failed);
    run()?;
    let mut us = u32::MAX;
    for _ in 0..RUNS {
        us = us.min(run()?.elapsed_us);
    }
    Ok(Measured {
        us,
        place: remote.description(),
    })
}

fn bytes(request: &Request) -> Result<u32> {
    let remedy = ": take a shorter transform or a smaller batch, or leave --time";
    memory(request, "the plan needs", remedy)
}
