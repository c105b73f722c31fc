//! A text file as headings and rows: what stands between columns, and where numbers begin.
//!
//! Loggers write lines in front of the headings, units under them, and sums at the end. So the rows
//! decide: the most frequent number of columns is the table's, and its columns are what most of
//! their fields are. The first line that fits is the first row.

use super::numbers::{is_missing, is_number};
use super::stamps::stamp;
use super::text::{delimiter, readable, without_open_quotes};
use super::units::is_unit;
use common::failure::{Failure, Result};
use common::text::quote;

/// The most fields of a table: in memory each takes far more than its letters.
const MOST_FIELDS: usize = 1 << 24;

/// The contents of most fields of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Content {
    Numbers,
    Stamps,
    Text,
}

/// A line of the file, with its number.
pub(super) type Row = (u64, Vec<String>);

/// Headings and rows of fields, as they stand in the file.
pub(super) struct Table {
    pub(super) headings: Vec<String>,
    /// The units that stand under the headings, or as many empty texts.
    pub(super) units: Vec<String>,
    pub(super) contents: Vec<Content>,
    /// Everything from the first row on; some lines may be no rows.
    pub(super) rows: Vec<Row>,
    /// Lines in front of the first row that are neither headings nor units.
    pub(super) preamble: Vec<Row>,
}

/// Reads a whole table.
pub(super) fn parse(name: &str, bytes: &[u8]) -> Result<Table> {
    let records = records(name, bytes)?;
    if records.is_empty() {
        return Err(Failure::usage(format!(
            "{name} holds no lines; choose another recording"
        )));
    }
    let kinds: Vec<Vec<Content>> = records
        .iter()
        .map(|(_, fields)| fields.iter().map(|field| content(field)).collect())
        .collect();
    let Some(width) = width(&kinds) else {
        return Err(Failure::usage(match records.len() {
            1 => format!("{name} holds headings and no rows; choose another recording"),
            _ => format!(
                "{name} has no column of numbers (it begins with `{}`); save it with one separator between columns, \
                 and numbers as 10.5",
                quote(&records[0].1.join(" "))
            ),
        }));
    };
    if width == 1
        && let Some((line, fields)) = records
            .iter()
            .find(|(_, fields)| fields[0].trim().contains(' ') && is_number(&fields[0]))
    {
        return Err(Failure::usage(format!(
            "{name}, line {line}: in `{}` a space stands between thousands or between columns; write numbers as \
             1234.5, and commas between columns",
            quote(&fields[0])
        )));
    }
    let contents = contents(&kinds, width);
    let is_row = |kinds: &[Content], fields: &[String]| {
        let fits = |column: usize| {
            let is_missing = fields.get(column).is_none_or(|field| is_missing(field));
            contents[column] == Content::Text || is_missing || kinds[column] == contents[column]
        };
        kinds.len() <= width
            && (0..width).all(fits)
            && (0..kinds.len()).any(|column| {
                contents[column] != Content::Text && kinds[column] == contents[column]
            })
    };
    let rows = kinds.iter().zip(&records);
    let first = rows.map(|(kinds, (_, fields))| is_row(kinds, fields));
    let first = first.into_iter().position(|is_row| is_row).unwrap_or(0);
    let mut preamble = records;
    let rows = preamble.split_off(first);
    let (headings, units) = headings(&mut preamble, width);
    Ok(Table {
        headings,
        units,
        contents,
        rows,
        preamble,
    })
}

fn content(field: &str) -> Content {
    if is_number(field) {
        Content::Numbers
    } else if stamp(field).is_some() {
        Content::Stamps
    } else {
        Content::Text
    }
}

/// Every line as fields; empty ones at its end are left out.
fn records(name: &str, bytes: &[u8]) -> Result<Vec<Row>> {
    let bytes = readable(bytes);
    let bytes = without_open_quotes(&bytes);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter(&bytes))
        .comment(Some(b'#'))
        .has_headers(false)
        .flexible(true)
        .from_reader(&*bytes);
    let mut count = 0;
    let mut rows = vec![];
    for record in reader.byte_records() {
        let record = record.map_err(|error| {
            Failure::usage(format!(
                "{name} is not a table ({error}); save it as CSV in UTF-8"
            ))
        })?;
        count += record.len();
        if count > MOST_FIELDS {
            return Err(Failure::usage(format!(
                "{name} holds more than the {MOST_FIELDS} fields that qpuscope takes; cut it, or leave columns out"
            )));
        }
        let mut fields: Vec<String> = record.iter().map(text_of).collect();
        while fields.len() > 1 && fields.last().is_some_and(|field| field.trim().is_empty()) {
            fields.pop();
        }
        if fields.iter().any(|field| !field.trim().is_empty()) {
            let line = record
                .position()
                .map_or(0, |position| line_of(&bytes, position));
            rows.push((line, fields));
        }
    }
    Ok(rows)
}

