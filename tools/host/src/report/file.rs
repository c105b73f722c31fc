//! The file that `qpuscope report` writes: one JSON object with a checksum.
//!
//! Numbers are whole, so that the same board gives the same bytes. The checksum is the CRC-32 of
//! the object without spaces and with an empty `checksum`, in hexadecimal. Only `created_unix` is a
//! time of day.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::client::Trial;
use common::failure::{Failure, Result};
use common::text::quote;

/// The `format` of every report.
const FORMAT: &str = "qpuscope-report";
/// The version of the format.
const VERSION: u64 = 1;

/// A report.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// `qpuscope-report`.
    pub format: String,
    /// Version of the format.
    pub version: u64,
    /// Version of the program that wrote it.
    pub tool: String,
    /// Seconds since 1970 when it was written: the only time of day.
    pub created_unix: u64,
    /// The board.
    pub board: Board,
    /// The times of its start, where the firmware says them.
    pub boot_us: Option<Boot>,
    /// Clocks, at the beginning and at the end.
    pub clocks: Vec<ClockSample>,
    /// QPUs in the order in which they get programs, where there are QPUs.
    pub launch_order: Option<Vec<u8>>,
    /// Microbenchmarks.
    pub measurements: Vec<Measurement>,
    /// Each plan's proof.
    pub plans: Vec<PlanProof>,
    /// Rates of the line.
    pub line: Vec<Trial>,
    /// Properties of the generator's spectra.
    pub load: Load,
    /// Bytes of the firmware's stack that were never used, after all else; where the firmware says
    /// them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack_left_bytes: Option<u32>,
    /// Looks at live inputs, where they were asked for. A report without has no such key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub live: Vec<LiveInput>,
    /// Facts that could not be found out, and why.
    pub notes: Vec<String>,
    /// CRC-32 of everything else.
    pub checksum: String,
}

/// A plan of the QPUs, held to the ARM on the board.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanProof {
    /// Points of a block.
    pub n: u32,
    /// `transform`, in both directions, or what samples powers are made of: `real-f32`, `iq-u8` and
    /// so on.
    pub kind: String,
    /// `fastest` or `conservative`.
    pub plan: String,
    /// `right`, `wrong`, `failed`, or `missing` where there is no such plan.
    pub verdict: String,
    /// Relative difference from the ARM, in parts of a million, where it is known.
    pub ppm: Option<f64>,
    /// Time on the QPUs in microseconds.
    pub us: u32,
}

/// The board's description of itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Its name.
    pub name: String,
    /// Its revision.
    pub revision: u32,
    /// Memory of the ARM in bytes.
    pub memory_bytes: u32,
    /// Version of the firmware.
    pub firmware: String,
    /// Engine in use.
    pub engine: String,
    /// Why it last started.
    pub reset_cause: String,
    /// ARM's clock in Hz at the start; 0: not known.
    pub arm_hz: u32,
    /// The VideoCore's.
    pub core_hz: u32,
    /// V3D's.
    pub v3d_hz: u32,
    /// The UART's.
    pub uart_hz: u32,
    /// `key=value` words.
    pub capabilities: String,
}

/// Times of the start in microseconds since the reset of the system timer; 0: not reached.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boot {
    /// The image's first instructions.
    pub entry: u32,
    /// The first line of text.
    pub greeting: u32,
    /// V3D is up.
    pub v3d: u32,
    /// The first spectrum.
    pub first_spectrum: u32,
}

/// Clocks at one moment, in Hz: as stated, and as measured.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockSample {
    /// `start` or `after load`.
    pub when: String,
    /// The ARM's.
    pub arm: [u32; 2],
    /// The VideoCore's.
    pub core: [u32; 2],
    /// V3D's.
    pub v3d: [u32; 2],
    /// The UART's.
    pub uart: [u32; 2],
    /// Thousandths of a degree Celsius.
    pub temperature: u32,
}

/// The result of a microbenchmark.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measurement {
    /// Its name.
    pub name: String,
    /// Microseconds that all of it took.
    pub elapsed_us: u32,
    /// Times, where it is one of those that are timed.
    pub times: Option<OperationTimes>,
    /// Words, where it is not.
    pub words: Option<Vec<u32>>,
}

