//! The house's own checks: what the compiler and clippy do not look at.

use super::count::Count;
use super::sources::{self, Source};
use super::{comments, limits, markdown, paths};
use crate::circles;
use anyhow::{Result, ensure};
use std::collections::BTreeSet;
use std::path::Path;

/// Holds the tree at `root` to its widths and its paths, and its packages to their circles. Names
/// of types that are used twice are counted, no more.
///
/// # Errors
/// When something is found, in a line for each place, or a file cannot be read.
pub fn check(root: &Path) -> Result<()> {
    let sources = sources::tracked(root)?;
    let mut wrong = circles::check(root, limits::CIRCLES)?;
    let folders = folders(&sources);
    for source in &sources {
        let mut note = |lines: Vec<usize>, what: &str| {
            wrong.extend(
                lines
                    .iter()
                    .map(|line| format!("{}:{line}: {what}", source.path)),
            );
        };
        if source.is_markdown() {
            note(
                markdown::find(&source.text),
                "over 100 columns and not one sentence",
            );
        } else {
            note(
                comments::too_long(&source.text),
                "a comment over 100 columns",
            );
        }
        note(
            paths::find(root, &folders, source),
            "a path in backticks that does not exist",
        );
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    let namesakes = Count::of(&sources)?.namesakes();
    eprintln!(
        "{namesakes} names of types are used twice in their package; `cargo xtask lint --count` lists them"
    );
    Ok(())
}

/// The folders at the top of the repository.
fn folders(sources: &[Source]) -> Vec<String> {
    let tops = sources
        .iter()
        .filter_map(|it| Some(it.path.split_once('/')?.0.to_owned()));
    let mut folders: BTreeSet<_> = tops.collect();
    // Without Rust or Markdown in them.
    folders.extend(["data", "linker", "notices"].map(str::to_owned));
    folders.into_iter().collect()
}

/// `cargo xtask lint --count`: product lines, and names of types that are used twice.
///
/// # Errors
/// When a file cannot be read.
pub fn count(root: &Path) -> Result<()> {
    Count::of(&sources::tracked(root)?)?.print();
    Ok(())
}
