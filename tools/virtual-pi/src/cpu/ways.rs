//! Tags of an L1 cache: 16 KiB in 4 ways of lines of 32 bytes, as both caches of this core have.
//!
//! Source: ARM1176JZF-S TRM (DDI 0301H), section 7: lines of 8 words, pseudo-random replacement. A
//! Pi 1 has 16 KiB of each (its cache type register, which [`super::cp15`] shows).

use crate::checks::LINE_BYTES;

/// Lines in which a line of memory can stand.
const WAYS: usize = 4;
/// Sets; as many as a page of 4 KiB has lines.
pub const SETS: usize = (16 << 10) / (WAYS * LINE_BYTES as usize);
/// No line.
const NONE: u32 = u32::MAX;

/// The tags of each set. A tag is a number of the owner's, which finds the line by tag and set.
pub struct Ways {
    tags: Box<[[u32; WAYS]; SETS]>,
    random: u32,
}

impl Ways {
    /// Nothing held.
    pub fn new() -> Self {
        Self {
            tags: Box::new([[NONE; WAYS]; SETS]),
            random: 12_345,
        }
    }

    /// Puts a tag into a set; gives the one that makes room. `is_held` says which are still there.
    pub fn insert(&mut self, set: usize, tag: u32, is_held: impl Fn(u32) -> bool) -> Option<u32> {
        let ways = &mut self.tags[set % SETS];
        let is_free = |other: &u32| *other == tag || *other == NONE || !is_held(*other);
        let way = ways.iter().position(is_free).unwrap_or_else(|| {
            // Numerical Recipes' generator; its low bits are poor.
            self.random = self
                .random
                .wrapping_mul(1_664_525)
                .wrapping_add(1_013_904_223);
            (self.random >> 16) as usize % WAYS
        });
        let victim = std::mem::replace(&mut ways[way], tag);
        (victim != tag && victim != NONE && is_held(victim)).then_some(victim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_four_ways_and_lines_that_were_dropped_make_room_first() {
        let mut ways = Ways::new();
        for tag in 0..4 {
            assert_eq!(ways.insert(7, tag, |_| true), None);
        }
        assert_eq!(ways.insert(7, 2, |_| true), None, "it is there");
        let victim = ways.insert(7, 4, |_| true).expect("one of four");
        assert!(victim < 4);
        assert_eq!(ways.insert(8, 5, |_| true), None, "another set");
        assert_eq!(ways.insert(7, 6, |tag| tag != 4), None, "4 was dropped");
        assert_eq!(SETS, 128);
    }
}
