//! `qpuscope card`: what lies on an SD card for the firmware, and what is wrong with it.
//!
//! It only looks. `cargo xtask card` fills a card first and then looks in the same way.

use std::path::PathBuf;

use common::failure::{Failure, Result};
use common::{say, text};

/// Options of `card`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The mounted card, or a folder with the files for one
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Prints a line for each thing that was seen, and what to do.
///
/// # Errors
/// Usage, when the folder cannot be read; integrity, when something on the card is wrong.
pub fn run(options: &Options) -> Result<()> {
    let Options { folder } = options;
    let found = ::card::look(folder).map_err(|error| Failure::reading(folder, &error))?;
    let (text, right) = ::card::report(&found);
    say::data(&text::said(&text))?;
    if right {
        return Ok(());
    }
    Err(Failure::integrity(format!(
        "{} will not do as it is; put the lines marked WRONG right and look again",
        say::path(folder)
    )))
}
