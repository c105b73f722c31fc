//! Constants found by inverting the model.

use v3d_sim::Constants;

use super::groups::{Fit, Group};
use super::model::Model;
use super::{Measured, Verdict, value_of, worst};

/// The least and the most that a time of the model is taken to be, of what is documented.
const FACTORS: [f64; 2] = [1.0 / 64.0, 256.0];
/// Steps of a bisection: to a thousandth of the value.
const STEPS: u32 = 16;

/// Fits a constant and sets it.
pub(super) fn solve(
    fit: Fit,
    group: &Group,
    measured: &Measured,
    model: &Model,
    constants: &mut Constants,
) -> Verdict {
    match fit {
        Fit::Grows { constant, figure } => {
            let Some(clocks) = measured.clocks(figure) else {
                return Verdict::Documented;
            };
            let near = measured.tolerance(figure);
            let with = |value: f64| {
                let mut tried = constants.clone();
                tried.change(constant, value).ok()?;
                model.clocks(figure, &tried)
            };
            let documented = value_of(constants, constant);
            if with(documented).is_some_and(|model| (clocks / model).ln().abs() <= near) {
                return Verdict::Documented;
            }
            let verdict = invert(documented, clocks, with);
            if let Verdict::Value(value) | Verdict::AtLeast(value) | Verdict::AtMost(value) =
                verdict
            {
                // It is in the range that was searched.
                let _ = constants.change(constant, value);
            }
            verdict
        }
        Fit::OneOf { constant, values } => {
            let documented = value_of(constants, constant);
            let with = |value: f64| {
                let mut tried = constants.clone();
                tried.change(constant, value).ok().map(|()| tried)
            };
            let error = |value: f64| {
                let tried = with(value)?;
                let squares = group.figures.iter().filter_map(|name| {
                    let found = measured.clocks(name)?;
                    let model = model.clocks(name, &tried)?;
                    Some((found / model).ln().powi(2))
                });
                Some((squares.sum::<f64>(), value))
            };
            let mut errors: Vec<(f64, f64)> = values.iter().filter_map(|&it| error(it)).collect();
            errors.sort_by(|one, two| one.0.total_cmp(&two.0));
            // Caches are powers of two as a rule: noise must not make them others.
            let is_usual = |value: f64| value.log2().fract() == 0.0;
            let explains = |value: f64| {
                with(value)
                    .is_some_and(|tried| worst(group.figures, measured, model, &tried) <= 1.0)
            };
            let best = errors.iter().map(|(_, value)| *value);
            let usual = best
                .clone()
                .find(|&value| is_usual(value) && explains(value));
            let value = usual.or(best.clone().next()).unwrap_or(documented);
            if value == documented {
                return Verdict::Documented;
            }
            // It is one of the values that were tried.
            let _ = constants.change(constant, value);
            match values.last() {
                Some(&last) if last == value => Verdict::AtLeast(last),
                _ => Verdict::Value(value),
            }
        }
    }
}

/// The value at which a figure that grows with it is `clocks`. Where the figure grows in steps, the
/// greatest value of the step.
fn invert(documented: f64, clocks: f64, with: impl Fn(f64) -> Option<f64>) -> Verdict {
    /// Figures that are nearer than this are the same.
    const SAME: f64 = 1.01;
    /// Values that are nearer than this are no ends of a step.
    const STEP: f64 = 1.04;
    let [least, most] = FACTORS.map(|factor| documented * factor);
    let is_above = |value: f64, clocks: f64| with(value).is_none_or(|model| model > clocks);
    if is_above(least, clocks * SAME) {
        return Verdict::AtMost(least);
    }
    if !is_above(most, clocks * SAME) {
        return Verdict::AtLeast(most);
    }
    // The greatest value whose figure is not above so many clocks.
    let last = |clocks: f64| {
        let (mut low, mut high) = (least, most);
        for _ in 0..STEPS {
            let middle = (low * high).sqrt();
            if is_above(middle, clocks) {
                high = middle;
            } else {
                low = middle;
            }
        }
        low
    };
    let (first, last) = (last(clocks / SAME), last(clocks * SAME));
    let value = if last / first < STEP {
        (first * last).sqrt()
    } else {
        last
    };
    Verdict::Value(rounded(value))
}

/// Three figures.
fn rounded(value: f64) -> f64 {
    if value <= 0.0 {
        return value;
    }
    let unit = 10f64.powf(value.log10().floor() - 2.0);
    (value / unit).round() * unit
}
