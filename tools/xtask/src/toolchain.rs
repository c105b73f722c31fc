//! The compiler that builds the firmware, and its installation on a machine.
//!
//! `armv6-none-eabihf` is a tier 3 target: nobody ships `core` for it, so a compiler is of use only
//! with its library sources. Taken is the first of
//!
//! 1. a rustup toolchain that has the component `rust-src`,
//! 2. Debian's `rustc-web` with `rust-web-src`,
//!
//! and if there is neither, `rust-src` is added to the toolchain in use, or (as root) Debian's
//! packages are installed. The default toolchain stays as it is, and no toolchain is added.

use crate::{process, workspace};
use anyhow::{Result, anyhow, bail};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The oldest compiler the workspace supports, as (1, minor).
const OLDEST_MINOR: u32 = 95;

const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_PACKAGES: [&str; 3] = ["rustc-web", "rust-web-src", "rust-web-clippy"];

/// A compiler that can build the firmware.
pub struct Toolchain {
    /// The compiler itself, not a proxy.
    pub rustc: PathBuf,
    /// A cargo that goes with it.
    pub cargo: PathBuf,
    /// The folder above `library`, as the compiler spells it.
    pub rust_src: PathBuf,
    /// LLVM's linker.
    pub linker: PathBuf,
    /// The output of `rustc --version`.
    pub version: String,
}

impl fmt::Display for Toolchain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ({}), sources {}, linker {}",
            self.version,
            self.rustc.display(),
            self.rust_src.display(),
            self.linker.display()
        )
    }
}

/// Finds a compiler, or installs what is missing where that may be done.
pub fn find_or_install() -> Result<Toolchain> {
    if let Some(found) = find()? {
        return Ok(found);
    }
    eprintln!("the firmware needs the sources of Rust's core library; none are installed");
    let mut failures = Vec::new();
    for attempt in [add_rust_src, install_debian_packages] {
        match attempt() {
            Ok(()) => {
                if let Some(found) = find()? {
                    return Ok(found);
                }
            }
            Err(error) => failures.push(format!("{error:#}")),
        }
    }
    bail!(
        "install the sources of Rust's core library with `rustup component add rust-src` \
         (or, on Debian as root, `apt-get install {}`); tried: {}",
        DEBIAN_PACKAGES.join(" "),
        failures.join("; ")
    )
}

fn find() -> Result<Option<Toolchain>> {
    let mut too_old = None;
    for rustc in candidates() {
        let Some(toolchain) = examine(&rustc) else {
            continue;
        };
        if minor(&toolchain.version).is_some_and(|minor| minor >= OLDEST_MINOR) {
            return with_linker(toolchain).map(Some);
        }
        too_old = Some(toolchain.version);
    }
    if let Some(version) = too_old {
        eprintln!(
            "{version} is older than 1.{OLDEST_MINOR}, which this project needs: `rustup update`"
        );
    }
    Ok(None)
}

/// The compilers to look at: the toolchain in use, rustup's others, Debian's.
fn candidates() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    // xtask was started by this toolchain's cargo, so its rustc lies beside it.
    let beside = workspace::cargo().with_file_name("rustc");
    found.extend(beside.is_file().then_some(beside));
    for name in rustup_toolchains() {
        let mut which = Command::new("rustup");
        let path = process::ask(which.args(["which", "--toolchain", &name, "rustc"]));
        found.extend(path.map(|path| PathBuf::from(path.trim())));
    }
    found.push(DEBIAN_RUSTC.into());
    found.dedup();
    found
}

fn rustup_toolchains() -> Vec<String> {
    let list = process::ask(Command::new("rustup").args(["toolchain", "list", "--quiet"]));
    let list = list.unwrap_or_default();
    list.split_whitespace().map(String::from).collect()
}

