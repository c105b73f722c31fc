//! Paths: the workspace, its target folder, cargo and its cache.

use anyhow::{Context, Result};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The target of the static program that `cargo xtask dist` makes.
pub const PROGRAM_TARGET: &str = "x86_64-unknown-linux-gnu";

/// The target of the page's program.
pub const PAGE_TARGET: &str = "wasm32-unknown-unknown";

/// The folder of this package when it was compiled.
const COMPILED: &str = env!("CARGO_MANIFEST_DIR");

/// The folder of the root `Cargo.toml`, of the tree that `cargo xtask` was started in.
///
/// Cargo says at each start where the package lies. What the program was compiled with does not
/// say it: in a copy that kept its times (`cp -a`, an archive, a cache) cargo takes a copied
/// `target` for fresh, and the program in it names the tree that it was copied from.
pub fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| root_of(std::env::var_os("CARGO_MANIFEST_DIR").as_deref()))
}

/// The root above the folder of this package, which is `given` unless that is another's, as in a
/// test that starts xtask.
fn root_of(given: Option<&OsStr>) -> PathBuf {
    let given = given.map(Path::new);
    let is_own = |folder: &&Path| {
        folder.ends_with("tools/xtask") && folder.join("src/workspace.rs").is_file()
    };
    let package = given.filter(is_own).unwrap_or(Path::new(COMPILED));
    let root = package.ancestors().nth(2);
    root.expect("xtask lies two folders below the root")
        .to_owned()
}

/// The file of a target folder that names the tree whose tests lie there.
const TREE: &str = "tests-of";

/// Has cargo compile the tests anew in a copy of another tree: they name files and programs of the
/// tree in which they were compiled.
///
/// # Errors
/// When what cargo knows of them cannot be removed, or the target folder cannot be written.
pub fn forget_copied_tests() -> Result<()> {
    forget_tests_of_others(root(), &target(), Path::new(COMPILED))
}

/// Does so for the tree at `root`, when the tests in `target` are of another one. Where nothing
/// says whose they are, they are of the tree that xtask was `compiled` in.
fn forget_tests_of_others(root: &Path, target: &Path, compiled: &Path) -> Result<()> {
    let (stamp, own) = (target.join(TREE), root.as_os_str().as_encoded_bytes());
    let known = fs::read(&stamp).ok();
    if known.as_deref() == Some(own) {
        return Ok(());
    }
    if known.is_some() || !compiled.starts_with(root) {
        eprintln!("this is a copy of another tree: its tests are compiled anew");
        for profile in ["debug", "release"] {
            forget_tests(&target.join(profile).join(".fingerprint"))?;
        }
    }
    fs::create_dir_all(target)
        .and_then(|()| fs::write(&stamp, own))
        .with_context(|| format!("cannot write {}", stamp.display()))
}

/// Removes the notes that cargo keeps in a folder about tests, with which it takes them for fresh.
fn forget_tests(notes: &Path) -> Result<()> {
    let Ok(units) = fs::read_dir(notes) else {
        return Ok(());
    };
    for unit in units {
        let unit = unit?.path();
        let is_test = |name: fs::DirEntry| name.file_name().to_string_lossy().starts_with("test-");
        if fs::read_dir(&unit)?.flatten().any(is_test) {
            let removed = fs::remove_dir_all(&unit);
            removed.with_context(|| format!("cannot remove {}", unit.display()))?;
        }
    }
    Ok(())
}

/// `target` under the root. Fixed, because documentation and commands name files in it.
pub fn target() -> PathBuf {
    root().join("target")
}

/// The cargo that started xtask (the toolchain's own binary, not rustup's proxy), else the first in
/// `PATH`.
pub fn cargo() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from)
}

/// Cargo's folder, where the sources of dependencies lie.
pub fn cargo_home() -> Option<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(home)
}

