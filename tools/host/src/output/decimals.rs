//! Levels with a fixed number of decimals, as `{:.2}` writes them, in a tenth of the time.
//!
//! The formatter of the standard library works with as many digits as an f64 may have. A level has
//! few, so that an integer holds them; where the digits behind them might round either way, the
//! formatter decides.

use std::fmt::Write;

/// The greatest level that is written here: its digits fit in an f64 with many to spare.
const MOST: f64 = 1e6;
/// The distance from halfway between two numbers within which the formatter decides: more than a
/// product of such numbers is rounded by.
const CLOSE: f64 = 1e-4;

/// Appends a number with `places` decimals, 4 at the most.
pub(super) fn push(out: &mut String, number: f64, places: usize) {
    let unit = 10_u64.pow(places.min(4) as u32);
    let steps = number.abs() * unit as f64;
    let rounded = steps.round();
    let is_clear = (steps - rounded).abs() < 0.5 - CLOSE;
    if !is_clear || steps > MOST * unit as f64 || places > 4 {
        let _ = write!(out, "{number:.places$}");
        return;
    }
    if number.is_sign_negative() {
        out.push('-');
    }
    let mut rest = rounded as u64;
    // Digits from the last to the first: at most 11 of them, a point and a zero before it.
    let mut digits = [0_u8; 16];
    let mut first = digits.len();
    let mut put = |byte: u8| {
        first -= 1;
        digits[first] = byte;
    };
    for place in 0.. {
        if place == places && places > 0 {
            put(b'.');
        }
        if place > places && rest == 0 {
            break;
        }
        put(b'0' + (rest % 10) as u8);
        rest /= 10;
    }
    out.extend(digits[first..].iter().map(|&byte| char::from(byte)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::tests::mutate::Random;

    fn assert_same(number: f64) {
        for places in [0, 1, 2, 4, 6] {
            let mut found = String::from("x");
            push(&mut found, number, places);
            assert_eq!(found, format!("x{number:.places$}"), "{number:e}");
        }
    }

    #[test]
    fn any_number_is_written_as_the_formatter_writes_it() {
        let mut random = Random::new(::tests::seed());
        for _ in 0..5_000 {
            let share = random.bits() as f64 / 2_f64.powi(64);
            assert_same(share * 600.0 - 300.0);
            assert_same(f64::from_bits(random.bits()));
            // Numbers halfway between two, and their neighbours.
            let half = (random.below(8_000_000) as f64 - 4e6) / 200.0;
            for beside in [half, half.next_up(), half.next_down(), half / 100.0] {
                assert_same(beside);
            }
        }
    }

    #[test]
    fn zeros_and_odd_numbers_are_written_as_the_formatter_writes_them() {
        let odd = [0.0, 0.004, 0.005, 0.995, 9.995, 1e6, 1e6 + 0.5, 1e15, 1e300];
        for number in odd.into_iter().chain([f64::INFINITY, f64::NAN, 5e-324]) {
            assert_same(number);
            assert_same(-number);
        }
    }
}
