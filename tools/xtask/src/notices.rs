//! Third-party notices: the licences of the libraries and fonts that are in what we hand out.
//!
//! `cargo xtask notices --write` makes `notices/*.txt` from the lock file and from the packages in
//! cargo's cache; `cargo xtask lint` fails when they are old, and `cargo xtask dist` hands them out
//! beside the programs. A text that several packages have stands there once.

use crate::{firmware, process, workspace};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);
const RULE: &str =
    "===============================================================================";

/// Licence files that do not lie at the top of a package, and why they are needed.
const ELSEWHERE: [(&str, &str, &str); 1] = [(
    "epaint_default_fonts",
    "fonts/UFL.txt",
    "font: Ubuntu Light; of the fonts of this package the only one in the program",
)];

/// Something that we hand out.
pub struct Shipped {
    /// Its notices, in the workspace.
    file: &'static str,
    what: &'static str,
    package: &'static str,
    target: &'static str,
    /// Its contents beside libraries.
    beside: &'static str,
}

/// The image on a card.
pub const IMAGE: Shipped = Shipped {
    file: "notices/kernel.txt",
    what: "kernel.img",
    package: "kernel",
    target: firmware::TARGET,
    beside: "Rust's core library (MIT OR Apache-2.0, https://github.com/rust-lang/rust)",
};

/// The static program.
pub const PROGRAM: Shipped = Shipped {
    file: "notices/qpuscope.txt",
    what: "the program qpuscope for Linux",
    package: "qpuscope",
    target: workspace::PROGRAM_TARGET,
    beside: "Rust's standard library (MIT OR Apache-2.0, https://github.com/rust-lang/rust) and the\n\
             GNU C library (LGPL-2.1-or-later, https://sourceware.org/glibc; the program can be linked anew\n\
             from qpuscope's sources)",
};

/// The other static program.
pub const QPU: Shipped = Shipped {
    file: "notices/qpu.txt",
    what: "the program qpu for Linux",
    package: "qpu-cli",
    ..PROGRAM
};

/// The page.
pub const PAGE: Shipped = Shipped {
    file: "notices/page.txt",
    what: "the page's WebAssembly (kernel.img beside it has notices of its own)",
    package: "web",
    target: workspace::PAGE_TARGET,
    beside: "Rust's standard library (MIT OR Apache-2.0, https://github.com/rust-lang/rust)",
};

/// All of them.
const ALL: [Shipped; 4] = [IMAGE, PROGRAM, QPU, PAGE];

/// `cargo xtask notices [--write]`: makes them, or says which are old.
pub fn run(rest: &[String]) -> Result<()> {
    let root = workspace::root();
    match rest {
        [] => check(root),
        [word] if word == "--write" => {
            for shipped in ALL {
                let path = root.join(shipped.file);
                fs::create_dir_all(path.parent().unwrap_or(root))?;
                fs::write(&path, shipped.made(root)?)
                    .with_context(|| format!("cannot write {}", path.display()))?;
                eprintln!("{}", shipped.file);
            }
            Ok(())
        }
        _ => bail!("`cargo xtask notices` takes --write or nothing"),
    }
}

/// Fails when the files are not those that the lock file makes.
pub fn check(root: &Path) -> Result<()> {
    for shipped in ALL {
        shipped.text(root)?;
    }
    Ok(())
}

impl Shipped {
    /// The text of the file, which is as the lock file makes it.
    pub fn text(&self, root: &Path) -> Result<String> {
        let text = fs::read_to_string(root.join(self.file)).unwrap_or_default();
        ensure!(
            text == self.made(root)?,
            "{} is not what Cargo.lock makes of it; run `cargo xtask notices --write`",
            self.file
        );
        Ok(text)
    }

    fn made(&self, root: &Path) -> Result<String> {
        let metadata = metadata(root, self.target)?;
        let mut packages = vec![];
        for (name, library) in libraries(&metadata, self.package)? {
            packages.push(Package::read(name, library)?);
        }
        Ok(self.write(&packages))
    }

    fn write(&self, packages: &[Package]) -> String {
        let mut out = format!(
            "Third-party notices for {}\n\n\
             Made from Cargo.lock by `cargo xtask notices --write`. Beside qpuscope's own code (MIT OR Apache-2.0)\n\
             there is in it: {}; and the libraries below.\n",
            self.what, self.beside
        );
        let copyleft = packages.iter().filter(|it| it.licence.contains("MPL-2.0"));
        let copyleft: Vec<_> = copyleft.map(|it| it.name.as_str()).collect();
        if !copyleft.is_empty() {
            let _ = write!(
                out,
                "\nUnder the Mozilla Public License 2.0, and unchanged: {}.\n\
                 Their source code is at the addresses that stand with them; the first is the very version.\n",
                copyleft.join(", ")
            );
        }
        let mut texts: Vec<&str> = vec![];
        for package in packages {
            let mut numbers = vec![];
            for text in &package.texts {
                let known = texts.iter().position(|it| is_same(it, text));
                numbers.push(1 + known.unwrap_or(texts.len()));
                if known.is_none() {
                    texts.push(text);
                }
            }
            package.write(&numbers, &mut out);
        }
        for (number, text) in (1..).zip(texts) {
            let _ = write!(out, "\n{RULE}\nText {number}\n\n{}\n", text.trim_end());
        }
        out
    }
}

