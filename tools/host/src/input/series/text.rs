//! The text of a table before it is taken apart: its encoding, its quotes, its separator.

use std::borrow::Cow;

/// Lines after an open quote among which the closing one is looked for.
const LONGEST_FIELD: usize = 5;
/// Bytes that the separator is chosen by.
const SAMPLE: usize = 1 << 16;

/// The text without its byte order mark; UTF-16, as Excel writes it, becomes UTF-8.
pub fn readable(bytes: &[u8]) -> Cow<'_, [u8]> {
    let wide = |unit: fn([u8; 2]) -> u16| {
        let units = bytes[2..].as_chunks().0.iter().map(|bytes| unit(*bytes));
        let text = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
        Cow::Owned(text.collect::<String>().into_bytes())
    };
    match bytes {
        // The mark that some programs begin UTF-8 with would make the first number none.
        [0xef, 0xbb, 0xbf, rest @ ..] => Cow::Borrowed(rest),
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ => Cow::Borrowed(bytes),
    }
}

/// The text with the quotes of damaged lines replaced, so that an open one costs its line and not
/// all behind it. A field may go on for some lines.
pub fn without_open_quotes(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.contains(&b'"') {
        return Cow::Borrowed(bytes);
    }
    let mut at = 0;
    let mut odd = vec![];
    for (number, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if line.iter().filter(|byte| **byte == b'"').count() % 2 == 1 {
            odd.push((number, at..at + line.len()));
        }
        at += line.len();
    }
    let mut open = vec![];
    let mut rest = &odd[..];
    while let [(number, line), others @ ..] = rest {
        match others {
            [(next, _), others @ ..] if next - number <= LONGEST_FIELD => rest = others,
            _ => {
                open.push(line.clone());
                rest = others;
            }
        }
    }
    if open.is_empty() {
        return Cow::Borrowed(bytes);
    }
    let mut bytes = bytes.to_vec();
    for byte in open.into_iter().flatten() {
        if bytes[byte] == b'"' {
            bytes[byte] = b'?';
        }
    }
    Cow::Owned(bytes)
}

/// The separator between the columns, by the first lines. Semicolons or tabs are it when they stand
/// in a quarter of the lines or more, and more often than commas that are not between digits: those
/// between digits may be decimal ones.
pub fn delimiter(bytes: &[u8]) -> u8 {
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let lines = sample.split(|byte| matches!(byte, b'\n' | b'\r'));
    let lines: Vec<Counts> = lines
        .filter(|line| !line.is_empty())
        .map(Counts::of)
        .collect();
    let sum = |of: fn(&Counts) -> u64| lines.iter().map(of).sum::<u64>();
    let commas = sum(|line| line.commas - line.between_digits);
    let (semicolons, tabs) = (sum(|line| line.semicolons), sum(|line| line.tabs));
    let (other, count, lines_with) = match semicolons >= tabs {
        true => (b';', semicolons, sum(|line| line.semicolons.min(1))),
        false => (b'\t', tabs, sum(|line| line.tabs.min(1))),
    };
    if count > commas && 4 * lines_with >= lines.len() as u64 {
        other
    } else {
        b','
    }
}

/// The separators of a line that stand in no quotes.
#[derive(Default)]
struct Counts {
    commas: u64,
    between_digits: u64,
    semicolons: u64,
    tabs: u64,
}

impl Counts {
    fn of(line: &[u8]) -> Self {
        let (mut counts, mut is_quoted) = (Self::default(), false);
        for (at, byte) in line.iter().enumerate() {
            is_quoted ^= *byte == b'"';
            let is_digit = |at: usize| line.get(at).is_some_and(u8::is_ascii_digit);
            match byte {
                _ if is_quoted => {}
                b',' => {
                    let is_between = is_digit(at.wrapping_sub(1)) && is_digit(at + 1);
                    counts.commas += 1;
                    counts.between_digits += u64::from(is_between);
                }
                b';' => counts.semicolons += 1,
                b'\t' => counts.tabs += 1,
                _ => {}
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_quote_costs_its_line_and_a_long_field_none() {
        let text = |text: &str| {
            let out = without_open_quotes(text.as_bytes());
            String::from_utf8_lossy(&out).into_owned()
        };
        assert_eq!(
            text("\"a\",1\n\"b,2\n\"c\",3\n"),
            "\"a\",1\n?b,2\n\"c\",3\n"
        );
        let long = "\"a\nb\",1\n2,3\n";
        assert_eq!(text(long), long);
        let far = format!("\"a\n{}b\",1\n", "1\n".repeat(9));
        assert_eq!(text(&far), far.replace('"', "?"));
    }

    #[test]
    fn the_separator_is_that_of_most_lines() {
        for (text, expected) in [
            ("1,2\n3,4\n", b','),
            ("a;b\n10,5;11,5\n", b';'),
            ("a\tb\n1,5\t2,5\n", b'\t'),
            ("Logger, X 100\na;b\n1,5;2\n1,5;2\n1,5;2\n", b';'),
            ("a,\"b;c;d;e\"\n1,2\n", b','),
            ("10,5\n11,5\n", b','),
            ("1,2\n3,4\n5,6\n7,8\n1,a;b;c;d;e;f\n", b','),
        ] {
            assert_eq!(delimiter(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn utf_16_is_read() {
        let text = "a;µ\n1;2\n";
        let little: Vec<u8> = "\u{feff}"
            .chars()
            .chain(text.chars())
            .collect::<String>()
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(&*readable(&little), text.as_bytes());
        assert_eq!(&*readable(b"\xfe\xff\0a\0b"), b"ab");
    }
}
