//! `qpu fft` from file to file.

use std::path::{Path, PathBuf};

use host::input::{Format, Points};
use host::npy::encode;
use tests::mutate::Random;
use tests::tools::image;
use tests::tools::{qpu, run, sim};

/// Relative rms error of the QPUs, whose tables and sums are in single precision.
const QPU_ERROR: f64 = 1e-6;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("complex")
        .join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn noise(count: usize) -> Vec<[f32; 2]> {
    let mut random = Random::new(5);
    (0..count)
        .map(|_| [(); 2].map(|()| random.signed_unit() as f32))
        .collect()
}

fn bytes(points: &[[f32; 2]]) -> Vec<u8> {
    points
        .iter()
        .flatten()
        .flat_map(|x| x.to_le_bytes())
        .collect()
}

/// Runs the command in a folder; its status, and what it said.
fn fft(folder: &Path, words: &str) -> (i32, String) {
    let mut command = qpu();
    command.current_dir(folder).args(["fft"]);
    let (_, status, said) = run(command.args(words.split_whitespace()));
    (status, said)
}

/// The points of a file that the command wrote.
fn points(folder: &Path, name: &str) -> Points {
    let read = Points::read(&folder.join(name), None, u64::MAX);
    read.unwrap_or_else(|failure| panic!("{name}: {failure}"))
}

fn done(folder: &Path, words: &str) -> String {
    let (status, said) = fft(folder, words);
    assert_eq!(status, 0, "{words}: {said}");
    said
}

/// The relative rms difference.
fn error(of: &[[f32; 2]], from: &[[f32; 2]]) -> f64 {
    assert_eq!(of.len(), from.len());
    let pairs = || of.iter().flatten().zip(from.iter().flatten());
    let difference: f64 = pairs().map(|(a, b)| f64::from(a - b).powi(2)).sum();
    let size: f64 = pairs().map(|(_, b)| f64::from(*b).powi(2)).sum();
    (difference / size).sqrt()
}

/// The definition.
fn dft(points: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let n = points.len();
    let bin = |k: usize| {
        let terms = points.iter().enumerate().map(|(t, &[re, im])| {
            let (sin, cos) = (std::f64::consts::TAU * (k * t % n) as f64 / n as f64).sin_cos();
            let [re, im] = [re, im].map(f64::from);
            [re * cos + im * sin, im * cos - re * sin]
        });
        let sum = terms.fold([0.0, 0.0], |sum, term| [sum[0] + term[0], sum[1] + term[1]]);
        sum.map(|part| part as f32)
    };
    (0..n).map(bin).collect()
}

#[test]
fn both_engines_compute_the_transform_and_go_back() {
    let folder = folder("engines");
    for n in [16, 256, 4096, 65536] {
        let noise = noise(n);
        std::fs::write(folder.join("in.cf32"), bytes(&noise)).expect("a file");
        let said = done(&folder, "in.cf32 -o host.npy --engine host");
        assert!(
            said.contains(&format!(
                "1 transform of {n} points (cf32) on this computer"
            )),
            "{said}"
        );
        let host = points(&folder, "host.npy").points;
        // The definition takes long for more.
        assert!(n > 256 || error(&host, &dft(&noise)) < 1e-7);
        done(&folder, "in.cf32 -o sim.npy");
        let sim = points(&folder, "sim.npy").points;
        assert!(error(&sim, &host) < QPU_ERROR, "{n}");
        done(&folder, "in.cf32 -o same.npy --engine sim");
        assert_eq!(points(&folder, "same.npy").points, sim);
        for engine in ["sim", "host"] {
            done(
                &folder,
                &format!("--inverse sim.npy -o back.cf32 --engine {engine}"),
            );
            let back = points(&folder, "back.cf32").points;
            assert!(error(&back, &noise) < QPU_ERROR, "{n} back by {engine}");
        }
    }
}

#[test]
fn a_batch_is_rows_in_every_format() {
    let folder = folder("batch");
    let noise = noise(4 * 64);
    std::fs::write(folder.join("in.cf32"), bytes(&noise)).expect("a file");
    let rows = [encode("<c8", &[4, 64]), bytes(&noise)].concat();
    std::fs::write(folder.join("in.npy"), rows).expect("a file");
    let text = noise.iter().map(|[re, im]| format!("{re},{im}\n"));
    std::fs::write(folder.join("in.csv"), text.collect::<String>()).expect("a file");
    let expected: Vec<[f32; 2]> = noise.chunks(64).flat_map(dft).collect();
    for input in [
        "in.npy",
        "in.cf32 --n 64",
        "in.cf32 --batch 4",
        "in.csv --n 64 --batch 4",
    ] {
        for output in ["out.npy", "out.cf32", "out.csv"] {
            done(&folder, &format!("{input} -o {output}"));
            let out = points(&folder, output);
            assert!(
                error(&out.points, &expected) < QPU_ERROR,
                "{input} {output}"
            );
            assert_eq!(out.rows, (output == "out.npy").then_some(4));
        }
    }
    let csv = std::fs::read_to_string(folder.join("out.csv")).expect("a table");
    assert_eq!(
        (csv.lines().next(), csv.lines().count()),
        (Some("re,im"), 4 * 64 + 1)
    );
    // Real numbers, and others than floats.
    let column = noise
        .iter()
        .map(|[re, _]| format!("{re}\n"))
        .collect::<String>();
    std::fs::write(folder.join("real.csv"), column).expect("a file");
    done(&folder, "real.csv --n 64 -o real.npy");
    let real: Vec<[f32; 2]> = noise.iter().map(|[re, _]| [*re, 0.0]).collect();
    let expected: Vec<[f32; 2]> = real.chunks(64).flat_map(dft).collect();
    assert!(error(&points(&folder, "real.npy").points, &expected) < QPU_ERROR);
    std::fs::write(folder.join("in.raw"), vec![0x40; 64]).expect("a file");
    done(&folder, "in.raw --samples cs16_be -o raw.cf32");
    let expected = vec![[16448.0 / 32768.0; 2]; 16];
    let raw = points(&folder, "raw.cf32").points;
    assert!(error(&raw, &dft(&expected)) < QPU_ERROR, "{raw:?}");
}

