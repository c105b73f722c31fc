//! Files that a command reads and writes. What it writes is not to be one that it reads, or another
//! that it writes.

pub mod input;
pub mod output;
pub mod part;

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use crate::failure::{Failure, Result};
use crate::say;

/// A file that a command reads, and what messages call it: `the source`.
pub type Input<'a> = (&'a Path, &'a str);

/// Returns whether two names are one file: by device and number, so that it does not matter how
/// they are spelt or linked. A file need not be there yet. A device such as `/dev/null` keeps
/// nothing that could be overwritten.
#[must_use]
pub fn are_one(one: &Path, other: &Path) -> bool {
    match (std::fs::metadata(one), std::fs::metadata(other)) {
        (Ok(one), Ok(other)) => {
            let is_device = one.file_type().is_char_device();
            (one.dev(), one.ino()) == (other.dev(), other.ino()) && !is_device
        }
        (Err(_), Err(_)) => {
            // Where a file that is not there would be.
            let place = |path| output::target(path).ok().flatten();
            one == other || place(one).is_some_and(|one| Some(one) == place(other))
        }
        _ => false,
    }
}

/// Refuses outputs that are one file, and those that are one of the files that are read.
/// An output `-` is none; an input `-` is what the shell has made standard input.
///
/// # Errors
/// Usage, with the file's name.
pub fn apart(outputs: &[&Path], inputs: &[Input]) -> Result<()> {
    let files = || outputs.iter().filter(|path| **path != Path::new("-"));
    for (index, file) in files().enumerate() {
        if files().take(index).any(|other| are_one(other, file)) {
            return Err(Failure::usage(format!(
                "{} is named for two outputs; give each its own file",
                say::path(file)
            )));
        }
        let read = inputs.iter().find(|(input, _)| match input.to_str() {
            Some("-") => are_one(file, Path::new("/dev/stdin")),
            _ => are_one(file, input),
        });
        if let Some((_, what)) = read {
            return Err(Failure::usage(format!(
                "{} is {what} and would be overwritten; name another file",
                say::path(file)
            )));
        }
    }
    Ok(())
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
        assert!(!are_one(Path::new("/dev/null"), Path::new("/dev/null")));
    }

    #[test]
    fn a_linked_file_is_one_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "words").expect("a file");
        std::fs::hard_link(at("file"), at("hard")).expect("a link");
        std::os::unix::fs::symlink("file", at("soft")).expect("a link");
        std::os::unix::fs::symlink("absent", at("dangling")).expect("a link");
        assert!(are_one(&at("file"), &at("hard")) && are_one(&at("soft"), &at("hard")));
        assert!(are_one(&at("absent"), &at("dangling")));
        assert!(!are_one(&at("file"), &at("absent")));
        let (file, hard) = (at("file"), at("hard"));
        let failure = apart(&[&hard], &[(&file, "the source")]).expect_err("one file");
        assert!(
            failure.message.contains("hard is the source and would be"),
            "{failure}"
        );
    }
}
