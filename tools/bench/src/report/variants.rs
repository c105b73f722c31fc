//! The section of other constants.

use super::count;
use super::tables::decimals;
use crate::row::{Row, geometric_mean};
use crate::variants::{Tried, is_tried};
use fidelity::report::table::{Table, fill};
use fidelity::variants::LARGEST;

/// Ratios of the rows, which the recommended constants gave, beside those of others.
pub fn section(rows: &[Row], tried: &[Tried]) -> Option<String> {
    if tried.is_empty() {
        return None;
    }
    let recommended: Vec<Row> = rows
        .iter()
        .filter(|row| is_tried(&row.case))
        .cloned()
        .collect();
    let names = tried.iter().map(|tried| tried.variant.name);
    let names: Vec<&str> = ["log2 N", "batch", "recommended"]
        .into_iter()
        .chain(names)
        .collect();
    let columns: Vec<&[Row]> = std::iter::once(recommended.as_slice())
        .chain(tried.iter().map(|tried| tried.rows.as_slice()))
        .collect();
    let mut table = Table::new(&names);
    for (number, row) in recommended.iter().enumerate() {
        let ratio = |column: &&[Row]| decimals(column.get(number).and_then(Row::ratio));
        let mut cells = vec![row.case.log2n.to_string(), row.case.batch.to_string()];
        cells.extend(columns.iter().map(ratio));
        table.row(cells);
    }
    let mut line = |name: &str, of: &dyn Fn(&[Row]) -> String| {
        let mut cells = vec![name.to_owned(), String::new()];
        cells.extend(columns.iter().map(|column| of(column)));
        table.row(cells);
    };
    line("mean", &|rows| decimals(geometric_mean(rows, Row::ratio)));
    line("mean of ceilings", &|rows| {
        decimals(geometric_mean(rows, Row::ceiling))
    });
    line("met", &|rows| count(rows, Row::ratio_met));
    let values = [
        ("largest", LARGEST.to_string()),
        ("table", table.to_string()),
    ];
    Some(fill(include_str!("variants.md").trim_end(), &values))
}
