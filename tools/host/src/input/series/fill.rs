//! Rows that are missing, filled on the straight line between their neighbours.

use super::rows::{Sample, counted};
use super::table::Table;
use common::text::quote;

/// The most missing rows in a row that are filled; a longer gap is not the same recording any more.
const LONGEST_GAP: u64 = 24;
/// Gaps that notes name.
const SHOWN: usize = 3;

/// A gap that is too long: the row behind it, and the rows that it lacks.
#[derive(Debug)]
pub struct LongGap {
    pub row: usize,
    pub missing: u64,
}

/// The values at all places, from those of samples that have one; the first and the last have.
pub fn fill(samples: &[Sample], places: &[u64]) -> Result<Vec<f64>, LongGap> {
    let known = samples.iter().zip(places);
    let known = known.filter_map(|(sample, place)| Some((sample.row, *place, sample.value?)));
    let mut values = vec![];
    let mut before: Option<(u64, f64)> = None;
    for (row, place, value) in known {
        if let Some((last, start)) = before {
            let steps = place - last;
            if steps - 1 > LONGEST_GAP {
                return Err(LongGap {
                    row,
                    missing: steps - 1,
                });
            }
            for step in 1..steps {
                let share = step as f64 / steps as f64;
                values.push(start + share * (value - start));
            }
        }
        values.push(value);
        before = Some((place, value));
    }
    Ok(values)
}

/// Sentences about the rows that were filled in: those between time stamps, and those without a
/// value.
pub fn notes(
    table: &Table,
    samples: &[Sample],
    places: &[u64],
    column: Option<usize>,
) -> Vec<String> {
    let mut notes = vec![];
    let (mut more, mut rows) = (0, 0);
    for (pair, places) in samples.windows(2).zip(places.windows(2)) {
        let missing = places[1] - places[0] - 1;
        let (0.., Some(column)) = (missing, column) else {
            break;
        };
        if missing == 0 {
            continue;
        }
        if notes.len() == SHOWN {
            (more, rows) = (more + 1, rows + missing as usize);
            continue;
        }
        let stamp = |sample: &Sample| {
            let (_, fields) = &table.rows[sample.row];
            quote(fields.get(column).map_or("", String::as_str))
        };
        notes.push(format!(
            "{} between {} and {} interpolated from the neighbours",
            counted(missing as usize, "missing row"),
            stamp(&pair[0]),
            stamp(&pair[1])
        ));
    }
    if more > 0 {
        notes.push(format!(
            "{} in {} interpolated in the same way",
            counted(rows, "missing row"),
            counted(more, "more gap")
        ));
    }
    let empty: Vec<_> = samples
        .iter()
        .filter(|sample| sample.value.is_none())
        .collect();
    if !empty.is_empty() {
        let lines = empty
            .iter()
            .take(SHOWN)
            .map(|sample| table.rows[sample.row].0.to_string());
        let lines = lines.collect::<Vec<_>>().join(", ");
        let more = if empty.len() > SHOWN { ", ..." } else { "" };
        notes.push(format!(
            "{} without a value interpolated from the neighbours: line {lines}{more}",
            counted(empty.len(), "row")
        ));
    }
    notes
}
