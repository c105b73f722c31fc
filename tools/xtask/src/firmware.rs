//! Builds the firmware: `target/kernel.elf` and the flat `target/kernel.img`.
//!
//! The bytes depend on the sources and the compiler only, not on the folder they were built in:
//! every absolute path a compiler could store is mapped to a name of its own. An image with a stack
//! frame that is too long is refused ([`crate::stack_frames`]).

use crate::toolchain::Toolchain;
use crate::{flat, process, stack_frames, workspace};
use anyhow::{Context, Result, ensure};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The target of `kernel.img`: ARM1176 with VFP11, as in Raspberry Pi 1 and Zero.
pub const TARGET: &str = "armv6-none-eabihf";

/// Address at which the boot firmware of a Raspberry Pi puts and starts an image.
const BASE: u32 = 0x8000;

/// The largest image accepted.
const LARGEST: usize = 1 << 20;

const BUILD_LIMIT: Duration = Duration::from_secs(1800);

/// An image that has been built.
pub struct Image {
    /// With symbols, debug information and the table of log messages.
    pub elf: PathBuf,
    /// The flat image that goes on the card.
    pub img: PathBuf,
    /// Length of the flat image in bytes.
    pub bytes: usize,
}

impl Image {
    /// Its files.
    pub fn files(&self) -> Vec<PathBuf> {
        vec![self.img.clone(), self.elf.clone()]
    }
}

impl fmt::Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.img.strip_prefix(workspace::root());
        let shown = shown.unwrap_or(&self.img);
        write!(f, "{}: {} bytes", shown.display(), self.bytes)
    }
}

/// Builds the image of this workspace.
pub fn build(toolchain: &Toolchain) -> Result<Image> {
    let image = build_in(toolchain, workspace::root())?;
    ensure!(
        image.bytes <= LARGEST,
        "kernel.img has {} bytes; {LARGEST} is the limit",
        image.bytes
    );
    Ok(image)
}

/// Builds the image of the workspace copy at `root`, into `root/target`.
pub fn build_in(toolchain: &Toolchain, root: &Path) -> Result<Image> {
    let program = cargo_build(toolchain, root, "kernel")?;
    write_pair(&program, &root.join("target"), "kernel")
}

/// Builds a guest (`guest-cpu`, `guest-fft`) with the firmware's own flags.
pub fn build_guest(toolchain: &Toolchain, package: &str) -> Result<Image> {
    let program = cargo_build(toolchain, workspace::root(), package)?;
    write_pair(&program, &workspace::target(), package)
}

/// Compiles one package for the target; returns the ELF file.
fn cargo_build(toolchain: &Toolchain, root: &Path, package: &str) -> Result<PathBuf> {
    let target_dir = root.join("target/firmware");
    let mut cargo = command(toolchain, root);
    cargo.arg("build").args(target_arguments(root));
    cargo.args(["--profile", "firmware"]);
    cargo.args(["--package", package, "--bin", package]);
    // Standard output belongs to data (`demo --json`).
    process::must(cargo.stdout(std::io::stderr()), BUILD_LIMIT)
        .with_context(|| format!("{package} did not build for {TARGET}"))?;
    Ok(target_dir.join(TARGET).join("firmware").join(package))
}

/// The arguments of every cargo command for the target.
pub fn target_arguments(root: &Path) -> Vec<String> {
    let target_dir = root.join("target/firmware");
    vec![
        "--locked".into(),
        "-Zbuild-std=core".into(),
        "-Zbuild-std-features=compiler-builtins-mem".into(),
        "--target".into(),
        TARGET.into(),
        "--target-dir".into(),
        target_dir.display().to_string(),
    ]
}

/// A cargo for the target in `root`, with the environment that a build of the firmware needs.
pub fn command(toolchain: &Toolchain, root: &Path) -> Command {
    let mut cargo = Command::new(&toolchain.cargo);
    let mut flags = remapped(root, &toolchain.rust_src);
    flags.push(stack_frames::FLAG.into());
    cargo
        .current_dir(root)
        .env("RUSTC", &toolchain.rustc)
        // Lets a stable compiler take -Zbuild-std: nobody ships `core` for a tier 3 target.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_ARMV6_NONE_EABIHF_LINKER", &toolchain.linker)
        // Separated by 0x1F, so that a space in a path does no harm.
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
        // Code that is compiled incrementally has longer stack frames, and other bytes.
        .env("CARGO_INCREMENTAL", "0")
        // defmt keeps errors only unless told otherwise when it is compiled.
        .env("DEFMT_LOG", "info")
        .env_remove("RUSTFLAGS");
    cargo
}

/// Flags that map every folder which could end up in the binary: of the workspace, of cargo, and of
/// Rust's own sources.
pub fn remapped(root: &Path, rust_src: &Path) -> Vec<String> {
    let mut folders = vec![(root.to_path_buf(), "/qpuscope")];
    folders.extend(workspace::cargo_home().map(|home| (home, "/cargo")));
    folders.push((rust_src.to_path_buf(), "/rust"));
    let mut flags = Vec::new();
    for (folder, name) in folders {
        // A compiler may store a path as given or with its links followed.
        let followed = fs::canonicalize(&folder).ok();
        let followed = followed.filter(|followed| *followed != folder);
        for from in std::iter::once(folder).chain(followed) {
            flags.push(format!("--remap-path-prefix={}={name}", from.display()));
        }
    }
    flags
}

/// Copies the ELF file to `folder/NAME.elf` and writes `folder/NAME.img`.
fn write_pair(program: &Path, folder: &Path, name: &str) -> Result<Image> {
    let bytes = fs::read(program).with_context(|| format!("cannot read {}", program.display()))?;
    let flat = flat::from_elf(&bytes).with_context(|| format!("in {}", program.display()))?;
    stack_frames::check(&bytes).with_context(|| format!("in {}", program.display()))?;
    ensure!(
        flat.base == BASE && flat.entry == BASE,
        "{name}.img starts at {:#x} and is entered at {:#x}; the boot firmware does both at {BASE:#x}",
        flat.base,
        flat.entry
    );
    let elf = folder.join(format!("{name}.elf"));
    let img = folder.join(format!("{name}.img"));
    fs::write(&elf, &bytes).with_context(|| format!("cannot write {}", elf.display()))?;
    fs::write(&img, &flat.bytes).with_context(|| format!("cannot write {}", img.display()))?;
    let bytes = flat.bytes.len();
    Ok(Image { elf, img, bytes })
}
