//! Where things lie: the workspace, its target folder, cargo and its cache.

use std::path::{Path, PathBuf};

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

/// The cargo that started xtask (the toolchain's own binary, not rustup's proxy), else the first in `PATH`.
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
