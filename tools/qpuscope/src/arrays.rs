//! Arrays of words in sources of C, Rust, Go, JavaScript and Python, as assemblers and drivers publish programs.

use std::ops::Range;

/// An array: its name, and what stands between its brackets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array<'a> {
    /// As the source has it; empty where none is found.
    pub name: &'a str,
    /// Place of its contents in the source.
    pub contents: Range<usize>,
}

/// The arrays with words of a source without comments: `= { ... }` in C, `] = [ ... ]`, `] = &[ ... ]` or
/// `= Name([ ... ])` in Rust, `= []uint32{ ... }` in Go, and `= [ ... ]`, `= new Uint32Array([ ... ])` or
/// `= np.array([ ... ])` in JavaScript and Python.
///
/// Arrays without a number, such as one of pointers, are left out where another has some. What only those
/// languages write has to be numbers and nothing else, since lists of all kinds are written so.
#[must_use]
pub fn arrays(code: &str) -> Vec<Array<'_>> {
    let mut all = vec![];
    for (at, _) in code.match_indices('=') {
        let Some((start, brackets, is_sure)) = opener(code, at) else {
            continue;
        };
        let is_inside = |last: &Array| last.contents.end > start;
        if all.last().is_some_and(is_inside) {
            continue;
        }
        // Numbers have no `=` among them, and text without end would be searched from each of its own.
        let least = if is_sure { code } else { next_value(code, at) };
        let contents = start + 1..end(least, start, brackets);
        if is_sure || is_numbers(&code[contents.clone()]) {
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

/// Where the array opens that the `=` at `at` gives a value, its brackets, and whether nothing but an array is
/// written so.
fn opener(code: &str, at: usize) -> Option<(usize, [char; 2], bool)> {
    const BRACES: [char; 2] = ['{', '}'];
    const SQUARE: [char; 2] = ['[', ']'];
    let before = &code[..at];
    let behind = code[at + 1..].trim_start();
    let place = |rest: &str| code.len() - rest.len();
    if behind.starts_with('{') {
        return Some((place(behind), BRACES, true));
    }
    // Rust has a reference before a slice's brackets, JavaScript and C# have `new`.
    let bare = behind.strip_prefix('&').map_or(behind, str::trim_start);
    let bare = bare.strip_prefix("new ").map_or(bare, str::trim_start);
    if bare.starts_with('[') && before.trim_end().ends_with(']') {
        return Some((place(bare), SQUARE, true));
    }
    // A type around an array, for its alignment; or a function that makes one of a list, perhaps of a type.
    let inner = bare.trim_start_matches(is_part);
    if let Some(list) = inner.strip_prefix('(').map(str::trim_start)
        && list.starts_with('[')
    {
        return Some((place(list), SQUARE, true));
    }
    if !is_statement(before) {
        return None;
    }
    let inner = bare.trim_start_matches(|c| is_part(c) || c == '.');
    if let Some(list) = inner.strip_prefix('(').map(behind_type)
        && list.starts_with('[')
    {
        return Some((place(list), SQUARE, false));
    }
    // The type stands before the braces in Go and C#: `[]uint32{`, `uint[] {`.
    if let Some(rest) = inner.strip_prefix('[') {
        // A length at most; the rest of a text without end would be searched from each `=`.
        let closed = rest.char_indices().take(32).find(|(_, c)| *c == ']');
        let typed = closed.map(|(at, _)| rest[at + 1..].trim_start_matches(is_part).trim_start());
        if let Some(values) = typed.filter(|rest| rest.starts_with('{')) {
            return Some((place(values), BRACES, false));
        }
    }
    bare.starts_with('[').then(|| (place(bare), SQUARE, false))
}

/// What follows a type's name in quotes and its comma, as in `array('I', [ ... ])`.
fn behind_type(arguments: &str) -> &str {
    let arguments = arguments.trim_start();
    let quote = arguments.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let rest = quote.and_then(|quote| arguments[1..].split_once(quote));
    rest.and_then(|(_, rest)| rest.trim_start().strip_prefix(','))
        .unwrap_or(arguments)
        .trim_start()
}

/// Whether the line so far is a name, with words like `const` before it or a type behind it: the value of a variable
/// follows, not that of an argument, nor a text.
fn is_statement(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or("").trim();
    let is_of_names = |c: char| is_part(c) || " \t.:[]<>,".contains(c);
    line.starts_with(|c: char| c.is_alphabetic() || c == '_') && line.chars().all(is_of_names)
}

/// Whether there is nothing but numbers, two at least.
#[must_use]
pub fn is_numbers(contents: &str) -> bool {
    let words = contents.split(|c: char| c.is_whitespace() || ",[](){}".contains(c));
    let mut words = words.filter(|word| !word.is_empty()).peekable();
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    words.next().is_some_and(is_number) && words.peek().is_some() && words.all(is_number)
}

/// The code before the next `=` behind that at `at`, but not before what that opens with.
fn next_value(code: &str, at: usize) -> &str {
    let rest = &code[at + 1..];
    rest.find('=').map_or(code, |next| &code[..at + 1 + next])
}

/// Where the bracket at `start` is closed; the end of the text when it is not.
fn end(code: &str, start: usize, [open, close]: [char; 2]) -> usize {
    let mut depth = 0;
    for (at, character) in code.get(start..).unwrap_or("").char_indices() {
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
            ("var code = []uint32{\n 0x1, 0x2 }", "code", "0x1, 0x2"),
            ("code := [...]uint64{1, 2}", "code", "1, 2"),
            ("const code = [1, 2];", "code", "1, 2"),
            ("let code = new Uint32Array([1, 2]);", "code", "1, 2"),
            ("uint[] code = new uint[] { 1, 2 };", "code", "1, 2"),
            ("    self.code = [0x1, 0x2]", "code", "0x1, 0x2"),
            (
                "code: list[int] = [(1, 2), (3, 4)]",
                "code",
                "(1, 2), (3, 4)",
            ),
            (
                "a = np.array([[1, 2], [3, 4]], dtype=np.uint32)",
                "a",
                "[1, 2], [3, 4]",
            ),
            ("a = array.array('I', [1, 2])", "a", "1, 2"),
            ("names = ['x', 'y']\na = bytes([1, 2])", "a", "1, 2"),
        ];
        for (source, name, contents) in sources {
            assert_eq!(found(source), [(name, contents)], "{source}");
        }
        for none in [
            "x = 3; y == z",
            "x == [1, 2]",
            ".set a = [1, 2]",
            "; a = [1, 2]",
            "f(a=[1, 2])",
            "a = [1]",
            "a = [one, 2]",
            "a = b[1](2)",
        ] {
            assert!(found(none).is_empty(), "{none}");
        }
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
