//! Text from outside, as it may be shown: of boards, files, names and arguments.
//!
//! Control characters can move the cursor, change colours, answer a terminal's questions or hide
//! what is said before them; marks of direction make words read in another order. They are shown by
//! their numbers, `\x1b`. What a message quotes is cut, so that a field of 20 MB does not push the
//! rest out of sight.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// The most characters of a quotation.
const QUOTATION: usize = 80;
/// The most characters of a line that is said; no line of ours is as long.
const LINE: usize = 2000;

/// Returns whether a character does something else to a terminal than take its place.
const fn acts(character: char) -> bool {
    matches!(character,
        '\0'..='\x1f' | '\x7f'..='\u{9f}'
        // Marks, embeddings, overrides and isolates of direction (Unicode Standard Annex 9).
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        // Separators of lines, and tags, which show nothing.
        | '\u{2028}' | '\u{2029}' | '\u{e0000}'..='\u{e007f}')
}

/// The text with all characters that act, but those in `kept`, shown by their numbers.
fn escape<'a>(text: &'a str, kept: &[char], number: fn(&mut String, char)) -> Cow<'a, str> {
    let is_shown = |character: char| acts(character) && !kept.contains(&character);
    if !text.contains(is_shown) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match is_shown(character) {
            true => number(&mut out, character),
            false => out.push(character),
        }
    }
    Cow::Owned(out)
}

/// `\x1b`, or `\u{202e}` where two digits are too few.
fn put_number(out: &mut String, character: char) {
    let _ = match u32::from(character) {
        code @ ..0x100 => write!(out, "\\x{code:02x}"),
        code => write!(out, "\\u{{{code:x}}}"),
    };
}

/// Writes a character as an escape of JSON, which has no other way.
fn put_json_number(out: &mut String, character: char) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        let _ = write!(out, "\\u{unit:04x}");
    }
}

/// The first `most` characters of a text, with dots where there were more.
fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}...", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Text with its lines and tabs.
#[must_use]
pub fn shown(text: &str) -> Cow<'_, str> {
    escape(text, &['\n', '\t'], put_number)
}

/// Text with its lines and tabs, the lines bounded.
#[must_use]
pub fn said(text: &str) -> Cow<'_, str> {
    if text.len() <= LINE {
        return shown(text);
    }
    let lines: Vec<_> = text.split('\n').map(|line| cut(line, LINE)).collect();
    Cow::Owned(shown(&lines.join("\n")).into_owned())
}

/// JSON, whose strings come out the same.
#[must_use]
pub fn json(text: &str) -> Cow<'_, str> {
    escape(text, &['\n', '\t'], put_json_number)
}

/// A short piece of foreign text within a sentence: on one line, and cut.
#[must_use]
pub fn quote(text: &str) -> String {
    escape(&cut(text, QUOTATION), &[], put_number).into_owned()
}

/// The name of a file: on one line, and whole, for only a whole name names it.
#[must_use]
pub fn shown_name(path: &Path) -> String {
    escape(&path.to_string_lossy(), &[], put_number).into_owned()
}

/// Foreign words in a list, each as [`quote`] gives it; a long list is cut.
#[must_use]
pub fn quote_list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 20;
    let mut words = words.into_iter();
    let mut shown: Vec<_> = words
        .by_ref()
        .take(MOST)
        .map(|word| format!("`{}`", quote(word)))
        .collect();
    match words.count() {
        0 => {}
        more => shown.push(format!("and {more} more")),
    }
    shown.join(", ")
}

/// A sentence from outside, which may be long but not without end.
#[must_use]
pub fn sentence(text: &str) -> String {
    const MOST: usize = 400;
    escape(&cut(text, MOST), &[], put_number).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_shown_by_its_number() {
        let text = "a\x1b[2J\u{9b}0m\x07\x7f\rb\n\tc \u{202e}d\u{e0041}";
        let safe = "a\\x1b[2J\\x9b0m\\x07\\x7f\\x0db\n\tc \\u{202e}d\\u{e0041}";
        assert_eq!(shown(text), safe);
        assert_eq!(quote("a\nb\tc"), "a\\x0ab\\x09c");
        let plain = "µ ° 80 dB, \u{1f600} 日本";
        assert!(matches!(shown(plain), Cow::Borrowed(same) if same == plain));
    }

    #[test]
    fn json_is_the_same_text_afterwards() {
        let value = serde_json::json!({ "name": "a\x1b[2J\u{9b}\u{202e}\u{e0041}\n\"" });
        for text in [format!("{value}"), format!("{value:#}")] {
            let safe = json(&text);
            assert!(!safe.contains(|c| acts(c) && c != '\n'), "{safe}");
            let read: serde_json::Value = serde_json::from_str(&safe).expect("JSON");
            assert_eq!(read, value);
        }
    }

    #[test]
    fn quotations_and_lines_are_bounded() {
        assert_eq!(quote(&"é".repeat(80)), "é".repeat(80));
        assert_eq!(quote(&"é".repeat(81)), "é".repeat(80) + "...");
        let text = format!("one\n{}\ntwo", "x".repeat(100_000));
        let short = said(&text);
        assert!(short.len() < 3000 && short.starts_with("one\nxx") && short.ends_with("...\ntwo"));
        let words = vec!["word"; 30];
        assert!(quote_list(words).ends_with("`word`, and 10 more"));
    }
}
