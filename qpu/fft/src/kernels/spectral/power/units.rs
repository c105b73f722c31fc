//! The bins that the units of the pass make, and the rows that they store.

use super::PowerPass;
use crate::kernels::spectral::runs::{Run, Runs};
use qpu::machine::LANES;

/// Rows that a unit stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Stored {
    /// The first in order of frequency.
    pub row: u32,
    pub count: u32,
    /// Number of the first among the groups of the unit.
    pub group: u32,
    /// Words of each.
    pub words: u32,
}

impl PowerPass {
    pub(super) const fn runs(&self) -> Runs {
        Runs {
            half: self.points(),
            run_bins: self.bins().run_bins(),
            has_last: true,
        }
    }

    /// The unit that bins from -N/2 on belong to, counted from that of bin 0: numbers of complex
    /// units.
    pub(super) const fn complex_units(&self) -> [i32; 2] {
        let bins = self.bins().run_bins() as i32;
        let half = self.points() as i32 / 2;
        let [first, end] = self.powers.rows();
        let first = first as i32 * LANES as i32 - half;
        let end = end as i32 * LANES as i32 - half;
        [first.div_euclid(bins), (end - 1).div_euclid(bins) + 1]
    }

    /// The first bin of complex unit `number`, counted from bin 0 on; negative where a unit is
    /// longer than half a spectrum.
    pub(super) fn complex_bin(&self, number: u32) -> i32 {
        let unit = self.complex_units()[0] + number as i32;
        let bin = unit * self.bins().run_bins() as i32;
        if bin < 0 {
            bin + self.points() as i32
        } else {
            bin
        }
    }

    /// Units of a real spectrum whose first runs are wanted, those whose second runs are, and the
    /// last.
    fn real_units(&self) -> impl Iterator<Item = u32> {
        let runs = self.runs();
        let groups = u32::from(self.bins().groups());
        let all = runs.half / LANES;
        let units = all / (2 * groups);
        let [first, end] = self.powers.rows();
        let last = units..units + u32::from(end > all);
        let [first, end] = [first, end].map(|row| row.min(all));
        let of_rows =
            |first: u32, end: u32| (first / groups).min(units)..end.div_ceil(groups).min(units);
        let [up, down] = [of_rows(first, end), of_rows(all - end, all - first)];
        let has_both = !up.is_empty() && !down.is_empty();
        let parts = if runs.is_single() {
            [0..1, 0..0, 0..0]
        } else if has_both && up.start <= down.end && down.start <= up.end {
            [up.start.min(down.start)..up.end.max(down.end), 0..0, last]
        } else {
            [up, down, last]
        };
        parts.into_iter().flatten()
    }

    /// Units of a row of powers.
    pub(super) fn units_of_one(&self) -> u32 {
        if self.powers.is_real {
            return self.real_units().count() as u32;
        }
        let [first, end] = self.complex_units();
        (end - first) as u32
    }

    /// The real unit that is number `number` of those wanted.
    pub(super) fn real_unit(&self, number: u32) -> u32 {
        self.real_units().nth(number as usize).unwrap_or(0)
    }

    /// The rows of bins that are wanted, of a run that begins with row `row` and has `groups`.
    fn wanted(&self, row: i64, groups: u32) -> Stored {
        let [first, end] = self.powers.rows().map(i64::from);
        let first = row.max(first);
        let end = end.min(row + i64::from(groups));
        Stored {
            row: first as u32,
            count: (end - first).max(0) as u32,
            group: (first - row) as u32,
            words: LANES,
        }
    }

    /// The rows of each run that a unit stores.
    fn stored(&self, number: u32) -> [Stored; 2] {
        if !self.powers.is_real {
            let unit = i64::from(self.complex_units()[0]) + i64::from(number);
            let groups: u32 = self.bins().groups().into();
            let zero = i64::from(self.points() / 2 / LANES);
            let stored = self.wanted(unit * i64::from(groups) + zero, groups);
            return [stored; 2];
        }
        self.runs().unit(self.real_unit(number)).map(|run| {
            let Run { first, bins } = run;
            let groups = bins.div_ceil(LANES);
            let stored = self.wanted((first / LANES).into(), groups);
            Stored {
                words: bins.min(LANES),
                ..stored
            }
        })
    }

    /// The rows that are stored for run `run`, and the run that they are of: a run without wanted
    /// rows stores the other's.
    pub(super) fn stored_run(&self, number: u32, run: u8) -> (u8, Stored) {
        let stored = self.stored(number);
        let own = stored[usize::from(run)];
        if own.count > 0 || !self.powers.is_real {
            (run, own)
        } else {
            (1 - run, stored[usize::from(1 - run)])
        }
    }
}
