//! Where words go: data to standard output, everything else to standard error.

use std::io::{ErrorKind, Write};

use crate::failure::{Failure, Result};

/// Writes data to standard output.
///
/// # Errors
/// When the disk is full; or, with nothing to say of it, when the reader at the other end of a pipe has gone,
/// as `head` does.
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
        .map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe => Failure::failed(""),
            _ => Failure::failed(format!(
                "cannot write to standard output: {error}; check the disk"
            )),
        })
}

/// Writes words for people to standard error; when nobody reads them, that is no reason to stop.
pub fn note(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// As `eprintln!`, but goes on when nobody reads standard error: `2>&1 | head` closes it.
macro_rules! remark {
    ($($words:tt)*) => {
        $crate::say::note(&format!("{}\n", format_args!($($words)*)))
    };
}
pub(crate) use remark;
