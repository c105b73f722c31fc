//! GPU_FFT's published shaders on v3d-sim: correct, and wrong by the published amount.
//!
//! GPU_FFT (Andrew Holme) printed the relative rms error that each length had on a Pi 1. Its
//! shaders need most of what a user program can do, and its error is that of truncating
//! arithmetic in a fixed order of operations: a simulator that rounds once differently prints
//! another figure. Nothing of GPU_FFT is in this repository; the test runs where
//! `QPUSCOPE_USERLAND` names a work tree of raspberrypi/userland (release 3.0).
//!
//! Source: hello_fft of raspberrypi/userland, `gpu_fft.txt` (errors), `gpu_fft.c` (memory map and
//! uniforms), `gpu_fft_twiddles.c` (tables, restated below as data).

use qpu::job::{BusAddr, CacheClear, Job, Launch, Program, Runner};
use std::f64::consts::TAU;
use std::path::{Path, PathBuf};
use v3d_sim::SimRunner;

/// QPUs that GPU_FFT uses, whatever the length.
const QPUS: u32 = 8;

/// Points per twiddle row: one lane each.
const LANES: usize = 16;

/// One length: how its twiddle table is made, and what its author measured.
struct Length {
    log2n: u32,
    name: &'static str,
    passes: u32,
    /// Radix of the first pass.
    first: u32,
    /// Radix and angle factor of the recurrence of each later pass.
    steps: &'static [(u32, u32)],
    /// Radix of the last pass, whose first twiddles differ between QPUs.
    last: u32,
    /// Published relative rms error of release 3.0 at batch 1, parts per million, two digits.
    published_ppm: f64,
}

#[rustfmt::skip]
const LENGTHS: &[Length] = &[
    Length { log2n: 8, name: "256", passes: 2, first: 16, steps: &[(16, 8)], last: 16, published_ppm: 0.33 },
    Length { log2n: 9, name: "512", passes: 2, first: 32, steps: &[(16, 8)], last: 16, published_ppm: 0.46 },
    Length { log2n: 10, name: "1k", passes: 2, first: 32, steps: &[(32, 8)], last: 32, published_ppm: 0.52 },
    Length { log2n: 11, name: "2k", passes: 2, first: 64, steps: &[(32, 8)], last: 32, published_ppm: 0.59 },
    Length { log2n: 12, name: "4k", passes: 3, first: 16, steps: &[(16, 16), (16, 8)], last: 16, published_ppm: 0.78 },
    Length { log2n: 13, name: "8k", passes: 3, first: 32, steps: &[(16, 16), (16, 8)], last: 16, published_ppm: 0.83 },
    Length { log2n: 14, name: "16k", passes: 3, first: 32, steps: &[(32, 16), (16, 8)], last: 16, published_ppm: 0.92 },
    Length { log2n: 15, name: "32k", passes: 3, first: 32, steps: &[(32, 32), (32, 8)], last: 32, published_ppm: 0.98 },
    Length { log2n: 16, name: "64k", passes: 3, first: 64, steps: &[(32, 32), (32, 8)], last: 32, published_ppm: 1.0 },
    Length { log2n: 17, name: "128k", passes: 4, first: 32, steps: &[(16, 256), (16, 16), (16, 8)], last: 16, published_ppm: 1.3 },
];

/// Stage weight and place in its stage of each lane of the 16-point network.
const WEIGHT: [f64; LANES] = [
    0., 8., 4., 4., 2., 2., 2., 2., 1., 1., 1., 1., 1., 1., 1., 1.,
];
const PLACE: [f64; LANES] = [
    0., 0., 0., 1., 0., 1., 2., 3., 0., 1., 2., 3., 4., 5., 6., 7.,
];

