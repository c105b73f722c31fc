//! `qpu run` from job file to exit status, output and dumped files.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use qpu::generate::{Builder, UNIF};
use qpu::isa::BranchCond;
use serde_json::{Value, json};

/// Stores 1000 + 128 to 16 words at the address in its second uniform, and raises host_int; words
/// that others assembled (vc4asm, asurati; docs/hardware/qpu.md 1.14).
const STORE: [u64; 14] = [
    0x1002_0827_1582_7d80,
    0xe002_08e7_0000_0080,
    0xe002_1c67_0000_1a00,
    0x1002_0827_0c9e_70c0,
    0x1002_0c27_159e_7000,
    0xe002_1c67_8090_4000,
    0xe002_1c67_c000_0000,
    0x1002_0867_1582_7d80,
    0x1002_1ca7_159e_7240,
    0x1002_09e7_159f_2e00,
    0xd002_09a7_159c_1fc0,
    0x3000_09e7_009e_7000,
    0x1000_09e7_009e_7000,
    0x1000_09e7_009e_7000,
];

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("run")
        .join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Runs a job in `folder`; exit status, output, standard error.
fn run(folder: &Path, job: &Value) -> (i32, Value, String) {
    run_with(folder, job, &[])
}

fn run_with(folder: &Path, job: &Value, options: &[&str]) -> (i32, Value, String) {
    let output = output(folder, job, options);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let object =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    (output.status.code().unwrap_or(-1), object, said)
}

fn output(folder: &Path, job: &Value, options: &[&str]) -> Output {
    let path = folder.join("job.json");
    std::fs::write(&path, job.to_string()).expect("a file");
    Command::new(tests::tools::path("qpu"))
        .arg("run")
        .args(options)
        .arg(&path)
        .output()
        .expect("qpuscope runs")
}

/// A job of one program at 0x40001000 with its uniforms at 0x40002000 and memory at 0x40003000.
fn job(folder: &Path, code: &[u64], uniforms: &[u32]) -> Value {
    let bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    // Junk in front shows that offset and bytes are kept.
    let file = [&[0xEE; 8][..], &bytes, &[0xEE; 8]].concat();
    std::fs::write(folder.join("code.bin"), file).expect("a file");
    json!({
        "memory": [
            {"at": "0x40001000", "file": "code.bin", "offset": 8, "bytes": bytes.len()},
            {"at": "0x40002000", "words": uniforms},
            {"at": "0x40003000", "zero": 64},
        ],
        "programs": [ {"code": "0x40001000", "uniforms": "0x40002000"} ],
        "dump": [ {"at": "0xc0003000", "bytes": 64, "file": "out.bin"} ],
    })
}

#[test]
fn a_program_runs_and_its_memory_is_dumped() {
    let folder = folder("stores");
    let (status, report, said) = run(&folder, &job(&folder, &STORE, &[1000, 0x4000_3000]));
    assert_eq!(status, 0, "{said}");
    let dumped = std::fs::read(folder.join("out.bin")).expect("the dump");
    assert_eq!(dumped, 1128_u32.to_le_bytes().repeat(16));
    assert_eq!(report["timed"], true);
    assert_eq!(report["host_interrupts"], 1);
    assert_eq!(report["vdw"], json!({"bytes": 64, "commands": 1}));
    let executed: u64 = report["instructions"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_u64)
        .sum();
    assert_eq!(executed, STORE.len() as u64);
    assert_eq!(report["instructions"].as_array().map(Vec::len), Some(12));
    assert_eq!(report["counters"].as_array().map(Vec::len), Some(30));
    assert!(report["cycles"].as_u64() >= Some(4 * STORE.len() as u64));
    assert_eq!(report["faults"], json!([]));
}

#[test]
fn launches_run_one_after_the_other_in_any_order_of_qpus() {
    let folder = folder("launches");
    let mut job = job(&folder, &STORE, &[1000, 0x4000_3000]);
    let program = job["programs"][0].clone();
    job.as_object_mut().expect("an object").remove("programs");
    job["launches"] = json!([[program, program], [program]]);
    job["clear"] = json!(["all", "none"]);
    for seed in [1, 2, 3] {
        job["seed"] = json!(seed);
        job["functional"] = json!(true);
        job["clock_hz"] = json!(300_000_000);
        let (status, report, said) = run(&folder, &job);
        assert_eq!(status, 0, "{said}");
        assert_eq!(report["host_interrupts"], 3);
    }
}

#[test]
fn a_store_into_nothing_is_a_fault() {
    let folder = folder("fault");
    let (status, report, said) = run(&folder, &job(&folder, &STORE, &[1000, 0x4100_0000]));
    assert_eq!(status, 5, "{report}");
    assert!(said.contains("0x41000000"), "{said}");
    assert!(said.contains("name memory there in the job"), "{said}");
    let fault = &report["faults"][0];
    assert_eq!(fault["rule"], "memory");
    assert_eq!(fault["count"], 1);
    assert!(fault["pc"].as_u64() >= Some(0x4000_1000), "{fault}");
    assert!(
        fault["qpu"].is_u64() && fault["disassembly"].is_string(),
        "{fault}"
    );
    assert!(
        folder.join("out.bin").is_file(),
        "what is in memory is dumped all the same"
    );
}

