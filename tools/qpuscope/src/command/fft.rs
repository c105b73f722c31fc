//! `qpuscope fft`: samples to the device, spectra back.
//!
//! The device windows, transforms and averages; here the recording is read, sent, and what comes
//! back is written and drawn. This is also all that `cargo xtask demo` runs.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::client::Client;
use crate::command::PortOptions;
use crate::failure::{Failure, Result};
use crate::input::{self, Channel, Reading, Recording, Stereo, Unit};
use crate::lines::{Line, strongest};
use crate::rate::Rate;
use crate::spectrum::{Engine, Spectrum};
use crate::{output, picture, say};

/// The rate for long uploads where none is asked for: every adapter but the oldest has it.
const FAST_BAUD: u32 = 921_600;
/// Above so many bytes of samples the faster rate is worth asking for: three seconds at 115,200.
const LONG_UPLOAD: usize = 32_768;

/// Which engine computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum EngineChoice {
    /// The QPUs where the board has them, otherwise the ARM.
    Auto,
    /// The QPUs, or an error.
    Qpu,
    /// The ARM.
    Cpu,
}

/// Options of `fft`.
#[derive(clap::Args, Debug)]
pub struct Options {
    #[command(flatten)]
    port: PortOptions,
    /// The recording: WAV, raw unsigned 8-bit I/Q (with --rate), or CSV
    #[arg(long, value_name = "FILE")]
    input: PathBuf,
    /// Samples a second: 48000, 44.1k, 2M, or a fraction such as 1/3600
    #[arg(long, value_name = "HZ")]
    rate: Option<Rate>,
    /// Column of a CSV file, by its heading or number
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
    /// Unit of that column, where its heading names none
    #[arg(long)]
    unit: Option<String>,
    /// What the two channels of a stereo recording are
    #[arg(long, value_enum, default_value = "both")]
    stereo: Stereo,
    /// Points of the transform, a power of two
    #[arg(long, default_value_t = 4096)]
    n: u32,
    /// rectangular, hann, hamming, blackman-harris or flat-top
    #[arg(long, default_value = "hann", value_parser = window)]
    window: wire::Window,
    /// Samples that neighbouring blocks share, as a number or in percent
    #[arg(long, default_value = "50%", value_parser = overlap)]
    overlap: Overlap,
    /// Blocks in an average: all, or a number (then there are several spectra)
    #[arg(long, default_value = "all", value_parser = averages)]
    averages: Averages,
    /// Values on the line: f32 (linear power), u16 (0.01 dB) or u8 (0.5 dB)
    #[arg(long, default_value = "f32", value_parser = encoding)]
    encoding: wire::Encoding,
    /// Take mean and linear trend off before sending (the default for a CSV column)
    #[arg(long, overrides_with = "no_detrend")]
    detrend: bool,
    /// Send the samples as they are
    #[arg(long)]
    no_detrend: bool,
    /// What 0 Hz of I/Q samples is, in hertz
    #[arg(
        long,
        value_name = "HZ",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    centre: f64,
    /// Which engine computes
    #[arg(long, value_enum, default_value = "auto")]
    engine: EngineChoice,
    /// Folder for spectrum.png, spectrum.svg and spectrum.csv
    #[arg(long, value_name = "DIR", default_value = ".")]
    out: PathBuf,
    /// How many of the strongest lines to list and mark
    #[arg(long, default_value_t = 5)]
    lines: usize,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// Samples that neighbouring blocks share.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Overlap {
    Samples(u32),
    Percent(f64),
}

/// Blocks in an average.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Averages {
    All,
    Count(u32),
}

fn window(text: &str) -> Result<wire::Window, String> {
    wire::Window::from_name(text).ok_or_else(|| {
        let names: Vec<_> = wire::Window::ALL
            .iter()
            .map(|window| window.name())
            .collect();
        format!(
            "there is no window `{text}`; choose one of {}",
            names.join(", ")
        )
    })
}

fn encoding(text: &str) -> Result<wire::Encoding, String> {
    wire::Encoding::from_name(text)
        .ok_or_else(|| format!("there is no encoding `{text}`; choose f32, u16 or u8"))
}

fn overlap(text: &str) -> Result<Overlap, String> {
    let parsed = match text.strip_suffix('%') {
        Some(percent) => percent
            .parse()
            .ok()
            .filter(|percent| (0.0..100.0).contains(percent))
            .map(Overlap::Percent),
        None => text.parse().ok().map(Overlap::Samples),
    };
    parsed.ok_or_else(|| {
        format!("`{text}` is no overlap; give samples (2048), or percent below 100 (50%)")
    })
}

