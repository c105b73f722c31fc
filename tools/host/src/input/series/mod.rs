//! A column of a text table, as a series at equal steps.
//!
//! Where a column holds times they give the rate and, as dates, the start, and rows that are
//! missing are filled on the straight line between their neighbours, which is said. A value without
//! a full scale has no dBFS: levels are relative to one unit of the column.

mod columns;
mod fill;
mod grid;
mod numbers;
mod rows;
mod stamps;
mod table;
mod text;
mod times;
mod units;

use super::{Bytes, Channel, Reading, Recording, Samples, Unit};
use columns::choose_column;
use common::failure::{Failure, Result};
use common::files::input;
use common::text::quote;
use grid::{Grid, Uneven};
use numbers::{NumberStyle, style, value};
use rows::{Rows, counted, shown};
use signal::Rate;
use table::{Table, parse};
use times::TimeColumn;
use units::unit_of;

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
/// Every line must be a point.
pub fn points(name: &str, bytes: &[u8]) -> Result<Vec<[f64; 2]>> {
    let table = parse(name, bytes)?;
    if table.headings.len() > 2 {
        return Err(Failure::usage(format!(
            "{name} has {} columns; points are one column of real parts, or two of real and imaginary parts",
            table.headings.len()
        )));
    }
    let styles = (0..table.headings.len()).map(|column| style_of(name, &table, column));
    let styles = styles.collect::<Result<Vec<_>>>()?;
    let point = |(line, fields): &(u64, Vec<String>)| {
        let wrong = |field: &str| {
            Failure::usage(format!(
                "{name}, line {line}: `{}` is not a number; repair that line",
                quote(field)
            ))
        };
        if fields.len() > styles.len() {
            return Err(wrong(&fields.join(" ")));
        }
        let part = |column: usize| match (fields.get(column), styles.get(column)) {
            (Some(field), Some(style)) => value(field, *style).ok_or_else(|| wrong(field)),
            _ => Ok(0.0),
        };
        Ok([part(0)?, part(1)?])
    };
    table.rows.iter().map(point).collect()
}

/// The style of a column's numbers.
fn style_of(name: &str, table: &Table, column: usize) -> Result<NumberStyle> {
    let field = |row: usize| table.rows[row].1.get(column).map_or("", String::as_str);
    style((0..table.rows.len()).map(field)).map_err(|row| {
        Failure::usage(format!(
            "{name}, line {}, column `{}`: `{}` has a comma between thousands or a decimal one, and no number of the \
             column says which; write numbers with a decimal point and nothing between thousands, as 1234.5",
            table.rows[row].0,
            quote(&table.headings[column]),
            quote(field(row))
        ))
    })
}

/// Reads one column.
pub fn read(name: &str, bytes: &[u8], how: &Reading) -> Result<Recording> {
    let table = parse(name, bytes)?;
    let times = TimeColumn::of(&table);
    let column = choose_column(name, &table, how.column.as_deref(), times)?;
    let times = times.filter(|times| times.column != column);
    let style = style_of(name, &table, column)?;
    let mut rows = Rows::of(&table, column, style, times);
    let heading = &table.headings[column];
    rows.check(name, heading)?;
    let mut notes = vec![];
    note_lines(&table, column, style, times.is_some(), &rows, &mut notes);
    if let Some(times) = times {
        leave_strays_out(name, &table, times, &mut rows, &mut notes)?;
    }
    // Rows at the ends have no neighbours that would give a value.
    let has_value = |sample: &rows::Sample| sample.value.is_some();
    let first = rows.samples.iter().position(has_value);
    let last = rows.samples.iter().rposition(has_value);
    let (Some(first), Some(last)) = (first, last) else {
        return Err(Failure::usage(format!(
            "{name}: column `{}` holds no values; choose another with --column",
            quote(heading)
        )));
    };
    let ends = first + rows.samples.len() - 1 - last;
    if ends > 0 {
        notes.push(format!(
            "{} without a value at the ends left out",
            counted(ends, "row")
        ));
    }
    let samples = &rows.samples[first..=last];
    let PlacedValues {
        values,
        rate: stamped,
    } = placed(name, &table, times, samples, how, &mut notes)?;
    let rate = how
        .rate
        .or(stamped)
        .ok_or_else(|| no_rate(name, &table, column))?;
    if let Some(stamped) = stamped.filter(|&stamped| stamped != rate) {
        notes.push(format!(
            "sample rate {rate} as given; the time stamps say {stamped}"
        ));
    }
    let mut start = None;
    if let (Some(times), Some(at)) = (times, samples[0].at) {
        let assumed;
        (start, assumed) = times.start(at);
        notes.extend(assumed);
        notes.extend(times.assumption(&table));
    } else if let Some(text) = times::not_understood(&table.rows, column) {
        notes.push(format!("{text}, so the recording has no start"));
    }
    let unit = how.unit.clone();
    let unit = unit.unwrap_or_else(|| quote(&unit_of(heading, &table.units[column])));
    let channel = Channel::only(Samples::of_f64(&values));
    let mut recording = Recording::new(name, "CSV".to_owned(), rate, vec![channel]);
    (recording.unit, recording.notes, recording.start) = (Unit::One(unit), notes, start);
    Ok(recording)
}

/// The refusal of a table that does not say its rate.
fn no_rate(name: &str, table: &Table, column: usize) -> Failure {
    let why = times::not_understood(&table.rows, column);
    Failure::usage(format!(
        "{name} has no column of times{}, so its sample rate is unknown; give it with --rate, for example --rate \
         1/3600 for one row an hour",
        why.map_or_else(String::new, |why| format!(" ({why})"))
    ))
}

