//! Recordings: what can be sent to the instrument, read from files.
//!
//! A file becomes one or two channels of samples in a format that the wire carries, with the rate,
//! the unit and every change that was made to the data said in words. Which reader is used is told
//! by the file's first bytes and its name, never by trying until something fits.

mod iq;
mod series;
mod wav;

use std::path::Path;

use crate::failure::{Failure, Result};
use crate::files::input;
use signal::Rate;

/// Samples as the wire carries them; of a complex channel real and imaginary parts take turns.
#[derive(Clone, PartialEq, Debug)]
pub enum Samples {
    /// Offset binary: (x - 127.5) / 127.5 of full scale.
    U8(Vec<u8>),
    /// x / 32768 of full scale.
    I16(Vec<i16>),
    /// As it is; full scale 1.0 where there is one.
    F32(Vec<f32>),
    /// The same, which travels as f32. Until the mean is off, a series needs more: of 101,325 Pa f32 keeps steps
    /// of 0.008, of 10 MHz of 1 Hz.
    F64(Vec<f64>),
}

impl Samples {
    /// How many numbers: twice the samples of a complex channel.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::U8(values) => values.len(),
            Self::I16(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
        }
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How the wire calls this format.
    #[must_use]
    pub const fn format(&self) -> wire::SampleFormat {
        match self {
            Self::U8(_) => wire::SampleFormat::U8,
            Self::I16(_) => wire::SampleFormat::I16,
            Self::F32(_) | Self::F64(_) => wire::SampleFormat::F32,
        }
    }

    /// The numbers as they travel, little-endian.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::U8(values) => values.clone(),
            Self::I16(values) => values.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::F32(values) => values.iter().flat_map(|x| x.to_le_bytes()).collect(),
            Self::F64(values) => values
                .iter()
                .flat_map(|&x| (x as f32).to_le_bytes())
                .collect(),
        }
    }

    /// The numbers as the device will see them.
    #[must_use]
    pub fn to_f32(&self) -> Vec<f32> {
        match self {
            Self::U8(values) => values
                .iter()
                .map(|&x| (f32::from(x) - 127.5) / 127.5)
                .collect(),
            Self::I16(values) => values.iter().map(|&x| f32::from(x) / 32768.0).collect(),
            Self::F32(values) => values.clone(),
            Self::F64(values) => values.iter().map(|&x| x as f32).collect(),
        }
    }

    /// The numbers as they were read.
    fn to_f64(&self) -> Vec<f64> {
        match self {
            Self::F64(values) => values.clone(),
            _ => self.to_f32().into_iter().map(f64::from).collect(),
        }
    }
}

/// One stream of samples.
#[derive(Clone, PartialEq, Debug)]
pub struct Channel {
    /// What tells it from the others: `left`, `right`, or nothing where there is one.
    pub name: String,
    /// The numbers.
    pub samples: Samples,
    /// Whether they are pairs of I and Q.
    pub complex: bool,
}

impl Channel {
    /// Samples: real ones, or pairs.
    #[must_use]
    pub fn points(&self) -> usize {
        self.samples.len() / if self.complex { 2 } else { 1 }
    }
}

/// What 0 dB is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unit {
    /// A sine that just reaches the largest sample value.
    FullScale,
    /// A sine whose amplitude is one of these.
    One(String),
}

/// A recording, ready to be sent.
#[derive(Clone, PartialEq, Debug)]
pub struct Recording {
    /// The file's name without its folder.
    pub name: String,
    /// Samples a second.
    pub rate: Rate,
    /// What the levels are relative to.
    pub unit: Unit,
    /// At least one.
    pub channels: Vec<Channel>,
    /// What was done to the data on the way, one sentence each.
    pub notes: Vec<String>,
}

/// What a stereo recording holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum Stereo {
    /// Two channels, each with a spectrum of its own.
    #[default]
    Both,
    /// The left channel only.
    Left,
    /// The right channel only.
    Right,
    /// One complex signal: I left, Q right.
    Iq,
}

