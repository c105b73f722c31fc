//! SigMF: the lines of all records as annotations of the recording that they were found in.
//!
//! The file describes the recording (rate, centre, time), and marks each line from the first sample
//! of its record to the last, as wide as a line of the window is. It comes without samples, which
//! `core:metadata_only` says. Source: SigMF 1.2, "Global", "Captures" and "Annotations Objects".

use std::path::Path;

use serde_json::{Value, json};

use crate::failure::Result;
use crate::files::output::Output;
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
}

/// A file of annotations that is being written.
pub struct Sigmf {
    file: Output,
    annotations: u64,
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
        Ok(Self {
            file,
            annotations: 0,
        })
    }

    /// Marks the lines of a record.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn push(&mut self, spectrum: &Spectrum, lines: &[Line]) -> Result<()> {
        for line in lines {
            let comma = if self.annotations > 0 { "," } else { "" };
            let annotation = annotation(spectrum, line);
            self.file
                .put(format!("{comma}\n    {annotation}").as_bytes())?;
            self.annotations += 1;
        }
        Ok(())
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When the rest cannot be written.
    pub fn finish(mut self) -> Result<()> {
        self.file.put(b"\n  ]\n}\n")?;
        self.file.finish()
    }
}

fn program() -> &'static str {
    concat!("qpuscope ", env!("CARGO_PKG_VERSION"))
}

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
