//! The options of `qpuscope read`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::command::picture_options::PictureOptions;
use crate::command::port_options::{LineOptions, PortOperand};
use common::failure::{Failure, Result};
use common::files::Input;
use common::progress::Progress;
use common::quantity::{seconds, whole};
use host::client::Client;
use host::link::Link;
use host::log::Logs;
use host::output::{AnyFormat, JsonLinesFormat, SinkOptions, SpectrumFormat, format_parser, names};
use host::port::PortChoice;
use host::spectrum::Hold;
use host::stream::Receiver;
use host::traces::Trace;

/// Options of `read`.
#[derive(clap::Args, Debug)]
pub struct Options {
    #[command(flatten)]
    port: PortOperand,
    #[command(flatten)]
    pub(super) line: LineOptions,
    /// Output for each spectrum
    #[arg(short = 'F', long, default_value = "table", value_parser = format_parser(SpectrumFormat::read_help))]
    format: AnyFormat,
    /// Short for --format json
    #[arg(long)]
    json: bool,
    /// Folder for files
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    pub(super) out: PathBuf,
    /// A picture of each spectrum instead of one of all
    #[arg(long)]
    pub(super) each: bool,
    #[command(flatten)]
    pub(super) picture: PictureOptions,
    /// Number of strongest lines to list and mark
    #[arg(long, default_value_t = 5, value_parser = whole::<usize>)]
    pub(super) lines: usize,
    /// End after so many spectra
    #[arg(long, value_parser = count)]
    pub(super) count: Option<u64>,
    /// End after so many seconds (of a virtual Pi: virtual seconds)
    #[arg(long, value_parser = seconds)]
    pub(super) seconds: Option<Duration>,
    /// Show the greatest or least of each bin in all records so far, instead of each record
    #[arg(long, value_enum)]
    pub(super) hold: Option<Hold>,
    /// Show one trace of records that have the mean and the greatest of each bin
    #[arg(long, value_enum)]
    pub(super) trace: Option<Trace>,
    /// Change settings first, as key=value words: "n=2048 window=flat-top detector=max"
    #[arg(long, value_name = "WORDS")]
    pub(super) set: Option<String>,
    /// Tell an instrument that is idle to start
    #[arg(long)]
    pub(super) start: bool,
    /// Exit status 5 when anything was lost
    #[arg(long)]
    pub(super) strict: bool,
}

/// A number of spectra, as an option gives it.
fn count(text: &str) -> std::result::Result<u64, String> {
    whole(text).and_then(|count| match count {
        0 => Err("0 spectra are none; give 1 or more".to_owned()),
        count => Ok(count),
    })
}

/// Returns whether `read` can write a file of each record in a format.
fn has_files_of_each(format: AnyFormat) -> bool {
    !format.is_printed() && format.of_record().is_some()
}

impl Options {
    /// What is read.
    pub(super) fn port(&self) -> Result<PortChoice> {
        self.line.choice(self.port.name().as_deref())
    }

    /// The format in which spectra are shown.
    pub(super) fn format(&self) -> AnyFormat {
        match self.json {
            true => &JsonLinesFormat,
            false => self.format,
        }
    }

    /// Refuses what has no meaning together.
    pub(super) fn check(&self) -> Result<()> {
        if self.each && !has_files_of_each(self.format()) {
            return Err(Failure::usage(format!(
                "--each is about pictures; give --format {} with it",
                names(has_files_of_each, " or --format ")
            )));
        }
        Ok(())
    }

    /// The options that outputs share.
    pub(super) fn wanted(&self) -> SinkOptions {
        SinkOptions {
            folder: self.out.clone(),
            look: self.picture.look(),
            merge: self.picture.merge,
            line_count: self.lines,
            each: self.each,
            notes: vec![],
            recorded: None,
        }
    }

    /// The progress of reading, where its end is known.
    pub(super) fn progress(&self, port: &PortChoice) -> Option<(Progress, Goal)> {
        let of = |total, unit, goal| Some((Progress::new("reading", total, unit), goal));
        if let Some(count) = self.count {
            return of(count, "spectra", Goal::Spectra);
        }
        if let Some(time) = self.seconds {
            return of(time.as_secs(), "s", Goal::Seconds);
        }
        let file = std::fs::metadata(port.name()?).ok()?;
        file.is_file()
            .then(|| of(file.len(), "bytes", Goal::Bytes))?
    }

    /// The files that no output may be.
    pub(super) fn inputs(port: &PortChoice) -> Vec<Input<'_>> {
        let mut inputs = port.inputs();
        inputs.extend(port.name().map(|name| (Path::new(name), "what is read")));
        inputs
    }

    /// Reports if a stream is begun before it is read.
    pub(super) fn begins_stream(&self) -> bool {
        self.start || self.set.is_some()
    }

    /// Opens what is read; tells a board what to do first, if it is to be told anything.
    pub(super) fn open(&self, port: &PortChoice) -> Result<(Box<dyn Link>, Receiver, Logs)> {
        let (link, logs) = port.open()?;
        if !self.begins_stream() {
            return Ok((link, Receiver::default(), logs));
        }
        let mut client = Client::new(link, self.line.baud, logs, self.line.quiet);
        client.hello()?;
        if let Some(words) = &self.set {
            client.set(words)?;
        }
        client.command(&wire::Message::Start)?;
        Ok(client.into_parts())
    }
}

/// A count towards the end of reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Goal {
    Spectra,
    Seconds,
    Bytes,
}