fn averages(text: &str) -> Result<Averages, String> {
    match text {
        "all" => Ok(Averages::All),
        _ => text
            .parse()
            .ok()
            .filter(|&count| count > 0)
            .map(Averages::Count)
            .ok_or_else(|| {
                format!("`{text}` is no number of blocks; give all, or a number from 1 on")
            }),
    }
}

/// A spectrum with its lines and the files it went to.
struct Drawn {
    spectrum: Spectrum,
    lines: Vec<Line>,
    files: Vec<String>,
}

/// Runs the command.
///
/// # Errors
/// Usage for options and recordings, otherwise what the port and the device say.
pub fn run(options: &Options) -> Result<()> {
    let overlap = check(options)?;
    let recording = input::read(&options.input, &reading(options))?;
    eprintln!("{}: {}", recording.name, describe(&recording));
    for note in &recording.notes {
        eprintln!("  {note}");
    }
    for channel in &recording.channels {
        if channel.points() < options.n as usize {
            return Err(Failure::usage(format!(
                "{} holds {} samples, fewer than one block of {}; choose a smaller --n",
                recording.name,
                channel.points(),
                options.n
            )));
        }
    }
    std::fs::create_dir_all(&options.out)
        .map_err(|error| Failure::writing(&options.out, &error))?;
    let mut client = options.port.connect()?;
    let spectra = transform(options, &mut client, &recording, overlap);
    // The next host begins at the first rate, whatever happened to this one.
    let left = client.leave();
    let spectra = spectra?;
    left?;
    if let Some(remark) = client.log_remark() {
        eprintln!("{remark}");
    }
    let health = client.health();
    if health.is_lossy() {
        eprintln!("line: {health}");
    }
    let mut drawn = vec![];
    for (index, spectrum) in spectra.into_iter().enumerate() {
        if spectrum.fallback {
            eprintln!(
                "the QPUs failed, and the ARM computed this spectrum instead; `qpuscope info` shows the board's state"
            );
        }
        drawn.push(draw(options, spectrum, &recording.notes, index)?);
    }
    print(options, &drawn, &recording, &health)
}

/// Overlap in samples, when everything fits together.
fn check(options: &Options) -> Result<u32> {
    let n = options.n;
    if !n.is_power_of_two() || n < 2 {
        let below = 1 << n.max(2).ilog2();
        return Err(Failure::usage(format!(
            "--n {n} is not a power of two; use {below} or {}",
            2_u64 * below
        )));
    }
    let overlap = match options.overlap {
        Overlap::Samples(samples) => samples,
        Overlap::Percent(percent) => (f64::from(n) * percent / 100.0).round() as u32,
    };
    if overlap >= n {
        return Err(Failure::usage(format!(
            "an overlap of {overlap} samples leaves nothing new in a block of {n}; use less than {n}"
        )));
    }
    if options.json && options.out.is_file() {
        return Err(Failure::usage(format!(
            "--out {} is a file; name a folder",
            options.out.display()
        )));
    }
    Ok(overlap)
}

fn reading(options: &Options) -> Reading {
    Reading {
        rate: options.rate,
        column: options.column.clone(),
        unit: options.unit.clone(),
        stereo: options.stereo,
        detrend: match (options.detrend, options.no_detrend) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        },
    }
}

fn describe(recording: &Recording) -> String {
    let channel = &recording.channels[0];
    let channels = match recording.channels.len() {
        1 => String::new(),
        count => format!("{count} channels of "),
    };
    let kind = if channel.complex { "complex" } else { "real" };
    format!(
        "{channels}{} {kind} samples at {}",
        channel.points(),
        recording.rate
    )
}

