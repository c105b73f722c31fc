//! A column of a CSV table, as a series at equal steps.
//!
//! Where the first column holds time stamps they give the rate, and rows that are missing are
//! filled on the straight line between their neighbours, which is said. A value without a full
//! scale has no dBFS: levels are relative to one unit of the column.

mod table;

use std::collections::HashSet;

use super::{Bytes, Channel, Reading, Recording, Samples, Unit};
use crate::failure::{Failure, Result};
use crate::files::input;
use crate::text::{quote, quote_list};
use signal::Rate;
use table::{Table, has_decimal_comma, parse};

/// Most missing rows in a row that are filled; a longer gap is not the same recording any more.
const LONGEST_GAP: i64 = 24;

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

/// Which field of the first column is no time stamp, where that is not the column of values.
fn no_stamp(table: &Table, column: usize) -> String {
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

/// The column asked for by name or number; else the only one that holds numbers.
fn choose_column(name: &str, table: &Table, wanted: Option<&str>) -> Result<usize> {
    if let Some(wanted) = wanted {
        return column_of(name, table, wanted);
    }
    let numeric: Vec<usize> = (0..table.headings.len())
        .filter(|&column| {
            table.rows[0]
                .1
                .get(column)
                .is_some_and(|field| field.trim().parse::<f64>().is_ok())
        })
        .collect();
    let problem = match numeric[..] {
        [only] => return Ok(only),
        [] if table.rows[0].1.iter().any(|field| has_decimal_comma(field)) => {
            "has decimal commas; write its numbers with points, as 10.5".to_owned()
        }
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

/// `speed (m/s)` and `speed [m/s]` without what stands in brackets.
fn without_unit(heading: &str) -> &str {
    heading
        .split_once(['(', '['])
        .map_or(heading, |(name, _)| name)
        .trim()
}

/// The unit that a heading names in brackets; a temperature without one is in degrees.
fn unit_of(heading: &str) -> String {
    let bracketed = heading
        .split_once(['(', '['])
        .and_then(|(_, rest)| rest.split_once([')', ']']))
        .map(|(unit, _)| unit.trim())
        .filter(|unit| !unit.is_empty());
    match bracketed {
        Some(unit) => unit.to_owned(),
        None if heading.to_ascii_lowercase().starts_with("temp") => "degree".to_owned(),
        None => format!("unit of {heading}"),
    }
}

/// Seconds since 1970 of `2010-03-14 03:00[:00]`, with `-` or `/`, and a space or `T`.
fn seconds(field: &str) -> Option<i64> {
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
fn fill_gaps(
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

#[cfg(test)]
mod tests {
    use super::*;

    fn values(recording: &Recording) -> Vec<f64> {
        let values = recording.channels[0].samples.values(0, u64::MAX);
        values.expect("values")
    }

    fn read_text(text: &str, how: &Reading) -> Result<Recording> {
        read("t.csv", text.as_bytes(), how)
    }

    #[test]
    fn time_stamps_give_the_rate_and_a_missing_hour_is_filled() {
        let text = "date,temp\n2010/03/14 01:00,10\n2010/03/14 02:00,11\n2010/03/14 04:00,14\n2010/03/14 05:00,15\n";
        let recording = read_text(text, &Reading::default()).expect("a series");
        assert_eq!(recording.rate, Rate { num: 1, den: 3600 });
        assert_eq!(recording.unit, Unit::One("degree".into()));
        assert_eq!(values(&recording), [10.0, 11.0, 12.5, 14.0, 15.0]);
        assert_eq!(
            recording.notes,
            [
                "1 missing row between 2010/03/14 02:00 and 2010/03/14 04:00 interpolated from the neighbours"
            ]
        );
    }

    #[test]
    fn columns_are_chosen_by_name_or_number() {
        let how = |column: &str| Reading {
            column: Some(column.into()),
            rate: Some(Rate::hz(10)),
            ..Reading::default()
        };
        let text = "a (V);b\n1;2\n3;4\n";
        for (column, first, unit) in [
            ("a", 1.0, "V"),
            ("b", 2.0, "unit of b"),
            ("2", 2.0, "unit of b"),
        ] {
            let recording = read_text(text, &how(column)).expect("a column");
            assert_eq!(values(&recording)[0], first);
            assert_eq!(recording.unit, Unit::One(unit.into()));
        }
        let failure = read_text(text, &how("c")).expect_err("no such column");
        assert!(failure.message.contains("`a (V)`, `b`"), "{failure}");
        let failure = read_text(text, &Reading::default()).expect_err("two columns");
        assert!(failure.message.contains("--column"), "{failure}");
    }

    #[test]
    fn columns_of_one_name_are_distinguished_by_number() {
        let how = |column: Option<&str>| Reading {
            column: column.map(str::to_owned),
            rate: Some(Rate::hz(10)),
            ..Reading::default()
        };
        let text = "t,a,b (V),a,b (A)\nx,1,2,3,4\ny,5,6,7,8\n";
        for (column, named) in [
            (
                "a",
                "has 2 columns `a`, the first of them numbers 2 and 4; choose one by its number",
            ),
            ("b", "has 2 columns `b`, the first of them numbers 3 and 5"),
        ] {
            let failure = read_text(text, &how(Some(column))).expect_err("two columns");
            assert!(failure.message.contains(named), "{failure}");
        }
        for (column, first) in [("4", 3.0), ("b (A)", 4.0)] {
            let recording = read_text(text, &how(Some(column))).expect("one column");
            assert_eq!(values(&recording)[0], first);
        }
        let failure = read_text(text, &how(None)).expect_err("several columns");
        assert!(
            failure
                .message
                .contains("of one name by number, as --column 2"),
            "{failure}"
        );
    }

    #[test]
    fn messages_are_short_and_do_nothing_however_long_a_field_is() {
        let how = Reading {
            rate: Some(Rate::hz(1)),
            ..Reading::default()
        };
        let long = "\x1b[2J".repeat(20_000);
        for text in [
            format!("{long}\n1\n{long}\n"),
            format!("a,{long}\n1,2\n"),
            format!("a\n{long}\n"),
            format!("{long}\n{long}\n"),
            (0..2000).map(|n| format!("c{n},")).collect::<String>() + "\n" + &",".repeat(2000),
        ] {
            let failure = read_text(&text, &how).expect_err("no numbers").message;
            assert!(failure.len() < 1000, "{} bytes", failure.len());
            assert!(!failure.contains('\x1b'), "{failure:?}");
        }
    }

    #[test]
    fn numbers_alone_are_a_series_too() {
        let how = Reading {
            rate: Rate::new(1, 60),
            ..Reading::default()
        };
        let recording = read_text("1\n2\n3\n", &how).expect("numbers");
        assert_eq!(values(&recording), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn a_byte_order_mark_costs_no_number() {
        let how = Reading {
            rate: Some(Rate::hz(1)),
            ..Reading::default()
        };
        let recording = read_text("\u{feff}1\n2\n3\n", &how).expect("numbers");
        assert_eq!(values(&recording), [1.0, 2.0, 3.0]);
        let recording = read_text("\u{feff}\"a\"\n2\n3\n", &how).expect("numbers");
        assert_eq!(recording.unit, Unit::One("unit of a".into()));
    }

    #[test]
    fn decimal_commas_are_refused_and_never_taken_for_columns() {
        let how = Reading {
            rate: Some(Rate::hz(1)),
            ..Reading::default()
        };
        for text in [
            "date;t\n2010-01-01 00:00;10,5\n2010-01-01 01:00;11,5\n",
            "2010-01-01 00:00;10,5\n2010-01-01 01:00;11,5\n",
            "10,5;11,5\n12,5;13,5\n",
            "a\tb\n1,5\t2,5\n",
            "date;t\n2010-01-01 00:00;10\n2010-01-01 01:00;11,5\n",
        ] {
            let failure = read_text(text, &how).expect_err(text);
            assert!(failure.message.contains("point"), "{text:?}: {failure}");
        }
    }

    #[test]
    fn malformed_tables_name_the_line_and_what_to_do() {
        for (text, named) in [
            (
                "date,t\n2010/01/01 00:00,1\n2010/01/01 01:00,oops\n",
                "line 3",
            ),
            (
                "date,t\n2010/01/01 00:00,1\n2010/01/01 00:00,2\n",
                "does not go forward",
            ),
            (
                "date,t\n2010/01/01 00:00,1\n2010/01/01 01:00,2\n2010/01/01 02:00,2\n2010/01/01 02:30,3\n",
                "multiple of 3600",
            ),
            (
                "date,t\n2010/01/01 00:00,1\n2010/01/01 01:00,2\n2010/01/01 02:00,2\n2010/02/01 02:00,3\n",
                "missing rows",
            ),
            ("t\n1\n2\n", "--rate"),
            ("t\n", "no rows"),
            (
                "date,t\n2010/01/01 00:00,1\n2010/01/01 00:00:00.5,2\n",
                "line 3: `2010/01/01 00:00:00.5` is not written as",
            ),
            ("a,b\n1,2\n3\n", "same number of columns"),
            ("a\nb\n", "column of numbers"),
            (
                "date,t\n2010/01/01 00:00,1\n2010/01/01 01:00,inf\n",
                "not a number",
            ),
        ] {
            let failure = read_text(text, &Reading::default()).expect_err(text);
            assert!(failure.message.contains(named), "{text:?}: {failure}");
        }
    }

    #[test]
    fn stamps_count_days_as_the_calendar_does() {
        assert_eq!(seconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(seconds("2010/03/14 03:00"), Some(1_268_535_600));
        assert_eq!(seconds("2000-02-29"), Some(951_782_400));
        assert_eq!(seconds("39.4"), None);
        assert_eq!(seconds("2010/13/01"), None);
    }
}
