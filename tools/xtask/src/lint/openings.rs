//! Openings of doc comments: a noun, or a verb in the third person.
//!
//! "The divisor for `baud`." names a thing; "What the baud is divided by" makes a riddle of it.

/// Words that a doc comment should not begin with.
const WORDS: [&str; 8] = [
    "What", "Whether", "How", "Of", "As", "The same", "Who", "Whose",
];

/// The doc comments of a source.
pub struct Openings {
    /// Number of doc comments.
    pub comments: usize,
    /// The lines of those that begin with one of the words.
    pub found: Vec<usize>,
}

/// Finds doc comments.
pub fn find(text: &str) -> Openings {
    let mut openings = Openings {
        comments: 0,
        found: vec![],
    };
    let mut before = None;
    for (number, line) in (1..).zip(text.lines()) {
        let doc = doc(line);
        if let Some(text) = doc
            && before.is_none()
        {
            openings.comments += 1;
            let begins = |word: &str| {
                let rest = text.strip_prefix(word);
                rest.is_some_and(|rest| !rest.starts_with(|it: char| it.is_alphanumeric()))
            };
            if WORDS.iter().any(|word| begins(word)) {
                openings.found.push(number);
            }
        }
        before = doc;
    }
    openings
}

/// The text of a line that is a doc comment.
fn doc(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let text = line
        .strip_prefix("///")
        .or_else(|| line.strip_prefix("//!"))?;
    (!text.starts_with('/')).then(|| text.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_a_doc_comment_counts() {
        let text = "//! Head.\n//!\n//! What it is.\n\n/// What this is.\nfn a() {}\n/// Whatever.\nfn b() {}\n\
                    // How it works.\n    /// The same\n    /// of others.\n    fn c() {}\n";
        let openings = find(text);
        assert_eq!(openings.comments, 4);
        assert_eq!(openings.found, [5, 10]);
    }
}
