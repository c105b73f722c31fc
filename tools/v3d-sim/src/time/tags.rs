//! Tags of a set-associative cache: which lines it holds, and which makes room.

use super::constants::Replacement;

/// The tags. Lines are numbered by address / 64.
pub struct Tags {
    sets: u32,
    ways: usize,
    /// Line + 1; 0 where there is none.
    lines: Vec<u32>,
    /// The last use of each.
    used: Vec<u64>,
    uses: u64,
    replacement: Replacement,
    random: u32,
}

/// The place of an inserted line, and the line that made room for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inserted {
    /// Its place.
    pub place: usize,
    /// The earlier value.
    pub victim: Option<u32>,
}

impl Tags {
    /// Empty tags for `bytes` bytes in lines of 64.
    pub fn new(bytes: u32, ways: u32, replacement: Replacement) -> Self {
        let ways = ways.max(1);
        let sets = (bytes / 64 / ways).max(1);
        let places = (sets * ways) as usize;
        Self {
            sets,
            ways: ways as usize,
            lines: vec![0; places],
            used: vec![0; places],
            uses: 0,
            replacement,
            random: 12_345,
        }
    }

    #[inline]
    fn set(&self, line: u32) -> std::ops::Range<usize> {
        // A division takes longer than all the rest.
        let set = if self.sets.is_power_of_two() {
            line & (self.sets - 1)
        } else {
            line % self.sets
        };
        let first = set as usize * self.ways;
        first..first + self.ways
    }

    /// The place of a line, if it is there; that is no use of it.
    #[inline]
    pub fn peek(&self, line: u32) -> Option<usize> {
        let set = self.set(line);
        let first = set.start;
        if self.ways == 1 {
            return (self.lines[first] == line + 1).then_some(first);
        }
        let way = self.lines[set].iter().position(|held| *held == line + 1)?;
        Some(first + way)
    }

    /// The place of a line, if it is there, and a use of it.
    pub fn find(&mut self, line: u32) -> Option<usize> {
        let place = self.peek(line)?;
        self.uses += 1;
        self.used[place] = self.uses;
        Some(place)
    }

    /// Puts a line that is not there where an empty place is, or another makes room.
    pub fn insert(&mut self, line: u32) -> Inserted {
        let set = self.set(line);
        let first = set.start;
        if self.ways == 1 {
            let held = std::mem::replace(&mut self.lines[first], line + 1);
            let victim = held.checked_sub(1);
            return Inserted {
                place: first,
                victim,
            };
        }
        let lines = &self.lines[set.clone()];
        let place = match lines.iter().position(|held| *held == 0) {
            Some(empty) => first + empty,
            None => match self.replacement {
                Replacement::LeastRecent => {
                    let oldest = self.used[set]
                        .iter()
                        .enumerate()
                        .min_by_key(|(_, used)| **used);
                    first + oldest.map_or(0, |(way, _)| way)
                }
                Replacement::Random => {
                    // Numerical Recipes' generator; its low bits are poor.
                    self.random = self
                        .random
                        .wrapping_mul(1_664_525)
                        .wrapping_add(1_013_904_223);
                    first + (self.random >> 16) as usize % self.ways
                }
            },
        };
        let victim = self.lines[place].checked_sub(1);
        self.lines[place] = line + 1;
        self.uses += 1;
        self.used[place] = self.uses;
        Inserted { place, victim }
    }

    /// The number of places.
    pub fn places(&self) -> usize {
        self.lines.len()
    }

    /// Forgets every line.
    pub fn clear(&mut self) {
        self.lines.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recent_line_of_a_set_makes_room() {
        let mut tags = Tags::new(4 * 64 * 2, 2, Replacement::LeastRecent);
        assert_eq!(tags.insert(1).victim, None);
        assert_eq!(tags.insert(5).victim, None);
        assert!(tags.find(1).is_some());
        assert_eq!(tags.insert(9).victim, Some(5));
        assert!(tags.peek(1).is_some() && tags.peek(5).is_none());
        tags.clear();
        assert_eq!(tags.peek(9), None);
    }

    #[test]
    fn random_replacement_is_the_same_in_every_run() {
        let victims = || -> Vec<_> {
            let mut tags = Tags::new(7 * 64, 7, Replacement::Random);
            (0..40).map(|line| tags.insert(line).victim).collect()
        };
        assert_eq!(victims(), victims());
        assert_eq!(victims().iter().flatten().count(), 33);
    }
}
