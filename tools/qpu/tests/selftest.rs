//! `qpu selftest` from arguments to verdicts and exit status, on each engine.

use serde_json::Value;
use tests::tools::{qpu, run};
use tests::{given, need};

const NO_GUEST: &str =
    "QPUSCOPE_GUEST_FFT names no image; `cargo xtask guest` builds target/guest-fft.img";

/// The object that a program prints with `--json`.
fn object(arguments: &[&str]) -> Value {
    let (output, status, said) = run(qpu().args(["selftest"]).args(arguments).arg("--json"));
    assert_eq!(status, 0, "{arguments:?}: {said}");
    serde_json::from_slice(&output.stdout).expect("one object")
}

#[test]
fn a_transpose_is_compared_word_by_word_on_one_to_four_qpus() {
    let clocks = |qpus: &str| {
        let arguments = [
            "transpose",
            "--rows",
            "128",
            "--columns",
            "64",
            "--qpus",
            qpus,
        ];
        let object = object(&arguments);
        assert_eq!(object["passed"], true, "{object}");
        assert_eq!(object["qpus"].to_string(), qpus);
        object["cycles"].as_u64().expect("clocks")
    };
    // One QPU waits for the store engine less than half of its time.
    assert!(clocks("1") > clocks("4"));
    let (output, status, said) = run(qpu().args(["selftest", "transpose", "--rows", "16"]));
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(status, 0, "{said}");
    assert!(
        text.starts_with("transpose: 16 x 512 words on 1 QPU, ok\nsimulated (cycle model, pi1"),
        "{text}"
    );
}

#[test]
fn sides_that_are_no_tiles_are_refused() {
    for (side, instead) in [("40", "use 48"), ("0", "use 16"), ("4096", "use 2048")] {
        let (_, status, said) = run(qpu().args(["selftest", "transpose", "--columns", side]));
        assert_eq!(status, 2, "{said}");
        assert!(said.contains(instead), "{said}");
    }
}

#[test]
fn digests_are_the_same_on_all_three_engines() {
    let guest = need!(given("QPUSCOPE_GUEST_FFT"), "{NO_GUEST}");
    let guest = guest.display().to_string();
    let of = |more: &[&str]| {
        let all = [&["sha256", "--qpus", "2", "--bytes", "200"], more].concat();
        let object = object(&all);
        assert_eq!(object["passed"], true, "{object}");
        assert_eq!(object["messages"], 32);
        object
    };
    let [qpu, arm] = [
        &["--engine", "qpu"][..],
        &["--engine", "arm", "--guest", &guest],
    ]
    .map(of);
    assert_eq!(
        (&qpu["engine"], &arm["engine"]),
        (&"qpu".into(), &"arm".into())
    );
    // Two clocks of 700 MHz an instruction, and lines that no cache has yet.
    let [instructions, seconds] = ["instructions", "seconds"].map(|key| {
        let value = arm[key].as_f64();
        value.expect("a number")
    });
    let share = instructions * 2.0 / 700e6 / seconds;
    assert!((0.8..1.0).contains(&share), "{share}: {arm}");
    // Four blocks of 200 bytes and its padding: some thousand instructions each.
    let of_a_block = instructions / (32.0 * 4.0);
    assert!((1500.0..6000.0).contains(&of_a_block), "{of_a_block}");
    assert_eq!(of(&["--engine", "host"])["simulated"], false);
}

#[test]
fn an_engine_that_cannot_be_meant_is_refused() {
    let sha256 = || {
        let mut command = qpu();
        command.args(["selftest", "sha256", "--engine"]);
        command
    };
    let (_, status, said) = run(sha256().arg("cpu"));
    assert_eq!(status, 2);
    assert!(said.contains("possible values: qpu, arm, host"), "{said}");
    let (_, status, said) = run(sha256().args(["arm", "--guest", "absent.img"]));
    assert_eq!(status, 2);
    assert!(said.contains("absent.img"), "{said}");
}
