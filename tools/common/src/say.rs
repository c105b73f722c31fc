//! Where words go: data to standard output, everything else to standard error.
//!
//! Whatever they came from, they do nothing to a terminal: see [`crate::text`].

use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::failure::{Failure, Result};
use crate::{progress, stop, text};

/// Writes text to standard output.
///
/// # Errors
/// When the disk is full; or, with nothing to say of it, when the reader at the other end of a pipe
/// has gone, as `head` does.
pub fn data(text: &str) -> Result<()> {
    bytes(text::shown(text).as_bytes())
}

/// Writes JSON to standard output.
///
/// # Errors
/// As [`data`].
pub fn json(json: &str) -> Result<()> {
    bytes(text::json(json).as_bytes())
}

/// Writes bytes to standard output as they are: code, or what a line carries.
///
/// # Errors
/// As [`data`].
pub fn bytes(bytes: &[u8]) -> Result<()> {
    let write = || {
        let mut out = std::io::stdout().lock();
        stop::blocking(|| out.write_all(bytes).and_then(|()| out.flush()))
    };
    progress::suspend(write).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::failed(""),
        _ => Failure::failed(format!(
            "cannot write to standard output: {error}; check the disk"
        )),
    })
}

/// Writes words for people to standard error; when nobody reads them, that is no reason to stop.
pub fn note(text: &str) {
    let said = text::said(text);
    let write = || stop::blocking(|| std::io::stderr().lock().write_all(said.as_bytes()));
    let _ = progress::suspend(write);
}

/// A file's name within a sentence; nobody's terminal is to obey it.
pub fn path(path: &Path) -> String {
    text::shown_name(path)
}

/// Prints as `eprintln!`, but goes on when nobody reads standard error: `2>&1 | head` closes it.
#[macro_export]
macro_rules! remark {
    ($($words:tt)*) => {
        $crate::say::note(&format!("{}\n", format_args!($($words)*)))
    };
}
pub use crate::remark;
