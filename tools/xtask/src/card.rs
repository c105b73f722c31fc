//! `cargo xtask card DIR`: the files for an SD card, and a look at all that lies there.
//!
//! Raspberry Pi's own boot files are not ours to ship (`LICENCE.broadcom`), so what is still
//! missing is named with the place it comes from. The look is that of `qpuscope card`.

use crate::{firmware, toolchain, workspace};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask card DIR
  builds kernel.img, writes it and the settings to DIR, which may be a mounted card, and looks at all
  that lies there; config.txt and cmdline.txt that are there already stay as they are";

/// Writes `kernel.img` and our settings to DIR, and looks at it. Settings that are there already
/// stay as they are.
pub fn run(rest: &[String]) -> Result<ExitCode> {
    let folder = match rest {
        [help] if matches!(help.as_str(), "help" | "-h" | "--help") => {
            println!("{USAGE}");
            return Ok(ExitCode::SUCCESS);
        }
        // A folder of such a name is meant by nobody.
        [folder] if !folder.starts_with('-') => folder,
        _ => bail!("`cargo xtask card` takes the folder to write to\n{USAGE}"),
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
        let from = workspace::root().join("boot/sdcard").join(name);
        if to.exists() {
            println!("{name:<15} kept as it is");
            if name == "config.txt" {
                let read = |path: &Path| {
                    fs::read_to_string(path)
                        .with_context(|| format!("cannot read {}", path.display()))
                };
                for line in lacking(&read(&from)?, &read(&to)?) {
                    println!("{:<15} without {line}", "");
                }
            }
            continue;
        }
        fs::copy(&from, &to).with_context(|| format!("cannot copy {}", from.display()))?;
        println!("{name:<15} written");
    }
    let found =
        ::card::look(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let (text, right) = ::card::report(&found);
    print!("{text}");
    Ok(if right {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The settings of our `config.txt` that another one does not have, or has with another value.
fn lacking<'a>(ours: &'a str, theirs: &str) -> Vec<&'a str> {
    fn settings(text: &str) -> impl Iterator<Item = &str> {
        let lines = text.lines().map(str::trim);
        lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
    }
    settings(ours)
        .filter(|line| settings(theirs).all(|their| their != *line))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_file_is_recognised_by_its_missing_settings() {
        let ours = "# reason\ngpu_mem=32\ndevice_tree=\n\narm_64bit=0\n";
        let theirs = "arm_64bit=1\ngpu_mem=32 \n#device_tree=\n";
        assert_eq!(lacking(ours, theirs), ["device_tree=", "arm_64bit=0"]);
        assert!(lacking(ours, ours).is_empty());
    }

    #[test]
    fn our_settings_leave_the_qpus_to_us() {
        let ours = include_str!("../../../boot/sdcard/config.txt");
        for needed in ["device_tree=", "gpu_mem=64", "init_uart_clock=48000000"] {
            assert!(!lacking(needed, ours).contains(&needed), "no {needed}");
        }
    }
}
