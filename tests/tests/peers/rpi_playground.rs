//! rpi-playground's SHA-256 on one QPU and on twelve, from its sources in its own dialect.
//!
//! Source: github.com/elorimer/rpi-playground, `QPU/SHA-256`. The memory is laid out as its drivers
//! do: constants, hashes, one block of each message; each message is a line of its test data.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{NO_QPU, both, host, output_of, peer};
use fidelity::report::programs::SHA_256;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tests::{need, skip};

const CODE: u32 = 0x4000_0000;
const DATA: u32 = 0x4010_0000;
const UNIFORMS: u32 = 0x4020_0000;
const LANES: usize = 16;
/// Hashes of SHA-256 before the first block (FIPS 180-4, section 5.3.3).
const START: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

#[test]
fn its_digests_are_sha_256() {
    let host = need!(host(), "{NO_QPU}");
    let tree = match peer("rpi-playground") {
        Ok(tree) => tree.join("QPU/SHA-256"),
        Err(why) => skip!("{why}"),
    };
    for (version, source, qpus) in [("1QPU", "1qpu.asm", 1), ("final", "final.asm", 12)] {
        let folder = match assembled(&host, &tree.join(version), source, version) {
            Ok(folder) => folder,
            Err(why) => skip!("{why}"),
        };
        let data = test_data(&tree.join(version));
        let messages = messages(&data, qpus);
        run(&host, &tree.join(version), &folder, (qpus, 1), &messages);
        let hashes = std::fs::read(folder.join("hashes.bin")).expect("the job dumps it");
        let hashes = words(&hashes);
        for (message, hash) in messages.iter().zip(hashes.chunks(8)) {
            let own: Vec<u8> = hash.iter().flat_map(|word| word.to_be_bytes()).collect();
            assert_eq!(
                own,
                Sha256::digest(message).as_slice(),
                "{version}: {:?}",
                String::from_utf8_lossy(message)
            );
        }
    }
}

#[test]
fn its_digests_take_the_clocks_that_the_report_has() {
    let host = need!(host(), "{NO_QPU}");
    let sources = match peer("rpi-playground") {
        Ok(tree) => tree.join("QPU/SHA-256/final"),
        Err(why) => skip!("{why}"),
    };
    let folder = match assembled(&host, &sources, "final.asm", "clocks") {
        Ok(folder) => folder,
        Err(why) => skip!("{why}"),
    };
    let data = test_data(&sources);
    let messages = messages(&data, 12);
    let report = run(&host, &sources, &folder, (12, SHA_256.laps), &messages);
    assert_eq!(report["cycles"], json!(SHA_256.clocks));
    assert_eq!(report["instructions"][0], json!(SHA_256.instructions));
}

/// The folder `name` with a program's words, from its source.
fn assembled(host: &Path, sources: &Path, source: &str, name: &str) -> Result<PathBuf, String> {
    let folder = tests::root().join("target/peers/rpi-playground").join(name);
    std::fs::create_dir_all(&folder).expect("target can be written");
    let mut m4 = Command::new("m4");
    m4.arg(sources.join(source));
    let Some(expanded) = output_of(&mut m4) else {
        return Err("m4 is not installed, and its sources need it".into());
    };
    assert!(expanded.status.success(), "{}", both(&expanded));
    std::fs::write(folder.join("program.asm"), expanded.stdout).expect("target can be written");
    let asm = [
        "asm",
        "--syntax",
        "rpi-playground",
        "program.asm",
        "--format",
        "bin",
        "-o",
        "program.bin",
    ];
    succeed(host, &folder, &asm);
    Ok(folder)
}

fn test_data(sources: &Path) -> Vec<u8> {
    std::fs::read(sources.join("test-data.bin")).expect("it has test data")
}

/// A line for each lane of `qpus` QPUs.
fn messages(data: &[u8], qpus: usize) -> Vec<&[u8]> {
    let lines = data.split_inclusive(|byte| *byte == b'\n');
    let messages: Vec<_> = lines.take(qpus * LANES).collect();
    assert_eq!(messages.len(), qpus * LANES);
    messages
}

/// The report of `laps` laps, in each of which all messages are hashed.
fn run(
    host: &Path,
    sources: &Path,
    folder: &Path,
    (qpus, laps): (usize, u32),
    messages: &[&[u8]],
) -> Value {
    let mut data = constants(sources);
    for _ in messages {
        data.extend(START);
    }
    data.extend(messages.iter().flat_map(|message| block(message)));
    let bytes: Vec<u8> = data.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(folder.join("data.bin"), bytes).expect("target can be written");

    let count = u32::try_from(qpus).expect("12 at most");
    let (hashes, blocks) = (DATA + 4 * 64, DATA + 4 * 64 + 512 * count);
    let uniforms: Vec<u32> = (0..count)
        .flat_map(|qpu| [DATA, hashes + 512 * qpu, blocks + 1024 * qpu, laps])
        .collect();
    let programs: Vec<_> = (0..count)
        .map(|qpu| json!({"code": CODE, "uniforms": UNIFORMS + 16 * qpu}))
        .collect();
    let job = json!({
        "memory": [
            {"at": CODE, "file": "program.bin"},
            {"at": DATA, "file": "data.bin"},
            {"at": UNIFORMS, "words": uniforms},
        ],
        "programs": programs,
        "dump": [{"at": hashes, "bytes": 512 * qpus, "file": "hashes.bin"}],
    });
    std::fs::write(folder.join("job.json"), job.to_string()).expect("target can be written");
    let report = succeed(host, folder, &["run", "job.json"]);
    let report: Value = serde_json::from_str(&report).expect("one JSON object");
    assert_eq!(report["faults"], json!([]));
    report
}

/// The 64 constants, as its driver's source lists them.
fn constants(sources: &Path) -> Vec<u32> {
    let driver = std::fs::read_to_string(sources.join("sha256.cpp")).expect("it has a driver");
    let (_, table) = driver.split_once("K[] = {").expect("it has constants");
    let (table, _) = table.split_once('}').expect("the table ends");
    let number = |text: &str| u32::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok();
    let all: Vec<u32> = table.split(',').filter_map(number).collect();
    assert_eq!(all.len(), 64);
    all
}

/// A message of less than 56 bytes with its padding.
fn block(message: &[u8]) -> [u32; 16] {
    let mut bytes = [0; 64];
    bytes[..message.len()].copy_from_slice(message);
    bytes[message.len()] = 0x80;
    bytes[56..].copy_from_slice(&(8 * message.len() as u64).to_be_bytes());
    let words = bytes.as_chunks().0;
    std::array::from_fn(|index| u32::from_be_bytes(words[index]))
}

fn words(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.as_chunks().0.iter();
    words.map(|word| u32::from_le_bytes(*word)).collect()
}

/// Runs `qpuscope` in a folder; returns what it printed.
fn succeed(host: &Path, folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(host);
    command.args(arguments).current_dir(folder);
    let output = output_of(&mut command).expect("qpuscope is there");
    assert!(output.status.success(), "{}", both(&output));
    String::from_utf8(output.stdout).expect("it prints UTF-8")
}
