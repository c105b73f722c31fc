//! One spectrum as a JSON object on one line.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::settings;
use crate::lines::Line;
use crate::spectrum::{Spectrum, decibels};

/// The value of a field.
#[derive(Serialize)]
#[serde(untagged)]
enum JsonField<'a> {
    Small(Value),
    /// Thousands of levels are written as they are computed.
    Levels(#[serde(serialize_with = "levels")] &'a [f64]),
}

/// Writes the levels of powers in dB with four decimals; lost bins are null.
fn levels<S: Serializer>(powers: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(powers.iter().map(|power| {
        let level = decibels(*power);
        level.is_finite().then(|| (level * 1e4).round() / 1e4)
    }))
}

/// One spectrum as a JSON object on one line; lost bins are null.
#[must_use]
pub fn json_line(spectrum: &Spectrum, lines: &[Line]) -> String {
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
}
