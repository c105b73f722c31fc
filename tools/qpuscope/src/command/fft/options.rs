//! The options of `qpuscope fft`, and whether they fit together.

use std::path::{Path, PathBuf};

use super::values::{
    EngineChoice, Overlap, averages, dc, detector, encoding, overlap, window, window_help,
};
use crate::command::picture_options::PictureOptions;
use crate::command::port_options::PortOptions;
use common::failure::{Failure, Result};
use common::files::{are_one, output};
use common::quantity::{hertz, whole};
use common::say;
use host::input::Reading;
use host::output::{AnyFormat, SpectrumFormat, endings, format_parser, is_result};

/// Options of `fft`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The recording: WAV (RF64 too), SigMF, NPY, CSV, or raw samples (with --rate)
    #[arg(value_name = "FILE", required_unless_present = "named_input")]
    input: Option<PathBuf>,
    /// The recording, as scripts of earlier development versions name it
    #[arg(long = "input", hide = true, conflicts_with = "input")]
    named_input: Option<PathBuf>,
    #[command(flatten)]
    pub(super) port: PortOptions,
    /// Rate to change to for the transfer (default: 921600 when there is much to send, on a virtual
    /// Pi 3000000)
    #[arg(long, value_name = "RATE", value_parser = whole::<u32>)]
    pub(super) transfer_baud: Option<u32>,
    #[command(flatten)]
    pub(super) reading: Reading,
    /// Points of the transform, a power of two
    #[arg(long, default_value_t = 4096, value_parser = whole::<u32>)]
    pub(super) n: u32,
    /// The window
    #[arg(long, default_value = "hann", value_parser = window, help = window_help())]
    pub(super) window: wire::Window,
    /// Samples that neighbouring blocks share, as a number or in percent
    #[arg(long, default_value = "50%", value_parser = overlap)]
    pub(super) overlap: Overlap,
    /// Blocks in an average: all, or a number (then there are several spectra)
    #[arg(long, default_value = "all", value_parser = averages)]
    pub(super) averages: String,
    /// Combination of an average's blocks: mean, the max or min of each bin, or mean+max, both
    #[arg(long, default_value = "mean", value_parser = detector)]
    pub(super) detector: wire::Detector,
    /// Mean of each block: keep, or remove
    #[arg(long, default_value = "keep", value_parser = dc)]
    pub(super) dc: wire::Dc,
    /// Values on the line: f32 (linear power), u16 (0.01 dB) or u8 (0.5 dB)
    #[arg(long, default_value = "f32", value_parser = encoding)]
    pub(super) encoding: wire::Encoding,
    /// Take mean and linear trend off before sending (the default for a CSV column)
    #[arg(long, overrides_with = "no_detrend")]
    pub(super) detrend: bool,
    /// Send the samples as they are
    #[arg(long)]
    pub(super) no_detrend: bool,
    /// Frequency that 0 Hz of I/Q samples stands for, in place of the file's own: 145.0375M
    #[arg(long, value_name = "HZ", value_parser = hertz, allow_hyphen_values = true)]
    pub(super) centre: Option<f64>,
    /// Which engine computes
    #[arg(long, value_enum, default_value = "auto")]
    pub(super) engine: EngineChoice,
    /// Folder for spectrum.png, spectrum.svg and spectrum.csv
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    pub(super) out: PathBuf,
    /// Number of strongest lines to list and mark
    #[arg(long, default_value_t = 5, value_parser = whole::<usize>)]
    pub(super) lines: usize,
    /// Kinds of files, with commas between them
    #[arg(long, value_delimiter = ',', default_value = "png,svg,csv", value_parser = format_parser(SpectrumFormat::fft_help))]
    pub(super) format: Vec<AnyFormat>,
    /// Besides the files of all records together, files of each: spectrum-2.png and so on
    #[arg(long)]
    pub(super) each: bool,
    #[command(flatten)]
    pub(super) picture: PictureOptions,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(super) json: bool,
}

impl Options {
    /// The recording.
    pub(super) fn input(&self) -> &Path {
        let given = self.input.as_ref().or(self.named_input.as_ref());
        given.map_or(Path::new(""), PathBuf::as_path)
    }
}

/// The shortest transform that instruments have.
const SHORTEST: u32 = 16;

/// Refuses a folder in which a file that is read has the name of a result.
fn keep_inputs(options: &Options) -> Result<()> {
    let port = options.port.choice()?;
    let mut inputs = port.inputs();
    inputs.push((options.input(), "the recording"));
    // A folder that is not there yet has none.
    let entries = options.out.read_dir().into_iter().flatten().flatten();
    for file in entries
        .map(|entry| entry.path())
        .filter(|file| is_result(file))
    {
        if let Some((input, what)) = inputs.iter().find(|(input, _)| are_one(input, &file)) {
            return Err(Failure::usage(format!(
                "{what} {} would be written over by a spectrum; give another folder with --out",
                say::path(input)
            )));
        }
    }
    Ok(())
}

/// Finds out before an upload that results can be written.
pub(super) fn check_folder(out: &Path) -> Result<()> {
    std::fs::create_dir_all(out).map_err(|error| Failure::writing(out, &error))?;
    let mut results = endings().map(|ending| out.join(format!("spectrum.{ending}")));
    results.try_for_each(|file| output::check(&file))
}

/// Overlap in samples, when everything fits together.
pub(super) fn check(options: &Options) -> Result<u32> {
    let n = options.n;
    if n < SHORTEST {
        return Err(Failure::usage(format!(
            "--n {n} is too short; use a power of two from {SHORTEST} on"
        )));
    }
    if !n.is_power_of_two() {
        let below = 1 << n.ilog2();
        return Err(Failure::usage(format!(
            "--n {n} is not a power of two; use {below} or {}",
            2_u64 * below
        )));
    }
    let overlap = options.overlap.samples(n);
    if overlap >= n {
        return Err(Failure::usage(format!(
            "an overlap of {overlap} samples leaves nothing new in a block of {n}; use less than {n}"
        )));
    }
    if options.out.exists() && !options.out.is_dir() {
        return Err(Failure::usage(format!(
            "--out {} is no folder; name one",
            say::path(&options.out)
        )));
    }
    keep_inputs(options)?;
    Ok(overlap)
}

/// The options of reading the recording.
pub(super) fn reading(options: &Options) -> Reading {
    Reading {
        detrend: match (options.detrend, options.no_detrend) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        },
        ..options.reading.clone()
    }
}
