//! Numbers that stand for a value that is missing, as -9999 does in tables of measurements.
//!
//! Such a number is the same wherever it stands, is the greatest or the least of all, and has
//! nothing near it. Of numbers like that, those are named that programs use as marks: nines, the
//! ends of integers and of floats, powers of ten from 10^10 on, the fill values of netCDF. Any
//! other whole number has to stand further away, and more than once.

use std::fmt;

/// Marks that are no nines and no powers of ten.
const MARKS: [f64; 12] = [
    -32_768.0,
    -32_767.0,
    32_767.0,
    65_535.0,
    -2_147_483_648.0,
    -2_147_483_647.0,
    2_147_483_647.0,
    4_294_967_295.0,
    9.969_209_968_386_869e36,
    f32::MAX as f64,
    -f32::MAX as f64,
    f64::MAX,
];
/// A mark that stands once is as far from the rest as so many times its range.
const FAR: f64 = 10.0;
/// A number that is no mark by custom is as far as this.
const VERY_FAR: f64 = 10_000.0;
/// The least such number.
const LARGE: f64 = 100.0;

/// The least of numbers, and the next one.
#[derive(Clone, Copy, Debug)]
struct Least {
    value: f64,
    count: u64,
    /// The sample of the first.
    first: u64,
    next: f64,
}

impl Default for Least {
    fn default() -> Self {
        Self {
            value: f64::INFINITY,
            count: 0,
            first: 0,
            next: f64::INFINITY,
        }
    }
}

impl Least {
    fn take(&mut self, value: f64, sample: u64) {
        if value < self.value {
            *self = Self {
                value,
                count: 1,
                first: sample,
                next: self.value,
            };
        } else if value == self.value {
            self.count += 1;
        } else if value < self.next {
            self.next = value;
        }
    }
}

/// The ends of all numbers of a channel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ends {
    numbers: u64,
    least: Least,
    /// The greatest, with the other sign.
    greatest: Least,
}

/// A number that seems to stand for a value that is missing.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct MissingMark {
    value: f64,
    count: u64,
    numbers: u64,
    first: u64,
    /// The others lie between these.
    rest: [f64; 2],
}

/// The remedy for marks.
pub(super) const REMEDY: &str =
    "take these values out, or put in values between those of their neighbours";

impl Ends {
    /// Takes in a finite number.
    pub(super) fn take(&mut self, value: f64, sample: u64) {
        self.numbers += 1;
        self.least.take(value, sample);
        self.greatest.take(-value, sample);
    }

    /// The numbers at the ends that seem to stand for none. With a full scale of 1 numbers up to it
    /// are samples.
    pub(super) fn marks(&self, has_full_scale: bool) -> Vec<MissingMark> {
        let (least, greatest) = (&self.least, &self.greatest);
        let of = |end: &Least, other: &Least, sign: f64| {
            // The other end may be a mark, too; but of two numbers it is all the rest.
            let far = if -other.next > end.next {
                -other.next
            } else {
                -other.value
            };
            let (gap, range) = (end.next - end.value, far - end.next);
            let is_usual = is_usual(end.value * sign) && stands_apart(end.count, gap, range);
            let is_odd = is_large(end.value)
                && (2..=self.numbers / 2).contains(&end.count)
                // Beside a constant every pulse is far.
                && range > 0.0
                && gap > VERY_FAR * range;
            let is_sample = has_full_scale && end.value.abs() <= 1.0;
            let is_mark = end.next.is_finite() && !is_sample && (is_usual || is_odd);
            let mut rest = [sign * end.next, sign * far];
            rest.sort_by(f64::total_cmp);
            is_mark.then_some(MissingMark {
                value: sign * end.value,
                count: end.count,
                numbers: self.numbers,
                first: end.first,
                rest,
            })
        };
        let marks = [of(least, greatest, 1.0), of(greatest, least, -1.0)];
        marks.into_iter().flatten().collect()
    }
}

/// Returns whether a usual mark that is `gap` away from the rest, whose range is `range`, is one.
fn stands_apart(count: u64, gap: f64, range: f64) -> bool {
    let far = if count == 1 { FAR } else { 1.0 };
    gap > far * range
}

/// Returns whether programs mark missing values by this number.
fn is_usual(value: f64) -> bool {
    is_nines(value) || is_large_power_of_ten(value) || MARKS.contains(&value)
}

fn is_large(value: f64) -> bool {
    value.abs() >= LARGE && value.fract() == 0.0
}

/// The digits of a number in the shortest form, in single precision where it has no more.
fn digits(value: f64) -> String {
    let single = value as f32;
    if f64::from(single) == value {
        single.to_string()
    } else {
        value.to_string()
    }
}

/// Returns whether a number consists of nines: three or more, or -99.
fn is_nines(value: f64) -> bool {
    let text = digits(value);
    let mut figures = text.bytes().filter(u8::is_ascii_digit);
    let least = if value < 0.0 { 2 } else { 3 };
    figures.clone().count() >= least && figures.all(|figure| figure == b'9')
}

