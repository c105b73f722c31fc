//! Words that are gone: home-made names where the field has a word of its own.

use proc_macro2::{TokenStream, TokenTree};
use std::str::FromStr;

/// Segments of names, and the names to use.
const NAMES: [(&str, &str); 24] = [
    ("coop", "one_pass"),
    ("cooperation", "one_pass"),
    ("cooperative", "one_pass"),
    ("taste", "ScheduleTuning"),
    ("tastes", "tuned_schedules"),
    ("tasted", "tuned"),
    ("draught", "build"),
    ("draughted", "built"),
    ("draft", "OpList"),
    ("drafts", "op_lists"),
    ("relay", "double-buffered pipeline"),
    ("relays", "double-buffered pipeline"),
    ("told", "reported"),
    ("stub", "per_qpu_code"),
    ("stubs", "per_qpu_code"),
    ("turn", "twiddle, rotate, iteration"),
    ("turns", "twiddles, rotations, iterations"),
    ("turned", "rotated"),
    ("mend", "fix"),
    ("mended", "fixed"),
    ("frugal", "the name of what is saved"),
    ("drifts", "needs_relaunch"),
    ("conducts", "the name of what it synchronizes"),
    ("somebody", "user"),
];

/// Terms in documents and comments, and the words to use.
const TERMS: [(&str, &str); 16] = [
    ("coop", "one-pass"),
    ("cooperative", "one-pass"),
    ("taste", "schedule tuning"),
    ("tastes", "schedule tunings"),
    ("draught", "op list"),
    ("relay", "double-buffered pipeline"),
    ("relays", "double-buffered pipelines"),
    ("mend", "fix"),
    ("mended", "fixed"),
    ("mends", "fixes"),
    ("told of", "reported"),
    ("tells of", "reports"),
    ("tell of", "report"),
    ("whoever", "a user"),
    ("somebody", "a user"),
    ("frugal", "the name of what is saved"),
];

/// The lines of identifiers that have one of the names among their segments.
pub fn find_names(text: &str) -> Vec<usize> {
    let mut found = vec![];
    if let Ok(tokens) = TokenStream::from_str(text) {
        names(tokens, &mut found);
    }
    found
}

fn names(tokens: TokenStream, found: &mut Vec<usize>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => names(group.stream(), found),
            TokenTree::Ident(ident) if is_gone(&ident.to_string()) => {
                found.push(ident.span().start().line)
            }
            _ => {}
        }
    }
}

/// True for a name with a segment that is gone: `turn_bytes`, `TurnTable`, `TURN`.
pub fn is_gone(name: &str) -> bool {
    let mut segments = vec![String::new()];
    let mut before = '_';
    for letter in name.chars() {
        let begins = letter == '_' || (letter.is_uppercase() && !before.is_uppercase());
        if begins {
            segments.push(String::new());
        }
        if letter != '_' {
            let last = segments.last_mut();
            last.expect("there is a first")
                .extend(letter.to_lowercase());
        }
        before = letter;
    }
    segments
        .iter()
        .any(|segment| NAMES.iter().any(|(name, _)| name == segment))
}

/// The lines with one of the terms, of a document or of a source's comments.
pub fn find_terms(text: &str, is_rust: bool) -> Vec<usize> {
    let has_term = |line: &str| {
        let letters = |it: char| {
            if it.is_alphanumeric() {
                it.to_ascii_lowercase()
            } else {
                ' '
            }
        };
        let plain: String = line.chars().map(letters).collect();
        let words: Vec<_> = plain.split_whitespace().collect();
        let spaced = format!(" {} ", words.join(" "));
        TERMS
            .iter()
            .any(|(term, _)| spaced.contains(&format!(" {term} ")))
    };
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| (!is_rust || line.trim_start().starts_with("//")) && has_term(line))
        .map(|(number, _)| number)
        .collect()
}

/// The words to use instead, a line each.
pub fn instead() -> String {
    let line = |(word, better): &(&str, &str)| format!("  {word}: {better}\n");
    NAMES.iter().chain(&TERMS).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_segments_of_names_are_found() {
        for name in [
            "turn",
            "turn_bytes",
            "TurnTable",
            "TURN",
            "fill_turns",
            "ToldOf",
        ] {
            assert!(is_gone(name), "{name}");
        }
        for name in ["return_value", "turnover", "Returned", "untold"] {
            assert!(!is_gone(name), "{name}");
        }
        let text = "// turn\nfn a(turn: u32) {\n    vec![told(1), \"stub\"]\n}\n";
        assert_eq!(find_names(text), [2, 3]);
    }

    #[test]
    fn terms_are_found_in_prose_and_comments() {
        assert_eq!(
            find_terms(
                "A relay.\nRelayed.\nIt is told\nof this, and Told of that.",
                false
            ),
            [1, 4]
        );
        assert_eq!(
            find_terms("let relay = 1; // relay\n// The relay.\n", true),
            [2]
        );
    }
}
