//! SigMF: the lines of all records as annotations of the recording that they were found in.
//!
//! The file marks each line from the first sample of its record to the last, as wide as a line of
//! the window is. Of a SigMF recording it is the own description with these annotations among its
//! others, so that it can take its place. Of another recording it says rate, centre and time, and
//! comes without samples, which `core:metadata_only` says. Source: SigMF 1.2, "Global", "Captures"
//! and "Annotations Objects".

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::options::SigmfRecording;
use super::place::{OF_ALL, SinkPlace};
use super::sink::{ShownLines, SinkRecord, SpectrumFormat, SpectrumSink};
use crate::input::OwnDescription;
use crate::lines::{Line, PRECISION_BINS};
use crate::spectrum::Spectrum;
use common::failure::{Failure, Result};
use common::files::output::Output;
use common::quantity::frequency_by;

/// The version of the specification.
const VERSION: &str = "1.2.0";
/// The name in `core:generator`, whatever the version behind it.
const PROGRAM: &str = "qpuscope ";

/// The format of annotations.
#[derive(Debug)]
pub(super) struct SigmfFormat;

impl SpectrumFormat for SigmfFormat {
    fn name(&self) -> &'static str {
        "sigmf"
    }

    fn fft_help(&self) -> Option<&'static str> {
        Some("The strongest lines as annotations of the recording")
    }

    fn endings(&self) -> &'static [&'static str] {
        &["sigmf-meta"]
    }

    fn shown_lines(&self) -> ShownLines {
        ShownLines::OfAll
    }

    fn open(
        &self,
        place: &mut SinkPlace<'_>,
        first: &SinkRecord<'_>,
    ) -> Result<Box<dyn SpectrumSink>> {
        let Some(recorded) = &place.wanted.recorded else {
            return Err(Failure::usage(
                "annotations need a recording; give another --format",
            ));
        };
        let path = place.name(OF_ALL, "sigmf-meta")?;
        Ok(Box::new(Sigmf::create(&path, recorded, first.spectrum)?))
    }
}

impl SpectrumSink for Sigmf {
    fn put(&mut self, record: &SinkRecord<'_>, _: &mut SinkPlace<'_>) -> Result<()> {
        self.push(record.spectrum, record.lines)
    }

    fn finish(self: Box<Self>, _: &mut SinkPlace<'_>) -> Result<()> {
        (*self).finish()
    }
}

/// A file of annotations that is being written.
struct Sigmf {
    file: Output,
    /// Annotations so far.
    count: u64,
    own: Option<Arc<OwnDescription>>,
    /// Annotations of the own description so far.
    kept: usize,
}

impl Sigmf {
    /// Begins a file for lines of a recording, of records like this one.
    ///
    /// # Errors
    /// When it cannot be written.
    fn create(path: &Path, recorded: &SigmfRecording, first: &Spectrum) -> Result<Self> {
        let mut file = Output::create(path)?;
        match &recorded.own {
            Some(own) => file.put(own.head().as_bytes())?,
            None => file.put(common::text::json(&head(recorded, first)).as_bytes())?,
        }
        Ok(Self {
            file,
            count: 0,
            own: recorded.own.clone(),
            kept: 0,
        })
    }

    /// Marks the lines of a record.
    ///
    /// # Errors
    /// When they cannot be written.
    fn push(&mut self, spectrum: &Spectrum, lines: &[Line]) -> Result<()> {
        let zero = self.own.as_ref().map_or(0, |own| own.first_sample());
        let start = zero.saturating_add(spectrum.first_sample);
        // The specification wants them in the order of samples.
        self.put_kept(start)?;
        for line in lines {
            let annotation = annotation(spectrum, start, line);
            let own = self.own.as_ref();
            if !own.is_some_and(|own| own.has(&annotation, start, PROGRAM)) {
                self.put_annotation(&common::text::json(&annotation.to_string()))?;
            }
        }
        Ok(())
    }

    /// Writes what came with the recording and begins up to a sample.
    fn put_kept(&mut self, until: u64) -> Result<()> {
        let Some(own) = self.own.clone() else {
            return Ok(());
        };
        while let Some((_, text)) = own.mark(self.kept).filter(|(start, _)| *start <= until) {
            self.kept += 1;
            self.put_annotation(text)?;
        }
        Ok(())
    }

