//! The files that lint reads: Rust and Markdown that git tracks.

use crate::{process, workspace};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// A tracked file.
pub struct Source {
    /// The path from the root of the workspace.
    pub path: String,
    pub text: String,
    /// The folder of its package, or "" for a file outside of packages.
    pub package: String,
}

impl Source {
    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    pub fn is_markdown(&self) -> bool {
        self.path.ends_with(".md")
    }

    /// True for code that is handed out, or makes or tests what is: no tests, no examples.
    pub fn is_product(&self) -> bool {
        let mut folders: Vec<_> = self.path.split('/').collect();
        let name = folders.pop().unwrap_or_default();
        let top = folders.first().copied().unwrap_or_default();
        self.is_rust()
            && ["kernel", "qpu", "tools", "boot"].contains(&top)
            && !name.ends_with("tests.rs")
            && !folders.iter().any(|it| ["tests", "examples"].contains(it))
    }
}

/// The files that git tracks in the workspace at `root`.
///
/// # Errors
/// When git cannot list them or one cannot be read.
pub fn tracked(root: &Path) -> Result<Vec<Source>> {
    let mut git = Command::new("git");
    git.arg("-C").arg(root).args(["ls-files", "*.rs", "*.md"]);
    let listed = process::capture(&mut git, Duration::from_secs(60))?;
    ensure!(
        listed.status.is_some_and(|status| status.success()),
        "git cannot list the files of {}: {}",
        root.display(),
        listed.stderr
    );
    let members = workspace::members(root)?;
    let package = |path: &str| {
        let inside = |folder: &&String| {
            path.strip_prefix(&***folder)
                .is_some_and(|rest| rest.starts_with('/'))
        };
        members
            .iter()
            .filter(inside)
            .max_by_key(|folder| folder.len())
            .cloned()
            .unwrap_or_default()
    };
    let mut sources = vec![];
    // A file that is deleted and not yet committed is listed still.
    for path in listed
        .stdout
        .lines()
        .filter(|path| root.join(path).is_file())
    {
        let text =
            fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))?;
        sources.push(Source {
            path: path.to_owned(),
            text,
            package: package(path),
        });
    }
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_examples_are_no_product() {
        let is_product = |path: &str| {
            let source = Source {
                path: path.to_owned(),
                text: String::new(),
                package: String::new(),
            };
            source.is_product()
        };
        assert!(is_product("qpu/fft/src/lib.rs"));
        for path in [
            "qpu/fft/src/plan_tests.rs",
            "qpu/fft/src/tests.rs",
            "tools/v3d-sim/tests/job.rs",
            "tools/v3d-sim/examples/bench.rs",
            "tests/src/lib.rs",
            "kernel/wire/PROTOCOL.md",
        ] {
            assert!(!is_product(path), "{path}");
        }
    }
}
