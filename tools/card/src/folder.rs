//! The files of a card by their names as FAT has them: without regard to case.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::finding::Finding;

/// A name that Windows gives a file when it hides what it takes for the ending.
const DOUBLED: [(&str, &str); 4] = [
    ("config.txt.txt", "config.txt"),
    ("cmdline.txt.txt", "cmdline.txt"),
    ("kernel.img.img", "kernel.img"),
    ("cmdline-example.txt.txt", "cmdline-example.txt"),
];

/// A text file longer than this is none that a board reads as settings.
const LONGEST_TEXT: u64 = 1 << 20;

/// Files of the boot firmware have some megabytes; what is no regular file might not end.
const LARGEST: u64 = 256 << 20;

/// The first level of a card.
pub struct Folder {
    path: PathBuf,
    /// Files, by their names in small letters.
    files: BTreeMap<String, PathBuf>,
    /// Folders in it that hold an image themselves.
    with_image: Vec<String>,
}

impl Folder {
    /// Lists the files in a folder.
    pub fn read(path: &Path) -> io::Result<Self> {
        let mut files = BTreeMap::new();
        let mut with_image = Vec::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // Follows links: a prepared folder may be made of them.
            if entry.path().is_dir() {
                if entry.path().join("kernel.img").is_file() {
                    with_image.push(name);
                }
            } else {
                files.insert(name.to_lowercase(), entry.path());
            }
        }
        with_image.sort();
        Ok(Self {
            path: path.to_owned(),
            files,
            with_image,
        })
    }

    /// True if a file of that name, in small letters, is there.
    pub fn has(&self, name: &str) -> bool {
        self.files.contains_key(&name.to_lowercase())
    }

    /// Names of the files, in small letters.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The contents of a file; `None` when it is not there.
    pub fn bytes(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let Some(path) = self.files.get(&name.to_lowercase()) else {
            return Ok(None);
        };
        let failed =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let known = fs::metadata(path).map_err(failed)?;
        if !known.is_file() || known.len() > LARGEST {
            let what = format!("is no file of at most {} MiB", LARGEST >> 20);
            return Err(failed(io::Error::other(what)));
        }
        fs::read(path).map(Some).map_err(failed)
    }

    /// The text of a file, or what is wrong with it as text; `None` when it is not there.
    pub fn text(&self, name: &str) -> io::Result<Option<Result<String, Finding>>> {
        let path = self.files.get(&name.to_lowercase());
        let long = path
            .map(fs::metadata)
            .transpose()?
            .map_or(0, |file| file.len());
        if long > LONGEST_TEXT {
            return Ok(Some(Err(Finding::wrong(
                name,
                format!(
                    "has {long} bytes and is no text file of settings; take the one that was shipped"
                ),
            ))));
        }
        let Some(bytes) = self.bytes(name)? else {
            return Ok(None);
        };
        let is_utf16 = bytes.starts_with(&[0xFF, 0xFE])
            || bytes.starts_with(&[0xFE, 0xFF])
            || bytes.contains(&0);
        if is_utf16 {
            return Ok(Some(Err(Finding::wrong(
                name,
                "is saved as UTF-16, which the boot firmware cannot read; save it as UTF-8 or ANSI",
            ))));
        }
        Ok(Some(Ok(String::from_utf8_lossy(&bytes).into_owned())))
    }

    /// Findings from the names alone.
    pub fn look(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        for (doubled, name) in DOUBLED {
            if self.has(doubled) {
                found.push(Finding::wrong(
                    doubled,
                    format!("no board reads a file of this name; rename it to {name} (show file endings first)"),
                ));
            }
        }
        if !self.has("kernel.img") {
            for folder in &self.with_image {
                found.push(Finding::wrong(
                    format!("{folder}/"),
                    format!(
                        "a board reads files from the first level of the card only; move those in {folder} up to {}",
                        self.path.display()
                    ),
                ));
            }
        }
        found
    }
}
