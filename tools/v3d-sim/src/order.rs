//! The order in which QPUs take their turn in a round.
//!
//! The chip's QPUs run independently; a program must not rely on any order. With a seed the order
//! changes with every round, and now and then a QPU is held back, as a cache miss would hold it.

use crate::shared::QPUS;

/// One turn in this many is followed by a pause, when a seed disturbs the order.
const HOLD_ONE_IN: u64 = 64;

/// The longest pause, in rounds: about what a miss of both caches costs.
const LONGEST_HOLD: u64 = 32;

/// The order of the current round.
pub struct Order {
    qpus: [u8; QPUS],
    /// State of Marsaglia's xorshift64; `None` for the fixed order.
    random: Option<u64>,
}

impl Order {
    /// 11 down to 0, or as `seed` makes it.
    #[must_use]
    pub fn new(seed: Option<u64>) -> Self {
        // A multiplication spreads small seeds; xorshift must not start at 0.
        let random = seed.map(|seed| seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        Self {
            qpus: std::array::from_fn(|n| (QPUS - 1 - n) as u8),
            random,
        }
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

    /// How many rounds a QPU that has just had its turn is held.
    #[inline]
    pub fn next_hold(&mut self) -> u32 {
        match self.next() {
            Some(random) if (random >> 8) % HOLD_ONE_IN == 0 => {
                ((random >> 20) % LONGEST_HOLD) as u32 + 1
            }
            _ => 0,
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
        assert_eq!(order.next_hold(), 0);
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
        let mut order = Order::new(Some(3));
        assert!((0..1000).any(|_| order.next_hold() > 0));
    }
}