/// The folders of the workspace's packages, as the manifest of the workspace at `root` lists them.
///
/// # Errors
/// When there is no such manifest.
pub fn members(root: &Path) -> Result<Vec<String>> {
    let manifest = manifest(root)?;
    let list = manifest
        .split_once("members = [")
        .and_then(|(_, after)| after.split_once(']'))
        .context("the workspace lists its members")?
        .0;
    let quoted = list.split('"').skip(1).step_by(2);
    Ok(quoted.map(str::to_owned).collect())
}

/// The name of the package in `folder`.
///
/// # Errors
/// When it has no manifest.
pub fn package_name(folder: &Path) -> Result<String> {
    let manifest = manifest(folder)?;
    let name = manifest
        .lines()
        .find_map(|line| line.strip_prefix("name = "));
    let name = name.with_context(|| format!("{} has no name", folder.display()))?;
    Ok(name.trim_matches('"').to_owned())
}

fn manifest(folder: &Path) -> Result<String> {
    let path = folder.join("Cargo.toml");
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The package of xtask in a tree of its own.
    fn copy(root: &Path) -> PathBuf {
        let package = root.join("tools/xtask");
        fs::create_dir_all(package.join("src")).expect("a folder");
        fs::write(package.join("src/workspace.rs"), "").expect("a file");
        package
    }

    #[test]
    fn the_tree_that_xtask_is_started_in_is_its_root() {
        let copied = tempfile::tempdir().expect("a folder");
        let package = copy(copied.path());
        assert_eq!(root_of(Some(package.as_os_str())), copied.path());
    }

    #[test]
    fn another_package_and_no_package_name_no_other_tree() {
        let compiled = Path::new(COMPILED).ancestors().nth(2).expect("a root");
        let other = Path::new(COMPILED).with_file_name("clib");
        let absent = Path::new("/absent/tools/xtask");
        for given in [
            None,
            Some(other.as_os_str()),
            Some(absent.as_os_str()),
            Some(OsStr::new("")),
        ] {
            assert_eq!(root_of(given), compiled, "{given:?}");
        }
    }

    /// The units that cargo still has notes of.
    fn units(target: &Path) -> Vec<String> {
        let notes = fs::read_dir(target.join("debug/.fingerprint")).expect("a folder");
        let names = notes
            .flatten()
            .map(|unit| unit.file_name().to_string_lossy().into_owned());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn tests_of_another_tree_are_forgotten_once_and_the_rest_is_kept() {
        let target = tempfile::tempdir().expect("a folder");
        let target = target.path();
        let make = |unit: &str| {
            let file = target.join("debug/.fingerprint").join(unit);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, "").expect("a file");
        };
        let all = ["a-1/lib-a", "a-2/test-lib-a", "b-3/test-integration-test-b"];
        all.iter().for_each(|unit| make(unit));
        let [one, other] = ["/one", "/other"].map(Path::new);
        let here = |root: &Path| forget_tests_of_others(root, target, &one.join("tools/xtask"));
        here(one).expect("nothing to do");
        assert_eq!(units(target).len(), 3, "its own tests");
        // The folder is copied to another place.
        here(other).expect("they can be removed");
        assert_eq!(units(target), ["a-1"]);
        all.iter().for_each(|unit| make(unit));
        here(other).expect("nothing to do");
        assert_eq!(units(target).len(), 3, "tests that were compiled there");
    }

    #[test]
    fn tests_without_a_tree_are_of_that_of_xtask() {
        let target = tempfile::tempdir().expect("a folder");
        let note = target.path().join("release/.fingerprint/a-1/test-lib-a");
        fs::create_dir_all(note.parent().expect("a folder")).expect("a folder");
        fs::write(&note, "").expect("a file");
        let (root, compiled) = (Path::new("/copy"), Path::new("/one/tools/xtask"));
        forget_tests_of_others(root, target.path(), compiled).expect("they can be removed");
        assert!(!note.exists());
    }
}
