//! Input files: opened without a silent wait, and read up to a bound.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::failure::{Failure, Result};
use crate::{say, stop};

/// The time that a pipe without a writer is waited for before that is said.
const SILENT_WAIT: Duration = Duration::from_secs(1);

/// The most bytes of a text: a source, a job, a report. A list of numbers in JSON takes sixty times
/// its digits in memory.
pub const TEXT: u64 = 32 << 20;
/// The most bytes of an image or of an ELF file.
pub const IMAGE: u64 = 256 << 20;
/// The most bytes of a recording or of a file of bins.
pub const RECORDING: u64 = 1 << 30;

/// Opens a file to be read. Says so when it is a pipe that nobody writes to, and then goes on to
/// wait.
///
/// # Errors
/// As [`File::open`].
pub fn open(path: &Path) -> io::Result<File> {
    let is_pipe = std::fs::metadata(path).is_ok_and(|known| known.file_type().is_fifo());
    if !is_pipe {
        return File::open(path);
    }
    let (opened, waits) = channel::<()>();
    let name = say::path(path);
    std::thread::spawn(move || {
        if waits.recv_timeout(SILENT_WAIT) == Err(RecvTimeoutError::Timeout) {
            say::remark!("{name} is a pipe; waiting for a program that writes to it (Ctrl-C ends)");
        }
    });
    let file = File::open(path);
    drop(opened);
    file
}

/// Reads a file, or standard input for `-`; what has more than `most` bytes is no `what`.
///
/// # Errors
/// Usage, when it cannot be read or is longer.
pub fn read(path: &Path, what: &str, most: u64) -> Result<Vec<u8>> {
    let mut bytes = vec![];
    let read = stop::blocking(|| match path == Path::new("-") {
        true => io::stdin().lock().take(most + 1).read_to_end(&mut bytes),
        false => open(path)?.take(most + 1).read_to_end(&mut bytes),
    });
    read.map_err(|error| Failure::reading(path, &error))?;
    if bytes.len() as u64 <= most {
        return Ok(bytes);
    }
    let kind = std::fs::metadata(path).map(|known| known.file_type());
    let why = match kind.is_ok_and(|kind| kind.is_char_device()) {
        true => "is a device, and gives more bytes than",
        false => "has more than",
    };
    Err(Failure::usage(format!(
        "{} {why} the {} MiB that {what} may have; name another file",
        say::path(path),
        most >> 20
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_end_is_read_up_to_its_bound() {
        let failure = read(Path::new("/dev/zero"), "a source", 1 << 20).expect_err("no end");
        assert_eq!(
            failure.message,
            "/dev/zero is a device, and gives more bytes than the 1 MiB that a source may have; name another file"
        );
    }
}
