//! Comments: at most 100 columns, since rustfmt does not wrap them; and openings of doc comments,
//! which are a noun, or a verb in the third person.
//!
//! "The divisor for `baud`." names a thing; "What the baud is divided by" makes a riddle of it.

/// The widest comment.
const COLUMNS: usize = 100;

/// Words that a doc comment should not begin with.
const WORDS: [&str; 8] = [
    "What", "Whether", "How", "Of", "As", "The same", "Who", "Whose",
];

/// The numbers of lines that are comments, tables aside, and too long.
pub fn too_long(text: &str) -> Vec<usize> {
    let is_long = |line: &str| {
        let comment = line.trim_start();
        let content = comment.trim_start_matches(['/', '!', ' ']);
        comment.starts_with("//") && !content.starts_with('|') && line.chars().count() > COLUMNS
    };
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| is_long(line))
        .map(|(number, _)| number)
        .collect()
}

/// The lines of doc comments that begin with one of the words.
pub fn poor_openings(text: &str) -> Vec<usize> {
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

/// The first line of each doc comment, by its number.
pub fn openings(text: &str) -> impl Iterator<Item = (usize, &str)> {
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
    fn long_comments_are_found_and_long_tables_are_not() {
        let long = "word ".repeat(30);
        let text = format!("/// {long}\n//! | {long}\nlet x = 1; {long}\n    // {long}\n// short");
        assert_eq!(too_long(&text), [1, 4]);
    }

    #[test]
    fn the_first_line_of_a_doc_comment_counts() {
        let text = "//! Head.\n//!\n//! What it is.\n\n/// What this is.\nfn a() {}\n/// Whatever.\nfn b() {}\n\
                    // How it works.\n    /// The same\n    /// of others.\n    fn c() {}\n";
        assert_eq!(
            (openings(text).count(), poor_openings(text)),
            (4, vec![5, 10])
        );
    }
}
