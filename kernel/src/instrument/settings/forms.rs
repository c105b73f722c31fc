//! Forms of settings: a value taken from text, written back, and listed among the capabilities.

use core::fmt::{self, Display, Write};
use core::str::FromStr;

use signal::Named;
use wire::{Encoding, Rate, Window};

use super::numbers::{decimal, number, rounded};
use super::{EngineChoice, Input, MAX_N, MIN_N, Output, Overlap, Problem, rate};

/// The highest centre frequency: what is above cannot be written with three decimals.
const MAX_CENTRE_HZ: f64 = 1e15;

/// The text of a value of type `T`.
pub(super) trait Form<T> {
    /// The value that a text stands for.
    fn take(&self, text: &str) -> Result<T, Problem>;

    /// Writes a value as [`Self::take`] takes it.
    fn write(&self, value: T, out: &mut dyn Write) -> fmt::Result;

    /// Writes the values that there are, for a program that lets a user choose: names, or a range
    /// as `1..`. Nothing where no list helps.
    fn values(&self, _out: &mut dyn Write) -> fmt::Result {
        Ok(())
    }
}

/// The names of a type.
pub(super) struct NamesForm;

impl<T: Named> Form<T> for NamesForm {
    fn take(&self, text: &str) -> Result<T, Problem> {
        let place = T::NAMES.iter().position(|name| *name == text);
        place
            .map(|place| T::VALUES[place])
            .ok_or(Problem::Names(T::NAMES))
    }

    fn write(&self, value: T, out: &mut dyn Write) -> fmt::Result {
        let place = T::VALUES.iter().position(|other| *other == value);
        place.map_or(Ok(()), |place| out.write_str(T::NAMES[place]))
    }

    fn values(&self, out: &mut dyn Write) -> fmt::Result {
        write_list(T::NAMES.iter(), ",", out)
    }
}

/// A number: what is right, and the range that capabilities name.
pub(super) struct CountForm(pub &'static str, pub &'static str);

impl Form<u32> for CountForm {
    fn take(&self, text: &str) -> Result<u32, Problem> {
        number(text, self.0)
    }

    fn write(&self, value: u32, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{value}")
    }

    fn values(&self, out: &mut dyn Write) -> fmt::Result {
        out.write_str(self.1)
    }
}

