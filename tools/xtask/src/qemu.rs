//! QEMU, the independent checker: found, installed, and run as a Raspberry Pi Zero.
//!
//! QEMU 7.2 is the reference version; its `raspi0` has the ARM1176, PL011, timer, mailbox and
//! watchdog, and a stub for V3D, so the firmware falls back to its CPU engine there.

use crate::{firmware, process, toolchain};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::{Command, ExitCode};

const PROGRAM: &str = "qemu-system-arm";

/// QEMU in `PATH`, if it is there and starts.
pub fn find() -> Option<PathBuf> {
    process::ask(Command::new(PROGRAM).arg("--version")).map(|_| PROGRAM.into())
}

/// QEMU, installed as root where it is missing.
pub fn find_or_install() -> Result<PathBuf> {
    if let Some(found) = find() {
        return Ok(found);
    }
    eprintln!("QEMU for ARM is not installed");
    toolchain::apt_install(&[PROGRAM])
        .with_context(|| format!("install QEMU with `sudo apt-get install {PROGRAM}`"))?;
    find().with_context(|| format!("{PROGRAM} was installed but does not start"))
}

/// The arguments that boot an image on `raspi0`, the serial line on standard input and output.
///
/// A flat image is put where the boot firmware puts it: `-kernel` would load it at 0x10000.
fn arguments(image: &firmware::Image, flat: bool) -> Vec<String> {
    let mut arguments: Vec<String> = Vec::new();
    let fixed = "-M raspi0 -display none -monitor none -serial stdio -no-reboot";
    arguments.extend(fixed.split(' ').map(String::from));
    if flat {
        let img = image.img.display();
        let loader = format!("loader,file={img},addr=0x8000,cpu-num=0,force-raw=on");
        arguments.extend(["-device".into(), loader]);
    } else {
        arguments.extend(["-kernel".into(), image.elf.display().to_string()]);
    }
    arguments
}

/// `cargo xtask qemu [--flat]`: until the board is reset or the user stops it.
pub fn run(rest: &[String]) -> Result<ExitCode> {
    let flat = match rest {
        [] => false,
        [word] if word == "--flat" => true,
        _ => bail!("`cargo xtask qemu` takes only --flat"),
    };
    let qemu = find_or_install()?;
    let image = firmware::build(&toolchain::find_or_install()?)?;
    let mut command = Command::new(qemu);
    command.args(arguments(&image, flat));
    eprintln!("+ {} (Ctrl-C ends it)", process::describe(&command));
    let status = command.status()?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
