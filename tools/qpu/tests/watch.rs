//! `qpu run` with a user who looks on: profile, timeline, trace; and what people get wrong.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use qpu::generate::*;
use qpu::isa::BranchCond;
use serde_json::{Value, json};

const CODE: u32 = 0x4000_1000;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("watch")
        .join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Adds the words that two lookups give, three times, and stores the sum under the mutex.
fn program() -> Vec<u64> {
    let mut b = Builder::new();
    b.mov(ra(0), UNIF);
    b.mov(ra(1), UNIF);
    b.ldi(R1, 0);
    b.ldi(R2, 3);
    let again = b.here("again");
    b.mov(TMU0_S, ra(0));
    b.sub(R2, R2, 1).setf();
    b.nop().ldtmu0();
    b.add(R1, R1, R4);
    b.brr(BranchCond::AnyZC, again);
    b.nops(3);
    b.mov(NONE, MUTEX_ACQUIRE);
    b.ldi(WR_SETUP, 0x1a00u32);
    b.mov(VPM, R1);
    b.ldi(WR_SETUP, 0x8090_4000u32);
    b.ldi(WR_SETUP, 0xc000_0000u32);
    b.mov(ST_ADDR, ra(1));
    b.mov(NONE, ST_WAIT);
    b.mov(MUTEX_RELEASE, 1);
    b.srel(9);
    b.sacq(9);
    b.end();
    b.finish_unchecked().expect("a program")
}

/// A folder with a job of three programs, without the cycle model.
fn job(name: &str) -> PathBuf {
    job_with(name, true)
}

fn job_with(name: &str, functional: bool) -> PathBuf {
    let folder = folder(name);
    let words: Vec<Value> = program()
        .iter()
        .flat_map(|word| [json!(*word as u32), json!((word >> 32) as u32)])
        .collect();
    let programs: Vec<Value> = (0..3)
        .map(|n| json!({"code": CODE, "uniforms": 0x4000_2000 + 8 * n}))
        .collect();
    let uniforms: Vec<u32> = (0..3)
        .flat_map(|n| [0x4000_3000, 0x4000_3000 + 64 * n])
        .collect();
    let job = json!({
        "memory": [
            {"at": CODE, "words": words},
            {"at": "0x40002000", "words": uniforms},
            {"at": "0x40003000", "zero": 4096},
        ],
        "programs": programs,
        "functional": functional,
    });
    std::fs::write(folder.join("job.json"), job.to_string()).expect("a file");
    folder
}

/// Runs `qpu run job.json` with more arguments, in `folder`.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, Value, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(tests::tools::path("qpu"))
        .args(["run", "job.json"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("qpuscope runs");
    let said = String::from_utf8_lossy(&stderr).into_owned();
    let object = serde_json::from_slice(&stdout).unwrap_or(Value::Null);
    (status.code(), object, said)
}

fn sum(list: &Value) -> u64 {
    list.as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_u64)
        .sum()
}

#[test]
fn a_profile_is_shown_and_leaves_the_output_as_it_is() {
    check_profile(&job("profile"));
    check_profile(&job_with("profile-timed", false));
}

