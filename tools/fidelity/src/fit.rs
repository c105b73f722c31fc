//! The search for constants: coordinate descent on the fitting set, and nothing else.
//!
//! The fitting set is six run times and the counter table ([`crate::rows::fitting_set`]). The cost
//! of a set of constants is the mean of the squared relative errors, a row whose band is wider
//! counting for less; counts that must be exact have no part in it. One constant after the other is
//! moved up and down by a step that shrinks; the longest transform, which takes most of the time,
//! joins for the last rounds. Latencies that are published stay what they are: a constant that is a
//! part of one moves another part the opposite way.
//!
//! What is published is not free: hand-over by a semaphore, latencies of lookups, VPM and DMA rates
//! (microbenchmarks), turnarounds and recovery of SDRAM (JEDEC). Descents from starts that lie
//! far apart show how far the fitting set determines what is free.

use crate::gpu_fft::Error;
use crate::measure::measure;
use crate::row::{Band, Row, Section};
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

/// The free constants: all that no measurement gives and that makes a difference.
#[must_use]
pub fn free() -> Vec<Free> {
    let part = |name: &str, step| Free {
        name: name.into(),
        step,
        whole: false,
    };
    vec![
        part("read_bus", 0.05),
        part("sdram_line", 0.06),
        part("vpm_column", 0.1),
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

/// Rounds at the end in which the longest transforms take part.
const LONG_ROUNDS: u32 = 2;
/// Longest transforms (log2) of the rounds before.
const SHORT: u32 = 16;

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

/// A published time has two digits. What it is taken for: as printed, or the shortest or the
/// longest time that is printed so. Constants fitted to the ends are the range that the evidence
/// leaves.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, clap::ValueEnum)]
pub enum Printed {
    /// The shortest.
    Fast,
    /// The time as printed.
    #[default]
    Middle,
    /// The longest.
    Slow,
}

impl Printed {
    /// A time of two digits.
    #[must_use]
    pub fn of(self, published: f64) -> f64 {
        let half = 0.5 * 10f64.powi(published.log10().floor() as i32 - 1);
        match self {
            Self::Fast => published - half,
            Self::Middle => published,
            Self::Slow => published + half,
        }
    }
}

/// Distance of rows from the published figures, each in units of its band.
#[must_use]
pub fn cost(rows: &[Row], printed: Printed) -> f64 {
    let parts = rows.iter().filter_map(|row| {
        let published = match row.section {
            Section::Times2 | Section::Times3 => printed.of(row.published),
            _ => row.published,
        };
        let error = row.simulated? / published - 1.0;
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
        // What is left of the sum is the latency of SDRAM; when nothing is, the system L2 gives
        // way.
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
    printed: Printed,
    largest: u32,
    rounds: u32,
    tell: &dyn Fn(&str),
) -> Result<(Constants, f64), Error> {
    let mut best = start.clone();
    let mut least = f64::INFINITY;
    // The sign that last helped is tried first.
    let mut signs = vec![1.0; free.len()];
    for round in 0..rounds {
        let longest = if round + LONG_ROUNDS < rounds {
            largest.min(SHORT)
        } else {
            largest
        };
        least = cost(&fitting_rows(userland, &best, longest)?, printed);
        tell(&format!(
            "round {round}, up to 2^{longest}: cost {least:.4}"
        ));
        for (constant, first) in free.iter().zip(&mut signs) {
            for sign in [*first, -*first] {
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
                let cost = cost(&fitting_rows(userland, &next, longest)?, printed);
                if cost < least {
                    tell(&format!(
                        "{} {now:.3} -> {:.3}: cost {cost:.4}",
                        constant.name,
                        now + sign * step
                    ));
                    (best, least) = (next, cost);
                    *first = sign;
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
    fn what_was_printed_with_two_digits_may_be_half_a_unit_off() {
        assert_eq!(Printed::Slow.of(33.0), 33.5);
        assert_eq!(Printed::Fast.of(1200.0), 1150.0);
        assert_eq!(Printed::Middle.of(43_000.0), 43_000.0);
    }

    #[test]
    fn what_is_free_exists() {
        for constant in free() {
            assert!(value(&Constants::recommended(), &constant.name).is_some());
        }
        for (start, values) in &crate::fits::fits().starts {
            let mut constants = Constants::recommended();
            let sum = |constants: &Constants| -> f64 {
                let parts = SDRAM_LOOKUP.iter();
                parts.map(|name| value(constants, name).unwrap()).sum()
            };
            for (name, value) in values {
                assert!(constants.set(name, *value), "{start}: {name}");
            }
            // A descent keeps the sum, so it must start with it.
            assert!((sum(&constants) - 32.0).abs() < 1e-9, "{start}");
        }
    }
}
