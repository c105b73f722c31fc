//! Builds the firmware a second time, in a copy of the workspace in another folder, and compares.

use crate::toolchain::Toolchain;
use crate::{dist, firmware, workspace};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// Not sources, and large: what the copy does without.
const LEFT_OUT: [&str; 2] = ["target", ".git"];

/// Fails unless a build in another folder gives the bytes of `image`.
///
/// The folder's name has another length than the workspace's, so that a path that got into the
/// image would move what follows it, too. It is kept, and its next build is quick.
pub fn check(toolchain: &Toolchain, image: &firmware::Image) -> Result<()> {
    let root = elsewhere()?;
    let second = firmware::build_in(toolchain, &root)?;
    for (name, a, b) in [
        ("kernel.img", &image.img, &second.img),
        ("kernel.elf", &image.elf, &second.elf),
    ] {
        let (a, b) = (fs::read(a)?, fs::read(b)?);
        let differs = a.iter().zip(&b).position(|(a, b)| a != b);
        ensure!(
            a == b,
            "{name} built in {} is not the same: {} and {} bytes, first difference at {differs:?}",
            root.display(),
            a.len(),
            b.len()
        );
    }
    Ok(())
}

/// The same for all that `cargo xtask dist` makes. It compiles `qpuscope` twice, optimized.
pub fn check_dist(toolchain: &Toolchain) -> Result<()> {
    dist::check(toolchain, &elsewhere()?)
}

/// The copy in another folder, as new as the workspace.
fn elsewhere() -> Result<PathBuf> {
    let root = workspace::target().join("reproduce/elsewhere");
    copy_sources(&root)?;
    Ok(root)
}

fn copy_sources(to: &Path) -> Result<()> {
    // The sources are copied anew; the copy's own target folder stays, so that only changes are compiled.
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
