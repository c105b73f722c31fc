//! GPU_FFT's sources assemble to exactly the words that Broadcom's assembler made of them.
//!
//! The files are not part of this project: `QPUSCOPE_USERLAND` names a git work tree of
//! raspberrypi/userland. Release 3.0 is what it has; 2.0 is in its history, as commit 8f542a1.
#![cfg(feature = "text")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use qpu::asm::{Include, Loaded, Options, assemble};

const FOLDER: &str = "host_applications/linux/apps/hello_pi/hello_fft";

fn userland() -> Option<PathBuf> {
    tests::folder("QPUSCOPE_USERLAND")
}

/// Texts by their names below [`FOLDER`].
type Files = BTreeMap<String, String>;

fn files_of_work_tree(userland: &Path) -> Files {
    let mut all = Files::new();
    for folder in ["qasm", "hex"] {
        let path = userland.join(FOLDER).join(folder);
        let entries =
            std::fs::read_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for entry in entries {
            let path = entry.expect("a folder can be read").path();
            let name = path.file_name().expect("a name").display().to_string();
            let text = std::fs::read_to_string(&path).expect("text");
            all.insert(format!("{folder}/{name}"), text);
        }
    }
    all
}

/// The files as a commit has them, if the history is there.
fn files_of_commit(userland: &Path, commit: &str) -> Option<Files> {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        let output = command.arg("-C").arg(userland).args(arguments).output();
        let output = output.ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let names = git(&["ls-tree", "-r", "--name-only", commit, FOLDER])?;
    let below = |name: &str| Some(name.strip_prefix(FOLDER)?.strip_prefix('/')?.to_string());
    let names = names.lines().filter_map(below);
    let names = names.filter(|name| name.starts_with("qasm/") || name.starts_with("hex/"));
    names
        .map(|name| {
            let text = git(&["show", &format!("{commit}:{FOLDER}/{name}")])?;
            Some((name, text))
        })
        .collect()
}

fn words(hex: &str) -> Vec<u64> {
    let half = |text: &str| u64::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok();
    let of_line = |line: &str| {
        let (words, _) = line.split_once("//")?;
        let mut halves = words.split(',').filter_map(half);
        Some(halves.next()? | halves.next()? << 32)
    };
    hex.lines().filter_map(of_line).collect()
}

/// Assembles every source and compares; the number of sources and of words.
fn assert_equal(files: &Files) -> (usize, usize) {
    let load = |include: &Include| match files.get(&format!("qasm/{}", include.name)) {
        Some(text) => Ok(Loaded {
            name: include.name.to_string(),
            text: text.clone(),
        }),
        None => Err(format!("{} is not there", include.name)),
    };
    let mut total = 0;
    let sources = files.iter().filter(|(name, _)| name.ends_with(".qasm"));
    let count = sources.clone().count();
    for (name, text) in sources {
        let options = Options {
            file: name,
            include: &load,
            ..Options::default()
        };
        let assembly = assemble(text, &options).unwrap_or_else(|errors| panic!("{errors}"));
        let hex = name
            .replace("qasm/gpu_fft", "hex/shader")
            .replace(".qasm", ".hex");
        let hex = files
            .get(&hex)
            .unwrap_or_else(|| panic!("{hex} is not there"));
        let expected = words(hex);
        for (index, (own, theirs)) in assembly.words.iter().zip(&expected).enumerate() {
            let origin = assembly.origin(index);
            assert_eq!(
                own, theirs,
                "{name}, word {index}: {own:#018x}, {theirs:#018x}: {origin:?}"
            );
        }
        assert_eq!(assembly.words.len(), expected.len(), "{name}");
        total += expected.len();
    }
    (count, total)
}

#[test]
fn every_word_is_that_of_the_published_hex() {
    let userland = tests::need!(
        userland(),
        "QPUSCOPE_USERLAND names no work tree of raspberrypi/userland"
    );
    let (sources, words) = assert_equal(&files_of_work_tree(&userland));
    assert_eq!(sources, 16, "2^8 to 2^22 points, and the transposition");
    assert!(words > 12_000, "{words} words");
}

#[test]
fn every_word_of_release_2_is_that_of_its_hex() {
    let userland = tests::need!(
        userland(),
        "QPUSCOPE_USERLAND names no work tree of raspberrypi/userland"
    );
    let files = tests::need!(
        files_of_commit(&userland, "8f542a1"),
        "the work tree has no history with release 2.0"
    );
    let (sources, words) = assert_equal(&files);
    assert_eq!(sources, 15, "2^8 to 2^21 points, and the transposition");
    assert!(words > 8_700, "{words} words");
}
