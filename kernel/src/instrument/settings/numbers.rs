//! Numbers of settings, taken and written.

use core::fmt::{self, Write};
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

/// Writes a number with three decimals, by integers only.
pub(crate) fn write_milli(value: f64, out: &mut impl Write) -> fmt::Result {
    let milli = libm::round(value * 1000.0) as i64;
    let sign = if milli < 0 { "-" } else { "" };
    let milli = milli.unsigned_abs();
    write!(out, "{sign}{}.{:03}", milli / 1000, milli % 1000)
}