/// Appends the twiddles of one butterfly network whose angles start at `theta`.
fn base_rows(radix: u32, turn: f64, theta: f64, table: &mut Vec<f32>) {
    let mut point = |angle: f64| table.extend([angle.cos() as f32, angle.sin() as f32]);
    match radix {
        16 => (0..LANES).for_each(|i| point(WEIGHT[i] * (turn / 16.0 * PLACE[i] + theta))),
        32 => {
            (0..LANES).for_each(|i| point(turn / 32.0 * i as f64 + theta));
            base_rows(16, turn, 2.0 * theta, table);
        }
        _ => {
            (0..2 * LANES).for_each(|i| point(turn / 64.0 * i as f64));
            base_rows(32, turn, 0.0, table);
        }
    }
}

/// Appends a recurrence: 2 sin^2(a/2) and sin a, by which a twiddle advances by the angle a.
fn step_rows(radix: u32, theta: f64, table: &mut Vec<f32>) {
    let mut point = |angle: f64| {
        let alpha = 2.0 * (angle / 2.0).sin().powi(2);
        table.extend([alpha as f32, angle.sin() as f32]);
    };
    if radix == 16 {
        WEIGHT.iter().for_each(|weight| point(theta * weight));
    } else {
        (0..LANES).for_each(|_| point(theta));
        step_rows(16, 2.0 * theta, table);
    }
}

/// The twiddle table of a length, the floats that all QPUs share, and the floats of each QPU.
fn twiddles(length: &Length, turn: f64) -> (Vec<f32>, usize, usize) {
    let mut table = Vec::new();
    let unit = turn / f64::from(1 << length.log2n);
    base_rows(length.first, turn, 0.0, &mut table);
    for &(radix, factor) in length.steps {
        step_rows(radix, unit * f64::from(factor), &mut table);
    }
    let shared = table.len();
    for qpu in 0..QPUS {
        base_rows(length.last, turn, unit * f64::from(qpu), &mut table);
    }
    let unique = (table.len() - shared) / QPUS as usize;
    (table, shared, unique)
}

/// Instruction words of a published `.hex` file: `0xLOW, 0xHIGH, // source` a line.
fn hex_words(path: &Path) -> Vec<u32> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines()
        .filter_map(|line| line.split("//").next())
        .flat_map(|code| code.split(','))
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .map(|word| u32::from_str_radix(word.trim_start_matches("0x"), 16).expect("a hex word"))
        .collect()
}

/// Relative rms error of one transform with exponent sign `sign` of the author's own test input:
/// two halves of a real tone, whose transform is a cosine.
fn relative_rms_error(shaders: &Path, length: &Length, sign: f64) -> f64 {
    let n = 1usize << length.log2n;
    let code = hex_words(&shaders.join(format!("shader_{}.hex", length.name)));
    let (table, shared, unique) = twiddles(length, sign * TAU);

    // Not strict: a program that ran on real chips may break rules that ours must keep.
    let mut sim = SimRunner::new(16 << 20).with_strict(false);
    // GPU_FFT reads past the end of a buffer, so they are padded as its own allocator does.
    let data_bytes = ((8 * n as u32) | 4095) + 1;
    let data = sim.alloc(2 * data_bytes, 4096).expect("data");
    let program = sim.alloc(4 * code.len() as u32 + 64, 4096).expect("code");
    let tables = sim.alloc(4 * table.len() as u32, 4096).expect("twiddles");
    let uniforms = sim.alloc(4 * 7 * QPUS, 64).expect("uniforms");

    let mut input = vec![0u32; 2 * n];
    input[2] = 0.5f32.to_bits();
    input[2 * (n - 1)] = 0.5f32.to_bits();
    sim.write(data, 0, &input).expect("data");
    sim.write(program, 0, &code).expect("code");
    let bits: Vec<u32> = table.iter().map(|x| x.to_bits()).collect();
    sim.write(tables, 0, &bits).expect("twiddles");

    let mut programs = Vec::new();
    for qpu in 0..QPUS {
        let own = tables
            .addr
            .offset(4 * (shared + qpu as usize * unique) as u32)
            .0;
        let other = data.addr.offset(data_bytes).0;
        let words = [
            tables.addr.0,
            own,
            qpu,
            data.addr.0,
            other,
            0,
            u32::from(qpu == 0),
        ];
        sim.write(uniforms, 7 * qpu, &words).expect("uniforms");
        let at: BusAddr = uniforms.addr.offset(4 * 7 * qpu);
        programs.push(Program {
            code: program.addr,
            uniforms: at,
        });
    }
    let launches = [Launch {
        programs: &programs,
        clear: CacheClear::All,
    }];
    sim.run(
        &Job {
            launches: &launches,
        },
        10_000_000,
    )
    .unwrap_or_else(|e| {
        panic!("GPU_FFT 2^{} did not end: {e:?}", length.log2n);
    });

    let mut output = vec![0u32; 2 * n];
    let first = if length.passes % 2 == 1 {
        data_bytes / 4
    } else {
        0
    };
    sim.read(data, first, &mut output).expect("result");
    let (mut signal, mut error) = (0.0, 0.0);
    for (i, point) in output.chunks_exact(2).enumerate() {
        let wanted = (TAU * i as f64 / n as f64).cos();
        let (re, im) = (
            f64::from(f32::from_bits(point[0])),
            f64::from(f32::from_bits(point[1])),
        );
        signal += wanted * wanted;
        error += (wanted - re).powi(2) + im * im;
    }
    (error / signal).sqrt()
}

