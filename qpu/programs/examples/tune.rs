//! Times every way to split each length on the simulated V3D, and writes the fastest to the table.
//!
//! ```text
//! cargo xtask tune [FROM..TO] [--board NAME] [--conservative] [--more-passes] [SPLIT ..] [--write]
//! ```
//!
//! FROM..TO are powers of two, 4..22 when absent. Splits have as few passes as the length allows,
//! or one more with `--more-passes`. A SPLIT, radices as powers of two such as 5,7,7, or 7s,7s
//! where two QPUs share tiles and 7q,8q where four do, is timed alone, with others of its length
//! that are named: long lengths have more than one waits for. Each is run twice, forward; the
//! second run counts, as in `cargo xtask bench`: V3D clocks from the first request to the end of
//! the last program, data caches cleared before each launch. Each is also held to an f64 transform,
//! so that nothing wrong wins.
//!
//! `--write` puts the fastest into the table in `qpu/fft/src/planner/tuned`; lengths that were not
//! timed keep their rows. There are tables of the chips of pi1 and pi2, and with `--conservative`
//! of the plans of [`Request::conservative`], 2^7 to 2^16 points: tiles that no QPUs share, a
//! launch for each pass, all caches cleared, on all boards. Their splits also serve other plans in
//! passes, so their rows have the launches and reads with which those are fastest. Where no board
//! is named, `--write` writes all tables, and without it pi1 is meant.
//!
//! Which reads leave no lines in the system L2 ([`Streams`]) is then changed bit by bit for the two
//! fastest splits, for as long as each change gains a percent.

use qpu::job::Runner;
use qpu_fft::planner::streams::Streams;
use qpu_fft::planner::tuning::Chip;
use qpu_fft::request::Request;
use qpu_fft::split::{QUAD, SHARED};
use qpu_fft::{Direction, Plan, Split};
use qpu_programs::FFT;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use tests::fourier::fft;
use v3d_sim::{Board, Config, SimRunner};

/// Batches that are timed, and the longest lengths for each.
const BATCHES: [(u32, u32); 2] = [(1, 22), (10, 15)];
/// Simulated time that a launch may take.
const LIMIT_US: u32 = 10_000_000;
/// No split may be less accurate.
const TOLERANCE: f64 = 1.5e-6;
/// Splits whose reads are changed.
const CHANGED: usize = 2;
const USAGE: &str = "usage: cargo xtask tune [FROM..TO] [--board NAME] [--conservative] [--more-passes] [SPLIT such as 5,7,7 ..] [--write]";
/// Lengths that have a conservative plan: half the shortest real transform, and the instrument's
/// longest.
const CONSERVATIVE: (u32, u32) = (7, 16);

/// A table row, owned.
#[derive(Clone, Debug)]
struct Row {
    board: Board,
    log2_points: u32,
    batch: u32,
    split: Split,
    qpus: u8,
    one_launch: bool,
    streams: Streams,
    conservative: bool,
    cycles: u64,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("tune: {text}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let (mut lengths, mut more_passes, mut write) = (None, false, false);
    let mut conservative = false;
    let mut board = None;
    let mut named: Vec<Split> = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--board" => {
                let name = arguments.next();
                let found = name.as_deref().and_then(Board::from_name);
                board = Some(found.ok_or("--board is pi1, pi2, zero, pi3 or zero2")?);
            }
            "--more-passes" => more_passes = true,
            "--conservative" => conservative = true,
            "--write" => write = true,
            split if split.contains(',') => {
                let radix = |text: &str| {
                    let shared = [('s', SHARED), ('q', QUAD)].into_iter();
                    let mut shared =
                        shared.filter_map(|(name, mark)| Some((text.strip_suffix(name)?, mark)));
                    match shared.next() {
                        Some((text, mark)) => text.parse().map(|radix: u8| radix | mark),
                        None => text.parse(),
                    }
                };
                let radices: Result<Vec<u8>, _> = split.split(',').map(radix).collect();
                let radices = radices.map_err(|_| USAGE.to_owned())?;
                let none = || format!("no plan has the split {split}; {USAGE}");
                named.push(Split::new(&radices).ok_or_else(none)?);
            }
            range => {
                let (from, to) = range.split_once("..").unwrap_or((range, range));
                let number = |text: &str| text.parse::<u32>().map_err(|_| USAGE.to_owned());
                lengths = Some((number(from)?, number(to)?));
            }
        }
    }
    let of_named = || named.iter().map(Split::log2_points);
    if let (Some(from), Some(to)) = (of_named().min(), of_named().max()) {
        lengths = Some((from, to));
    }
    let (least, most) = if conservative { CONSERVATIVE } else { (4, 22) };
    let lengths = lengths.unwrap_or((least, most));
    if lengths.0 < least || lengths.1 > most || lengths.0 > lengths.1 {
        return Err(format!(
            "lengths are {least}..{most}, as powers of two; {USAGE}"
        ));
    }
    if conservative && board.is_some_and(|board| board != Board::Pi1) {
        return Err("conservative plans have one table, of pi1: leave --board".into());
    }
    if write && !matches!(board, None | Some(Board::Pi1 | Board::Pi2)) {
        return Err("the tables are of pi1 and pi2: leave --write, or name one of these".into());
    }
    let tables = match board {
        None if write && !conservative => {
            vec![(Board::Pi1, false), (Board::Pi2, false), (Board::Pi1, true)]
        }
        board => vec![(board.unwrap_or_default(), conservative)],
    };
    for table in tables {
        let mut rows: Vec<Row> = Vec::new();
        println!(
            "points  batch  split                   QPUs  1 launch  past L2      clocks  clk/point     ppm"
        );
        let (_, is_conservative) = table;
        let has = |log2_points: &u32| {
            !is_conservative || (CONSERVATIVE.0..=CONSERVATIVE.1).contains(log2_points)
        };
        for log2_points in (lengths.0..=lengths.1).filter(has) {
            for (batch, longest) in BATCHES {
                if log2_points <= longest {
                    rows.extend(fastest(table, (log2_points, batch), more_passes, &named)?);
                }
            }
        }
        if write {
            write_table(table, rows)?;
        }
    }
    Ok(())
}

