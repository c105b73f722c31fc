//! The split of few bins: units of 32 or 64 bins, in rows of the VPM that each program has for
//! itself.
//!
//! Most of the time of a short transform is spent on waiting, once for every step from the first
//! word of code to the last store. So a program is short, needs no lock and no leader, and finds
//! all that it reads of its first unit in its start list, one word behind the other; and there are
//! enough units for many QPUs.
//!
//! Unit 0, which has bins 0 and up, also makes bin M, of the same terms as bin 0, and stores a line
//! for it: zeros behind the bin.

use super::real_split::RealPass;
use super::runs::{Run, stored};
use crate::kernels::layout::QPUS_OF_A_SLICE;
use qpu::machine::{QPUS, VPM_ROWS};

/// Most bins of all spectra of a batch that are worked on so, where a spectrum has 256 or more: on
/// the simulator longer programs are faster for more.
const MOST_BINS: u32 = 8192;
/// Most of those in units of 32 bins; what has more has units of 64.
const FEW_BINS: u32 = 1024;

impl RealPass {
    /// Groups of a run of a unit for `batch` spectra of 2^`log2_half` bins; 0 where these are not
    /// few. Spectra of less than 256 bins always are: one would take a longer unit for itself.
    /// Those of less than 64 have no second group.
    pub(super) const fn short_groups(log2_half: u32, batch: u32) -> u8 {
        if log2_half >= 8 && batch > MOST_BINS >> log2_half {
            0
        } else if log2_half >= 6 && batch > FEW_BINS >> log2_half {
            2
        } else {
            1
        }
    }

    /// Rows of the VPM that a program has: of both runs, and that of bin M.
    const fn rows(&self) -> u32 {
        4 * self.bins().groups() as u32 + 1
    }

    /// Programs that have rows of their own.
    pub(super) const fn programs_with_rows(&self) -> u32 {
        if self.is_short() {
            VPM_ROWS as u32 / self.rows()
        } else {
            QPUS as u32
        }
    }

    /// The first row of a program.
    pub(super) const fn first_row(&self, program: u32) -> u8 {
        (self.rows() * (program % self.programs_with_rows())) as u8
    }

    /// QPUs that are left out ([`crate::kernels::layout::Layout::idle`]), where few transforms
    /// have programs so long that an instruction cache does not hold both. Those of 2^8 and 2^9
    /// points are in one slice, which is left alone; those of 2^10 are in all, of which two are.
    pub(super) const fn left_out(&self) -> u32 {
        match (self.log2_half, self.groups) {
            _ if !self.leaves_slices => 0,
            (8 | 9, _) => QPUS_OF_A_SLICE,
            (10, 1) => 2 * QPUS_OF_A_SLICE,
            _ => 0,
        }
    }

    /// The first bin of a unit's store number `index`; of the program's rows, the first that it
    /// takes, and how many.
    pub(super) fn short_store(&self, unit: u32, index: u8) -> (u32, [u8; 2]) {
        let of_run = 2 * self.bins().groups();
        let runs = self.runs().unit(unit);
        let has_last = index == 1 && unit == 0 && self.to_bins;
        if !has_last {
            let (run, Run { first, .. }) = stored(&runs, index);
            (first, [of_run * run, of_run])
        } else if runs[1].bins > 0 {
            // The second run, and the line of bin M behind it.
            (runs[1].first, [of_run, of_run + 1])
        } else {
            // The line of bin M alone.
            (1 << self.log2_half, [2 * of_run, 1])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::context::{Buffers, UnitContext};
    use crate::kernels::layout::Layout;

    fn passes() -> impl Iterator<Item = (RealPass, u32)> {
        let lengths = (4..=13).flat_map(|log2| [1, 2, 3, 7, 65].map(|batch| (log2, batch)));
        lengths
            .flat_map(|(log2, batch)| {
                [true, false].map(|to_bins| (RealPass::new(log2, to_bins, batch), batch))
            })
            .filter(|(pass, _)| pass.is_short())
    }

    #[test]
    fn every_bin_is_stored_by_one_unit() {
        for (pass, batch) in passes() {
            let buffers = Buffers::default();
            let bins = 1 << pass.log2_half;
            let lines = batch * (bins / 8 + u32::from(pass.to_bins));
            let mut stored = vec![None; lines as usize];
            for unit in 0..pass.units(batch) {
                let program = unit % pass.programs_with_rows();
                let own = u32::from(pass.first_row(program))..;
                let own = own.start..own.start + pass.rows();
                for index in 0..pass.bins().stores() {
                    let context = UnitContext {
                        index: unit,
                        batch,
                        program,
                        ..UnitContext::default()
                    };
                    let stored_rows = pass.store_rows(&context, index);
                    let line = pass.store(&buffers, &context, index) / 64;
                    for number in 0..u32::from(stored_rows.rows) {
                        let row = u32::from(stored_rows.y) + number;
                        assert!(own.contains(&row), "{pass:?}: row {row} of {own:?}");
                        // A line is stored twice only by a unit that has nothing else to store.
                        let before = stored[(line + number) as usize].replace((unit, row));
                        assert!(before.is_none_or(|by| by == (unit, row)), "{pass:?}");
                    }
                }
            }
            assert!(stored.iter().all(Option::is_some), "{pass:?} x {batch}");
        }
    }

    #[test]
    fn programs_have_rows_of_their_own() {
        for (pass, _) in passes() {
            // Those that work follow each other.
            for first in 0..=pass.left_out() {
                let programs = (first..first + pass.programs_with_rows()).map(|program| {
                    let row = u32::from(pass.first_row(program));
                    row..row + pass.rows()
                });
                let mut rows: Vec<u32> = programs.flatten().collect();
                assert!(rows.iter().all(|&row| row < u32::from(VPM_ROWS)));
                rows.sort_unstable();
                rows.dedup();
                assert_eq!(rows.len() as u32, pass.programs_with_rows() * pass.rows());
            }
        }
    }

    #[test]
    fn few_bins_and_short_spectra_are_done_in_short_units() {
        let groups = |log2_half, batch| RealPass::new(log2_half, true, batch).groups;
        assert_eq!([4, 5, 10].map(|log2| groups(log2, 1)), [1; 3]);
        assert_eq!([11, 12, 13].map(|log2| groups(log2, 1)), [2; 3]);
        assert_eq!(groups(14, 1), 0);
        assert_eq!(
            [groups(5, 5000), groups(6, 5000), groups(7, 5000)],
            [1, 2, 2]
        );
        assert_eq!([groups(8, 32), groups(8, 33)], [2, 0]);
    }
}
