//! An SD card for the firmware, looked at file by file before it goes into a board.
//!
//! A board that does not start says nothing, so what can be read beforehand is read here: which
//! boot firmware it is, by the strings in it; the lines of `config.txt` that keep the firmware from
//! starting or the QPUs from us; whether `kernel.img` is ours; whether `cmdline.txt` will be
//! understood. Each finding is a sentence that says what to do. Nothing on the card is changed.
//!
//! `qpuscope card` and `cargo xtask card` print what [`look`] finds. What cannot be seen on a card:
//! a damaged file of the right size, and whether three boot files that nobody has recorded are of
//! one build.
#![forbid(unsafe_code)]

mod boot_files;
mod cmdline;
mod config;
mod finding;
mod folder;
mod image;

pub use finding::{Finding, Severity, report};

use std::io;
use std::path::Path;

use folder::Folder;

/// The commit of raspberrypi/firmware whose boot files are recommended: the one that Circle, a
/// library for bare-metal programs, takes its own from (the Makefile of its folder `boot`, 14
/// February 2026).
pub const BOOT_FILES_COMMIT: &str = "0641c5bf25d185d5bf25d8dcafd1da6dc8fdbf68";

/// Source of the boot files, for a sentence.
fn boot_files_from() -> String {
    format!("https://github.com/raspberrypi/firmware/tree/{BOOT_FILES_COMMIT}/boot")
}

/// Findings about the card in `folder`, in the order in which a board reads it.
///
/// # Errors
/// When the folder or a file in it cannot be read.
pub fn look(folder: &Path) -> io::Result<Vec<Finding>> {
    let folder = Folder::read(folder)?;
    let mut found = folder.look();
    found.extend(boot_files::look(&folder)?);
    let (config, settings) = config::look(&folder)?;
    found.extend(config);
    found.extend(image::look(&folder, &settings)?);
    found.extend(cmdline::look(&folder, &settings)?);
    Ok(found)
}
