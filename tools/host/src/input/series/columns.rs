//! The column of a table that is taken.

use std::collections::HashSet;

use super::table::{Content, Table};
use super::times::TimeColumn;
use super::units::without_unit;
use common::failure::{Failure, Result};
use common::text::{quote, quote_list};

/// The column asked for by name or number; else the only one that holds numbers, and no times.
pub fn choose_column(
    name: &str,
    table: &Table,
    wanted: Option<&str>,
    times: Option<TimeColumn>,
) -> Result<usize> {
    if let Some(wanted) = wanted {
        return column_of(name, table, wanted);
    }
    let numeric: Vec<usize> = (0..table.headings.len())
        .filter(|&column| {
            table.contents[column] == Content::Numbers
                && times.is_none_or(|times| times.column != column)
        })
        .collect();
    let problem = match numeric[..] {
        [only] => return Ok(only),
        [] => format!(
            "has no column of numbers (its columns are {}); choose another recording",
            names(table, 0..table.headings.len())
        ),
        [first, ..] => {
            let all: HashSet<_> = numeric
                .iter()
                .map(|&column| &table.headings[column])
                .collect();
            let by_number = match all.len() < numeric.len() {
                true => format!(
                    " (columns of one name by number, as --column {})",
                    first + 1
                ),
                false => String::new(),
            };
            let names = names(table, numeric);
            format!("has several columns of numbers; choose one with --column: {names}{by_number}")
        }
    };
    Err(Failure::usage(format!("{name} {problem}")))
}

/// The column of a name, with or without its unit, or else of a number from 1 on.
fn column_of(name: &str, table: &Table, wanted: &str) -> Result<usize> {
    let named = |is: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let headings = table.headings.iter().enumerate();
        let headings = headings.filter(|(_, heading)| is(heading));
        headings.map(|(column, _)| column).collect()
    };
    let mut columns = named(&|heading| heading == wanted);
    if columns.is_empty() {
        columns = named(&|heading| without_unit(heading) == wanted);
    }
    if columns.is_empty() {
        let number = wanted.parse::<usize>().ok();
        columns.extend(number.and_then(|n| (1..=table.headings.len()).contains(&n).then(|| n - 1)));
    }
    match columns[..] {
        [only] => Ok(only),
        [] => Err(Failure::usage(format!(
            "{name} has no column `{}`; --column takes one of {}",
            quote(wanted),
            names(table, 0..table.headings.len())
        ))),
        [first, second, ..] => Err(Failure::usage(format!(
            "{name} has {} columns `{}`, the first of them numbers {} and {}; choose one by its number, as --column {}",
            columns.len(),
            quote(wanted),
            first + 1,
            second + 1,
            second + 1
        ))),
    }
}

/// The headings of columns, for a message.
fn names(table: &Table, columns: impl IntoIterator<Item = usize>) -> String {
    let columns = columns.into_iter();
    quote_list(columns.map(|column| table.headings[column].as_str()))
}
