//! `qpu bench`: what a transform of the CPU engine costs, in ARM instructions on the virtual
//! Pi.
//!
//! A guest image (package `guest-fft`) holds the very code of `dsp`, made by the firmware's
//! compiler with the firmware's flags, and beside it the crate microfft. The virtual Pi runs one
//! transform of it at a time, between two readings of the ARM's cycle counter. It counts
//! instructions: a board's time also depends on caches and on the latency of the VFP, which it does
//! not model.
//!
//! The accuracy is that of the points which the guest left in the board's memory, beside rustfft in
//! double precision.

use std::fmt::Write;
use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use dsp::{Direction, Plan, Radix};
use guest_fft::MICROFFT_MAX_LOG2;
use serde_json::{Value, json};

use common::failure::{Failure, Result};
use common::quantity::whole;
use common::say;
use workbench::guest::Guest;
use workbench::guest::transform::{Engine, Measurement, RADICES, Wanted, reference};
use workbench::transform::{direction, name};

/// Lengths when none is given: 2^4 to 2^16 points.
const LENGTHS_LOG2: std::ops::RangeInclusive<u32> = 4..=16;
/// The meaning of the numbers, wherever they are shown.
const COUNTED: &str = "instructions on the simulated ARM1176 of the virtual Pi, not time";

/// Options of `bench`.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "The numbers are instructions on the simulator, not time. What the QPUs take, in clocks, \
    is measured by `cargo xtask bench`."
)]
pub struct Options {
    /// The engine that computes
    #[arg(long, value_enum)]
    engine: Who,
    /// Stages of the transform; may be given several times (default: all, and the crate microfft)
    #[arg(long, value_parser = radix_parser(), value_name = "RADIX", value_delimiter = ',')]
    radix: Vec<Radix>,
    /// Points, 1 to 4194304; may be given several times (default: 16 to 65536)
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = whole::<u32>)]
    length: Vec<u32>,
    /// Precision; microfft has f32 only
    #[arg(long, value_enum, default_value_t = Precision::F32)]
    precision: Precision,
    /// The inverse transform
    #[arg(long)]
    inverse: bool,
    /// The guest's image (default: guest-fft.img in the folder target, where `cargo xtask guest`
    /// puts it)
    #[arg(long, env = "QPUSCOPE_GUEST_FFT", value_name = "FILE")]
    guest: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
enum Who {
    /// The ARM, on the virtual Pi
    #[value(alias = "arm")]
    Cpu,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
enum Precision {
    F32,
    F64,
}

impl Precision {
    const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}

/// The parser of `--radix`.
fn radix_parser() -> impl TypedValueParser<Value = Radix> {
    let names = RADICES.map(|(name, ..)| name);
    PossibleValuesParser::new(names).map(|given| {
        let named = RADICES.into_iter().find(|(name, ..)| *name == given);
        named.map_or(Radix::Mixed, |(_, radix, _)| radix)
    })
}

/// One transform, measured.
struct Row {
    log2n: u32,
    engine: Engine,
    measured: Measurement,
    /// Instructions of microfft for the same length.
    microfft: Option<u64>,
}

impl Row {
    /// Instructions per point and radix-2 stage.
    fn per_point_and_bit(&self) -> f64 {
        let steps = f64::from(self.log2n.max(1)) * f64::from(1u32 << self.log2n);
        self.measured.instructions as f64 / steps
    }

    fn ratio(&self) -> Option<f64> {
        let peer = self.microfft? as f64;
        Some(self.measured.instructions as f64 / peer)
    }

