//! A CSV file as headings and rows: what stands between columns, and where numbers begin.

use crate::failure::{Failure, Result};

/// The most fields of a table: in memory each takes far more than its letters.
const MOST_FIELDS: usize = 1 << 24;

/// Headings and rows of fields, as they stand in the file.
pub(super) struct Table {
    pub(super) headings: Vec<String>,
    /// With the line of the file each stands in.
    pub(super) rows: Vec<(u64, Vec<String>)>,
}

/// Reads a whole table.
pub(super) fn parse(name: &str, bytes: &[u8]) -> Result<Table> {
    // The mark that some programs begin UTF-8 with would make the first number none.
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter(bytes))
        .comment(Some(b'#'))
        .has_headers(false)
        .from_reader(bytes);
    let mut lines = reader.records();
    let broken = |error: csv::Error| {
        Failure::usage(format!(
            "{name} is not a table ({error}); save it as CSV in UTF-8 with the same number of columns in \
             every line"
        ))
    };
    let fields = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect::<Vec<_>>();
    let first = match lines.next() {
        Some(record) => record.map_err(broken)?,
        None => {
            return Err(Failure::usage(format!(
                "{name} holds no lines; choose another recording"
            )));
        }
    };
    let mut rows = vec![];
    // A table may begin with its headings or at once with numbers.
    let headings = if first
        .iter()
        .any(|field| field.trim().parse::<f64>().is_ok() || has_decimal_comma(field))
    {
        let headings = (1..=first.len()).map(|n| format!("column {n}")).collect();
        rows.push((first.position().map_or(1, |p| p.line()), fields(&first)));
        headings
    } else {
        let mut headings = fields(&first);
        for heading in &mut headings {
            *heading = heading.trim().to_owned();
        }
        headings
    };
    let mut count = 0;
    for record in lines {
        let record = record.map_err(broken)?;
        count += record.len();
        if count > MOST_FIELDS {
            return Err(Failure::usage(format!(
                "{name} holds more than the {MOST_FIELDS} fields that qpuscope takes; cut it, or leave columns out"
            )));
        }
        rows.push((record.position().map_or(0, |p| p.line()), fields(&record)));
    }
    if rows.is_empty() {
        return Err(Failure::usage(format!(
            "{name} holds headings and no rows; choose another recording"
        )));
    }
    Ok(Table { headings, rows })
}

/// The separator between the columns, by the first line. A comma between digits is a decimal one
/// where there are semicolons or tabs as well.
fn delimiter(bytes: &[u8]) -> u8 {
    let line = bytes
        .split(|&byte| matches!(byte, b'\n' | b'\r'))
        .next()
        .unwrap_or(&[]);
    let count = |of: u8| line.iter().filter(|&&byte| byte == of).count();
    let decimal = line
        .windows(3)
        .filter(|at| at[1] == b',' && at[0].is_ascii_digit() && at[2].is_ascii_digit())
        .count();
    let other = if count(b';') >= count(b'\t') {
        b';'
    } else {
        b'\t'
    };
    if count(other) > count(b',') || (count(other) > 0 && decimal == count(b',')) {
        other
    } else {
        b','
    }
}

/// `10,5`: a number of another country, or two numbers; which, nobody can tell.
pub(super) fn has_decimal_comma(field: &str) -> bool {
    field
        .trim()
        .split_once(',')
        .is_some_and(|(whole, part)| whole.parse::<i64>().is_ok() && part.parse::<u64>().is_ok())
}
