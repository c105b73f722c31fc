//! The licences of the libraries that are compiled into a program, as their authors ask for.
//!
//! Each library's own licence files come from cargo's cache, in which it was built from.

use crate::{process, workspace};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);

/// The notices of everything that `package` is made of for `target`, but for packages of the workspace.
pub fn of(root: &Path, package: &str, target: &str) -> Result<String> {
    let mut out = String::from(
        "Beside qpuscope's own code this program contains Rust's core library (MIT OR Apache-2.0,\n\
         https://github.com/rust-lang/rust) and the libraries below. A program for Linux also contains the\n\
         GNU C library (LGPL-2.1-or-later); it can be linked anew from qpuscope's sources.\n",
    );
    let metadata = metadata(root, target)?;
    for (name, library) in libraries(&metadata, package)? {
        let text = |key: &str| library[key].as_str().unwrap_or("not stated");
        let _ = write!(
            out,
            "\n{}\n{name}\nlicence: {}\nsource: {}\n",
            "=".repeat(79),
            text("license"),
            text("repository")
        );
        let manifest = Path::new(library["manifest_path"].as_str().unwrap_or_default());
        for licence in licences(manifest.parent().unwrap_or(root))? {
            let _ = write!(out, "\n{}\n", licence.trim_end());
        }
    }
    Ok(out)
}

fn metadata(root: &Path, target: &str) -> Result<Value> {
    let mut cargo = Command::new(workspace::cargo());
    cargo.current_dir(root);
    cargo.args([
        "metadata",
        "--locked",
        "--format-version=1",
        "--filter-platform",
        target,
    ]);
    let output = process::capture(&mut cargo, LIMIT)?;
    if !output.status.is_some_and(|status| status.success()) {
        bail!(
            "cargo does not say what {target} is built from: {}",
            output.stderr
        );
    }
    serde_json::from_str(&output.stdout).context("cargo metadata is no JSON")
}

/// Packages that the program links, by name and version; those that only build it are left out.
fn libraries<'a>(metadata: &'a Value, package: &str) -> Result<BTreeMap<String, &'a Value>> {
    let id = |value: &'a Value| value["id"].as_str().unwrap_or_default();
    let packages: BTreeMap<&str, &Value> = list(&metadata["packages"])
        .iter()
        .map(|it| (id(it), it))
        .collect();
    let nodes: BTreeMap<&str, &Value> = list(&metadata["resolve"]["nodes"])
        .iter()
        .map(|it| (id(it), it))
        .collect();
    let start = packages
        .iter()
        .find(|(_, it)| it["name"] == package && it["source"].is_null());
    let (start, _) = start.with_context(|| format!("there is no package {package}"))?;
    let mut waiting = vec![*start];
    let mut found = BTreeMap::new();
    let mut seen = std::collections::BTreeSet::new();
    while let Some(next) = waiting.pop() {
        if !seen.insert(next) {
            continue;
        }
        let library = packages[next];
        // It runs while others are compiled, and what it depends on does.
        if list(&library["targets"])
            .iter()
            .any(|target| target["kind"][0] == "proc-macro")
        {
            continue;
        }
        if !library["source"].is_null() {
            let name = library["name"].as_str().unwrap_or_default();
            found.insert(
                format!("{name} {}", library["version"].as_str().unwrap_or_default()),
                library,
            );
        }
        let links = |dependency: &&Value| {
            list(&dependency["dep_kinds"])
                .iter()
                .any(|kind| kind["kind"].is_null())
        };
        let dependencies = list(&nodes[next]["deps"]).iter().filter(links);
        waiting.extend(dependencies.filter_map(|dependency| dependency["pkg"].as_str()));
    }
    Ok(found)
}

/// The elements of an array; none of what is no array.
fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[][..], Vec::as_slice)
}

/// The texts of a library's licence files, in order of their names.
fn licences(folder: &Path) -> Result<Vec<String>> {
    let mut paths = Vec::new();
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?
    {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        let is_licence = [
            "LICENSE",
            "LICENCE",
            "COPYING",
            "NOTICE",
            "COPYRIGHT",
            "UNLICENSE",
        ]
        .iter()
        .any(|word| name.starts_with(word));
        if is_licence && entry.path().is_file() {
            paths.push(entry.path());
        }
    }
    paths.sort();
    paths
        .iter()
        .map(|path| Ok(String::from_utf8_lossy(&fs::read(path)?).replace('\r', "")))
        .collect()
}
