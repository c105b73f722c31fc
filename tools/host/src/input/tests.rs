use super::*;

/// The values of a recording's first channel as the device sees them.
fn values(recording: &Recording) -> Vec<f32> {
    let values = recording.channels[0].samples.values(0, u64::MAX);
    let values = values.expect("values").into_iter();
    values.map(|x| x as f32).collect()
}

/// Reads a file of one column, one value a second.
fn read_column(text: &str) -> Result<Recording> {
    let how = Reading {
        rate: Rate::new(1, 1),
        ..Reading::default()
    };
    read_bytes("column.csv", text.into(), &how)
}

#[test]
fn detrending_leaves_nothing_of_a_straight_line() {
    let text: String = (0..100)
        .map(|i| format!("{}\n", 3.0 + 0.5 * f64::from(i)))
        .collect();
    let recording = read_column(&text).expect("a series");
    let left = values(&recording);
    assert!(left.iter().all(|x| x.abs() < 1e-4), "{left:?}");
    assert!(
        recording.notes[0].contains("5.000e-1"),
        "{:?}",
        recording.notes
    );
}

#[test]
fn small_changes_of_large_values_are_kept() {
    // What a frequency counter says of an oscillator of 10 MHz, in f32 one value throughout.
    let change = |at: usize| [0.0, 0.01, 0.0, -0.01][at % 4];
    let text: String = (0..64)
        .map(|at| format!("{:.3}\n", 1e7 + change(at)))
        .collect();
    let recording = read_column(&text).expect("a series");
    for (at, &value) in values(&recording).iter().enumerate() {
        // The line of least squares takes a part of a short sine.
        assert!((value - change(at) as f32).abs() < 1e-3, "{at}: {value}");
    }
}

#[test]
fn values_whose_power_leaves_the_range_are_refused() {
    let table = |scale: f32| {
        let text: String = (0..4)
            .map(|x| format!("{:e}\n", x as f32 * scale))
            .collect();
        read_column(&text)
    };
    for scale in [0.0, 1e-12, 1.0, 1e12] {
        assert!(table(scale).is_ok(), "{scale}");
    }
    for scale in [1e-21, 1e18] {
        let failure = table(scale).expect_err("out of range");
        assert!(failure.message.contains("power of ten"), "{failure}");
    }
}

#[test]
fn a_file_of_unknown_kind_is_refused_with_what_to_do() {
    let how = Reading {
        rate: Rate::new(1, 1),
        ..Reading::default()
    };
    for name in ["a.xyz", "a", "a.mp3"] {
        let failure = read_bytes(name, b"what".to_vec(), &how).expect_err("unknown");
        assert!(failure.message.contains("--samples FORMAT"), "{failure}");
    }
    for name in ["a.raw", "a.bin", "a.data"] {
        let failure = read_bytes(name, b"what".to_vec(), &how).expect_err("unknown");
        assert!(failure.message.contains("--samples"), "{failure}");
    }
    let failure = read(Path::new("/nonexistent.wav"), &Reading::default()).expect_err("absent");
    assert!(failure.message.contains("check the path"), "{failure}");
}

#[test]
fn an_ending_says_the_format_and_samples_overrule_it() {
    let mut how = Reading {
        rate: Rate::new(1, 1),
        ..Reading::default()
    };
    for (name, format) in [
        ("a.iq", "cu8"),
        ("a.u8", "cu8"),
        ("a.cu8", "cu8"),
        ("a.cs8", "cs8"),
        ("a.CS16", "cs16"),
        ("a.cf32", "cf32"),
        ("a.cfile", "cf32"),
        ("a.f64", "f64"),
    ] {
        let recording = read_bytes(name, vec![0; 64], &how).expect(name);
        assert_eq!(recording.format, format, "{name}");
        assert_eq!(recording.is_complex(), format.starts_with('c'), "{name}");
    }
    how.samples = Format::from_name("i16_be");
    for name in ["a.iq", "a.raw", "a.xyz"] {
        let recording = read_bytes(name, vec![0x40, 0], &how).expect(name);
        assert_eq!(recording.format, "i16_be");
        assert_eq!(values(&recording), [0.5]);
    }
    let failure = read_bytes("a.csv", b"1\n2\n".to_vec(), &how).expect_err("a table");
    assert!(failure.message.contains("leave out --samples"), "{failure}");
}