/// Sets the instrument up and sends every channel.
fn transform(
    options: &Options,
    client: &mut Client,
    recording: &Recording,
    overlap: u32,
) -> Result<Vec<Spectrum>> {
    client.hello()?;
    // What a host before this one began and did not end.
    client.stop()?;
    let averages = match options.averages {
        Averages::All => "all".to_owned(),
        Averages::Count(count) => count.to_string(),
    };
    let engine = match options.engine {
        EngineChoice::Cpu => "cpu",
        _ => "auto",
    };
    let unit = match recording.unit {
        Unit::FullScale => wire::Unit::Dbfs,
        Unit::One(_) => wire::Unit::DbReUnit,
    };
    client.set(&format!(
        "n={} window={} overlap={overlap} avg={averages} out={} unit={} centre={} engine={engine} first=all bins=0",
        options.n,
        options.window.name(),
        options.encoding.name(),
        unit.name(),
        options.centre,
    ))?;
    // The engine in use depends on the settings, so that only now it is the one that counts.
    let info = client.hello()?;
    eprintln!(
        "{}, firmware {}, engine {}",
        info.board,
        info.firmware,
        info.engine.name()
    );
    if options.engine == EngineChoice::Qpu && info.engine != Engine::Qpu {
        return Err(Failure::failed(format!(
            "the board does not use its QPUs for {} points (capabilities: {}); use --engine auto to let the ARM compute",
            options.n,
            info.capabilities
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        )));
    }
    let bytes: usize = recording
        .channels
        .iter()
        .map(|c| c.samples.to_bytes().len())
        .sum();
    let fast = (bytes > LONG_UPLOAD).then_some(FAST_BAUD);
    if let Some(baud) = options.port.transfer_baud.or(fast) {
        client.change_baud(baud)?;
    }
    let mut spectra = vec![];
    for channel in &recording.channels {
        let name = source_name(recording, channel);
        client.name_upload(&name, &recording.unit);
        let of_channel = client.upload(channel, recording.rate)?;
        if of_channel.is_empty() {
            return Err(Failure::link(format!(
                "the board took {} samples and sent no spectrum; restart it and run again",
                channel.points()
            )));
        }
        spectra.extend(of_channel);
    }
    if options.engine == EngineChoice::Qpu
        && let Some(other) = spectra
            .iter()
            .find(|spectrum| spectrum.engine != Engine::Qpu)
    {
        return Err(Failure::failed(format!(
            "the QPUs failed on {} points and the ARM computed them; `qpuscope info` shows the board's state, --engine \
             auto accepts such results",
            other.n
        )));
    }
    Ok(spectra)
}

fn source_name(recording: &Recording, channel: &Channel) -> String {
    if channel.name.is_empty() {
        recording.name.clone()
    } else {
        format!("{} ({})", recording.name, channel.name)
    }
}

/// Writes the three files of a spectrum; the first is `spectrum`, the others are numbered from 2.
fn draw(options: &Options, spectrum: Spectrum, notes: &[String], index: usize) -> Result<Drawn> {
    let lines = strongest(&spectrum, options.lines);
    let stem = match index {
        0 => "spectrum".to_owned(),
        _ => format!("spectrum-{}", index + 1),
    };
    let mut files = vec![];
    let mut write = |extension: &str, bytes: &[u8]| {
        let path = options.out.join(format!("{stem}.{extension}"));
        std::fs::write(&path, bytes).map_err(|error| Failure::writing(&path, &error))?;
        files.push(shown(&path));
        Ok::<(), Failure>(())
    };
    write("png", &picture::png(&spectrum, &lines)?)?;
    write("svg", picture::svg(&spectrum, &lines).as_bytes())?;
    write("csv", output::csv(&spectrum, notes).as_bytes())?;
    Ok(Drawn {
        spectrum,
        lines,
        files,
    })
}

/// A path without a leading `./`.
fn shown(path: &Path) -> String {
    path.strip_prefix("./")
        .unwrap_or(path)
        .display()
        .to_string()
}

fn print(
    options: &Options,
    drawn: &[Drawn],
    recording: &Recording,
    health: &crate::stream::Health,
) -> Result<()> {
    let Some(first) = drawn.first() else {
        return Err(Failure::link("no spectrum came; run again"));
    };
    if options.json {
        let mut object = output::settings(&first.spectrum);
        object["lines"] = json!(first.lines);
        object["files"] = json!(
            drawn
                .iter()
                .flat_map(|each| &each.files)
                .collect::<Vec<_>>()
        );
        object["spectra"] = json!(drawn.len());
        object["notes"] = json!(recording.notes);
        object["line_health"] = json!(health);
        return say::data(&format!("{object:#}\n"));
    }
    for each in drawn {
        let spectrum = &each.spectrum;
        say::data(&format!(
            "{}: N = {}, {} window, average of {} blocks, engine {}\n{}wrote {}\n",
            spectrum.source,
            spectrum.n,
            spectrum.window,
            spectrum.averages,
            spectrum.engine.name(),
            output::table(spectrum, &each.lines),
            each.files.join(", ")
        ))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlap_and_averages_are_read_as_people_write_them() {
        assert_eq!(overlap("50%"), Ok(Overlap::Percent(50.0)));
        assert_eq!(overlap("100"), Ok(Overlap::Samples(100)));
        assert_eq!(averages("all"), Ok(Averages::All));
        assert_eq!(averages("8"), Ok(Averages::Count(8)));
        for text in ["100%", "-1", "half", "%"] {
            assert!(overlap(text).expect_err(text).contains("50%"));
        }
        assert!(averages("0").is_err() && averages("some").is_err());
        assert!(
            window("kaiser")
                .expect_err("no such window")
                .contains("flat-top")
        );
        assert!(encoding("f64").is_err());
    }
}