/// Says which lines are no rows, and how numbers are written that are not plain.
fn note_lines(
    table: &Table,
    column: usize,
    style: NumberStyle,
    is_timed: bool,
    rows: &Rows,
    notes: &mut Vec<String>,
) {
    if let Some((line, fields)) = table.preamble.first() {
        notes.push(format!(
            "{} in front of the rows left out, the first is line {line} (`{}`)",
            counted(table.preamble.len(), "line"),
            quote(&fields.join(" "))
        ));
    }
    if !rows.foreign.is_empty() {
        let lost = match is_timed {
            true => "",
            false => "; where one was a sample, all after it stand too early by one",
        };
        notes.push(format!(
            "{} left out that are no rows: {}{lost}",
            counted(rows.foreign.len(), "line"),
            shown(&rows.foreign)
        ));
    }
    let odd = rows.samples.iter().find_map(|sample| {
        let field = table.rows[sample.row].1.get(column)?.trim();
        let is_odd = sample.value.is_some() && field.parse::<f64>().is_err();
        is_odd.then_some(field)
    });
    if let Some(odd) = odd {
        let as_what = match style {
            NumberStyle::Comma => "decimal commas",
            NumberStyle::Point => "separators between thousands",
        };
        notes.push(format!(
            "numbers were read with {as_what}, as `{}`",
            quote(odd)
        ));
    }
}

/// Leaves rows out whose times do not stand in order, where they are few.
fn leave_strays_out(
    name: &str,
    table: &Table,
    times: TimeColumn,
    rows: &mut Rows,
    notes: &mut Vec<String>,
) -> Result<()> {
    let instants: Vec<_> = rows.samples.iter().filter_map(|sample| sample.at).collect();
    let strays = times::strays(&instants);
    let Some(first) = strays.first() else {
        return Ok(());
    };
    if strays.len() >= 2.max(instants.len() / 10) && strays.len() > 1 || instants.len() < 3 {
        return Err(uneven(
            name,
            table,
            times,
            rows.samples[*first].row,
            "does not go forward",
        ));
    }
    let lines = rows.leave_out(table, times, &strays);
    notes.push(format!(
        "{} left out whose time stamps stand twice or out of order: {}",
        counted(lines.len(), "line"),
        shown(&lines)
    ));
    Ok(())
}

/// The refusal of a row for its time stamp.
fn uneven(name: &str, table: &Table, times: TimeColumn, row: usize, what: &str) -> Failure {
    let (line, fields) = &table.rows[row];
    Failure::usage(format!(
        "{name}, line {line}: time stamp `{}` {what}; the rows must stand at equal steps: repair the file, or give \
         --rate to take the rows one by one",
        quote(fields.get(times.column).map_or("", String::as_str))
    ))
}

/// Values at equal steps, and the rate that times give.
struct PlacedValues {
    values: Vec<f64>,
    rate: Option<Rate>,
}

/// The values at equal steps. Rows whose times do not stand at such are taken one by one where the
/// rate is given.
fn placed(
    name: &str,
    table: &Table,
    times: Option<TimeColumn>,
    samples: &[rows::Sample],
    how: &Reading,
    notes: &mut Vec<String>,
) -> Result<PlacedValues> {
    let one_by_one: Vec<u64> = (0..samples.len() as u64).collect();
    let grid = match times {
        Some(times) if samples.len() > 1 => match on_grid(name, table, times, samples) {
            Ok(found) => Some((times, found)),
            Err(failure) if how.rate.is_none() => return Err(failure),
            Err(failure) => {
                let why = failure.message.split(';').next().unwrap_or_default();
                notes.push(format!(
                    "rows taken one by one at the rate that was given: {why}"
                ));
                None
            }
        },
        _ => None,
    };
    let Some((times, (grid, values))) = grid else {
        let values = fill::fill(samples, &one_by_one).map_err(|gap| {
            Failure::usage(format!(
                "{name}, line {}: {} in front of it have no value; cut the file there",
                table.rows[gap.row].0,
                counted(gap.missing as usize, "row")
            ))
        })?;
        notes.extend(fill::notes(table, samples, &one_by_one, None));
        return Ok(PlacedValues { values, rate: None });
    };
    notes.extend(fill::notes(
        table,
        samples,
        &grid.places,
        Some(times.column),
    ));
    if let Some(beside) = grid.beside {
        notes.push(format!(
            "time stamps stand up to {:.1} % of a step beside equal steps; the rate is that of all of them",
            100.0 * beside
        ));
    }
    Ok(PlacedValues {
        values,
        rate: Some(grid.rate),
    })
}

/// The places of rows by their times, and all values.
fn on_grid(
    name: &str,
    table: &Table,
    times: TimeColumn,
    samples: &[rows::Sample],
) -> Result<(Grid, Vec<f64>)> {
    let instants: Vec<_> = samples.iter().filter_map(|sample| sample.at).collect();
    let grid = times::places(&instants).map_err(|uneven_at| {
        let (row, what) = match uneven_at {
            Uneven::Backwards(row) => (row, "does not go forward".to_owned()),
            Uneven::Step(row, steps) => (
                row,
                format!("stands {steps:.2} of the usual steps after the one before"),
            ),
        };
        uneven(name, table, times, samples[row].row, &what)
    })?;
    let values = fill::fill(samples, &grid.places).map_err(|gap| {
        let what = format!("comes after {} missing rows", gap.missing);
        uneven(name, table, times, gap.row, &what)
    })?;
    Ok((grid, values))
}

#[cfg(test)]
mod tests;
