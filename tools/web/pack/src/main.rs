//! `web-pack WASM IMAGE DIR`: writes the page's folder from what has been built.
//!
//! `cargo xtask web DIR` starts it.
#![forbid(unsafe_code)]

use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let result = match &arguments[..] {
        [wasm, image, folder] => pack(wasm, image, folder),
        _ => Err(anyhow::anyhow!("usage: web-pack WASM IMAGE DIR")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("web-pack: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The shipped series, which the page plays.
const SERIES: &str = "seattle_temperature_2010_hourly.csv";

/// The file that shows a folder to be a page of ours, which may be written over.
const MARK: &str = "pkg/web_bg.wasm";

/// Endings of the page's own files, which are removed before new ones are written.
const OURS: [&str; 3] = ["css", "html", "js"];

fn pack(wasm: &Path, image: &Path, folder: &Path) -> Result<()> {
    // `cargo run` says where the package lies, which in a copy that kept its times is not where it
    // was compiled.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let here = here.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let page = here.join("../page");
    empty(folder)?;
    // The mark first: a folder that was only begun can be written again.
    write_glue(wasm, folder)?;
    copy(&page, folder)?;
    let into = folder.join("kernel.img");
    fs::copy(image, &into).with_context(|| format!("cannot write {}", into.display()))?;
    let series = here.join("../../../data").join(SERIES);
    fs::copy(&series, folder.join(SERIES)).with_context(|| format!("cannot copy {SERIES}"))?;
    Ok(())
}

/// Writes the WebAssembly and the module that loads it.
fn write_glue(wasm: &Path, folder: &Path) -> Result<()> {
    let mut glue = Bindgen::new();
    glue.input_path(wasm)
        .out_name("web")
        .typescript(false)
        .omit_default_module_path(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .web(true)
        .context("no glue for a page")?;
    glue.generate(folder.join("pkg"))
        .context("no glue for this wasm")
}

/// Makes the folder, and removes modules of an earlier page; a folder that holds anything else is
/// left alone.
fn empty(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let is_empty = fs::read_dir(folder)?.next().is_none();
    ensure!(
        is_empty || folder.join(MARK).is_file(),
        "{} holds other files; give a new or empty folder",
        folder.display()
    );
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let ending = path.extension().and_then(|ending| ending.to_str());
        if ending.is_some_and(|ending| OURS.contains(&ending)) {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

/// Copies a folder of files and folders into another.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    let entries = fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy(&from, &to)?;
        } else if let Err(error) = fs::copy(&from, &to) {
            bail!("cannot write {}: {error}", to.display());
        }
    }
    Ok(())
}
