//! `bench`: the FFT on the QPUs beside GPU_FFT 3.0, on the same simulator.
//!
//! ```text
//! bench [--quick] [--kind complex|real|real-i16|iq-u8|spectrum] [--lengths FROM..TO]
//!       [--batch COUNT] [--direction forward|inverse|both] [--json] [--out DIR]
//!       [--recorded] [--record] [--port PORT] [--no-variants]
//! bench --beside | --document
//! bench --host [--python PYTHON]
//! ```
//!
//! Prints the report; `--json` prints one object instead. JSON, CSV and a picture go to DIR
//! (`target/bench`). GPU_FFT's shaders come from the checkout of raspberrypi/userland that
//! `QPUSCOPE_USERLAND` names; without it, or with `--recorded`, its last recorded figures stand
//! beside ours. Wall times come from the firmware at PORT (a serial port, or
//! `sim:target/kernel.img`, the default where that image is built, which
//! `cargo xtask bench --record` does first). All lengths take many minutes; `--quick` runs 2^8 to
//! 2^12 alone. `--host` times `qpuscope read` beside NumPy on this computer ([`bench::host`]) and
//! prints a table.
//!
//! `docs/performance.md` and its picture are written from recorded figures alone
//! ([`bench::recorded`]). `--record` runs what is asked for, also with other constants
//! ([`bench::variants`]), takes the figures into the record and writes both files. `--beside` does
//! so with the tables of the ARM and of planes ([`bench::beside`]), which `--record` of everything
//! measures, too. `--document` only writes both files.
#![forbid(unsafe_code)]

use anyhow::{Context, Result, ensure};
use bench::beside::{self, Beside};
use bench::case::{self, Case, Kind};
use bench::recorded::{self, Recorded};
use bench::report::Report;
use bench::run::{self, PeerSource};
use bench::{Row, copy, document, host, plot, variants, wall};
use clap::{Parser, ValueEnum};
use fidelity::Userland;
use fidelity::repository::{put, root, stamp};
use std::path::PathBuf;
use std::process::ExitCode;
use v3d_sim::Constants;

/// The FFT on the QPUs beside GPU_FFT 3.0.
#[derive(Parser)]
#[command(name = "bench")]
struct Arguments {
    /// 2^8 to 2^12 complex points, batch 1, inverse.
    #[arg(long, conflicts_with_all = ["kind", "lengths", "batch", "direction"])]
    quick: bool,
    /// Only one kind of transform.
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Powers of two of the lengths, as 8..12 or 14.
    #[arg(long, value_name = "FROM..TO", value_parser = lengths)]
    lengths: Option<(u32, u32)>,
    /// Only batches of so many transforms: 1 or 10.
    #[arg(long, value_name = "COUNT")]
    batch: Option<u32>,
    /// Only one direction.
    #[arg(long, value_enum, default_value_t = Directions::Both)]
    direction: Directions,
    /// Print one JSON object, {"rows": [...], ...}.
    #[arg(long)]
    json: bool,
    /// Folder for JSON, CSV and the picture.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Take GPU_FFT's figures from the last recorded run.
    #[arg(long)]
    recorded: bool,
    /// The board, or virtual Pi, that tells wall times; none: an empty one.
    #[arg(long)]
    port: Option<String>,
    /// With --record: leave the ratios with other constants as they are recorded.
    #[arg(long)]
    no_variants: bool,
    /// Only measure and keep the tables of the ARM and of planes.
    #[arg(long, conflicts_with_all = ["quick", "kind", "lengths", "batch", "json", "out", "recorded", "record"])]
    beside: bool,
    /// Only time `qpuscope read` in each format, beside NumPy reading the same bytes.
    #[arg(long, conflicts_with_all = ["quick", "kind", "lengths", "batch", "json", "out", "recorded", "record", "beside"])]
    host: bool,
    /// The Python of --host, which has NumPy.
    #[arg(
        long,
        value_name = "PYTHON",
        default_value = "python3",
        requires = "host"
    )]
    python: String,
    /// Only write docs/performance.md and its picture from the recorded figures.
    #[arg(long, exclusive = true)]
    document: bool,
    /// Keep the figures, and write docs/performance.md from all that are kept.
    #[arg(long, conflicts_with = "recorded")]
    record: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Directions {
    Forward,
    Inverse,
    Both,
}

