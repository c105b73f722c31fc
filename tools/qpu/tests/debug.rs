//! `qpu debug`: sessions as people type them, and what they get wrong.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use qpu::generate::*;
use qpu::isa::{BranchCond, Signal};
use serde_json::{Value, json};

const CODE: u32 = 0x4000_1000;

/// Counts r0 down from 3, stores it as row 5 of the VPM and to memory, and counts semaphore 2.
fn program(signal: bool) -> Vec<u64> {
    let mut b = Builder::new();
    b.mov(ra(1), UNIF);
    b.ldi(R0, 3);
    b.itof(R3, ELEM_NUM);
    let again = b.here("again");
    b.sub(R0, R0, 1).setf();
    b.brr(BranchCond::AnyZC, again);
    b.nops(3);
    b.ldi(WR_SETUP, 0x1a05u32);
    b.mov(VPM, ELEM_NUM);
    b.ldi(WR_SETUP, 0x8090_4000u32 | 5 << 7);
    b.ldi(WR_SETUP, 0xc000_0000u32);
    b.mov(ST_ADDR, ra(1));
    b.mov(NONE, ST_WAIT);
    b.srel(2);
    b.sacq(2);
    b.end();
    let mut words = b.finish_unchecked().expect("a program");
    if signal {
        // The breakpoint signal in place of none (guide, "Signaling bits").
        assert_eq!(words[2] >> 60, Signal::None as u64);
        words[2] &= !(15 << 60);
    }
    words
}

fn job(name: &str, launches: usize, signal: bool) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("debug")
        .join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let words: Vec<u32> = program(signal)
        .iter()
        .flat_map(|word| [*word as u32, (word >> 32) as u32])
        .collect();
    let launch = json!([{"code": CODE, "uniforms": "0x40002000"}]);
    let job = json!({
        "memory": [
            {"at": CODE, "words": words},
            {"at": "0x40002000", "words": ["0x40003000"]},
            {"at": "0x40003000", "zero": 4096},
        ],
        "launches": vec![launch; launches],
    });
    std::fs::write(folder.join("job.json"), job.to_string()).expect("a file");
    folder
}

