//! Where words go: data to standard output, everything else to standard error.

use std::io::Write;

use crate::failure::{Failure, Result};

/// Writes data to standard output.
///
/// # Errors
/// When the reader at the other end of a pipe has gone, or the disk is full.
pub fn data(text: &str) -> Result<()> {
    bytes(text.as_bytes())
}

/// Writes bytes to standard output.
///
/// # Errors
/// As [`data`].
pub fn bytes(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|error| {
            Failure::failed(format!(
                "cannot write to standard output: {error}; check the disk, or the program that reads it"
            ))
        })
}

/// Writes words for people to standard error; when nobody reads them, that is no reason to stop.
pub fn note(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
