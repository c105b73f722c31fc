//! `qpuscope fft2` from pictures to files, messages and exit status.

use std::path::{Path, PathBuf};
use std::process::Command;

use qpuscope::plane::{Picture, npy, png};

/// Exit status and standard error.
fn qpuscope(arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_qpuscope"))
        .arg("fft2")
        .args(arguments)
        .output()
        .expect("qpuscope runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().unwrap_or(-1), said)
}

fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fft2");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name)
}

/// A picture that is written and what its file holds: values of 8 bits.
fn picture(name: &str, width: usize, height: usize, value: impl Fn(f32, f32) -> f32) -> Picture {
    let pixels = (0..width * height)
        .map(|index| value((index % width) as f32, (index / width) as f32))
        .map(|x| (255.0 * x).round() / 255.0)
        .collect();
    let picture = Picture {
        width,
        height,
        pixels,
    };
    assert_eq!(png::write(&picture, &file(name)).expect("a file"), 0);
    picture
}

/// Cycles across 32 pixels to the right and 2 down.
fn waves(x: f32, y: f32) -> f32 {
    let phase = std::f32::consts::TAU * (5.0 * x / 32.0 + 3.0 * y / 16.0);
    0.5 + 0.3 * phase.sin()
}

#[test]
fn bins_are_where_numpy_has_them_and_give_the_picture_back() {
    let input = picture("waves.png", 32, 16, waves);
    let [from, levels, bins, again] = ["waves.png", "levels.png", "waves.npy", "again.png"]
        .map(|name| file(name).display().to_string());
    let (status, said) = qpuscope(&[&from, &levels, "--spectrum", &bins]);
    assert_eq!(status, 0, "{said}");
    assert!(
        said.contains("V3D clocks") && said.contains("simulated"),
        "{said}"
    );
    let spectrum = npy::decode(&std::fs::read(&bins).unwrap(), Path::new(&bins)).unwrap();
    assert_eq!((spectrum.width, spectrum.height), (32, 16));
    let size = |x: usize, y: usize| {
        let [re, im] = spectrum.bins[y * 32 + x];
        re.hypot(im)
    };
    // 0.3/2 of 512 pixels, 8 bits each; and nothing at any other frequency.
    for (x, y, wanted) in [
        (0, 0, 256.0),
        (5, 3, 76.8),
        (27, 13, 76.8),
        (5, 13, 0.0),
        (6, 3, 0.0),
    ] {
        assert!((size(x, y) - wanted).abs() < 0.3, "{x} {y}: {}", size(x, y));
    }
    let (drawn, _) = png::read(Path::new(&levels), |_, _| Ok(())).unwrap();
    assert_eq!(drawn.pixels[8 * 32 + 16], 1.0, "frequency 0 in the middle");
    let (status, said) = qpuscope(&["--inverse", &bins, &again]);
    assert_eq!(status, 0, "{said}");
    let (output, _) = png::read(Path::new(&again), |_, _| Ok(())).unwrap();
    assert_eq!(output, input);
}

#[test]
fn a_mask_takes_away_what_is_above_it_and_keeps_the_size() {
    // 0.31 cycles a pixel over slow ones.
    let slow = |x: f32, y: f32| 0.5 + 0.2 * (0.1 * x).sin() * (0.07 * y).cos();
    let fast = |x: f32, y: f32| 0.1 * (std::f32::consts::TAU * (0.25 * x + 0.19 * y)).sin();
    picture("both.png", 100, 60, |x, y| slow(x, y) + fast(x, y));
    let [from, to] = ["both.png", "slow.png"].map(|name| file(name).display().to_string());
    let (status, said) = qpuscope(&[&from, &to, "--mask", "low:0.2"]);
    assert_eq!(status, 0, "{said}");
    assert!(
        said.contains("filled up with their mean to 128 x 64"),
        "{said}"
    );
    let (output, _) = png::read(Path::new(&to), |_, _| Ok(())).unwrap();
    assert_eq!((output.width, output.height), (100, 60));
    // Away from the edges, where the mean begins.
    for y in 10..50 {
        for x in 10..90 {
            let (got, wanted) = (output.pixels[y * 100 + x], slow(x as f32, y as f32));
            assert!((got - wanted).abs() < 0.02, "{x} {y}: {got}, not {wanted}");
        }
    }
    let (status, said) = qpuscope(&[&from, &to, "--mask", "high:0.2", "--crop"]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("the middle 64 x 32 are taken"), "{said}");
    assert!(said.contains("darker than black"), "{said}");
}

#[test]
fn what_cannot_be_transformed_says_what_to_do() {
    let [narrow, out, array] =
        ["narrow.png", "out.png", "odd.npy"].map(|name| file(name).display().to_string());
    picture("narrow.png", 9, 40, |_, _| 0.5);
    let odd = qpuscope::plane::Spectrum {
        width: 24,
        height: 16,
        bins: vec![[0.0; 2]; 24 * 16],
    };
    std::fs::write(&array, npy::encode(&odd)).unwrap();
    for (arguments, wanted) in [
        (&[&narrow, &out, "--crop"][..], "leave --crop out"),
        (&["absent.png", &out], "check the path"),
        (&[&array, &out], "cannot be read as PNG"),
        (&["--inverse", &narrow, &out], "numpy.save"),
        (&["--inverse", &array, &out], "powers of two from 16 on"),
        (&[&narrow, &out, "--range", "0"], "try --range 100"),
        (&[&narrow, "out.jpg"], "name it .png"),
    ] {
        let (status, said) = qpuscope(arguments);
        assert_eq!(status, 2, "{said}");
        assert!(said.contains(wanted), "{said}");
    }
}

#[test]
fn its_input_is_not_written_over_and_bins_that_are_no_numbers_are_refused() {
    picture("kept.png", 16, 16, |x, _| x / 16.0);
    let [input, output, bins] = ["kept.png", "kept-out.png", "kept.npy"].map(|name| {
        let path = file(name);
        path.to_str().expect("UTF-8").to_owned()
    });
    for (words, named) in [
        (vec![&*input, &*input], "is the input"),
        (
            vec![&*input, &*output, "--spectrum", &*input],
            "is the input",
        ),
        (
            vec![&*input, &*output, "--spectrum", &*output],
            "two outputs",
        ),
    ] {
        let (status, said) = qpuscope(&words);
        assert_eq!(status, 2, "{said}");
        assert!(said.contains(named), "{said}");
    }
    let (status, said) = qpuscope(&[&input, &output, "--spectrum", &bins]);
    assert_eq!(status, 0, "{said}");
    let mut spectrum = std::fs::read(&bins).expect("bins");
    let end = spectrum.len();
    spectrum[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    std::fs::write(&bins, spectrum).expect("bins");
    let (status, said) = qpuscope(&["--inverse", &bins, &output]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("bin 255 is no finite number"), "{said}");
}
