//! The page on the library, done as a reader would: every command is run and prints what it says.

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{NO_CC, NO_PYTHON, folder, installed, python, scratch};
use tests::need;
use tests::transcript::{Step, blocks, check};

const NO_HOST: &str = "QPUSCOPE_HOST names no qpuscope; `cargo xtask test` builds it";
const NO_USERLAND: &str = "QPUSCOPE_USERLAND names no checkout of raspberrypi/userland";

/// Words in commands that need something else than a C compiler: Python, NumPy, GPU_FFT, qpuscope.
const NEEDS: [&str; 4] = ["v3d_sim.py", "qpuscope.py", "hello_fft", "qpu export"];

/// The blocks of the page with `word` in their commands, or with none of [`NEEDS`].
fn blocks_with(word: Option<&str>) -> Vec<Step> {
    let blocks = blocks(include_str!("../../../docs/c-library.md"));
    let has = |block: &[Step], word: &str| block.iter().any(|step| step.command.contains(word));
    let chosen = blocks.into_iter().filter(|block| match word {
        Some(word) => has(block, word),
        None => !NEEDS.iter().any(|word| has(block, word)),
    });
    let steps: Vec<Step> = chosen.flatten().collect();
    assert!(!steps.is_empty(), "no block has {word:?}");
    steps
}

/// A folder with the examples, the library, and recorded bytes.
fn desk(name: &str, installed: &Path) -> PathBuf {
    let desk = scratch("page").join(name);
    let _ = fs::remove_dir_all(&desk);
    fs::create_dir_all(&desk).expect("a folder");
    let examples = fs::read_dir(folder().join("examples")).expect("examples");
    for example in examples {
        let from = example.expect("a file").path();
        let name = from.file_name().expect("files have names");
        fs::copy(&from, desk.join(name)).expect("a copy");
    }
    let recorded = folder().join("../host/tests/recorded.bin");
    fs::copy(recorded, desk.join("recorded.bin")).expect("a copy");
    symlink(installed, desk.join("clib")).expect("a link");
    desk
}

fn run(steps: &[Step], desk: &Path, programs: &Path) {
    check(steps, desk, programs).unwrap_or_else(|wrong| panic!("{wrong}"));
}

#[test]
fn the_page_prints_what_it_says() {
    let installed = need!(installed(), "{NO_CC}");
    let desk = desk("c", installed);
    run(&blocks_with(None), &desk, &desk);
}

#[test]
fn its_part_on_python_prints_what_it_says() {
    let installed = need!(installed(), "{NO_CC}");
    need!(python(), "{NO_PYTHON}");
    let desk = desk("python", installed);
    run(&blocks_with(Some("v3d_sim.py")), &desk, &desk);
}

#[test]
fn its_part_on_numpy_prints_what_it_says() {
    let installed = need!(installed(), "{NO_CC}");
    let python = need!(python(), "{NO_PYTHON}");
    let numpy = Command::new(python).args(["-c", "import numpy"]).output();
    let has_numpy = numpy.is_ok_and(|output| output.status.success());
    need!(has_numpy.then_some(()), "Python has no NumPy");
    let desk = desk("numpy", installed);
    run(&blocks_with(Some("qpuscope.py")), &desk, &desk);
}

#[test]
fn its_part_on_gpu_fft_prints_what_it_says() {
    let installed = need!(installed(), "{NO_CC}");
    let userland = need!(tests::folder("QPUSCOPE_USERLAND"), "{NO_USERLAND}");
    let sources = userland.join("host_applications/linux/apps/hello_pi/hello_fft");
    need!(sources.is_dir().then_some(()), "{NO_USERLAND}");
    let desk = desk("gpu_fft", installed);
    symlink(sources, desk.join("hello_fft")).expect("a link");
    run(&blocks_with(Some("hello_fft")), &desk, &desk);
}

#[test]
fn its_part_on_plans_prints_what_it_says() {
    let installed = need!(installed(), "{NO_CC}");
    let host = need!(tests::given("QPUSCOPE_HOST"), "{NO_HOST}");
    let desk = desk("plans", installed);
    let programs = host.parent().expect("a folder");
    run(&blocks_with(Some("qpu export")), &desk, programs);
}