/// Times the splits of a length; the fastest, if there are programs for any.
fn fastest(
    (board, conservative): (Board, bool),
    (log2_points, batch): (u32, u32),
    more_passes: bool,
    named: &[Split],
) -> Result<Option<Row>, String> {
    let mut splits: Vec<_> = Split::all(log2_points).collect();
    if conservative {
        // One pass of more than 128 points takes producers, consumers or barriers.
        let is_plain = |split: &Split| {
            (0..split.passes()).all(|pass| !split.is_shared(pass) && split.log2_radix(pass) <= 7)
        };
        splits.retain(is_plain);
    }
    let fewest = splits.iter().map(Split::passes).min().unwrap_or(0);
    // Batches of what one pass can do may be faster in two.
    let fewest = match conservative {
        true => fewest,
        false => fewest.max(1 + usize::from(log2_points > 8)),
    };
    let mut rows: Vec<Row> = Vec::new();
    for split in splits {
        let is_wanted = if named.is_empty() {
            split.passes() <= fewest + usize::from(more_passes)
        } else {
            named.contains(&split)
        };
        if !is_wanted {
            continue;
        }
        let mut row = Row {
            board,
            log2_points,
            batch,
            split,
            qpus: 12,
            one_launch: false,
            streams: match conservative {
                true => Streams::default(),
                false => Streams::unmeasured(batch),
            },
            conservative,
            cycles: 0,
        };
        if Plan::memory::<()>(FFT, &row.request()).is_err() {
            eprintln!("2^{log2_points} as {split}: no programs");
            continue;
        }
        let mut fastest: Option<Row> = None;
        for one_launch in [false, true] {
            for qpus in [12, 8, 6] {
                // Passes of fewer units run on fewer QPUs anyway, and one pass is one launch.
                let units = (u64::from(batch) << log2_points).div_ceil(256);
                if (one_launch && (conservative || split.passes() == 1))
                    || (qpus < 12 && u64::from(qpus) >= units)
                {
                    continue;
                }
                (row.qpus, row.one_launch) = (qpus, one_launch);
                // Some passes need more QPUs than these.
                if Plan::memory::<()>(FFT, &row.request()).is_err() {
                    continue;
                }
                row.time()?;
                if fastest.as_ref().is_none_or(|it| row.cycles < it.cycles) {
                    fastest = Some(row.clone());
                }
            }
        }
        rows.extend(fastest);
    }
    rows.sort_by_key(|row| row.cycles);
    rows.truncate(CHANGED);
    if !conservative {
        for row in &mut rows {
            change_streams(row)?;
        }
    }
    let mut fastest = rows.into_iter().min_by_key(|row| row.cycles);
    if conservative && let Some(row) = &mut fastest {
        time_in_passes(row)?;
    }
    Ok(fastest)
}