#[test]
fn time_is_left_out_and_orders_are_chosen_without_the_job() {
    let folder = folder("options");
    let job = job(&folder, &STORE, &[1000, 0x4000_3000]);
    for (options, timed) in [
        (&[][..], true),
        (&["--functional"], false),
        (&["--seed", "7"], false),
    ] {
        let (status, report, said) = run_with(&folder, &job, options);
        assert_eq!((status, &report["timed"]), (0, &json!(timed)), "{said}");
    }
}

#[test]
fn what_lies_over_code_is_reported() {
    let folder = folder("over");
    let mut job = job(&folder, &STORE, &[1000, 0x4000_3000]);
    let last = STORE.len() * 8 - 4;
    let over = json!({"at": format!("{:#x}", 0x4000_1000 + last), "words": ["0x100009e7"]});
    job["memory"].as_array_mut().expect("a list").push(over);
    let (status, _, said) = run(&folder, &job);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("note: memory[") && said.contains("replaces part of memory["));
}

#[test]
fn uniforms_or_instructions_that_are_missing_are_called_so() {
    let folder = folder("missing");
    let mut b = Builder::new();
    b.mov(qpu::generate::R0, UNIF);
    b.mov(qpu::generate::R0, UNIF);
    b.end();
    let code = b.finish().expect("a program");
    // The last word of the uniforms is the last of its page, and nothing lies behind the page.
    let mut too_few = job(&folder, &code, &[0]);
    too_few["memory"][1] = json!({"at": "0x40004ffc", "words": [1]});
    too_few["programs"][0]["uniforms"] = json!("0x40004ffc");
    let (status, _, said) = run(&folder, &too_few);
    assert_eq!(status, 5, "{said}");
    assert!(
        said.contains("as many uniforms as the program reads"),
        "{said}"
    );
    let mut endless = job(&folder, &code[..2], &[0, 0]);
    endless["memory"][0]["at"] = json!("0x40007ff0");
    endless["programs"][0]["code"] = json!("0x40007ff0");
    let (status, _, said) = run(&folder, &endless);
    assert_eq!(status, 5, "{said}");
    assert!(said.contains("end the program with thrend"), "{said}");
}

#[test]
fn an_endless_loop_ends_at_the_cycle_limit() {
    let folder = folder("loop");
    let mut b = Builder::new();
    let again = b.here("again");
    b.brr(BranchCond::Always, again);
    b.nop();
    b.nop();
    b.nop();
    b.mov(qpu::generate::R0, UNIF);
    b.end();
    let mut job = job(&folder, &b.finish().expect("a program"), &[0]);
    job["limit_cycles"] = json!("0x1000");
    let (status, report, said) = run(&folder, &job);
    assert_eq!(status, 5, "{report}");
    assert!(said.contains("limit_cycles"), "{said}");
    assert_eq!(report["end"], "cycle-limit");
    assert_eq!(report["faults"][0]["rule"], "cycle-limit");
}

#[test]
fn a_deadlock_says_who_waits_for_what() {
    let folder = folder("deadlock");
    let nop = 0x1000_09e7_009e_7000;
    let read_mutex = 0x1000_09e7_15ce_7d80;
    for (first, second, waits_for, advice) in [
        // sacq of semaphore 3, which nobody releases (docs/hardware/qpu.md 1.5: decrement has bit 4
        // set).
        (
            0xe800_09e7_0000_0013,
            nop,
            "semaphore 3",
            "decrement has its increment",
        ),
        (read_mutex, read_mutex, "the mutex", "gives it back"),
        (nop & !(1 << 60), nop, "the host", "take bkpt out"),
    ] {
        let code = [first, second, 0x3000_09e7_009e_7000, nop, nop];
        let (status, report, said) = run(&folder, &job(&folder, &code, &[0]));
        assert_eq!(status, 5, "{report}");
        assert!(said.contains(waits_for) && said.contains(advice), "{said}");
        assert_eq!(report["end"], "deadlock");
        assert_eq!(report["faults"][0]["rule"], "deadlock");
    }
}

