//! How constants were found: coordinate descent on the fitting set, and nothing else.
//!
//! The fitting set is six run times and the counter table ([`crate::rows::fitting_set`]). The cost of a
//! set of constants is the mean of the squared relative errors, a row whose band is wider counting for
//! less; counts that must be exact have no part in it. One constant after the other is moved up and down
//! by a step that shrinks; latencies that are published stay what they are: a constant that is a part of
//! one moves another part the opposite way.

use crate::gpu_fft::Error;
use crate::measure::measure;
use crate::row::{Band, Row};
use crate::rows;
use crate::userland::Userland;
use v3d_sim::Constants;

/// A constant that is free, and how it moves at first.
#[derive(Clone, Debug, PartialEq)]
pub struct Free {
    /// Its field.
    pub name: String,
    /// The first step, a part of its value.
    pub step: f64,
    /// It is a whole number.
    pub whole: bool,
}

/// What has been free: everything that no measurement gives.
#[must_use]
pub fn free() -> Vec<Free> {
    let part = |name: &str, step| Free {
        name: name.into(),
        step,
        whole: false,
    };
    vec![
        part("read_bus", 0.05),
        part("semaphore_handover", 0.3),
        part("sdram_line", 0.06),
        part("sdram_row", 0.1),
        part("system_l2_hit", 0.1),
        part("direct_launch_us", 0.05),
        Free {
            name: "tmu_misses".into(),
            step: 0.25,
            whole: true,
        },
    ]
}

/// The parts of a published latency, whose sum stays: a lookup that goes to SDRAM.
const SDRAM_LOOKUP: [&str; 3] = ["system_l2_hit", "sdram_latency", "sdram_line"];

/// Rows of the fitting set with a set of constants.
///
/// # Errors
/// When GPU_FFT cannot be run.
pub fn fitting_rows(
    userland: &Userland,
    constants: &Constants,
    largest: u32,
) -> Result<Vec<Row>, Error> {
    let mut wanted = rows::fitting_set();
    wanted.retain(|wanted| wanted.shape.log2n <= largest);
    let measurements = measure(userland, &wanted, constants, &|_| ())?;
    let rows = rows::rows(Some(&measurements), constants).into_iter();
    Ok(rows
        .filter(|row| row.fitted && row.simulated.is_some())
        .collect())
}

/// How far rows are from what was published, each in units of its band.
#[must_use]
pub fn cost(rows: &[Row]) -> f64 {
    let parts = rows.iter().filter_map(|row| {
        let error = row.error()?;
        let scale = match row.band {
            Band::Within(part) => part,
            Band::Factor(factor) => factor - 1.0,
            _ => return None,
        };
        Some((error / scale).powi(2))
    });
    let parts: Vec<f64> = parts.collect();
    (parts.iter().sum::<f64>() / parts.len().max(1) as f64).sqrt()
}

/// A constant's value.
#[must_use]
pub fn value(constants: &Constants, name: &str) -> Option<f64> {
    let all = constants.describe();
    let found = all.into_iter().find(|constant| constant.name == name)?;
    Some(found.value)
}

/// `constants` with one of them moved, published latencies kept; `None` when that cannot be.
#[must_use]
pub fn moved(constants: &Constants, name: &str, to: f64) -> Option<Constants> {
    let before = value(constants, name)?;
    let mut moved = constants.clone();
    moved.set(name, to);
    if SDRAM_LOOKUP.contains(&name) {
        // What is left of the sum is the latency of SDRAM; when nothing is, the system L2 gives way.
        let latency = value(constants, "sdram_latency")? + before - to;
        moved.set("sdram_latency", latency.max(0.0));
        if latency < 0.0 {
            if name == "system_l2_hit" {
                return None;
            }
            let hit = value(&moved, "system_l2_hit")? + latency;
            moved.set("system_l2_hit", hit);
        }
    }
    Some(moved)
}

/// Moves one constant after the other for `rounds` rounds of shrinking steps. `tell` is told each
/// improvement.
///
/// # Errors
/// When GPU_FFT cannot be run.
pub fn descend(
    userland: &Userland,
    start: &Constants,
    free: &[Free],
    largest: u32,
    rounds: u32,
    tell: &dyn Fn(&str),
) -> Result<(Constants, f64), Error> {
    let mut best = start.clone();
    let mut least = cost(&fitting_rows(userland, &best, largest)?);
    tell(&format!("start: cost {least:.4}"));
    for round in 0..rounds {
        for constant in free {
            for sign in [1.0, -1.0] {
                let Some(now) = value(&best, &constant.name) else {
                    break;
                };
                let step = now * constant.step / f64::from(1 << round);
                let step = if constant.whole {
                    step.max(1.0).round()
                } else {
                    step
                };
                let Some(next) = moved(&best, &constant.name, now + sign * step) else {
                    continue;
                };
                let cost = cost(&fitting_rows(userland, &next, largest)?);
                if cost < least {
                    tell(&format!(
                        "{} {now:.3} -> {:.3}: cost {cost:.4}",
                        constant.name,
                        now + sign * step
                    ));
                    (best, least) = (next, cost);
                    break;
                }
            }
        }
    }
    Ok((best, least))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_latency_keeps_its_sum() {
        let constants = Constants::recommended();
        let sum = |constants: &Constants| -> f64 {
            SDRAM_LOOKUP
                .iter()
                .map(|name| value(constants, name).unwrap())
                .sum()
        };
        for (name, to) in [
            ("system_l2_hit", 18.0),
            ("sdram_line", 6.0),
            ("sdram_line", 14.0),
        ] {
            let moved = moved(&constants, name, to).unwrap();
            assert!((sum(&moved) - sum(&constants)).abs() < 1e-9, "{name} {to}");
        }
        assert_eq!(moved(&constants, "no_such", 1.0), None);
    }

    #[test]
    fn what_is_free_exists() {
        for constant in free() {
            assert!(value(&Constants::recommended(), &constant.name).is_some());
        }
    }
}
