//! Numbers as they stand beside nodes: so many digits behind the point, and the sign for minus that
//! screen readers speak.

use dsp::Complex;

/// Most digits behind the point: beyond, rounding of the computation shows.
pub const MOST_DIGITS: usize = 9;

/// A real number.
#[must_use]
pub fn real(value: f64, digits: usize) -> String {
    let digits = digits.min(MOST_DIGITS);
    let text = format!("{:.digits$}", value.abs());
    match is_zero(&text) {
        true => "0".to_owned(),
        false if value < 0.0 => format!("\u{2212}{text}"),
        false => text,
    }
}

/// A complex number; a part that rounds to 0 is left out.
#[must_use]
pub fn complex(value: Complex<f64>, digits: usize) -> String {
    let [re, im] = [value.re, value.im].map(|part| real(part, digits));
    match (re.as_str(), im.as_str()) {
        (_, "0") => re,
        ("0", _) => im + "i",
        _ if value.im < 0.0 => format!("{re}{im}i"),
        _ => format!("{re}+{im}i"),
    }
}

fn is_zero(digits: &str) -> bool {
    digits.bytes().all(|byte| matches!(byte, b'0' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_and_zeros_have_no_sign() {
        assert_eq!(real(-0.004, 2), "0");
        assert_eq!(real(-0.005_1, 2), "\u{2212}0.01");
        assert_eq!(real(1.0, 0), "1");
        assert_eq!(real(1.0, 3), "1.000");
        assert_eq!(real(0.1, 40), "0.100000000");
        let of = |re, im| complex(Complex::new(re, im), 2);
        assert_eq!(of(0.0, 0.0), "0");
        assert_eq!(of(0.5, -0.001), "0.50");
        assert_eq!(of(0.5, -0.25), "0.50\u{2212}0.25i");
        assert_eq!(of(-0.5, 1.0), "\u{2212}0.50+1.00i");
        assert_eq!(of(0.0, -1.0), "\u{2212}1.00i");
    }
}
