//! `qpuscope plan N`: which passes a transform takes on the QPUs, and what they cost.
//!
//! Traffic and memory follow from the plan. Clocks of complex transforms are those that `cargo xtask tune`
//! measured on the simulator and committed, for a Pi 1 and a Pi 2, in proportion for other batches, and their floor is
//! that of `cargo xtask bench` ([`qpu::fft::roofline`]), which is of a Pi 1. With `--time` any plan is run on the
//! simulator as any board, with `--port` on the QPUs of a board as well.

mod time;

use serde_json::{Value, json};
use std::fmt::Write as _;

use qpu::fft::bins::Bins;
use qpu::fft::bins::power::Powers;
use qpu::fft::convert;
use qpu::fft::memory::{Arrangement, PassMemory};
use qpu::fft::pass::Pass;
use qpu::fft::request::{Error, Request, Transform};
use qpu::fft::roofline::Roofline;
use qpu::fft::samples::Format;
use qpu::fft::table::{self, Chip};
use qpu::fft::{Direction, Plan, Split};
use qpu_programs::FFT;
use time::Measured;
use v3d_sim::{Board, Constants};

use crate::command::QpuOptions;
use crate::constants;
use crate::failure::{Failure, Result};
use crate::say;

/// Options of `plan`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Points of a transform, of a plane its columns: a power of two, 16 to 4194304
    n: u64,
    /// Transforms at a time
    #[arg(long, default_value_t = 1)]
    batch: u32,
    /// The inverse transform: of complex points the same passes, with imaginary parts negated at both ends
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
    /// What the samples are that the first pass reads
    #[arg(long, default_value = "f32", value_parser = ["f32", "i16", "u8", "i8"])]
    samples: String,
    /// Samples are multiplied by a window
    #[arg(long, conflicts_with = "inverse")]
    windowed: bool,
    /// Samples from one transform's start to the next one's; less than N makes them overlap
    #[arg(long)]
    hop: Option<u32>,
    /// Run it twice on the simulator, as that board, and print the second run's clocks
    #[arg(long)]
    time: bool,
    /// With --time, another value of a constant of the cycle model, to see what depends on it; can be given several
    /// times
    #[arg(long, value_name = "NAME=VALUE", requires = "time", value_parser = constants::change)]
    set: Vec<(String, f64)>,
    /// Board to plan for: pi1, zero, or, whose V3D reaches memory past the system L2, pi2, pi3 and zero2
    #[arg(long, default_value = "pi1")]
    board: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Where it is run as well.
    #[command(flatten)]
    qpus: QpuOptions,
}

/// Prints the plan.
///
/// # Errors
/// Usage, for lengths, batches and kinds that have no plan, and unknown boards.
pub fn run(options: &Options) -> Result<()> {
    let Some(board) = Board::from_name(&options.board) else {
        let names: Vec<_> = Board::ALL.iter().map(|board| board.name()).collect();
        return Err(Failure::usage(format!(
            "there is no board `{}`; choose one of {}",
            options.board,
            names.join(", ")
        )));
    };
    let request = Request {
        chip: chip(board),
        ..request(options)?
    };
    let mut model = Constants::recommended();
    for (name, value) in &options.set {
        constants::apply(&mut model, name, *value)?;
    }
    let refused = |error: Error<()>| Failure::usage(error.to_string());
    let arrangement = Plan::arrangement_of(FFT, &request).map_err(refused)?;
    // Before the simulation, which takes longer than a board that refuses.
    let measured = match options.qpus.connect()? {
        Some(client) => Some(time::on_board(&request, direction(options), client)?),
        None => None,
    };
    let cost = Cost {
        floor: floor(&request, board),
        clocks: match options.time {
            true => Some(time::simulated(
                &request,
                direction(options),
                board,
                &model,
            )?),
            false => tuned(&request, board, arrangement.split()),
        },
        clock_hz: f64::from(board.clock_hz()),
    };
    let report = Report {
        options,
        request: &request,
        arrangement: &arrangement,
        cost: &cost,
        constants: &model,
        board: board.name(),
        measured: measured.as_ref(),
    };
    constants::note(&model);
    say::data(&if options.json {
        format!("{:#}\n", report.json())
    } else {
        report.text()
    })
}