#[test]
fn warnings_are_counted_and_faults_under_strict() {
    let folder = folder("strict");
    // ra0 is read by the instruction after the one that writes it (hazard 1).
    let code = [
        0x1002_0027_1582_7d80, // mov ra0, unif
        0x1002_0827_1502_7d80, // mov r0, ra0
        0x3000_09e7_009e_7000,
        0x1000_09e7_009e_7000,
        0x1000_09e7_009e_7000,
    ];
    let mut job = job(&folder, &code, &[5]);
    let (status, report, said) = run(&folder, &job);
    assert_eq!(status, 0, "{said}");
    let warning = &report["warnings"][0];
    assert_eq!(warning["rule"], "regfile-read-after-write", "{report}");
    assert_eq!(warning["count"], 1);
    assert!(said.contains("warning:"), "{said}");
    for options in [&["--strict"][..], &[]] {
        let (status, report, _) = run_with(&folder, &job, options);
        assert_eq!(status, 5, "{report}");
        assert_eq!(report["faults"][0]["rule"], "regfile-read-after-write");
        job["strict"] = json!(true);
    }
    let allow = ["--allow", "regfile-read-after-write"];
    for (strict, allowed, options) in [
        (true, json!([]), &allow[..]),
        (false, json!([]), &allow),
        (true, json!([allow[1]]), &[]),
        (false, json!([allow[1]]), &[]),
    ] {
        job["strict"] = json!(strict);
        job["allow"] = allowed;
        let (status, report, said) = run_with(&folder, &job, options);
        assert_eq!((status, &report["warnings"]), (0, &json!([])), "{said}");
        assert!(!said.contains("warning:"), "{said}");
    }
}

#[test]
fn another_constant_changes_clocks_and_is_named() {
    let folder = folder("constants");
    let mut job = job(&folder, &STORE, &[1000, 0x4000_3000]);
    let cycles = |report: &Value| report["cycles"].as_u64().expect("a number");
    let (_, usual, said) = run(&folder, &job);
    assert_eq!(usual.get("constants"), None);
    assert!(!said.contains("vdw_start"), "{said}");
    let (status, slow, said) = run_with(&folder, &job, &["--set", "vdw_start=427"]);
    assert_eq!(status, 0, "{said}");
    assert_eq!(cycles(&slow), cycles(&usual) + 400);
    assert_eq!(slow["constants"], json!({"vdw_start": 427.0}));
    assert!(said.contains("vdw_start=427"), "{said}");
    // An option is on top of what the job says.
    job["constants"] = json!({"vdw_start": 427});
    assert_eq!(run(&folder, &job).1, slow);
    let (_, both, _) = run_with(&folder, &job, &["--set", "vdw_start=827"]);
    assert_eq!(cycles(&both), cycles(&usual) + 800);
    for (set, problem) in [
        ("vdw_start", "give NAME=VALUE"),
        ("vdw_start=fast", "fast is no number"),
        ("vdw_start=-1", "cannot be -1"),
        ("vdw_begin=1", "there is no constant `vdw_begin`"),
        ("direct_launch_us=1", "the host's share"),
    ] {
        let output = output(&folder, &job, &["--set", set]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(problem), "{said}");
    }
}

#[test]
fn a_job_without_programs_is_reported() {
    let job = json!({"memory": [{"at": 0, "zero": 8}], "programs": []});
    let (status, _, said) = run(&folder("no-programs"), &job);
    assert_eq!(status, 0);
    assert!(said.contains("starts no program"), "{said}");
}

#[test]
fn what_a_run_reads_or_writes_is_not_written_over() {
    let folder = folder("one-file");
    let mut job = job(&folder, &[0x3000_09e7_009e_7000; 3], &[5]);
    let path = folder.join("job.json");
    let timeline = folder.join("out.bin").display().to_string();
    for (dump, options, problem) in [
        (
            path.clone(),
            &[][..],
            "a file is the job file and would be overwritten",
        ),
        ("../one-file/code.bin".into(), &[], "is read by the job"),
        (
            "../one-file/out.bin".into(),
            &["--timeline", &timeline],
            "is named for two outputs",
        ),
    ] {
        job["dump"][0]["file"] = json!(dump);
        let output = output(&folder, &job, options);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(problem), "{said}");
    }
}

#[test]
fn a_dump_that_cannot_be_written_is_reported_before_the_job_runs() {
    let folder = folder("no-dump");
    let mut job = job(&folder, &[0x3000_09e7_009e_7000; 3], &[5]);
    std::fs::create_dir(folder.join("a-folder")).expect("a folder");
    for file in ["absent/out.bin", "a-folder"] {
        job["dump"][0]["file"] = json!(file);
        let output = output(&folder, &job, &[]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        let named = format!("dump[0].file: cannot write {}", folder.join(file).display());
        assert!(said.contains(&named), "{said}");
        assert!(output.stdout.is_empty(), "the job ran");
    }
}

#[test]
fn a_dump_that_fails_after_the_run_costs_no_other() {
    // Whatever is written to this device finds it full.
    if !Path::new("/dev/full").exists() {
        tests::skip!("this system has no /dev/full");
    }
    let folder = folder("full");
    let mut job = job(&folder, &STORE, &[5, 0xc000_3000]);
    let mut dump = job["dump"][0].take();
    let good = dump.clone();
    dump["file"] = json!("/dev/full");
    job["dump"] = json!([dump, good]);
    let (status, report, said) = run_with(&folder, &job, &["--dump-anywhere"]);
    assert_eq!((status, &report["end"]), (1, &json!("completed")), "{said}");
    assert!(said.contains("cannot write /dev/full: "), "{said}");
    let written = std::fs::read(folder.join("out.bin")).expect("the other dump");
    assert_eq!(written.len(), 64);
}
