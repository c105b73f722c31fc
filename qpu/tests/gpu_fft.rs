//! GPU_FFT's shaders, the largest published QPU programs, as an oracle.
//!
//! Each line of a `.hex` file is a word and, as a comment, the text it was assembled from (by an
//! assembler that is not ours). The files are not part of this project: `QPUSCOPE_USERLAND` names a
//! work tree of raspberrypi/userland that has them.
#![cfg(feature = "text")]

use qpu::check::{Finding, Rule, check};
use qpu::{disasm, isa};
use std::path::{Path, PathBuf};

struct Shader {
    name: String,
    /// Words, and the texts they were made from.
    lines: Vec<(u64, String)>,
}

/// The shaders, where the variable is set; a wrong folder fails.
fn shaders() -> Option<Vec<Shader>> {
    let userland = tests::folder("QPUSCOPE_USERLAND")?;
    let folder = userland.join("host_applications/linux/apps/hello_pi/hello_fft/hex");
    let files =
        std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = files
        .map(|file| file.expect("a folder can be read").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "hex"));
    paths.sort();
    assert_eq!(paths.len(), 16, "2^8 to 2^22 points, and the transposition");
    Some(paths.iter().map(|path| shader(path)).collect())
}

fn shader(path: &Path) -> Shader {
    let text = std::fs::read_to_string(path).expect("a shader is text");
    let lines = text.lines().filter_map(|line| {
        let (words, text) = line.split_once("//")?;
        let mut halves = words
            .split(',')
            .filter_map(|half| u64::from_str_radix(half.trim().strip_prefix("0x")?, 16).ok());
        Some((
            halves.next()? | halves.next()? << 32,
            text.trim().to_string(),
        ))
    });
    Shader {
        name: path.file_stem().unwrap_or_default().display().to_string(),
        lines: lines.collect(),
    }
}

/// Operations with flags and conditions, without operands: `fadd.ifnz`. What the other assembler
/// spells in another way is brought to its spelling.
fn operations(text: &str) -> Vec<String> {
    let first = |part: &str| {
        part.split_whitespace()
            .next()
            .unwrap_or_default()
            .to_string()
    };
    text.split(';')
        .map(first)
        .filter(|operation| operation != "nop" && !operation.is_empty())
        .collect()
}

/// Ours: idle ALUs, load immediates and semaphores as the other assembler writes them.
fn our_operations(text: &str) -> Vec<String> {
    let code = text.split(" #").next().unwrap_or_default();
    let loads = code.starts_with("ldi ") && code.matches(',').count() == 2;
    let mut all: Vec<String> = operations(code)
        .iter()
        .map(|operation| as_theirs(operation))
        .collect();
    if loads {
        all.push("mov".to_string());
    }
    all
}

fn as_theirs(operation: &str) -> String {
    // A result that goes nowhere has condition never there, and the text does not say so.
    let operation = operation.replace(".never", "");
    let (name, suffix) = operation.split_at(operation.find('.').unwrap_or(operation.len()));
    match name {
        "ldi" | "ldis" | "ldiu" | "sacq" | "srel" => format!("mov{suffix}"),
        _ => operation.clone(),
    }
}

#[test]
fn every_word_survives_and_reads_as_it_was_written() {
    let shaders = tests::need!(
        shaders(),
        "QPUSCOPE_USERLAND names no work tree of raspberrypi/userland"
    );
    for Shader { name, lines } in shaders {
        assert!(lines.len() > 100, "{name} has {} words", lines.len());
        for (index, (word, text)) in lines.iter().enumerate() {
            let place = format!("{name}, word {index}: {text}");
            assert_eq!(
                isa::decode(*word).map(|instruction| instruction.encode()),
                Ok(*word),
                "{place}"
            );
            let ours = disasm::line(*word, index as u32 * 8);
            assert_eq!(our_operations(&ours), operations(text), "{place} | {ours}");
        }
    }
}

#[test]
fn nothing_is_found_in_programs_that_run_on_hardware() {
    let shaders = tests::need!(
        shaders(),
        "QPUSCOPE_USERLAND names no work tree of raspberrypi/userland"
    );
    for Shader { name, lines } in shaders {
        let words: Vec<u64> = lines.iter().map(|(word, _)| *word).collect();
        let mut findings = check(&words);
        // The transposition starts with a TMU write, against Broadcom's HW-2615.
        findings
            .retain(|Finding { rule, .. }| !(name == "shader_trans" && *rule == Rule::TmuAtStart));
        assert_eq!(findings, [], "{name}");
    }
}