/// What is planned.
fn request(options: &Options) -> Result<Request> {
    let log2 = |count: u64, transform: &dyn Fn(u32) -> Transform| {
        if count.is_power_of_two() {
            return Ok(count.ilog2());
        }
        let [least, most] = transform(0).lengths();
        Err(Failure::usage(format!(
            "no plan has {count} points; lengths are the powers of two {}, {}, {} .. {}",
            1u64 << least,
            2u64 << least,
            4u64 << least,
            1u64 << most
        )))
    };
    let direction = direction(options);
    let one = |log2_points: u32| match (options.powers, options.real, direction) {
        (Some(segments), is_real, _) => {
            Transform::Powers(Powers::new(is_real, log2_points, segments))
        }
        (None, true, Direction::Forward) => Transform::RealToBins { log2_points },
        (None, true, Direction::Inverse) => Transform::BinsToReal { log2_points },
        (None, false, _) => Transform::Complex { log2_points },
    };
    let transform = match options.rows {
        Some(rows) => Transform::Plane {
            log2_rows: log2(rows, &one)?,
            log2_columns: log2(options.n, &one)?,
        },
        None => one(log2(options.n, &one)?),
    };
    let mut request = Request::of(transform, options.batch);
    let format = Format::ALL
        .into_iter()
        .find(|format| format.to_string() == options.samples);
    request.samples = format.unwrap_or_default();
    request.windowed = options.windowed;
    request.hop = options.hop;
    Ok(request)
}

const fn direction(options: &Options) -> Direction {
    if options.inverse {
        Direction::Inverse
    } else {
        Direction::Forward
    }
}

/// What the table has a split for.
const fn chip(board: Board) -> Chip {
    if board.has_system_l2() {
        Chip::Bcm2835
    } else {
        Chip::Bcm2836
    }
}

/// Clocks of the table, which are of its own split, and of the slowest V3D of either kind.
fn tuned(request: &Request, board: Board, split: Split) -> Option<f64> {
    let Transform::Complex { log2_points } = request.transform else {
        return None;
    };
    if !matches!(board, Board::Pi1 | Board::Pi2) {
        return None;
    }
    let row = table::row(request.chip, log2_points, request.batch)?;
    let is_it =
        request.reads_points() && row.cycles > 0 && Split::new(row.log2_radices) == Some(split);
    is_it.then(|| f64::from(row.cycles) * f64::from(request.batch) / f64::from(row.batch))
}

/// The least clocks that a complex transform can take, of a Pi 1: of others the rates of memory were not measured.
fn floor(request: &Request, board: Board) -> Option<f64> {
    match request.transform {
        Transform::Complex { log2_points } if request.reads_points() && board == Board::Pi1 => {
            let floor = Roofline::SIMULATED.floor(log2_points, request.batch);
            Some(floor.clocks())
        }
        _ => None,
    }
}

/// What it takes.
struct Cost {
    clocks: Option<f64>,
    floor: Option<f64>,
    clock_hz: f64,
}

impl Cost {
    fn us(&self) -> Option<f64> {
        Some(self.clocks? * 1e6 / self.clock_hz)
    }

    fn share(&self) -> Option<f64> {
        Some(self.floor? / self.clocks?)
    }
}

struct Report<'a> {
    options: &'a Options,
    request: &'a Request,
    arrangement: &'a Arrangement,
    cost: &'a Cost,
    constants: &'a Constants,
    board: &'static str,
    measured: Option<&'a Measured>,
}

