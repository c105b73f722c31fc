//! Lines between bins, and the digits of their frequencies.

use serde_json::Value;

use super::stream::Stream;
use super::{CENTRE_HZ, fft, folder, read};

#[test]
fn channels_that_are_neighbours_read_apart() {
    let folder = folder("digits");
    let mut stream = Stream::new(4096, 2_000_000, CENTRE_HZ);
    let mut power = vec![1e-9; 4096];
    for hz in [37_500.0, 112_500.0] {
        let bin = (2048.0 + hz * 4096.0 / 2e6_f64).round() as usize;
        power[bin] = 0.1;
        (power[bin - 1], power[bin + 1]) = (0.025, 0.025);
    }
    stream.record(0, 0, &power);
    std::fs::write(folder.join("line.bin"), stream.bytes()).expect("a file");
    let (printed, _) = read(&folder, "--lines 2");
    let text = String::from_utf8(printed).expect("text");
    for wanted in [
        " 145.03760 MHz ",
        " 145.1123 MHz ",
        "  frequency  level (dBFS)  ",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    assert!(!text.contains("period"), "{text}");
    let (printed, _) = read(&folder, "--lines 2 --json");
    let record: Value = serde_json::from_slice(&printed).expect("JSON");
    for line in record["lines"].as_array().expect("lines") {
        assert!(
            line["period"].is_null() && line["bin_frequency"].is_f64(),
            "{line}"
        );
        assert!(
            line["bin_level"].is_f64() && line["level"].is_f64(),
            "{line}"
        );
    }
    read(&folder, "--format svg --count 1");
    let picture = std::fs::read_to_string(folder.join("spectrum.svg")).expect("a picture");
    assert!(picture.contains("145.03760 MHz, −10.0 dB"));
}

/// Numbers of the seed of tests, the same on every machine, nearly normal and of deviation 1.
fn noise() -> impl FnMut() -> f64 {
    let mut random = tests::mutate::Random::new(tests::seed());
    move || {
        let uniform = (0..12).map(|_| random.bits() as f64 / 2_f64.powi(64));
        uniform.sum::<f64>() - 6.0
    }
}

#[test]
fn lines_are_interpolated_within_a_tenth_of_a_bin_in_every_window() {
    let test = "lines_are_interpolated_within_a_tenth_of_a_bin_in_every_window";
    let Some(image) = tests::tools::image(test) else {
        return;
    };
    let folder = folder("interpolated");
    let (points, bins, amplitude) = (512, 40.37, 0.25);
    let mut noise = noise();
    let kaiser = wire::Window::from_name("kaiser:4");
    for window in wire::Window::ALL.into_iter().chain(kaiser) {
        // Noise of a thousandth of the tone in a bin: 60 dB below it.
        let table: Vec<f64> = (0..points as usize)
            .map(|at| window.coefficient(at, points as usize))
            .collect();
        let noise_bins = 4.0 * window.gain(&table).enbw_bins;
        let deviation = 1e-3 * amplitude * (f64::from(points) / noise_bins).sqrt();
        let samples: Vec<u8> = (0..4 * points)
            .map(|at| {
                let angle = std::f64::consts::TAU * bins * f64::from(at) / f64::from(points);
                (amplitude * angle.cos() + deviation * noise()) as f32
            })
            .flat_map(f32::to_le_bytes)
            .collect();
        std::fs::write(folder.join("tone.f32"), samples).expect("a file");
        let options = format!("tone.f32 --rate 51.2k --n {points} --window {window} --json");
        let printed = fft(&folder, &image, &options);
        let record: Value = serde_json::from_slice(&printed).expect("JSON");
        let line = &record["lines"][0];
        let number = |key: &str| line[key].as_f64().expect(key);
        let error = number("frequency") / 100.0 - bins;
        let level = number("level") - 20.0 * amplitude.log10();
        assert!(
            error.abs() < 0.1 && level.abs() < 0.05,
            "{window}: {error} bins, {level} dB"
        );
        assert_eq!((number("bin"), number("bin_frequency")), (40.0, 4000.0));
        assert!(number("bin_level") < number("level") + 0.05, "{line}");
    }
}
