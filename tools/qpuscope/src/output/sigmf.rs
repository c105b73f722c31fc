//! SigMF: the lines of all records as annotations of the recording that they were found in.
//!
//! The file describes the recording (rate, centre, time), and marks each line from the first sample
//! of its record to the last, as wide as a line of the window is. It comes without samples, which
//! `core:metadata_only` says. Source: SigMF 1.2, "Global", "Captures" and "Annotations Objects".

use std::path::Path;

use serde_json::{Value, json};

use crate::failure::Result;
use crate::files::output::Output;
use crate::input::Annotation;
use crate::lines::{Line, PRECISION_BINS};
use crate::quantity::frequency_by;
use crate::spectrum::Spectrum;
use crate::utc::Utc;

/// The version of the specification.
const VERSION: &str = "1.2.0";

/// A recording as SigMF names it.
#[derive(Clone, PartialEq, Debug)]
pub struct Recorded {
    /// The format of its samples: `cu8`, `ri16_le`.
    pub datatype: String,
    /// Its name in words.
    pub name: String,
    /// When its first sample was taken, where that is known.
    pub start: Option<Utc>,
    /// Annotations that it came with, which are kept.
    pub annotations: Vec<Annotation>,
}

/// A file of annotations that is being written.
pub struct Sigmf {
    file: Output,
    /// Annotations so far.
    count: u64,
    /// Annotations of the recording that come behind them, the first last.
    kept: Vec<Annotation>,
}

impl Sigmf {
    /// Begins a file for lines of a recording, of records like this one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(path: &Path, recorded: &Recorded, first: &Spectrum) -> Result<Self> {
        let global = json!({
            "core:datatype": recorded.datatype,
            "core:version": VERSION,
            "core:sample_rate": first.rate.to_hz(),
            "core:metadata_only": true,
            "core:description": format!("lines in spectra of {}", recorded.name),
            "core:recorder": program(),
        });
        let mut capture = json!({ "core:sample_start": 0 });
        if first.complex {
            capture["core:frequency"] = json!(first.centre_hz);
        }
        if let Some(start) = recorded.start {
            capture["core:datetime"] = json!(start.to_string());
        }
        let head = format!(
            "{{\n  \"global\": {global:#},\n  \"captures\": [{capture}],\n  \"annotations\": ["
        );
        let mut file = Output::create(path)?;
        file.put(crate::text::json(&head).as_bytes())?;
        let mut kept = recorded.annotations.clone();
        kept.sort_by_key(|annotation| std::cmp::Reverse(annotation.start));
        Ok(Self {
            file,
            count: 0,
            kept,
        })
    }

    /// Marks the lines of a record.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn push(&mut self, spectrum: &Spectrum, lines: &[Line]) -> Result<()> {
        // The specification wants them in the order of samples.
        self.put_kept(spectrum.first_sample)?;
        let mut annotations = lines.iter().map(|line| annotation(spectrum, line));
        annotations.try_for_each(|annotation| self.put(&annotation))
    }

    /// Writes what came with the recording and begins up to a sample.
    fn put_kept(&mut self, until: u64) -> Result<()> {
        while let Some(next) = self.kept.pop_if(|next| next.start <= until) {
            self.put(&kept(&next))?;
        }
        Ok(())
    }

    fn put(&mut self, annotation: &Value) -> Result<()> {
        let comma = if self.count > 0 { "," } else { "" };
        self.count += 1;
        let text = format!("{comma}\n    {annotation}");
        self.file.put(crate::text::json(&text).as_bytes())
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When the rest cannot be written.
    pub fn finish(mut self) -> Result<()> {
        self.put_kept(u64::MAX)?;
        self.file.put(b"\n  ]\n}\n")?;
        self.file.finish()
    }
}

fn program() -> &'static str {
    concat!("qpuscope ", env!("CARGO_PKG_VERSION"))
}

/// An annotation of the recording.
fn kept(annotation: &Annotation) -> Value {
    let mut object = json!({
        "core:sample_start": annotation.start,
        "core:label": annotation.label,
    });
    if let Some(count) = annotation.count {
        object["core:sample_count"] = json!(count);
    }
    if let (Some(low), Some(high)) = (annotation.low_hz, annotation.high_hz) {
        object["core:freq_lower_edge"] = json!(low);
        object["core:freq_upper_edge"] = json!(high);
    }
    object
}

/// A line of a record.
fn annotation(spectrum: &Spectrum, line: &Line) -> Value {
    let half = spectrum.enbw_bins / 2.0 * spectrum.bin_hz();
    json!({
        "core:sample_start": spectrum.first_sample,
        "core:sample_count": spectrum.samples(),
        "core:freq_lower_edge": line.frequency - half,
        "core:freq_upper_edge": line.frequency + half,
        "core:label": frequency_by(line.frequency, PRECISION_BINS * spectrum.bin_hz()),
        "core:comment": format!("{:.2} {}", line.level, spectrum.level_unit()),
        "core:generator": program(),
    })
}