/// Finds the launches and reads that are the fastest for the split of a conservative row in other
/// plans.
fn time_in_passes(row: &mut Row) -> Result<(), String> {
    let mut fastest: Option<Row> = None;
    let all = (1u8 << row.split.passes()) - 1;
    // Behind a single transform comes its split into real bins, whose table is read once too.
    let all_tables = if row.batch == 1 { u8::MAX } else { all };
    let launches = [false, true].into_iter();
    for one_launch in launches.filter(|one| !one || row.split.passes() > 1) {
        // Tables and records of all passes are alike; of the reads, only the first pass's input may
        // be read twice. The first choice is [`Streams::unmeasured`].
        let first = if row.batch == 1 { 2 } else { 0 };
        for choice in (0..8).map(|choice| choice ^ first) {
            let mut other = row.clone();
            (other.conservative, other.one_launch) = (false, one_launch);
            other.streams = Streams {
                reads: u8::MAX - (choice & 1),
                tables: if choice & 2 > 0 { all_tables } else { 0 },
                records: if choice & 4 > 0 { all } else { 0 },
            };
            other.time()?;
            // Samples and spectra change less than that the other way.
            let is_faster = |it: &Row| 1000 * other.cycles < 995 * it.cycles;
            if fastest.as_ref().is_none_or(is_faster) {
                fastest = Some(other);
            }
        }
    }
    if let Some(fastest) = fastest {
        (row.one_launch, row.streams) = (fastest.one_launch, fastest.streams);
    }
    Ok(())
}

/// Changes what passes read past the system L2, for as long as that helps.
fn change_streams(row: &mut Row) -> Result<(), String> {
    let all = (1u8 << row.split.passes()) - 1;
    let reads = (0..row.split.passes()).map(|pass| [1 << pass, 0, 0]);
    // Tables and records of all passes are alike.
    let changes: Vec<[u8; 3]> = reads.chain([[0, all, 0], [0, 0, all]]).collect();
    loop {
        let before = row.cycles;
        for &[reads, tables, records] in &changes {
            let mut changed = row.clone();
            changed.streams.reads ^= reads;
            changed.streams.tables ^= tables;
            changed.streams.records ^= records;
            changed.time()?;
            // Other places in memory make as much of a difference as less than that.
            if 100 * changed.cycles < 99 * row.cycles {
                *row = changed;
            }
        }
        if row.cycles == before {
            return Ok(());
        }
    }
}

impl Row {
    fn request(&self) -> Request {
        let mut request = Request::new(self.log2_points, self.batch);
        request.split = Some(self.split);
        request.chip = table_of(self.board).0;
        request.streams = Some(self.streams);
        (request.qpus, request.one_launch) = (self.qpus, self.one_launch);
        request.conservative = self.conservative;
        request
    }

    /// Times it, and prints that.
    fn time(&mut self) -> Result<(), String> {
        let request = self.request();
        let memory = Plan::memory::<()>(FFT, &request).map_err(|error| error.to_string())?;
        let start = Instant::now();
        let (cycles, error) = time(self.board, &request, memory.total())?;
        self.cycles = cycles;
        let points = f64::from(self.batch) * f64::from(1u32 << self.log2_points);
        let Streams {
            reads,
            tables,
            records,
        } = self.streams;
        println!(
            "2^{:<4}  {:5}  {:22}  {:4}  {:8}  {reads:02x} {tables:02x} {records:02x}  {cycles:9}  {:9.2}  {:6.3}",
            self.log2_points,
            self.batch,
            self.split.to_string(),
            self.qpus,
            self.one_launch,
            cycles as f64 / points,
            1e6 * error
        );
        eprintln!("  simulated in {:.1} s", start.elapsed().as_secs_f64());
        if error > TOLERANCE {
            let split = self.split;
            return Err(format!("{split} is wrong: relative rms error {error:e}"));
        }
        Ok(())
    }
}

