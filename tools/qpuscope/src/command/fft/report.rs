//! The results of spectra: pictures, files, and text on standard output.

use std::path::PathBuf;

use serde_json::json;

use super::answer::RecordingAnswer;
use super::coverage::{Coverage, remarks};
use super::options::Options;
use common::failure::{Failure, Result};
use common::files;
use common::say;
use host::input::{Format, Number, Recording};
use host::lines::{Line, strongest};
use host::output::series::{Series, shown};
use host::output::{self, Clock, SigmfRecording, SinkOptions, SinkPlace, SpectrumFormat, Times};
use host::spectrum::Spectrum;
use host::stream::Health;
use host::utc::Utc;

/// The options that outputs share.
pub(super) fn wanted(options: &Options, recording: &Recording) -> SinkOptions {
    SinkOptions {
        folder: options.out.clone(),
        look: options.picture.look(),
        merge: options.picture.merge,
        line_count: options.lines,
        each: options.each,
        notes: recording.notes.clone(),
        recorded: recording.channels.first().map(|channel| SigmfRecording {
            datatype: datatype(channel.samples.format()),
            name: recording.name.clone(),
            start: recording.start.map(Utc::from),
            own: recording.description.clone(),
        }),
    }
}

/// A format of samples as SigMF names it; one that it does not have, as the numbers that were
/// transformed.
fn datatype(format: Format) -> String {
    let domain = if format.is_complex { "c" } else { "r" };
    let number = match format.number {
        Number::U8 | Number::U8High | Number::WavU8 => return format!("{domain}u8"),
        Number::I8 => return format!("{domain}i8"),
        Number::U16 => "u16",
        Number::I16 => "i16",
        Number::U32 => "u32",
        Number::I24 | Number::I32 => "i32",
        Number::F32 => "f32",
        Number::F64 => "f64",
    };
    let order = if format.is_big_endian { "be" } else { "le" };
    format!("{domain}{number}_{order}")
}

/// Words and files of spectra, in the order in which they come.
pub(super) struct Results<'a> {
    options: &'a Options,
    wanted: &'a SinkOptions,
    times: Times,
    /// The files of the records that come now.
    series: Option<Series<'a>>,
    /// Series and records so far.
    numbers: (usize, usize),
    files: Vec<PathBuf>,
    recording: &'a Recording,
    channels: Vec<Coverage<'a>>,
    /// All records, for JSON.
    answer: Option<RecordingAnswer>,
    /// The last warning of results that may be wrong.
    doubts: Option<String>,
}

impl<'a> Results<'a> {
    pub(super) fn new(
        options: &'a Options,
        wanted: &'a SinkOptions,
        recording: &'a Recording,
    ) -> Self {
        let start = wanted.recorded.as_ref().and_then(|recorded| recorded.start);
        Self {
            options,
            wanted,
            times: Times {
                clock: Clock::Samples,
                zero: start,
            },
            series: None,
            numbers: (0, 0),
            files: vec![],
            recording,
            channels: Coverage::of(recording),
            answer: None,
            doubts: None,
        }
    }

    /// Takes a spectrum of a channel: prints its lines, and writes it to its files.
    pub(super) fn take(&mut self, channel: usize, mut spectrum: Spectrum) -> Result<()> {
        self.channels[channel].take(&mut spectrum)?;
        if spectrum.fallback {
            common::say::remark!(
                "the QPUs failed, and the ARM computed this spectrum instead; `qpuscope info` shows the board's state"
            );
        }
        self.doubts = spectrum.doubts().or(self.doubts.take());
        let lines = strongest(&spectrum, self.options.lines);
        match &mut self.series {
            Some(series) if series.takes(&spectrum) => series.push(&spectrum, &lines)?,
            _ => {
                self.close_series()?;
                self.numbers.0 += 1;
                let place = SinkPlace::files(self.wanted, &[], self.numbers.0);
                let formats = &self.options.format;
                let series = Series::begin(formats, place, self.times, &spectrum, &lines)?;
                self.series = Some(series);
            }
        }
        self.numbers.1 += 1;
        if !self.options.json {
            say::data(&format!(
                "{}: N = {}, {} window, {}, engine {}\n{}",
                spectrum.source,
                spectrum.n,
                spectrum.window,
                spectrum.made_of(),
                spectrum.engine.name(),
                output::tables(&spectrum, &lines, self.options.lines)
            ))?;
        }
        if self.options.each {
            self.write_record(&spectrum, &lines)?;
        }
        if self.options.json {
            let Recording { name, channels, .. } = self.recording;
            let has_channels = channels.len() > 1;
            let answer = self
                .answer
                .get_or_insert_with(|| RecordingAnswer::begin(name, has_channels, &spectrum));
            answer.take(&channels[channel].name, &spectrum, lines);
        }
        Ok(())
    }

    /// Writes the files of a record by itself: the first is `spectrum`, others are numbered from 2.
    fn write_record(&mut self, spectrum: &Spectrum, lines: &[Line]) -> Result<()> {
        let stem = match self.numbers.1 {
            1 => "spectrum".to_owned(),
            number => format!("spectrum-{number}"),
        };
        let mut names = vec![];
        for format in &self.options.format {
            if let (Some(encode), [ending, ..]) = (format.of_record(), format.endings()) {
                let path = self.options.out.join(format!("{stem}.{ending}"));
                files::output::write(&path, &encode(self.wanted, spectrum, lines)?)?;
                names.push(path);
            }
        }
        self.tell(names)
    }

    /// Gives the files of the records that have come their names.
    fn close_series(&mut self) -> Result<()> {
        match self.series.take() {
            Some(series) => {
                let names = series.finish()?;
                self.tell(names)
            }
            None => Ok(()),
        }
    }

    /// Prints the names of files that were written.
    fn tell(&mut self, names: Vec<PathBuf>) -> Result<()> {
        let shown: Vec<_> = names.iter().map(|name| shown(name)).collect();
        self.files.extend(names);
        if self.options.json || shown.is_empty() {
            return Ok(());
        }
        say::data(&format!("wrote {}\n", shown.join(", ")))
    }

    /// Ends files and words: prints what concerns all spectra.
    pub(super) fn finish(mut self, health: &Health) -> Result<()> {
        self.close_series()?;
        if let Some(doubts) = &self.doubts {
            common::say::remark!("{doubts}");
        }
        if self.numbers.1 == 0 {
            return Err(Failure::link("no spectrum came; run again"));
        }
        let recording = self.recording;
        let remarks = remarks(&self.channels, self.options.n);
        for remark in remarks.iter().chain(&recording.doubts) {
            common::say::remark!("{remark}");
        }
        let mut formats = self.options.format.iter();
        if self.times.zero.is_none() && formats.any(|format| format.is_dated()) {
            common::say::remark!(
                "{} does not say when it was recorded: times in {} count from 1970-01-01",
                recording.name,
                output::names(SpectrumFormat::is_dated, " and ")
            );
        }
        let Some(answer) = &self.answer else {
            return Ok(());
        };
        let mut object = answer.object(self.options.lines);
        object["files"] = json!(
            self.files
                .iter()
                .map(|file| shown(file))
                .collect::<Vec<_>>()
        );
        object["notes"] = json!(recording.notes);
        object["recording"] = json!({
            "format": recording.format,
            "centre_hz": recording.centre_hz,
            "start": recording.start_text(),
            "annotations": recording.annotations,
        });
        object["line_health"] = json!(health);
        say::json(&format!("{object:#}\n"))
    }
}