/// A library, with the texts of its licences.
struct Package {
    /// Name and version.
    name: String,
    licence: String,
    sources: Vec<String>,
    authors: String,
    remark: Option<&'static str>,
    texts: Vec<String>,
}

impl Package {
    fn read(name: String, library: &Value) -> Result<Self> {
        let text = |key: &str| library[key].as_str().map(str::to_owned);
        let manifest = text("manifest_path").context("a package has a manifest")?;
        let folder = Path::new(&manifest).parent().unwrap_or(Path::new("/"));
        let mut texts = licences(folder)?;
        let short = name.split(' ').next().unwrap_or_default();
        let elsewhere = ELSEWHERE.iter().find(|it| it.0 == short);
        if let Some((_, file, _)) = elsewhere {
            texts.push(read(&folder.join(file))?);
        }
        let exact = name.replace(' ', "/");
        let mut sources = vec![format!("https://crates.io/api/v1/crates/{exact}/download")];
        sources.extend(text("repository"));
        let authors = list(&library["authors"]).iter().filter_map(Value::as_str);
        Ok(Self {
            licence: text("license").unwrap_or_else(|| "not stated".to_owned()),
            authors: authors.collect::<Vec<_>>().join(", "),
            remark: elsewhere.map(|it| it.2),
            name,
            sources,
            texts,
        })
    }

    fn write(&self, texts: &[usize], out: &mut String) {
        let _ = write!(out, "\n{}\n  licence: {}\n", self.name, self.licence);
        if let Some(remark) = self.remark {
            let _ = writeln!(out, "  {remark}");
        }
        for source in &self.sources {
            let _ = writeln!(out, "  source: {source}");
        }
        let texts: Vec<_> = texts.iter().map(usize::to_string).collect();
        let _ = match texts.len() {
            0 => writeln!(
                out,
                "  the package has no file with its licence; authors: {}",
                if self.authors.is_empty() {
                    "not stated"
                } else {
                    &self.authors
                }
            ),
            1 => writeln!(out, "  text: {}", texts[0]),
            _ => writeln!(out, "  texts: {}", texts.join(", ")),
        };
    }
}

fn metadata(root: &Path, target: &str) -> Result<Value> {
    let mut cargo = Command::new(workspace::cargo());
    cargo.current_dir(root);
    cargo.args(["metadata", "--locked", "--format-version=1"]);
    cargo.args(["--filter-platform", target]);
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
    let mut seen = BTreeSet::new();
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

/// True for texts with the same words: packages break lines of the same licence in their own ways.
fn is_same(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}

/// The texts of a library's licence files, in order of their names.
fn licences(folder: &Path) -> Result<Vec<String>> {
    const NAMES: [&str; 6] = [
        "LICENSE",
        "LICENCE",
        "COPYING",
        "NOTICE",
        "COPYRIGHT",
        "UNLICENSE",
    ];
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = vec![];
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default();
        let name = name.to_string_lossy().to_uppercase();
        if NAMES.iter().any(|word| name.starts_with(word)) && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

fn read(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).replace('\r', ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, licence: &str, texts: &[&str]) -> Package {
        Package {
            name: name.to_owned(),
            licence: licence.to_owned(),
            sources: vec![format!("https://example.org/{name}")],
            authors: "A. Author".to_owned(),
            remark: None,
            texts: texts.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn a_text_stands_once_and_copyleft_has_its_source() {
        let packages = [
            package("one 1.0.0", "MIT", &["the text", "another"]),
            package("two 2.0.0", "MPL-2.0", &["the\n  text"]),
            package("three 3.0.0", "MIT", &[]),
        ];
        let text = PROGRAM.write(&packages);
        assert_eq!(text.matches("the text\n").count(), 1, "{text}");
        assert!(text.contains("texts: 1, 2\n"), "{text}");
        assert!(text.contains("unchanged: two 2.0.0.\n"), "{text}");
        assert!(
            text.contains("source: https://example.org/two 2.0.0\n"),
            "{text}"
        );
        assert!(text.contains("authors: A. Author\n"), "{text}");
    }

    /// Lint holds the files to the lock file; this, that they say what they have to.
    #[test]
    fn the_files_name_copyleft_and_fonts() {
        let file = |shipped: Shipped| fs::read_to_string(workspace::root().join(shipped.file));
        let program = file(PROGRAM).expect("the notices of the program");
        for part in [
            "serialport ",
            "colored ",
            "alterable_logger ",
            "Mozilla Public License Version 2.0",
            "UBUNTU FONT LICENCE",
            "GNU C library",
        ] {
            assert!(program.contains(part), "{part}");
        }
        let image = file(IMAGE).expect("the notices of the image");
        assert!(image.contains("\ncobs ") && !image.contains("MPL-2.0"));
    }
}
