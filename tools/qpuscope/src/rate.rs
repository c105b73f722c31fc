//! A sample rate as an exact fraction of hertz.
//!
//! A rate stays a fraction from the option to the frequency axis: an hourly series has 1/3600 Hz,
//! which no decimal number of hertz is, and a bin's frequency is then right to the last digit.

use std::fmt;
use std::str::FromStr;

/// Samples a second as `num / den`, both at least 1 and in lowest terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate {
    /// Samples ...
    pub num: u64,
    /// ... in this many seconds.
    pub den: u64,
}

impl Rate {
    /// `num / den` in lowest terms, or nothing when either is zero.
    #[must_use]
    pub fn new(num: u64, den: u64) -> Option<Self> {
        let divisor = greatest_common_divisor(num, den);
        if divisor == 0 || num == 0 || den == 0 {
            return None;
        }
        Some(Self {
            num: num / divisor,
            den: den / divisor,
        })
    }

    /// The rate in hertz, rounded to the nearest f64.
    #[must_use]
    pub fn hz(self) -> f64 {
        self.num as f64 / self.den as f64
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// `12`, `44.1k`, `2M`, `2e6`: a decimal number with an optional factor, as an exact fraction.
fn decimal(text: &str) -> Option<(u64, u64)> {
    let (text, factor) = match text.as_bytes().last()? {
        b'k' | b'K' => (&text[..text.len() - 1], 1_000),
        b'M' => (&text[..text.len() - 1], 1_000_000),
        b'G' => (&text[..text.len() - 1], 1_000_000_000),
        _ => (text, 1),
    };
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let exponent = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let power = 10_u64.checked_pow(exponent.unsigned_abs())?;
    let value = digits.parse::<u64>().ok()?.checked_mul(factor)?;
    if exponent < 0 {
        Some((value, power))
    } else {
        Some((value.checked_mul(power)?, 1))
    }
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let text = text.trim();
            let text = text.strip_suffix("Hz").unwrap_or(text).trim_end();
            let (over, under) = text.split_once('/').unwrap_or((text, "1"));
            let ((a, b), (c, d)) = (decimal(over)?, decimal(under)?);
            Self::new(a.checked_mul(d)?, b.checked_mul(c)?)
        };
        parse().ok_or_else(|| {
            format!(
                "`{text}` is not a sample rate; write samples a second as 48000, 44.1k or 2M, \
                 or as a fraction such as 1/3600 for one sample an hour"
            )
        })
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.den == 1 {
            write!(f, "{} Hz", self.num)
        } else {
            write!(f, "{}/{} Hz", self.num, self.den)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> Option<(u64, u64)> {
        text.parse::<Rate>().ok().map(|rate| (rate.num, rate.den))
    }

    #[test]
    fn plain_numbers_factors_and_fractions() {
        assert_eq!(rate("48000"), Some((48_000, 1)));
        assert_eq!(rate("44.1k"), Some((44_100, 1)));
        assert_eq!(rate("2M"), Some((2_000_000, 1)));
        assert_eq!(rate("2e6"), Some((2_000_000, 1)));
        assert_eq!(rate("0.5"), Some((1, 2)));
        assert_eq!(rate("1/3600"), Some((1, 3600)));
        assert_eq!(rate("2/7200"), Some((1, 3600)));
        assert_eq!(rate("1e6/3 Hz"), Some((1_000_000, 3)));
    }

    #[test]
    fn what_is_no_rate_is_refused_with_examples() {
        for text in ["", "0", "-5", "1/0", "fast", "1e99", "k", "1//2", "."] {
            let error = text.parse::<Rate>().expect_err(text);
            assert!(error.contains("1/3600"), "{error}");
        }
    }
}
