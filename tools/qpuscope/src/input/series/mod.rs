//! A column of a CSV table, as a series at equal steps.
//!
//! Where the first column holds time stamps they give the rate, and rows that are missing are
//! filled on the straight line between their neighbours, which is said. A value without a full
//! scale has no dBFS: levels are relative to one unit of the column.

mod columns;
mod stamps;
mod table;

use super::{Bytes, Channel, Reading, Recording, Samples, Unit};
use crate::failure::{Failure, Result};
use crate::files::input;
use crate::text::quote;
use columns::{choose_column, unit_of};
use signal::Rate;
use stamps::{fill_gaps, no_stamp, seconds};
use table::{Table, has_decimal_comma, parse};

/// The whole file: a table is read at once.
pub fn text(name: &str, bytes: &Bytes) -> Result<Vec<u8>> {
    bytes.all(input::RECORDING)?.ok_or_else(|| {
        Failure::usage(format!(
            "{name} has more than the {} MiB that a table may have; cut it, or save the column as f64 and give \
             --samples f64",
            input::RECORDING >> 20
        ))
    })
}

/// Complex points of a table: its only column is their real parts, a second one the imaginary ones.
pub fn points(name: &str, bytes: &[u8]) -> Result<Vec<[f32; 2]>> {
    let table = parse(name, bytes)?;
    if table.headings.len() > 2 {
        return Err(Failure::usage(format!(
            "{name} has {} columns; points are one column of real parts, or two of real and imaginary parts",
            table.headings.len()
        )));
    }
    let point = |(line, fields): &(u64, Vec<String>)| {
        let part = |column| match fields.get(column) {
            Some(field) => number(name, &table, *line, column, field).map(|part| part as f32),
            None => Ok(0.0),
        };
        Ok([part(0)?, part(1)?])
    };
    table.rows.iter().map(point).collect()
}

/// The number of a field.
fn number(name: &str, table: &Table, line: u64, column: usize, field: &str) -> Result<f64> {
    let field = field.trim();
    let value = field.parse::<f64>().ok().filter(|value| value.is_finite());
    value.ok_or_else(|| {
        let remedy = match has_decimal_comma(field) {
            true => "write it with a decimal point",
            false => "repair that line or choose another column with --column",
        };
        Failure::usage(format!(
            "{name}, line {line}, column `{}`: `{}` is not a number; {remedy}",
            quote(&table.headings[column]),
            quote(field)
        ))
    })
}

/// Reads one column.
pub fn read(name: &str, bytes: &[u8], how: &Reading) -> Result<Recording> {
    let table = parse(name, bytes)?;
    let column = choose_column(name, &table, how.column.as_deref())?;
    let mut values = vec![];
    for (line, fields) in &table.rows {
        let field = fields.get(column).map_or("", String::as_str);
        values.push(number(name, &table, *line, column, field)?);
    }
    let mut notes = vec![];
    let times: Option<Vec<i64>> = table
        .rows
        .iter()
        .map(|(_, fields)| fields.first().and_then(|field| seconds(field)))
        .collect();
    let mut stamped_rate = None;
    if column != 0
        && let Some(times) = times
        && times.len() >= 2
    {
        let (step, filled) = fill_gaps(name, &table, &times, values, &mut notes)?;
        values = filled;
        stamped_rate = Rate::new(1, step);
    }
    let rate = how.rate.or(stamped_rate).ok_or_else(|| {
        Failure::usage(format!(
            "{name} has no column of time stamps in front{}, so its sample rate is unknown; give it with \
             --rate, for example --rate 1/3600 for one row an hour",
            no_stamp(&table, column)
        ))
    })?;
    if let Some(stamped) = stamped_rate.filter(|&stamped| stamped != rate) {
        notes.push(format!(
            "sample rate {rate} as given; the time stamps say {stamped}"
        ));
    }
    let heading = &table.headings[column];
    let unit = how.unit.clone().unwrap_or_else(|| quote(&unit_of(heading)));
    let channel = Channel::only(Samples::of_f64(&values));
    let mut recording = Recording::new(name, "CSV".to_owned(), rate, vec![channel]);
    (recording.unit, recording.notes) = (Unit::One(unit), notes);
    Ok(recording)
}

#[cfg(test)]
mod tests;
