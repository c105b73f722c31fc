//! `qpu fft2` from pictures to files, messages and exit status.

use std::path::{Path, PathBuf};
use std::process::Command;

use workbench::plane::{Picture, npy, png};

/// Exit status and standard error.
fn qpuscope(arguments: &[&str]) -> (i32, String) {
    let output = Command::new(tests::tools::path("qpu"))
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
    let odd = workbench::plane::Spectrum {
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

/// A picture of the documents, and its path.
fn documented(name: &str) -> (Picture, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs")
        .join(name);
    let (picture, _) = png::read(&path, |_, _| Ok(())).expect("a picture");
    (picture, path.display().to_string())
}

/// True if no pixel is further off than a step of 8 bits: sines differ by machine.
fn are_alike(one: &Picture, other: &Picture) -> bool {
    let mut pairs = one.pixels.iter().zip(&other.pixels);
    one.width == other.width
        && one.height == other.height
        && pairs.all(|(one, other)| (one - other).abs() < 1.5 / 255.0)
}

#[test]
fn a_kernel_spreads_every_point_circularly_as_docs_show() {
    let (before, from) = documented("fft2-before.png");
    let (ring, kernel) = documented("fft2-kernel.png");
    let to = file("convolved.png").display().to_string();
    let (status, said) = qpuscope(&[&from, &to, "--kernel", &kernel]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("of the kernel"), "{said}");
    let (output, _) = png::read(Path::new(&to), |_, _| Ok(())).expect("a picture");
    assert!(
        are_alike(&output, &documented("fft2-convolved.png").0),
        "docs/fft2-convolved.png is not what the page's command draws; draw it anew"
    );
    // The sum itself, in the middle and over two edges.
    let sum: f32 = ring.pixels.iter().sum();
    let half = ring.width / 2;
    for (x, y) in [(128, 128), (100, 77), (2, 3), (255, 200)] {
        let terms = (0..ring.pixels.len()).map(|index| {
            let (dx, dy) = (index % ring.width, index / ring.width);
            let (x, y) = ((x + 256 + half - dx) % 256, (y + 256 + half - dy) % 256);
            ring.pixels[index] / sum * before.pixels[y * 256 + x]
        });
        let (got, wanted) = (output.pixels[y * 256 + x], terms.sum::<f32>());
        assert!(
            (got - wanted).abs() < 1.0 / 255.0,
            "{x} {y}: {got}, not {wanted}"
        );
    }
}

#[test]
fn kernels_that_cannot_be_meant_are_refused() {
    picture("small.png", 16, 16, |x, _| x / 16.0);
    picture("wide.png", 17, 1, |_, _| 1.0);
    picture("black.png", 3, 3, |_, _| 0.0);
    let [input, out, wide, black] = ["small.png", "kernel-out.png", "wide.png", "black.png"]
        .map(|name| file(name).display().to_string());
    for (arguments, wanted) in [
        (
            &[&*input, &*out, "--kernel", &*wide][..],
            "take a smaller kernel",
        ),
        (
            &[&input, &out, "--kernel", &black],
            "draw its weights brighter",
        ),
        (&[&input, &black, "--kernel", &black], "is the kernel"),
        (&[&input, &out, "--kernel", "absent.png"], "check the path"),
        (
            &[&input, &out, "--kernel", &wide, "--mask", "low:0.1"],
            "cannot be used with",
        ),
    ] {
        let (status, said) = qpuscope(arguments);
        assert_eq!(status, 2, "{said}");
        assert!(said.contains(wanted), "{said}");
    }
}

#[test]
fn an_ocean_is_the_one_of_its_seed_as_docs_show() {
    let [one, bins] = ["sea.png", "sea.npy"].map(|name| file(name).display().to_string());
    let (status, said) = qpuscope(&["--heights", &one, "--spectrum", &bins]);
    assert_eq!(status, 0, "{said}");
    assert!(
        said.contains("256 x 256 heights from -") && said.contains("inverse"),
        "{said}"
    );
    let (sea, _) = png::read(Path::new(&one), |_, _| Ok(())).expect("a picture");
    assert!(
        are_alike(&sea, &documented("fft2-heights.png").0),
        "docs/fft2-heights.png is not what the page's command draws; draw it anew"
    );
    assert!(sea.pixels.contains(&0.0) && sea.pixels.contains(&1.0));
    // Waves across the wind, which blows to the right, are lower: heights change less downwards.
    let change = |step: usize| -> f32 {
        let pairs =
            (0..sea.pixels.len() - step).map(|index| sea.pixels[index + step] - sea.pixels[index]);
        pairs.map(|change| change * change).sum()
    };
    assert!(
        change(1) > 1.5 * change(256),
        "{}, {}",
        change(1),
        change(256)
    );
    let spectrum = npy::decode(&std::fs::read(&bins).unwrap(), Path::new(&bins)).unwrap();
    let ([re, im], [re2, im2]) = (spectrum.bins[256 + 5], spectrum.bins[255 * 256 + 251]);
    assert_eq!([re, im], [re2, -im2], "heights are real");
    let small = |seed: &str| {
        let (status, said) = qpuscope(&["--heights", &one, "--size", "16", "--seed", seed]);
        assert_eq!(status, 0, "{said}");
        std::fs::read(&one).expect("a picture")
    };
    assert!(small("2") == small("2") && small("2") != small("3"));
}

#[test]
fn seas_that_cannot_be_drawn_are_refused() {
    let out = file("no-sea.png").display().to_string();
    for (arguments, wanted) in [
        (
            &["--heights", &*out, "--size", "100"][..],
            "powers of two from 16 on",
        ),
        (
            &["--heights", &out, "--size", "8589934592"],
            "take a smaller picture",
        ),
        (&["--heights", &out, "--wind", "0"], "try --wind 12"),
        (
            &["--heights", &out, "--wind", "0.001"],
            "take another --wind or --patch",
        ),
        (&["--heights", &out, "--patch", "nan"], "try --patch 500"),
        (&["--heights", &out, &out], "cannot be used with"),
        (&[&out, "--wind", "3"], "--heights"),
        (&[&out], "<IN.png>"),
    ] {
        let (status, said) = qpuscope(arguments);
        assert_eq!(status, 2, "{said}");
        assert!(said.contains(wanted), "{said}");
    }
}
