//! Sample rates as people write them: `48000`, `44.1k`, `1/3600`.

use signal::Rate;

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

/// The rate that `text` is, as a fraction in lowest terms.
pub(crate) fn rate(text: &str) -> Result<Rate, String> {
    let parse = || {
        let text = text.trim();
        let text = text.strip_suffix("Hz").unwrap_or(text).trim_end();
        let (over, under) = text.split_once('/').unwrap_or((text, "1"));
        let ((a, b), (c, d)) = (decimal(over)?, decimal(under)?);
        Rate::new(a.checked_mul(d)?, b.checked_mul(c)?)
    };
    parse().ok_or_else(|| {
        format!(
            "`{text}` is not a sample rate; write samples a second as 48000, 44.1k or 2M, \
             or as a fraction such as 1/3600 for one sample an hour"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(text: &str) -> Option<(u64, u64)> {
        rate(text).ok().map(|rate| (rate.num, rate.den))
    }

    #[test]
    fn plain_numbers_factors_and_fractions() {
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
        for text in ["", "0", "-5", "1/0", "fast", "1e99", "k", "1//2", "."] {
            let error = rate(text).expect_err(text);
            assert!(error.contains("1/3600"), "{error}");
        }
    }
}
