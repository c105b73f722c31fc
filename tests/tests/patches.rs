//! Additions to the product as patches: each touches few files, and what they make compiles.
//!
//! `tests/patches` holds one patch for each kind of addition that CONTRIBUTING describes. A test
//! applies each to the tree as it is. Another applies all of them to one copy and compiles it: the
//! compiler reports places that an addition must change and a patch does not, so the number of
//! files in a patch is the number that a contributor has to touch. One copy, because each would
//! take half a minute.
//!
//! The copy lies in `target/patches/tree`. A file of it is written only when its contents change,
//! so that cargo compiles it again only after a change of the tree.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tests::{need, root};

/// The patches, which do not touch the same lines.
const PATCHES: [&str; 3] = ["window", "length", "kernel"];

/// The packages that the additions reach, and the program that judges windows.
const COMPILED: [&str; 11] = [
    "--package=signal",
    "--package=wire",
    "--package=dsp",
    "--package=qpu-programs",
    "--package=kernel",
    "--package=qpuscope",
    "--package=tests",
    "--lib",
    "--bins",
    "--test=system",
    "--example=added",
];

/// A program of the copy that compiles only if the additions are in the product.
const PROOF: &str = "kernel/examples/added.rs";

const NO_GIT: &str = "the tree is no clone of git, or git is missing";

#[test]
fn a_new_window_touches_at_most_six_files() {
    need!(clone(), "{NO_GIT}");
    check_count("window", 6);
}

#[test]
fn a_new_length_of_the_firmware_touches_at_most_five_files() {
    need!(clone(), "{NO_GIT}");
    check_count("length", 5);
}

#[test]
fn a_new_kernel_touches_at_most_six_files() {
    need!(clone(), "{NO_GIT}");
    check_count("kernel", 6);
}

/// Blank lines set parts of the guide apart, and are not compared.
#[test]
fn the_guide_shows_the_kernel_of_the_patch() {
    let patch = patch("kernel");
    let guide = fs::read_to_string(root().join("docs/new-kernel.md")).expect("the guide is there");
    let (mut shown, mut file) = (Lines::new(), "");
    let mut lines = guide.lines();
    while let Some(line) = lines.next() {
        if let Some(path) = line
            .strip_prefix('`')
            .and_then(|rest| rest.strip_suffix("`:"))
        {
            file = path;
        } else if line == "```rust" {
            let code = lines.by_ref().take_while(|line| *line != "```");
            let own = shown.entry(file).or_default();
            own.extend(code.filter(|line| !line.is_empty()));
        }
    }
    let (mut added, mut file) = (Lines::new(), "");
    for line in patch.lines() {
        if let Some(path) = line.strip_prefix("+++ b/") {
            file = path;
        } else if let Some(code) = line.strip_prefix('+')
            && !code.is_empty()
            && !file.ends_with(".lst")
        {
            added.entry(file).or_default().push(code);
        }
    }
    assert_eq!(
        shown, added,
        "docs/new-kernel.md (left) shows other code than tests/patches/kernel.patch adds"
    );
}

/// Lines of files.
type Lines<'a> = BTreeMap<&'a str, Vec<&'a str>>;

/// The build script of the programs makes the plans of all lengths, and fails when one is missing.
#[test]
fn the_product_with_all_additions_compiles() {
    need!(clone(), "{NO_GIT}");
    let patches = PATCHES.map(|name| (name, patch(name)));
    let touched: BTreeSet<PathBuf> = patches.iter().flat_map(|(_, patch)| files(patch)).collect();
    let scratch = folder().join("all.scratch");
    prepare(&scratch, &touched);
    for (name, patch) in &patches {
        apply(name, patch, &scratch).unwrap_or_else(|said| panic!("{said}"));
    }
    let copy = folder().join("tree");
    let mut wanted = BTreeSet::from([PathBuf::from(PROOF)]);
    write(&copy.join(PROOF), proof().as_bytes());
    for file in tracked().union(&touched) {
        let is_patched = touched.contains(file);
        let folder = if is_patched { &scratch } else { root() };
        // A file may be deleted in the work tree, or by a patch.
        if let Ok(contents) = fs::read(folder.join(file)) {
            write(&copy.join(file), &contents);
            wanted.insert(file.clone());
        }
    }
    for file in files_below(&copy).difference(&wanted) {
        fs::remove_file(copy.join(file)).expect("the copy is ours");
    }
    compile(&copy);
}

#[test]
fn a_patch_that_does_not_apply_says_how_to_renew_it() {
    need!(clone(), "{NO_GIT}");
    let stale = "diff --git a/LICENSE-MIT b/LICENSE-MIT\n--- a/LICENSE-MIT\n+++ b/LICENSE-MIT\n\
                 @@ -1,1 +1,1 @@\n-no such line\n+another\n";
    for patch in [stale, &stale.replace("LICENSE-MIT", "no-such-file")] {
        let scratch = folder().join("stale.scratch");
        prepare(&scratch, &files(patch));
        let said = apply("stale", patch, &scratch).expect_err("there is no such line");
        assert!(
            said.contains("git diff") && said.contains("stale.patch"),
            "{said}"
        );
    }
}

/// Applies a patch alone, and counts its files.
fn check_count(name: &str, most: usize) {
    let patch = patch(name);
    let touched = files(&patch);
    assert!(
        touched.len() <= most,
        "{name}.patch touches {} files, {most} are allowed: {touched:?}. Derive what is written in \
         several places from one of them",
        touched.len()
    );
    let scratch = folder().join(format!("{name}.scratch"));
    prepare(&scratch, &touched);
    apply(name, &patch, &scratch).unwrap_or_else(|said| panic!("{said}"));
}