/// The toolchain of a compiler, if its library sources are there. Its linker is filled in later.
fn examine(rustc: &Path) -> Option<Toolchain> {
    let sysroot = process::ask(Command::new(rustc).args(["--print", "sysroot"]))?;
    let rust_src = Path::new(sysroot.trim()).join("lib/rustlib/src/rust");
    rust_src
        .join("library/core/Cargo.toml")
        .is_file()
        .then_some(())?;
    let version = process::ask(Command::new(rustc).arg("--version"))?;
    let beside = rustc.with_file_name("cargo");
    // Debian's compiler is driven by the cargo in use: its own need not be installed.
    let cargo = if rustc == Path::new(DEBIAN_RUSTC) || !beside.is_file() {
        workspace::cargo()
    } else {
        beside
    };
    Some(Toolchain {
        rustc: rustc.into(),
        cargo,
        rust_src,
        linker: PathBuf::new(),
        version: version.trim().into(),
    })
}

/// rust-lld of the toolchain itself, else of any other toolchain, else of the system.
fn with_linker(mut toolchain: Toolchain) -> Result<Toolchain> {
    let mut compilers = vec![toolchain.rustc.clone()];
    compilers.extend(candidates());
    let bundled = compilers.iter().find_map(|rustc| {
        let target = process::ask(Command::new(rustc).args(["--print", "target-libdir"]))?;
        let lld = Path::new(target.trim()).with_file_name("bin/rust-lld");
        lld.is_file().then_some(lld)
    });
    let system = || {
        let known = ["/usr/bin/rust-lld", "/usr/bin/ld.lld"].map(PathBuf::from);
        known.into_iter().find(|path| path.is_file())
    };
    toolchain.linker = bundled.or_else(system).ok_or_else(|| {
        anyhow!("no rust-lld: install Rust with rustup (https://rustup.rs), which brings it")
    })?;
    Ok(toolchain)
}

fn minor(version: &str) -> Option<u32> {
    let number = version.split_whitespace().nth(1)?;
    let mut parts = number.split('.');
    let major: u32 = parts.next()?.parse().ok()?;
    let minor = parts.next()?.parse().ok()?;
    Some(if major > 1 { u32::MAX } else { minor })
}

fn add_rust_src() -> Result<()> {
    let active = process::ask(Command::new("rustup").args(["show", "active-toolchain"]));
    let Some(active) = active else {
        bail!("rustup is not installed (https://rustup.rs)");
    };
    let name = active.split_whitespace().next().unwrap_or("stable");
    let mut add = Command::new("rustup");
    add.args(["component", "add", "rust-src", "--toolchain", name]);
    process::announce(&mut add, Duration::from_secs(180))
}

fn install_debian_packages() -> Result<()> {
    apt_install(&DEBIAN_PACKAGES)
}

/// Installs Debian or Ubuntu packages, as root only.
pub fn apt_install(packages: &[&str]) -> Result<()> {
    let names = packages.join(" ");
    if !Path::new("/usr/bin/apt-get").is_file() {
        bail!("there is no apt-get to install {names} with");
    }
    let user = process::ask(Command::new("id").arg("-u"));
    if user.as_deref().map(str::trim) != Some("0") {
        bail!("only root may install {names}");
    }
    let apt = || {
        let mut apt = Command::new("apt-get");
        apt.env("DEBIAN_FRONTEND", "noninteractive");
        apt
    };
    process::announce(apt().arg("update"), Duration::from_secs(120))?;
    let install = ["install", "--yes", "--no-install-recommends"];
    process::announce(apt().args(install).args(packages), Duration::from_secs(300))
}

#[cfg(test)]
mod test {
    use super::minor;

    #[test]
    fn the_minor_version_is_read_from_every_channel() {
        assert_eq!(minor("rustc 1.95.0 (59807616e 2026-04-14)"), Some(95));
        assert_eq!(
            minor("rustc 1.97.0-nightly (e50aa6fba 2026-05-19)"),
            Some(97)
        );
        assert_eq!(minor("rustc 2.0.0"), Some(u32::MAX));
        assert_eq!(minor("clang 17"), None);
    }
}
