//! SigMF archives: a tar file with the two files of a recording.
//!
//! The samples are read where they lie in the archive. So an entry whose holes were left out is
//! refused: its bytes are not those of the file. GNU tar and bsdtar make such entries.
//!
//! Source: GNU tar manual, "Storing Sparse Files"; POSIX, pax, "ustar Header Block".

use std::io::Read;
use std::ops::Range;

use tar::{Entry, EntryType};

use super::super::{Bytes, Cursor};
use super::{DATA, META};
use common::failure::{Failure, Result};
use common::files::input;
use common::text::{quote, sentence};

/// Beginnings of keys of extended headers that say where holes were: of GNU tar and bsdtar, of star
/// and of Solaris.
const HOLES: [&[u8]; 3] = [b"GNU.sparse.", b"SCHILY.realsize", b"SUN.holesdata"];

/// The text of the description, and the place of the samples among the bytes.
pub fn find(name: &str, bytes: &Bytes) -> Result<(Vec<u8>, Range<u64>)> {
    let wrong = |what: &str| {
        Failure::usage(format!(
            "{name} {what}; a SigMF archive is a tar file with one .sigmf-meta and its .sigmf-data"
        ))
    };
    let broken = |error: std::io::Error| {
        let error = sentence(&error.to_string());
        wrong(&format!("cannot be read as a tar file ({error})"))
    };
    let mut archive = tar::Archive::new(Cursor::new(bytes.clone()));
    let (mut meta, mut data) = (None, None);
    for entry in archive.entries_with_seek().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let Some((_, ending @ (META | DATA))) = path.rsplit_once('.') else {
            continue;
        };
        let ending = ending.to_owned();
        if let Some(why) = unfit(&mut entry).map_err(broken)? {
            let file = quote(path.rsplit('/').next().unwrap_or(&path));
            return Err(Failure::usage(format!(
                "{name} holds {file} {why}; unpack it with `tar -xf` and choose the .sigmf-meta in it"
            )));
        }
        let length = entry.size();
        let is_second = if ending == META {
            if length > input::TEXT {
                return Err(wrong("has a description that is too long"));
            }
            let mut text = vec![];
            entry.read_to_end(&mut text).map_err(broken)?;
            meta.replace(text).is_some()
        } else {
            let start = entry.raw_file_position();
            let end = start.checked_add(length).filter(|&end| end <= bytes.len());
            let end = end.ok_or_else(|| wrong("is cut: it ends before its samples do"))?;
            data.replace(start..end).is_some()
        };
        if is_second {
            return Err(wrong("holds several recordings: unpack it and choose one"));
        }
    }
    match (meta, data) {
        (Some(meta), Some(data)) => Ok((meta, data)),
        (None, _) => Err(wrong("holds no description")),
        (_, None) => Err(wrong("holds no samples")),
    }
}

/// Says why the bytes of an entry are not those of the file that it stands for.
fn unfit(entry: &mut Entry<'_, Cursor>) -> std::io::Result<Option<&'static str>> {
    const SPARSE: &str = "with its holes left out (a sparse file)";
    match entry.header().entry_type() {
        EntryType::Regular | EntryType::Continuous => {}
        EntryType::GNUSparse => return Ok(Some(SPARSE)),
        EntryType::Link | EntryType::Symlink => return Ok(Some("as a link")),
        _ => return Ok(Some("as something else than a file")),
    }
    for extension in entry.pax_extensions()?.into_iter().flatten() {
        let extension = extension?;
        let key = extension.key_bytes();
        if HOLES.iter().any(|holes| key.starts_with(holes)) {
            return Ok(Some(SPARSE));
        }
    }
    Ok(None)
}