/// The results of a script: exit status, standard output, standard error.
fn debug(folder: &Path, script: &str) -> (Option<i32>, String, String) {
    let mut child = Command::new(tests::tools::path("qpu"))
        .args(["debug", "job.json"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("qpuscope runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(script.as_bytes()).expect("a script");
    drop(input);
    let output = child.wait_with_output().expect("an end");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// The output of a script that is right.
fn shown(folder: &Path, script: &str) -> String {
    let (status, output, said) = debug(folder, script);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(said, "");
    output
}

#[test]
fn breakpoints_stop_before_their_instruction_each_time() {
    let folder = job("break", 1, false);
    let output = shown(&folder, "break L1\nc\np r0\nc\np r0 int\nc\np r0\nc\n");
    assert_eq!(
        output.matches("QPU 11: breakpoint 1").count(),
        3,
        "{output}"
    );
    for part in [
        "=>  0x40001018     4  sub.setf r0, r0, 1",
        "r0   = 00000003 in all lanes",
        "r0   = 2 in all lanes",
        "r0   = 00000001 in all lanes",
        "all programs have ended",
    ] {
        assert!(output.contains(part), "{part}: {output}");
    }
    // By line and by address, of one QPU, deleted again.
    let output = shown(&folder, "b :4 10\nb 0x40001018 11\nc\nb\ndelete 2\nc\n");
    assert!(
        output.contains("1 breakpoint of QPU 10, 0 hits"),
        "{output}"
    );
    assert!(
        output.contains("2 breakpoint of QPU 11, 1 hits"),
        "{output}"
    );
    assert!(output.ends_with("clocks\n"), "{output}");
}

#[test]
fn steps_and_rounds_go_as_far_as_asked() {
    let folder = job("step", 1, false);
    let output = shown(
        &folder,
        "list start 2\nstep\nstep 2\nround\nuntil L1\nregs\nregs r3 float\n",
    );
    for part in [
        "start:\n=>  0x40001000     1  mov ra1, unif",
        "=>  0x40001008     2",
        "=>  0x40001018     4",
        "QPU 11: there",
        "flags  lanes 0..15: ",
        "r3   [ 0]       0.00000       1.00000       2.00000       3.00000",
    ] {
        assert!(output.contains(part), "{part}: {output}");
    }
}

#[test]
fn watches_stop_at_changes_and_stores() {
    let folder = job("watch", 1, false);
    let output = shown(
        &folder,
        "watch reg r0\nwatch vpm 5\nwatch mem 0x4000303c 4\nwatch sem 2\nc\nc\nc\nc\nc\nc\nc\nvpm 5\nx 0x40003000 16\nc\nc\n",
    );
    for part in [
        "watch 1: r0 was changed by 0x40001008 `ldi r0, 3`",
        "watch 1: r0 was changed by 0x40001018 `sub.setf r0, r0, 1`",
        "watch 2: VPM row 5 has changed",
        "watch 3: 64 bytes were written at 0x40003000",
        "watch 4: semaphore 2 is 1",
        "watch 4: semaphore 2 is 0",
        "  5  [ 0] 00000000 00000001",
        "0x40003020: 00000008 00000009",
        "all programs have ended",
    ] {
        assert!(output.contains(part), "{part}: {output}");
    }
}

#[test]
fn a_breakpoint_stops_at_the_start_of_the_next_launch() {
    let folder = job("launches", 2, false);
    let output = shown(&folder, "break start\nc\nunits\np ra1\nc\n");
    assert_eq!(
        output.matches("breakpoint 1\n").count(),
        2,
        "set once, hit once: {output}"
    );
    assert!(output.contains("launch      1,"), "{output}");
    assert!(output.contains("all programs have ended"), "{output}");
}

#[test]
fn a_breakpoint_signal_stops_and_continue_goes_on() {
    let folder = job("signal", 1, true);
    let output = shown(&folder, "c\nqpu\nc\n");
    assert!(
        output.contains("stopped by its breakpoint signal"),
        "{output}"
    );
    assert!(output.contains("11 halted"), "{output}");
    assert!(output.contains("all programs have ended"), "{output}");
}

#[test]
fn a_job_begins_again_with_its_breakpoints() {
    let folder = job("restart", 1, false);
    let output = shown(&folder, "b :12\nc\nrestart\nx 0x40003000 4\nc\nd all\nc\n");
    assert_eq!(
        output.matches("QPU 11: breakpoint 1").count(),
        2,
        "{output}"
    );
    assert!(output.contains("0x40003000: 00000000"), "{output}");
}

#[test]
fn a_fault_and_a_deadlock_can_be_looked_at() {
    let folder = job("fault", 1, false);
    let path = folder.join("job.json");
    let text = std::fs::read_to_string(&path).expect("a job");
    let mut job: Value = serde_json::from_str(&text).expect("JSON");
    job["memory"][1]["words"] = json!([0x5000_0000]);
    std::fs::write(&path, job.to_string()).expect("a file");
    let output = shown(&folder, "c\nqpu\np ra1\nunits\n");
    for part in [
        "fault: QPU 11",
        "the job has faulted",
        "11 faulted",
        "ra1  = 50000000",
    ] {
        assert!(output.contains(part), "{part}: {output}");
    }
}

#[test]
fn commands_can_be_arguments() {
    let folder = job("arguments", 1, false);
    let output = Command::new(tests::tools::path("qpu"))
        .args([
            "debug",
            "job.json",
            "-c",
            "until :3",
            "--command",
            "print ra1",
        ])
        .current_dir(&folder)
        .stdin(Stdio::null())
        .output()
        .expect("qpuscope runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success());
    assert!(text.ends_with("ra1  = 40003000 in all lanes\n"), "{text}");
}

#[test]
fn what_people_get_wrong_is_said_and_the_rest_is_done() {
    let folder = job("wrong", 1, false);
    for (line, named) in [
        ("jump 3", "there is no command `jump`"),
        ("re", "could be registers, restart"),
        ("break L9", "one of start, L1"),
        ("break 0x40001004", "multiple of 8"),
        ("break :99", "there is no line 99"),
        ("break start 12", "a QPU is 0 to 11"),
        ("step 0", "COUNT is 1 to"),
        ("step x", "`x` is no number"),
        ("step 1 2", "`2` is too much"),
        ("until", "write until ADDRESS"),
        ("watch", ""),
        ("watch mem", "write watch"),
        ("watch tree 4", "`tree` cannot be watched"),
        ("watch reg r9", "`r9` is no register"),
        ("watch vpm 128", "ROW is 0 to 127"),
        ("watch sem 16", "a semaphore is 0 to 15"),
        ("delete 4", "there is no breakpoint or watch 4"),
        ("print ra99", "`ra99` is no register"),
        ("memory 0x70000000", "no memory here"),
        ("memory", "write memory ADDRESS"),
        ("format octal", "`octal` is no format"),
        (
            "qpu 3",
            "QPU 3 has no program now; choose another with `qpu`: 11",
        ),
        ("continue now", "`now` is too much"),
        ("help jump", "there is no command `jump`"),
        ("print \u{fffd}", "is no register"),
    ] {
        let (status, output, said) = debug(&folder, &format!("{line}\nunits\n"));
        assert!(said.contains(named), "{line}: {said}");
        let wrong = !named.is_empty();
        assert_eq!(status, Some(if wrong { 2 } else { 0 }), "{line}: {said}");
        assert!(output.contains("semaphores"), "{line}: {output}");
    }
    let (status, output, said) = debug(&folder, "# a comment\n\nquit\nunits\n");
    assert_eq!((status, output.as_str(), said.as_str()), (Some(0), "", ""));
}

#[test]
fn ctrl_c_stops_a_job_that_runs_and_the_rest_is_done() {
    let folder = job("ctrl-c", 1, false);
    let path = folder.join("job.json");
    let text = std::fs::read_to_string(&path).expect("a job");
    let mut job: Value = serde_json::from_str(&text).expect("JSON");
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
    job["memory"][0]["words"] = json!(words);
    job["limit_cycles"] = json!(1_000_000_000_000_u64);
    std::fs::write(&path, job.to_string()).expect("a file");
    let mut child = Command::new(tests::tools::path("qpu"))
        .args(["debug", "job.json"])
        .current_dir(&folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("qpuscope runs");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    input.write_all(b"qpu\n").expect("a command");
    let mut line = String::new();
    output.read_line(&mut line).expect("an answer");
    assert!(line.starts_with("*11 runs"), "{line}");
    input.write_all(b"continue\nqpu\n").expect("commands");
    drop(input);
    // Before the job goes on or while it does: both stop it.
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill runs");
    assert!(sent.success());
    let mut rest = String::new();
    output.read_to_string(&mut rest).expect("text");
    assert!(child.wait().expect("an end").success());
    assert!(rest.starts_with("interrupted\nclock "), "{rest}");
    assert!(rest.contains("*11 runs"), "{rest}");
}
