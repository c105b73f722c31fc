//! GPU_FFT's sources assemble to exactly the words that Broadcom's assembler made of them.
//!
//! The files are not part of this project: `QPUSCOPE_USERLAND` names a work tree of
//! raspberrypi/userland that has them.
#![cfg(feature = "text")]

use qpu::asm::{Include, Loaded, Options, assemble};
use std::path::{Path, PathBuf};

fn hello_fft() -> Option<PathBuf> {
    let userland = PathBuf::from(std::env::var_os("QPUSCOPE_USERLAND")?);
    Some(userland.join("host_applications/linux/apps/hello_pi/hello_fft"))
}

fn words(path: &Path) -> Vec<u64> {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .filter_map(|line| {
            let (words, _) = line.split_once("//")?;
            let mut halves = words
                .split(',')
                .filter_map(|half| u64::from_str_radix(half.trim().strip_prefix("0x")?, 16).ok());
            Some(halves.next()? | halves.next()? << 32)
        })
        .collect()
}

#[test]
fn every_word_is_that_of_the_published_hex() {
    let folder = tests::need!(
        hello_fft(),
        "QPUSCOPE_USERLAND names no work tree of raspberrypi/userland"
    );
    let load = |include: &Include| {
        let path = folder.join("qasm").join(include.name);
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Loaded {
            name: include.name.to_string(),
            text,
        })
    };
    let mut sources: Vec<PathBuf> = std::fs::read_dir(folder.join("qasm"))
        .expect("the folder has sources")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "qasm")
        })
        .collect();
    sources.sort();
    assert_eq!(
        sources.len(),
        16,
        "2^8 to 2^22 points, and the transposition"
    );
    let mut total = 0;
    for path in sources {
        let stem = path.file_stem().expect("a name").display().to_string();
        let text = std::fs::read_to_string(&path).expect("a source is text");
        let options = Options {
            file: &stem,
            include: &load,
            ..Options::default()
        };
        let assembly = assemble(&text, &options).unwrap_or_else(|errors| panic!("{errors}"));
        let expected = words(
            &folder
                .join("hex")
                .join(format!("{}.hex", stem.replace("gpu_fft", "shader"))),
        );
        for (index, (own, theirs)) in assembly.words.iter().zip(&expected).enumerate() {
            assert_eq!(
                own,
                theirs,
                "{stem}, word {index}: {own:#018x}, {theirs:#018x}: {:?}",
                assembly.origin(index)
            );
        }
        assert_eq!(assembly.words.len(), expected.len(), "{stem}");
        total += expected.len();
    }
    assert!(total > 12_000, "{total} words");
}
