//! Arrays of words in sources of C, as assemblers and drivers publish programs.

use std::ops::Range;

/// An array: its name, and the part of the source between its braces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array<'a> {
    /// The name in the source; empty where none is found.
    pub name: &'a str,
    /// Place of its contents in the source.
    pub contents: Range<usize>,
}

/// The arrays of a source without comments: `= { ... }`.
///
/// Arrays without a number, such as one of pointers, are left out where another has some.
#[must_use]
pub fn arrays(code: &str) -> Vec<Array<'_>> {
    let mut all: Vec<Array> = vec![];
    for (at, _) in code.match_indices('=') {
        let behind = code[at + 1..].trim_start();
        let start = code.len() - behind.len();
        let is_inside = all.last().is_some_and(|last| last.contents.end > start);
        if behind.starts_with('{') && !is_inside {
            all.push(Array {
                name: name(&code[..at]),
                contents: start + 1..end(code, start),
            });
        }
    }
    let has_words =
        |array: &Array| code[array.contents.clone()].contains(|c: char| c.is_ascii_digit());
    if all.iter().any(has_words) {
        all.retain(has_words);
    }
    all
}

/// The place where the brace at `start` is closed; the end of the text when it is not.
fn end(code: &str, start: usize) -> usize {
    let mut depth = 0;
    for (at, character) in code[start..].char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 1 => return start + at,
            '}' => depth -= 1,
            _ => (),
        }
    }
    code.len()
}

/// The name before `= {`, without its dimensions and attributes.
fn name(before: &str) -> &str {
    let mut rest = before.trim_end();
    loop {
        let bracket = match rest.chars().next_back() {
            Some(']') => '[',
            Some(')') => '(',
            _ => break,
        };
        let Some(open) = opening(rest, bracket) else {
            return "";
        };
        rest = rest[..open].trim_end();
        rest = rest
            .strip_suffix("__attribute__")
            .unwrap_or(rest)
            .trim_end();
    }
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    &rest[rest.trim_end_matches(is_part).len()..]
}

/// The place where the bracket opens that the text ends with.
fn opening(text: &str, opener: char) -> Option<usize> {
    let closer = text.chars().next_back()?;
    let mut depth = 0;
    for (at, character) in text.char_indices().rev() {
        if character == closer {
            depth += 1;
        } else if character == opener {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: &str) -> Vec<(&str, &str)> {
        arrays(code)
            .into_iter()
            .map(|array| (array.name, code[array.contents].trim()))
            .collect()
    }

    #[test]
    fn names_and_contents() {
        let sources = [
            ("unsigned code[] = { 0x1, 0x2 };", "code", "0x1, 0x2"),
            (
                "static const uint32_t a_b[2] __attribute__((aligned(8))) = {1};",
                "a_b",
                "1",
            ),
            ("int a[][2] = { {1, 2}, {3, 4} };", "a", "{1, 2}, {3, 4}"),
            ("public: std::array<int, 2> a = {1, 2};", "a", "1, 2"),
            ("int a[] = { 1, 2", "a", "1, 2"),
        ];
        for (source, name, contents) in sources {
            assert_eq!(found(source), [(name, contents)], "{source}");
        }
        assert!(found("x = 3; y == z").is_empty());
    }

    #[test]
    fn arrays_without_words_are_no_code() {
        let source = "void *notes[] = { NULL, NULL };\nint code[] = { 1 };\nint other[] = { 2 };";
        assert_eq!(found(source), [("code", "1"), ("other", "2")]);
        assert_eq!(found("void *notes[] = { NULL };"), [("notes", "NULL")]);
        // What looks like an array inside another belongs to it.
        assert_eq!(found("int a[] = { [0] = { 1 }, 2 };").len(), 1);
    }
}
