//! `cargo xtask dist`: the card and the tool for people without Rust, in `target/dist`.
//!
//! A zip to unpack onto a card, static `qpuscope` and `qpu` for Linux, the licences of what is
//! compiled into them, and `SHA256SUMS`. All of it depends on the sources and the compiler only:
//! `cargo xtask reproduce --dist` makes it in two folders and compares.

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
  target/dist: a zip for a card, static qpuscope and qpu for Linux, SHA256SUMS; --card-only: the zip alone";

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
        for (tool, _) in program::TOOLS {
            let name = program::name(tool);
            match program::run_in_empty_root(tool, &folder.join(&name))? {
                program::Ran::Yes => eprintln!("{name} runs in an empty root"),
                program::Ran::NoRight(why) => eprintln!("{name} was not tried: {why}"),
            }
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
        for (tool, _) in program::TOOLS {
            let name = program::name(tool);
            put(name.clone(), &fs::read(built.join(tool))?)?;
            program::make_executable(&folder.join(name))?;
        }
        for (tool, notices) in [("qpuscope", notices::PROGRAM), ("qpu", notices::QPU)] {
            let name = format!("{}-licences.txt", program::name(tool));
            put(name, notices.text(root)?.as_bytes())?;
        }
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