fn is_large_power_of_ten(value: f64) -> bool {
    let single = value as f32;
    let text = if f64::from(single) == value {
        format!("{single:e}")
    } else {
        format!("{value:e}")
    };
    let exponent = text.trim_start_matches('-').strip_prefix("1e");
    exponent.is_some_and(|exponent| exponent.parse().is_ok_and(|exponent: i32| exponent >= 10))
}

/// A number as a person writes it.
fn written(value: f64) -> String {
    match value.abs() {
        1e-4..1e10 => digits(value),
        0.0 => "0".to_owned(),
        _ if f64::from(value as f32) == value => format!("{:e}", value as f32),
        _ => format!("{value:e}"),
    }
}

impl fmt::Display for MissingMark {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [low, high] = self.rest.map(written);
        let Self {
            count,
            numbers,
            first,
            ..
        } = self;
        write!(
            f,
            "{} stands in {count} of {numbers} values (first in sample {first}), far from all others ({low} to {high}), and \
             seems to mark values that are missing",
            written(self.value)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 values from 0.9 to 1.1, of which some are something else.
    fn near_one(others: &[(usize, f64)]) -> Vec<f64> {
        let mut values: Vec<f64> = (0..100).map(|at| 0.9 + 0.002 * f64::from(at)).collect();
        for (at, value) in others {
            values[*at] = *value;
        }
        values
    }

    fn marks(values: &[f64], has_full_scale: bool) -> Vec<f64> {
        let mut ends = Ends::default();
        for (at, value) in (0..).zip(values) {
            ends.take(*value, at);
        }
        let marks = ends.marks(has_full_scale);
        marks.iter().map(|mark| mark.value).collect()
    }

    #[test]
    fn marks_of_missing_values_are_found() {
        for mark in [
            -9999.0,
            -999.0,
            -99.0,
            -99_999.0,
            999.9,
            f64::from(-999.9_f32),
            -999.99,
            99.99,
            -32_768.0,
            2_147_483_647.0,
            1e20,
            f64::from(1e20_f32),
            -1e30,
            f64::from(9.969_21e36_f32),
            f64::from(f32::MAX),
        ] {
            for others in [&[(3, mark)][..], &[(3, mark), (70, mark)]] {
                assert_eq!(marks(&near_one(others), false), [mark], "{others:?}");
                assert_eq!(marks(&near_one(others), true), [mark], "{others:?}");
            }
        }
        // No custom, but very far and more than once.
        assert_eq!(
            marks(&near_one(&[(3, -4000.0), (9, -4000.0)]), false),
            [-4000.0]
        );
        // More often than not.
        let often: Vec<_> = (0..60).map(|at| (at, -9999.0)).collect();
        assert_eq!(marks(&near_one(&often), false), [-9999.0]);
        // One at each end.
        let both = near_one(&[(3, -9999.0), (9, 9999.0), (20, 9999.0)]);
        assert_eq!(marks(&both, false), [-9999.0, 9999.0]);
        // Temperatures.
        let mut values: Vec<f64> = (0..600).map(|at| 40.0 * f64::from(at).sin()).collect();
        (values[7], values[8], values[300]) = (-999.0, -999.0, -999.0);
        assert_eq!(marks(&values, false), [-999.0]);
    }

    #[test]
    fn values_that_are_good_are_no_marks() {
        let none: [f64; 0] = [];
        // Numbers up to 999, spikes, a switch, clipped samples, a step.
        let counts: Vec<f64> = (0..1000).map(f64::from).collect();
        let spikes = near_one(&[(3, 57.3), (50, 57.3)]);
        let pulses: Vec<f64> = (0..100)
            .map(|at| f64::from(u8::from(at % 10 == 0)))
            .collect();
        let power: Vec<f64> = (0..100)
            .map(|at| if at > 90 { 2000.0 } else { f64::from(at % 3) })
            .collect();
        let clipped: Vec<f64> = (0..100)
            .map(|at| (2.0 * f64::from(at).sin()).clamp(-1.0, 1.0))
            .collect();
        let once = near_one(&[(3, -4000.0)]);
        for values in [
            counts,
            spikes,
            pulses,
            power,
            clipped,
            once,
            vec![],
            vec![-9999.0; 50],
        ] {
            assert_eq!(marks(&values, false), none, "{values:?}");
        }
        // A single 99 that its neighbours do not reach.
        assert_eq!(marks(&[30.0, 99.0, 41.0, 52.0], false), none);
        // Beyond full scale, and at it.
        let bursts: Vec<f64> = (0..100)
            .map(|at| {
                if at % 9 == 0 {
                    1.0
                } else {
                    1e-5 * f64::from(at)
                }
            })
            .collect();
        assert_eq!(marks(&bursts, true), none);
    }

    #[test]
    fn a_mark_is_described_with_its_place() {
        let mut ends = Ends::default();
        for (at, value) in (0..).zip(near_one(&[(3, -9999.0), (9, -9999.0)])) {
            ends.take(value, at);
        }
        let text = ends.marks(false)[0].to_string();
        let wanted =
            "-9999 stands in 2 of 100 values (first in sample 3), far from all others (0.9 to 1.09";
        assert!(text.starts_with(wanted), "{text}");
    }
}