/// Conditions on constants, which the compiler evaluates, as a program.
fn proof() -> String {
    let windows = wire::Window::ALL.len() + 1;
    let longest = qpu_programs::firmware::MAX_LOG2 + 1;
    let programs = qpu_programs::FFT.len() + 1;
    format!(
        "//! The additions are in the product.\n\n\
         const _: () = assert!(wire::Window::ALL.len() == {windows});\n\
         const _: () = assert!(qpu_programs::firmware::MAX_LOG2 == {longest});\n\
         const _: () = assert!(kernel::instrument::MAX_N == 1 << {longest});\n\
         const _: () = assert!(qpu_programs::FFT.len() == {programs});\n\n\
         fn main() {{}}\n"
    )
}

/// The text of a patch.
fn patch(name: &str) -> String {
    let path = root().join(format!("tests/patches/{name}.patch"));
    fs::read_to_string(path).expect("the patch is in the tree")
}

/// The paths that a patch touches.
fn files(patch: &str) -> BTreeSet<PathBuf> {
    let heads = patch
        .lines()
        .filter_map(|line| line.strip_prefix("diff --git a/"));
    let paths = heads.filter_map(|head| head.split_once(" b/"));
    paths.map(|(_, path)| path.into()).collect()
}

/// Copies files of the tree to an empty folder; those that are new in a patch are not there.
fn prepare(scratch: &Path, touched: &BTreeSet<PathBuf>) {
    let _ = fs::remove_dir_all(scratch);
    fs::create_dir_all(scratch).expect("the target folder is writable");
    for file in touched {
        if let Ok(contents) = fs::read(root().join(file)) {
            write(&scratch.join(file), &contents);
        }
    }
}

/// Applies a patch to the files in `scratch`.
///
/// # Errors
/// When it does not apply: how to renew it.
fn apply(name: &str, patch: &str, scratch: &Path) -> Result<(), String> {
    let own = scratch.with_extension("patch");
    write(&own, patch.as_bytes());
    // A line of context is enough: neighbouring lines may be reworded.
    let arguments = [OsStr::new("apply"), OsStr::new("-C1"), own.as_os_str()];
    let output = git(scratch, &arguments).expect("git can be started");
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "tests/patches/{name}.patch does not apply any more:\n{}\n{}",
        String::from_utf8_lossy(&output.stderr),
        renewal(name)
    ))
}

/// The commands that make a patch anew.
fn renewal(name: &str) -> String {
    format!(
        "Renew it in a clean work tree: `git apply --3way tests/patches/{name}.patch`, complete the \
         change, `git diff HEAD --full-index > {name}.new`, `git reset --hard`, and \
         `mv {name}.new tests/patches/{name}.patch`"
    )
}

/// Compiles the copy.
fn compile(copy: &Path) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["check", "--offline", "--locked", "--quiet"])
        .args(COMPILED);
    // The build script of the programs, which alone runs `qpu` here, takes three seconds with it as
    // it is; it would take half a minute to optimize.
    command.args(["--config", "profile.dev.package.qpu.opt-level=0"]);
    // In the workspace's own folder, the copy's crates would take the places of the workspace's,
    // which would be compiled anew then.
    command.arg("--target-dir").arg(target().join("patched"));
    // Most runs compile nothing or everything of the copy.
    let output = command
        .current_dir(copy)
        .env("CARGO_INCREMENTAL", "0")
        .output();
    let output = output.expect("cargo can be started");
    assert!(
        output.status.success(),
        "{} does not compile:\n{}\nCorrect the patch to which the place belongs. {}",
        copy.display(),
        String::from_utf8_lossy(&output.stderr),
        renewal("NAME")
    );
}

/// The folder of the copies.
fn folder() -> PathBuf {
    target().join("patches")
}

/// Cargo's target folder.
fn target() -> &'static Path {
    let own = Path::new(env!("CARGO_TARGET_TMPDIR"));
    own.parent().expect("it lies in the target folder")
}

/// There if git knows the files of the tree.
fn clone() -> Option<()> {
    let output = git(root(), &["rev-parse"])?;
    output.status.success().then_some(())
}

/// The files of the tree: those that git tracks, and new ones that it does not ignore.
fn tracked() -> BTreeSet<PathBuf> {
    let list = [
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ];
    let output = git(root(), &list).expect("git can be started");
    let list = String::from_utf8(output.stdout).expect("names are UTF-8");
    list.split_terminator('\0').map(PathBuf::from).collect()
}

/// The output of git in a folder; `None` where git is missing.
fn git(at: &Path, arguments: &[impl AsRef<OsStr>]) -> Option<Output> {
    let mut command = Command::new("git");
    // A scratch folder is no part of the clone in which it lies.
    command.env("GIT_CEILING_DIRECTORIES", folder());
    command.current_dir(at).args(arguments).output().ok()
}

/// Writes a file unless it has these contents: cargo compares times.
fn write(path: &Path, contents: &[u8]) {
    if fs::read(path).is_ok_and(|own| own == contents) {
        return;
    }
    let folder = path.parent().expect("it lies in a folder");
    fs::create_dir_all(folder).expect("the target folder is writable");
    fs::write(path, contents).expect("the target folder is writable");
}

/// The files below a folder, by their paths in it.
fn files_below(folder: &Path) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(path) = pending.pop() {
        if let Ok(entries) = fs::read_dir(&path) {
            pending.extend(entries.flatten().map(|entry| entry.path()));
        } else if let Ok(file) = path.strip_prefix(folder) {
            files.insert(file.to_path_buf());
        }
    }
    files
}
