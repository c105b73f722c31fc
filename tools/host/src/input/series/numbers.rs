//! Numbers of a table: with a decimal point or comma, and with separators between thousands.
//!
//! A column has one style. `1,234` alone says neither: it is 1234 or 1.234, so a column that has
//! nothing but such numbers is refused.

use std::borrow::Cow;

/// The mark in front of the digits that are less than one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberStyle {
    /// A point; commas may stand between thousands.
    Point,
    /// A comma; points may stand between thousands.
    Comma,
}

/// Spaces and apostrophes that stand between thousands of either style.
const SEPARATORS: [char; 6] = [' ', '\u{a0}', '\u{202f}', '\u{2009}', '\'', '\u{2019}'];

/// The words that stand for a value that is missing.
const MISSING: [&str; 18] = [
    "",
    "-",
    "--",
    "---",
    "?",
    "na",
    "n/a",
    "#n/a",
    "nan",
    "-nan",
    "null",
    "none",
    "inf",
    "+inf",
    "-inf",
    "infinity",
    "-infinity",
    "1.#qnan",
];

/// Returns whether a field says that there is no value.
pub fn is_missing(field: &str) -> bool {
    let field = field.trim();
    MISSING.iter().any(|word| field.eq_ignore_ascii_case(word))
}

/// The number of a field, written as Rust reads it; nothing when it is none in this style.
pub fn plain(field: &str, style: NumberStyle) -> Option<Cow<'_, str>> {
    let field = field.trim();
    let is_plain = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
    if style == NumberStyle::Point && field.chars().all(is_plain) {
        let value = field.parse::<f64>().ok()?;
        return value.is_finite().then_some(Cow::Borrowed(field));
    }
    let (mark, other) = match style {
        NumberStyle::Point => ('.', ','),
        NumberStyle::Comma => (',', '.'),
    };
    let (mantissa, exponent) = match field.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent),
        None => (field, "0"),
    };
    exponent.parse::<i16>().ok()?;
    let unsigned = mantissa.strip_prefix(['-', '+']).unwrap_or(mantissa);
    let sign = if mantissa.starts_with('-') { "-" } else { "" };
    let (whole, part) = unsigned.split_once(mark).unwrap_or((unsigned, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let whole = match whole.find(|c: char| c == other || SEPARATORS.contains(&c)) {
        Some(at) => {
            let separator = whole[at..].chars().next()?;
            let mut groups = whole.split(separator);
            let first = groups.next()?;
            let is_first =
                (1..=3).contains(&first.len()) && is_digits(first) && !first.starts_with('0');
            let mut are_groups = groups.clone();
            if !is_first || !are_groups.all(|group| group.len() == 3 && is_digits(group)) {
                return None;
            }
            groups.fold(first.to_owned(), |whole, group| whole + group)
        }
        None => whole.to_owned(),
    };
    if !is_digits(&whole) || !is_digits(part) || whole.is_empty() && part.is_empty() {
        return None;
    }
    let text = format!("{sign}{whole}.{part}0e{exponent}");
    let value = text.parse::<f64>().ok()?;
    value.is_finite().then_some(Cow::Owned(text))
}

/// The value of a field in a style.
pub fn value(field: &str, style: NumberStyle) -> Option<f64> {
    plain(field, style)?.parse().ok()
}

/// Returns whether a field is a number in any style.
pub fn is_number(field: &str) -> bool {
    plain(field, NumberStyle::Point).is_some() || plain(field, NumberStyle::Comma).is_some()
}

/// The style of a column.
///
/// # Errors
/// With the place among the fields of one that may be two numbers, where none decides.
pub fn style<'a>(fields: impl Iterator<Item = &'a str>) -> Result<NumberStyle, usize> {
    let (mut points, mut commas, mut doubtful) = (0_u64, 0_u64, None);
    for (at, field) in fields.enumerate() {
        let point = value(field, NumberStyle::Point);
        // A number with a point alone is one in every table.
        if point.is_some() && !field.contains(',') {
            points += 1;
            commas += u64::from(value(field, NumberStyle::Comma).is_some());
            continue;
        }
        let comma = value(field, NumberStyle::Comma);
        points += u64::from(point.is_some());
        commas += u64::from(comma.is_some());
        if point.is_some() && comma.is_some() && point != comma {
            doubtful.get_or_insert(at);
        }
    }
    match doubtful {
        _ if commas > points => Ok(NumberStyle::Comma),
        Some(at) if commas == points => Err(at),
        _ => Ok(NumberStyle::Point),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_both_styles_are_read() {
        for (field, style, expected) in [
            ("1234.5", NumberStyle::Point, Some(1234.5)),
            (" -1e-3 ", NumberStyle::Point, Some(-0.001)),
            ("1,234.5", NumberStyle::Point, Some(1234.5)),
            ("-12,345,678", NumberStyle::Point, Some(-12_345_678.0)),
            ("1 234.5", NumberStyle::Point, Some(1234.5)),
            ("1\u{202f}234", NumberStyle::Point, Some(1234.0)),
            ("1'234.5", NumberStyle::Point, Some(1234.5)),
            ("1,23.5", NumberStyle::Point, None),
            ("1,2345", NumberStyle::Point, None),
            ("1,234 567", NumberStyle::Point, None),
            ("10,5", NumberStyle::Point, None),
            ("10,5", NumberStyle::Comma, Some(10.5)),
            (",5", NumberStyle::Comma, Some(0.5)),
            ("-1.234,5e2", NumberStyle::Comma, Some(-123_450.0)),
            ("10.5", NumberStyle::Comma, None),
            ("42", NumberStyle::Comma, Some(42.0)),
            ("1 234,5", NumberStyle::Comma, Some(1234.5)),
            ("nan", NumberStyle::Point, None),
            ("1e999", NumberStyle::Point, None),
            ("", NumberStyle::Point, None),
            (".", NumberStyle::Point, None),
            (",", NumberStyle::Comma, None),
            ("2010-01-01", NumberStyle::Comma, None),
            ("12:30", NumberStyle::Point, None),
        ] {
            assert_eq!(value(field, style), expected, "{field:?} {style:?}");
        }
    }

    #[test]
    fn a_column_has_the_style_that_one_of_its_numbers_shows() {
        for (fields, expected) in [
            (&["1.5", "2"][..], Ok(NumberStyle::Point)),
            (&["1.234", "2.345"], Ok(NumberStyle::Point)),
            (&["1,234.5", "7"], Ok(NumberStyle::Point)),
            (&["1,234", "1.5"], Ok(NumberStyle::Point)),
            (&["1,234", "10,5"], Ok(NumberStyle::Comma)),
            (&["0,125", "950"], Ok(NumberStyle::Comma)),
            (&["1.234,5", "1.234"], Ok(NumberStyle::Comma)),
            (&["950", "1,234"], Err(1)),
            (&["10,125", "11,250"], Err(0)),
            (&["1,234,567", "1,234"], Ok(NumberStyle::Point)),
        ] {
            assert_eq!(style(fields.iter().copied()), expected, "{fields:?}");
        }
    }
}
