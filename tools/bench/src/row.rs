//! A row: one transform, ours beside the peer's, and what both are held to.

use crate::case::{Case, Kind};
use crate::side::{Side, microseconds};
use crate::target;
use crate::wall::Wall;
use flowgraph::plan::roofline::Floor;
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
    pub floor: Floor,
    /// Time of ours on the device, launch included; `None` where the firmware was not asked.
    pub wall: Option<Wall>,
}

/// True if a figure meets its target; `None` where there is no target or nothing was run.
pub type Met = Option<bool>;

impl Row {
    /// Clocks for clocks, how much faster than the peer.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        Some(self.peer.as_ref()?.cycles as f64 / self.ours.as_ref()?.cycles as f64)
    }

    /// The peer's time over the floor: what no program exceeds that takes as many passes as the
    /// floor counts.
    #[must_use]
    pub fn ceiling(&self) -> Option<f64> {
        Some(self.peer.as_ref()?.cycles as f64 / self.floor.clocks())
    }

    /// The ratio that is asked for, and the one that counts as met.
    #[must_use]
    pub fn target(&self) -> Option<(f64, f64)> {
        let target = self.of_complex(target::ratio(self.case.log2n, self.case.batch))?;
        Some((target, target::reachable(target, self.ceiling()?)))
    }

    /// The target if the transform is complex; others have none.
    fn of_complex<T>(&self, target: Option<T>) -> Option<T> {
        target.filter(|_| self.case.kind == Kind::Complex)
    }

    /// True if the ratio is as large as its target.
    #[must_use]
    pub fn ratio_met(&self) -> Met {
        Some(self.ratio()? >= self.target()?.1)
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

    /// The floor over our time.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        Some(self.floor.clocks() / self.ours.as_ref()?.cycles as f64)
    }

    /// True if the share is as large as its target.
    #[must_use]
    pub fn share_met(&self) -> Met {
        let wanted = self.of_complex(target::share(self.case.log2n, self.case.batch))?;
        Some(self.share()? >= wanted)
    }

    /// True if our memory passes are as few as their target.
    #[must_use]
    pub fn passes_met(&self) -> Met {
        let wanted = self.of_complex(Some(self.case.least_passes()))?;
        Some(self.ours.as_ref()?.passes <= wanted)
    }

    /// True if both errors are as small as their targets.
    #[must_use]
    pub fn errors_met(&self) -> Met {
        let ours = self.ours.as_ref()?;
        let log2n = self.case.log2n;
        let hello = ours.hello_ppm <= self.of_complex(target::hello_ppm(log2n))?;
        Some(hello && ours.random_ppm <= target::random_ppm(log2n)?)
    }

    /// Figures that do not meet their targets, as words.
    #[must_use]
    pub fn missed(&self) -> Vec<String> {
        let mut missed = Vec::new();
        if let (Some(false), Some(ratio), Some((_, reachable))) =
            (self.ratio_met(), self.ratio(), self.target())
        {
            missed.push(format!("{ratio:.2} times GPU_FFT, wanted {reachable:.2}"));
        }
        if let (Some(false), Some(share)) = (self.share_met(), self.share()) {
            let wanted = target::share(self.case.log2n, self.case.batch).unwrap_or(0.0);
            missed.push(format!("{share:.2} of the floor, wanted {wanted:.1}"));
        }
        if let (Some(false), Some(ours)) = (self.passes_met(), &self.ours) {
            let wanted = self.case.least_passes();
            missed.push(format!("{} passes, wanted {wanted}", ours.passes));
        }
        if let (Some(false), Some(ours)) = (self.errors_met(), &self.ours) {
            let [hello, random] = [target::hello_ppm, target::random_ppm]
                .map(|wanted| wanted(self.case.log2n).unwrap_or(0.0));
            missed.push(format!(
                "{:.2} and {:.2} ppm, wanted {hello:.2} and {random:.2}",
                ours.hello_ppm, ours.random_ppm
            ));
        }
        missed
    }

    /// Everything of it, by its column in CSV and JSON; `null` where nothing was run. Times are
    /// those of the whole batch.
    #[must_use]
    pub fn figures(&self) -> Vec<(&'static str, Value)> {
        let (case, ours, peer) = (&self.case, self.ours.as_ref(), self.peer.as_ref());
        let of = |side: Option<&Side>, figure: fn(&Side, &Case) -> f64| {
            json!(side.map(|side| figure(side, case)))
        };
        let target = self.target();
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
            ("memory_level", json!(self.floor.level.name())),
            ("memory_us", json!(microseconds(self.floor.memory))),
            ("arithmetic_us", json!(microseconds(self.floor.arithmetic))),
            ("share", json!(self.share())),
            ("share_met", json!(self.share_met())),
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
            ("target", json!(target.map(|(target, _)| target))),
            (
                "target_reachable",
                json!(target.map(|(_, reachable)| reachable)),
            ),
            ("met", json!(self.ratio_met())),
            ("errors_met", json!(self.errors_met())),
            ("passes_met", json!(self.passes_met())),
        ]
    }
}

