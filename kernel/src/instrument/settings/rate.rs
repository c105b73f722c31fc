//! Rates of live inputs.
//!
//! A rate is a fraction of hertz. Where the board gives the clock of I2S, it is the crystal's 19.2
//! MHz divided by a whole number and by the 64 bit clocks of a frame, so it is 300,000 Hz divided
//! by that number, and nothing else. SMI has five rates.

use core::fmt::{self, Write};

use wire::Rate;

use super::input::{ClockSource, Input};
use super::numbers::{number, rounded};
use super::{Problem, Settings};
use crate::smi;

/// The highest rate of microphones of the usual kind, and one that the crystal gives.
pub(super) const DEFAULT_RATE: Rate = Rate::hz(50_000);

/// The rate that takes the place of one that an input cannot have.
pub(super) const fn usual_rate(input: Input) -> Option<Rate> {
    match input {
        Input::Generator | Input::I2s => Some(DEFAULT_RATE),
        Input::Smi => Some(Rate::hz(SMI_MHZ[0] * MEGA)),
    }
}

const KILO: u64 = 1000;
const MEGA: u64 = 1_000_000;

/// The rates of SMI, in MS/s.
const SMI_MHZ: [u64; 5] = [1, 2, 5, 10, 20];

/// Frames a second where the crystal is not divided.
const HIGHEST_HZ: u64 = 300_000;
/// The greatest divisor of the clock manager.
const MAX_DIVISOR: u64 = 0xfff;
/// The rates of an ADC that gives the clock.
const ADC_HZ: core::ops::RangeInclusive<u64> = 8_000..=384_000;

/// The divisor of the crystal that gives this rate.
fn divisor(rate: Rate) -> Option<u32> {
    let (whole, rest) = (
        HIGHEST_HZ * rate.den / rate.num,
        HIGHEST_HZ * rate.den % rate.num,
    );
    (rest == 0 && (1..=MAX_DIVISOR).contains(&whole)).then_some(whole as u32)
}

/// The cycles of SMI's clock that a read takes at this rate.
fn cycles(rate: Rate) -> Option<u32> {
    let exists = SMI_MHZ.into_iter().any(|mhz| Rate::hz(mhz * MEGA) == rate);
    exists.then_some((smi::CLOCK_HZ / rate.num) as u32)
}

impl Settings {
    /// The divisor of the crystal for the rate that is set; `None` where the ADC gives the clock.
    pub(in crate::instrument) fn divisor(&self) -> Option<u32> {
        match (self.clock, self.rate) {
            (ClockSource::Board, Some(rate)) => divisor(rate),
            _ => None,
        }
    }

    /// The cycles of SMI's clock for the rate that is set, if it has them.
    pub(super) fn cycles(&self) -> Option<u32> {
        self.rate.and_then(cycles)
    }
}

/// A rate: hertz, kilohertz or megahertz, or a fraction of two whole numbers; `auto` is none.
pub(super) fn rate(value: &str) -> Result<Option<Rate>, Problem> {
    const RIGHT: &str = "use hertz as in rate=50000, rate=50k or rate=20M, a fraction as in rate=300000/7, or rate=auto";
    /// More than that cannot be a sample rate, and is too much to compute with.
    const MOST: u64 = 1 << 32;
    if value == "auto" {
        return Ok(None);
    }
    let (value, unit) = match (value.strip_suffix('k'), value.strip_suffix('M')) {
        (Some(value), _) => (value, KILO),
        (_, Some(value)) => (value, MEGA),
        _ => (value, 1),
    };
    let (num, den) = value.split_once('/').unwrap_or((value, "1"));
    let (num, den): (u64, u64) = (number(num, RIGHT)?, number(den, RIGHT)?);
    let rate =
        Rate::new(num.saturating_mul(unit), den).filter(|rate| rate.num.max(rate.den) <= MOST);
    rate.map(Some).ok_or(Problem::Value(RIGHT))
}

