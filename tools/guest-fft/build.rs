//! Hands the linker script to the target's linker; the host build is empty.

use std::env;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=guest.ld");
    if env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("none") {
        return;
    }
    let folder = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    println!(
        "cargo:rustc-link-arg-bins=-T{}",
        PathBuf::from(folder).join("guest.ld").display()
    );
}
