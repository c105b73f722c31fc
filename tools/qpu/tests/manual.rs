//! The manual page's transcript, run; and those of the documents on QPU programs and transforms.

use std::path::{Path, PathBuf};

use tests::transcript::{Step, blocks, check};

/// The console blocks of the manual page.
fn page() -> Vec<Vec<Step>> {
    blocks(include_str!("../MANUAL.md"))
}

/// Runs the steps in `folder` and compares.
fn run(steps: &[Step], folder: &Path) {
    let program = tests::tools::path("qpu");
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
    write(
        "hazard.hex",
        b"0x15827d80, 0x100200e7, // mov ra3, unif
0x150e7d80, 0x10020867, // mov r1, ra3
0x009e7000, 0x300009e7, 0x009e7000, 0x100009e7, 0x009e7000, 0x100009e7
",
    );
    write("renamed.wav", b"ID3\x04");
    write(
        "points.csv",
        &[b"1,0\n".to_vec(), b"0,0\n".repeat(15)].concat(),
    );
    write(
        "recorded.bin",
        include_bytes!("../../host/tests/recorded.bin"),
    );
    write(
        "job.json",
        br#"{ "memory": [ {"at": "0x1000", "size": 16} ], "programs": [] }"#,
    );
    folder
}

#[test]
fn the_transcript_prints_what_the_page_says() {
    run(&page()[0], &folder("qpu-manual"));
}

#[test]
fn the_transcript_with_an_image_prints_what_the_page_says() {
    let name = "the_transcript_with_an_image_prints_what_the_page_says";
    let Some(image) = tests::tools::image(name) else {
        return;
    };
    let folder = folder("qpu-manual-with-image");
    std::fs::copy(image, folder.join("kernel.img")).expect("an image");
    run(&page()[1], &folder);
}

/// All blocks of a document, in one folder in which there is nothing but `files` at first; the
/// folder.
fn run_document(name: &str, text: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).expect("a file");
    }
    run(&blocks(text).concat(), &folder);
    folder
}

#[test]
fn the_guide_to_the_simulator_prints_what_it_says() {
    run_document("simulator", include_str!("../../../docs/simulator.md"), &[]);
}

#[test]
fn the_page_on_the_cpu_engine_prints_what_it_says() {
    run_document(
        "cpu-engine",
        include_str!("../../../docs/cpu-engine.md"),
        &[],
    );
}

#[test]
fn the_page_on_pictures_prints_what_it_says() {
    let picture = include_bytes!("../../../docs/fft2-before.png");
    let kernel = include_bytes!("../../../docs/fft2-kernel.png");
    let page = include_str!("../../../docs/fft2.md");
    let files = [
        ("fft2-before.png", &picture[..]),
        ("fft2-kernel.png", kernel),
    ];
    run_document("fft2", page, &files);
}

/// Commands, pictures and lines of code of the page on FFTs, each part with all three.
#[test]
fn the_page_on_ffts_prints_draws_and_quotes_what_is_there() {
    let page = include_str!("../../../docs/how-an-fft-works.md");
    let folder = run_document("how-an-fft-works", page, &[]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let parts: Vec<&str> = page.split("\n## ").collect();
    let [_, parts @ .., _] = &parts[..] else {
        panic!("a head, parts and sources");
    };
    assert!(parts.len() >= 7, "{} parts", parts.len());
    for part in parts {
        let title = part.lines().next().expect("a title");
        let pictures: Vec<&str> = part.split("](flow/").skip(1).collect();
        assert!(!pictures.is_empty(), "{title} has no picture");
        for picture in pictures {
            let (name, _) = picture.split_once(')').expect("a path");
            let drawn = std::fs::read(folder.join(name)).unwrap_or_default();
            let shown = std::fs::read(root.join("docs/flow").join(name)).unwrap_or_default();
            assert!(
                !drawn.is_empty() && drawn == shown,
                "docs/flow/{name} is not what the page's command draws; draw it anew"
            );
        }
        assert!(part.contains("\n```rust\n"), "{title} quotes no code");
    }
    for quote in page.split("\nCode, in `").skip(1) {
        let (path, rest) = quote.split_once("`:\n\n```rust\n").expect("a quotation");
        let (quoted, _) = rest.split_once("\n```\n").expect("its end");
        let source = std::fs::read_to_string(root.join(path)).unwrap_or_default();
        assert!(
            source.lines().any(|line| line.trim() == quoted),
            "{path} has no line {quoted}"
        );
    }
    let [quotes, blocks] = ["\nCode, in `", "\n```rust\n"].map(|begin| page.matches(begin).count());
    assert_eq!(quotes, blocks, "each line of code has its file");
}