/// Refuses a rate that the input cannot have.
pub(super) fn check_rate(settings: &Settings) -> Result<(), Problem> {
    match (settings.input, settings.clock, settings.rate) {
        (Input::Generator, _, _) | (Input::I2s, ClockSource::Adc, None) => Ok(()),
        (Input::I2s, ClockSource::Board, None) => Err(Problem::Value(
            "the board gives the clock, so name its rate, as in rate=50000, or set clock=adc",
        )),
        (Input::I2s, ClockSource::Board, Some(rate)) => match divisor(rate) {
            Some(_) => Ok(()),
            None => Err(Problem::NoDivisor(rate)),
        },
        (Input::I2s, ClockSource::Adc, Some(Rate { num, den })) => {
            if (ADC_HZ.start() * den..=ADC_HZ.end() * den).contains(&num) {
                return Ok(());
            }
            Err(Problem::Value(
                "an ADC that gives the clock may have 8000 to 384000 Hz; use rate=auto to take its \
                 own",
            ))
        }
        (Input::Smi, _, None) => Err(Problem::Value(
            "the board clocks a parallel ADC, so name its rate, as in rate=20M",
        )),
        (Input::Smi, _, Some(rate)) => match cycles(rate) {
            Some(_) => Ok(()),
            None => Err(Problem::NoReads(rate)),
        },
    }
}

/// Writes the two rates that the crystal gives next to one that it does not give.
pub(super) fn write_nearest(rate: Rate, out: &mut impl Write) -> fmt::Result {
    let below = (HIGHEST_HZ * rate.den)
        .div_ceil(rate.num)
        .clamp(2, MAX_DIVISOR);
    out.write_str(
        "the 19.2 MHz crystal divided by 64 and a whole number does not give this; use rate=",
    )?;
    write_rate(below, out)?;
    out.write_str(" or rate=")?;
    write_rate(below - 1, out)
}

/// Writes the two rates of SMI next to one that it does not have.
pub(super) fn write_nearest_smi(rate: Rate, out: &mut impl Write) -> fmt::Result {
    let is_above = |mhz: &u64| mhz * MEGA * rate.den > rate.num;
    let above = SMI_MHZ.iter().position(is_above);
    let above = above.unwrap_or(SMI_MHZ.len() - 1).max(1);
    let [low, high] = [SMI_MHZ[above - 1], SMI_MHZ[above]];
    write!(
        out,
        "a parallel ADC runs at 1, 2, 5, 10 or 20 MS/s; use rate={low}M or rate={high}M"
    )
}

/// Writes the rate that a divisor gives, as it is set, and in hertz where it is a fraction.
fn write_rate(divisor: u64, out: &mut impl Write) -> fmt::Result {
    if HIGHEST_HZ.is_multiple_of(divisor) {
        return write!(out, "{}", HIGHEST_HZ / divisor);
    }
    let hz = rounded(HIGHEST_HZ as f64 / divisor as f64, 3);
    write!(out, "{HIGHEST_HZ}/{divisor} ({hz} Hz)")
}

#[cfg(test)]
mod tests {
    use super::super::Channel;
    use super::*;
    use crate::instrument::capture::Wiring;

    fn applied(text: &str) -> Result<Settings, String> {
        let mut settings = Settings::default();
        let result = settings.apply(text);
        result.map(|()| settings).map_err(|error| error.to_string())
    }

    #[test]
    fn the_crystal_gives_these_rates() {
        for (rate, divisor) in [
            ("25000", 12),
            ("37500", 8),
            ("75000/2", 8),
            ("50000", 6),
            ("60000", 5),
            ("75000", 4),
            ("100000", 3),
            ("150000", 2),
            ("300000", 1),
            ("300000/7", 7),
            ("300000/4095", 4095),
        ] {
            let settings = applied(&format!("input=i2s rate={rate}")).unwrap();
            assert_eq!(settings.divisor(), Some(divisor), "{rate}");
        }
    }

