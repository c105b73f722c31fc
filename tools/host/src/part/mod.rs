//! The part on the pins of a virtual Pi: `adc,tone=1000:-3`, `mic-right,wav=FILE`,
//! `parallel,raw=FILE`.
//!
//! The first word says which part it is, the others what it plays and what is wrong with it.

mod playing;
mod wires;

use std::path::PathBuf;
use std::str::FromStr;

use virtual_pi::{Config, I2sPart, I2sPins, I2sRole, ParallelPart, Signal};

use common::failure::Result;
use common::files::Input;
use common::text::quote;
use playing::{File, FileKind, Playing};

/// The revision code of a B+, the first board whose header has all pins.
const B_PLUS: u32 = 0x0010;

/// A part as it was asked for; its file has not been read yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    part: Fitted,
    file: Option<File>,
}

/// A part that a virtual Pi can have.
#[derive(Clone, Debug, PartialEq)]
pub enum Fitted {
    /// On the pins of the PCM block.
    I2s(I2sPart),
    /// On the pins of the SMI block.
    Parallel(ParallelPart),
}

impl Fitted {
    /// Puts it on a board, which has its pins.
    pub fn fit(self, config: &mut Config) {
        match self {
            Self::I2s(part) => {
                if part.pins == I2sPins::Header {
                    config.revision = Some(B_PLUS);
                }
                config.i2s = Some(part);
            }
            Self::Parallel(part) => {
                config.revision = Some(B_PLUS);
                config.parallel = Some(part);
            }
        }
    }

    fn signal(&mut self) -> &mut Signal {
        match self {
            Self::I2s(part) => &mut part.signal,
            Self::Parallel(part) => &mut part.signal,
        }
    }
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let mut words = text.split(',');
        let kind = words.next().unwrap_or_default();
        let is_parallel = kind == "parallel";
        let (mut pins, mut wiring) = (I2sPins::Header, "right");
        let mut playing = Playing::new(if is_parallel {
            FileKind::Bytes
        } else {
            FileKind::Frames
        });
        for word in words {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            match (name, value) {
                ("pins", "header") => pins = I2sPins::Header,
                ("pins", "p5") if !is_parallel => pins = I2sPins::P5,
                ("wiring", value) => wiring = value,
                _ => playing.add(name, value)?,
            }
        }
        let mut part = match is_parallel {
            true => Fitted::Parallel(wires::parallel(wiring)?),
            false => Fitted::I2s(wires::i2s(kind, pins, wiring)?),
        };
        let (signal, file) = playing.end()?;
        *part.signal() = signal;
        Ok(Self { part, file })
    }
}

impl Part {
    /// An ADC on I2S that plays a WAV file, a sample for each of the board's.
    #[must_use]
    pub fn on_i2s(path: PathBuf) -> Self {
        let part = I2sPart::new(I2sRole::Slave, Signal::Silence);
        let kind = FileKind::Wav;
        Self {
            part: Fitted::I2s(part),
            file: Some(File { path, kind }),
        }
    }

    /// A parallel ADC that plays a WAV file, or bytes of offset binary.
    #[must_use]
    pub fn on_smi(path: PathBuf) -> Self {
        let kind = match path.extension() {
            Some(ending) if ending.eq_ignore_ascii_case("wav") => FileKind::Wav,
            _ => FileKind::Bytes,
        };
        Self {
            part: Fitted::Parallel(ParallelPart::new(Signal::Silence)),
            file: Some(File { path, kind }),
        }
    }

    /// The text of `cmdline.txt` with the input that the part is for, where it names none.
    ///
    /// A parallel ADC gets its highest rate too, because it has none of the board's default; a rate
    /// in the text stands behind it and holds.
    #[must_use]
    pub fn cmdline(&self, given: &str) -> String {
        let names_one = given
            .split_whitespace()
            .any(|word| word.starts_with("input="));
        match self.part {
            Fitted::I2s(_) if !names_one => format!("input=i2s {given}"),
            Fitted::Parallel(_) if !names_one => format!("input=smi rate=20M {given}"),
            _ => given.to_owned(),
        }
    }

