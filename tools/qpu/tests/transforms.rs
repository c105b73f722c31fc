//! `qpu digits`, `bench` and `flowgraph` from arguments to files, output and exit status.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tests::tools::{qpu, run};
use tests::{given, need};

const NO_GUEST: &str =
    "QPUSCOPE_GUEST_FFT names no image; `cargo xtask guest` builds target/guest-fft.img";

/// Exit status, output, standard error.
fn qpuscope(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(tests::tools::path("qpu"))
        .args(arguments)
        .output()
        .expect("qpuscope runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap_or(-1),
        text(&output.stdout),
        text(&output.stderr),
    )
}

fn file(name: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("transforms");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder.join(name).display().to_string()
}

#[test]
fn digits_are_a_permutation_in_either_form() {
    let (status, json, said) = qpuscope(&["digits", "1024", "mixed", "--json"]);
    assert_eq!(status, 0, "{said}");
    let object: Value = serde_json::from_str(&json).expect("one object");
    let bins = object["bins"].as_array().expect("a list");
    let mut seen: Vec<u64> = bins.iter().filter_map(Value::as_u64).collect();
    let (_, table, _) = qpuscope(&["digits", "1024", "mixed"]);
    let last = |line: &str| {
        line.split_whitespace()
            .last()
            .and_then(|word| word.parse().ok())
    };
    let column: Vec<u64> = table.lines().skip(2).filter_map(last).collect();
    assert_eq!(column, seen);
    seen.sort_unstable();
    assert_eq!(seen, (0..1024).collect::<Vec<_>>());
}

#[test]
fn instructions_are_counted_and_results_right() {
    let guest = need!(given("QPUSCOPE_GUEST_FFT"), "{NO_GUEST}");
    let guest = guest.display().to_string();
    for (precision, limit) in [("f32", 2e-7), ("f64", 1e-15)] {
        for more in [None, Some("--inverse")] {
            let mut arguments = vec!["bench", "--engine", "cpu", "--guest", &guest, "--json"];
            arguments.extend(["--length", "1,2,8,64,1024", "--precision", precision]);
            arguments.extend(more);
            let (status, json, said) = qpuscope(&arguments);
            assert_eq!(status, 0, "{said}");
            let object: Value = serde_json::from_str(&json).expect("one object");
            assert!(
                object["counted"]
                    .as_str()
                    .is_some_and(|text| text.contains("not time"))
            );
            let rows = object["rows"].as_array().expect("a list");
            // microfft has one precision and two points or more.
            let peers = if precision == "f32" { 4 } else { 0 };
            assert_eq!(rows.len(), 5 * 4 + peers);
            for row in rows {
                let error = row["error"].as_f64().expect("a number");
                // microfft rounds its twiddles' table otherwise.
                let limit = if row["code"] == "microfft" {
                    10.0 * limit
                } else {
                    limit
                };
                assert!(error < limit, "{row}");
                let points = row["points"].as_u64().expect("a number");
                let counted = row["instructions"].as_u64().expect("a number");
                // Each point is loaded and stored, and nothing takes 60 instructions a stage and
                // point.
                assert!(counted > 2 * points, "{row}");
                assert!(
                    counted < 60 * points * points.ilog2().max(1) as u64 + 1000,
                    "{row}"
                );
            }
        }
    }
}

#[test]
fn a_guest_that_is_none_is_refused() {
    let wrong = file("wrong.img");
    std::fs::write(&wrong, [0; 64]).expect("a file");
    let (status, _, said) = qpuscope(&["bench", "--engine", "cpu", "--guest", &wrong]);
    assert_eq!(status, 2);
    assert!(said.contains("cargo xtask guest"), "{said}");
    let (status, _, said) = qpuscope(&["bench", "--engine", "cpu", "--guest", "absent.img"]);
    assert_eq!(status, 2);
    assert!(said.contains("absent.img"), "{said}");
    let (status, _, said) = qpuscope(&["bench"]);
    assert_eq!(status, 2);
    assert!(said.contains("--engine"), "{said}");
}

