//! Generates the QPU programs: const tables in OUT_DIR, listings in the target directory.

use qpu::generate::fft::{Generated, programs};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let programs = programs();
    let table: String = programs.iter().map(entry).collect();
    fs::write(out.join("fft.rs"), format!("&[\n{table}]\n")).expect("OUT_DIR is writable");

    let Some(target) = target_directory(&out) else {
        return;
    };
    let listings = target.join("listings");
    fs::create_dir_all(&listings).expect("the target directory is writable");
    for program in &programs {
        let path = listings.join(program.name() + ".lst");
        fs::write(path, program.listing()).expect("the target directory is writable");
    }
}

/// A program as Rust text.
fn entry(program: &Generated) -> String {
    let mut text = format!(
        "Program {{\n    pass: Pass::{:?},\n    parts: {},\n",
        program.pass, program.parts
    );
    text.push_str("    code: &[\n");
    for word in &program.code {
        let _ = writeln!(text, "        {word:#018x},");
    }
    text.push_str("    ],\n    uniforms: &[\n");
    for uniform in &program.uniforms {
        let _ = writeln!(text, "        Uniform::{uniform:?},");
    }
    text.push_str("    ],\n},\n");
    text
}

/// The directory that cargo marked as its own, of those around OUT_DIR.
fn target_directory(out: &Path) -> Option<&Path> {
    out.ancestors()
        .find(|directory| directory.join("CACHEDIR.TAG").exists())
}
