//! GPU_FFT's published shaders on v3d-sim: correct, and wrong by the published amount.
//!
//! GPU_FFT (Andrew Holme) printed the relative rms error that each length had on a Pi 1. Its
//! shaders need most of what a user program can do, and its error is that of truncating
//! arithmetic in a fixed order of operations: a simulator that rounds once differently prints
//! another figure. Nothing of GPU_FFT is in this repository; the test runs where
//! `QPUSCOPE_USERLAND` names a work tree of raspberrypi/userland. `cargo xtask fidelity` has all
//! lengths, batches and both releases; here are those that take no time.

use fidelity::gpu_fft::lengths::LENGTHS;
use fidelity::gpu_fft::{Direction, LIMIT_CLOCKS, Plan, Shape, hello_fft};
use fidelity::{Machine, Release, Userland};
use v3d_sim::Config;

/// The longest transforms made here.
const LOG2N: u32 = 17;

/// A program that ran on real chips may break rules that ours must keep.
fn config() -> Config {
    Config {
        strict: false,
        functional: true,
        ..Config::default()
    }
}

fn userland() -> Option<Userland> {
    Userland::from_environment().unwrap_or_else(|e| panic!("{e}"))
}

const NO_USERLAND: &str = "QPUSCOPE_USERLAND names no checkout of raspberrypi/userland";

fn ppm(userland: &Userland, shape: Shape) -> f64 {
    let outcome = hello_fft::run(userland, shape, config());
    outcome.unwrap_or_else(|e| panic!("{e}")).ppm
}

/// Two significant digits, as GPU_FFT prints.
fn two_digits(value: f64) -> String {
    format!("{value:.1e}")
}

#[test]
fn published_errors_come_out_to_the_printed_digits() {
    let userland = tests::need!(userland(), "{NO_USERLAND}");
    let published = [0.33, 0.46, 0.52, 0.59, 0.78, 0.83, 0.92, 0.98, 1.0, 1.3];
    for (log2n, published) in (8..=LOG2N).zip(published) {
        let ppm = ppm(&userland, Shape::inverse(Release::V3, log2n, 1));
        println!("2^{log2n}: {ppm:.3} ppm, published {published}");
        assert_eq!(two_digits(ppm), two_digits(published), "2^{log2n}");
    }
}

#[test]
fn forward_transforms_are_as_good() {
    let userland = tests::need!(userland(), "{NO_USERLAND}");
    for log2n in 8..=12 {
        let inverse = Shape::inverse(Release::V3, log2n, 1);
        let forward = Shape {
            direction: Direction::Forward,
            ..inverse
        };
        let [forward, inverse] = [forward, inverse].map(|shape| ppm(&userland, shape));
        assert!(forward < 1.5 * inverse, "2^{log2n}: {forward:.3} ppm");
    }
}

/// GPU_FFT's transposition program: rows of one batch become columns of another's input. Point x
/// of transform y becomes point y of transform x.
///
/// One QPU moves tiles of 8 x 16 points through both TMUs and the VPM. It finds both buffers
/// through the mailbox messages of the two plans, which plans of the direct path do not have.
fn transpose(userland: &Userland, source: &Plan, destination: &Plan, machine: &mut Machine) {
    assert!(source.message != 0 && destination.message != 0);
    let words = userland.shader(source.shape.release, "trans").unwrap();
    // Header, code, uniforms and message take a page each.
    let block = machine.alloc(4 * 4096).unwrap();
    let (code, uniforms) = (block + 4096, block + 2 * 4096);
    machine.store(code, &words);
    let list = [
        source.message,
        source.output - source.input,
        destination.message,
        0,
        source.shape.buffer_bytes(),
        destination.shape.buffer_bytes(),
        1 << source.shape.log2n,
        source.shape.jobs,
    ];
    machine.store(uniforms, &list);
    machine.run(&[(code, uniforms)], LIMIT_CLOCKS).unwrap();
}

#[test]
fn a_transposition_moves_every_point() {
    let userland = tests::need!(userland(), "{NO_USERLAND}");
    // The smallest square whose plans have a mailbox message.
    let shape = Shape::inverse(Release::V3, 8, 256);
    let block = Plan::bytes(&userland, shape).unwrap();
    let mut machine = Machine::new(config(), 3 * block);
    let [source, destination] =
        [(); 2].map(|()| Plan::prepare(&userland, shape, &mut machine).unwrap());
    for row in 0..256 {
        let points: Vec<u32> = (0..512).map(|word| row << 16 | word).collect();
        machine.store(source.output_of(row), &points);
    }
    transpose(&userland, &source, &destination, &mut machine);
    for row in 0..256 {
        let points = machine.load(destination.input_of(row), 512);
        for (word, point) in (0..512).zip(points) {
            let (column, part) = (word / 2, word % 2);
            assert_eq!(point, column << 16 | (2 * row + part), "{row}, {word}");
        }
    }
}

#[test]
fn every_published_word_decodes_and_encodes_back() {
    let userland = tests::need!(userland(), "{NO_USERLAND}");
    let mut words = 0;
    let names = LENGTHS.iter().map(|length| length.name).chain(["trans"]);
    for name in names {
        let code = userland.shader(Release::V3, name).unwrap();
        for pair in code.chunks_exact(2) {
            let word = u64::from(pair[1]) << 32 | u64::from(pair[0]);
            let instruction =
                qpu::isa::decode(word).unwrap_or_else(|e| panic!("{name}: {word:016x}: {e:?}"));
            assert_eq!(instruction.encode(), word, "{name}");
            words += 1;
        }
    }
    // The inventory of the reference counts the words of the 16 files.
    assert_eq!(words, 12_112);
}
