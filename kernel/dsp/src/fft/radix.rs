//! Which stages a transform has: how a radix divides a length.
//!
//! Stages of a smaller radix come first: the last stage needs no twiddles, so it had better be the
//! largest.

use super::MAX_LOG2;

/// Radix of the butterflies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Radix {
    /// Stages of radix 2: one bit each.
    Two,
    /// Stages of radix 4, and one of radix 2 where a bit is left over.
    Four,
    /// Stages of radix 8, and one or two of radix 2 where bits are left over.
    Eight,
    /// Stages of radix 8, and of radix 4 for what is left over (two where it is one bit): the
    /// fewest passes over memory.
    #[default]
    Mixed,
}

impl Radix {
    /// Every one, in the order of the definition.
    pub const ALL: [Self; 4] = [Self::Two, Self::Four, Self::Eight, Self::Mixed];

    /// The stages of a transform of 2^`log2n` points, `log2n` at most [`MAX_LOG2`].
    pub(super) fn stages(self, log2n: u32) -> Stages {
        let all = log2n as usize;
        // Stages of one and of two bits; radix 8 does the rest.
        let (ones, twos) = match self {
            Self::Two => (all, 0),
            Self::Four => (all % 2, all / 2),
            Self::Eight => (all % 3, 0),
            Self::Mixed => match (all, all % 3) {
                (1, _) => (1, 0),
                (_, 1) => (0, 2),
                (_, left) => (0, left / 2),
            },
        };
        let threes = (all - ones - 2 * twos) / 3;
        let mut log2_radices = [3; MAX_LOG2 as usize];
        log2_radices[..ones].fill(1);
        log2_radices[ones..ones + twos].fill(2);
        Stages {
            log2_radices,
            count: ones + twos + threes,
        }
    }
}

/// log2 of the radices of a transform's stages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stages {
    log2_radices: [u8; MAX_LOG2 as usize],
    count: usize,
}

impl Stages {
    /// First stage first.
    pub(super) fn log2_radices(&self) -> &[u8] {
        &self.log2_radices[..self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_have_the_radix_asked_for_and_multiply_to_the_length() {
        let radices = |log2n, radix: Radix| radix.stages(log2n).log2_radices().to_vec();
        assert_eq!(radices(5, Radix::Two), [1, 1, 1, 1, 1]);
        assert_eq!(radices(5, Radix::Four), [1, 2, 2]);
        assert_eq!(radices(9, Radix::Eight), [3, 3, 3]);
        assert_eq!(radices(10, Radix::Eight), [1, 3, 3, 3]);
        assert_eq!(radices(11, Radix::Eight), [1, 1, 3, 3, 3]);
        assert_eq!(radices(9, Radix::Mixed), [3, 3, 3]);
        assert_eq!(radices(10, Radix::Mixed), [2, 2, 3, 3]);
        assert_eq!(radices(11, Radix::Mixed), [2, 3, 3, 3]);
        assert_eq!(radices(4, Radix::Mixed), [2, 2]);
        for radix in Radix::ALL {
            assert_eq!(radices(0, radix), []);
            assert_eq!(radices(1, radix), [1]);
            for log2n in 0..=MAX_LOG2 {
                let bits: u32 = radices(log2n, radix)
                    .iter()
                    .map(|bits| u32::from(*bits))
                    .sum();
                assert_eq!(bits, log2n, "{radix:?}");
            }
        }
    }
}
