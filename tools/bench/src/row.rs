//! A row: one transform, ours beside the peer's, and the bound of both.

use crate::case::Case;
use crate::side::{Side, microseconds};
use crate::wall::Wall;
use flowgraph::plan::bound::Bound;
use serde_json::{Value, json};

/// One transform.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// The case that is transformed.
    pub case: Case,
    /// Ours; `None` where no plan makes it.
    pub ours: Option<Side>,
    /// GPU_FFT's; `None` where it has no such length or was not run.
    pub peer: Option<Side>,
    /// The least that it takes.
    pub bound: Bound,
    /// Time of ours on the device, launch included; `None` where the firmware was not asked.
    pub wall: Option<Wall>,
}

impl Row {
    /// Clocks for clocks, how much faster than the peer.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        Some(self.peer.as_ref()?.cycles as f64 / self.ours.as_ref()?.cycles as f64)
    }

    /// The peer's time over the bound: no ratio is larger.
    #[must_use]
    pub fn ceiling(&self) -> Option<f64> {
        Some(self.peer.as_ref()?.cycles as f64 / self.bound.clocks())
    }

    /// The row as it would be if all reads of ours allocated in the system L2; `None` where that
    /// was not run.
    #[must_use]
    pub fn allocating(&self) -> Option<Self> {
        let mut row = self.clone();
        let ours = row.ours.as_mut()?;
        ours.cycles = ours.allocating_cycles?;
        Some(row)
    }

    /// The bound over our time: 1 at most.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        Some(self.bound.clocks() / self.ours.as_ref()?.cycles as f64)
    }

    /// Everything of it, by its column in CSV and JSON; `null` where nothing was run. Times are
    /// those of the whole batch.
    #[must_use]
    pub fn figures(&self) -> Vec<(&'static str, Value)> {
        let (case, ours, peer) = (&self.case, self.ours.as_ref(), self.peer.as_ref());
        let of = |side: Option<&Side>, figure: fn(&Side, &Case) -> f64| {
            json!(side.map(|side| figure(side, case)))
        };
        vec![
            ("log2n", json!(case.log2n)),
            ("batch", json!(case.batch)),
            ("direction", json!(case.direction_name())),
            ("kind", json!(case.kind.name())),
            ("cycles", json!(ours.map(|side| side.cycles))),
            ("cold_cycles", json!(ours.map(|side| side.cold_cycles))),
            ("us", json!(ours.map(Side::us))),
            ("allocating_us", json!(ours.and_then(Side::allocating_us))),
            ("wall_us", json!(self.wall.map(|wall| wall.us))),
            ("wall_first_us", json!(self.wall.map(|wall| wall.first_us))),
            ("gflops", of(ours, Side::gflops)),
            ("gb_per_s", of(ours, Side::gigabytes_per_second)),
            ("instructions", json!(ours.map(|side| side.instructions))),
            ("slot_use", json!(ours.map(Side::slot_use))),
            ("passes", json!(ours.map(|side| side.passes))),
            ("ppm", json!(ours.map(|side| side.hello_ppm))),
            ("random_ppm", json!(ours.map(|side| side.random_ppm))),
            ("memory_us", json!(microseconds(self.bound.memory))),
            ("arithmetic_us", json!(microseconds(self.bound.arithmetic))),
            ("share", json!(self.share())),
            ("peer_cycles", json!(peer.map(|side| side.cycles))),
            ("peer_cold_cycles", json!(peer.map(|side| side.cold_cycles))),
            ("peer_us", json!(peer.map(Side::us))),
            ("peer_gflops", of(peer, Side::gflops)),
            ("peer_gb_per_s", of(peer, Side::gigabytes_per_second)),
            (
                "peer_instructions",
                json!(peer.map(|side| side.instructions)),
            ),
            ("peer_slot_use", json!(peer.map(Side::slot_use))),
            ("peer_passes", json!(peer.map(|side| side.passes))),
            ("peer_ppm", json!(peer.map(|side| side.hello_ppm))),
            ("peer_random_ppm", json!(peer.map(|side| side.random_ppm))),
            ("ratio", json!(self.ratio())),
            ("ceiling", json!(self.ceiling())),
        ]
    }
}

