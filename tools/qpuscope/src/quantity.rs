//! Numbers for people: prefixes, periods, and steps for axes.

/// A factor and the prefix that stands for it, so that `largest` reads as 1 to 1000.
#[must_use]
pub fn prefix(largest: f64) -> (f64, &'static str) {
    const PREFIXES: [(f64, &str); 7] = [
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "k"),
        (1.0, ""),
        (1e-3, "m"),
        (1e-6, "µ"),
        (1e-9, "n"),
    ];
    PREFIXES
        .into_iter()
        .find(|&(factor, _)| largest.abs() >= factor)
        .unwrap_or((1.0, ""))
}

/// A frequency with its prefix and four digits: `1.234 kHz`.
#[must_use]
pub fn frequency(hz: f64) -> String {
    let (factor, prefix) = prefix(hz);
    format!("{} {prefix}Hz", digits(hz / factor, 4))
}

/// A period in the unit a person would choose: `24.0 h`, `1.25 ms`.
#[must_use]
pub fn period(seconds: f64) -> String {
    match seconds {
        s if s >= 2.0 * 86_400.0 => format!("{} d", digits(s / 86_400.0, 3)),
        s if s >= 2.0 * 3_600.0 => format!("{} h", digits(s / 3_600.0, 3)),
        s if s >= 120.0 => format!("{} min", digits(s / 60.0, 3)),
        s => {
            let (factor, prefix) = prefix(s);
            format!("{} {prefix}s", digits(s / factor, 3))
        }
    }
}

/// `count` significant digits without an exponent.
#[must_use]
pub fn digits(value: f64, count: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    let before = value.abs().log10().floor() as i64 + 1;
    let after = (count as i64 - before).max(0) as usize;
    format!("{value:.after$}")
}

/// Round positions between `from` and `to`, at most `count` of them or so, and their decimals.
#[must_use]
pub fn ticks(from: f64, to: f64, count: usize) -> (Vec<f64>, usize) {
    let rough = (to - from) / count.max(1) as f64;
    if !rough.is_finite() || rough <= 0.0 {
        return (vec![from], 0);
    }
    let magnitude = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|m| m * magnitude)
        .find(|&step| step >= rough * 0.999)
        .unwrap_or(10.0 * magnitude);
    let decimals = (-step.log10().floor()).max(0.0) as usize;
    let first = (from / step - 1e-9).ceil() as i64;
    let last = (to / step + 1e-9).floor() as i64;
    ((first..=last).map(|k| k as f64 * step).collect(), decimals)
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

/// A decimal number, or a hexadecimal one with 0x; `_` may separate digits.
///
/// # Errors
/// With what to write instead.
pub fn number(text: &str) -> Result<u64, String> {
    let digits = text.replace('_', "");
    let value = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    value.map_err(|_| format!("`{text}` is no number; write it like 4096 or 0x1000"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_what_they_expect() {
        assert_eq!(frequency(1234.0), "1.234 kHz");
        assert_eq!(frequency(1.1574e-5), "11.57 µHz");
        assert_eq!(frequency(0.0), "0 Hz");
        assert_eq!(period(86_231.6), "24.0 h");
        assert_eq!(period(0.00125), "1.25 ms");
        assert_eq!(period(180.0), "3.00 min");
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(
            ticks(0.0, 12.0, 8),
            (vec![0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0], 0)
        );
        let (positions, decimals) = ticks(-0.3, 0.3, 6);
        assert_eq!((positions.len(), decimals), (7, 1));
        assert_eq!(ticks(1.0, 1.0, 5).0, [1.0]);
    }
}
