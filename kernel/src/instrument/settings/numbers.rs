//! Numbers as text: settings taken from it, and all decimal numbers written.

use core::fmt;
use core::str::FromStr;

use super::Problem;

pub(super) fn number<T: FromStr>(text: &str, right: &'static str) -> Result<T, Problem> {
    text.parse().map_err(|_| Problem::Value(right))
}

/// A decimal number without exponent. The standard library's parser would do, at 20 KiB of image.
pub(super) fn decimal(text: &str) -> Option<f64> {
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

/// So many units of 10^-`places` as a decimal number. By integers only, as all numbers here:
/// formatting of floats would be 20 KiB of image.
pub(crate) fn fixed(units: i64, places: u32) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        let sign = if units < 0 { "-" } else { "" };
        let (units, one) = (units.unsigned_abs(), 10_u64.pow(places));
        let (whole, rest, width) = (units / one, units % one, places as usize);
        write!(f, "{sign}{whole}.{rest:0width$}")
    })
}

/// A number, rounded to so many decimals.
pub(crate) fn rounded(value: f64, places: u32) -> impl fmt::Display {
    let units = libm::round(value * f64::from(10_u32.pow(places)));
    fixed(units as i64, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hundredths_keep_their_sign() {
        for (value, text) in [(-0.05, "-0.05"), (0.004, "0.00"), (-6.0206, "-6.02")] {
            assert_eq!(rounded(value, 2).to_string(), text);
        }
    }
}