/// The line in which a record begins: its position is in front of comments and empty lines.
fn line_of(bytes: &[u8], position: &csv::Position) -> u64 {
    let mut line = position.line();
    let mut rest = usize::try_from(position.byte())
        .ok()
        .and_then(|at| bytes.get(at..));
    while let Some([first, behind @ ..]) = rest {
        let is_comment = *first == b'#';
        if !is_comment && !matches!(first, b'\r' | b'\n') {
            break;
        }
        let end = match is_comment {
            true => behind
                .iter()
                .position(|byte| matches!(byte, b'\r' | b'\n'))
                .unwrap_or(behind.len()),
            false => 0,
        };
        line += u64::from(*first == b'\n');
        rest = behind.get(end..);
    }
    line
}

/// A field: UTF-8, or else Latin-1, in which older programs write `°C`.
fn text_of(field: &[u8]) -> String {
    match str::from_utf8(field) {
        Ok(text) => text.to_owned(),
        Err(_) => field.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// The most frequent number of columns of lines that hold numbers; of two the larger one.
fn width(kinds: &[Vec<Content>]) -> Option<usize> {
    let mut counts = std::collections::BTreeMap::new();
    for kinds in kinds
        .iter()
        .filter(|kinds| kinds.contains(&Content::Numbers))
    {
        *counts.entry(kinds.len()).or_insert(0_u64) += 1;
    }
    let most = counts
        .iter()
        .max_by_key(|(width, count)| (**count, **width));
    most.map(|(width, _)| *width)
}

/// The contents of at least half of the fields of each column, from the first line of numbers on.
fn contents(kinds: &[Vec<Content>], width: usize) -> Vec<Content> {
    let is_numeric =
        |kinds: &Vec<Content>| kinds.len() == width && kinds.contains(&Content::Numbers);
    let rows = || kinds.iter().skip_while(|kinds| !is_numeric(kinds));
    let of = |column: usize| {
        let count = |of: Content| {
            rows()
                .filter(|kinds| kinds.get(column) == Some(&of))
                .count()
        };
        let (numbers, stamps, texts) = (
            count(Content::Numbers),
            count(Content::Stamps),
            count(Content::Text),
        );
        if numbers > 0 && numbers >= texts.max(stamps) {
            Content::Numbers
        } else if stamps > 0 && stamps >= texts {
            Content::Stamps
        } else {
            Content::Text
        }
    };
    (0..width).map(of).collect()
}

/// Takes headings and units out of the lines in front of the first row: the last line of as many
/// fields that is none of units. Without one columns are numbered.
fn headings(preamble: &mut Vec<Row>, width: usize) -> (Vec<String>, Vec<String>) {
    let is_units = |fields: &[String]| fields.iter().all(|field| is_unit(field));
    let fits = |(_, fields): &Row| fields.len() == width;
    let named = preamble
        .iter()
        .rposition(|row| fits(row) && !is_units(&row.1));
    let named = named.or_else(|| preamble.iter().rposition(fits));
    let mut units = vec![String::new(); width];
    let Some(named) = named else {
        let headings = (1..=width).map(|n| format!("column {n}")).collect();
        return (headings, units);
    };
    let below = &preamble[named + 1..];
    if let Some(at) = below
        .iter()
        .position(|(_, fields)| fields.len() <= width && is_units(fields))
    {
        let (_, fields) = preamble.remove(named + 1 + at);
        for (unit, field) in units.iter_mut().zip(fields) {
            field
                .trim()
                .trim_matches(['(', ')', '[', ']'])
                .clone_into(unit);
        }
    }
    let (_, headings) = preamble.remove(named);
    let headings = headings
        .iter()
        .map(|heading| heading.trim().to_owned())
        .collect();
    (headings, units)
}
