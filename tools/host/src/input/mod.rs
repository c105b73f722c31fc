//! Recordings: what can be sent to the instrument, read from files.
//!
//! A file becomes one or two channels of samples, with the rate, the unit, the centre frequency and
//! the time where they are known, and every change that was made to the data said in words. The
//! file's first bytes and its name, or `--samples`, choose the reader, never trying until something
//! fits.

mod bytes;
mod check;
mod clipping;
mod container;
mod missing;
mod names;
mod npy;
mod points;
mod raw;
mod recording;
mod samples;
mod series;
pub mod sigmf;
mod wav;

use std::path::Path;

use crate::format;
use common::failure::{Failure, Result};
use common::quantity::rate;
use signal::Rate;

pub use bytes::{Bytes, Cursor};
pub use format::{Format, Number};
pub use points::Points;
pub use recording::{Annotation, Channel, Recording, Unit};
pub use samples::{Samples, TrendLine};
pub use sigmf::OwnDescription;

/// The contents of a stereo recording.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Stereo {
    /// Two channels, each with a spectrum of its own.
    Both,
    /// The left channel only.
    Left,
    /// The right channel only.
    Right,
    /// One complex signal: I left, Q right.
    Iq,
}

/// The options of reading a file, where the file itself does not say.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Reading {
    /// Format of raw samples, complex or real, where the file's ending does not say it
    #[arg(long, value_name = "FORMAT", value_parser = format::format, help = format::help())]
    pub samples: Option<Format>,
    // Needed for raw samples; of others it replaces what the file says.
    /// Samples a second: 48000, 44.1k, 2M, or a fraction such as 1/3600
    #[arg(long, value_name = "HZ", value_parser = rate)]
    pub rate: Option<Rate>,
    /// Column of a CSV file, by its heading or number
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,
    /// Unit of that column, where its heading names none
    #[arg(long)]
    pub unit: Option<String>,
    /// Meaning of the two channels of a stereo recording [default: both]
    #[arg(long, value_enum)]
    pub stereo: Option<Stereo>,
    /// True if mean and straight line are taken off; of a series they are unless this says no.
    #[arg(skip)]
    pub detrend: Option<bool>,
}

/// Bytes at the start of a file that its kind is known by.
const HEAD: usize = 64;

/// Reads a recording.
///
/// # Errors
/// When the file cannot be read, is none of the known kinds, or holds nonsense: with what to do.
pub fn read(path: &Path, how: &Reading) -> Result<Recording> {
    finished(by_kind(path, Bytes::open(path)?, how)?, how)
}

/// Reads a recording from memory, as [`read`] does one from a file of that name.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(name: &str, bytes: Vec<u8>, how: &Reading) -> Result<Recording> {
    finished(by_kind(Path::new(name), bytes.into(), how)?, how)
}

/// The kind of a file, by what it begins with or else by its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Wav,
    Npy,
    /// One of the two files of a SigMF recording.
    Sigmf,
    SigmfArchive,
    /// A list of SigMF recordings.
    SigmfCollection,
    Series,
    /// Samples and nothing else, in the format of the file's ending.
    Raw(Format),
    /// Endings that many formats share.
    Bare,
    Unknown,
}

impl Kind {
    fn of(extension: &str, head: &[u8]) -> Self {
        if wav::is_wav(head) || matches!(extension, "wav" | "wave") {
            return Self::Wav;
        }
        if crate::npy::is_npy(head) || extension == "npy" {
            return Self::Npy;
        }
        match extension {
            "sigmf-meta" | "sigmf-data" => Self::Sigmf,
            "sigmf" => Self::SigmfArchive,
            "sigmf-collection" => Self::SigmfCollection,
            "csv" | "tsv" | "txt" => Self::Series,
            "raw" | "bin" | "data" | "dat" => Self::Bare,
            // What RTL-SDR programs record under these names is complex.
            "iq" | "u8" => Self::Raw(Format::new(Number::U8, true)),
            _ => Format::from_name(extension).map_or(Self::Unknown, Self::Raw),
        }
    }

