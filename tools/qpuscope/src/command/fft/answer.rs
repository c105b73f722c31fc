//! The answer of `fft --json`: one object about all records of all channels.
//!
//! Of each record its lines and counters are kept, and no spectrum. The strongest lines of all are
//! found at the end: a line that several records of a channel have is listed once, from the record
//! in which it is strongest.

use serde::Serialize;
use serde_json::{Value, json};

use host::lines::Line;
use host::output;
use host::spectrum::{Counters, Engine, Spectrum};

/// A record without its spectrum.
#[derive(Serialize)]
struct RecordAnswer {
    record: u32,
    /// The channel's name; none where there is one.
    channel: Option<String>,
    first_sample: u64,
    samples: u64,
    averages: u32,
    engine: &'static str,
    engine_fallback: bool,
    plan_replaced: bool,
    doubt: Value,
    counters: Counters,
    lines: Vec<Line>,
}

/// A line with the place where it is strongest.
#[derive(Serialize)]
struct PlacedLine<'a> {
    #[serde(flatten)]
    line: &'a Line,
    record: u32,
    channel: Option<&'a str>,
}

/// The records so far.
pub(super) struct RecordingAnswer {
    /// The fields that all records share.
    settings: Value,
    /// The width of a bin in hertz.
    bin_hz: f64,
    counters: Counters,
    records: Vec<RecordAnswer>,
}

impl RecordingAnswer {
    /// The answer for the first record of a recording of this name.
    pub(super) fn begin(name: &str, has_channels: bool, spectrum: &Spectrum) -> Self {
        let mut settings = output::settings(spectrum);
        if has_channels {
            settings["source"] = json!(name);
        }
        Self {
            settings,
            bin_hz: spectrum.bin_hz(),
            counters: Counters::NOTHING,
            records: vec![],
        }
    }

    /// Takes in a record and its lines.
    pub(super) fn take(&mut self, channel: &str, spectrum: &Spectrum, lines: Vec<Line>) {
        self.counters.add(&spectrum.counters);
        // What is true of one record is true of the whole.
        for (key, is_so) in [
            ("engine_fallback", spectrum.fallback),
            ("plan_replaced", spectrum.replaced),
        ] {
            if is_so {
                self.settings[key] = json!(true);
            }
        }
        let doubt = spectrum
            .doubt
            .map(|doubt| json!({ "from": doubt.from, "until": doubt.until }));
        if let Some(doubt) = &doubt {
            self.settings["doubt"] = doubt.clone();
        }
        if spectrum.engine == Engine::Cpu {
            self.settings["engine"] = json!(spectrum.engine.name());
        }
        self.records.push(RecordAnswer {
            record: spectrum.record,
            channel: Some(channel.to_owned()).filter(|name| !name.is_empty()),
            first_sample: spectrum.first_sample,
            samples: spectrum.samples(),
            averages: spectrum.averages,
            engine: spectrum.engine.name(),
            engine_fallback: spectrum.fallback,
            plan_replaced: spectrum.replaced,
            doubt: json!(doubt),
            counters: spectrum.counters,
            lines,
        });
    }

    /// The object, with up to so many lines.
    pub(super) fn object(&self, count: usize) -> Value {
        let mut object = self.settings.clone();
        object["lines"] = json!(self.strongest(count));
        object["counters"] = json!(self.counters);
        object["records"] = json!(self.records);
        object["spectra"] = json!(self.records.len());
        object
    }

    /// Up to so many lines of all records and channels, strongest first.
    fn strongest(&self, count: usize) -> Vec<PlacedLine<'_>> {
        let lines = self.records.iter().flat_map(|record| {
            record.lines.iter().map(|line| PlacedLine {
                line,
                record: record.record,
                channel: record.channel.as_deref(),
            })
        });
        let mut lines: Vec<_> = lines.collect();
        // Of equal ones the first.
        lines.sort_by(|one, other| other.line.level.total_cmp(&one.line.level));
        let mut strongest: Vec<PlacedLine> = vec![];
        for line in lines {
            if strongest.len() == count {
                break;
            }
            let is_known = strongest.iter().any(|known| {
                let distance_hz = known.line.frequency - line.line.frequency;
                known.channel == line.channel && distance_hz.abs() < self.bin_hz
            });
            if !is_known {
                strongest.push(line);
            }
        }
        strongest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use host::example::example;
    use host::lines::strongest;

    /// A record of 1024 points with lines at bins.
    fn record(record: u32, lines: &[(usize, f64)], clipped: u64) -> Spectrum {
        let mut spectrum = example(1024, false);
        spectrum.record = record;
        spectrum.power.fill(1e-9);
        for (bin, power) in lines {
            spectrum.power[*bin] = *power;
        }
        spectrum.counters.clipped = Some(clipped);
        spectrum.counters.clamped = 2;
        spectrum
    }

    fn answer(records: &[(&str, Spectrum)]) -> Value {
        let mut answer = RecordingAnswer::begin("a.wav", true, &records[0].1);
        for (channel, spectrum) in records {
            answer.take(channel, spectrum, strongest(spectrum, 5));
        }
        answer.object(3)
    }

    #[test]
    fn lines_are_the_strongest_of_all_records_and_channels() {
        let object = answer(&[
            ("left", record(0, &[], 0)),
            ("left", record(1, &[(100, 0.01), (300, 1e-4)], 0)),
            ("left", record(2, &[(100, 0.04)], 0)),
            ("right", record(0, &[(100, 0.02)], 0)),
        ]);
        let lines = object["lines"].as_array().expect("lines");
        let of = |line: &Value| {
            let number = |key: &str| line[key].as_i64().expect(key);
            let channel = line["channel"].as_str().expect("a channel").to_owned();
            (number("bin"), number("record"), channel)
        };
        let found: Vec<_> = lines.iter().map(of).collect();
        let wanted = [(100, 2, "left"), (100, 0, "right"), (300, 1, "left")];
        assert_eq!(
            found,
            wanted.map(|(bin, record, name)| (bin, record, name.to_owned()))
        );
        assert_eq!(object["source"], "a.wav");
        assert_eq!(object["spectra"], 4);
        let own = &object["records"][1];
        assert_eq!(
            (&own["record"], &own["channel"]),
            (&json!(1), &json!("left"))
        );
        assert_eq!(own["lines"].as_array().map(Vec::len), Some(2));
        assert_eq!(object["records"][0]["lines"], json!([]));
    }

    #[test]
    fn counters_are_sums_and_each_record_has_its_own() {
        let mut last = record(1, &[], 7);
        (last.fallback, last.engine) = (true, Engine::Cpu);
        let object = answer(&[("", record(0, &[], 5)), ("", last)]);
        assert_eq!(object["counters"]["clipped"], 12);
        assert_eq!(object["counters"]["clamped"], 4);
        let own = |key: &str| [0, 1].map(|at| object["records"][at][key].clone());
        assert_eq!(own("counters").map(|it| it["clipped"].clone()), [5, 7]);
        assert_eq!(own("channel"), [Value::Null, Value::Null]);
        assert_eq!(own("engine_fallback"), [false, true]);
        assert_eq!(
            (&object["engine"], &object["engine_fallback"]),
            (&json!("cpu"), &json!(true))
        );
    }
}
