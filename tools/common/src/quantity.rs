//! Numbers for people: how they are written, and how they are read.
//!
//! One parser reads `44.1k`, `2M`, `2e6`, `0x1000`, `1/3600` and `1.5min`, so that every option
//! takes the same suffixes: k, M and G, and for whole numbers Ki, Mi and Gi as well. A small m is
//! none: in rtl_power it is a million, in SI a thousandth.

use std::time::Duration;

use crate::text;
use signal::Rate;
pub use view::quantity::{decimals, digits, frequency, frequency_by, period, prefix, ticks};

/// Suffixes and what they multiply with; the longer of two that end alike stands first.
const SUFFIXES: [(&str, u64); 7] = [
    ("Ki", 1 << 10),
    ("Mi", 1 << 20),
    ("Gi", 1 << 30),
    ("k", 1_000),
    ("K", 1_000),
    ("M", 1_000_000),
    ("G", 1_000_000_000),
];

/// Units of time in thousandths of a microsecond; the longer of two that end alike stands first.
const TIMES: [(&str, u64); 8] = [
    ("min", 60_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("µs", 1_000),
    ("ns", 1),
    ("s", 1_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

/// The most digits of a number that count: a fraction of them and of any exponent fits 128 bits.
const MOST_DIGITS: usize = 25;

/// `12`, `44.1k`, `2M`, `2e6`, `65_536`, `0x1000`: as an exact fraction.
fn wide(text: &str) -> Option<(u128, u128)> {
    let text = text.trim().replace('_', "");
    if let Some(hex) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        let is_plain = hex.bytes().all(|digit| digit.is_ascii_hexdigit());
        return is_plain.then(|| u128::from_str_radix(hex, 16).ok().zip(Some(1)))?;
    }
    let suffix = SUFFIXES
        .iter()
        .find_map(|&(suffix, factor)| Some((text.strip_suffix(suffix)?, factor)));
    let (text, factor) = suffix.unwrap_or((&text, 1));
    let text = text.trim_end();
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    // Zeros at the ends are the exponent's, and of a long fraction the last digits do not count.
    let mut digits = digits.trim_start_matches('0');
    let mut exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    while exponent < 0 && (digits.ends_with('0') || digits.len() > MOST_DIGITS) {
        digits = &digits[..digits.len() - 1];
        exponent += 1;
    }
    if digits.is_empty() {
        return Some((0, 1));
    }
    let power = 10_u128.checked_pow(exponent.unsigned_abs())?;
    let value = digits
        .parse::<u128>()
        .ok()?
        .checked_mul(u128::from(factor))?;
    if exponent < 0 {
        Some((value, power))
    } else {
        Some((value.checked_mul(power)?, 1))
    }
}

/// A number as [`wide`] reads it, where it needs no more than 64 bits.
fn exact(text: &str) -> Option<(u64, u64)> {
    let (over, under) = wide(text)?;
    let divisor = common_divisor(over, under);
    let narrow = |part: u128| u64::try_from(part / divisor).ok();
    narrow(over).zip(narrow(under))
}

/// The greatest number that divides both; `under` is not 0.
const fn common_divisor(over: u128, under: u128) -> u128 {
    let (mut divisor, mut rest) = (under, over % under);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    divisor
}

/// A number without a sign, or one divided by another, in 128 bits; `Hz` may stand after it.
fn quotient(text: &str) -> Option<(u128, u128)> {
    let text = text.trim();
    let text = text.strip_suffix("Hz").unwrap_or(text);
    let (over, under) = text.split_once('/').unwrap_or((text, "1"));
    let ((a, b), (c, d)) = (wide(over)?, wide(under)?);
    let (over, under) = match (a.checked_mul(d), b.checked_mul(c)) {
        (Some(over), Some(under)) => (over, under),
        // Each part in 64 bits, and then the products fit.
        _ => {
            let ((a, b), (c, d)) = (nearest(a, b)?, nearest(c, d)?);
            let product = |x, y| u128::from(x) * u128::from(y);
            (product(a, d), product(b, c))
        }
    };
    (under != 0).then_some((over, under))
}

/// The fraction of two numbers of 64 bits that is nearest to a wider one, as far as continued
/// fractions lead: the fraction itself where it fits. None where it is beyond 64 bits, or so small
/// that it would be 0.
fn nearest(over: u128, under: u128) -> Option<(u64, u64)> {
    let is_zero = over == 0;
    let (mut over, mut under) = (over, under);
    let (mut last, mut best) = ((0_u64, 1_u64), (1_u64, 0_u64));
    while under != 0 {
        let next = || {
            let term = u64::try_from(over / under).ok()?;
            let step = |best: u64, last: u64| term.checked_mul(best)?.checked_add(last);
            Some((step(best.0, last.0)?, step(best.1, last.1)?))
        };
        let Some(next) = next() else { break };
        (last, best) = (best, next);
        (over, under) = (under, over % under);
    }
    (best.1 != 0 && (best.0 == 0) == is_zero).then_some(best)
}

/// A number without a sign, or one divided by another, as a fraction: an exact one where 64 bits
/// hold it, else the nearest. `Hz` may stand after it.
#[must_use]
pub fn fraction(text: &str) -> Option<(u64, u64)> {
    let (over, under) = quotient(text)?;
    nearest(over, under)
}

/// The rate that `text` is, as a fraction in lowest terms: the nearest one that the protocol can
/// state.
pub fn rate(text: &str) -> Result<Rate, String> {
    const MOST: u64 = u64::MAX;
    let shown = text::quote(text);
    let Some((over, under)) = quotient(text) else {
        return Err(format!(
            "`{shown}` is not a sample rate; write samples a second as 48000, 44.1k or 2M, \
             or as a fraction such as 1/3600 for one sample an hour"
        ));
    };
    if over == 0 {
        return Err(format!(
            "`{shown}` is not a sample rate: it must be above 0; for slow samples write a fraction such as 1/3600 for \
             one sample an hour"
        ));
    }
    nearest(over, under)
        .and_then(|(over, under)| Rate::new(over, under))
        .ok_or_else(|| {
            format!(
                "`{shown}` is beyond the sample rates that the protocol can state, which are 1/{MOST} to {MOST} Hz; \
                 give one of them, such as 1/3600 for one sample an hour"
            )
        })
}

/// A frequency in hertz, which may be negative: `145.0375M`, `-7.1k`.
///
/// # Errors
/// With what to write instead.
pub fn hertz(text: &str) -> Result<f64, String> {
    let trimmed = text.trim();
    let (sign, size) = match trimmed.strip_prefix('-') {
        Some(size) => (-1.0, size),
        None => (1.0, trimmed.strip_prefix('+').unwrap_or(trimmed)),
    };
    let (over, under) = fraction(size).ok_or_else(|| {
        format!("`{text}` is no frequency; write hertz as 145037500, 145.0375M or -7.1k")
    })?;
    Ok(sign * (over as f64 / under as f64))
}

/// A time above 0, in seconds where no unit stands behind it: `2.5`, `500ms`, `1.5min`, `12h`.
///
/// # Errors
/// With what to write instead.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let trimmed = text.trim();
    let unit = TIMES
        .iter()
        .find_map(|&(unit, nanoseconds)| Some((trimmed.strip_suffix(unit)?, nanoseconds)));
    let (number, nanoseconds) = unit.unwrap_or((trimmed, 1_000_000_000));
    let time = exact(number).and_then(|(over, under)| {
        let time = u128::from(over) * u128::from(nanoseconds) / u128::from(under);
        Some(Duration::from_nanos(u64::try_from(time).ok()?))
    });
    time.filter(|time| !time.is_zero()).ok_or_else(|| {
        format!(
            "`{text}` is no time; give seconds above 0, or a unit, as in 2.5, 500ms, 15min or 12h"
        )
    })
}

/// A range written as `1000..2000` or `0x40001000..0x40001040`; either end may be left out.
///
/// # Errors
/// With what to write instead.
pub fn range(text: &str) -> Result<std::ops::Range<u64>, String> {
    let number = |text: &str, absent| match text.trim() {
        "" => Ok(absent),
        text => number(text),
    };
    let (from, to) = text
        .split_once("..")
        .ok_or_else(|| format!("`{text}` is no range; write FROM..TO, for example 1000..2000"))?;
    let range = number(from, 0)?..number(to, u64::MAX)?;
    if range.is_empty() {
        return Err(format!("`{text}` is empty; TO must be larger than FROM"));
    }
    Ok(range)
}

/// A whole number: decimal, hexadecimal with 0x, or with a suffix (`921.6k`, `64Ki`); `_` may
/// separate digits.
///
/// # Errors
/// With what to write instead.
pub fn number(text: &str) -> Result<u64, String> {
    let whole = exact(text).filter(|(over, under)| over.is_multiple_of(*under));
    whole.map(|(over, under)| over / under).ok_or_else(|| {
        format!("`{text}` is no number; write a whole one like 4096, 0x1000, 921.6k or 64Ki")
    })
}

/// A whole number that fits a type, as the value of an option.
///
/// # Errors
/// With what to write instead.
pub fn whole<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    T::try_from(number(text)?).map_err(|_| format!("`{text}` is too large; give less"))
}

