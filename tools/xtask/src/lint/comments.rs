//! Comments: at most 100 columns, since rustfmt does not wrap them.

/// The widest comment.
const COLUMNS: usize = 100;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_comments_are_found_and_long_tables_are_not() {
        let long = "word ".repeat(30);
        let text = format!("/// {long}\n//! | {long}\nlet x = 1; {long}\n    // {long}\n// short");
        assert_eq!(too_long(&text), [1, 4]);
    }
}
