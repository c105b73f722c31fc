//! The part on the pins of a virtual Pi: `adc,tone=1000:-3`, `mic-right,wav=FILE`.
//!
//! The first word says which part it is, the others what it plays and what is wrong with it.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use virtual_pi::{I2sPart, I2sPins, I2sRole, MicrophoneSide, Signal, Tone, Wiring};

use crate::failure::{Failure, Result};
use crate::files::input;
use crate::say;
use crate::text::quote;

/// A part as it was asked for; its file has not been read yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    part: I2sPart,
    file: Option<(PathBuf, Kind)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Wav,
    Raw,
}

/// What a part plays.
#[derive(Default)]
struct Playing {
    tones: Vec<Tone>,
    noise_dbfs: Option<f64>,
    counts: bool,
    file: Option<(PathBuf, Kind)>,
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let mut words = text.split(',');
        let role = role(words.next().unwrap_or_default())?;
        let (mut pins, mut wiring) = (I2sPins::Header, Wiring::Right);
        let mut playing = Playing::default();
        for word in words {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            match (name, value) {
                ("pins", "header") => pins = I2sPins::Header,
                ("pins", "p5") => pins = I2sPins::P5,
                ("wiring", value) => wiring = self::wiring(value)?,
                _ => playing.add(name, value)?,
            }
        }
        let (signal, file) = playing.end()?;
        let part = I2sPart {
            pins,
            wiring,
            ..I2sPart::new(role, signal)
        };
        Ok(Self { part, file })
    }
}

impl Playing {
    fn add(&mut self, name: &str, value: &str) -> std::result::Result<(), String> {
        match name {
            "tone" => {
                let (hz, dbfs) = value.split_once(':').unwrap_or((value, "0"));
                self.tones.push(Tone {
                    hz: number(hz)?,
                    dbfs: number(dbfs)?,
                });
            }
            "noise" => self.noise_dbfs = Some(number(value)?),
            "count" if value.is_empty() => self.counts = true,
            "wav" => self.file = Some((value.into(), Kind::Wav)),
            "raw" => self.file = Some((value.into(), Kind::Raw)),
            _ => {
                return Err(format!(
                    "a part knows no `{}`; give tone=HZ:DBFS, noise=DBFS, count, wav=FILE, raw=FILE (i16, left and right), pins=header|p5 or wiring=NAME",
                    quote(name)
                ));
            }
        }
        Ok(())
    }

    fn end(self) -> std::result::Result<(Signal, Option<(PathBuf, Kind)>), String> {
        let generates = !self.tones.is_empty() || self.noise_dbfs.is_some();
        let signals = [generates, self.counts, self.file.is_some()];
        if signals.iter().filter(|given| **given).count() > 1 {
            return Err("a part plays one thing: tones and noise, a count, or a file".into());
        }
        let signal = match (self.counts, generates) {
            (true, _) => Signal::Count,
            (_, true) => Signal::Tones {
                tones: self.tones,
                noise_dbfs: self.noise_dbfs,
                seed: 1,
            },
            _ => Signal::Silence,
        };
        Ok((signal, self.file))
    }
}

fn role(text: &str) -> std::result::Result<I2sRole, String> {
    Ok(match text {
        "mic" | "mic-left" => I2sRole::Microphone(MicrophoneSide::Left),
        "mic-right" => I2sRole::Microphone(MicrophoneSide::Right),
        "adc" => I2sRole::Slave,
        _ => match text.strip_prefix("adc-master:") {
            Some(rate) => I2sRole::Master(self::rate(rate)?, 1),
            None => {
                return Err(format!(
                    "there is no part `{}`; give mic, mic-right, adc, or adc-master:RATE for one that gives its own clock",
                    quote(text)
                ));
            }
        },
    })
}