    fn stages(&self) -> Vec<u32> {
        let plan = match self.engine {
            Engine::Microfft => None,
            Engine::Single(radix) | Engine::Double(radix) => Plan::new(self.log2n, radix).ok(),
        };
        plan.map_or_else(Vec::new, |plan| {
            plan.log2_radices().iter().map(|bits| 1 << bits).collect()
        })
    }
}

/// Runs the transforms and prints what they took.
///
/// # Errors
/// Usage, when a length is none or there is no guest; integrity, when the guest fails.
pub fn run(options: &Options) -> Result<()> {
    let lengths = lengths(&options.length)?;
    let guest = Guest::load(options.guest.as_deref())?;
    let direction = direction(options.inverse);
    let mut radices = options.radix.clone();
    if radices.is_empty() {
        radices = RADICES.map(|(_, radix, _)| radix).to_vec();
    }
    let mut rows = vec![];
    for log2n in lengths {
        let expected = reference(log2n, direction);
        let measure = |engine| {
            let wanted = Wanted {
                engine,
                log2n,
                direction,
            };
            guest.transform(&wanted, &expected)
        };
        let peer = options.precision == Precision::F32 && (1..=MICROFFT_MAX_LOG2).contains(&log2n);
        let peer = peer.then(|| measure(Engine::Microfft)).transpose()?;
        let microfft = peer.as_ref().map(|peer| peer.instructions);
        for &radix in &radices {
            let engine = match options.precision {
                Precision::F32 => Engine::Single(radix),
                Precision::F64 => Engine::Double(radix),
            };
            rows.push(Row {
                log2n,
                engine,
                measured: measure(engine)?,
                microfft,
            });
        }
        rows.extend(peer.map(|measured| Row {
            log2n,
            engine: Engine::Microfft,
            measured,
            microfft,
        }));
    }
    let precision = options.precision.name();
    if options.json {
        return say::json(&format!("{:#}\n", object(&rows, direction, precision)));
    }
    say::data(&table(&rows, direction, precision))
}

/// log2 of the lengths.
fn lengths(points: &[u32]) -> Result<Vec<u32>> {
    if points.is_empty() {
        return Ok(LENGTHS_LOG2.collect());
    }
    let log2 = |points: &u32| {
        let fits = points.is_power_of_two() && points.ilog2() <= dsp::MAX_LOG2;
        fits.then(|| points.ilog2()).ok_or_else(|| {
            Failure::usage(format!(
                "--length {points} is not a power of two from 1 to {}; use {}",
                1u32 << dsp::MAX_LOG2,
                (1u32 << points.max(&1).ilog2()).min(1 << dsp::MAX_LOG2)
            ))
        })
    };
    points.iter().map(log2).collect()
}

fn table(rows: &[Row], direction: Direction, precision: &str) -> String {
    let mut out = format!(
        "{COUNTED}; {precision}, {}\n\
         error: relative rms of noise transformed, beside rustfft in f64; microfft: 0.6.0, radix 2, to 32768 points\n\
         {:>8}  {:<8}  {:<16}  {:>12}  {:>11}  {:>11}  {:>7}\n",
        name(direction),
        "points",
        "code",
        "stages",
        "instructions",
        "/ (N log2 N)",
        "of microfft",
        "error"
    );
    let mut last = None;
    for row in rows {
        if last.is_some_and(|log2n| log2n != row.log2n) {
            out.push('\n');
        }
        last = Some(row.log2n);
        let stages: Vec<String> = row.stages().iter().map(u32::to_string).collect();
        let stages = match (row.engine, row.log2n) {
            (Engine::Single(Radix::Two) | Engine::Double(Radix::Two), 1..) => {
                format!("{} of 2", row.log2n)
            }
            _ => stages.join(","),
        };
        let ratio = row
            .ratio()
            .map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        let _ = writeln!(
            out,
            "{:>8}  {:<8}  {stages:<16}  {:>12}  {:>12.1}  {ratio:>11}  {:>7.1e}",
            1u32 << row.log2n,
            row.engine.name(),
            row.measured.instructions,
            row.per_point_and_bit(),
            row.measured.error
        );
    }
    out
}

fn object(rows: &[Row], direction: Direction, precision: &str) -> Value {
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "points": 1u32 << row.log2n,
                "log2n": row.log2n,
                "code": row.engine.name(),
                "stages": row.stages(),
                "instructions": row.measured.instructions,
                "per_n_log2n": row.per_point_and_bit(),
                "of_microfft": row.ratio(),
                "error": row.measured.error,
            })
        })
        .collect();
    json!({
        "engine": "cpu",
        "simulated": true,
        "counted": COUNTED,
        "precision": precision,
        "direction": name(direction),
        "error": "relative rms beside rustfft in f64, uniform noise",
        "rows": rows,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_that_are_none_are_refused_with_one_that_is() {
        assert_eq!(lengths(&[]).unwrap(), LENGTHS_LOG2.collect::<Vec<_>>());
        assert_eq!(lengths(&[1, 64, 4_194_304]).unwrap(), [0, 6, 22]);
        for (points, needle) in [(0, "use 1"), (1000, "use 512"), (8_388_608, "use 4194304")] {
            let failure = lengths(&[points]).unwrap_err();
            assert!(failure.message.contains(needle), "{failure}");
        }
    }

    #[test]
    fn the_table_says_what_it_counts() {
        let row = |engine, instructions| Row {
            log2n: 4,
            engine,
            measured: Measurement {
                instructions,
                us: 1.0,
                error: 5e-8,
            },
            microfft: Some(1000),
        };
        let rows = [
            row(Engine::Single(Radix::Mixed), 500),
            row(Engine::Microfft, 1000),
        ];
        let text = table(&rows, Direction::Forward, "f32");
        assert!(text.contains("not time"), "{text}");
        assert!(text.contains("4,4") && text.contains("0.50"), "{text}");
        let object = object(&rows, Direction::Inverse, "f32");
        assert_eq!(object["rows"][0]["stages"], json!([4, 4]));
        assert_eq!(object["rows"][1]["of_microfft"], 1.0);
        assert!(object["counted"].as_str().unwrap().contains("not time"));
    }
}
