//! Inputs for fuzz targets: a corpus, mutated with a fixed seed.
//!
//! The same seed gives the same inputs on every machine, so a failure is repeated by its number.

use std::path::Path;

/// A small random generator (splitmix64), good enough to pick bytes.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator that always starts the same for one seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `limit`, or 0 when `limit` is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.bits() % limit).unwrap_or(0)
    }

    /// Bytes as they come out of a line that damages so many of a million: a damaged byte has a bit
    /// flipped, is lost, doubled, or any other.
    pub fn damage(&mut self, bytes: &[u8], of_a_million: usize) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            if self.below(1_000_000) >= of_a_million {
                out.push(byte);
                continue;
            }
            match self.below(4) {
                0 => out.push(byte ^ 1 << self.below(8)),
                1 => {}
                2 => out.extend([byte; 2]),
                _ => out.push(self.bits().to_le_bytes()[0]),
            }
        }
        out
    }

    /// A number from -1 to 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit a double")]
    pub fn signed_unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Every file of a corpus folder, in order of name; a folder that is not there is empty.
#[must_use]
pub fn corpus(folder: &Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let files = paths.into_iter().filter(|path| path.is_file());
    files.filter_map(|path| std::fs::read(path).ok()).collect()
}

/// Longest input made.
const LONGEST: usize = 1 << 16;

/// An input made from the corpus by up to eight small changes; sometimes noise from nothing.
#[must_use]
pub fn input(corpus: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    if corpus.is_empty() || random.below(16) == 0 {
        let length = random.below(300);
        return (0..length)
            .map(|_| random.bits().to_le_bytes()[0])
            .collect();
    }
    let mut bytes = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(8) {
        change(&mut bytes, corpus, random);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn change(bytes: &mut Vec<u8>, corpus: &[Vec<u8>], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let value = random.bits().to_le_bytes()[0];
    let there = at < bytes.len();
    match random.below(8) {
        0 if there => bytes[at] ^= 1 << (value & 7),
        1 if there => bytes[at] = value,
        2 if there => bytes[at] = [0x00, 0x01, 0x7F, 0x80, 0xFF][usize::from(value) % 5],
        3 => bytes.insert(at, value),
        4 if there => {
            bytes.remove(at);
        }
        5 => bytes.truncate(at),
        6 => {
            let end = (at + random.below(64)).min(bytes.len());
            let piece = bytes[at..end].to_vec();
            bytes.splice(at..at, piece);
        }
        _ => {
            // The end of another input, so that two valid ones meet in the middle.
            let other = &corpus[random.below(corpus.len())];
            bytes.truncate(at);
            bytes.extend_from_slice(&other[random.below(other.len() + 1)..]);
        }
    }
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_inputs_and_they_differ() {
        let corpus = [b"hello".to_vec(), vec![0; 40]];
        let make = |seed| {
            let mut random = Random::new(seed);
            let inputs = (0..200).map(|_| input(&corpus, &mut random));
            inputs.collect::<Vec<_>>()
        };
        assert_eq!(make(1), make(1));
        assert_ne!(make(1), make(2));
        let different: std::collections::BTreeSet<_> = make(1).into_iter().collect();
        assert!(different.len() > 150, "{}", different.len());
    }
}
