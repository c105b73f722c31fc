//! The library as others use it: installed, compiled by their compiler, loaded by Python.
// Not every test program does all of it.
#![allow(dead_code)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

/// Reason given by tests that need a C compiler.
pub const NO_CC: &str = "there is no C compiler (cc)";
/// Reason given by tests that need Python.
pub const NO_PYTHON: &str = "there is no python3";

/// The folder of this package.
pub fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// True if a program is there.
pub fn has(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}

/// Python, if it is there.
pub fn python() -> Option<&'static str> {
    has("python3").then_some("python3")
}

/// A folder for the files of a test.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for files");
    folder
}

/// Runs `cargo xtask clib` with these arguments, as far as xtask hands them on.
pub fn clib(arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_clib"));
    program.args(arguments).output().expect("clib runs")
}

/// The time at which a file was written.
fn written(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|known| known.modified()).ok()
}

/// A folder in which the library is installed; none without a C compiler. Test programs share it,
/// because the library with debug information is large: the first one installs.
pub fn installed() -> Option<&'static Path> {
    static INSTALLED: OnceLock<Option<PathBuf>> = OnceLock::new();
    let installed = INSTALLED.get_or_init(|| {
        if !has("cc") {
            return None;
        }
        let folder = scratch("installed");
        let last = folder.join(format!("lib/libqpuscope_mailbox.{SHARED}"));
        // The program has the headers in it, and is linked behind the library.
        let program = Path::new(env!("CARGO_BIN_EXE_clib"));
        if written(&last) <= written(program) {
            std::fs::remove_dir_all(&folder).expect("an old library can be removed");
            let done = clib(&[&folder.to_string_lossy()]);
            assert!(done.status.success(), "{}", text(&done.stderr));
        }
        Some(folder)
    });
    installed.as_deref()
}

/// The ending of shared libraries.
pub const SHARED: &str = if cfg!(target_os = "macos") {
    "dylib"
} else {
    "so"
};

/// Bytes as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// `cc` with strict warnings as errors, headers and libraries of an installed library.
pub fn cc(installed: &Path) -> Command {
    let mut cc = Command::new("cc");
    cc.args([
        "-std=c99",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Werror",
    ]);
    cc.arg("-I").arg(installed.join("include"));
    cc
}

/// Links with the shared library, which the program then finds.
pub fn linked<'a>(cc: &'a mut Command, installed: &Path, libraries: &[&str]) -> &'a mut Command {
    let lib = installed.join("lib");
    cc.arg("-L").arg(&lib);
    cc.arg(format!("-Wl,-rpath,{}", lib.display()));
    cc.args(libraries).arg("-lm")
}

/// Runs what must succeed; gives what it prints.
pub fn must(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    let said = text(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?}: {}{said}",
        text(&output.stdout)
    );
    text(&output.stdout)
}

/// Makes a program, if no other test of this process has.
pub fn once(program: &Path, make: impl FnOnce()) {
    static MADE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if !made.contains(program) {
        make();
        made.insert(program.to_owned());
    }
}

/// Compiles an example and gives its program.
pub fn example(installed: &Path, name: &str) -> PathBuf {
    let program = scratch("examples").join(name);
    once(&program, || {
        let mut cc = cc(installed);
        cc.arg(folder().join("examples").join(format!("{name}.c")));
        cc.arg("-o").arg(&program);
        must(linked(&mut cc, installed, &["-lqpuscope"]));
    });
    program
}
