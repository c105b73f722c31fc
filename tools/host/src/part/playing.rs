//! The signal that a part plays: tones, noise and bursts, a count, or a file.

use std::path::PathBuf;

use virtual_pi::{Bursts, Signal, Tone};

use super::number;
use common::failure::{Failure, Result};
use common::files::input;
use common::say;
use common::text::quote;

/// Form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// WAV.
    Wav,
    /// Frames of two i16.
    Frames,
    /// Bytes of offset binary.
    Bytes,
}

/// A file that has not been read yet.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// Its path.
    pub path: PathBuf,
    /// Its form.
    pub kind: FileKind,
}

impl File {
    /// Its samples.
    ///
    /// # Errors
    /// Usage, when it cannot be played.
    pub fn read(&self) -> Result<Signal> {
        let bytes = input::read(&self.path, "samples", input::RECORDING)?;
        let signal = match self.kind {
            FileKind::Wav => Signal::wav(&bytes),
            FileKind::Frames => Signal::raw_i16(&bytes),
            FileKind::Bytes => Signal::raw_u8(&bytes),
        };
        signal.map_err(|error| Failure::usage(format!("{}: {error}", say::path(&self.path))))
    }
}

/// Words about the signal.
pub struct Playing {
    /// Form of a raw file.
    raw: FileKind,
    tones: Vec<Tone>,
    noise_dbfs: Option<f64>,
    burst: Option<(Tone, u64, u64)>,
    seed: u64,
    counts: bool,
    file: Option<File>,
}

impl Playing {
    /// Nothing yet; `raw` is the form of a raw file.
    pub fn new(raw: FileKind) -> Self {
        Self {
            raw,
            tones: vec![],
            noise_dbfs: None,
            burst: None,
            seed: 1,
            counts: false,
            file: None,
        }
    }

    /// Takes a word.
    pub fn add(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "tone" => {
                let (hz, dbfs) = value.split_once(':').unwrap_or((value, "0"));
                self.tones.push(tone(hz, dbfs)?);
            }
            "noise" => self.noise_dbfs = Some(number(value)?),
            "burst" => self.burst = Some(burst(value)?),
            "seed" => match value.parse() {
                Ok(seed) => self.seed = seed,
                Err(_) => return Err("give a whole number, as seed=1".into()),
            },
            "count" if value.is_empty() => self.counts = true,
            "wav" | "raw" => {
                let kind = if name == "wav" {
                    FileKind::Wav
                } else {
                    self.raw
                };
                let path = value.into();
                self.file = Some(File { path, kind });
            }
            _ => {
                return Err(format!(
                    "a part knows no `{}`; give tone=HZ:DBFS, noise=DBFS, burst=HZ:DBFS:SAMPLES:PERIOD, seed=N, count, wav=FILE, \
                     raw=FILE (I2S: i16, left and right; parallel: bytes), pins=header|p5 (I2S only) or wiring=NAME",
                    quote(name)
                ));
            }
        }
        Ok(())
    }

    /// The signal, or the file that has it.
    pub fn end(self) -> Result<(Signal, Option<File>), String> {
        let seed = self.seed;
        let generates = !self.tones.is_empty() || self.noise_dbfs.is_some() || self.burst.is_some();
        let signals = [generates, self.counts, self.file.is_some()];
        if signals.iter().filter(|given| **given).count() > 1 {
            return Err(
                "a part plays one thing: tones, noise and bursts, a count, or a file".into(),
            );
        }
        let mut signal = match (self.counts, generates) {
            (true, _) => Signal::Count,
            (_, true) => Signal::Tones {
                tones: self.tones,
                noise_dbfs: self.noise_dbfs,
                seed,
            },
            _ => Signal::Silence,
        };
        if let Some((tone, samples, period)) = self.burst {
            let bursts = Bursts {
                tone,
                samples,
                period,
                seed,
            };
            signal = Signal::WithBursts(Box::new(signal), bursts);
        }
        Ok((signal, self.file))
    }
}

fn tone(hz: &str, dbfs: &str) -> Result<Tone, String> {
    Ok(Tone {
        hz: number(hz)?,
        dbfs: number(dbfs)?,
    })
}

/// A burst's tone, its samples, and its period.
fn burst(value: &str) -> Result<(Tone, u64, u64), String> {
    let words: Vec<&str> = value.split(':').collect();
    let [hz, dbfs, samples, period] = words[..] else {
        return Err("give burst=HZ:DBFS:SAMPLES:PERIOD, as burst=2e6:-20:300:5000".into());
    };
    let whole = |text: &str| text.parse().ok().filter(|&samples: &u64| samples > 0);
    match (whole(samples), whole(period)) {
        // What a day has at 20 MS/s, and no sum runs over.
        (Some(samples), Some(period)) if samples <= period && period < 1 << 41 => {
            Ok((tone(hz, dbfs)?, samples, period))
        }
        _ => Err(
            "SAMPLES and PERIOD of a burst are whole numbers from 1, and PERIOD is no less than SAMPLES; give \
             burst=2e6:-20:300:5000"
                .into(),
        ),
    }
}
