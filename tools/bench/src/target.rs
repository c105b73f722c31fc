//! Targets, and checks that they are met.
//!
//! At least three times as fast as GPU_FFT 3.0 at 2^11 to 2^22 alone and at 2^8 to 2^15 in tens,
//! twice at 2^8 to 2^10 alone; but no more than 0.8 of what the floor allows. Four times in the
//! geometric mean. Shares of the floor count in tens up to 2^15 and alone above.

/// The least geometric mean of the ratios of all lengths.
pub const GEOMETRIC_MEAN: f64 = 4.0;

/// The part of its ceiling that is enough for any length.
pub const OF_CEILING: f64 = 0.8;

/// GPU_FFT 3.0's published errors with the stimulus of hello_fft, from 2^8 on, in parts per
/// million.
const PUBLISHED_PPM: [f64; 15] = [
    0.33, 0.46, 0.52, 0.59, 0.78, 0.83, 0.92, 0.98, 1.0, 1.3, 1.3, 1.4, 1.5, 1.5, 1.5,
];

/// Its errors with uniform random numbers: simulated, because none were published.
const RANDOM_PPM: [f64; 15] = [
    0.54, 0.65, 0.73, 0.80, 0.98, 1.05, 1.14, 1.22, 1.28, 1.46, 1.54, 1.64, 1.72, 1.78, 1.84,
];

/// Times as fast as the peer; `None` where nothing is asked for.
#[must_use]
pub const fn ratio(log2n: u32, batch: u32) -> Option<f64> {
    match (batch, log2n) {
        (1, 8..=10) => Some(2.0),
        (1, 11..=22) | (10, 8..=15) => Some(3.0),
        _ => None,
    }
}

/// The ratio that counts as met: never more than the ceiling allows.
#[must_use]
pub fn reachable(target: f64, ceiling: f64) -> f64 {
    target.min(OF_CEILING * ceiling)
}

/// Share of the floor in our time.
#[must_use]
pub const fn share(log2n: u32, batch: u32) -> Option<f64> {
    match (batch, log2n) {
        (10, 4..=11) => Some(0.4),
        (10, 12..=15) | (1, 16..=22) => Some(0.6),
        _ => None,
    }
}

/// The largest error with the stimulus of hello_fft, in parts per million.
#[must_use]
pub fn hello_ppm(log2n: u32) -> Option<f64> {
    of(&PUBLISHED_PPM, log2n, 0.6)
}

/// The largest error with uniform random numbers, in parts per million.
#[must_use]
pub fn random_ppm(log2n: u32) -> Option<f64> {
    of(&RANDOM_PPM, log2n, 0.4)
}

fn of(table: &[f64], log2n: u32, part: f64) -> Option<f64> {
    let place = usize::try_from(log2n.checked_sub(8)?).ok()?;
    table.get(place).map(|ppm| part * ppm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_those_of_the_lengths() {
        assert_eq!(ratio(8, 1), Some(2.0));
        assert_eq!(ratio(11, 1), Some(3.0));
        assert_eq!(ratio(8, 10), Some(3.0));
        assert_eq!((ratio(7, 1), ratio(16, 10)), (None, None));
        assert!((reachable(3.0, 3.5) - 2.8).abs() < 1e-9);
        assert_eq!(reachable(3.0, 5.0), 3.0);
        assert_eq!(share(12, 10), Some(0.6));
        assert_eq!((share(12, 1), share(16, 1)), (None, Some(0.6)));
        assert_eq!(hello_ppm(16), Some(0.6));
        assert_eq!((random_ppm(7), random_ppm(23)), (None, None));
    }
}