/// A parser of whole numbers in a range, as the value of an option.
pub fn within<T: TryFrom<u64>>(
    range: std::ops::RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let value = number(text)?;
        let inside = range.contains(&value).then(|| T::try_from(value).ok());
        let (least, most) = (range.start(), range.end());
        inside
            .flatten()
            .ok_or_else(|| format!("`{text}` is out of range; give {least} to {most}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_quantities_take_the_same_suffixes() {
        for (text, value) in [
            ("2500000", 2_500_000),
            ("2.5M", 2_500_000),
            ("2500k", 2_500_000),
            ("2_500K", 2_500_000),
            ("2.5e6", 2_500_000),
            ("0.0025G", 2_500_000),
            ("0x10", 16),
        ] {
            assert_eq!(number(text), Ok(value), "{text}");
            assert_eq!(hertz(text), Ok(value as f64), "{text}");
            let (over, under) = fraction(text).expect(text);
            assert_eq!(over, value * under, "{text}");
            assert_eq!(seconds(text), Ok(Duration::from_secs(value)), "{text}");
        }
        assert_eq!(number("64Ki"), Ok(65_536));
        assert_eq!(hertz("-145.0375 MHz"), Ok(-145_037_500.0));
        assert_eq!(hertz("1/3600"), Ok(1.0 / 3600.0));
        assert_eq!(seconds("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(seconds("1.5min"), Ok(Duration::from_secs(90)));
        assert_eq!(whole::<u32>("3M"), Ok(3_000_000));
    }

    #[test]
    fn what_is_no_quantity_is_refused_with_examples() {
        for text in ["", "2m", "k", "1e99", "--5", "1,5", "fast", "0x", "."] {
            assert!(number(text).unwrap_err().contains("921.6k"), "{text}");
            assert!(hertz(text).unwrap_err().contains("145.0375M"), "{text}");
        }
        for text in ["0", "-1", "5m", "for ever"] {
            assert!(seconds(text).unwrap_err().contains("500ms"), "{text}");
        }
        assert!(number("0.5").is_err());
        assert!(whole::<u32>("5G").unwrap_err().contains("too large"));
    }

    #[test]
    fn rates_are_plain_numbers_factors_and_fractions() {
        let fraction = |text| rate(text).ok().map(|rate| (rate.num, rate.den));
        assert_eq!(fraction("48000"), Some((48_000, 1)));
        assert_eq!(fraction("44.1k"), Some((44_100, 1)));
        assert_eq!(fraction("2M"), Some((2_000_000, 1)));
        assert_eq!(fraction("2e6"), Some((2_000_000, 1)));
        assert_eq!(fraction("0.5"), Some((1, 2)));
        assert_eq!(fraction("1/3600"), Some((1, 3600)));
        assert_eq!(fraction("2/7200"), Some((1, 3600)));
        assert_eq!(fraction("1e6/3 Hz"), Some((1_000_000, 3)));
    }

    #[test]
    fn what_is_no_rate_is_refused_with_examples() {
        for text in [
            "", "0", "-5", "1/0", "fast", "1e99", "k", "1//2", ".", "0e5",
        ] {
            let error = rate(text).expect_err(text);
            assert!(error.contains("1/3600"), "{error}");
        }
    }

    #[test]
    fn every_rate_above_0_that_64_bits_state_is_taken() {
        for (text, num, den) in [
            ("0.0002777", 2777, 10_000_000),
            ("1e-6", 1, 1_000_000),
            ("1/86400", 1, 86_400),
            ("1/86400.5", 2, 172_801),
            ("1/604_800 Hz", 1, 604_800),
            ("0.000000000000000001", 1, 1_000_000_000_000_000_000),
            ("18446744073709551615", u64::MAX, 1),
            ("1/18446744073709551615", 1, u64::MAX),
            ("1.00000000000000000000000000000000000", 1, 1),
            ("1e-30/1e-33", 1000, 1),
        ] {
            assert_eq!(rate(text), Ok(Rate { num, den }), "{text}");
        }
    }

    #[test]
    fn a_rate_of_more_digits_becomes_the_nearest_fraction() {
        // As Python writes 1/86400, 1/604800 and 1/3: their fractions need more than 64 bits.
        for (text, of) in [
            ("1.1574074074074073e-05", 1.157_407_407_407_407_3e-5),
            ("1.6534391534391535e-06", 1.653_439_153_439_153_5e-6),
            ("0.33333333333333333333333333333333333333333", 1.0 / 3.0),
            ("3.1688087814028950e-12", 3.168_808_781_402_895e-12),
        ] {
            let rate = rate(text).expect(text).to_hz();
            assert!((rate / of - 1.0).abs() < 1e-15, "{text}: {rate}");
        }
    }

    #[test]
    fn a_rate_beyond_64_bits_is_refused_with_the_limits() {
        for text in [
            "1e-20",
            "0.00000000000000000001",
            "1e20",
            "18446744073709551616",
        ] {
            let error = rate(text).expect_err(text);
            assert!(error.contains("1/18446744073709551615 to"), "{error}");
        }
    }
}
