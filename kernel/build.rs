//! Hands the linker scripts to the firmware's linker, and nothing else.
//!
//! The target's flags are not here but in `tools/xtask` (design: `.cargo/config.toml` stays free of
//! them). A build that is to be identical in two folders must remap both paths that rustc would
//! write into panic messages: the work tree and cargo's home.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("none") {
        return;
    }
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("..");
    let script = root.join("linker/armv6.ld");
    let boot = root.join("boot/armv6.s");
    println!("cargo:rerun-if-changed={}", script.display());
    println!("cargo:rerun-if-changed={}", boot.display());
    println!("cargo:rustc-link-arg-bins=-T{}", script.display());
    println!("cargo:rustc-link-arg-bins=-Tdefmt.x");
}
