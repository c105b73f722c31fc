//! Paths: the workspace, its target folder, cargo and its cache.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The target of the static program that `cargo xtask dist` makes.
pub const PROGRAM_TARGET: &str = "x86_64-unknown-linux-gnu";

/// The target of the page's program.
pub const PAGE_TARGET: &str = "wasm32-unknown-unknown";

/// The folder of the root `Cargo.toml`.
///
/// Fixed when xtask is compiled: `cargo xtask` compiles it anew in every copy of the project.
pub fn root() -> &'static Path {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    tools
        .and_then(Path::parent)
        .expect("xtask lies two folders below the root")
}

/// `target` under the root. Fixed, because documentation and commands name files in it.
pub fn target() -> PathBuf {
    root().join("target")
}

/// The cargo that started xtask (the toolchain's own binary, not rustup's proxy), else the first in
/// `PATH`.
pub fn cargo() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from)
}

/// Cargo's folder, where the sources of dependencies lie.
pub fn cargo_home() -> Option<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(home)
}

/// The folders of the workspace's packages, as the manifest of the workspace at `root` lists them.
///
/// # Errors
/// When there is no such manifest.
pub fn members(root: &Path) -> Result<Vec<String>> {
    let manifest = manifest(root)?;
    let list = manifest
        .split_once("members = [")
        .and_then(|(_, after)| after.split_once(']'))
        .context("the workspace lists its members")?
        .0;
    let quoted = list.split('"').skip(1).step_by(2);
    Ok(quoted.map(str::to_owned).collect())
}

/// The name of the package in `folder`.
///
/// # Errors
/// When it has no manifest.
pub fn package_name(folder: &Path) -> Result<String> {
    let manifest = manifest(folder)?;
    let name = manifest
        .lines()
        .find_map(|line| line.strip_prefix("name = "));
    let name = name.with_context(|| format!("{} has no name", folder.display()))?;
    Ok(name.trim_matches('"').to_owned())
}

fn manifest(folder: &Path) -> Result<String> {
    let path = folder.join("Cargo.toml");
    fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}
