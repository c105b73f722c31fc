//! Clocks of both sides with other constants, as they are recorded.

use serde::{Deserialize, Serialize};

/// Results with one set of constants.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Tried {
    /// The name of the set.
    pub name: String,
    /// Clocks of each length and batch.
    pub rows: Vec<TriedRow>,
}

/// Clocks of both sides with other constants.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct TriedRow {
    /// log2 of the number of points.
    pub log2n: u32,
    /// Transforms.
    pub batch: u32,
    /// Clocks of ours.
    pub cycles: u64,
    /// Clocks of the peer's.
    pub peer_cycles: u64,
}

impl TriedRow {
    /// Clocks for clocks, how much faster than the peer.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.peer_cycles as f64 / self.cycles as f64
    }
}

impl Tried {
    /// The row of a length and a batch.
    #[must_use]
    pub fn find(&self, log2n: u32, batch: u32) -> Option<&TriedRow> {
        let mut rows = self.rows.iter();
        rows.find(|row| (row.log2n, row.batch) == (log2n, batch))
    }

    /// Takes rows in, in the place of older ones of the same length and batch.
    pub fn put(&mut self, rows: Vec<TriedRow>) {
        let key = |row: &TriedRow| (row.log2n, row.batch);
        self.rows
            .retain(|old| rows.iter().all(|new| key(old) != key(new)));
        self.rows.extend(rows);
        self.rows.sort_by_key(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_replaces_that_of_its_own_length() {
        let row = |log2n, cycles| TriedRow {
            log2n,
            batch: 1,
            cycles,
            peer_cycles: 30,
        };
        let mut tried = Tried {
            name: "slow end".into(),
            rows: vec![row(8, 10), row(10, 10)],
        };
        tried.put(vec![row(8, 20), row(9, 10)]);
        assert_eq!(tried.rows, [row(8, 20), row(9, 10), row(10, 10)]);
        assert_eq!(tried.find(8, 1).map(TriedRow::ratio), Some(1.5));
        assert_eq!(tried.find(8, 10), None);
    }
}
