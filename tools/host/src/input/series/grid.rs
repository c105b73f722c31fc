//! Rows at equal steps of time: the step, the place of each row, and the rate.

use signal::Rate;

/// The share of a step that a row may stand beside its place.
const MOST_BESIDE: f64 = 0.25;

/// Rows at equal steps.
#[derive(Debug)]
pub struct Grid {
    /// The place of each row; the first is 0.
    pub places: Vec<u64>,
    /// Rows a second.
    pub rate: Rate,
    /// The largest share of a step that a row stands beside its place, where it is more than the
    /// stamps' last digit.
    pub beside: Option<f64>,
}

/// The reason why rows stand at no equal steps, and the row that shows it.
#[derive(PartialEq, Debug)]
pub enum Uneven {
    /// It stands at or before the row in front of it.
    Backwards(usize),
    /// Its distance from the row in front of it, in steps.
    Step(usize, f64),
}

/// The places of rows from their times, in ticks of which a second has 10^`digits`.
///
/// # Errors
/// When they stand at no equal steps.
pub fn of(ticks: &[i128], digits: i32) -> Result<Grid, Uneven> {
    let steps: Vec<f64> = ticks
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) as f64)
        .collect();
    if let Some(row) = ticks.windows(2).position(|pair| pair[1] <= pair[0]) {
        return Err(Uneven::Backwards(row + 1));
    }
    let mut sorted = steps.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    // The median: a few gaps do not change it. The mean of those like it is finer than a tick.
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or(1.0);
    let like = steps
        .iter()
        .filter(|step| (**step / median - 1.0).abs() < 0.25 + 1.5 / median);
    let (sum, count) = like.fold((0.0, 0.0), |(sum, count), step| (sum + step, count + 1.0));
    let step = if count > 0.0 { sum / count } else { median };
    let mut places = vec![0_u64];
    for (row, ahead) in steps.iter().enumerate() {
        let distance = ahead / step;
        let nearest = distance.round();
        // The last digits of both stamps may be rounded.
        if nearest < 1.0 || (distance - nearest).abs() > (MOST_BESIDE).max(2.0 / step) {
            return Err(Uneven::Step(row + 1, distance));
        }
        places.push(places[row] + nearest as u64);
    }
    let all = places.last().copied().unwrap_or(0).max(1);
    let span = ticks
        .last()
        .zip(ticks.first())
        .map_or(1, |(last, first)| last - first);
    let (all, span) = (i128::from(all), span.max(1));
    let (mut furthest, mut at) = (0, 0);
    for (row, (tick, place)) in ticks.iter().zip(&places).enumerate() {
        let beside = ((tick - ticks[0]) * all - i128::from(*place) * span).abs();
        if beside > furthest {
            (furthest, at) = (beside, row);
        }
    }
    let share = furthest as f64 / span as f64;
    if share > MOST_BESIDE && furthest > 2 * all {
        return Err(Uneven::Step(at, steps[at - 1] / step));
    }
    let second = 10_i128.pow(digits.max(0) as u32);
    // In ticks: all * second / span rows a second, or any that rounds to these stamps.
    let is_exact = furthest == 0;
    let is_rounded = furthest <= all;
    let rate = match is_exact || !is_rounded || span <= 1 {
        true => nearest_rate(all * second, span),
        false => simplest((all * second, span + 1), (all * second, span - 1)),
    };
    Ok(Grid {
        places,
        rate: rate.unwrap_or(Rate::hz(1)),
        beside: (!is_rounded).then_some(share),
    })
}

/// The fraction as a rate, where 64 bits hold it.
fn nearest_rate(over: i128, under: i128) -> Option<Rate> {
    let (mut one, mut other) = (over, under);
    while other != 0 {
        (one, other) = (other, one % other);
    }
    let narrow = |part: i128| u64::try_from(part / one).ok();
    let exact = narrow(over).zip(narrow(under));
    let (over, under) = exact.or_else(|| {
        // Ticks that are too fine for 64 bits.
        let shift = (128 - over.max(under).leading_zeros()).saturating_sub(63);
        Some((
            u64::try_from(over >> shift).ok()?,
            u64::try_from(under >> shift).ok()?,
        ))
    })?;
    Rate::new(over, under)
}

/// The fraction with the smallest denominator between two, as continued fractions give it.
fn simplest(low: (i128, i128), high: (i128, i128)) -> Option<Rate> {
    let ((mut a, mut b), (mut c, mut d)) = (low, high);
    let (mut last, mut best) = ((0_i128, 1_i128), (1_i128, 0_i128));
    loop {
        let whole = a / b;
        let is_inside = a % b == 0 || c / d > whole;
        let term = if a % b == 0 {
            whole
        } else {
            whole + i128::from(is_inside)
        };
        let next = (
            best.0.checked_mul(term)?.checked_add(last.0)?,
            best.1.checked_mul(term)?.checked_add(last.1)?,
        );
        if is_inside {
            return Rate::new(u64::try_from(next.0).ok()?, u64::try_from(next.1).ok()?);
        }
        (last, best) = (best, next);
        // The reciprocals of what is left, in the other order.
        (a, b, c, d) = (d, c % d, b, a % b);
        if b == 0 {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(ticks: &[i128], digits: i32) -> (u64, u64) {
        let rate = of(ticks, digits).expect("a grid").rate;
        (rate.num, rate.den)
    }

    #[test]
    fn equal_steps_give_an_exact_rate() {
        assert_eq!(rate(&[0, 5, 10, 15], 1), (2, 1));
        assert_eq!(rate(&[0, 3600, 7200], 0), (1, 3600));
        assert_eq!(rate(&[0, 604_800, 1_209_600], 0), (1, 604_800));
        // A gap, which counts as the rows that it lacks.
        let grid = of(&[0, 3600, 10_800, 14_400], 0).expect("a grid");
        assert_eq!(grid.places, [0, 1, 3, 4]);
        assert_eq!((grid.rate, grid.beside), (Rate { num: 1, den: 3600 }, None));
    }

    #[test]
    fn stamps_that_were_rounded_give_the_simplest_rate_that_fits_them() {
        // 44100 Hz in microseconds, and a third of a second in thousandths.
        let ticks: Vec<i128> = (0..2048).map(|n| n * 1_000_000 / 44_100).collect();
        assert_eq!(rate(&ticks, 6), (44_100, 1));
        let ticks: Vec<i128> = (0..300).map(|n| (n * 1000 + 1) / 3).collect();
        assert_eq!(rate(&ticks, 3), (3, 1));
    }

    #[test]
    fn steps_that_differ_a_little_are_said_and_others_are_refused() {
        let grid = of(&[0, 1003, 1999, 3001, 4000], 3).expect("a grid");
        let beside = grid.beside.expect("not quite equal");
        assert!((0.002..0.004).contains(&beside), "{beside}");
        assert_eq!(grid.rate.to_hz(), 1.0);
        assert_eq!(
            of(&[0, 10, 20, 20, 30], 0).expect_err("twice"),
            Uneven::Backwards(3)
        );
        assert!(matches!(
            of(&[0, 3600, 7200, 9000], 0),
            Err(Uneven::Step(3, _))
        ));
        // Each step is near 1, and the sum drifts away.
        let drift: Vec<i128> = (0..100).map(|n| n * 1000 + n * n * 2).collect();
        assert!(of(&drift, 3).is_err());
    }
}