fn wiring(text: &str) -> std::result::Result<Wiring, String> {
    let (name, value) = text.split_once(':').unwrap_or((text, ""));
    Ok(match (name, value) {
        ("right", "") => Wiring::Right,
        ("no-clock", "") => Wiring::NoClock,
        ("swapped", "") => Wiring::Swapped,
        ("absent", "") => Wiring::Absent,
        ("stuck-low", "") => Wiring::Stuck(false),
        ("stuck-high", "") => Wiring::Stuck(true),
        ("clock-off", ppm) => match ppm.parse() {
            Ok(ppm) if (-500_000..=500_000).contains(&ppm) => Wiring::ClockOff(ppm),
            _ => return Err("give clock-off:PPM, from -500000 to 500000; 20000 are 2 %".into()),
        },
        ("master", value) => Wiring::MasterAgainstMaster(rate(value)?, 1),
        _ => {
            return Err(format!(
                "wires cannot be `{}`; give right, no-clock, clock-off:PPM, master:RATE, swapped, stuck-low, stuck-high or absent",
                quote(text)
            ));
        }
    })
}

fn rate(text: &str) -> std::result::Result<u64, String> {
    match text.parse() {
        Ok(rate) if (1_000..=384_000).contains(&rate) => Ok(rate),
        _ => Err(format!(
            "`{}` is no frame rate; give 1000 to 384000 Hz",
            quote(text)
        )),
    }
}

fn number(text: &str) -> std::result::Result<f64, String> {
    let parsed = text.parse().ok().filter(|value: &f64| value.is_finite());
    parsed.ok_or_else(|| format!("`{}` is no number; give one, as tone=1000:-3", quote(text)))
}

impl Part {
    /// The part, with what its file holds.
    ///
    /// # Errors
    /// Usage, when the file cannot be played.
    pub fn read(self) -> Result<I2sPart> {
        let mut part = self.part;
        if let Some((path, kind)) = self.file {
            let bytes = input::read(&path, "samples", input::RECORDING)?;
            let signal = match kind {
                Kind::Wav => Signal::wav(&bytes),
                Kind::Raw => Signal::raw_i16(&bytes),
            };
            part.signal = signal.map_err(|error| wrong(&path, &error.to_string()))?;
        }
        Ok(part)
    }
}

fn wrong(path: &Path, error: &str) -> Failure {
    Failure::usage(format!("{}: {error}", say::path(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> std::result::Result<Part, String> {
        text.parse()
    }

    #[test]
    fn a_part_says_what_it_is_what_it_plays_and_what_is_wrong() {
        let part = read("adc-master:48000,pins=p5,wiring=clock-off:-20000,tone=1e3:-3,tone=50")
            .unwrap()
            .part;
        assert_eq!(part.role, I2sRole::Master(48_000, 1));
        assert_eq!(
            (part.pins, part.wiring),
            (I2sPins::P5, Wiring::ClockOff(-20_000))
        );
        let tone = |hz, dbfs| Tone { hz, dbfs };
        let Signal::Tones {
            tones, noise_dbfs, ..
        } = part.signal
        else {
            panic!("tones");
        };
        assert_eq!(
            (tones, noise_dbfs),
            (vec![tone(1e3, -3.0), tone(50.0, 0.0)], None)
        );
        let microphone = read("mic-right,wav=a=b.wav").unwrap();
        assert_eq!(
            microphone.part.role,
            I2sRole::Microphone(MicrophoneSide::Right)
        );
        assert_eq!(microphone.file, Some(("a=b.wav".into(), Kind::Wav)));
        assert_eq!(read("adc,count").unwrap().part.signal, Signal::Count);
        assert_eq!(read("adc").unwrap().part.signal, Signal::Silence);
    }

    #[test]
    fn what_is_wrong_is_said_with_what_to_give() {
        for (text, words) in [
            ("", "adc-master:RATE"),
            ("adc-master:fast", "1000 to 384000"),
            ("adc,tone=high", "tone=1000:-3"),
            ("adc,tone=nan", "is no number"),
            ("adc,volume=3", "tone=HZ:DBFS"),
            ("adc,pins=p6", "pins=header|p5"),
            ("adc,wiring=loose", "clock-off:PPM"),
            ("adc,wiring=clock-off:1000000", "20000 are 2 %"),
            ("adc,count,noise=-60", "one thing"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
