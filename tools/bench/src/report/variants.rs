//! The section of other constants.

use super::tables::decimals;
use crate::row::{Row, geometric_mean};
use crate::tried::{Tried, TriedRow};
use crate::variants::is_tried;
use fidelity::report::table::{Table, fill};
use fidelity::variants::LARGEST;

/// Ratios of the rows, which the recommended constants gave, beside those of others.
pub fn section(rows: &[Row], tried: &[Tried]) -> Option<String> {
    if tried.is_empty() {
        return None;
    }
    let recommended: Vec<&Row> = rows.iter().filter(|row| is_tried(&row.case)).collect();
    let mut names = vec!["log2 N", "batch", "recommended"];
    names.extend(tried.iter().map(|tried| tried.name.as_str()));
    let mut table = Table::new(&names);
    for row in &recommended {
        let (log2n, batch) = (row.case.log2n, row.case.batch);
        let others = tried.iter().map(|tried| tried.find(log2n, batch));
        let mut cells = vec![log2n.to_string(), batch.to_string(), decimals(row.ratio())];
        cells.extend(others.map(|row| decimals(row.map(TriedRow::ratio))));
        table.row(cells);
    }
    let mean = geometric_mean(recommended.iter().filter_map(|row| row.ratio()));
    let mut cells = vec!["mean".to_owned(), String::new(), decimals(mean)];
    cells.extend(
        tried
            .iter()
            .map(|tried| decimals(geometric_mean(tried.rows.iter().map(TriedRow::ratio)))),
    );
    table.row(cells);
    let values = [
        ("largest", LARGEST.to_string()),
        ("table", table.to_string()),
    ];
    Some(fill(include_str!("variants.md").trim_end(), &values))
}
