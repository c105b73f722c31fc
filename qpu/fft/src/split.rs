//! The split of a length into passes over memory.
//!
//! N = R1 · R2 · .. · Rp. A pass transforms R points of each of N/R columns. The first and the last
//! pass know the caller's buffers, those between them only scratch memory; up to 4096 points one
//! pass can do it all. Which radices a pass can have is what programs exist for.
//!
//! The columns of a plane lie side by side in the lanes from the start, as bins do behind a first
//! pass: their transforms take middle passes and a last one, up to 128 rows a last one alone.

use core::ops::RangeInclusive;

/// Shortest length, as a power of two.
pub const MIN_LOG2_POINTS: u32 = 4;
/// Longest length, as a power of two.
pub const MAX_LOG2_POINTS: u32 = 22;
/// Most passes of any split.
pub const MAX_PASSES: usize = 4;
/// Added to a radix of [`Split::new`]: a pass whose tiles two QPUs share
/// ([`crate::kernels::tile::layout`]); of a single pass up to 2^10 points, one of several
/// transforms, whose points pass through the VPM ([`crate::kernels::short::layout`],
/// [`crate::kernels::pipeline::layout`]).
pub const SHARED: u8 = 0x40;
/// The counterpart of [`SHARED`] for four QPUs.
pub const QUAD: u8 = 0x80;

/// The role of a pass in its transform.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// The caller's input to the caller's output: the whole transform.
    Single,
    /// The caller's input to cells in scratch memory.
    First,
    /// Cells to cells.
    Middle,
    /// Cells to the caller's output.
    Last,
}

/// The direction that is split.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Axis {
    /// Points that follow each other: a transform of one dimension, a row of a plane.
    Row,
    /// Points of a plane below each other.
    Column,
}

impl Axis {
    /// Powers of two that the radix of a pass can be, whose tiles 2^`log2_sharers` QPUs share, 1 to
    /// 4. A single pass that is shared is one of short transforms through the VPM. Middle passes of
    /// 16 points exist for columns, of which 256 rows could not be split else.
    #[must_use]
    pub const fn log2_radices(self, role: Role, log2_sharers: u32) -> RangeInclusive<u32> {
        match (self, role, log2_sharers) {
            (_, Role::Single, 0) => 4..=12,
            (_, Role::First, 0) => 4..=6,
            (Self::Row, Role::Middle, 0) => 5..=7,
            (Self::Column, Role::Middle, 0) | (_, Role::Last, 0) => 4..=7,
            (Self::Row, Role::First, 1 | 2) | (Self::Row, Role::Last, 1) => 7..=7,
            (Self::Row, Role::Last, 2) => 8..=8,
            (Self::Row, Role::Single, 1) => 4..=10,
            _ => RangeInclusive::new(1, 0),
        }
    }

    /// True if there is a pass of 2^`log2_radix` points. QPUs share the single pass of 2^8 points.
    fn has_pass(self, role: Role, log2_sharers: u32, log2_radix: u32) -> bool {
        let is_alone = (role, log2_sharers, log2_radix) == (Role::Single, 0, 8);
        let radices = self.log2_radices(role, log2_sharers);
        radices.contains(&log2_radix) && !is_alone
    }
}

/// The radices of the passes of a transform, as powers of two, first pass first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Split {
    log2_radices: [u8; MAX_PASSES],
    /// Two bits for each pass: how many QPUs share a tile, as a power of two.
    log2_sharers: u8,
    passes: u8,
    axis: Axis,
}

impl Split {
    /// The split with these radices, each of them plus [`SHARED`] or [`QUAD`] where QPUs share
    /// tiles; `None` when a pass cannot have its radix, or the length is none that is supported.
    #[must_use]
    pub fn new(log2_radices: &[u8]) -> Option<Self> {
        Self::along(Axis::Row, log2_radices)
    }

    /// The counterpart of [`Split::new`] for rows or for columns.
    #[must_use]
    pub fn along(axis: Axis, log2_radices: &[u8]) -> Option<Self> {
        let mut split = Self {
            log2_radices: [0; MAX_PASSES],
            log2_sharers: 0,
            passes: log2_radices.len() as u8,
            axis,
        };
        let radices = split.log2_radices.get_mut(..log2_radices.len())?;
        for (pass, (radix, &wanted)) in radices.iter_mut().zip(log2_radices).enumerate() {
            *radix = wanted & !(SHARED | QUAD);
            split.log2_sharers |= (wanted / SHARED) << (2 * pass);
        }
        let fits = |pass: usize| {
            axis.has_pass(
                split.role(pass),
                split.log2_sharers(pass),
                split.log2_radix(pass),
            )
        };
        let length = (MIN_LOG2_POINTS..=MAX_LOG2_POINTS).contains(&split.log2_points());
        (split.passes > 0 && length && (0..split.passes()).all(fits)).then_some(split)
    }

    /// Every split of 2^`log2_points` points into passes that exist, fewest passes first.
    pub fn all(log2_points: u32) -> impl Iterator<Item = Self> {
        Self::all_along(Axis::Row, log2_points)
    }

    /// The counterpart of [`Split::all`] for rows or for columns.
    pub fn all_along(axis: Axis, log2_points: u32) -> impl Iterator<Item = Self> {
        // Digits of a number in base 16 are the radices.
        (1..=MAX_PASSES).flat_map(move |passes| {
            (0..1u32 << (4 * passes))
                .filter_map(move |digits| {
                    let digits = digits << (4 * (MAX_PASSES - passes));
                    let all: [u8; MAX_PASSES] = core::array::from_fn(|pass| {
                        (digits >> (4 * (MAX_PASSES - 1 - pass)) & 15) as u8
                    });
                    let sum: u32 = all.iter().map(|&radix| u32::from(radix)).sum();
                    (sum == log2_points).then_some(all)
                })
                .flat_map(move |all| {
                    // Two bits for each pass say how many QPUs share it.
                    (0..1u16 << (2 * passes)).filter_map(move |shared| {
                        let mut all = all;
                        for (pass, radix) in all.iter_mut().enumerate() {
                            *radix |= (shared >> (2 * pass) & 3) as u8 * SHARED;
                        }
                        Self::along(axis, &all[..passes])
                    })
                })
        })
    }

