//! Helpers that every test of the project may use: skips, paths, seeds, mutation.
//!
//! It depends on no other crate of the workspace, so each of them can name it under
//! `[dev-dependencies]`. What needs the virtual Pi or the wire format lies beside the system tests.

#![forbid(unsafe_code)]

pub mod fourier;
pub mod mutate;
pub mod tools;
pub mod transcript;

use std::io::Write;
use std::path::{Path, PathBuf};

/// Ends a test that lacks something: `skip!("QEMU is not installed")`.
///
/// Takes what `format!` takes. The name of the test and the reason go to the file named by
/// `QPUSCOPE_SKIPS`, from which `cargo xtask test` counts, and to standard error.
#[macro_export]
macro_rules! skip {
    ($($why:tt)+) => {{
        fn here() {}
        $crate::record_skip(::std::any::type_name_of_val(&here), &::std::format!($($why)+));
        return;
    }};
}

/// Like `let Some(x) = option else { skip!(…) }`, for use in tests: `let x = need!(option, "why");`
#[macro_export]
macro_rules! need {
    ($option:expr, $($why:tt)+) => {
        match $option {
            Some(value) => value,
            None => $crate::skip!($($why)+),
        }
    };
}

/// Notes a skip. `here` is the path of an item inside the test function, crate name first.
///
/// # Panics
/// When the file cannot be written: a skip that is not counted would look like a pass.
pub fn record_skip(here: &str, why: &str) {
    let name = test_name(here);
    let why = why.replace('\n', " ");
    eprintln!("skipped {name}: {why}");
    let Some(path) = std::env::var_os("QPUSCOPE_SKIPS") else {
        return;
    };
    let file = std::fs::File::options()
        .create(true)
        .append(true)
        .open(path);
    let mut file = file.expect("the file named by QPUSCOPE_SKIPS can be opened");
    // One write for a line: tests of one program run at the same time.
    let line = format!("{name}\t{why}\n");
    file.write_all(line.as_bytes())
        .expect("the file named by QPUSCOPE_SKIPS can be written");
}

/// The name libtest shows for the function that contains the item `here`.
fn test_name(here: &str) -> String {
    let parts = here.split("::").filter(|part| *part != "{{closure}}");
    let mut parts: Vec<&str> = parts.collect();
    parts.pop();
    parts.drain(..1.min(parts.len()));
    parts.join("::")
}

/// The folder of the root `Cargo.toml`.
#[must_use]
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// A file that `cargo xtask test` built or found and named in the environment.
#[must_use]
pub fn given(variable: &str) -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os(variable)?);
    path.is_file().then_some(path)
}

/// A folder of other people's work that the environment names; an empty variable names none.
#[must_use]
pub fn folder(variable: &str) -> Option<PathBuf> {
    let path = std::env::var_os(variable)?;
    (!path.is_empty()).then(|| path.into())
}

/// The flat image under test (`QPUSCOPE_KERNEL`).
#[must_use]
pub fn kernel() -> Option<Vec<u8>> {
    given("QPUSCOPE_KERNEL").and_then(|path| std::fs::read(path).ok())
}

/// The seed of everything random in tests; `QPUSCOPE_SEED`, fixed unless someone sets another.
#[must_use]
pub fn seed() -> u64 {
    let seed = std::env::var("QPUSCOPE_SEED").ok();
    seed.and_then(|seed| seed.parse().ok()).unwrap_or(2835)
}

/// Reason given by tests that need the image.
pub const NO_KERNEL: &str = "QPUSCOPE_KERNEL names no image; `cargo xtask test` builds it";

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn the_name_is_the_one_libtest_shows() {
        fn here() {}
        let name = test_name(std::any::type_name_of_val(&here));
        assert_eq!(name, "test::the_name_is_the_one_libtest_shows");
        assert_eq!(test_name("demo::on_iq::{{closure}}::here"), "on_iq");
    }
}