/// An array of complex64 with these real parts.
fn reals(parts: &[f32]) -> Vec<u8> {
    let points: Vec<[f32; 2]> = parts.iter().map(|re| [*re, 0.0]).collect();
    [encode("<c8", &[parts.len() as u64]), bytes(&points)].concat()
}

#[test]
fn bins_that_single_precision_cannot_hold_are_refused_on_every_engine() {
    let folder = folder("overflow");
    let write =
        |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("a file");
    write("huge.npy", &reals(&[1e38; 16]));
    // The second of two transforms, and sums that cancel in the definition only.
    write("second.npy", &reals(&[[0.0; 16], [3e38; 16]].concat()));
    let signs: Vec<f32> = (0..16)
        .map(|at| if at % 2 == 0 { 1e38 } else { -1e38 })
        .collect();
    write("signs.npy", &reals(&signs));
    let wide: Vec<u8> = [1e300_f64; 16]
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    write("wide.npy", &[encode("<f8", &[16]), wide].concat());
    write("huge.csv", "3e38\n".repeat(16).as_bytes());
    for engine in ["sim", "host"] {
        for (words, wanted) in [
            (
                "huge.npy -o out.npy",
                "of 16 bins are not finite in single precision, the first X(0)",
            ),
            ("huge.npy -o out.csv", "X(0)"),
            (
                "huge.csv -o out.npy",
                "divide the numbers by a power of two, such as 16",
            ),
            ("second.npy --n 16 -o out.cf32", "X(0) of transform 1"),
            ("signs.npy -o out.npy", "are not finite"),
            (
                "wide.npy -o out.npy",
                "point 0 is no finite number in single precision",
            ),
        ] {
            let words = format!("{words} --engine {engine}");
            let (status, said) = fft(&folder, &words);
            assert_eq!(status, 2, "{words}: {said}");
            assert!(said.contains(wanted), "{words}: {said}");
            for out in ["out.npy", "out.csv", "out.cf32"] {
                assert!(!folder.join(out).exists(), "{words}");
            }
        }
        write("small.npy", &reals(&[1e36; 16]));
        done(
            &folder,
            &format!("small.npy -o small.out.npy --engine {engine}"),
        );
    }
    // Back, the sums are divided by N on the way.
    done(&folder, "--inverse huge.npy -o mean.npy --engine sim");
    let [re, im] = points(&folder, "mean.npy").points[0];
    assert!((re / 1e38 - 1.0).abs() < 1e-6 && im == 0.0, "{re} {im}");
}

#[test]
fn numbers_that_are_rounded_or_too_small_are_said_once() {
    let folder = folder("small");
    let write =
        |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("a file");
    write("tiny.npy", &reals(&[1e-39; 16]));
    let long: Vec<u8> = (0..16_i64)
        .flat_map(|x| ((1 << 40) + x).to_le_bytes())
        .collect();
    write("long.npy", &[encode("<i8", &[16]), long].concat());
    for (words, wanted) in [
        (
            "tiny.npy --engine sim",
            "16 numbers are smaller than 1.2e-38, which QPUs take as 0",
        ),
        ("tiny.npy --engine host", "with fewer digits or as 0"),
        (
            "long.npy --engine host",
            "15 numbers rounded to single precision",
        ),
    ] {
        let said = done(&folder, &format!("{words} -o out.npy"));
        assert_eq!(said.matches(wanted).count(), 1, "{words}: {said}");
    }
    write("plain.npy", &reals(&[0.5; 16]));
    let said = done(&folder, "plain.npy -o out.npy");
    assert!(!said.contains("numbers"), "{said}");
}

