//! Levels of all records as an array that `numpy.load` reads, and a file of JSON that says what
//! they are.
//!
//! The array has a row for each record and a column for each bin, in dB as f32. Where records have
//! the greatest of each bin beside the mean, it has three dimensions: record, detector, bin. Its
//! length stands at its head and is known at the end, when the head is written once more.

use std::path::Path;

use serde_json::json;

use super::place::{OF_ALL, SinkPlace};
use super::settings::settings;
use super::sink::{SinkRecord, SpectrumFormat, SpectrumSink};
use super::times::Times;
use crate::spectrum::{Spectrum, decibels};
use common::failure::Result;
use common::files::output::Output;

/// The format of arrays.
#[derive(Debug)]
pub(super) struct NpyFormat;

impl SpectrumFormat for NpyFormat {
    fn name(&self) -> &'static str {
        "npy"
    }

    fn read_help(&self) -> Option<&'static str> {
        Some("An array of all for NumPy, and a description in JSON")
    }

    fn fft_help(&self) -> Option<&'static str> {
        Some("An array for NumPy, and a description in JSON")
    }

    fn endings(&self) -> &'static [&'static str] {
        &["npy", "json"]
    }

    fn open(
        &self,
        place: &mut SinkPlace<'_>,
        first: &SinkRecord<'_>,
    ) -> Result<Box<dyn SpectrumSink>> {
        let [array, words] = [place.name(OF_ALL, "npy")?, place.name(OF_ALL, "json")?];
        let npy = Npy::create(&array, &words, first.spectrum, first.times)?;
        Ok(Box::new(npy))
    }
}

impl SpectrumSink for Npy {
    fn put(&mut self, record: &SinkRecord<'_>, _: &mut SinkPlace<'_>) -> Result<()> {
        self.push(record.spectrum, record.times)
    }

    fn finish(self: Box<Self>, _: &mut SinkPlace<'_>) -> Result<()> {
        (*self).finish()
    }
}

/// An array that is being written, and its description.
struct Npy {
    array: Output,
    words: Output,
    rows: u64,
    /// Those behind the number of rows.
    shape: Vec<u64>,
}

impl Npy {
    /// Begins both files for records like this one.
    ///
    /// # Errors
    /// When one cannot be written.
    fn create(array: &Path, words: &Path, first: &Spectrum, times: &Times) -> Result<Self> {
        let bins = first.power.len();
        let mut object = settings(first);
        // Those of a single record stand with the others behind.
        for of_record in [
            "averages",
            "counters",
            "doubt",
            "duty",
            "engine_fallback",
            "plan_replaced",
        ] {
            object
                .as_object_mut()
                .and_then(|object| object.remove(of_record));
        }
        let name = array.file_name().unwrap_or_default().to_string_lossy();
        let parts = first.detector.parts();
        let mut shape = vec![bins as u64];
        if parts.len() > 1 {
            shape.insert(0, parts.len() as u64);
        }
        let columns = match parts {
            [_] => json!("bins"),
            parts => {
                let names: Vec<_> = parts.iter().map(|part| part.name()).collect();
                json!({ "detectors": names, "of_each": "bins" })
            }
        };
        object["array"] = json!({
            "file": name,
            "dtype": "<f4",
            "rows": "records",
            "columns": columns,
            "values": format!("levels in {}; NaN where a value was lost", first.level_unit()),
        });
        object["first_bin"] = json!(first.first_bin);
        object["bins"] = json!(bins);
        object["first_hz"] = json!(first.frequency_hz(0));
        object["bin_hz"] = json!(first.bin_hz());
        object["start_utc"] = json!(times.zero.map(|zero| zero.to_string()));
        object["record_columns"] = json!(COLUMNS);
        let text = format!("{object:#}");
        // The list of records is the last field.
        let open = text.strip_suffix('}').unwrap_or(&text).trim_end();
        let mut npy = Self {
            array: Output::create(array)?,
            words: Output::create(words)?,
            rows: 0,
            shape,
        };
        npy.array.put(&npy.head())?;
        let open = common::text::json(open);
        npy.words
            .put(format!("{open},\n  \"records\": [").as_bytes())?;
        Ok(npy)
    }

    /// The head of the array so far. It has 128 bytes for any number of records.
    fn head(&self) -> Vec<u8> {
        let shape: Vec<_> = [self.rows].into_iter().chain(self.shape.clone()).collect();
        crate::npy::encode("<f4", &shape)
    }

    /// Adds a record.
    ///
    /// # Errors
    /// When it cannot be written.
    fn push(&mut self, spectrum: &Spectrum, times: &Times) -> Result<()> {
        let level = |power: &f64| (decibels(*power) as f32).to_le_bytes();
        let row: Vec<u8> = spectrum.powers().flat_map(level).collect();
        self.array.put(&row)?;
        let [from_s, to_s] = times.seconds(spectrum);
        let record = json!([
            from_s,
            to_s,
            spectrum.record,
            spectrum.averages,
            spectrum.counters.clipped,
            spectrum.counters.dropped_records,
            spectrum.duty_ppm.map(|ppm| f64::from(ppm) / 1e6),
        ]);
        let comma = if self.rows > 0 { "," } else { "" };
        self.rows += 1;
        self.words.put(format!("{comma}\n    {record}").as_bytes())
    }

    /// Gives both files their names.
    ///
    /// # Errors
    /// When the rest cannot be written.
    fn finish(mut self) -> Result<()> {
        self.words.put(b"\n  ]\n}\n")?;
        self.array.rewind()?;
        let head = self.head();
        self.array.put(&head)?;
        self.array.finish()?;
        self.words.finish()
    }
}

/// The fields of a record in the description.
const COLUMNS: [&str; 7] = [
    "from_s", "to_s", "record", "averages", "clipped", "dropped", "duty",
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_head_has_the_same_length_for_any_number_of_records() {
        for shape in [
            &[0, 1][..],
            &[1, 9],
            &[u64::MAX, 1 << 22],
            &[u64::MAX, 2, 1 << 22],
        ] {
            assert_eq!(crate::npy::encode("<f4", shape).len(), 128, "{shape:?}");
        }
    }
}
