//! Paths in backticks: each that begins with a folder of the repository exists.
//!
//! A file may also be named from its own package on. A line number behind a colon is left aside. A
//! name with a star, a brace or a capital placeholder stands for several files: only the folder in
//! front of it is looked for.

use super::sources::Source;
use std::path::Path;

/// The lines with paths that do not exist under `root`, of a document or of a source's comments.
pub fn find(root: &Path, folders: &[String], source: &Source) -> Vec<usize> {
    let mut is_fenced = false;
    let mut found = vec![];
    for (number, line) in (1..).zip(source.text.lines()) {
        let start = line.trim_start();
        if source.is_markdown() && start.starts_with("```") {
            is_fenced = !is_fenced;
        }
        if is_fenced || (source.is_rust() && !start.starts_with("//")) {
            continue;
        }
        // Between two backticks is every second piece.
        let quoted = line.split('`').skip(1).step_by(2);
        let is_missing = |path: &str| {
            let here = root.join(&source.package);
            ![root, &here]
                .iter()
                .any(|folder| folder.join(path).exists())
        };
        if quoted
            .filter_map(|text| path(folders, text))
            .any(is_missing)
        {
            found.push(number);
        }
    }
    found
}

/// The part of a quoted text that has to exist, if it is a path of the repository.
fn path<'a>(folders: &[String], text: &'a str) -> Option<&'a str> {
    let (top, rest) = text.split_once('/')?;
    if !folders.iter().any(|folder| folder == top) || text.contains(char::is_whitespace) {
        return None;
    }
    let text = text.split(':').next().unwrap_or(text);
    let is_open = |part: &str| {
        part.contains(['*', '{', '<', '?', '…'])
            || (part.chars().any(char::is_uppercase)
                && !part.contains(char::is_lowercase)
                && !part.contains('.'))
    };
    let mut end = top.len();
    for part in rest.split('/') {
        if is_open(part) || part.starts_with("NAME") {
            break;
        }
        end += 1 + part.len();
    }
    Some(&text[..end.min(text.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let root = crate::workspace::root();
        let source = Source {
            path: path.to_owned(),
            text: text.to_owned(),
            package: String::new(),
        };
        find(root, &["tools".to_owned(), "docs".to_owned()], &source)
    }

    #[test]
    fn a_path_of_the_repository_that_does_not_exist_is_found() {
        let text = "See `docs/nothing.md`.\n`tools/xtask/src/main.rs:12`, `docs/`\n`tools/xtask/src/lint/*.rs`\n\
                    `tools/NAME/README.md`, `other/docs/nothing.md`\n`tools/none/*.rs`\n`docs/web.md says`\n";
        assert_eq!(lines("a.md", text), [1, 5]);
    }

    #[test]
    fn code_is_not_read_and_comments_are() {
        assert!(lines("a.md", "```\n`docs/nothing.md`\n```\n").is_empty());
        let text = "let it = \"`docs/nothing.md`\";\n/// As `docs/nothing.md` says.\n";
        assert_eq!(lines("a.rs", text), [2]);
    }
}
