//! The section of other constants.

use super::count;
use super::tables::decimals;
use crate::row::{Row, geometric_mean};
use crate::variants::{Tried, is_tried};
use fidelity::report::table::Table;
use fidelity::variants::LARGEST;
use std::fmt::Write;

/// Ratios of the rows, which the recommended constants gave, beside those of others.
pub fn write(rows: &[Row], tried: &[Tried], out: &mut String) {
    if tried.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "## Ratios with other constants\n\n\
         Both sides run on simulators with other constants that were considered, up to 2^{LARGEST} points, \
         inverse.\n\
         [fidelity.md](fidelity.md) describes these constants, and how far their run times are from published \
         ones.\n\
         Programs are the same: they were chosen with the recommended constants.\n\
         They are queued in the order in which the QPUs of each model receive them, as the firmware does \
         after it has measured that order at boot.\n\
         Targets and means are of these rows alone, and ceilings are each model's own.\n"
    );
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
    table.write(out);
}