impl Report<'_> {
    fn text(&self) -> String {
        let request = self.request;
        let memory = self.arrangement.memory();
        let mut text = format!(
            "{}: {}\n\n\
             pass         radix  points a unit reads  units  programs  code  read (bytes)  written (bytes)\n",
            self.title(),
            self.arrangement.split(),
        );
        for pass in self.arrangement.passes() {
            let line = Line::of(pass);
            let [read, written] = pass.step.pass.traffic(pass.step.batch);
            let radix = line.radix.map_or("-".into(), |radix| radix.to_string());
            let _ = writeln!(
                text,
                "{:11}  {radix:>5}  {:19}  {:5}  {:8}  {:4}  {read:12}  {written:15}",
                line.name,
                line.points,
                pass.units(),
                pass.programs - pass.idle_programs(),
                pass.program.code.len(),
            );
        }
        let idle = self.arrangement.passes().map(PassMemory::idle_programs);
        let idle: u32 = idle.sum();
        if idle > 0 {
            let _ = writeln!(
                text,
                "{idle} more programs end at once: they take QPUs of which the others are to leave caches alone"
            );
        }
        for pass in self.arrangement.passes().filter(|pass| pass.stretches > 1) {
            let _ = writeln!(
                text,
                "the {} pass is done in {} launches, so that programs that read the same rows stay together",
                Line::of(pass).name,
                pass.stretches,
            );
        }
        let _ = write!(
            text,
            "\nmemory beside input and output: {} bytes (programs and lists {}, twiddles {}, between passes {})\n\
             input {} bytes, output {} bytes; {}\n",
            memory.total(),
            memory.programs,
            memory.tables,
            memory.scratch,
            request.input_bytes(),
            request.output_bytes(),
            if request.may_be_in_place() {
                "they may be the same"
            } else {
                "not the same memory"
            },
        );
        match (self.cost.clocks, self.cost.us()) {
            (Some(clocks), Some(us)) => {
                let points = self.points();
                let _ = writeln!(
                    text,
                    "{clocks:.0} V3D clocks (simulated, second run), {:.2} a point, {us:.0} us on {}",
                    clocks / points as f64,
                    self.board,
                );
            }
            _ => {
                let _ = writeln!(
                    text,
                    "not in the tables of timed transforms, which are of pi1 and pi2: --time runs it on the simulator"
                );
            }
        }
        if let Some(Measured { us, runs, place }) = self.measured {
            let _ = writeln!(text, "{us} us on {place} (the shortest of {runs} runs)");
        }
        match (self.cost.floor, self.cost.share()) {
            (Some(floor), Some(share)) => {
                let _ = writeln!(text, "floor {floor:.0} clocks: {share:.2} of the roofline");
            }
            (Some(floor), None) => {
                let _ = writeln!(text, "floor {floor:.0} clocks");
            }
            _ => {}
        }
        text
    }

    /// Points of the whole batch.
    fn points(&self) -> u64 {
        let transforms =
            u64::from(self.request.batch) * u64::from(self.request.transform.segments());
        transforms << self.request.transform.log2_points()
    }

    fn title(&self) -> String {
        let Options {
            n, batch, inverse, ..
        } = self.options;
        let (s, each) = if *batch == 1 {
            ("", "")
        } else {
            ("s", " each")
        };
        let direction = if *inverse { "inverse" } else { "forward" };
        let samples = match self.request.samples {
            Format::F32 => String::new(),
            format => format!(" in {format}"),
        };
        let window = if self.options.windowed {
            ", times a window"
        } else {
            ""
        };
        match self.request.transform {
            Transform::Plane { log2_rows, .. } => {
                let rows = 1u64 << log2_rows;
                format!(
                    "{batch} {direction} transform{s} of planes, {rows} rows of {n} points{each}"
                )
            }
            Transform::Powers(powers) => {
                let kind = if powers.is_real { "real" } else { "complex" };
                let segments = powers.segments;
                format!(
                    "{batch} power spectr{} of {segments} x {n} {kind} samples{samples}{window}{each}",
                    if *batch == 1 { "um" } else { "a" }
                )
            }
            Transform::RealToBins { .. } | Transform::BinsToReal { .. } => {
                format!(
                    "{batch} {direction} transform{s} of {n} real points{samples}{window}{each}"
                )
            }
            _ => format!("{batch} {direction} transform{s} of {n} points{samples}{window}{each}"),
        }
    }

    fn json(&self) -> Value {
        let memory = self.arrangement.memory();
        let radices: Vec<_> = self.arrangement.split().radices().collect();
        let passes: Vec<_> = self.arrangement.passes().map(pass_json).collect();
        let kind = match self.request.transform {
            Transform::Complex { .. } | Transform::Convolution { .. } => "complex",
            Transform::RealToBins { .. } | Transform::BinsToReal { .. } => "real",
            Transform::Plane { .. } => "plane",
            Transform::Powers(_) => "powers",
        };
        json!({
            "n": self.options.n,
            "kind": kind,
            "rows": self.options.rows,
            "segments": self.options.powers,
            "samples": self.options.samples,
            "windowed": self.options.windowed,
            "batch": self.options.batch,
            "direction": if self.options.inverse { "inverse" } else { "forward" },
            "board": self.board,
            "radices": radices,
            "passes": passes,
            "memory_bytes": memory.total(),
            "program_bytes": memory.programs,
            "table_bytes": memory.tables,
            "scratch_bytes": memory.scratch,
            "input_bytes": self.request.input_bytes(),
            "output_bytes": self.request.output_bytes(),
            "clocks": self.cost.clocks,
            "us": self.cost.us(),
            "floor_clocks": self.cost.floor,
            "share": self.cost.share(),
            "constants": constants::changed(self.constants),
            "measured_us": self.measured.map(|measured| measured.us),
            "measured_on": self.measured.map(|measured| &measured.place),
        })
    }
}