/// Geometric mean of what rows that have a target have `of` themselves; `None` when there is none.
pub fn geometric_mean<'a>(
    rows: impl IntoIterator<Item = &'a Row>,
    of: impl Fn(&Row) -> Option<f64>,
) -> Option<f64> {
    let logs: Vec<f64> = rows
        .into_iter()
        .filter(|row| row.target().is_some())
        .filter_map(of)
        .map(f64::ln)
        .collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::side::Work;
    use flowgraph::plan::roofline::Level;
    use qpu::fft::Direction;

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

    fn row(log2n: u32, ours: u64, peer: u64, floor: f64) -> Row {
        Row {
            case: Case {
                log2n,
                batch: 1,
                direction: Direction::Inverse,
                kind: Kind::Complex,
            },
            ours: Some(side(ours)),
            peer: Some(side(peer)),
            floor: Floor {
                level: Level::Sdram,
                memory: floor,
                arithmetic: 1.0,
            },
            wall: None,
        }
    }

    #[test]
    fn figures_follow_from_clocks() {
        let row = row(12, 10_000, 50_000, 8_000.0);
        let ours = row.ours.as_ref().unwrap();
        assert_eq!(ours.us(), 40.0);
        assert_eq!(row.ratio(), Some(5.0));
        assert_eq!(row.ceiling(), Some(6.25));
        assert_eq!(row.share(), Some(0.8));
        assert_eq!(row.ratio_met(), Some(true));
        // 5 x 4096 x 12 operations and 16 x 4096 x 2 bytes in 40 us.
        assert!((ours.gflops(&row.case) - 6.144).abs() < 1e-9);
        assert!((ours.gigabytes_per_second(&row.case) - 3.2768).abs() < 1e-9);
        assert!((ours.slot_use() - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!(row.missed(), Vec::<String>::new());
    }

    #[test]
    fn what_reads_by_the_other_alias_take_is_held_to_the_same_target() {
        let mut row = row(12, 10_000, 45_000, 2_000.0);
        assert_eq!(row.allocating(), None);
        row.ours.as_mut().unwrap().allocating_cycles = Some(18_000);
        assert_eq!(row.ratio_met(), Some(true));
        let allocating = row.allocating().unwrap();
        assert_eq!(allocating.ratio(), Some(2.5));
        assert_eq!(allocating.ratio_met(), Some(false));
    }

    #[test]
    fn a_target_beyond_the_ceiling_is_lowered_to_a_part_of_it() {
        let row = row(12, 11_000, 30_000, 10_000.0);
        assert_eq!(row.target().unwrap().0, 3.0);
        assert!((row.target().unwrap().1 - 2.4).abs() < 1e-9);
        assert_eq!(row.ratio_met(), Some(true));
    }

    #[test]
    fn what_is_missed_is_said() {
        let row = row(8, 10_000, 11_000, 1_000.0);
        let missed = row.missed().join("; ");
        assert!(
            missed.contains("1.10 times GPU_FFT, wanted 2.00"),
            "{missed}"
        );
        assert!(missed.contains("2 passes, wanted 1"), "{missed}");
        assert!(missed.contains("0.20 and 0.30 ppm"), "{missed}");
    }

    #[test]
    fn nothing_is_asked_of_other_kinds() {
        let mut row = row(12, 100_000, 50_000, 8_000.0);
        row.case.kind = Kind::Real;
        assert!(row.missed().is_empty());
        assert_eq!(
            (row.target(), row.share_met(), row.errors_met()),
            (None, None, None)
        );
        // 2048 complex points of 16 bytes between each two passes, 8192 bytes in and 8256 out.
        let ours = row.ours.as_ref().unwrap();
        let gb_per_s = ours.gigabytes_per_second(&row.case);
        let bytes = f64::from(16384 + 16448 + 16 * 2048);
        assert!((gb_per_s - bytes / 400e3).abs() < 1e-9, "{gb_per_s}");
    }

    #[test]
    fn the_mean_is_geometric() {
        let rows = [row(11, 10, 20, 1.0), row(12, 10, 80, 1.0)];
        assert!((geometric_mean(&rows, Row::ratio).unwrap() - 4.0).abs() < 1e-9);
        assert_eq!(geometric_mean(&[row(7, 10, 20, 1.0)], Row::ratio), None);
    }
}