/// Geometric mean; `None` of nothing.
pub fn geometric_mean(figures: impl IntoIterator<Item = f64>) -> Option<f64> {
    let logs: Vec<f64> = figures.into_iter().map(f64::ln).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Kind;
    use crate::recorded::Recorded;
    use crate::side::Work;
    use qpu_fft::Direction;

    fn side(cycles: u64) -> Side {
        Side {
            passes: 2,
            cold_cycles: 2 * cycles,
            cycles,
            allocating_cycles: None,
            instructions: cycles,
            hello_ppm: 0.2,
            random_ppm: 0.3,
            work: Work::default(),
        }
    }

    fn row(ours: u64, peer: u64, bound: f64) -> Row {
        Row {
            case: Case {
                log2n: 12,
                batch: 1,
                direction: Direction::Inverse,
                kind: Kind::Complex,
            },
            ours: Some(side(ours)),
            peer: Some(side(peer)),
            bound: Bound {
                memory: bound,
                arithmetic: 1.0,
            },
            wall: None,
        }
    }

    #[test]
    fn figures_follow_from_clocks() {
        let row = row(10_000, 50_000, 8_000.0);
        let ours = row.ours.as_ref().unwrap();
        assert_eq!(ours.us(), 40.0);
        assert_eq!(row.ratio(), Some(5.0));
        assert_eq!(row.ceiling(), Some(6.25));
        assert_eq!(row.share(), Some(0.8));
        // 5 x 4096 x 12 operations and 16 x 4096 x 2 bytes in 40 us.
        assert!((ours.gflops(&row.case) - 6.144).abs() < 1e-9);
        assert!((ours.gigabytes_per_second(&row.case) - 3.2768).abs() < 1e-9);
        assert!((ours.slot_use() - 1.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn real_points_move_half_as_many_bytes_between_passes() {
        let mut row = row(100_000, 50_000, 8_000.0);
        row.case.kind = Kind::Real;
        // 2048 complex points of 16 bytes between each two passes, 8192 bytes in and 8256 out.
        let ours = row.ours.as_ref().unwrap();
        let gb_per_s = ours.gigabytes_per_second(&row.case);
        let bytes = f64::from(16384 + 16448 + 16 * 2048);
        assert!((gb_per_s - bytes / 400e3).abs() < 1e-9, "{gb_per_s}");
    }

    #[test]
    fn reads_by_the_other_alias_have_a_ratio_of_their_own() {
        let mut row = row(10_000, 45_000, 2_000.0);
        assert_eq!(row.allocating(), None);
        row.ours.as_mut().unwrap().allocating_cycles = Some(18_000);
        assert_eq!(row.allocating().unwrap().ratio(), Some(2.5));
    }

    #[test]
    fn the_fields_that_programs_read_are_there_and_say_nothing_of_targets() {
        let figures = row(10_000, 50_000, 8_000.0).figures();
        let names: Vec<&str> = figures.iter().map(|(name, _)| *name).collect();
        for name in [
            "log2n",
            "batch",
            "direction",
            "kind",
            "cycles",
            "us",
            "gflops",
            "ppm",
            "share",
            "ceiling",
            "peer_cycles",
            "ratio",
        ] {
            assert!(names.contains(&name), "{name} of {names:?}");
        }
        let judges =
            |name: &&str| name.contains("target") || name.split('_').any(|word| word == "met");
        assert!(!names.iter().any(judges), "{names:?}");
    }

    /// A bound that a transform falls below is none.
    #[test]
    fn no_transform_is_faster_than_its_bound() {
        let recorded = Recorded::last().unwrap_or_else(|e| panic!("{e:#}"));
        let rows = recorded.rows();
        assert!(rows.iter().any(|row| row.ours.is_some()));
        for row in rows {
            let sides = [&row.ours, &row.peer].into_iter().flatten();
            for side in sides {
                let least = side.cycles.min(side.allocating_cycles.unwrap_or(u64::MAX)) as f64;
                assert!(row.bound.clocks() < least, "{}: {least}", row.case.name());
            }
        }
    }

    #[test]
    fn the_mean_is_geometric() {
        assert!((geometric_mean([2.0, 8.0]).unwrap() - 4.0).abs() < 1e-9);
        assert_eq!(geometric_mean([]), None);
    }
}
