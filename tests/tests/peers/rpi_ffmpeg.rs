//! FFmpeg's HEVC shader: Broadcom's own dialect, and the words its assembler made of it.
//!
//! Source: github.com/jc-kynesim/rpi-ffmpeg (branches before 4.4), `libavcodec`. The words lie
//! beside the source as a C array, each with the line that it comes from.

use std::path::Path;
use std::process::Command;

use super::{NO_QPU, both, host, output_of, peer};
use tests::{need, skip};

#[test]
fn its_shader_assembles_to_its_words() {
    let host = need!(host(), "{NO_QPU}");
    let tree = match peer("rpi-ffmpeg") {
        Ok(tree) => tree.join("libavcodec"),
        Err(why) => skip!("{why}"),
    };
    let names = ["rpi_hevc_shader", "rpi_shader"];
    let Some(name) = names
        .iter()
        .find(|name| tree.join(format!("{name}.qasm")).is_file())
    else {
        skip!(
            "{} has none of {}.qasm; check out a branch before 4.4",
            tree.display(),
            names.join(".qasm, ")
        );
    };
    let published = published(&tree.join(format!("{name}.c")));
    let out = tests::root().join("target/peers/rpi-ffmpeg.bin");
    std::fs::create_dir_all(out.parent().expect("a folder")).expect("target can be written");
    let mut command = Command::new(&host);
    command
        .current_dir(&tree)
        .args(["asm", "--syntax", "broadcom", "--format", "bin"])
        .arg(format!("{name}.qasm"))
        .arg("-o")
        .arg(&out);
    let output = output_of(&mut command).expect("qpuscope is there");
    assert!(output.status.success(), "{}", both(&output));
    assert!(
        !both(&output).contains("rotat"),
        "its annotations say which rotations are meant: {}",
        both(&output)
    );

    let bytes = std::fs::read(&out).expect("it was written");
    let words: Vec<u64> = bytes
        .as_chunks()
        .0
        .iter()
        .map(|word| u64::from_le_bytes(*word))
        .collect();
    assert_eq!(words.len(), published.len());
    for (index, (own, (word, line))) in words.iter().zip(&published).enumerate() {
        // Beside an operation that has the constant 0, mul makes 0 by v8subs here and by v8min
        // there.
        let zero = line.ends_with("mov r1, 0");
        let ignored = if zero { 7 << 29 } else { 0 };
        assert_eq!(
            own & !ignored,
            word & !ignored,
            "{:#x}: {line}: {own:#018x} and not {word:#018x}",
            8 * index
        );
    }
}

/// Words with their lines: `/* [0x00000008] */ 0xLOW, 0xHIGH, // LINE`.
fn published(path: &Path) -> Vec<(u64, String)> {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let half = |text: &str| u64::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok();
    let word = |line: &str| {
        let (_, words) = line.split_once("*/ ")?;
        let (words, source) = words.split_once("//")?;
        let (low, high) = words.split_once(',')?;
        let high = half(high.trim_end().trim_end_matches(','))?;
        Some((high << 32 | half(low)?, source.trim().to_owned()))
    };
    let words: Vec<_> = text.lines().filter_map(word).collect();
    assert!(words.len() > 1000, "{}: {}", path.display(), words.len());
    words
}
