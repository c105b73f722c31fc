//! `cargo xtask dist`: the card and the tool for people without Rust, in `target/dist`.
//!
//! A zip to unpack onto a card, a static `qpuscope` for Linux, the licences of what is compiled
//! into it, and `SHA256SUMS`. All of it depends on the sources and the compiler only: `cargo xtask
//! reproduce --dist` makes it in two folders and compares.

pub mod archive;
pub mod program;

use crate::toolchain::{self, Toolchain};
use crate::{firmware, notices, workspace};
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const VERSION: &str = env!("CARGO_PKG_VERSION");

const USAGE: &str = "usage: cargo xtask dist [--card-only]
  target/dist: a zip for a card, a static qpuscope for Linux, SHA256SUMS; --card-only: the zip alone";

/// Makes the files, runs the program in an empty root, and prints the sums.
pub fn run(rest: &[String]) -> Result<ExitCode> {
    let card_only = match rest {
        [] => false,
        [word] if word == "--card-only" => true,
        [word] if matches!(word.as_str(), "help" | "-h" | "--help") => {
            println!("{USAGE}");
            return Ok(ExitCode::SUCCESS);
        }
        _ => bail!("`cargo xtask dist` does not take {rest:?}\n{USAGE}"),
    };
    let folder = make(&toolchain::find_or_install()?, workspace::root(), card_only)?;
    print!("{}", fs::read_to_string(folder.join("SHA256SUMS"))?);
    if !card_only {
        match program::run_in_empty_root(&folder.join(program::name()))? {
            program::Ran::Yes => eprintln!("{} runs in an empty root", program::name()),
            program::Ran::NoRight(why) => eprintln!("{} was not tried: {why}", program::name()),
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes the files from the workspace at `root`; the folder that they are in.
pub fn make(toolchain: &Toolchain, root: &Path, card_only: bool) -> Result<PathBuf> {
    let image = firmware::build_in(toolchain, root)?;
    let folder = root.join("target/dist");
    // What another version left would have no sum.
    if folder.is_dir() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut made = Vec::new();
    let mut put = |name: String, bytes: &[u8]| -> Result<()> {
        let path = folder.join(&name);
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        made.push((name, sum(bytes)));
        Ok(())
    };
    let notices = notices::IMAGE.text(root)?;
    let card = archive::card(root, &fs::read(&image.img)?, &notices)?;
    put(format!("qpuscope-{VERSION}-card.zip"), &card)?;
    if !card_only {
        let built = program::build_in(root)?;
        let bytes = fs::read(&built)?;
        put(program::name(), &bytes)?;
        let notices = notices::PROGRAM.text(root)?;
        put(
            format!("{}-licences.txt", program::name()),
            notices.as_bytes(),
        )?;
        program::make_executable(&folder.join(program::name()))?;
    }
    let sums: String = made
        .iter()
        .map(|(name, sum)| format!("{sum}  {name}\n"))
        .collect();
    fs::write(folder.join("SHA256SUMS"), sums)?;
    Ok(folder)
}

/// SHA-256 in hexadecimal.
pub fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
