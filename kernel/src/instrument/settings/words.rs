//! One setting as a word: `key=value` taken, and written back.

use core::fmt::{self, Write};

use wire::{Dc, Detector, Domain, Encoding, Name, Unit, Window};

use super::{
    ALLOW, EngineChoice, MAX_N, MIN_N, Output, Overlap, Problem, SELFTEST, SettingError, Settings,
};

/// The highest centre frequency: what is above cannot be written with three decimals.
const MAX_CENTRE_HZ: f64 = 1e15;

impl Settings {
    pub(super) fn apply_word(&mut self, word: &str) -> Result<(), SettingError> {
        let refuse = |problem| SettingError {
            word: Name::new(word),
            problem,
        };
        let value_error = |right| refuse(Problem::Value(right));
        let (key, value) = word
            .split_once('=')
            .ok_or_else(|| refuse(Problem::UnknownKey))?;
        match key {
            "n" => {
                let n: u64 = value
                    .parse()
                    .map_err(|_| value_error("use a power of two, for example n=4096"))?;
                if !n.is_power_of_two() || n < u64::from(MIN_N) {
                    return Err(refuse(Problem::NotPowerOfTwo));
                }
                if n > u64::from(MAX_N) {
                    return Err(refuse(Problem::TooLong));
                }
                self.n = n as u32;
            }
            "window" => {
                self.window = window(value).ok_or_else(|| refuse(Problem::Window))?;
            }
            "overlap" => {
                let error =
                    || value_error("use a percentage, overlap=50%, or samples, overlap=512");
                self.overlap = match value.strip_suffix('%') {
                    Some(percent) => match percent.parse().map_err(|_| error())? {
                        percent @ 0..=99 => Overlap::Percent(percent),
                        _ => return Err(error()),
                    },
                    None => Overlap::Samples(value.parse().map_err(|_| error())?),
                };
            }
            "avg" if value == "all" => self.average = 0,
            "avg" => {
                let error = |_| value_error("use a number of blocks, or avg=all for an upload");
                self.average = value.parse().map_err(error)?;
            }
            "detector" => {
                self.detector = Detector::from_name(value)
                    .ok_or_else(|| value_error("use mean, max or min"))?;
            }
            "dc" => {
                self.dc = Dc::from_name(value).ok_or_else(|| value_error("use keep or remove"))?;
            }
            "out" if value == "text" => self.output = Output::Text,
            "out" => {
                self.output = Encoding::from_name(value)
                    .map(Output::Records)
                    .ok_or_else(|| value_error("use f32, u16, u8 or text"))?;
            }
            "domain" => {
                self.domain =
                    Domain::from_name(value).ok_or_else(|| value_error("use real or complex"))?;
            }
            "first" if value == "all" => self.first = None,
            "first" => {
                let error = |_| value_error("use the number of a bin, or first=all");
                self.first = Some(value.parse().map_err(error)?);
            }
            "bins" => {
                let error = |_| value_error("use a number of bins, or bins=0 for all");
                self.bins = value.parse().map_err(error)?;
            }
            "centre" => {
                self.centre_hz = decimal(value)
                    .filter(|hz| hz.abs() <= MAX_CENTRE_HZ)
                    .ok_or_else(|| {
                        value_error("use hertz up to 10^15, for example centre=1090000000")
                    })?;
            }
            "unit" => {
                self.unit = Unit::from_name(value).ok_or_else(|| value_error("use dBFS or dB"))?;
            }
            "engine" => {
                self.engine = match value {
                    "auto" | "qpu" => EngineChoice::Auto,
                    "fft" => EngineChoice::Fft,
                    "cpu" => EngineChoice::Cpu,
                    _ => return Err(value_error("use auto, fft or cpu")),
                };
            }
            "start" => {
                self.start = match value {
                    "0" => false,
                    "1" => true,
                    _ => return Err(value_error("use start=0 or start=1")),
                };
            }
            _ if word.starts_with(SELFTEST) => {
                return Err(value_error(
                    "the QPU test runs at a start; write it into cmdline.txt",
                ));
            }
            _ if word.starts_with(ALLOW) => {
                return Err(value_error(
                    "only the owner of the card allows that; write it into cmdline.txt",
                ));
            }
            _ => return Err(refuse(Problem::UnknownKey)),
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
            "detector" => writeln!(out, "detector={}", self.detector.name()),
            "dc" => writeln!(out, "dc={}", self.dc.name()),
            "out" => match self.output {
                Output::Records(encoding) => writeln!(out, "out={}", encoding.name()),
                Output::Text => writeln!(out, "out=text"),
            },
            "domain" => writeln!(out, "domain={}", self.domain.name()),
            "first" => match self.first {
                Some(first) => writeln!(out, "first={first}"),
                None => writeln!(out, "first=all"),
            },
            "bins" => writeln!(out, "bins={}", self.bins),
            "centre" => {
                out.write_str("centre=")?;
                write_milli(self.centre_hz, out)?;
                out.write_str("\n")
            }
            "unit" => writeln!(out, "unit={}", self.unit.name()),
            "engine" => match self.engine {
                EngineChoice::Auto => writeln!(out, "engine=auto"),
                EngineChoice::Fft => writeln!(out, "engine=fft"),
                EngineChoice::Cpu => writeln!(out, "engine=cpu"),
            },
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

/// A decimal number without exponent. The standard library's parser would do, at 20 KiB of image.
fn decimal(text: &str) -> Option<f64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if fraction.len() > 6 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let mut scale = 1.0;
    let mut parts = 0.0;
    for byte in fraction.bytes() {
        scale *= 10.0;
        parts = parts * 10.0 + f64::from(byte - b'0');
    }
    Some(sign * (whole as f64 + parts / scale))
}

/// Writes a number with three decimals, by integers only.
pub(crate) fn write_milli(value: f64, out: &mut impl Write) -> fmt::Result {
    let milli = libm::round(value * 1000.0) as i64;
    let sign = if milli < 0 { "-" } else { "" };
    let milli = milli.unsigned_abs();
    write!(out, "{sign}{}.{:03}", milli / 1000, milli % 1000)
}
