//! Test programs that a filter can mean, so that only they are built.
//!
//! libtest runs the tests whose path, modules and function, contains the filter. Before anything is
//! built the paths are in the sources only: a target is meant when one of its files has the
//! filter's last part in its own name or in a line with `fn`. When none has, all are built.

use crate::{process, workspace};
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs to build.
#[derive(PartialEq, Eq, Debug)]
pub struct Selection {
    /// The arguments that select them; none for all of them.
    pub arguments: Vec<String>,
    /// True if they want what the environment names: images, programs.
    pub wants_environment: bool,
}

impl Selection {
    /// All of them.
    pub const ALL: Self = Self {
        arguments: vec![],
        wants_environment: true,
    };

    /// Selects the programs that a filter can mean.
    ///
    /// # Errors
    /// When cargo does not say what there is.
    pub fn of(filter: &str) -> Result<Self> {
        let mut cargo = Command::new(workspace::cargo());
        cargo.current_dir(workspace::root());
        cargo.args(["metadata", "--locked", "--no-deps", "--format-version=1"]);
        let metadata = process::ask(&mut cargo).context("`cargo metadata` failed")?;
        let metadata: Value = serde_json::from_str(&metadata)?;
        let part = filter.rsplit("::").find(|part| !part.is_empty());
        let part = part.unwrap_or(filter);
        let mut chosen = Self {
            arguments: vec![],
            wants_environment: false,
        };
        let targets = list(&metadata["packages"])
            .iter()
            .flat_map(|package| list(&package["targets"]));
        for target in targets.filter(|target| target["test"] == true) {
            let (Some(name), Some(root)) = (target["name"].as_str(), target["src_path"].as_str())
            else {
                continue;
            };
            let sources = sources(Path::new(root));
            if !sources.iter().any(|(path, text)| names(path, text, part)) {
                continue;
            }
            let arguments: &[&str] = match target["kind"][0].as_str() {
                Some("test") => &["--test", name],
                Some("bin") => &["--bin", name],
                // Once for all packages.
                _ if chosen.arguments.iter().any(|own| own == "--lib") => &[],
                _ => &["--lib"],
            };
            let arguments = arguments.iter().map(|argument| (*argument).to_string());
            chosen.arguments.extend(arguments);
            chosen.wants_environment |= sources.iter().any(|(path, text)| {
                text.contains("QPUSCOPE_") || path.starts_with(workspace::root().join("tests"))
            });
        }
        Ok(if chosen.arguments.is_empty() {
            Self::ALL
        } else {
            chosen
        })
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// True if a source has tests whose path may contain `part`.
fn names(path: &Path, text: &str, part: &str) -> bool {
    let own = path.file_stem().unwrap_or_default().to_string_lossy();
    let folder = path
        .parent()
        .and_then(Path::file_name)
        .unwrap_or_default()
        .to_string_lossy();
    text.contains("#[test]")
        && (own.contains(part)
            || folder.contains(part)
            || text
                .lines()
                .any(|line| line.contains("fn ") && line.contains(part)))
}

/// The files of a target: its root, and where that is `main.rs` or `lib.rs` all beside and below
/// it.
fn sources(root: &Path) -> Vec<(PathBuf, String)> {
    let is_whole = root
        .file_stem()
        .is_some_and(|stem| stem == "main" || stem == "lib");
    let mut pending = vec![match root.parent() {
        Some(folder) if is_whole => folder.to_path_buf(),
        _ => root.to_path_buf(),
    }];
    let mut files = vec![];
    while let Some(path) = pending.pop() {
        if let Ok(entries) = std::fs::read_dir(&path) {
            pending.extend(entries.flatten().map(|entry| entry.path()));
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            files.push((path, text));
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_chooses_the_programs_that_can_have_its_tests() {
        let of = |filter: &str| Selection::of(filter).expect("cargo is there");
        let own = of("selection::tests::a_filter_chooses_the_programs_that_can_have_its_tests");
        assert_eq!(own.arguments, ["--bin", "xtask"]);
        assert!(
            own.wants_environment,
            "this file names QPUSCOPE_ in its rule"
        );
        let language = of("directives_mean_what_they");
        assert_eq!(language.arguments, ["--test", "asm_language"]);
        assert!(!language.wants_environment);
        assert!(of("its_shader_assembles").wants_environment);
        // No test has it in its path.
        assert_eq!(of(&["no", "where"].concat().repeat(3)), Selection::ALL);
    }
}