/// How to read a file, where the file itself does not say.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// Needed for raw I/Q; of a series it replaces what its time stamps say.
    pub rate: Option<Rate>,
    /// The column of a CSV file to take.
    pub column: Option<String>,
    /// The unit of that column, where its heading names none.
    pub unit: Option<String>,
    /// What two channels of a WAV file are.
    pub stereo: Stereo,
    /// Whether mean and straight line are taken off; of a series they are unless this says no.
    pub detrend: Option<bool>,
}

/// Reads a recording.
///
/// # Errors
/// When the file cannot be read, is none of the known kinds, or holds nonsense: with what to do.
pub fn read(path: &Path, how: &Reading) -> Result<Recording> {
    let bytes = input::read(path, "a recording", input::RECORDING)?;
    let extension = path
        .extension()
        .map(|text| text.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default();
    let name = path.file_name().map_or_else(
        || path.display().to_string(),
        |n| n.to_string_lossy().into_owned(),
    );
    let mut recording = match extension.as_str() {
        _ if bytes.is_empty() => {
            return Err(Failure::usage(format!(
                "{name} is empty; nothing to transform: choose a file that holds samples"
            )));
        }
        _ if bytes.starts_with(b"RIFF") => wav::read(&name, &bytes, how)?,
        "wav" | "wave" => return Err(wav::not_a_wav(&name, &bytes)),
        "csv" | "tsv" | "txt" => series::read(&name, &bytes, how)?,
        "iq" | "cu8" | "raw" | "bin" | "u8" | "data" => iq::read(&name, &bytes, how)?,
        _ if how.column.is_some() => series::read(&name, &bytes, how)?,
        _ if how.rate.is_some() => iq::read(&name, &bytes, how)?,
        _ => {
            return Err(Failure::usage(format!(
                "{name} is no recording that qpuscope knows: it neither begins as a WAV file nor ends in \
                 .csv, .iq or .cu8; give --rate HZ for raw unsigned 8-bit I/Q, or --column NAME for a table"
            )));
        }
    };
    check_range(&recording)?;
    let series = matches!(recording.unit, Unit::One(_));
    if how.detrend.unwrap_or(series) {
        detrend(&mut recording);
    }
    Ok(recording)
}

/// The largest magnitude whose power every length of transform still holds: (65536 x)^2 in f32.
const LARGEST: f64 = 1e13;
/// The smallest: power 140 dB below it is as small as f32 holds.
const SMALLEST: f64 = 1e-12;

/// Refuses numbers whose power would leave the range of f32, and read as infinite or as nothing.
fn check_range(recording: &Recording) -> Result<()> {
    let mut largest = 0.0_f64;
    for channel in &recording.channels {
        if matches!(channel.samples, Samples::F32(_) | Samples::F64(_)) {
            let values = channel.samples.to_f64();
            largest = values.iter().fold(largest, |most, x| most.max(x.abs()));
        }
    }
    if largest == 0.0 || (SMALLEST..=LARGEST).contains(&largest) {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{}: its largest value is {largest:e}, and power is computed for {SMALLEST:e} to {LARGEST:e}; multiply the \
         values by a power of ten, and say so with --unit",
        recording.name
    )))
}

/// Takes the mean and the straight line of least squares off every channel, and says so.
///
/// Of a complex channel both parts lose their own. The numbers then travel as f32.
fn detrend(recording: &mut Recording) {
    for channel in &mut recording.channels {
        let stride = if channel.complex { 2 } else { 1 };
        let mut values = channel.samples.to_f64();
        for part in 0..stride {
            let (mean, slope) = line_of_least_squares(values.iter().skip(part).step_by(stride));
            let middle = (values.len() / stride) as f64 / 2.0 - 0.5;
            for (at, value) in values.iter_mut().skip(part).step_by(stride).enumerate() {
                *value -= mean + slope * (at as f64 - middle);
            }
            let part_name = match (stride, part) {
                (2, 0) => " of I",
                (2, _) => " of Q",
                _ => "",
            };
            recording.notes.push(format!(
                "mean {mean:.4} and linear trend {slope:.3e} a sample{part_name} removed on the host"
            ));
        }
        channel.samples = Samples::F32(values.into_iter().map(|x| x as f32).collect());
    }
}

