//! Files that a command writes, which are not to be one that it reads or another that it writes.

use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};

/// Whether two names are one file, however they are spelt; a file need not be there yet.
#[must_use]
pub fn are_one(one: &Path, other: &Path) -> bool {
    one == other || whole(one).is_some_and(|name| Some(name) == whole(other))
}

/// Refuses outputs that are one file, and those that are the file that is read, which is called `source`.
/// Standard input and output, `-`, are none.
///
/// # Errors
/// Usage, with the file's name.
pub fn apart(outputs: &[&Path], input: &Path, source: &str) -> Result<()> {
    let files = || outputs.iter().filter(|path| **path != Path::new("-"));
    for (index, file) in files().enumerate() {
        if files().take(index).any(|other| are_one(other, file)) {
            return Err(Failure::usage(format!(
                "{} is named for two outputs; give each its own file",
                file.display()
            )));
        }
        if are_one(file, input) {
            return Err(Failure::usage(format!(
                "{} is {source} and would be overwritten; name another file",
                file.display()
            )));
        }
    }
    Ok(())
}

fn whole(path: &Path) -> Option<PathBuf> {
    let there = path.canonicalize().ok();
    there.or_else(|| {
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_under_all_its_names() {
        let here = std::env::current_dir().expect("a folder");
        for name in ["Cargo.toml", "not-there-yet"] {
            for other in [here.join(name), Path::new("src/..").join(name)] {
                assert!(are_one(Path::new(name), &other), "{}", other.display());
            }
            assert!(!are_one(
                Path::new(name),
                Path::new("src").join(name).as_path()
            ));
        }
        assert!(!are_one(Path::new("a"), Path::new("nowhere/a")));
    }
}