    /// Returns whether a file of this kind says how its samples are written.
    const fn says_its_format(self) -> bool {
        !matches!(self, Self::Raw(_) | Self::Bare | Self::Unknown)
    }
}

/// The name of a file without its folder, and its ending in small letters.
fn name_and_ending(path: &Path) -> (String, String) {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let ending = path.extension().unwrap_or_default();
    let ending = ending.to_string_lossy().to_ascii_lowercase();
    (name.to_string_lossy().into_owned(), ending)
}

fn by_kind(path: &Path, bytes: Bytes, how: &Reading) -> Result<Recording> {
    let (name, extension) = name_and_ending(path);
    if bytes.is_empty() {
        return Err(Failure::usage(format!(
            "{name} is empty; nothing to transform: choose a file that holds samples"
        )));
    }
    let head = bytes.some(0, HEAD)?;
    container::refuse(&name, &head, how.samples)?;
    let kind = Kind::of(&extension, &head);
    if kind.says_its_format() && how.samples.is_some() {
        return Err(Failure::usage(format!(
            "{name} says itself how its samples are written; leave out --samples"
        )));
    }
    match (kind, how.samples) {
        (Kind::Wav, _) => wav::read(&name, bytes, how),
        (Kind::Npy, _) => npy::read(&name, bytes, how),
        (Kind::Sigmf, _) => sigmf::read_pair(path, how),
        (Kind::SigmfArchive, _) => sigmf::read_archive(&name, bytes, how),
        (Kind::SigmfCollection, _) => Err(sigmf::refuse_collection(&name, &bytes)),
        (Kind::Series, _) => series::read(&name, &series::text(&name, &bytes)?, how),
        (_, Some(format)) => {
            let mut recording = raw::read(&name, bytes, format, how)?;
            recording.hints.extend(container::warning(&head));
            Ok(recording)
        }
        (Kind::Raw(format), _) => raw::read(&name, bytes, format, how),
        (Kind::Bare, _) => Err(raw::format_unknown(&name)),
        (Kind::Unknown, _) if how.column.is_some() => {
            series::read(&name, &series::text(&name, &bytes)?, how)
        }
        (Kind::Unknown, _) => Err(Failure::usage(format!(
            "{name} is no recording that qpuscope knows by its first bytes or its ending; give --samples FORMAT and \
             --rate HZ for raw samples ({}), or --column NAME for a table",
            Format::names()
        ))),
    }
}

/// Looks at all samples, and takes trends off where that is asked for.
fn finished(mut recording: Recording, how: &Reading) -> Result<Recording> {
    check::check(&mut recording)?;
    let is_series = matches!(recording.unit, Unit::One(_));
    if how.detrend.unwrap_or(is_series) {
        detrend(&mut recording)?;
    }
    Ok(recording)
}

/// The rate that an option gives in place of the file's, which is noted.
fn rate_of(how: &Reading, stated: Rate, notes: &mut Vec<String>) -> Rate {
    if let Some(rate) = how.rate.filter(|rate| *rate != stated) {
        notes.push(format!(
            "sample rate {rate} as given; the file says {stated}"
        ));
    }
    how.rate.unwrap_or(stated)
}

/// Takes the mean and the straight line of least squares off every channel, and says so.
///
/// Of a complex channel both parts lose their own. The numbers then travel as f32.
fn detrend(recording: &mut Recording) -> Result<()> {
    for channel in &mut recording.channels {
        let lines = channel.samples.lines()?;
        let parts = match channel.is_complex() {
            true => &[" of I", " of Q"][..],
            false => &[""],
        };
        for (TrendLine { mean, slope }, part) in lines.iter().zip(parts) {
            recording.notes.push(format!(
                "mean {mean:.4} and linear trend {slope:.3e} a sample{part} removed on the host"
            ));
        }
        channel.samples.take_off(lines);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
