//! The manual page's transcript, run.
//!
//! Each `$` line of the page's `console` blocks is run by `sh` in a folder with known files, and what it
//! prints on both outputs is compared with the lines that follow. `QPUSCOPE_BLESS=1` prints the page as it
//! should be instead.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The module documentation of the command line.
const PAGE: &str = include_str!("../src/cli.rs");

struct Step {
    command: String,
    expected: String,
}

/// The commands of each console block with what they are said to print.
fn blocks() -> Vec<Vec<Step>> {
    let mut blocks = vec![];
    let mut inside = false;
    for line in PAGE.lines().map_while(|line| line.strip_prefix("//!")) {
        let line = line.strip_prefix(' ').unwrap_or(line);
        match line {
            "```console" => {
                inside = true;
                blocks.push(vec![]);
            }
            "```" => inside = false,
            _ if inside => {
                let block: &mut Vec<Step> = blocks.last_mut().expect("a block has begun");
                match line.strip_prefix("$ ") {
                    Some(command) => block.push(Step {
                        command: command.to_owned(),
                        expected: String::new(),
                    }),
                    None => {
                        let step = block.last_mut().expect("output follows a command");
                        step.expected.push_str(line);
                        step.expected.push('\n');
                    }
                }
            }
            _ => {}
        }
    }
    blocks
}

/// Runs the steps in `folder` and compares.
fn run(steps: &[Step], folder: &Path) {
    let program = Path::new(env!("CARGO_BIN_EXE_qpuscope"));
    let programs = program.parent().expect("a folder").to_owned();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut wrong = String::new();
    for step in steps {
        let output = Command::new("sh")
            .arg("-c")
            .arg(format!(
                "exec 2>&1; {}; status=$?; [ $status = 0 ] || echo \"[status $status]\"",
                step.command
            ))
            .current_dir(folder)
            .env("PATH", format!("{}:{path}", programs.display()))
            .env_remove("QPUSCOPE_PORT")
            .output()
            .expect("sh runs");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        if printed != step.expected {
            wrong.push_str(&format!(
                "$ {}\n--- printed\n{printed}--- the page says\n{}\n",
                step.command, step.expected
            ));
        }
        if std::env::var_os("QPUSCOPE_BLESS").is_some() {
            let page: String = printed
                .lines()
                .map(|line| format!("//! {line}").trim_end().to_owned() + "\n")
                .collect();
            eprint!("//! $ {}\n{page}", step.command);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A folder with the files that the transcript speaks of.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for files");
    let write =
        |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("a file");
    write("song.mp3", b"ID3\x04");
    write("renamed.wav", b"ID3\x04");
    write("recording.iq", &[127; 2000]);
    write(
        "table.csv",
        b"time,left,right\n2020-01-01 00:00,1,2\n2020-01-01 01:00,3,4\n",
    );
    write("noise.bin", &[0xA5; 1000]);
    write("recorded.bin", include_bytes!("recorded.bin"));
    write(
        "job.json",
        br#"{ "memory": [ {"at": "0x1000", "size": 16} ], "programs": [] }"#,
    );
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 48_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut tone = hound::WavWriter::create(folder.join("tone.wav"), spec).expect("a WAV file");
    for index in 0..144_000_u32 {
        let phase = f64::from(index) * 1000.0 / 48_000.0 * std::f64::consts::TAU;
        tone.write_sample((32_767.0 * phase.sin()).round() as i16)
            .expect("a sample");
    }
    tone.finalize().expect("a WAV file");
    folder
}

#[test]
fn the_transcript_prints_what_the_page_says() {
    run(&blocks()[0], &folder("manual"));
}

#[test]
fn the_transcript_with_an_image_prints_what_the_page_says() {
    let name = "the_transcript_with_an_image_prints_what_the_page_says";
    let Some(image) = common::image(name) else {
        return;
    };
    let folder = folder("manual-with-image");
    std::fs::copy(image, folder.join("kernel.img")).expect("an image");
    run(&blocks()[1], &folder);
}
