//! The bytes of a recording, read at any place.
//!
//! A file is never read as a whole, so that a recording of any length takes the memory of a short
//! one. A pipe and a device can be read only once, so what they give is kept.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::failure::{Failure, Result};
use common::files::input;

/// Bytes of a file, or in memory; a clone is another handle on the same ones.
#[derive(Clone)]
pub struct Bytes {
    store: Store,
    len: u64,
}

#[derive(Clone)]
enum Store {
    Memory(Arc<[u8]>),
    File(Arc<(File, PathBuf)>),
}

impl Bytes {
    /// Opens a file; reads standard input for `-`, and what a pipe or a device gives, up to 1 GiB.
    ///
    /// # Errors
    /// Usage, when it cannot be read, or when a pipe gives more.
    pub fn open(path: &Path) -> Result<Self> {
        let known = std::fs::metadata(path);
        if path == Path::new("-") || !known.is_ok_and(|known| known.is_file()) {
            return Ok(Self::from(input::read(
                path,
                "a recording through a pipe",
                input::RECORDING,
            )?));
        }
        let opened = || {
            let file = File::open(path)?;
            let len = file.metadata()?.len();
            Ok((file, len))
        };
        let (file, len) = opened().map_err(|error: io::Error| Failure::reading(path, &error))?;
        Ok(Self {
            store: Store::File(Arc::new((file, path.to_owned()))),
            len,
        })
    }

    /// The number of bytes, of a file when it was opened.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Fills `out` with the bytes from `at` on, as far as there are any; gives their number.
    ///
    /// # Errors
    /// Usage, when the file cannot be read.
    pub fn read_at(&self, at: u64, out: &mut [u8]) -> Result<usize> {
        let there = self.len.saturating_sub(at).min(out.len() as u64) as usize;
        let out = &mut out[..there];
        match &self.store {
            Store::Memory(bytes) => {
                let bytes = bytes.get(at as usize..).unwrap_or_default();
                out.copy_from_slice(&bytes[..there]);
                Ok(there)
            }
            Store::File(file) => {
                let (file, path) = &**file;
                let read = file.read_exact_at(out, at);
                read.map_err(|error| Failure::reading(path, &error))?;
                Ok(there)
            }
        }
    }

    /// At most `count` bytes from `at` on.
    ///
    /// # Errors
    /// As [`Bytes::read_at`].
    pub fn some(&self, at: u64, count: usize) -> Result<Vec<u8>> {
        let there = self.len.saturating_sub(at).min(count as u64) as usize;
        let mut bytes = vec![0; there];
        self.read_at(at, &mut bytes)?;
        Ok(bytes)
    }

    /// All bytes, of files that are small by nature; nothing when there are more than `most`.
    ///
    /// # Errors
    /// As [`Bytes::read_at`].
    pub fn all(&self, most: u64) -> Result<Option<Vec<u8>>> {
        match self.len > most {
            true => Ok(None),
            false => self.some(0, self.len as usize).map(Some),
        }
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.len)
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self {
            len: bytes.len() as u64,
            store: Store::Memory(bytes.into()),
        }
    }
}

/// A place in bytes that moves on, for readers that want one.
#[derive(Debug)]
pub struct Cursor {
    bytes: Bytes,
    at: u64,
}

impl Cursor {
    /// The start of these bytes.
    #[must_use]
    pub const fn new(bytes: Bytes) -> Self {
        Self { bytes, at: 0 }
    }
}

impl io::Read for Cursor {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read_at(self.at, out);
        let count = read.map_err(|failure| io::Error::other(failure.message))?;
        self.at += count as u64;
        Ok(count)
    }
}

impl io::Seek for Cursor {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        let at = match to {
            io::SeekFrom::Start(at) => Some(at),
            io::SeekFrom::End(by) => self.bytes.len.checked_add_signed(by),
            io::SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_memory_give_the_same_pieces() {
        let path = std::env::temp_dir().join(format!("qpuscope-bytes-{}", std::process::id()));
        let whole: Vec<u8> = (0..100).collect();
        std::fs::write(&path, &whole).expect("a file");
        let file = Bytes::open(&path).expect("a file");
        std::fs::remove_file(&path).expect("a file");
        for bytes in [file, Bytes::from(whole)] {
            assert_eq!(bytes.len(), 100);
            assert_eq!(bytes.some(97, 10).expect("bytes"), [97, 98, 99]);
            assert!(bytes.some(200, 10).expect("bytes").is_empty());
            assert_eq!(bytes.all(99).expect("bytes"), None);
            assert_eq!(
                bytes.all(100).expect("bytes").map(|all| all.len()),
                Some(100)
            );
        }
    }

    #[test]
    fn a_folder_is_refused() {
        let failure = Bytes::open(&std::env::temp_dir()).expect_err("a folder");
        assert!(failure.message.contains("check the path"), "{failure}");
    }
}