/// Mean, and slope a sample, of values that stand at equal steps.
fn line_of_least_squares<'a>(values: impl Iterator<Item = &'a f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count.max(1.0);
    let middle = count / 2.0 - 0.5;
    let (mut product, mut square) = (0.0, 0.0);
    for (at, &value) in values.enumerate() {
        let t = at as f64 - middle;
        product += t * (value - mean);
        square += t * t;
    }
    (mean, if square > 0.0 { product / square } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a file of one column, one value a second.
    fn read_column(name: &str, text: &str) -> Result<Recording> {
        let file = format!("qpuscope-{}-{name}.csv", std::process::id());
        let path = std::env::temp_dir().join(file);
        std::fs::write(&path, text).expect("temporary file");
        let how = Reading {
            rate: Rate::new(1, 1),
            ..Reading::default()
        };
        let read = read(&path, &how);
        std::fs::remove_file(&path).expect("temporary file");
        read
    }

    #[test]
    fn detrending_leaves_nothing_of_a_straight_line() {
        let mut recording = Recording {
            name: "line".into(),
            rate: Rate { num: 1, den: 1 },
            unit: Unit::One("V".into()),
            channels: vec![Channel {
                name: String::new(),
                samples: Samples::F32((0..100).map(|i| 3.0 + 0.5 * i as f32).collect()),
                complex: false,
            }],
            notes: vec![],
        };
        detrend(&mut recording);
        let left = recording.channels[0].samples.to_f32();
        assert!(left.iter().all(|x| x.abs() < 1e-4), "{left:?}");
        assert!(
            recording.notes[0].contains("5.000e-1"),
            "{:?}",
            recording.notes
        );
    }

    #[test]
    fn small_changes_of_large_values_are_kept() {
        // What a frequency counter says of an oscillator of 10 MHz, in f32 one value throughout.
        let change = |at: usize| [0.0, 0.01, 0.0, -0.01][at % 4];
        let text: String = (0..64)
            .map(|at| format!("{:.3}\n", 1e7 + change(at)))
            .collect();
        let recording = read_column("large", &text).expect("a series");
        let left = recording.channels[0].samples.to_f32();
        for (at, &value) in left.iter().enumerate() {
            // The line of least squares takes a part of a short sine.
            assert!((value - change(at) as f32).abs() < 1e-3, "{at}: {value}");
        }
    }

    #[test]
    fn values_whose_power_leaves_the_range_are_refused() {
        let table = |scale: f32| {
            let text: String = (0..4)
                .map(|x| format!("{:e}\n", x as f32 * scale))
                .collect();
            read_column(&format!("{scale:e}"), &text)
        };
        for scale in [0.0, 1e-12, 1.0, 1e12] {
            assert!(table(scale).is_ok(), "{scale}");
        }
        for scale in [1e-21, 1e18] {
            let failure = table(scale).expect_err("out of range");
            assert!(failure.message.contains("power of ten"), "{failure}");
        }
    }

    #[test]
    fn a_file_of_unknown_kind_is_refused_with_what_to_do() {
        let path = std::env::temp_dir().join(format!("qpuscope-{}.xyz", std::process::id()));
        std::fs::write(&path, b"what").expect("temporary file");
        let failure = read(&path, &Reading::default()).expect_err("unknown");
        std::fs::remove_file(&path).expect("temporary file");
        assert!(failure.message.contains("--rate"), "{failure}");
        let failure = read(Path::new("/nonexistent.wav"), &Reading::default()).expect_err("absent");
        assert!(failure.message.contains("check the path"), "{failure}");
    }
}