    /// The file that it plays, which no output may be.
    #[must_use]
    pub fn input(&self) -> Option<Input<'_>> {
        let file = self.file.as_ref()?;
        Some((file.path.as_path(), "what the part plays"))
    }

    /// The part, with what its file holds.
    ///
    /// # Errors
    /// Usage, when the file cannot be played.
    pub fn read(self) -> Result<Fitted> {
        let mut part = self.part;
        if let Some(file) = self.file {
            *part.signal() = file.read()?;
        }
        Ok(part)
    }
}

fn number(text: &str) -> std::result::Result<f64, String> {
    let parsed = text.parse().ok().filter(|value: &f64| value.is_finite());
    parsed.ok_or_else(|| format!("`{}` is no number; give one, as tone=1000:-3", quote(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use virtual_pi::{Bursts, MicrophoneSide, ParallelWiring, Tone, Wiring};

    fn read(text: &str) -> std::result::Result<Part, String> {
        text.parse()
    }

    fn played(path: &str, kind: FileKind) -> File {
        let path = path.into();
        File { path, kind }
    }

    fn i2s(text: &str) -> I2sPart {
        match read(text).unwrap().part {
            Fitted::I2s(part) => part,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_part_says_what_it_is_what_it_plays_and_what_is_wrong() {
        let part = i2s("adc-master:48000,pins=p5,wiring=clock-off:-20000,tone=1e3:-3,tone=50");
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
        assert_eq!(
            i2s("mic-right,wav=a=b.wav").role,
            I2sRole::Microphone(MicrophoneSide::Right)
        );
        let file = read("mic-right,wav=a=b.wav").unwrap().file.unwrap();
        assert_eq!(file, played("a=b.wav", FileKind::Wav));
        assert_eq!(i2s("adc,count").signal, Signal::Count);
        assert_eq!(i2s("adc").signal, Signal::Silence);
    }

    #[test]
    fn a_parallel_adc_has_bursts_and_wires_of_its_own() {
        let Fitted::Parallel(part) =
            read("parallel,wiring=wire-off:7,noise=-60,burst=2e6:-20:300:5000,seed=9")
                .unwrap()
                .part
        else {
            panic!("parallel");
        };
        assert_eq!(part.wiring, ParallelWiring::WireOff(7));
        let Signal::WithBursts(signal, bursts) = part.signal else {
            panic!("bursts");
        };
        let tones = Signal::Tones {
            tones: vec![],
            noise_dbfs: Some(-60.0),
            seed: 9,
        };
        assert_eq!(*signal, tones);
        let tone = Tone {
            hz: 2e6,
            dbfs: -20.0,
        };
        let wanted = Bursts {
            tone,
            samples: 300,
            period: 5000,
            seed: 9,
        };
        assert_eq!(bursts, wanted);
        let file = read("parallel,raw=x.u8").unwrap().file.unwrap();
        assert_eq!(file, played("x.u8", FileKind::Bytes));
    }

    #[test]
    fn a_part_sets_the_input() {
        let short = Part::on_smi("a.u8".into());
        assert_eq!(short.cmdline("n=256"), "input=smi rate=20M n=256");
        assert_eq!(short.cmdline("input=gen"), "input=gen");
        assert_eq!(read("mic").unwrap().cmdline(""), "input=i2s ");
        assert_eq!(short.file, Some(played("a.u8", FileKind::Bytes)));
        let wav = Part::on_smi("a.WAV".into());
        assert_eq!(wav.file, Some(played("a.WAV", FileKind::Wav)));
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
            ("adc,seed=x", "seed=1"),
            ("parallel,pins=p5", "pins=header|p5"),
            ("parallel,wiring=swapped", "wire-off:N"),
            ("parallel,wiring=wire-off:8", "0 to 7"),
            ("parallel,burst=1e6", "burst=HZ:DBFS:SAMPLES:PERIOD"),
            ("parallel,burst=1e6:0:50:20", "PERIOD"),
            ("parallel,count,burst=1e6:0:5:20", "one thing"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
