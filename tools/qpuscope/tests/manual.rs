//! The manual page's transcript, run.

use std::path::{Path, PathBuf};

use tests::transcript::{Step, blocks, check};

/// The console blocks of the manual page.
fn page() -> Vec<Vec<Step>> {
    blocks(include_str!("../MANUAL.md"))
}

/// Runs the steps in `folder` and compares.
fn run(steps: &[Step], folder: &Path) {
    let program = tests::tools::path("qpuscope");
    let programs = program.parent().expect("a folder");
    check(steps, folder, programs).unwrap_or_else(|wrong| panic!("{wrong}"));
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
    write(
        "plane.npy",
        &[host::npy::encode("<f4", &[4, 4]), vec![0; 64]].concat(),
    );
    write("noise.bin", &[0xA5; 1000]);
    write(
        "recorded.bin",
        include_bytes!("../../host/tests/recorded.bin"),
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
    run(&page()[0], &folder("manual"));
}

#[test]
fn the_transcript_with_an_image_prints_what_the_page_says() {
    let name = "the_transcript_with_an_image_prints_what_the_page_says";
    let Some(image) = tests::tools::image(name) else {
        return;
    };
    let folder = folder("manual-with-image");
    std::fs::copy(image, folder.join("kernel.img")).expect("an image");
    run(&page()[1], &folder);
}