/// Times of a microbenchmark.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperationTimes {
    /// Operations of a repetition.
    pub operations: u32,
    /// Few repetitions, and many.
    pub repetitions: [u32; 2],
    /// Microseconds of runs with few, and with many.
    pub us: [Vec<u32>; 2],
}

impl OperationTimes {
    /// Microseconds of one operation; `None` where the times say nothing.
    #[must_use]
    pub fn us_per_operation(&self) -> Option<f64> {
        let [few, many] = self.means()?;
        let repetitions = self.repetitions[1].checked_sub(self.repetitions[0])?;
        let operations = f64::from(repetitions) * f64::from(self.operations);
        (operations > 0.0 && many > few).then(|| (many - few) / operations)
    }

    /// The standard deviation of [`OperationTimes::us_per_operation`], relative to it, when each
    /// time has one of `noise`.
    #[must_use]
    pub fn uncertainty(&self, noise: f64) -> f64 {
        let Some([few, many]) = self.means() else {
            return f64::INFINITY;
        };
        let runs = self.us[0].len().min(self.us[1].len()) as f64;
        noise * few.hypot(many) / (many - few).max(f64::MIN_POSITIVE) / runs.sqrt()
    }

    fn means(&self) -> Option<[f64; 2]> {
        let mean = |us: &[u32]| {
            let sum: f64 = us.iter().map(|&us| f64::from(us)).sum();
            (!us.is_empty()).then(|| sum / us.len() as f64)
        };
        Some([mean(&self.us[0])?, mean(&self.us[1])?])
    }
}

/// The stream of the generator that kept the board busy.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// The duration in seconds.
    pub seconds: u32,
    /// Spectra that came.
    pub spectra: u64,
    /// Bytes lost meanwhile.
    pub lost_bytes: u64,
}

/// A look at a live input, `qpuscope probe`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiveInput {
    /// `i2s` or `smi`.
    pub input: String,
    /// Sentences that say that something is wrong.
    pub troubles: u8,
    /// Samples a second in thousandths of a hertz, where they were measured.
    pub rate_millihertz: Option<u64>,
    /// All sentences, those about what is wrong first.
    pub sentences: Vec<String>,
}