impl Directions {
    fn contain(self, direction: qpu_fft::Direction) -> bool {
        match self {
            Self::Both => true,
            Self::Forward => direction == qpu_fft::Direction::Forward,
            Self::Inverse => direction == qpu_fft::Direction::Inverse,
        }
    }
}

/// `8..12`, both included, or `14`.
fn lengths(text: &str) -> Result<(u32, u32), String> {
    let (from, to) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str| text.trim_start_matches('=').parse().ok();
    match (number(from), number(to)) {
        (Some(from), Some(to))
            if from <= to && case::LENGTHS.contains(&from) && case::LENGTHS.contains(&to) =>
        {
            Ok((from, to))
        }
        _ => Err(format!(
            "give powers of two from {} to {}, as 8..12 or 14",
            case::LENGTHS.start(),
            case::LENGTHS.end()
        )),
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

impl Arguments {
    fn cases(&self) -> Vec<Case> {
        let (kind, lengths, batch, direction) = if self.quick {
            let kind = Some(Kind::Complex);
            (kind, (8, 12), Some(1), Directions::Inverse)
        } else {
            let all = (*case::LENGTHS.start(), *case::LENGTHS.end());
            let lengths = self.lengths.unwrap_or(all);
            (self.kind, lengths, self.batch, self.direction)
        };
        let wanted = |case: &Case| {
            (lengths.0..=lengths.1).contains(&case.log2n)
                && batch.is_none_or(|batch| batch == case.batch)
                && direction.contain(case.direction)
                && kind.is_none_or(|kind| kind == case.kind)
        };
        case::all().into_iter().filter(wanted).collect()
    }

    /// The command line that this is.
    fn command(&self) -> String {
        let words: Vec<String> = std::env::args().skip(1).collect();
        [&["cargo xtask bench".to_owned()], &words[..]]
            .concat()
            .join(" ")
    }
}

/// Measures the tables of the ARM and of planes, and keeps them.
fn keep_beside() -> Result<Beside> {
    let userland = Userland::from_environment()?;
    let beside = Beside::measure(
        userland.as_ref(),
        &Constants::recommended(),
        &|what: &str| eprintln!("ran {what}"),
    )?;
    let figures = serde_json::to_string_pretty(&beside)? + "\n";
    put(&root().join(beside::PATH), figures)?;
    Ok(beside)
}

fn run(arguments: &Arguments) -> Result<()> {
    if arguments.document {
        return document::write(&Recorded::last()?, &Beside::last()?);
    }
    if arguments.beside {
        return document::write(&Recorded::last()?, &keep_beside()?);
    }
    if arguments.host {
        let table = host::run(&arguments.python, &|what| eprintln!("timed {what}"))?;
        println!("{table}");
        return Ok(());
    }
    let cases = arguments.cases();
    ensure!(
        !cases.is_empty(),
        "no transform is like that: batches are 1, and 10 up to 2^{} complex points; real ones of f32 are \
         inverse too, other kinds forward only",
        case::LONGEST_OF_TEN
    );
    let constants = Constants::recommended();
    let recorded = Recorded::last()?;
    let userland = match arguments.recorded {
        true => None,
        false => Userland::from_environment()?,
    };
    let source = match &userland {
        Some(userland) => PeerSource::Shaders(userland),
        None => PeerSource::Recorded(&recorded),
    };
    ensure!(
        userland.is_some() || !arguments.record,
        "only what is run can be recorded: set QPUSCOPE_USERLAND to a checkout of raspberrypi/userland"
    );
    let peer = describe(&source, &constants);
    eprintln!("{peer}");
    let rates = copy::rates(&constants)?;
    let progress = |what: &str| eprintln!("ran {what}");
    let mut rows = run::run(&cases, &source, &constants, &progress)?;
    measure_walls(arguments, &mut rows)?;
    let tried = match &userland {
        Some(userland) if arguments.record && !arguments.no_variants => {
            variants::try_all(&cases, userland, &progress)?
        }
        _ => Vec::new(),
    };
    let beside = match arguments.record && rows.len() == case::all().len() {
        true => keep_beside()?,
        false => Beside::last()?,
    };
    let report = Report {
        beside: &beside.markdown(),
        rows: &rows,
        tried: &tried,
        rates: &rates,
        constants: &constants,
        peer: &peer,
        command: &arguments.command(),
    };
    if arguments.json {
        println!("{}", report.json()?);
    } else {
        print!("{}", report.markdown());
    }
    write(arguments, &report)?;
    eprintln!("{}", report.verdict());
    if arguments.record {
        let (date, commit) = stamp()?;
        let mut recorded = recorded.clone().renewed(date, commit, &constants, rates);
        recorded.put(&rows);
        recorded.put_tried(tried);
        put(&root().join(recorded::PATH), recorded.text()?)?;
        document::write(&recorded, &beside)?;
    }
    Ok(())
}

/// Asks the firmware for wall times of what it transforms: one at a time, forward.
fn measure_walls(arguments: &Arguments, rows: &mut [Row]) -> Result<()> {
    let image = root().join("target/kernel.img");
    let port = match &arguments.port {
        Some(port) => port.clone(),
        None if image.is_file() => format!("sim:{}", image.display()),
        None => String::new(),
    };
    let on_device = |row: &Row| {
        let Case {
            batch,
            direction,
            kind,
            ..
        } = row.case;
        (kind, batch, direction) == (Kind::Complex, 1, qpu_fft::Direction::Forward)
            && row.ours.is_some()
    };
    if port.is_empty() || !rows.iter().any(on_device) {
        return Ok(());
    }
    eprintln!("asking the firmware at {port}");
    let lengths: Vec<u32> = rows
        .iter()
        .filter(|row| on_device(row))
        .map(|row| row.case.log2n)
        .collect();
    let walls = wall::measure(&port, lengths.into_iter())
        .with_context(|| format!("measuring wall times at {port} (--port \"\" leaves them out)"))?;
    for row in rows.iter_mut().filter(|row| on_device(row)) {
        row.wall = walls.get(&row.case.log2n).copied();
    }
    Ok(())
}

/// Describes the source of the peer's figures, and its shortcomings.
fn describe(source: &PeerSource<'_>, constants: &Constants) -> String {
    let recorded = match source {
        PeerSource::Shaders(_) => {
            return "GPU_FFT 3.0's published shaders (raspberrypi/userland) were run on the same simulator in \
                    the same run."
                .into();
        }
        PeerSource::Recorded(recorded) => recorded,
    };
    if recorded.peers.is_empty() {
        return "GPU_FFT was not run: clone https://github.com/raspberrypi/userland and name the folder in \
                QPUSCOPE_USERLAND."
            .into();
    }
    let Recorded { date, commit, .. } = recorded;
    let mut text = format!(
        "GPU_FFT 3.0's figures were recorded on {date} at commit {commit}, from its published shaders on the same \
         simulator; with QPUSCOPE_USERLAND they are run anew."
    );
    let changed = recorded.changed(constants);
    if !changed.is_empty() {
        text += &format!(
            " They were made with other values of {}: record them again.",
            changed.join(", ")
        );
    }
    text
}

/// Writes JSON, CSV and the picture.
fn write(arguments: &Arguments, report: &Report<'_>) -> Result<()> {
    let drawing = plot::draw(report.rows);
    let default = root().join("target/bench");
    let folder = arguments.out.as_deref().unwrap_or(&default);
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    put(&folder.join("bench.json"), report.json()?)?;
    put(&folder.join("bench.csv"), report.csv()?)?;
    put(&folder.join("bench.svg"), drawing.svg())?;
    let png = drawing
        .png()
        .map_err(|failure| anyhow::anyhow!("{failure}"))?;
    put(&folder.join("bench.png"), &png)
}
