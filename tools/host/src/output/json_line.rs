//! One spectrum as a JSON object on one line.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::place::SinkPlace;
use super::settings::settings;
use super::sink::{ShownLines, SinkRecord, SpectrumFormat, SpectrumSink};
use crate::lines::Line;
use crate::spectrum::{Spectrum, decibels};
use common::failure::Result;
use common::say;

/// The format of lines of JSON.
#[derive(Debug)]
pub struct JsonLinesFormat;

impl SpectrumFormat for JsonLinesFormat {
    fn name(&self) -> &'static str {
        "json"
    }

    fn read_help(&self) -> Option<&'static str> {
        Some("One JSON object a line each")
    }

    fn is_printed(&self) -> bool {
        true
    }

    fn shown_lines(&self) -> ShownLines {
        ShownLines::OfAll
    }

    fn open(&self, _: &mut SinkPlace<'_>, _: &SinkRecord<'_>) -> Result<Box<dyn SpectrumSink>> {
        Ok(Box::new(Self))
    }
}

impl SpectrumSink for JsonLinesFormat {
    fn put(&mut self, record: &SinkRecord<'_>, _: &mut SinkPlace<'_>) -> Result<()> {
        say::json(&json_line(record.spectrum, record.lines))
    }

    fn finish(self: Box<Self>, _: &mut SinkPlace<'_>) -> Result<()> {
        Ok(())
    }
}

/// The value of a field.
#[derive(Serialize)]
#[serde(untagged)]
enum JsonField<'a> {
    Small(Value),
    /// Thousands of levels are written as they are computed.
    Levels(#[serde(serialize_with = "levels")] &'a [f64]),
}

/// Writes the levels of powers in dB with four decimals; lost bins are null.
fn levels<S: Serializer>(powers: &[f64], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_seq(powers.iter().map(|power| {
        let level = decibels(*power);
        level.is_finite().then(|| (level * 1e4).round() / 1e4)
    }))
}

/// One spectrum as a JSON object on one line; lost bins are null.
pub(super) fn json_line(spectrum: &Spectrum, lines: &[Line]) -> String {
    let mut object = settings(spectrum);
    object["device_time_us"] = json!(spectrum.device_us);
    object["record"] = json!(spectrum.record);
    object["first_bin"] = json!(spectrum.first_bin);
    object["bin_hz"] = json!(spectrum.bin_hz());
    object["lines"] = json!(lines);
    let small = object.as_object_mut().map(std::mem::take);
    let small = small.into_iter().flatten();
    // In the order in which `serde_json` has the fields of an object: that of the alphabet.
    let mut fields: BTreeMap<String, JsonField> = small
        .map(|(name, value)| (name, JsonField::Small(value)))
        .collect();
    fields.insert("levels".to_owned(), JsonField::Levels(&spectrum.power));
    if let Some(greatest) = &spectrum.greatest {
        fields.insert("levels_max".to_owned(), JsonField::Levels(greatest));
    }
    // Names and numbers can always be written.
    serde_json::to_string(&fields).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;

    /// The object made of values.
    fn by_values(spectrum: &Spectrum, lines: &[Line]) -> String {
        let text = json_line(spectrum, lines);
        let mut object: Value = serde_json::from_str(&text).expect("JSON");
        let level = |power: &f64| match decibels(*power) {
            level if level.is_finite() => json!((level * 1e4).round() / 1e4),
            _ => Value::Null,
        };
        object["levels"] = spectrum.power.iter().map(level).collect();
        if let Some(greatest) = &spectrum.greatest {
            object["levels_max"] = greatest.iter().map(level).collect();
        }
        format!("{object}\n")
    }

    #[test]
    fn the_text_is_that_of_an_object_of_values() {
        let mut spectrum = example(64, false);
        spectrum.power[3] = f64::NAN;
        spectrum.power[4] = 0.0;
        spectrum.power[5] = 1.0;
        spectrum.power[6] = f64::INFINITY;
        let lines = crate::lines::strongest(&spectrum, 2);
        assert_eq!(json_line(&spectrum, &lines), by_values(&spectrum, &lines));
        spectrum.greatest = Some(spectrum.power.iter().map(|power| power * 3.0).collect());
        assert_eq!(json_line(&spectrum, &lines), by_values(&spectrum, &lines));
    }

    #[test]
    fn json_lines_are_objects_and_lost_bins_null() {
        let mut spectrum = example(16, true);
        spectrum.power[0] = f64::NAN;
        let text = json_line(&spectrum, &[]);
        let value: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["levels"].as_array().map(Vec::len), Some(16));
        assert!(value["levels"][0].is_null());
        assert_eq!(value["sample_rate"]["num"], 48_000);
        assert_eq!(value["engine"], "qpu");
    }
}
