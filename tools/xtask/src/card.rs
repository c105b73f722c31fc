//! `cargo xtask card DIR`: the files for an SD card.
//!
//! Raspberry Pi's own boot files are not ours to ship (`LICENCE.broadcom`), so what is still
//! missing is named with the place it comes from.

use crate::{firmware, toolchain, workspace};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// What every board needs before `kernel.img` is even looked for.
const BOOT_FILES: [&str; 3] = ["bootcode.bin", "start.elf", "fixup.dat"];
const BOOT_FILES_FROM: &str =
    "https://github.com/raspberrypi/firmware/tree/stable/boot (take all from one commit)";

/// Writes `kernel.img` and our settings to DIR. Settings that are there already stay as they are.
pub fn run(rest: &[String]) -> Result<ExitCode> {
    let [folder] = rest else {
        bail!("`cargo xtask card` takes the folder to write to");
    };
    let folder = Path::new(folder);
    let is_new = !folder.exists();
    let image = firmware::build(&toolchain::find_or_install()?)?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    if is_new {
        println!(
            "{} was not there and has been made; if it is to be a card, mount that and do this again",
            folder.display()
        );
    }
    fs::copy(&image.img, folder.join("kernel.img"))
        .with_context(|| format!("cannot write to {}", folder.display()))?;
    println!("kernel.img      written, {} bytes", image.bytes);
    for name in ["config.txt", "cmdline.txt"] {
        let to = folder.join(name);
        if to.exists() {
            println!("{name:<15} kept as it is");
            continue;
        }
        let from = workspace::root().join("boot/sdcard").join(name);
        fs::copy(&from, &to).with_context(|| format!("cannot copy {}", from.display()))?;
        println!("{name:<15} written");
    }
    let missing = BOOT_FILES.map(|name| (name, !folder.join(name).exists()));
    for (name, missing) in missing {
        println!("{name:<15} {}", if missing { "MISSING" } else { "present" });
    }
    if missing.iter().any(|(_, missing)| *missing) {
        println!("missing files come from {BOOT_FILES_FROM}");
    }
    Ok(ExitCode::SUCCESS)
}