/// 0 or 1, and what is right.
pub(super) struct SwitchForm(pub &'static str);

impl Form<bool> for SwitchForm {
    fn take(&self, text: &str) -> Result<bool, Problem> {
        match text {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(Problem::Value(self.0)),
        }
    }

    fn write(&self, value: bool, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{}", u8::from(value))
    }

    fn values(&self, out: &mut dyn Write) -> fmt::Result {
        out.write_str("0,1")
    }
}

/// A length that the firmware has memory for.
pub(super) struct PointsForm;

impl Form<u32> for PointsForm {
    fn take(&self, text: &str) -> Result<u32, Problem> {
        let n: u64 = number(text, "use a power of two, for example n=4096")?;
        if !n.is_power_of_two() || n < u64::from(MIN_N) {
            return Err(Problem::NotPowerOfTwo);
        }
        if n > u64::from(MAX_N) {
            return Err(Problem::TooLong);
        }
        Ok(n as u32)
    }

    fn write(&self, value: u32, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{value}")
    }

    fn values(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{MIN_N}..{MAX_N}")
    }
}

/// The name of a window, some of them by other names as well.
pub(super) struct WindowForm;

impl Form<Window> for WindowForm {
    fn take(&self, text: &str) -> Result<Window, Problem> {
        let window = match text {
            "rect" => Some(Window::Rectangular),
            "bh4" | "blackmanharris" => Some(Window::BlackmanHarris),
            "flattop" => Some(Window::FlatTop),
            _ => Window::from_name(text),
        };
        window.ok_or(Problem::Window)
    }

    fn write(&self, value: Window, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{value}")
    }

    fn values(&self, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{},kaiser:0..30", Window::names(","))
    }
}

/// Percent of a block, or samples.
pub(super) struct OverlapForm;

impl Form<Overlap> for OverlapForm {
    fn take(&self, text: &str) -> Result<Overlap, Problem> {
        let right = "use a percentage, overlap=50%, or samples, overlap=512";
        match text.strip_suffix('%') {
            Some(percent) => match number(percent, right)? {
                percent @ 0..=99 => Ok(Overlap::Percent(percent)),
                _ => Err(Problem::Value(right)),
            },
            None => Ok(Overlap::Samples(number(text, right)?)),
        }
    }

    fn write(&self, value: Overlap, out: &mut dyn Write) -> fmt::Result {
        match value {
            // Not as samples: it goes with `n`.
            Overlap::Percent(percent) => write!(out, "{percent}%"),
            Overlap::Samples(samples) => write!(out, "{samples}"),
        }
    }
}

/// The blocks of a record; `all` is 0.
pub(super) struct BlocksForm;

impl Form<u32> for BlocksForm {
    fn take(&self, text: &str) -> Result<u32, Problem> {
        let right = "use a number of blocks, or avg=all for an upload";
        or_all(text, right).map(|blocks| blocks.unwrap_or(0))
    }

    fn write(&self, value: u32, out: &mut dyn Write) -> fmt::Result {
        write_or_all((value != 0).then_some(value), out)
    }

    fn values(&self, out: &mut dyn Write) -> fmt::Result {
        out.write_str("1..,all")
    }
}

/// The number of a bin; `all` is none.
pub(super) struct BinForm;

impl Form<Option<i32>> for BinForm {
    fn take(&self, text: &str) -> Result<Option<i32>, Problem> {
        or_all(text, "use the number of a bin, or first=all")
    }

    fn write(&self, value: Option<i32>, out: &mut dyn Write) -> fmt::Result {
        write_or_all(value, out)
    }
}

/// An encoding of records, or text.
pub(super) struct OutputForm;

impl Form<Output> for OutputForm {
    fn take(&self, text: &str) -> Result<Output, Problem> {
        if text == "text" {
            return Ok(Output::Text);
        }
        let encoding = Encoding::from_name(text).map(Output::Records);
        encoding.ok_or(Problem::Value("use f32, u16, u8 or text"))
    }

    fn write(&self, value: Output, out: &mut dyn Write) -> fmt::Result {
        match value {
            Output::Records(encoding) => out.write_str(encoding.name()),
            Output::Text => out.write_str("text"),
        }
    }

    fn values(&self, out: &mut dyn Write) -> fmt::Result {
        write_list(Encoding::NAMES.iter().chain(&["text"]), ",", out)
    }
}

/// The name of an input.
pub(super) struct InputForm;

impl Form<Input> for InputForm {
    fn take(&self, text: &str) -> Result<Input, Problem> {
        Input::check(text)?;
        NamesForm.take(text)
    }

    fn write(&self, value: Input, out: &mut dyn Write) -> fmt::Result {
        NamesForm.write(value, out)
    }

    fn values(&self, out: &mut dyn Write) -> fmt::Result {
        Form::<Input>::values(&NamesForm, out)
    }
}

/// A rate in hertz; `auto` is none.
pub(super) struct RateForm;

impl Form<Option<Rate>> for RateForm {
    fn take(&self, text: &str) -> Result<Option<Rate>, Problem> {
        rate::rate(text)
    }

    fn write(&self, value: Option<Rate>, out: &mut dyn Write) -> fmt::Result {
        match value {
            None => out.write_str("auto"),
            Some(rate) if rate.den == 1 => write!(out, "{}", rate.num),
            Some(rate) => write!(out, "{}/{}", rate.num, rate.den),
        }
    }
}

/// A frequency in hertz.
pub(super) struct HertzForm;

impl Form<f64> for HertzForm {
    fn take(&self, text: &str) -> Result<f64, Problem> {
        decimal(text)
            .filter(|hz| hz.abs() <= MAX_CENTRE_HZ)
            .ok_or(Problem::Value(
                "use hertz up to 10^15, for example centre=1090000000",
            ))
    }

    fn write(&self, value: f64, out: &mut dyn Write) -> fmt::Result {
        write!(out, "{}", rounded(value, 3))
    }
}

/// The name of an engine; `qpu` is `auto`.
pub(super) struct EngineForm;

impl Form<EngineChoice> for EngineForm {
    fn take(&self, text: &str) -> Result<EngineChoice, Problem> {
        match text {
            "qpu" => Ok(EngineChoice::Auto),
            _ => NamesForm.take(text),
        }
    }

    fn write(&self, value: EngineChoice, out: &mut dyn Write) -> fmt::Result {
        NamesForm.write(value, out)
    }

    fn values(&self, out: &mut dyn Write) -> fmt::Result {
        Form::<EngineChoice>::values(&NamesForm, out)
    }
}

/// What the owner of the card allows.
pub(super) struct PermissionForm;

impl Form<bool> for PermissionForm {
    fn take(&self, text: &str) -> Result<bool, Problem> {
        match text {
            "run" => Ok(true),
            _ => Err(Problem::Value(
                "only allow=run is known: a host may run programs of its own",
            )),
        }
    }

    fn write(&self, value: bool, out: &mut dyn Write) -> fmt::Result {
        out.write_str(if value { "run" } else { "" })
    }
}

fn or_all<T: FromStr>(text: &str, right: &'static str) -> Result<Option<T>, Problem> {
    match text {
        "all" => Ok(None),
        _ => number(text, right).map(Some),
    }
}

fn write_or_all(value: Option<impl Display>, out: &mut dyn Write) -> fmt::Result {
    match value {
        Some(value) => write!(out, "{value}"),
        None => out.write_str("all"),
    }
}

/// Writes names with something between them.
pub(super) fn write_list<'a>(
    names: impl Iterator<Item = &'a &'static str>,
    between: &str,
    out: &mut dyn Write,
) -> fmt::Result {
    for (place, name) in names.enumerate() {
        out.write_str(if place > 0 { between } else { "" })?;
        out.write_str(name)?;
    }
    Ok(())
}