    fn put_annotation(&mut self, annotation: &str) -> Result<()> {
        let comma = if self.count > 0 { "," } else { "" };
        self.count += 1;
        self.file
            .put(format!("{comma}\n    {annotation}").as_bytes())
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When the rest cannot be written.
    fn finish(mut self) -> Result<()> {
        self.put_kept(u64::MAX)?;
        let tail = self.own.as_ref().map(|own| own.tail());
        let tail = tail.unwrap_or_else(|| "]\n}\n".to_owned());
        self.file.put(format!("\n  {tail}").as_bytes())?;
        self.file.finish()
    }
}

/// A description of a recording that came without one, up to its first annotation.
fn head(recorded: &SigmfRecording, first: &Spectrum) -> String {
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
    format!("{{\n  \"global\": {global:#},\n  \"captures\": [{capture}],\n  \"annotations\": [")
}

fn program() -> String {
    format!("{PROGRAM}{}", env!("CARGO_PKG_VERSION"))
}

/// A line of a record whose first sample has this number.
fn annotation(spectrum: &Spectrum, start: u64, line: &Line) -> Value {
    let half = spectrum.enbw_bins / 2.0 * spectrum.bin_hz();
    json!({
        "core:sample_start": start,
        "core:sample_count": spectrum.samples(),
        "core:freq_lower_edge": line.frequency - half,
        "core:freq_upper_edge": line.frequency + half,
        "core:label": frequency_by(line.frequency, PRECISION_BINS * spectrum.bin_hz()),
        "core:comment": format!("{:.2} {}", line.level, spectrum.level_unit()),
        "core:generator": program(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;
    use crate::input::sigmf::read_memory;
    use crate::input::{Reading, Recording};
    use crate::lines::strongest;

    /// 200 samples of a file whose counting begins at 1000, with headers in front and behind.
    const OWN: &str = r#"{
  "global": {"core:datatype": "ru8", "core:version": "1.0.0", "core:sample_rate": 48000.000,
    "core:author": "\u00e9 NaN", "core:offset": 1000, "core:trailing_bytes": 7, "x:big": 12345678901234567890123,
    "x:none": NaN, "core:latitude": -Infinity, "x:b": 1, "x:a": [2, {"z": 1, "y": 1.10}]},
  "captures": [ {"core:sample_start": 1008, "core:header_bytes": 5, "core:datetime": "2023-08-06t15:18:38.123456789z",
                 "core:geolocation": {"type": "Point", "coordinates": [1.500, 2]}},
                {"core:sample_start": 1100} ],
  "annotations": [
    {"core:sample_start": 1060, "x:mine": true, "core:comment": "late"},
    {"core:sample_start": 900, "core:sample_count": 1, "core:label": "early"},
    {"core:sample_start": "?", "core:label": "odd"},
    {"core:sample_start": 1016.0, "core:sample_count": 4, "core:label": "inside"}
  ],
  "x:more": {"b": 1, "a": 2}
}"#;

    fn read(text: &str) -> Recording {
        let data = (0..212).collect();
        read_memory(text.as_bytes(), data, &Reading::default()).expect(text)
    }

    /// The file of two records of a recording, of which each has one line.
    fn written(recording: &Recording) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.sigmf-meta");
        let recorded = SigmfRecording {
            datatype: "ru8".to_owned(),
            name: "a".to_owned(),
            start: None,
            own: recording.description.clone(),
        };
        let mut spectrum = example(32, false);
        let mut file = Sigmf::create(&path, &recorded, &spectrum).expect("a file");
        for first_sample in [0, 64] {
            spectrum.first_sample = first_sample;
            file.push(&spectrum, &strongest(&spectrum, 1))
                .expect("room");
        }
        file.finish().expect("room");
        std::fs::read_to_string(path).expect("a file")
    }

    #[test]
    fn a_description_that_takes_the_place_of_the_own_one_keeps_all_of_it() {
        let recording = read(OWN);
        let text = written(&recording);
        let list = OWN.find("[\n    {\"core:sample_start\": 1060");
        let end = OWN.find("],\n  \"x:more\"");
        let (list, end) = (list.expect("a list"), end.expect("an end"));
        assert!(text.starts_with(&OWN[..=list]), "{text}");
        assert!(text.trim_end().ends_with(&OWN[end..]), "{text}");
        for annotation in OWN[list..end].lines().skip(1) {
            let annotation = annotation.trim().trim_end_matches(',');
            assert!(text.contains(annotation), "{annotation}");
        }
        let starts = text[list..].split("sample_start\":").skip(1);
        let starts: Vec<_> = starts
            .map(|start| start.split([',', '}']).next().unwrap_or_default().trim())
            .collect();
        assert_eq!(starts, ["900", "\"?\"", "1008", "1016.0", "1060", "1072"]);
    }

    #[test]
    fn the_file_in_place_of_the_own_one_is_the_same_stream() {
        let recording = read(OWN);
        let text = written(&recording);
        let again = read(&text);
        let bytes = |recording: &Recording| {
            recording.channels[0]
                .samples
                .travel(0, 1000)
                .expect("samples")
        };
        assert_eq!(bytes(&again), bytes(&recording));
        assert_eq!(bytes(&again)[0], 5 + 8);
        assert_eq!((again.rate, again.start), (recording.rate, recording.start));
        let labels = |recording: &Recording| -> Vec<_> {
            let marks = recording.annotations.iter();
            marks
                .map(|mark| (mark.label.clone(), mark.start, mark.count))
                .collect()
        };
        let (before, after) = (labels(&recording), labels(&again));
        assert_eq!(
            before,
            [
                ("late".to_owned(), 52, None),
                ("inside".to_owned(), 8, Some(4))
            ]
        );
        assert_eq!(after.len(), 4);
        assert!(before.iter().all(|mark| after.contains(mark)), "{after:?}");
        assert_eq!((after[0].1, after[3].1), (0, 64));
    }

    #[test]
    fn a_mark_of_an_earlier_run_is_not_written_twice() {
        let once = written(&read(OWN));
        let again = read(&once);
        assert_eq!(written(&again), once);
        // Another version, or a program that wrote the file anew.
        let other = once
            .replace(&program(), "qpuscope 0.0.1")
            .replace("\":", "\" : ");
        assert_eq!(written(&read(&other)), other);
        // A mark that was changed stays beside the new one.
        let other = once.replacen("dBFS", "dB, good", 1);
        assert_eq!(written(&read(&other)).matches("core:generator").count(), 3);
    }

    #[test]
    fn a_description_without_annotations_gets_some() {
        let end = "\"captures\": [] }\r\n";
        let head = r#"{"global": {"core:datatype": "ru8", "core:sample_rate": 8000}, "#;
        for (text, count) in [
            (format!("{head}{end}"), 2),
            (format!("{head}\"annotations\": null, {end}"), 2),
            (format!("{head}\"annotations\": [], {end}"), 2),
            (format!("\u{feff}{head}\"annotations\": [5], {end}"), 2),
        ] {
            let again = read(&written(&read(&text)));
            assert_eq!(again.annotations.len(), count, "{text}");
            assert_eq!(again.channels[0].points(), 212);
        }
    }
}
