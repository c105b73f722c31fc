//! The last recorded figures, shown beside rows that were not run.
//!
//! `cargo run --release -p fidelity -- --record` writes the file after a full run.

use crate::row::Row;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Simulated figures of one full run.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug, Default)]
pub struct Recorded {
    /// The day of the run, as year-month-day; empty when nothing was ever recorded.
    pub date: String,
    /// The commit of this repository that was run.
    pub commit: String,
    /// Figures by [`Row::key`].
    pub figures: BTreeMap<String, f64>,
}

/// Path of the file, below the root of the repository.
pub const PATH: &str = "tools/fidelity/recorded.json";

impl Recorded {
    /// The record that this program was compiled with.
    #[must_use]
    pub fn last() -> Self {
        serde_json::from_str(include_str!("../recorded.json")).unwrap_or_default()
    }

    /// The figures of rows that were all run.
    #[must_use]
    pub fn new(rows: &[Row], date: String, commit: String) -> Self {
        let figures = rows.iter();
        Self {
            date,
            commit,
            figures: figures
                .filter_map(|row| Some((row.key(), row.simulated?)))
                .collect(),
        }
    }

    /// Notes beside each row what was recorded of it.
    pub fn fill(&self, rows: &mut [Row]) {
        for row in rows {
            row.recorded = self.figures.get(&row.key()).copied();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_file_is_of_this_form() {
        let text = include_str!("../recorded.json");
        let recorded: Recorded = serde_json::from_str(text).unwrap();
        assert_eq!(recorded, Recorded::last());
    }
}
