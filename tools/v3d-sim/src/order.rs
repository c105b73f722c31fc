//! The order in which QPUs take their turn in a round.
//!
//! The chip's QPUs run independently; a program must not rely on any order. With a seed the order
//! changes with every round, and now and then a QPU is held back, as a cache miss would hold it.

use crate::chip::QPUS;

/// The frequency and the length of holds: after one turn in `one_in`, for at most `longest` rounds.
#[derive(Clone, Copy)]
struct Pace {
    one_in: u64,
    longest: u64,
}

impl Pace {
    /// Holds as by misses of both caches.
    const MISSES: Self = Self::new(64, 32);
    /// The alternatives that one QPU in a few has instead, where a seed makes QPUs unlike each
    /// other: slower throughout, and so rarely and so long that others could come to the end of
    /// what they do.
    const OTHERS: [Self; 4] = [
        Self::new(4, 16),
        Self::new(16, 200),
        Self::new(200, 3_000),
        Self::new(1_000, 12_000),
    ];

    const fn new(one_in: u64, longest: u64) -> Self {
        Self { one_in, longest }
    }

    fn hold(self, random: u64) -> u32 {
        if (random >> 8).is_multiple_of(self.one_in) {
            ((random >> 20) % self.longest) as u32 + 1
        } else {
            0
        }
    }
}

/// The longest that a QPU is held after its first turn, in rounds, where a seed makes them begin
/// apart.
const LATEST: u64 = 12_000;

/// The order of the current round.
pub struct Order {
    qpus: [u8; QPUS],
    /// State of Marsaglia's xorshift64; `None` for the fixed order.
    random: Option<u64>,
    paces: [Pace; QPUS],
    /// The number of rounds for which each QPU is held after its first turn.
    starts: [u32; QPUS],
}

impl Order {
    /// 11 down to 0, or as `seed` makes it. Of three seeds that follow each other one holds QPUs
    /// for a moment now and then, one lets some of them begin late as well, and one makes some
    /// slow.
    #[must_use]
    pub fn new(seed: Option<u64>) -> Self {
        // A multiplication spreads small seeds; xorshift must not start at 0.
        let random = seed.map(|seed| seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let mut order = Self {
            qpus: std::array::from_fn(|n| (QPUS - 1 - n) as u8),
            random,
            paces: [Pace::MISSES; QPUS],
            starts: [0; QPUS],
        };
        let kind = seed.map_or(0, |seed| seed % 3);
        for qpu in 0..QPUS {
            let random = order.next().unwrap_or_default();
            if kind > 0 && random >> 62 == 0 {
                order.starts[qpu] = ((random >> 20) % LATEST) as u32;
            }
            if kind == 2 && (random >> 60).is_multiple_of(4) {
                order.paces[qpu] = Pace::OTHERS[(random >> 16) as usize % Pace::OTHERS.len()];
            }
        }
        order
    }

    #[inline]
    fn next(&mut self) -> Option<u64> {
        let state = self.random.as_mut()?;
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        Some(*state)
    }

    /// The order of the next round; `None` for the fixed one, from QPU 11 down to 0.
    #[inline]
    pub fn next_round(&mut self) -> Option<[u8; QPUS]> {
        let mut random = self.next()?;
        for last in (1..QPUS).rev() {
            self.qpus.swap(last, (random % (last as u64 + 1)) as usize);
            random /= last as u64 + 1;
        }
        Some(self.qpus)
    }

    /// The number of rounds for which a QPU is held after its turn.
    #[inline]
    pub fn next_hold(&mut self, qpu: usize) -> u32 {
        match self.next() {
            Some(random) => std::mem::take(&mut self.starts[qpu]) + self.paces[qpu].hold(random),
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_seed_nothing_is_disturbed() {
        let mut order = Order::new(None);
        assert_eq!(order.next_round(), None);
        assert_eq!(order.next_hold(0), 0);
    }

    #[test]
    fn seeds_give_permutations_that_differ_and_repeat() {
        let rounds = |seed| -> Vec<[u8; QPUS]> {
            let mut order = Order::new(Some(seed));
            (0..50).filter_map(|_| order.next_round()).collect()
        };
        assert_eq!(rounds(0), rounds(0));
        assert_ne!(rounds(0), rounds(1));
        for mut round in rounds(7) {
            round.sort_unstable();
            assert_eq!(round, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
        }
    }

    #[test]
    fn some_seeds_make_qpus_late_or_slow() {
        let longest = |seed, rounds: usize| {
            let mut order = Order::new(Some(seed));
            let qpus = (0..rounds).flat_map(|_| 0..QPUS);
            qpus.map(|qpu| order.next_hold(qpu)).max()
        };
        let most = |kind: u64, rounds| {
            let seeds = (0..20).map(|n| 3 * n + kind);
            seeds.filter_map(|seed| longest(seed, rounds)).max()
        };
        assert_eq!(most(0, 2_000), Some(32));
        assert!(most(1, 1) > Some(1_000), "late");
        assert!(most(2, 2_000) > Some(1_000), "slow");
        let order = |seed| {
            let mut order = Order::new(Some(seed));
            (1..100)
                .map(move |n| order.next_hold(n % QPUS))
                .collect::<Vec<_>>()
        };
        assert_eq!(order(5), order(5));
    }
}
