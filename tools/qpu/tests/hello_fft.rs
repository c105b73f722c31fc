//! `qpu hello-fft`: one line with length, time and error, on the simulator and by a board.

use serde_json::Value;
use tests::tools::{qpu, run, sim};

/// Errors that GPU_FFT's author published for the same test, in parts per million.
const PUBLISHED_PPM: [(&str, f64); 3] = [("8", 0.33), ("10", 0.52), ("12", 0.78)];

/// The object that a command prints with `--json`.
fn object(arguments: &[&str]) -> Value {
    let (output, status, said) = run(qpu().arg("hello-fft").args(arguments).arg("--json"));
    assert_eq!(status, 0, "{arguments:?}: {said}");
    serde_json::from_slice(&output.stdout).expect("one object")
}

/// The time of a length in the table of docs/performance.md.
fn documented_us(log2n: &str) -> f64 {
    let page = include_str!("../../../docs/performance.md");
    let (_, table) = page
        .split_once("## Inverse transforms, batch 1\n")
        .expect("a table");
    let cells = table.lines().find_map(|line| {
        let mut cells = line.split('|').map(str::trim).skip(1);
        (cells.next() == Some(log2n))
            .then(|| cells.next())
            .flatten()
    });
    let us = cells.expect("a row").replace(',', "");
    us.parse().expect("microseconds")
}

#[test]
fn the_simulator_says_the_time_of_the_page_and_a_small_error() {
    for (log2n, published) in PUBLISHED_PPM {
        let object = object(&[log2n]);
        let number = |key: &str| object[key].as_f64().expect("a number");
        let (us, documented) = (number("us"), documented_us(log2n));
        assert!(
            (us / documented - 1.0).abs() < 0.01,
            "2^{log2n}: {us}, not {documented}"
        );
        assert_eq!(number("clocks") / 250.0, us);
        let ppm = 1e6 * number("rel_rms_err");
        assert!((0.05..published).contains(&ppm), "2^{log2n}: {ppm}");
    }
    let (output, status, said) = run(qpu().args(["hello-fft", "4", "--batch", "9"]));
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!((status, text.lines().count()), (0, 1), "{said}");
    assert!(
        text.starts_with("9 x 16 points, ") && text.contains(" us, rel_rms_err = "),
        "{text}"
    );
    assert!(text.ends_with("; pi1 (simulated)\n"), "{text}");
}

#[test]
fn a_virtual_pi_runs_it_as_jobs_by_its_own_clock() {
    let Some(image) = tests::tools::image("a_virtual_pi_runs_it_as_jobs_by_its_own_clock") else {
        return;
    };
    let simulated = object(&["9"]);
    let on_pi = object(&["9", "--quiet", "--port", &sim(&image)]);
    assert_eq!(on_pi["rel_rms_err"], simulated["rel_rms_err"]);
    let (us, alone) = (
        on_pi["us"].as_f64().unwrap(),
        simulated["us"].as_f64().unwrap(),
    );
    assert_eq!(us.fract(), 0.0, "the board counts microseconds");
    // Launches and polling come on top.
    assert!((alone..alone + 10.0).contains(&us), "{us}, {alone}");
    assert!(on_pi["place"].as_str().unwrap().starts_with("virtual Pi"));
    assert!(on_pi["clocks"].is_null());
}

#[test]
fn lengths_and_batches_without_a_plan_say_what_to_give() {
    for (arguments, wanted) in [
        (&["3"][..], "from 4 to 22"),
        (&["4096"], "for 4096 points give 12"),
        (&["22", "--batch", "7"], "take a smaller --batch"),
        (&["12", "--batch", "0"], "`0` is out of range; give 1 to"),
        (&["twelve"], "invalid digit"),
        (&[], "<LOG2_N>"),
    ] {
        let (_, status, said) = run(qpu().arg("hello-fft").args(arguments));
        assert_eq!(status, 2, "{said}");
        assert!(said.contains(wanted), "{said}");
    }
}
