//! Time stamps of a table: the step between its rows, and rows that are missing.

use super::table::Table;
use crate::failure::{Failure, Result};
use crate::text::quote;

/// Most missing rows in a row that are filled; a longer gap is not the same recording any more.
const LONGEST_GAP: i64 = 24;

/// Which field of the first column is no time stamp, where that is not the column of values.
pub fn no_stamp(table: &Table, column: usize) -> String {
    let mut stamps = table.rows.iter().filter(|_| column != 0);
    let odd = stamps.find_map(|(line, fields)| {
        let field = fields.first()?;
        seconds(field).is_none().then_some((line, field))
    });
    odd.map_or_else(String::new, |(line, field)| {
        format!(
            " (line {line}: `{}` is not written as 2010-03-14 03:00:00, in whole seconds)",
            quote(field)
        )
    })
}

/// Seconds since 1970 of `2010-03-14 03:00[:00]`, with `-` or `/`, and a space or `T`.
pub fn seconds(field: &str) -> Option<i64> {
    let field = field.trim().trim_end_matches('Z');
    let (date, time) = field.split_once([' ', 'T']).unwrap_or((field, "0:0"));
    let mut date = date
        .splitn(3, ['-', '/'])
        .map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let mut time = time.splitn(3, ':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (
        time.next()??,
        time.next()??,
        time.next().unwrap_or(Some(0))?,
    );
    let inside = (1..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..60).contains(&second);
    // Days of the civil calendar: years begin in March, so that a leap day comes last.
    let (y, m) = if month <= 2 {
        (year - 1, month + 9)
    } else {
        (year, month - 3)
    };
    let days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719_468;
    inside.then_some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

/// The step in seconds, and the values with missing rows filled in.
pub fn fill_gaps(
    name: &str,
    table: &Table,
    times: &[i64],
    values: Vec<f64>,
    notes: &mut Vec<String>,
) -> Result<(u64, Vec<f64>)> {
    let mut steps: Vec<i64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_unstable();
    // The median step: a few gaps do not change it.
    let step = steps[steps.len() / 2];
    let wrong = |row: usize, what: &str| {
        Failure::usage(format!(
            "{name}, line {}: time stamp `{}` {what}; the rows must stand at equal steps: repair the file, or \
             take the stamps away and give --rate",
            table.rows[row].0,
            quote(&table.rows[row].1[0])
        ))
    };
    if step <= 0 {
        return Err(wrong(1, "does not go forward"));
    }
    let mut filled = Vec::with_capacity(values.len());
    filled.push(values[0]);
    for row in 1..values.len() {
        let ahead = times[row] - times[row - 1];
        if ahead <= 0 {
            return Err(wrong(row, "does not go forward"));
        }
        if ahead % step != 0 {
            return Err(wrong(
                row,
                &format!("is not a multiple of {step} s after the one before"),
            ));
        }
        let missing = ahead / step - 1;
        if missing > LONGEST_GAP {
            return Err(wrong(row, &format!("comes after {missing} missing rows")));
        }
        for k in 1..=missing {
            let share = k as f64 / (missing + 1) as f64;
            filled.push(values[row - 1] + share * (values[row] - values[row - 1]));
        }
        if missing > 0 {
            let rows = if missing == 1 { "row" } else { "rows" };
            notes.push(format!(
                "{missing} missing {rows} between {} and {} interpolated from the neighbours",
                quote(&table.rows[row - 1].1[0]),
                quote(&table.rows[row].1[0])
            ));
        }
        filled.push(values[row]);
    }
    Ok((step.unsigned_abs(), filled))
}
