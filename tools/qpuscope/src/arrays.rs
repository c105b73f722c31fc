//! Arrays of words in sources of C and Rust, as assemblers and drivers publish programs.

use std::ops::Range;

/// An array: its name, and what stands between its brackets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array<'a> {
    /// As the source has it; empty where none is found.
    pub name: &'a str,
    /// Place of its contents in the source.
    pub contents: Range<usize>,
}

/// The arrays with words of a source without comments: `= { ... }` in C, and `] = [ ... ]`, `] = &[ ... ]` or
/// `= Name([ ... ])` in Rust.
///
/// Arrays without a number, such as one of pointers, are left out where another has some.
#[must_use]
pub fn arrays(code: &str) -> Vec<Array<'_>> {
    let mut all = vec![];
    for (at, _) in code.match_indices('=') {
        let behind = &code[at + 1..];
        // Rust has a reference before a slice's brackets.
        let bare = behind.trim_start();
        let bare = bare.strip_prefix('&').map_or(bare, str::trim_start);
        // And a type around an array, for its alignment.
        let inner = bare.trim_start_matches(is_part).strip_prefix('(');
        let inner = inner
            .map(str::trim_start)
            .filter(|inner| inner.starts_with('['));
        let is_wrapped = inner.is_some();
        let start = at + 1 + behind.len() - inner.unwrap_or(bare).len();
        let brackets = match code[start..].chars().next() {
            Some('{') => ['{', '}'],
            Some('[') if is_wrapped || code[..at].trim_end().ends_with(']') => ['[', ']'],
            _ => continue,
        };
        let contents = start + 1..end(code, start, brackets);
        if all
            .last()
            .is_none_or(|last: &Array| last.contents.end <= start)
        {
            let name = name(&code[..at]);
            all.push(Array { name, contents });
        }
    }
    let has_words =
        |array: &Array| code[array.contents.clone()].contains(|c: char| c.is_ascii_digit());
    if all.iter().any(has_words) {
        all.retain(has_words);
    }
    all
}

/// Where the bracket at `start` is closed; the end of the text when it is not.
fn end(code: &str, start: usize, [open, close]: [char; 2]) -> usize {
    let mut depth = 0;
    for (at, character) in code[start..].char_indices() {
        if character == open {
            depth += 1;
        } else if character == close {
            depth -= 1;
            if depth == 0 {
                return start + at;
            }
        }
    }
    code.len().max(start + 1)
}

/// Whether a character can be part of a name.
fn is_part(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The name before `= {`: behind it come dimensions or a type, and attributes.
fn name(before: &str) -> &str {
    let mut rest = before;
    loop {
        rest = rest.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '&'));
        let opener = match rest.chars().next_back() {
            Some(']') => '[',
            Some(')') => '(',
            Some('>') => '<',
            _ => {
                let start = rest.trim_end_matches(is_part).len();
                // In Rust the name of a type comes last, behind a colon.
                match rest[..start].trim_end().strip_suffix(':') {
                    Some(named) => rest = named,
                    None => return &rest[start..],
                }
                continue;
            }
        };
        let Some(open) = opening(rest, opener) else {
            return "";
        };
        rest = rest[..open].trim_end();
        rest = rest.strip_suffix("__attribute__").unwrap_or(rest);
    }
}

/// Where the bracket opens that the text ends with.
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
    fn names_and_contents_of_c_and_rust() {
        let sources = [
            ("unsigned code[] = { 0x1, 0x2 };", "code", "0x1, 0x2"),
            (
                "static const uint32_t a_b[2] __attribute__((aligned(8))) = {1};",
                "a_b",
                "1",
            ),
            ("pub const CODE: [u32; 2] = [0x1, 0x2];", "CODE", "0x1, 0x2"),
            ("const CODE: &[u32] = &[0x1];", "CODE", "0x1"),
            ("int a[][2] = { {1, 2}, {3, 4} };", "a", "{1, 2}, {3, 4}"),
            ("static A: Code<320> = Code([0x1, 0x2]);", "A", "0x1, 0x2"),
            ("static A: my::Code = my([1]);", "A", "1"),
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