    /// The number of QPUs that share the tiles of pass number `pass`, as a power of two.
    #[must_use]
    pub const fn log2_sharers(&self, pass: usize) -> u32 {
        (self.log2_sharers >> (2 * pass) & 3) as u32
    }

    /// True if pass number `pass` is one that QPUs share, or that passes through the VPM.
    #[must_use]
    pub const fn is_shared(&self, pass: usize) -> bool {
        self.log2_sharers(pass) > 0
    }

    /// The direction that is split.
    #[must_use]
    pub const fn axis(&self) -> Axis {
        self.axis
    }

    /// Number of passes.
    #[must_use]
    pub const fn passes(&self) -> usize {
        self.passes as usize
    }

    /// The role of pass number `pass`.
    #[must_use]
    pub const fn role(&self, pass: usize) -> Role {
        match (self.axis, pass, self.passes as usize - pass) {
            (Axis::Row, 0, 1) => Role::Single,
            (Axis::Row, 0, _) => Role::First,
            (_, _, 1) => Role::Last,
            _ => Role::Middle,
        }
    }

    /// Radix of pass number `pass`, as a power of two.
    #[must_use]
    pub const fn log2_radix(&self, pass: usize) -> u32 {
        self.log2_radices[pass] as u32
    }

    /// Radices, first pass first.
    pub fn radices(&self) -> impl Iterator<Item = u32> + '_ {
        self.log2_radices[..self.passes()]
            .iter()
            .map(|&log2| 1 << log2)
    }

    /// Points of the transform, as a power of two.
    #[must_use]
    pub fn log2_points(&self) -> u32 {
        self.log2_radices.iter().map(|&log2| u32::from(log2)).sum()
    }
}

impl core::fmt::Display for Split {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for (pass, radix) in self.radices().enumerate() {
            let shared = ["", "s", "q"][self.log2_sharers(pass) as usize];
            write!(f, "{}{radix}{shared}", if pass > 0 { " x " } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_can_be_split_and_no_other() {
        for log2_points in MIN_LOG2_POINTS..=MAX_LOG2_POINTS {
            let mut splits = Split::all(log2_points).peekable();
            assert!(splits.peek().is_some(), "2^{log2_points}");
            assert!(splits.all(|split| split.log2_points() == log2_points));
        }
        for log2_points in [0, 3, 23, 31] {
            assert_eq!(Split::all(log2_points).count(), 0);
        }
    }

    #[test]
    fn radices_are_those_of_the_roles() {
        let split = Split::new(&[6, 5, 7]).unwrap();
        assert_eq!(split.to_string(), "64 x 32 x 128");
        assert_eq!(
            [0, 1, 2].map(|pass| split.role(pass)),
            [Role::First, Role::Middle, Role::Last]
        );
        for wrong in [
            &[7, 7][..],
            &[4, 4, 4],
            &[13],
            &[8],
            &[],
            &[4, 5, 5, 5, 4],
            &[3],
        ] {
            assert_eq!(Split::new(wrong), None, "{wrong:?}");
        }
        assert_eq!(Split::all(8).count(), 2);
    }

    #[test]
    fn first_and_last_passes_can_be_shared() {
        let split = Split::new(&[SHARED | 7, 6, SHARED | 7]).unwrap();
        assert_eq!(split.to_string(), "128s x 64 x 128s");
        assert_eq!(split.log2_points(), 20);
        assert_eq!([0, 1, 2].map(|pass| split.log2_sharers(pass)), [1, 0, 1]);
        let split = Split::new(&[QUAD | 7, QUAD | 8]).unwrap();
        assert_eq!(split.to_string(), "128q x 256q");
        for wrong in [
            &[SHARED | 6, 6][..],
            &[7, SHARED | 7],
            &[QUAD | 8, 7],
            &[6, SHARED | 6, 6],
            &[SHARED | 3],
            &[QUAD | 7],
            &[SHARED | 8, 7],
            &[QUAD | 9, 7],
            &[SHARED | 7, SHARED | 8],
            &[SHARED | 7, QUAD | 7],
            &[SHARED | QUAD | 7, 7],
        ] {
            assert_eq!(Split::new(wrong), None, "{wrong:?}");
        }
        assert_eq!(Split::along(Axis::Column, &[5, SHARED | 7]), None);
        let all: Vec<_> = Split::all(15).filter(|split| split.passes() == 2).collect();
        let wanted = [[SHARED | 7, QUAD | 8], [QUAD | 7, QUAD | 8]];
        assert_eq!(all, wanted.map(|radices| Split::new(&radices).unwrap()));
    }

    #[test]
    fn columns_of_every_height_can_be_split() {
        let all = |log2| Split::all_along(Axis::Column, log2);
        for log2_rows in MIN_LOG2_POINTS..=MAX_LOG2_POINTS {
            let fewest = all(log2_rows).next().unwrap();
            assert_eq!(fewest.log2_points(), log2_rows);
            assert_eq!(fewest.passes() as u32, log2_rows.div_ceil(7));
            assert_eq!(fewest.role(fewest.passes() - 1), Role::Last);
        }
        let only: Vec<_> = all(8).map(|split| split.to_string()).collect();
        assert_eq!(only, ["16 x 16"]);
    }
}