#[test]
fn graphs_are_written_as_svg_and_pdf() {
    for (arguments, needle) in [
        (&["8", "--classic"][..], "stage 3"),
        (&["4096"], "32 x 128 points"),
        (&["4096", "--passes", "64,64"], "pass 1 of 2"),
        (&["4096", "--classic", "--full"], "X[4095]"),
        (&["512", "--passes", "8,8,8"], "64 x 8 points"),
        (&["4194304"], "last pass, radix"),
        (&["64", "--dit"], "decimation in time"),
        (&["64", "--passes", "8,8", "--dit"], "stage 2, radix 8"),
    ] {
        for ending in ["svg", "pdf"] {
            let path = file(&format!("graph.{ending}"));
            let mut all = vec!["flowgraph", "-o", &path];
            all.extend(arguments);
            let (status, printed, said) = qpuscope(&all);
            assert_eq!((status, printed.as_str()), (0, ""), "{said}");
            assert!(said.starts_with("wrote "), "{said}");
            let bytes = std::fs::read(&path).expect("a picture");
            if ending == "svg" {
                let text = String::from_utf8(bytes).expect("text");
                assert!(text.contains("viewBox=\"0 0 ") && text.ends_with("</svg>\n"));
                assert!(text.contains(needle), "{arguments:?}: {needle}");
            } else {
                assert!(bytes.starts_with(b"%PDF-1."));
            }
        }
    }
    let path = file("sixteen.svg");
    let (status, ..) = qpuscope(&["flowgraph", "16", "--classic", "-o", &path]);
    assert_eq!(status, 0);
    let drawn = std::fs::read_to_string(&path).expect("a picture");
    assert!(
        drawn == include_str!("../../../docs/flow-16.svg"),
        "docs/flow-16.svg is not what `qpu flowgraph 16 --classic` draws; draw it anew"
    );
    // The 8-point graph of textbooks: W^1, W^2, W^3 once, W^2 twice more.
    let path = file("eight.svg");
    let (status, ..) = qpuscope(&["flowgraph", "8", "--classic", "-o", &path]);
    assert_eq!(status, 0);
    let text = std::fs::read_to_string(&path).expect("a picture");
    let count = |exponent: u32| text.matches(&format!("\">{exponent}</tspan>")).count();
    assert_eq!([count(1), count(2), count(3)], [1, 3, 1]);
}

#[test]
fn graphs_that_cannot_be_drawn_are_refused() {
    for (arguments, needle) in [
        (
            &["8192", "--full", "-o", "a.svg"][..],
            "--full draws up to 4096 points",
        ),
        (&["16", "-o", "a.png"], "neither .svg nor .pdf"),
        (&["1", "-o", "a.svg"], "2 to 4194304 points"),
        (&["8", "-o", "a.svg"], "use --classic"),
        (
            &["64", "--passes", "8,4", "-o", "a.svg"],
            "multiply to 32, not to 64",
        ),
    ] {
        let mut all = vec!["flowgraph"];
        all.extend(arguments);
        let (status, _, said) = qpuscope(&all);
        assert_eq!(status, 2, "{said}");
        assert!(said.contains(needle), "{said}");
    }
}

/// Every kind that `plan` knows is planned, and runs where it is timed.
#[test]
fn every_kind_has_a_plan() {
    let kinds: [(&[&str], &[&str]); 7] = [
        (
            &["256", "--samples", "u8", "--windowed"],
            &["convert", "shared"],
        ),
        (
            &["256", "--samples", "u8", "--batch", "20"],
            &["first", "last"],
        ),
        (
            &["512", "--real", "--samples", "i16"],
            &["convert", "shared", "split"],
        ),
        (&["512", "--real", "--inverse"], &["join", "shared"]),
        (&["64", "--rows", "16"], &["single", "last"]),
        (
            &["64", "--powers", "4", "--hop", "32"],
            &["convert", "shared", "power"],
        ),
        (
            &["64", "--powers", "40", "--real", "--windowed"],
            &["convert", "shared", "power"],
        ),
    ];
    for (arguments, roles) in kinds {
        let mut all = vec!["plan", "--json", "--time"];
        all.extend(arguments);
        let (status, json, said) = qpuscope(&all);
        assert_eq!(status, 0, "{arguments:?}: {said}");
        let object: Value = serde_json::from_str(&json).expect("one object");
        let passes = object["passes"].as_array().expect("a list");
        let found: Vec<_> = passes
            .iter()
            .filter_map(|pass| pass["role"].as_str())
            .collect();
        assert_eq!(found, roles, "{arguments:?}");
        assert!(object["clocks"].as_f64() > Some(1000.0), "{arguments:?}");
        for pass in passes {
            let [read, written] =
                ["read_bytes", "written_bytes"].map(|key| pass[key].as_u64().unwrap_or(0));
            assert!(read > 0 && written > 0, "{arguments:?}");
        }
    }
}

