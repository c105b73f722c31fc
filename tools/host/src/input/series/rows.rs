//! The lines of a table that are rows, and those that are not.
//!
//! A damaged or foreign line costs that line, and is named. A row whose value is missing keeps its
//! place.

use super::numbers::{NumberStyle, is_missing, value};
use super::stamps::Instant;
use super::table::Table;
use super::times::TimeColumn;
use common::failure::{Failure, Result};
use common::text::quote;

/// Lines that a note names.
const SHOWN: usize = 3;

/// A row of the table.
pub struct Sample {
    /// Its number among the lines from the first row on.
    pub row: usize,
    pub value: Option<f64>,
    pub at: Option<Instant>,
}

/// A line that is no row, and the text in it that shows it.
pub struct Foreign {
    pub line: u64,
    text: String,
    /// The reason, to follow the text in a message.
    wanted: String,
}

/// The rows of a table and its other lines.
pub struct Rows {
    pub samples: Vec<Sample>,
    pub foreign: Vec<Foreign>,
}

impl Rows {
    /// Sorts the lines of a table.
    pub fn of(table: &Table, column: usize, style: NumberStyle, times: Option<TimeColumn>) -> Self {
        let (mut samples, mut foreign) = (vec![], vec![]);
        let width = table.headings.len();
        for (row, (line, fields)) in table.rows.iter().enumerate() {
            let field = fields.get(column).map_or("", String::as_str);
            let at = times.map(|times| times.at(fields));
            let (found, wanted) = if fields.len() > width {
                let what = format!("has {} fields and not {width}", fields.len());
                (fields.join(" "), what)
            } else if at == Some(None) {
                let text = times.and_then(|times| fields.get(times.column));
                (
                    text.cloned().unwrap_or_default(),
                    "is no time stamp".to_owned(),
                )
            } else if value(field, style).is_none() && !is_missing(field) {
                (field.to_owned(), "is not a number".to_owned())
            } else {
                samples.push(Sample {
                    row,
                    value: value(field, style),
                    at: at.flatten(),
                });
                continue;
            };
            foreign.push(Foreign {
                line: *line,
                text: quote(&found),
                wanted,
            });
        }
        Self { samples, foreign }
    }

    /// Refuses a table of which no more lines are rows than others.
    pub fn check(&self, name: &str, heading: &str) -> Result<()> {
        if self.foreign.len() < self.samples.len() || self.foreign.is_empty() {
            return Ok(());
        }
        let Foreign { line, text, wanted } = &self.foreign[0];
        let remedy = match text.contains([',', ' '])
            && text.starts_with(|c: char| c.is_ascii_digit())
        {
            true => {
                "write numbers with a decimal point and nothing between thousands, as 1234.5, and columns with \
                     commas between them"
            }
            false => "repair that line or choose another column with --column",
        };
        Err(Failure::usage(format!(
            "{name}, line {line}, column `{}`: `{text}` {wanted}; {remedy}",
            quote(heading)
        )))
    }

    /// Takes out the rows of these numbers, whose times do not stand in order.
    pub fn leave_out(
        &mut self,
        table: &Table,
        times: TimeColumn,
        strays: &[usize],
    ) -> Vec<Foreign> {
        let line = |at: &usize| {
            let (line, fields) = &table.rows[self.samples[*at].row];
            Foreign {
                line: *line,
                text: quote(fields.get(times.column).map_or("", String::as_str)),
                wanted: String::new(),
            }
        };
        let mut lines: Vec<_> = strays.iter().map(line).collect();
        lines.sort_by_key(|foreign| foreign.line);
        let mut number = 0..;
        self.samples
            .retain(|_| !number.next().is_some_and(|at| strays.contains(&at)));
        lines
    }
}

/// `line 5 (`oops`), line 9 (`x`), and 3 more`.
pub fn shown(lines: &[Foreign]) -> String {
    let named = lines.iter().take(SHOWN);
    let named: Vec<_> = named
        .map(|of| format!("line {} (`{}`)", of.line, of.text))
        .collect();
    match lines.len().saturating_sub(SHOWN) {
        0 => named.join(", "),
        more => format!("{}, and {more} more", named.join(", ")),
    }
}

/// `1 line` or `5 lines`.
pub fn counted(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}