#[test]
fn arrays_of_every_type_are_transformed_as_numpy_does() {
    let folder = folder("types");
    // The sum of 16 elements of 3.
    for (descr, element) in [
        ("|u1", &[3][..]),
        ("|i1", &[3]),
        ("<u2", &[3, 0]),
        (">i2", &[0, 3]),
        ("<u4", &[3, 0, 0, 0]),
        ("<i4", &[3, 0, 0, 0]),
        ("<i8", &[3, 0, 0, 0, 0, 0, 0, 0]),
        (">u8", &[0, 0, 0, 0, 0, 0, 0, 3]),
        ("<f2", &[0, 0x42]),
        ("<f4", &3_f32.to_le_bytes()),
        (">f8", &3_f64.to_be_bytes()),
        ("<c8", [3_f32, 0.0].map(f32::to_le_bytes).as_flattened()),
        ("<c16", [3_f64, 0.0].map(f64::to_le_bytes).as_flattened()),
    ] {
        let file = [encode(descr, &[16]), element.repeat(16)].concat();
        std::fs::write(folder.join("in.npy"), file).expect("a file");
        for engine in ["sim", "host"] {
            done(&folder, &format!("in.npy -o out.npy --engine {engine}"));
            let bins = points(&folder, "out.npy").points;
            let [re, im] = bins[0].map(f64::from);
            assert!(
                (re / 48.0 - 1.0).abs() < QPU_ERROR && im.abs() < QPU_ERROR,
                "{descr} on {engine}: {re} {im}"
            );
        }
    }
}

#[test]
fn a_board_gives_the_bits_of_the_simulator() {
    let Some(image) = image("a_board_gives_the_bits_of_the_simulator") else {
        return;
    };
    let folder = folder("board");
    std::fs::write(folder.join("in.cf32"), bytes(&noise(2048))).expect("a file");
    for way in ["", "--inverse"] {
        done(&folder, &format!("{way} in.cf32 --n 1024 -o sim.npy"));
        let said = done(
            &folder,
            &format!("{way} in.cf32 --n 1024 -o board.npy -q -p {}", sim(&image)),
        );
        assert!(
            said.contains("2 ") && said.contains("on virtual Pi"),
            "{said}"
        );
        let [sim, board] =
            ["sim.npy", "board.npy"].map(|name| std::fs::read(folder.join(name)).expect("bins"));
        assert!(sim == board, "{way}");
    }
    // More than the 32 MiB that a board has for jobs.
    let long = std::fs::File::create(folder.join("long.cf32")).expect("a file");
    long.set_len(8 << 21).expect("a sparse file");
    let (status, said) = fft(
        &folder,
        &format!("long.cf32 -o out.npy -q -p {}", sim(&image)),
    );
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("bytes of the board's memory are needed"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_transformed_is_refused_with_what_to_do() {
    let folder = folder("refused");
    let write =
        |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).expect("a file");
    write("in.cf32", &bytes(&noise(96)));
    write("nan.cf32", &f32::NAN.to_le_bytes().repeat(32));
    write("in.wav", b"RIFF....WAVE");
    write("in.raw", &[0; 64]);
    write("three.csv", b"1,2,3\n");
    write(
        "cube.npy",
        &[encode("<c8", &[2, 2, 2]), vec![0; 64]].concat(),
    );
    let long = std::fs::File::create(folder.join("long.cf32")).expect("a file");
    long.set_len(8 << 23).expect("a sparse file");
    assert_eq!(Format::from_name("cf32").expect("a format").bytes(), 8);
    for (words, wanted) in [
        (
            "in.cf32 -o out.npy",
            "holds 96 points, of which transforms of 96",
        ),
        (
            "in.cf32 -o out.npy --n 64",
            "and 1 transforms of 64 take 64",
        ),
        (
            "in.cf32 -o out.npy --n 8",
            "powers of two 16, 32, .. 4194304",
        ),
        ("long.cf32 -o out.npy", "powers of two 16, 32, .. 4194304"),
        ("in.cf32 -o out.png --n 32", "none of .npy, .cf32 and .csv"),
        (
            "in.cf32 -o in.cf32 --n 32",
            "is the file of points and would be overwritten",
        ),
        (
            "in.cf32 -o out.npy --n 32 --engine cpu",
            "possible values: auto, qpu, sim, host",
        ),
        (
            "in.cf32 -o out.npy --n 32 --engine qpu",
            "name it with --port",
        ),
        ("in.cf32 --n 32", "--out <FILE>"),
        ("in.cf32 -o out.npy --rate 2M", "unexpected argument"),
        ("in.cf32 -o out.npy --format sdrff", "unexpected argument"),
        (
            "in.cf32 -o out.npy --n 32 --batch 0",
            "and 0 transforms of 32",
        ),
        ("nan.cf32 -o out.npy", "point 0 is no finite number"),
        ("in.wav -o out.npy", "give points as .npy, .cf32 or .csv"),
        ("in.raw -o out.npy", "say the format with --samples"),
        (
            "three.csv -o out.npy",
            "has 3 columns; points are one column",
        ),
        ("cube.npy -o out.npy", "neither one nor two dimensions"),
        ("absent.npy -o out.npy", "check the path"),
    ] {
        let (status, said) = fft(&folder, words);
        assert_eq!(status, 2, "{words}: {said}");
        assert!(said.contains(wanted), "{words}: {said}");
        assert!(!folder.join("out.npy").exists(), "{words}");
    }
}