/// Clocks of what the table does not have are simulated unasked, unless it is long; then they are
/// near what it takes, and not called simulated.
#[test]
fn clocks_that_are_not_in_the_table_are_simulated_or_predicted() {
    let plan = |arguments: &[&str]| {
        let mut all = vec!["plan", "--json"];
        all.extend(arguments);
        let (status, json, said) = qpuscope(&all);
        assert_eq!(status, 0, "{all:?}: {said}");
        serde_json::from_str::<Value>(&json).expect("one object")
    };
    let clocks = |plan: &Value| {
        let is_predicted = plan["clocks_are_predicted"] == true;
        (plan["clocks"].as_f64(), is_predicted)
    };
    for arguments in [
        &["16", "--batch", "3"][..],
        &["1024", "--batch", "2"],
        &["4096", "--real", "--inverse"],
        &["64", "--rows", "32"],
        &["1024", "--powers", "16", "--samples", "i16", "--windowed"],
        &["1024", "--board", "zero"],
    ] {
        let unasked = plan(arguments);
        let asked = plan(&[arguments, &["--time"]].concat());
        assert_eq!(clocks(&unasked), clocks(&asked), "{arguments:?}");
        let (Some(_), false) = clocks(&unasked) else {
            panic!("{arguments:?}: {unasked}");
        };
        let share = unasked["share"].as_f64();
        let is_there = share.is_some_and(|share| 0.0 < share && share < 1.0);
        assert_eq!(is_there, unasked["board"] == "pi1", "{unasked}");
    }
    let long = ["2048", "--batch", "50"];
    let (predicted, is_predicted) = clocks(&plan(&long));
    let (taken, was_run) = clocks(&plan(&[&long[..], &["--time"]].concat()));
    let ratio = predicted.unwrap_or(0.0) / taken.expect("run");
    assert!(
        is_predicted && !was_run && (0.75..1.25).contains(&ratio),
        "{ratio}"
    );
    for batch in ["1", "10"] {
        assert!(!clocks(&plan(&["1024", "--batch", batch])).1);
    }
    // Of long transforms the table has no ten, and of real ones nothing.
    let [one, three] = ["1", "3"].map(|batch| clocks(&plan(&["1048576", "--batch", batch])));
    assert_eq!((one.0.map(|one| 3.0 * one), true), three);
    let real = plan(&["1048576", "--real"]);
    assert_eq!(clocks(&real), (None, false));
    assert!(real["floor_clocks"].as_f64() > Some(9e5), "{real}");
}

#[test]
fn a_plan_that_fits_no_board_says_so() {
    for (batch, fits) in [("2", true), ("7", false)] {
        let (_, text, said) = qpuscope(&["plan", "4194304", "--batch", batch]);
        assert_eq!(
            text.contains("a board has 402653184 for the QPUs"),
            !fits,
            "{said}{text}"
        );
        let (_, json, _) = qpuscope(&["plan", "4194304", "--batch", batch, "--json"]);
        let object: Value = serde_json::from_str(&json).expect("one object");
        assert_eq!(object["fits"], fits);
    }
}

#[test]
fn a_hop_of_nothing_is_refused_as_that() {
    let (status, _, said) = qpuscope(&["plan", "1024", "--powers", "4", "--hop", "0"]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("give 1 or more"), "{said}");
}

/// A plan has one name, one list of passes and one explanation of its marks in both commands.
#[test]
fn plan_and_flowgraph_have_the_same_words() {
    for (points, words) in [
        (
            "16",
            &[
                "16s",
                "shared pass",
                "8 x 2 in one launch",
                "16s: the program",
            ][..],
        ),
        ("1024", &["1024", "shared pass", "32 x 32 in one launch"]),
        (
            "8192",
            &["128s x 64", "first pass", "last pass", "128s: two QPUs"],
        ),
        (
            "32768",
            &["128q x 256q", "first pass", "last pass", "256q: four QPUs"],
        ),
        (
            "65536",
            &["32 x 32 x 64", "first pass", "middle pass", "last pass"],
        ),
    ] {
        let (status, plan, said) = qpuscope(&["plan", points]);
        assert_eq!(status, 0, "{said}");
        let path = file("words.svg");
        let (status, _, said) = qpuscope(&["flowgraph", points, "-o", &path]);
        assert_eq!(status, 0, "{said}");
        let picture = std::fs::read_to_string(&path).expect("a picture");
        for word in words {
            // The table of a plan has the pass in its first column.
            let in_table = word.strip_suffix(" pass").unwrap_or(word);
            assert!(plan.contains(in_table), "{points}: {word}: {plan}");
            assert!(picture.contains(word), "{points}: {word}");
        }
        assert!(said.contains(&format!("QPU plan {}", words[0])), "{said}");
        let (_, json, _) = qpuscope(&["plan", points, "--json"]);
        let object: Value = serde_json::from_str(&json).expect("one object");
        assert_eq!(object["split"], words[0]);
    }
}

#[test]
fn numbers_of_points_take_suffixes() {
    let folder = tempfile::tempdir().expect("a folder");
    for command in [
        "plan 4Ki --batch 0x10",
        "plan 4_096 --real --powers 1k",
        "digits 1Ki 8,8,4,4",
        "flowgraph 0x10 -o flow.svg",
        "selftest transpose --rows 0x40 --columns 64",
    ] {
        let words = command.split(' ');
        let (_, status, said) = run(qpu().current_dir(folder.path()).args(words));
        assert_eq!(status, 0, "{command}: {said}");
    }
}
