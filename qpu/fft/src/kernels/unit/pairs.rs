//! QPUs that share the parts of a tile, the order in which parts are done, and the delay with which
//! groups of QPUs begin.
//!
//! Both parts of a tile are sums of all its rows ([`crate::kernels::tile::layout`]), and a
//! group of four QPUs does one at a time: so rows are looked up twice, 16 KiB of them in a last
//! pass of 256 points, as much as the L2C holds, from the SDRAM, which these passes wait for. The
//! TMUs' caches of 4 KiB keep them if two groups do both parts of a tile one soon after the other,
//! and look up through the four TMUs of two slices:
//!
//! | programs of a launch | run on | are, of group 0 and group 1 in turn |
//! |---|---|---|
//! | 0 to 3 | one slice | QPUs 0, 0, 2, 2 of a group |
//! | 4 to 7 | another | QPUs 1, 1, 3, 3 of a group |
//! | 8 to 11 | the third | QPUs 0 to 3 of group 2 |
//!
//! The QPUs with the same rows in both groups are 2 n and 2 n + 1 of a slice, for which TMU 0 is
//! the same. Of a group, 0 and 2 are in a slice because odd pairs of QPUs of a slice have TMU 0 for
//! TMU 1, and both halves of a scratch area lie two lines off each other in a cache of 4 KiB, so
//! that these two use different lines of it.
//!
//! Groups 0 and 1 do part 0 and part 1 of tiles from the first on, each at its own pace; group 2
//! does both parts of the others. With V3D's queue in another order all is as correct, and slower.
//!
//! # Delays
//!
//! In these passes and in first ones, groups of four begin one after the other: otherwise the rows
//! of all groups come from the SDRAM at the same time, the first group waits for those of the last,
//! and nothing is stored until all have read a tile. Nothing depends on the delay.

use super::Geometry;
use crate::kernels::layout::QPUS_OF_A_SLICE;

/// Iterations of a loop of 20 clocks from one group's begin to the next's: about a third of what a
/// group takes for a tile. On the simulator, 2^14 and 2^15 take the same time from 150 to 200.
const DELAY: u32 = 175;
/// Programs with fewer units begin at once.
const DELAYED_UNITS: u32 = 3;
/// Programs of the first two groups.
pub(super) const OF_PAIRS: u32 = 2 * QPUS_OF_A_SLICE;

impl Geometry {
    /// True if two groups of QPUs do both parts of a tile, of `programs` programs.
    pub(crate) fn has_pairs(&self, programs: u32) -> bool {
        self.sharers() == QPUS_OF_A_SLICE && self.parts() == 2 && programs >= OF_PAIRS
    }

    /// [`Start::Delay`](super::uniforms::Start::Delay) of the program with number `number`, which
    /// has `units` units.
    pub(crate) fn delay(&self, number: u32, units: u32) -> u32 {
        if self.sharers() < QPUS_OF_A_SLICE || units < DELAYED_UNITS {
            return 0;
        }
        number / QPUS_OF_A_SLICE * DELAY
    }
}

/// Parts that each of the first two groups does of `units` units: a third of all, or half if there
/// is no other group.
pub(super) const fn rounds_of_a_pair(units: u32, programs: u32) -> u32 {
    let parts = units / QPUS_OF_A_SLICE;
    if programs < OF_PAIRS + QPUS_OF_A_SLICE {
        parts / 2
    } else {
        (parts + 1) / 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::layout::Layout;
    use crate::split::{QUAD, Split};

    fn last_256(log2_points: u8) -> Geometry {
        let split = Split::new(&[log2_points - 8, QUAD + 8]).expect("a split");
        Geometry::new(&split, 1)
    }

    #[test]
    fn every_part_is_done_once_and_programs_have_equal_shares() {
        for (log2_points, batch) in [(12, 1), (13, 1), (14, 1), (14, 3), (12, 7), (14, 10)] {
            let pass = last_256(log2_points);
            let units = pass.units(batch);
            for programs in [8, 12] {
                assert!(pass.has_pairs(programs));
                let mut numbers = Vec::new();
                let mut seen = vec![0; units as usize];
                let mut shares = Vec::new();
                for program in 0..programs {
                    let number = pass.number_of_program(program, programs);
                    numbers.push(number);
                    let rounds = pass.units_of_program(units, programs, program);
                    shares.push(rounds);
                    for number_in_order in 0..rounds {
                        let unit = pass.unit_of_program(units, programs, program, number_in_order);
                        let unit = unit.expect("has pairs");
                        assert_eq!(pass.unit(unit).sharer, number % 4);
                        seen[unit as usize] += 1;
                    }
                }
                assert!(seen.iter().all(|&times| times == 1), "{log2_points}");
                let (least, most) = (shares.iter().min(), shares.iter().max());
                let [least, most] = [least, most].map(|share| *share.expect("programs"));
                assert!(least > 0 && most - least <= 1, "{shares:?}");
                numbers.sort_unstable();
                assert!(numbers.into_iter().eq(0..programs));
            }
        }
    }

    #[test]
    fn pairs_look_up_the_same_rows_through_the_same_tmu() {
        let pass = last_256(14);
        let units = pass.units(1);
        for program in (0..8).step_by(2) {
            let [one, other] = [0, 1].map(|next| {
                let unit = pass.unit_of_program(units, 12, program + next, 1);
                pass.unit(unit.expect("has pairs"))
            });
            assert_eq!((one.part, other.part), (0, 1));
            assert_eq!(
                (one.column, one.bin, one.sharer),
                (other.column, other.bin, other.sharer)
            );
        }
    }

    #[test]
    fn other_passes_go_on_as_they_were() {
        let split = Split::new(&[QUAD + 7, 7]).expect("a split");
        for pass in [0, 1].map(|pass| Geometry::new(&split, pass)) {
            assert!(!pass.has_pairs(12));
            assert_eq!(pass.number_of_program(5, 12), 5);
        }
        assert!(!last_256(14).has_pairs(4));
    }

    #[test]
    fn groups_with_several_units_begin_one_after_the_other() {
        let split = Split::new(&[QUAD + 7, 7]).expect("a split");
        let [first, last] = [0, 1].map(|pass| Geometry::new(&split, pass));
        let delays = [0, 3, 4, 7, 8].map(|number| first.delay(number, DELAYED_UNITS));
        assert_eq!(delays, [0, 0, DELAY, DELAY, 2 * DELAY]);
        assert_eq!(first.delay(8, DELAYED_UNITS - 1), 0);
        assert_eq!(last.delay(8, DELAYED_UNITS), 0);
    }
}
