//! The guide to a new kernel shows the patch of that kernel, whole and to the letter.
//!
//! The patch is `tests/patches/kernel.patch`. It applies to the tree as it is; that the tree with it
//! compiles is the business of the tests of patches.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use tests::{need, root};

/// Files that a new kernel may touch.
const MOST_FILES: usize = 6;

/// Changed lines by file, with their signs.
type Changes = BTreeMap<String, Vec<String>>;

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect("the file is in the tree")
}

/// The lines that a patch adds and removes.
fn changes_of_patch(patch: &str) -> Changes {
    let mut changes = Changes::new();
    let mut file = String::new();
    for line in patch.lines() {
        if let Some(head) = line.strip_prefix("diff --git a/") {
            file = head.split(" b/").next().unwrap_or_default().to_owned();
        } else if line.starts_with(['+', '-'])
            && !line.starts_with("+++")
            && !line.starts_with("---")
        {
            changes.entry(file.clone()).or_default().push(line.into());
        }
    }
    changes
}

/// The lines that the guide adds and removes: a block belongs to the path that was named last.
fn changes_of_guide(guide: &str) -> Changes {
    let mut changes = Changes::new();
    let mut path = String::new();
    let mut block = None;
    for line in guide.lines() {
        match (block, line) {
            (None, "```rust" | "```diff") => block = Some(line == "```rust"),
            (Some(_), "```") => block = None,
            (None, _) => {
                let names = line.split('`').skip(1).step_by(2);
                if let Some(name) = names.filter(|name| name.starts_with("qpu/src")).last() {
                    path = name.into();
                }
            }
            (Some(is_whole), _) if is_whole || line.starts_with(['+', '-']) => {
                let sign = if is_whole { "+" } else { "" };
                let line = format!("{sign}{line}");
                changes.entry(path.clone()).or_default().push(line);
            }
            _ => {}
        }
    }
    changes
}

#[test]
fn the_guide_shows_all_that_a_new_kernel_changes() {
    let patch = changes_of_patch(&read("tests/patches/kernel.patch"));
    let guide = changes_of_guide(&read("docs/new-kernel.md"));
    for (file, lines) in &patch {
        assert_eq!(guide.get(file), Some(lines), "{file} in docs/new-kernel.md");
    }
    assert_eq!(guide.len(), patch.len(), "the guide names other files too");
    assert!(patch.len() <= MOST_FILES, "{:?}", patch.keys());
}

#[test]
fn the_patch_of_the_guide_applies() {
    let output = Command::new("git")
        .current_dir(root())
        .args(["apply", "--check", "-C1", "tests/patches/kernel.patch"])
        .output();
    let output = need!(output.ok(), "git is missing");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}