impl Report {
    /// An empty report of a board.
    #[must_use]
    pub fn new(board: Board, created_unix: u64) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            tool: env!("CARGO_PKG_VERSION").to_owned(),
            created_unix,
            board,
            boot_us: None,
            clocks: vec![],
            launch_order: None,
            measurements: vec![],
            plans: vec![],
            line: vec![],
            load: Load::default(),
            stack_left_bytes: None,
            live: vec![],
            notes: vec![],
            checksum: String::new(),
        }
    }

    /// The measurement of that name.
    #[must_use]
    pub fn measurement(&self, name: &str) -> Option<&Measurement> {
        self.measurements
            .iter()
            .find(|measurement| measurement.name == name)
    }

    /// The microbenchmarks that were timed: name, [`OperationTimes::us_per_operation`] and, where
    /// each time has the deviation `noise`, [`OperationTimes::uncertainty`].
    pub fn timed(&self, noise: f64) -> impl Iterator<Item = (&str, Option<f64>, f64)> {
        self.measurements.iter().filter_map(move |measurement| {
            let times = measurement.times.as_ref()?;
            let us = times.us_per_operation();
            Some((&*measurement.name, us, times.uncertainty(noise)))
        })
    }

    /// The text of the file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let sealed = Self {
            checksum: self.sum(),
            ..self.clone()
        };
        // Strings and numbers only: nothing of it can fail.
        serde_json::to_string_pretty(&sealed).unwrap_or_default() + "\n"
    }

    fn sum(&self) -> String {
        let unsealed = Self {
            checksum: String::new(),
            ..self.clone()
        };
        let text = serde_json::to_string(&unsealed).unwrap_or_default();
        format!("{:08x}", wire::crc32(text.as_bytes()))
    }

    /// Reads the text of a file; `name` is for messages.
    ///
    /// # Errors
    /// Usage, with what to do: another file, one of another version, one that was cut or changed.
    pub fn parse(text: &str, name: &str) -> Result<Self> {
        let damaged = || {
            Failure::usage(format!(
                "{name} was cut or changed: its checksum does not hold; send it again as a file, or write it anew with \
                 `qpuscope report`"
            ))
        };
        let begins_as_one = text.contains(&format!("\"{FORMAT}\""));
        let value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(_) if begins_as_one => return Err(damaged()),
            Err(_) => return Err(Self::is_none(name)),
        };
        if value["format"] != FORMAT {
            return Err(Self::is_none(name));
        }
        if value["version"] != VERSION {
            return Err(Failure::usage(format!(
                "{name} is a report of version {}, and this program reads version {VERSION}: use the qpuscope that wrote it \
                 ({}), or write it anew with this one",
                quote(&value["version"].to_string()),
                quote(value["tool"].as_str().unwrap_or("of no known version"))
            )));
        }
        let report: Self = serde_json::from_value(value).map_err(|_| damaged())?;
        if report.checksum == report.sum() {
            Ok(report)
        } else {
            Err(damaged())
        }
    }

    fn is_none(name: &str) -> Failure {
        Failure::usage(format!(
            "{name} is no report: write one with `qpuscope report PORT -o FILE`, and give that file"
        ))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn board() -> Board {
        Board {
            name: "Raspberry Pi 1 B".into(),
            revision: 14,
            memory_bytes: 1 << 29,
            firmware: "0.1.0".into(),
            engine: "qpu".into(),
            reset_cause: "power on".into(),
            arm_hz: 700_000_000,
            core_hz: 250_000_000,
            v3d_hz: 250_000_000,
            uart_hz: 48_000_000,
            capabilities: "protocol=1.0".into(),
        }
    }

    #[test]
    fn a_file_comes_back_as_it_was() {
        let report = Report::new(board(), 1);
        let text = report.to_text();
        let back = Report::parse(&text, "it").expect("whole");
        assert_eq!(back.to_text(), text);
    }

    #[test]
    fn a_report_without_live_inputs_has_the_bytes_of_older_ones() {
        let mut report = Report::new(board(), 1);
        assert!(!report.to_text().contains("live"));
        report.live.push(LiveInput {
            input: "i2s".into(),
            troubles: 1,
            rate_millihertz: None,
            sentences: vec!["no clock on GPIO 18".into()],
        });
        let back = Report::parse(&report.to_text(), "it").expect("whole");
        assert_eq!(back.live, report.live);
    }

    #[test]
    fn files_that_are_none_are_refused_in_a_sentence() {
        let text = Report::new(board(), 1).to_text();
        let cases = [
            (text[..text.len() / 2].to_owned(), "was cut or changed"),
            (text.replace("700000000", "700000001"), "was cut or changed"),
            (text.replace("\"notes\"", "\"nodes\""), "was cut or changed"),
            (
                text.replace("\"version\": 1", "\"version\": 2"),
                "version 2",
            ),
            (String::new(), "is no report"),
            ("{}".to_owned(), "is no report"),
            ("[1, 2".to_owned(), "is no report"),
            ("\u{7f}ELF\0\u{1}".to_owned(), "is no report"),
        ];
        for (text, part) in cases {
            let failure = Report::parse(&text, "it").expect_err("refused");
            assert!(failure.message.contains(part), "{failure}");
            assert_eq!(failure.exit, common::failure::Exit::Usage);
        }
    }

    #[test]
    fn starts_cancel_and_runs_make_noise_small() {
        let times = OperationTimes {
            operations: 5,
            repetitions: [10, 60],
            us: [vec![119, 121], vec![220, 220]],
        };
        assert_eq!(times.us_per_operation(), Some(0.4));
        let uncertainty = times.uncertainty(0.02);
        assert!((uncertainty - 0.02 * 250.6 / 100.0 / 2f64.sqrt()).abs() < 1e-4);
        let nothing = OperationTimes {
            us: [vec![], vec![]],
            ..times
        };
        assert_eq!(nothing.us_per_operation(), None);
    }
}
