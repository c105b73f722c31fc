//! Markdown: wrapped at 100 columns, or one sentence a line.
//!
//! Tables, code blocks and definitions of links are as long as they need to be.

/// The widest line that may hold anything.
const COLUMNS: usize = 100;

/// Ends of words with a full stop that ends no sentence.
const ABBREVIATIONS: [&str; 6] = ["e.g.", "i.e.", "cf.", "vs.", "p.", "pp."];

/// The numbers of lines that are too long and are not one sentence.
pub fn find(text: &str) -> Vec<usize> {
    let mut fence = false;
    let mut found = vec![];
    for (number, line) in (1..).zip(text.lines()) {
        let start = line.trim_start();
        if start.starts_with("```") {
            fence = !fence;
        }
        let is_prose = !fence && !start.starts_with('|') && !is_link(start);
        if is_prose && line.chars().count() > COLUMNS && !is_sentence(start) {
            found.push(number);
        }
    }
    found
}

/// True for `[name]: address`.
fn is_link(line: &str) -> bool {
    line.starts_with('[') && line.contains("]: ")
}

/// True for a line with one sentence, which ends in it.
fn is_sentence(line: &str) -> bool {
    let line = line.trim_start_matches(['-', '*', '>', '#', ' ']);
    let line = line
        .trim_start_matches(|it: char| it.is_ascii_digit())
        .trim_start_matches(". ");
    let words: Vec<_> = line.split_whitespace().collect();
    let ends = |word: &str| {
        let bare = word.trim_end_matches([')', '*', '"', '_', '`', '\'']);
        bare.ends_with(['.', '!', '?', ':'])
            && !ABBREVIATIONS.contains(&bare.trim_start_matches('('))
    };
    let closes = |pair: &[&str]| {
        let next = pair[1].trim_start_matches(['*', '(', '[', '"', '`', '_']);
        ends(pair[0]) && !pair[0].ends_with(':') && !next.starts_with(char::is_lowercase)
    };
    words.last().is_some_and(|word| ends(word)) && !words.windows(2).any(closes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_one_sentence() {
        let words = "word ".repeat(24);
        let sentence = format!("- A {words}(e.g. this), and `that`.");
        assert!(find(&sentence).is_empty());
        assert_eq!(find(&format!("Short.\n{sentence} Another one.")), [2]);
        assert_eq!(
            find(&format!("It goes on {words}in the next line\nand ends.")),
            [1]
        );
    }

    #[test]
    fn tables_code_and_links_may_be_long() {
        let long = "word ".repeat(40);
        assert!(find(&format!("| {long} |\n```\n{long}\n```\n[x]: {long}\n")).is_empty());
    }
}
