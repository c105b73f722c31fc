//! SigMF archives: a tar file with the two files of a recording.
//!
//! The samples are read where they lie in the archive.

use std::io::Read;
use std::ops::Range;

use super::super::{Bytes, Cursor};
use super::{DATA, META};
use crate::failure::{Failure, Result};
use crate::files::input;

/// The text of the description, and the place of the samples among the bytes.
pub fn find(name: &str, bytes: &Bytes) -> Result<(Vec<u8>, Range<u64>)> {
    let wrong = |what: &str| {
        Failure::usage(format!(
            "{name} {what}; a SigMF archive is a tar file with one .sigmf-meta and its .sigmf-data"
        ))
    };
    let broken = |error: std::io::Error| wrong(&format!("cannot be read as a tar file ({error})"));
    let mut archive = tar::Archive::new(Cursor::new(bytes.clone()));
    let (mut meta, mut data) = (None, None);
    for entry in archive.entries_with_seek().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let Some((_, ending)) = path.rsplit_once('.') else {
            continue;
        };
        let length = entry.size();
        if ending == META {
            if length > input::TEXT {
                return Err(wrong("has a description that is too long"));
            }
            let mut text = vec![];
            entry.read_to_end(&mut text).map_err(broken)?;
            if meta.replace(text).is_some() {
                return Err(wrong("holds several recordings: unpack it and choose one"));
            }
        }
        if ending == DATA {
            let start = entry.raw_file_position();
            let end = start.checked_add(length).filter(|&end| end <= bytes.len());
            let end = end.ok_or_else(|| wrong("is cut: it ends before its samples do"))?;
            if !entry.header().entry_type().is_file() {
                return Err(wrong("holds its samples packed"));
            }
            if data.replace(start..end).is_some() {
                return Err(wrong("holds several recordings: unpack it and choose one"));
            }
        }
    }
    match (meta, data) {
        (Some(meta), Some(data)) => Ok((meta, data)),
        (None, _) => Err(wrong("holds no description")),
        (_, None) => Err(wrong("holds no samples")),
    }
}
