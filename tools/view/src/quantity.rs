//! Numbers as people read them: prefixes, digits, periods, and steps for axes.

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
    let (factor, prefix) = prefix(significant(hz, 4));
    format!("{} {prefix}Hz", digits(hz / factor, 4))
}

/// A frequency with its prefix and the digits that tell frequencies `resolution_hz` apart from each
/// other: `145.0375 MHz` in bins of 488 Hz.
#[must_use]
pub fn frequency_by(hz: f64, resolution_hz: f64) -> String {
    if !(resolution_hz > 0.0 && resolution_hz.is_finite()) {
        return frequency(hz);
    }
    if hz.abs() < resolution_hz / 2.0 {
        return "0 Hz".to_owned();
    }
    // A decimal place may round up to the next prefix: 999.96 Hz in steps of 0.1 Hz.
    let places = decimals(resolution_hz);
    let step = 10_f64.powi(-(places as i32));
    let (factor, prefix) = prefix(((hz / step).round() * step).abs().max(resolution_hz));
    let places = decimals(resolution_hz / factor);
    format!("{:.places$} {prefix}Hz", hz / factor)
}

/// Decimal places with which numbers `step` apart differ.
#[must_use]
pub fn decimals(step: f64) -> usize {
    const MOST: f64 = 17.0;
    (-step.abs().log10() - 1e-9).ceil().clamp(0.0, MOST) as usize
}

/// A period in the unit a person would choose: `24.0 h`, `1.25 ms`.
#[must_use]
pub fn period(seconds: f64) -> String {
    match seconds {
        s if s >= 2.0 * 86_400.0 => format!("{} d", digits(s / 86_400.0, 3)),
        s if s >= 2.0 * 3_600.0 => format!("{} h", digits(s / 3_600.0, 3)),
        s if s >= 120.0 => format!("{} min", digits(s / 60.0, 3)),
        s => {
            // 0.9999 ms is 1.00 ms, and not 1000 µs.
            let (factor, prefix) = prefix(significant(s, 3));
            format!("{} {prefix}s", digits(s / factor, 3))
        }
    }
}

/// The number nearest to `value` that has `count` significant digits.
fn significant(value: f64, count: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let step = 10_f64.powi(value.abs().log10().floor() as i32 + 1 - count);
    // Dividing by a whole number is exact where multiplying with a fraction is not.
    match step < 1.0 {
        true => (value / step).round() / (1.0 / step).round(),
        false => (value / step).round() * step,
    }
}

/// `count` significant digits without an exponent.
#[must_use]
pub fn digits(value: f64, count: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    let rounded = significant(value, count as i32);
    let before = rounded.abs().log10().floor() as i64 + 1;
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
    let first = (from / step - 1e-9).ceil() as i64;
    let last = (to / step + 1e-9).floor() as i64;
    let positions = (first..=last).map(|k| k as f64 * step).collect();
    (positions, decimals(step))
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
        assert_eq!(period(0.000_999_99), "1.00 ms");
        assert_eq!(period(17_277.0), "4.80 h");
        assert_eq!(frequency(999.99), "1.000 kHz");
    }

    #[test]
    fn frequencies_have_the_digits_of_their_bins() {
        let bin_hz = 2e6 / 4096.0;
        assert_eq!(frequency_by(145_037_500.0, bin_hz), "145.0375 MHz");
        assert_eq!(frequency_by(145_112_500.0, bin_hz), "145.1125 MHz");
        assert_eq!(frequency_by(1_420_405_751.0, 1.0), "1.420405751 GHz");
        assert_eq!(frequency_by(-700.0, bin_hz), "-700 Hz");
        assert_eq!(frequency_by(-24_000.0, 48.0), "-24.00 kHz");
        assert_eq!(frequency_by(999.96, 0.1), "1.0000 kHz");
        assert_eq!(frequency_by(0.2, 48.0), "0 Hz");
        assert_eq!(frequency_by(1.1574e-5, 6.8e-9), "11.574 µHz");
        assert_eq!(frequency_by(1234.0, f64::NAN), "1.234 kHz");
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
        let (positions, decimals) = ticks(145.0370, 145.0382, 12);
        assert_eq!((positions.len(), decimals), (13, 4));
    }
}