fn pass_json(pass: &PassMemory) -> Value {
    let line = Line::of(pass);
    let [read, written] = pass.step.pass.traffic(pass.step.batch);
    json!({
        "role": line.name,
        "radix": line.radix,
        "parts": line.parts,
        "units": pass.units(),
        "programs": pass.programs,
        "idle_programs": pass.idle_programs(),
        "launches": pass.stretches,
        "instructions": pass.program.code.len(),
        "read_bytes": read,
        "written_bytes": written,
        "twiddle_bytes": pass.step.pass.table_bytes(),
        "stores_row_by_row": line.stores_row_by_row,
    })
}

/// What a pass is.
struct Line {
    name: String,
    /// Of transforms.
    radix: Option<u32>,
    /// That read the same points.
    parts: u32,
    /// That a unit reads.
    points: u32,
    stores_row_by_row: bool,
}

impl Line {
    fn of(pass: &PassMemory) -> Self {
        match &pass.step.pass {
            Pass::Points(geometry) => Self {
                name: format!("{:?}", geometry.role()).to_lowercase(),
                radix: Some(geometry.radix()),
                parts: geometry.parts(),
                points: geometry.vectors() * 16,
                stores_row_by_row: geometry.is_stored_by_rows(),
            },
            Pass::Shared(shared) => Self {
                name: "shared".into(),
                radix: Some(shared.points()),
                parts: 1,
                points: shared.points_of_a_unit(),
                stores_row_by_row: false,
            },
            Pass::Real(real) => {
                Self::bins(if real.to_bins { "split" } else { "join" }, real.bins())
            }
            Pass::Convert(_) => Self {
                name: "convert".into(),
                radix: None,
                parts: 1,
                points: 16 * convert::VECTORS,
                stores_row_by_row: false,
            },
            Pass::Product(_) => Self::bins("product", Bins::Product),
            Pass::Power(power) => Self::bins("power", power.bins()),
        }
    }

    fn bins(name: &str, bins: Bins) -> Self {
        Self {
            name: name.into(),
            radix: None,
            parts: 1,
            points: u32::from(bins.runs()) * bins.run_bins(),
            stores_row_by_row: false,
        }
    }
}
