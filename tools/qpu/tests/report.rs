//! `report` and `compare`: what a board's microbenchmarks say of the cycle model.
//!
//! Boards are made in two ways: the real image on a virtual Pi, which charges for the ARM's work
//! and counts microseconds, and the simulator alone, for many boards in little time.

use std::path::{Path, PathBuf};
use std::time::Duration;

use common::failure::Result;
use fidelity::decide::{Comparison, NOISE, Timed, Verdict, decide};
use host::client::{Client, TrialEnd};
use host::link::{self, FIRST_BAUD, Opening};
use host::log::Logs;
use host::report::file::{Board, Measurement, OperationTimes, Report};
use host::report::gather::{Wanted, gather, measure_all};
use qpu_programs::microbench::{LIST, Prepared, RUNS, Test, What};
use tests::tools::{image, qpu, qpuscope, run, sim};
use v3d_sim::{Constants, SimRunner};

/// Bytes of the firmware's stack that all of a report leaves unused.
const LEAST_STACK_LEFT_BYTES: u32 = 96 << 10;
/// Constants that the issue wants named, and other values of them.
const CHANGES: &[(&str, &[f64])] = &[
    ("tmu_run", &[2.0, 3.0]),
    ("uniform_cache_lines", &[1.0, 2.0, 3.0, 8.0]),
    ("l2c_interval", &[2.0, 8.0]),
    ("launch_interval", &[120.0, 300.0]),
    ("semaphore_handover", &[20.0, 80.0]),
    ("vpm_vector", &[6.0, 8.0]),
    ("instruction_cache_bytes", &[2048.0, 3072.0, 8192.0]),
];

fn constants(changes: &[(&str, f64)]) -> Constants {
    let mut constants = Constants::recommended();
    for (name, value) in changes {
        constants.change(name, *value).expect("a constant");
    }
    constants
}

/// A report without a board.
fn empty() -> Report {
    let board = Board {
        name: "simulator".into(),
        revision: 0,
        memory_bytes: 0,
        firmware: String::new(),
        engine: "qpu".into(),
        reset_cause: String::new(),
        arm_hz: 0,
        core_hz: 0,
        v3d_hz: 250_000_000,
        uart_hz: 0,
        capabilities: String::new(),
    };
    Report::new(board, 0)
}

/// A report of the simulator with these constants. Transforms are left out: they decide no
/// constant.
fn simulated(changes: &[(&str, f64)]) -> Report {
    let mut runner = SimRunner::new(4 << 20).with(|config| config.constants = constants(changes));
    let mut report = empty();
    for bench in LIST {
        let What::Time { test, repetitions } = bench.what else {
            continue;
        };
        if bench.name.starts_with("transform") {
            continue;
        }
        // The simulator counts clocks, of 4 ns: a thousand times as many operations in a thousand
        // times as many microseconds are the same with fewer repetitions.
        let [few, many] = repetitions;
        let repetitions = match test {
            Test::Queue { .. } => repetitions,
            _ => [few.min(8), few.min(8) + ((many - few) / 16).clamp(2, 24)],
        };
        let mut prepared = Prepared::new(&mut runner, test).expect("it fits");
        let mut run = |repetitions| {
            let report = prepared.run(&mut runner, repetitions).expect("it ends");
            4 * report.cycles.expect("timed") as u32
        };
        run(repetitions[0]);
        report.measurements.push(Measurement {
            name: bench.name.into(),
            elapsed_us: 0,
            times: Some(OperationTimes {
                operations: 1000 * test.operations(),
                repetitions,
                us: repetitions.map(|repetitions| vec![run(repetitions); RUNS]),
            }),
            words: None,
        });
    }
    report
}

/// A conversation with the image on a virtual Pi whose V3D has these constants.
fn board(image: &Path, changes: &[(&str, f64)]) -> Result<Client> {
    let opening = Opening {
        constants: constants(changes),
        ..Opening::default()
    };
    let link = link::open(Some(&sim(image)), &opening)?;
    Ok(Client::new(link, FIRST_BAUD, Logs::default(), true))
}

/// The microbenchmarks of the image, and nothing else.
fn measured(image: &Path, changes: &[(&str, f64)]) -> Report {
    let mut client = board(image, changes).expect("it boots");
    client.hello().expect("it answers");
    client.stop().expect("it stops");
    let mut report = empty();
    measure_all(&mut client, &mut report).expect("it measures");
    report
}