/// Clocks of the second run of a plan, and its error on noise.
fn time(board: Board, request: &Request, bytes: u32) -> Result<(u64, f64), String> {
    let data = request.input_bytes() as u32;
    let config = Config {
        strict: true,
        ..Config::for_board(board)
    };
    let mut runner = SimRunner::with_config(bytes + 2 * data + (64 << 10), config);
    let mut plan = Plan::with_buffers(FFT, request, &mut runner).map_err(|e| e.to_string())?;
    let points = plan.points() as usize;
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let input: Vec<f32> = (0..data / 4).map(|_| next()).collect();
    let words: Vec<u32> = input.iter().map(|x| x.to_bits()).collect();
    let mut cycles = 0;
    for _ in 0..2 {
        let write = runner.write(plan.input(), 0, &words);
        write.map_err(|error| error.to_string())?;
        let report = plan.run(&mut runner, Direction::Forward, LIMIT_US);
        cycles = report
            .map_err(|error| error.to_string())?
            .cycles
            .unwrap_or(0);
    }
    let mut words = vec![0; words.len()];
    let read = runner.read(plan.output(), 0, &mut words);
    read.map_err(|error| error.to_string())?;
    let input: Vec<_> = input
        .chunks_exact(2)
        .map(|z| [f64::from(z[0]), f64::from(z[1])])
        .collect();
    let wanted: Vec<_> = input.chunks(points).flat_map(|x| fft(x, false)).collect();
    let (mut error, mut power) = (0.0, 0.0);
    for (got, wanted) in words.chunks_exact(2).zip(&wanted) {
        for (&word, wanted) in got.iter().zip(wanted) {
            error += (f64::from(f32::from_bits(word)) - wanted).powi(2);
            power += wanted.powi(2);
        }
    }
    let error = (error / power).sqrt();
    // What is no number is as wrong as can be.
    Ok((cycles, if error.is_nan() { f64::INFINITY } else { error }))
}

/// The chip of a board, and the file of its table.
fn table_of(board: Board) -> (Chip, &'static str) {
    if board.has_system_l2() {
        (Chip::Bcm2835, "bcm2835.rs")
    } else {
        (Chip::Bcm2836, "bcm2836.rs")
    }
}

/// Writes the table: these rows, and of other lengths and batches those that it has.
fn write_table((board, conservative): (Board, bool), mut rows: Vec<Row>) -> Result<(), String> {
    let (chip, file) = table_of(board);
    let (table, file) = match conservative {
        true => (
            qpu_fft::planner::tuned::conservative::TUNED,
            "conservative.rs",
        ),
        false => (chip.tuned(), file),
    };
    for old in table {
        let is_new = |row: &Row| {
            (row.log2_points, row.batch) == (u32::from(old.log2_points), u32::from(old.batch))
        };
        if !rows.iter().any(is_new)
            && let Some(split) = Split::new(old.log2_radices)
        {
            rows.push(Row {
                board,
                log2_points: old.log2_points.into(),
                batch: old.batch.into(),
                split,
                qpus: old.qpus,
                one_launch: old.one_launch,
                streams: old.streams,
                conservative,
                cycles: old.cycles.into(),
            });
        }
    }
    rows.sort_by_key(|row| (row.log2_points, row.batch));
    let (option, how) = match conservative {
        true => ("--conservative".to_owned(), "all caches"),
        false => (format!("--board {}", board.name()), "data caches"),
    };
    let mut text = String::new();
    for row in &rows {
        let radices: Vec<_> = (0..row.split.passes())
            .map(|pass| {
                let shared = ["", "S + ", "Q + "][row.split.log2_sharers(pass) as usize];
                format!("{shared}{}", row.split.log2_radix(pass))
            })
            .collect();
        let hex = [row.streams.reads, row.streams.tables, row.streams.records];
        let hex = hex.map(|mask| format!("{mask:02x}"));
        let _ = writeln!(
            text,
            "    Tuned::measured([{}, {}], &[{}], ({}, {}), 0x{}_{}_{}, {}),",
            row.log2_points,
            row.batch,
            radices.join(", "),
            row.qpus,
            row.one_launch,
            hex[0],
            hex[1],
            hex[2],
            row.cycles
        );
    }
    let marks = [("Q + ", "QUAD as Q"), ("S + ", "SHARED as S")];
    let marks: Vec<_> = marks
        .iter()
        .filter(|(mark, _)| text.contains(mark))
        .map(|(_, name)| *name)
        .collect();
    let marks = match &marks[..] {
        [] => String::new(),
        [mark] => format!("use crate::fft::split::{mark};\n"),
        marks => format!("use crate::fft::split::{{{}}};\n", marks.join(", ")),
    };
    let text = format!(
        "//! The fastest splits and their V3D clocks: written by `cargo xtask tune {option} --write`.\n//!\n\
         //! Simulated: preset {}, second run, forward, {how} cleared before each launch.\n\
         //! Clocks of 0 were never measured.\n\n\
         use super::Tuned;\n{marks}\n\
         /// By length, then batch.\n#[rustfmt::skip]\npub const TUNED: &[Tuned] = &[\n{text}];\n",
        board.name()
    );
    // `cargo run` says where the package lies, which in a copy that kept its times is not where it
    // was compiled.
    let here = std::env::var_os("CARGO_MANIFEST_DIR");
    let here = here.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let path = Path::new(&here).join("../src/fft/planner/tuned").join(file);
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(())
}