    #[test]
    fn other_rates_are_refused_with_the_two_nearest() {
        for (text, words) in [
            (
                "input=i2s rate=48000",
                "rate=300000/7 (42857.143 Hz) or rate=50000",
            ),
            (
                "rate=44100 input=i2s",
                "rate=300000/7 (42857.143 Hz) or rate=50000",
            ),
            ("input=i2s rate=96000", "rate=75000 or rate=100000"),
            ("input=i2s rate=400000", "rate=150000 or rate=300000"),
            (
                "input=i2s rate=1",
                "rate=300000/4095 (73.260 Hz) or rate=300000/4094 (73.278 Hz)",
            ),
            ("input=i2s rate=auto", "name its rate"),
            ("input=i2s clock=adc rate=7999", "8000 to 384000"),
            ("input=i2s clock=adc rate=384001", "8000 to 384000"),
            ("rate=0", "rate=50000"),
            ("rate=1/0", "rate=50000"),
            (
                "rate=18446744073709551615/18446744073709551614",
                "rate=50000",
            ),
            ("rate=-1", "rate=50000"),
            ("rate=1e3", "rate=50000"),
            ("input=smi", "use rate=1M or rate=2M"),
            ("input=smi rate=3M", "use rate=2M or rate=5M"),
            ("input=smi rate=19999999", "use rate=10M or rate=20M"),
            ("input=smi rate=4294967296", "use rate=10M or rate=20M"),
            ("input=smi rate=1/4294967296", "use rate=1M or rate=2M"),
            ("input=smi rate=auto", "as in rate=20M"),
            ("input=smi rate=20M channel=iq", "set channel=left"),
            ("input=smi rate=20M clock=adc", "set clock=board"),
            ("input=smi12 rate=20M", "GPIO 14 and 15"),
            ("input=i2s,smi", "share GPIO 18 to 21"),
            ("rate=99999999999999999999M", "rate=20M"),
            ("rate=18446744073709551615M", "rate=20M"),
            ("rate=20MM", "rate=20M"),
            ("rate=M", "rate=20M"),
            ("mode=all", "stream or snapshot"),
            ("input=mic", "gen, i2s or smi"),
            ("clock=me", "board or adc"),
            ("channel=both", "left, right, iq or qi"),
        ] {
            let error = applied(text).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn an_adc_has_any_rate_and_the_generator_does_not_care() {
        assert_eq!(
            applied("input=i2s clock=adc rate=44100").unwrap().divisor(),
            None
        );
        assert_eq!(
            applied("input=i2s clock=adc rate=auto").unwrap().divisor(),
            None
        );
        assert!(applied("rate=44100").is_ok());
        let (settings, error) = Settings::from_cmdline("input=i2s rate=44100 channel=iq");
        assert_eq!(
            (settings.input, settings.rate),
            (Input::I2s, Some(DEFAULT_RATE))
        );
        assert_eq!(settings.channel, Channel::Iq);
        assert!(error.unwrap().to_string().contains("300000/7"));
    }

    #[test]
    fn smi_has_five_rates_and_a_rate_may_have_a_unit() {
        for (rate, cycles) in [
            ("1M", 100),
            ("2000k", 50),
            ("5M", 20),
            ("10000000", 10),
            ("20M", 5),
        ] {
            let settings = applied(&format!("input=smi rate={rate}")).unwrap();
            let wiring = settings.wiring([true; 2]);
            assert_eq!(wiring, Wiring::Smi { cycles }, "{rate}");
        }
        let settings = applied("input=smi rate=20M").unwrap();
        let mut text = String::new();
        settings.write("rate", &mut text).unwrap();
        assert_eq!(text, "rate=20000000\n");
        assert_eq!(
            applied("rate=75/2k").unwrap().rate,
            applied("rate=37500").unwrap().rate
        );
        let (settings, error) = Settings::from_cmdline("input=smi channel=iq mode=snapshot");
        let wiring = settings.wiring([true; 2]);
        assert_eq!(
            (settings.channel, wiring),
            (Channel::Left, Wiring::Smi { cycles: 100 })
        );
        assert!(error.is_some());
    }
}