/// Two significant digits, as GPU_FFT prints.
fn two_digits(value: f64) -> String {
    format!("{value:.1e}")
}

/// Where the published shaders lie, if anywhere.
fn shaders() -> Option<PathBuf> {
    let userland = PathBuf::from(std::env::var_os("QPUSCOPE_USERLAND")?);
    Some(userland.join("host_applications/linux/apps/hello_pi/hello_fft/hex"))
}

#[test]
fn published_errors_come_out_to_the_printed_digits() {
    let Some(shaders) = shaders() else {
        tests::skip!("QPUSCOPE_USERLAND names no checkout of raspberrypi/userland");
    };
    for length in LENGTHS {
        let ppm = 1e6 * relative_rms_error(&shaders, length, 1.0);
        println!(
            "2^{}: {ppm:.3} ppm, published {}",
            length.log2n, length.published_ppm
        );
        assert_eq!(
            two_digits(ppm),
            two_digits(length.published_ppm),
            "2^{}",
            length.log2n
        );
    }
}

#[test]
fn forward_transforms_are_as_good() {
    let Some(shaders) = shaders() else {
        tests::skip!("QPUSCOPE_USERLAND names no checkout of raspberrypi/userland");
    };
    for length in &LENGTHS[..5] {
        let ppm = 1e6 * relative_rms_error(&shaders, length, -1.0);
        assert!(
            ppm < 1.5 * length.published_ppm,
            "2^{}: {ppm:.3} ppm",
            length.log2n
        );
    }
}

#[test]
fn every_published_word_decodes_and_encodes_back() {
    let Some(shaders) = shaders() else {
        tests::skip!("QPUSCOPE_USERLAND names no checkout of raspberrypi/userland");
    };
    let mut words = 0;
    for entry in std::fs::read_dir(&shaders).expect("the folder of shaders") {
        let path = entry.expect("a shader").path();
        for pair in hex_words(&path).chunks_exact(2) {
            let word = u64::from(pair[1]) << 32 | u64::from(pair[0]);
            let instruction = qpu::isa::decode(word)
                .unwrap_or_else(|e| panic!("{}: {word:016x}: {e:?}", path.display()));
            assert_eq!(instruction.encode(), word, "{}", path.display());
            words += 1;
        }
    }
    // The inventory of the reference counts the words of the 16 files.
    assert_eq!(words, 12_112);
}
