//! Builds the same sources in two folders, and compares what comes of them.
//!
//! `cargo xtask reproduce` compiles everything anew, in two copies of the workspace that it makes
//! for this and removes when they agree. The names of their folders differ in length, so that a
//! path that got into a file would move what follows it, too. The test run compares the workspace's
//! image with that of a copy whose builds it keeps.

use crate::dist;
use crate::firmware;
use crate::toolchain::Toolchain;
use crate::workspace;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// Not sources, and large: what a copy does without.
const LEFT_OUT: [&str; 2] = ["target", ".git"];

/// The two folders of [`run`].
const FOLDERS: [&str; 2] = ["first", "and-the-second"];

/// Compiles anew in two folders, and lists what was compared; with `dist` also what `cargo xtask
/// dist` makes.
pub fn run(toolchain: &Toolchain, dist: bool) -> Result<()> {
    let folders = FOLDERS.map(|name| workspace::target().join("reproduce").join(name));
    let mut built = vec![];
    for root in &folders {
        remove(root)?;
        copy_folder(workspace::root(), root)
            .with_context(|| format!("cannot copy the sources to {}", root.display()))?;
        eprintln!("compiling all of it in {}", root.display());
        built.push(build(toolchain, root, dist)?);
    }
    let [ours, theirs] = &built[..] else {
        bail!("two folders are compared");
    };
    let (list, same) = compared(ours, theirs);
    println!("{list}");
    ensure!(
        same,
        "the files differ; they are kept in {} and {}",
        folders[0].display(),
        folders[1].display()
    );
    for root in &folders {
        remove(root)?;
    }
    Ok(())
}

/// A file that was built: its name, and its bytes.
type File = (String, Vec<u8>);

/// Builds what is compared.
fn build(toolchain: &Toolchain, root: &Path, dist: bool) -> Result<Vec<File>> {
    let image = firmware::build_in(toolchain, root)?;
    let mut paths = image.files();
    if dist {
        let folder = dist::make(toolchain, root, false)?;
        let entries = fs::read_dir(&folder)?.map(|entry| Ok(entry?.path()));
        let mut made = entries.collect::<Result<Vec<_>>>()?;
        made.sort();
        paths.extend(made);
    }
    read(&paths)
}

/// Reads files.
fn read(paths: &[PathBuf]) -> Result<Vec<File>> {
    let read = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok((name.into_owned(), bytes))
    };
    paths.iter().map(read).collect()
}

/// A line for each file, and whether all are the same.
fn compared(ours: &[File], theirs: &[File]) -> (String, bool) {
    let names = |files: &[File]| {
        files
            .iter()
            .map(|(name, _)| name.clone())
            .collect::<Vec<_>>()
    };
    if names(ours) != names(theirs) {
        let line = format!("files: {:?} and {:?}", names(ours), names(theirs));
        return (line, false);
    }
    let mut same = true;
    let each = ours.iter().zip(theirs).map(|((name, a), (_, b))| {
        if a == b {
            return format!("same  {} bytes, SHA-256 {}  {name}", a.len(), dist::sum(a));
        }
        same = false;
        let differs = a.iter().zip(b).position(|(a, b)| a != b);
        let at = differs.unwrap_or(a.len().min(b.len()));
        format!(
            "DIFFER {} and {} bytes, first at {at:#x}  {name}",
            a.len(),
            b.len()
        )
    });
    let lines: Vec<String> = each.collect();
    (lines.join("\n"), same && !ours.is_empty())
}

fn remove(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}

/// Fails unless a build in another folder gives the bytes of `image`.
///
/// The folder is kept, and its next build is quick.
pub fn check(toolchain: &Toolchain, image: &firmware::Image) -> Result<()> {
    let root = workspace::target().join("reproduce/elsewhere");
    copy_sources(&root)?;
    let second = firmware::build_in(toolchain, &root)?;
    let (list, same) = compared(&read(&image.files())?, &read(&second.files())?);
    ensure!(
        same,
        "a build in {} is not the same\n{list}",
        root.display()
    );
    Ok(())
}

fn copy_sources(to: &Path) -> Result<()> {
    // The sources are copied anew; the copy's own target folder stays, so that only changes are
    // compiled.
    if to.is_dir() {
        for entry in fs::read_dir(to)? {
            let entry = entry?;
            if entry.file_name() == "target" {
                continue;
            }
            if entry.file_type()?.is_dir() {
                fs::remove_dir_all(entry.path())?;
            } else {
                fs::remove_file(entry.path())?;
            }
        }
    }
    copy_folder(workspace::root(), to)
        .with_context(|| format!("cannot copy the sources to {}", to.display()))
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if LEFT_OUT.iter().any(|left_out| name == *left_out) {
            continue;
        }
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_folder(&entry.path(), &to.join(name))?;
        } else if kind.is_file() {
            copy_file(&entry.path(), &to.join(name))?;
        }
    }
    Ok(())
}

/// Copies with the time of last change, by which cargo knows what has changed.
fn copy_file(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to)?;
    let modified = fs::metadata(from)?.modified()?;
    fs::File::options()
        .write(true)
        .open(to)?
        .set_modified(modified)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, bytes: &[u8]) -> File {
        (name.into(), bytes.to_vec())
    }

    #[test]
    fn every_file_is_listed_and_a_difference_fails() {
        let one = [file("kernel.img", b"abc"), file("zip", b"def")];
        let (list, same) = compared(&one, &one);
        assert!(same && list.lines().count() == 2, "{list}");
        assert!(
            list.starts_with("same  3 bytes, SHA-256 ba7816bf"),
            "{list}"
        );
        let (list, same) = compared(&one, &[file("kernel.img", b"abc"), file("zip", b"dex")]);
        assert!(!same, "{list}");
        assert!(list.ends_with("\nDIFFER 3 and 3 bytes, first at 0x2  zip"));
        let (list, same) = compared(&one, &one[..1]);
        assert!(!same, "{list}");
        assert!(!compared(&[], &[]).1);
    }

    #[test]
    fn a_copy_has_the_sources_and_nothing_that_was_built() {
        let folder = std::env::temp_dir().join(format!("qpuscope-copy-{}", std::process::id()));
        let (from, to) = (folder.join("from"), folder.join("to"));
        for path in ["src", "target/debug", ".git"] {
            fs::create_dir_all(from.join(path)).expect("a folder");
            fs::write(from.join(path).join("file"), "text").expect("a file");
        }
        copy_folder(&from, &to).expect("a copy");
        let there = ["src/file", "target", ".git"].map(|path| to.join(path).exists());
        fs::remove_dir_all(&folder).expect("the copy was there");
        assert_eq!(there, [true, false, false]);
    }
}