/// Multiplies every time by about 1, off by `NOISE` at the most, as `seed` has it.
fn with_noise(report: &Report, seed: u64) -> Report {
    const NOISE: f64 = 0.02;
    let mut state = seed.wrapping_mul(2) + 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    };
    let mut noisy = report.clone();
    let all = noisy.measurements.iter_mut();
    for us in all.flat_map(|measurement| measurement.times.iter_mut()) {
        for us in us.us.iter_mut().flatten() {
            *us = (f64::from(*us) * (1.0 + NOISE * next())).round() as u32;
        }
    }
    noisy
}

/// The constants that are said to differ, with the value that explains the board.
fn named(comparison: &Comparison) -> Vec<(&'static str, f64)> {
    let decisions = comparison.decisions.iter();
    let named = decisions.filter_map(|decision| match decision.verdict {
        Verdict::Documented | Verdict::Open(_) => None,
        Verdict::Value(value) | Verdict::AtLeast(value) | Verdict::AtMost(value) => {
            Some((decision.constant, value))
        }
    });
    named.collect()
}

/// Exactly these constants are named, with values that are right within 20 %.
#[track_caller]
fn assert_named(report: &Report, changes: &[(&str, f64)], what: &str) {
    let timed = report.timed(NOISE).map(|(name, us, uncertainty)| Timed {
        name: name.to_owned(),
        us,
        uncertainty,
    });
    let found = named(&decide(report.board.v3d_hz, &timed.collect::<Vec<_>>()));
    let is_right = found.len() == changes.len()
        && changes.iter().all(|(name, value)| {
            let one = found.iter().find(|(found, _)| found == name);
            one.is_some_and(|(_, found)| (found / value - 1.0).abs() <= 0.2)
        });
    assert!(is_right, "{what}: {changes:?} became {found:?}");
}

#[test]
fn each_changed_constant_is_named_alone_and_noise_changes_nothing() {
    assert_named(&simulated(&[]), &[], "documented");
    for (seed, (name, values)) in (1..).zip(CHANGES) {
        for &value in values.iter().take(1) {
            let change = [(*name, value)];
            let report = simulated(&change);
            assert_named(&report, &change, "alone");
            assert_named(&with_noise(&report, seed), &change, "with noise");
        }
    }
}

#[test]
fn two_changed_constants_are_both_named() {
    let changes = [("l2c_interval", 8.0), ("uniform_cache_lines", 2.0)];
    assert_named(&simulated(&changes), &changes, "two");
}

#[test]
fn noise_names_nothing() {
    let report = simulated(&[]);
    for seed in 0..20 {
        assert_named(&with_noise(&report, seed), &[], &format!("seed {seed}"));
    }
}

/// The long form: every value, and more noise.
#[test]
#[ignore = "long; `cargo xtask soak`"]
fn soak_each_changed_constant_is_named_alone() {
    for (name, values) in CHANGES {
        for &value in *values {
            let change = [(*name, value)];
            let report = simulated(&change);
            assert_named(&report, &change, "alone");
            for seed in 0..10 {
                assert_named(&with_noise(&report, seed), &change, "with noise");
            }
        }
    }
}

/// The long form with the image.
#[test]
#[ignore = "long; `cargo xtask soak`"]
fn soak_each_changed_constant_of_a_virtual_board_is_named_alone() {
    let name = "soak_each_changed_constant_of_a_virtual_board_is_named_alone";
    let Some(image) = image(name) else { return };
    for (name, values) in CHANGES {
        for &value in *values {
            let change = [(*name, value)];
            let report = measured(&image, &change);
            assert_named(&report, &change, "alone");
            for seed in 0..5 {
                assert_named(&with_noise(&report, seed), &change, "with noise");
            }
        }
    }
}

#[test]
fn changed_constants_of_a_virtual_board_are_named() {
    let Some(image) = image("changed_constants_of_a_virtual_board_are_named") else {
        return;
    };
    // Those whose figures the ARM's time could disturb most, at once.
    let changes = [
        ("launch_interval", 120.0),
        ("semaphore_handover", 20.0),
        ("uniform_cache_lines", 2.0),
    ];
    assert_named(&measured(&image, &changes), &changes, "virtual board");
}

