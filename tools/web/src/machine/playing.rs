//! The part on the pins of a virtual Pi, and what it plays.

use serde_json::json;
use signal::Rate;
use virtual_pi::{Bursts, Feed, I2sPart, ParallelPart, Signal, Tone};

use super::speed::Speed;
use crate::samples::Samples;

/// Frames of a file that wait: a fifth of a second or more.
const AHEAD: usize = 1 << 14;
/// Time that live samples may wait before the source is given up, and the most frames of them,
/// which at 192 kHz are 22 s.
const MOST_BEHIND_S: usize = 60;
const MOST_FRAMES: usize = 4 << 20;

/// Samples on the I2S pins.
pub struct Playing {
    feed: Feed,
    /// Frames a second.
    hz: f64,
    source: Source,
}

enum Source {
    /// The host brings them when they come.
    Live,
    File {
        samples: Box<Samples>,
        repeats: bool,
    },
    Ended,
}

/// The channel of a file that the board hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    Left,
    Right,
    Iq,
}

impl Channel {
    /// The channel of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Self::Left, Self::Right, Self::Iq];
        all.into_iter().find(|channel| channel.name() == name)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Iq => "iq",
        }
    }
}

impl Playing {
    /// Samples that the host brings as they come, such as a microphone's, and the part for them.
    ///
    /// # Errors
    /// A sentence, for a rate that the pins do not carry.
    pub fn live(hz: u32) -> Result<(Self, I2sPart, String), String> {
        if !(8_000..=384_000).contains(&hz) {
            return Err(format!(
                "The sound system works at {hz} Hz; the board's pins take 8000 to 384000: choose another device."
            ));
        }
        let frames = (MOST_BEHIND_S * hz as usize).min(MOST_FRAMES);
        // Live samples are not slowed down.
        let speed = Speed {
            rate: Rate::hz(hz.into()),
            over: 1,
            under: 1,
        };
        let (playing, part) = Self::new(speed.rate, frames, Source::Live);
        let facts = facts("live samples", speed, Channel::Left, &[]);
        Ok((playing, part, facts))
    }

    /// The samples of a file, and the part for them.
    pub fn file(samples: Samples, channel: Channel, repeats: bool) -> (Self, I2sPart, String) {
        let speed = Speed::of(samples.rate);
        let channel = if samples.is_complex {
            Channel::Iq
        } else {
            channel
        };
        let mut notes: Vec<String> = speed.sentence().into_iter().collect();
        if !samples.is_stereo && channel == Channel::Iq && !samples.is_complex {
            notes.push("It has one channel, which is taken as both parts.".into());
        }
        let full_scale = samples.full_scale;
        notes.extend(full_scale.map(|full| format!("0 dBFS is a sine of {full}.")));
        let facts = facts(&samples.format, speed, channel, &notes);
        let samples = Box::new(samples);
        let source = Source::File { samples, repeats };
        let (mut playing, part) = Self::new(speed.rate, AHEAD, source);
        playing.top_up();
        (playing, part, facts)
    }

    fn new(rate: Rate, frames: usize, source: Source) -> (Self, I2sPart) {
        let feed = Feed::new(frames);
        let part = I2sPart::fed(rate.num, rate.den, feed.clone());
        let hz = rate.to_hz();
        (Self { feed, hz, source }, part)
    }

    /// Takes live samples of one channel; false when not all of them found room.
    pub fn push(&self, samples: &[f32]) -> bool {
        let frames = samples.iter().map(|sample| [*sample; 2]);
        self.feed.push_numbers(frames) == samples.len()
    }

    /// Reads on in the file; false when nothing was added.
    pub fn top_up(&mut self) -> bool {
        let Source::File { samples, repeats } = &mut self.source else {
            return false;
        };
        let room = self.feed.room();
        let mut frames = Vec::with_capacity(room);
        while frames.len() < room {
            let mut next = samples.next_frame();
            if next.is_none() && *repeats {
                samples.rewind();
                next = samples.next_frame();
            }
            let Some(frame) = next else {
                self.source = Source::Ended;
                break;
            };
            frames.push(frame);
        }
        self.feed.push_numbers(frames) > 0
    }

    /// True if all of a file has been played.
    pub fn has_ended(&self) -> bool {
        // The board stops a frame before the end.
        matches!(self.source, Source::Ended) && self.feed.waiting() <= 1
    }

    /// Seconds of samples that wait.
    pub fn behind_s(&self) -> f64 {
        match self.source {
            Source::Live => self.feed.waiting() as f64 / self.hz,
            _ => 0.0,
        }
    }
}

/// Facts about what plays on the I2S pins, for the page.
fn facts(format: &str, speed: Speed, channel: Channel, notes: &[String]) -> String {
    let Rate { num: hz, den: per } = speed.rate;
    let rate = match per {
        1 => hz.to_string(),
        per => format!("{hz}/{per}"),
    };
    json!({
        "format": format,
        "settings": format!("input=i2s clock=adc rate={rate} channel={}", channel.name()),
        "playedHz": speed.rate.to_hz(),
        "over": speed.over,
        "under": speed.under,
        "notes": notes,
    })
    .to_string()
}

/// The signal of `cargo xtask demo --live`: two tones, noise, and in each 100 ms a burst of 30 us
/// that a picture of some blocks misses.
pub fn bursts() -> (ParallelPart, String) {
    let tone = |hz, dbfs| Tone { hz, dbfs };
    let tones = Signal::Tones {
        tones: vec![tone(2.1e6, -20.0), tone(4.7e6, -40.0)],
        noise_dbfs: Some(-60.0),
        seed: 1,
    };
    let bursts = Bursts {
        tone: tone(7e6, -30.0),
        samples: 600,
        period: 2_000_000,
        seed: 1,
    };
    let part = ParallelPart::new(Signal::WithBursts(Box::new(tones), bursts));
    let facts = json!({
        "format": "parallel ADC at 20 MS/s",
        "settings": "input=smi clock=board rate=20M n=1024 window=hann overlap=50% avg=2048 detector=max out=u8",
        "playedHz": 20e6,
        "over": 1,
        "under": 1,
        "notes": ["In each 100 ms there is one burst of 30 us at 7 MHz: every sample is in a transform, so each shows."],
    });
    (part, facts.to_string())
}
