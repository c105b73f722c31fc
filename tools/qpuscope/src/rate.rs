//! Sample rates as people write them: `48000`, `44.1k`, `1/3600`.

use crate::quantity::fraction;
use signal::Rate;

/// The rate that `text` is, as a fraction in lowest terms.
pub(crate) fn rate(text: &str) -> Result<Rate, String> {
    let rate = fraction(text).and_then(|(over, under)| Rate::new(over, under));
    rate.ok_or_else(|| {
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
