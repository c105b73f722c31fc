//! One setting as a word: `key=value` taken, and written back.

use core::fmt::{self, Write};

use wire::{Dc, Detector, Domain, Encoding, Unit, Window};

use super::input::Mode;
use super::numbers::{decimal, number, rounded};
use super::rate;
use super::{
    ALLOW, Channel, ClockSource, EngineChoice, Input, MAX_N, MIN_N, Output, Overlap, Problem,
    SELFTEST, Settings,
};

/// The highest centre frequency: what is above cannot be written with three decimals.
const MAX_CENTRE_HZ: f64 = 1e15;

impl Settings {
    pub(super) fn apply_word(&mut self, word: &str) -> Result<(), Problem> {
        use Problem::Value;
        let (key, value) = word.split_once('=').unwrap_or(("", ""));
        match key {
            "n" => {
                let n: u64 = number(value, "use a power of two, for example n=4096")?;
                if !n.is_power_of_two() || n < u64::from(MIN_N) {
                    return Err(Problem::NotPowerOfTwo);
                }
                if n > u64::from(MAX_N) {
                    return Err(Problem::TooLong);
                }
                self.n = n as u32;
            }
            "window" => {
                self.window = window(value).ok_or(Problem::Window)?;
            }
            "overlap" => {
                let right = "use a percentage, overlap=50%, or samples, overlap=512";
                self.overlap = match value.strip_suffix('%') {
                    Some(percent) => match number(percent, right)? {
                        percent @ 0..=99 => Overlap::Percent(percent),
                        _ => return Err(Value(right)),
                    },
                    None => Overlap::Samples(number(value, right)?),
                };
            }
            "avg" if value == "all" => self.average = 0,
            "avg" => {
                self.average = number(value, "use a number of blocks, or avg=all for an upload")?;
            }
            "exp" => {
                let right = "use a number of records, for example exp=8, or exp=0 for none";
                self.exponential = number(value, right)?;
            }
            "detector" => {
                self.detector =
                    Detector::from_name(value).ok_or(Value("use mean, max, min or mean+max"))?;
            }
            "dc" => self.dc = Dc::from_name(value).ok_or(Value("use keep or remove"))?,
            "out" if value == "text" => self.output = Output::Text,
            "out" => {
                self.output = Encoding::from_name(value)
                    .map(Output::Records)
                    .ok_or(Value("use f32, u16, u8 or text"))?;
            }
            "input" => self.input = Input::of(value)?,
            "rate" => self.rate = rate::rate(value)?,
            "clock" => {
                self.clock = ClockSource::from_name(value).ok_or(Value("use board or adc"))?;
            }
            "channel" => {
                self.channel =
                    Channel::from_name(value).ok_or(Value("use left, right, iq or qi"))?;
            }
            "mode" => self.mode = Mode::from_name(value).ok_or(Value("use stream or snapshot"))?,
            "domain" => {
                self.domain = Domain::from_name(value).ok_or(Value("use real or complex"))?;
            }
            "first" if value == "all" => self.first = None,
            "first" => {
                self.first = Some(number(value, "use the number of a bin, or first=all")?);
            }
            "bins" => self.bins = number(value, "use a number of bins, or bins=0 for all")?,
            "centre" => {
                self.centre_hz = decimal(value)
                    .filter(|hz| hz.abs() <= MAX_CENTRE_HZ)
                    .ok_or(Value(
                        "use hertz up to 10^15, for example centre=1090000000",
                    ))?;
            }
            "unit" => self.unit = Unit::from_name(value).ok_or(Value("use dBFS or dB"))?,
            "engine" if value == "qpu" => self.engine = EngineChoice::Auto,
            "engine" => {
                self.engine =
                    EngineChoice::from_name(value).ok_or(Value("use auto, fft or cpu"))?;
            }
            "start" => {
                self.start = match value {
                    "0" => false,
                    "1" => true,
                    _ => return Err(Value("use start=0 or start=1")),
                };
            }
            SELFTEST => {
                let right = "the QPU test runs at a start; write it into cmdline.txt";
                return Err(Value(right));
            }
            ALLOW => {
                let right = "only the owner of the card allows that; write it into cmdline.txt";
                return Err(Value(right));
            }
            _ => return Err(Problem::UnknownKey),
        }
        Ok(())
    }

    /// Writes one setting as `key=value` and a line end. Unknown keys write nothing.
    pub(super) fn write_key(&self, key: &str, out: &mut impl Write) -> fmt::Result {
        match key {
            "n" => writeln!(out, "n={}", self.n),
            "window" => writeln!(out, "window={}", self.window),
            "overlap" => match self.overlap {
                // Not as samples: it goes with `n`.
                Overlap::Percent(percent) => writeln!(out, "overlap={percent}%"),
                Overlap::Samples(samples) => writeln!(out, "overlap={samples}"),
            },
            "avg" if self.average == 0 => writeln!(out, "avg=all"),
            "avg" => writeln!(out, "avg={}", self.average),
            "exp" => writeln!(out, "exp={}", self.exponential),
            "detector" => writeln!(out, "detector={}", self.detector.name()),
            "dc" => writeln!(out, "dc={}", self.dc.name()),
            "out" => match self.output {
                Output::Records(encoding) => writeln!(out, "out={}", encoding.name()),
                Output::Text => writeln!(out, "out=text"),
            },
            "input" => writeln!(out, "input={}", self.input.name()),
            "rate" => match self.rate {
                None => writeln!(out, "rate=auto"),
                Some(rate) if rate.den == 1 => writeln!(out, "rate={}", rate.num),
                Some(rate) => writeln!(out, "rate={}/{}", rate.num, rate.den),
            },
            "clock" => writeln!(out, "clock={}", self.clock.name()),
            "channel" => writeln!(out, "channel={}", self.channel.name()),
            "mode" => writeln!(out, "mode={}", self.mode.name()),
            "domain" => writeln!(out, "domain={}", self.domain.name()),
            "first" => match self.first {
                Some(first) => writeln!(out, "first={first}"),
                None => writeln!(out, "first=all"),
            },
            "bins" => writeln!(out, "bins={}", self.bins),
            "centre" => writeln!(out, "centre={}", rounded(self.centre_hz, 3)),
            "unit" => writeln!(out, "unit={}", self.unit.name()),
            "engine" => writeln!(out, "engine={}", self.engine.name()),
            "start" => writeln!(out, "start={}", u8::from(self.start)),
            _ => Ok(()),
        }
    }
}

fn window(name: &str) -> Option<Window> {
    match name {
        "rect" => Some(Window::Rectangular),
        "bh4" | "blackmanharris" => Some(Window::BlackmanHarris),
        "flattop" => Some(Window::FlatTop),
        _ => Window::from_name(name),
    }
}