fn check_profile(folder: &Path) {
    let (status, plain, said) = run(folder, &[]);
    assert_eq!(status, Some(0), "{said}");
    let (status, watched, said) = run(folder, &["--profile", "--profile-json", "p.json"]);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(plain, watched, "looking on changes nothing");
    for part in [
        "3 of 12 QPUs used",
        "issue slots used:",
        "hot spots:",
        "nop; ldtmu0",
        "0x40001000",
        "vdw ",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let text = std::fs::read_to_string(folder.join("p.json")).expect("the profile");
    let profile: Value = serde_json::from_str(&text).expect("JSON");
    let issued = |list: &Value| -> u64 {
        let list = list.as_array().expect("a list");
        list.iter()
            .filter_map(|entry| entry["issued"].as_u64())
            .sum()
    };
    assert_eq!(issued(&profile["qpus"]), sum(&plain["instructions"]));
    assert_eq!(
        issued(&profile["instructions"]),
        sum(&plain["instructions"])
    );
    let first = &profile["instructions"][0];
    assert_eq!((&first["pc"], &first["issued"]), (&json!(CODE), &json!(3)));
    assert_eq!(first["qpus"].as_array().map(Vec::len), Some(3));
}

#[test]
fn counters_have_names() {
    let (_, report, said) = run(&job("counters"), &[]);
    let by_name = report["counters_by_name"].as_object().expect("an object");
    assert_eq!(by_name.len(), 30, "{said}");
    assert_eq!(by_name["tmu-quads"], report["counters"][24]);
    assert_eq!(by_name["l2c-misses"], report["counters"][29]);
}

/// The requirements of Perfetto: times that never go back, spans of a track inside each other or
/// apart, and an end for every beginning.
#[test]
fn a_timeline_is_valid_and_monotonous() {
    check_timeline(&job("timeline"));
    check_timeline(&job_with("timeline-timed", false));
}

fn check_timeline(folder: &Path) {
    let (status, report, said) = run(folder, &["--timeline", "t.json"]);
    assert_eq!(status, Some(0), "{said}");
    let text = std::fs::read_to_string(folder.join("t.json")).expect("the timeline");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let events = file["traceEvents"].as_array().expect("a list");
    let of = |phase: &str| -> Vec<&Value> {
        events.iter().filter(|event| event["ph"] == phase).collect()
    };
    let mut last = 0.0;
    for event in events.iter().filter(|event| event["ph"] != "M") {
        let at = event["ts"].as_f64().expect("a time");
        assert!(at >= last, "{event} after {last}");
        last = at;
    }
    let end = report["cycles"].as_f64().expect("cycles") / 250.0;
    assert!(last <= end + 0.001, "{last} {end}");
    for track in 0..32 {
        // Ends of the spans that are open, innermost last.
        let mut open: Vec<f64> = vec![];
        for span in of("X").iter().filter(|span| span["tid"] == track) {
            let (at, long) = (span["ts"].as_f64().unwrap(), span["dur"].as_f64().unwrap());
            open.retain(|end| *end > at + 1e-6);
            assert!(open.iter().all(|end| *end >= at + long - 1e-6), "{span}");
            open.push(at + long);
        }
    }
    assert_eq!(of("b").len(), 9, "three lookups of three programs");
    assert_eq!(of("b").len(), of("e").len());
    assert_eq!(
        of("C").len(),
        6,
        "two counts of the semaphore for each program"
    );
    let names: Vec<&str> = of("X")
        .iter()
        .filter_map(|span| span["name"].as_str())
        .collect();
    for name in [
        "program 0x40001000",
        "QPU 11",
        "QPU 11: 1 x 64 bytes",
        "vdw",
    ] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
}

#[test]
fn a_timeline_that_is_full_says_so_and_is_still_valid() {
    let folder = job("full");
    let (status, _, said) = run(&folder, &["--timeline", "t.json", "--timeline-limit", "5"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("timeline is full at clock"), "{said}");
    assert!(said.contains("--timeline-limit 10"), "{said}");
    let text = std::fs::read_to_string(folder.join("t.json")).expect("the timeline");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    assert!(file["traceEvents"].is_array());
}

#[test]
fn a_trace_has_what_each_instruction_changes() {
    let folder = job("trace");
    let (status, report, said) = run(&folder, &["--trace=all.txt"]);
    assert_eq!(status, Some(0), "{said}");
    let trace = std::fs::read_to_string(folder.join("all.txt")).expect("the trace");
    let instructions = |text: &str| text.lines().filter(|line| line.contains(" QPU ")).count();
    assert_eq!(instructions(&trace) as u64, sum(&report["instructions"]));
    for part in [
        "ra0 = 40003000 in all lanes",
        "r2 = 00000003 in all lanes",
        "flags = z ",
        "TMU 0 < 40003000 in all lanes",
        "DMA store to 0x40003040: 1 x 64 bytes",
        "semaphore 9 = 1",
        "mutex = held",
    ] {
        assert!(trace.contains(part), "{part}: {trace}");
    }
    // One QPU, the part of it at some addresses, and on standard error.
    let (status, _, said) = run(
        &folder,
        &[
            "--trace",
            "--trace-qpu",
            "10",
            "--trace-pc",
            "0x40001000..0x40001010",
        ],
    );
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(instructions(&said), 2, "{said}");
    assert!(
        said.contains("QPU 10") && !said.contains("QPU 11"),
        "{said}"
    );
    let (_, _, said) = run(&folder, &["--trace", "--trace-clocks", "0..4"]);
    assert_eq!(
        instructions(&said),
        3,
        "one instruction of each QPU: {said}"
    );
    let (_, _, said) = run(&folder, &["--trace", "--trace-qpu", "0"]);
    assert!(
        said.contains("the trace is empty") && said.contains("QPUs 11, 10"),
        "{said}"
    );
    let (_, _, said) = run(&folder, &["--trace", "--trace-limit", "4"]);
    assert_eq!(instructions(&said), 4, "{said}");
    assert!(
        said.contains("the trace ends after 4 instructions"),
        "{said}"
    );
}

#[test]
fn what_people_get_wrong_is_said() {
    let folder = job("wrong");
    std::fs::write(folder.join("text.json"), "hello").expect("a file");
    let cases: &[(&[&str], &str)] = &[
        (&["--trace-qpu", "3"], "--trace"),
        (&["--trace", "--trace-qpu", "12"], "0..12"),
        (&["--trace", "--trace-clocks", "12"], "FROM..TO"),
        (&["--trace", "--trace-pc", "9..8"], "is empty"),
        (&["--trace", "--trace-pc", "x..8"], "`x` is no number"),
        (&["--timeline-limit", "3"], "--timeline"),
        (&["--timeline"], "--timeline <FILE>"),
        (
            &["--timeline", "absent/t.json"],
            "cannot write absent/t.json",
        ),
        (
            &["--timeline", "t", "--trace=t"],
            "t is named for two outputs",
        ),
        (&["--timeline", "job.json"], "is the job file"),
        (&["--profil"], "--profile"),
        (&["second.json"], "unexpected argument"),
    ];
    for (arguments, named) in cases {
        let (status, output, said) = run(&folder, arguments);
        assert_eq!(
            (status, &output),
            (Some(2), &Value::Null),
            "{arguments:?}: {said}"
        );
        assert!(said.contains(named), "{arguments:?}: {said}");
    }
    for (file, named) in [
        ("absent.json", "cannot read absent.json"),
        ("text.json", "not JSON"),
        (".", "cannot read ."),
    ] {
        let output = Command::new(tests::tools::path("qpu"))
            .args(["run", file])
            .current_dir(&folder)
            .output()
            .expect("qpuscope runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(named), "{file}: {said}");
    }
}

/// A folder with a job that never ends.
fn endless(name: &str) -> PathBuf {
    let folder = folder(name);
    let mut b = Builder::new();
    let again = b.here("again");
    b.brr(BranchCond::Always, again);
    b.nops(3);
    let words: Vec<u32> = b
        .finish_unchecked()
        .expect("a program")
        .iter()
        .flat_map(|word| [*word as u32, (word >> 32) as u32])
        .collect();
    let job = json!({
        "memory": [{"at": CODE, "words": words}],
        "programs": [{"code": CODE}],
        "limit_cycles": 1_000_000_000_000_u64,
    });
    std::fs::write(folder.join("job.json"), job.to_string()).expect("a file");
    folder
}

/// A run that never ends, whose trace has begun, and the name that the trace has until then.
fn traced(folder: &Path) -> (Child, PathBuf) {
    std::fs::write(folder.join("t.txt"), "an older trace").expect("a file");
    let mut child = Command::new(tests::tools::path("qpu"))
        .args(["run", "job.json", "--trace=t.txt", "--profile"])
        .args(["--trace-limit", "5000"])
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("qpuscope runs");
    // Signals are listened to before the trace is made.
    for _ in 0..200 {
        let entries = folder.read_dir().expect("a folder").flatten();
        let mut parts = entries.map(|entry| entry.path()).filter(|path| {
            let is_part = path.extension().is_some_and(|ending| ending == "part");
            is_part && path.metadata().is_ok_and(|part| part.len() > 0)
        });
        if let Some(part) = parts.next() {
            return (child, part);
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let _ = child.kill();
    panic!("no trace begins: {:?}", child.wait());
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status()
        .expect("kill runs");
    assert!(sent.success());
}

#[test]
fn signals_end_a_run_which_shows_and_keeps_what_there_is() {
    let folder = endless("signals");
    for name in ["-INT", "-TERM", "-HUP"] {
        let (mut child, part) = traced(&folder);
        signal(&child, name);
        let (mut output, mut said) = (String::new(), String::new());
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let read = stdout.expect("a pipe").read_to_string(&mut output);
        read.and_then(|_| stderr.expect("a pipe").read_to_string(&mut said))
            .expect("text");
        let status = child.wait().expect("an end").code();
        assert_eq!(status, Some(5), "{name}: {said}");
        let report: Value = serde_json::from_str(&output).expect("one object");
        assert_eq!(report["end"], "interrupted");
        assert!(said.contains("interrupted after"), "{said}");
        assert!(said.contains("hot spots:"), "{said}");
        let trace = std::fs::read_to_string(folder.join("t.txt")).expect("the trace");
        assert!(
            trace.lines().count() >= 5000,
            "{name}: {} lines",
            trace.lines().count()
        );
        assert!(!part.exists(), "{name}: a part is left");
    }
}

#[test]
fn a_killed_run_leaves_the_older_trace_and_its_own_beside() {
    let folder = endless("killed");
    let (mut child, part) = traced(&folder);
    signal(&child, "-KILL");
    child.wait().expect("an end");
    let kept = std::fs::read_to_string(folder.join("t.txt")).expect("the older one");
    assert_eq!(kept, "an older trace");
    let name = part
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    assert!(name.starts_with("t.txt."), "{name}");
    assert!(!std::fs::read(part).expect("the part").is_empty());
}

#[test]
fn a_reader_that_goes_away_is_no_crash() {
    let folder = job("pipe");
    for outputs in [
        "2>&1 >/dev/null | true",
        "2>/dev/null | true",
        "2>&1 | head -n 1",
    ] {
        let program = tests::tools::path("qpu");
        let program = program.display();
        let command = format!("( '{program}' run job.json --profile; echo $? >status ) {outputs}");
        let output = Command::new("sh")
            .args(["-c", &command])
            .current_dir(&folder)
            .output()
            .expect("sh runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("panicked"), "{said}");
        // The reader may also have been slow enough to take everything.
        let status = std::fs::read_to_string(folder.join("status")).expect("a status");
        assert!(["0", "1"].contains(&status.trim()), "{outputs}: {status}");
    }
}