#[test]
fn two_reports_of_a_virtual_board_are_the_same_and_nothing_differs() {
    let name = "two_reports_of_a_virtual_board_are_the_same_and_nothing_differs";
    let Some(image) = image(name) else { return };
    let report = || {
        let mut client = board(&image, &[]).expect("it boots");
        let wanted = Wanted {
            load: Duration::from_secs(1),
            created_unix: 1,
            // Longer ones take minutes to simulate.
            longest_plans: 11,
            live: vec!["i2s".into()],
        };
        let report = gather(&mut client, &wanted).expect("it reports");
        // With a minute of spectra, less than two.
        let took = client.now();
        assert!(took < Duration::from_secs(1 + 55), "{took:?}");
        report
    };
    let first = report();
    assert_eq!(first.to_text(), report().to_text());
    assert_named(&first, &[], "as documented");
    for seed in 0..5 {
        assert_named(&with_noise(&first, seed), &[], &format!("seed {seed}"));
    }
    assert_eq!(first.notes, Vec::<String>::new());
    assert_eq!(first.measurements.len(), LIST.len());
    let words = |name| first.measurement(name).and_then(|it| it.words.clone());
    assert_eq!(words("reservations"), Some(vec![0xfff]), "SQRSV works");
    let recovery = words("recovery").expect("measured");
    assert_eq!(recovery[1], 1, "the next program ran");
    assert_ne!(recovery[0], 0, "how it was ended is known");
    let boot = first.boot_us.expect("known");
    assert!(boot.entry < boot.greeting && boot.greeting < boot.v3d);
    assert!(boot.v3d < boot.first_spectrum && boot.first_spectrum < 1_000_000);
    let right = first.plans.iter().filter(|plan| plan.verdict == "right");
    assert_eq!(right.count(), first.plans.len());
    let conservative = first
        .plans
        .iter()
        .filter(|plan| plan.plan == "conservative");
    assert!(conservative.count() >= 4 * 5 && first.plans.len() >= 55);
    assert!(
        first.live.len() == 1 && first.live[0].troubles > 0,
        "nothing is on the pins"
    );
    assert_eq!(first.clocks.len(), 2);
    assert_eq!(first.clocks[0].v3d, [250_000_000; 2]);
    assert!(first.load.spectra > 0);
    let stack_left = first.stack_left_bytes.expect("the firmware says it");
    assert!(stack_left >= LEAST_STACK_LEFT_BYTES, "{stack_left} bytes");
    let worked = first.line.iter().all(|trial| {
        trial.end == TrialEnd::Worked && trial.failed == 0 && trial.board_damaged == 0
    });
    assert!(worked, "{:?}", first.line);
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for files");
    folder
}

#[test]
fn compare_prints_the_constant_and_its_value() {
    let file = folder("compare").join("report.json");
    let report = simulated(&[("tmu_run", 2.0)]);
    std::fs::write(&file, report.to_text()).expect("the folder can be written");
    let (output, status, said) = run(qpu().arg("compare").arg(&file));
    assert_eq!(status, 0, "{said}");
    let page = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        page.contains("explains the board; documented 1\n"),
        "{page}"
    );
    assert!(page.ends_with("one constant differs: tmu_run\n"), "{page}");
    let (output, ..) = run(qpu().arg("compare").arg(&file).arg("--json"));
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let constants = object["constants"].as_array().expect("a list");
    let run = constants.iter().find(|it| it["constant"] == "tmu_run");
    assert_eq!(run.expect("listed")["verdict"], "differs");
}

#[test]
fn a_file_that_cannot_be_trusted_is_refused() {
    let folder = folder("compare-refused");
    let text = empty().to_text();
    let cases = [
        (
            "cut.json",
            text[..text.len() - 20].to_owned(),
            "was cut or changed",
        ),
        (
            "newer.json",
            text.replace("\"version\": 1", "\"version\": 9"),
            "version 9",
        ),
        (
            "rubbish.json",
            "\u{0}\u{1}rubbish".to_owned(),
            "is no report",
        ),
    ];
    for (name, text, part) in cases {
        let file = folder.join(name);
        std::fs::write(&file, text).expect("the folder can be written");
        let (output, status, said) = run(qpu().arg("compare").arg(&file));
        assert_eq!(status, 2, "{said}");
        assert!(said.contains(part) && said.lines().count() == 1, "{said}");
        assert!(output.stdout.is_empty());
    }
    let (_, status, said) = run(qpu().arg("compare").arg(folder.join("absent.json")));
    assert_eq!(status, 2, "{said}");
    let set = ["report", "/dev/null", "-o", "x.json", "--set", "tmu_run=2"];
    let (_, status, said) = run(qpuscope().args(set));
    assert!(status == 2 && said.contains("virtual Pi"), "{said}");
}
