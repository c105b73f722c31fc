//! Openings of doc comments: a noun, or a verb in the third person.
//!
//! "The divisor for `baud`." names a thing; "What the baud is divided by" makes a riddle of it.

/// Words that a doc comment should not begin with.
const WORDS: [&str; 8] = [
    "What", "Whether", "How", "Of", "As", "The same", "Who", "Whose",
];

/// The lines of doc comments that begin with one of the words.
pub fn find(text: &str) -> Vec<usize> {
    let is_poor = |text: &str| {
        let begins = |word: &&str| {
            let rest = text.strip_prefix(*word);
            rest.is_some_and(|rest| !rest.starts_with(|it: char| it.is_alphanumeric()))
        };
        WORDS.iter().any(begins)
    };
    let poor = openings(text).filter(|(_, opening)| is_poor(opening));
    poor.map(|(number, _)| number).collect()
}

/// The number of doc comments.
pub fn count(text: &str) -> usize {
    openings(text).count()
}

/// The first line of each doc comment, by its number.
fn openings(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_inside = false;
    (1..).zip(text.lines()).filter_map(move |(number, line)| {
        let doc = doc(line);
        let goes_on = std::mem::replace(&mut is_inside, doc.is_some());
        Some((number, doc.filter(|_| !goes_on)?))
    })
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
        assert_eq!((count(text), find(text)), (4, vec![5, 10]));
    }
}
