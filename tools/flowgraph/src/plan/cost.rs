//! V3D clocks of a plan, from committed tables, and the bound below them.
//!
//! The tables ([`qpu_fft::planner::tuning`]) have what `cargo xtask tune` measured on the
//! simulator, forward, for a Pi 1 and a Pi 2: of a single transform and, up to 2^15 points, of ten.
//! The bound is that of `cargo xtask bench` ([`super::bound`]), which is of a Pi 1. Both are
//! modelled; no board has run them.

use qpu_fft::Split;
use qpu_fft::planner::tuning;
use qpu_fft::request::{Request, Transform};

use super::Planned;
use super::bound::Bound;

/// Clocks of a request.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Clocks {
    /// V3D clocks of the whole batch.
    pub clocks: f64,
    /// True if they are concluded from those of other batches.
    pub is_predicted: bool,
}

/// Clocks of the table, which are of its own split; `None` where it has none.
///
/// Those of a batch that was not timed lie on the line through the batches that were, not in
/// proportion: ten of 2^4 points take half as long again as one.
#[must_use]
pub fn tabled(planned: &Planned) -> Option<Clocks> {
    let (request, split) = (&planned.request, planned.arrangement.split);
    let Transform::Complex { log2_points } = request.transform else {
        return None;
    };
    let row = |batch| tuning::row(request.chip, log2_points, batch);
    let own = row(request.batch)?;
    if !request.reads_points() || Split::new(own.log2_radices) != Some(split) {
        return None;
    }
    let (one, many) = (row(1)?, row(u32::MAX)?);
    if one.cycles == 0 || many.cycles == 0 {
        return None;
    }
    let [clocks, most] = [one, many].map(|row| f64::from(row.cycles));
    let more = f64::from(request.batch - 1);
    Some(Clocks {
        clocks: if many.batch > 1 {
            clocks + (most - clocks) * (more / f64::from(many.batch - 1))
        } else {
            clocks + clocks * more
        },
        is_predicted: u32::from(own.batch) != request.batch,
    })
}

/// The least clocks that a Pi 1 leaves to a request.
#[must_use]
pub fn bound(request: &Request) -> f64 {
    Bound::of_request(request).clocks()
}

/// The clocks in a sentence.
#[must_use]
pub fn sentence(
    planned: &Planned,
    clocks: f64,
    source: &str,
    clock_hz: f64,
    board: &str,
) -> String {
    format!(
        "{clocks:.0} V3D clocks ({source}), {:.2} a point, {:.0} us on {board}",
        clocks / planned.points() as f64,
        clocks * 1e6 / clock_hz,
    )
}

/// The bound in a sentence, beside the clocks where there are any.
#[must_use]
pub fn bound_sentence(bound: f64, clocks: Option<f64>) -> String {
    let least = format!("no plan takes less than {bound:.0} clocks");
    match clocks {
        Some(clocks) => format!("{least}, {:.2} of these", bound / clocks),
        None => least,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::bound::STORED_BYTES_PER_CLOCK;
    use qpu_fft::planner::tuning::Chip;

    fn clocks(log2_points: u32, batch: u32) -> Option<Clocks> {
        let planned = Planned::new(Request::new(log2_points, batch)).expect("a plan");
        tabled(&planned)
    }

    #[test]
    fn clocks_are_those_of_the_table() {
        for chip in [Chip::Bcm2835, Chip::Bcm2836] {
            for log2_points in 4..=22 {
                let request = Request {
                    chip,
                    ..Request::new(log2_points, 1)
                };
                let planned = Planned::new(request).expect("a plan");
                let row = tuning::row(chip, log2_points, 1).expect("a row");
                let clocks = tabled(&planned).expect("clocks");
                assert_eq!(clocks.clocks, f64::from(row.cycles));
                assert!(!clocks.is_predicted);
            }
        }
    }

    #[test]
    fn clocks_of_other_batches_are_predicted() {
        let [one, five, ten] = [1, 5, 10].map(|batch| clocks(4, batch).expect("clocks"));
        assert!(five.is_predicted && !one.is_predicted && !ten.is_predicted);
        let expected = one.clocks + (ten.clocks - one.clocks) * (4.0 / 9.0);
        assert!((five.clocks - expected).abs() < 1e-9 * expected);
    }

    #[test]
    fn sentences_have_the_numbers() {
        let planned = Planned::new(Request::new(10, 1)).expect("a plan");
        let line = sentence(&planned, 5704.0, "simulated", 250e6, "pi1");
        assert_eq!(
            line,
            "5704 V3D clocks (simulated), 5.57 a point, 23 us on pi1"
        );
        assert_eq!(
            bound_sentence(100.4, None),
            "no plan takes less than 100 clocks"
        );
        assert_eq!(
            bound_sentence(100.0, Some(200.0)),
            "no plan takes less than 100 clocks, 0.50 of these"
        );
        let stored = f64::from(8u32 << 10) / STORED_BYTES_PER_CLOCK;
        assert!((bound(&planned.request) - stored).abs() < 1e-9 * stored);
    }

    #[test]
    fn other_kinds_have_no_clocks() {
        let real = Request::of(Transform::RealToBins { log2_points: 10 }, 1);
        assert_eq!(tabled(&Planned::new(real).expect("a plan")), None);
    }
}
