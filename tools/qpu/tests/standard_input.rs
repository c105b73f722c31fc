//! `qpu run -`: a job from standard input.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder with nothing in it.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Runs a job that comes from standard input, in `folder`.
fn run(job: &str, folder: &Path) -> (Output, String) {
    let mut child = Command::new(tests::tools::path("qpu"))
        .env_remove("QPUSCOPE_PORT")
        .args(["run", "-"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("qpuscope runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(job.as_bytes()).expect("a reader");
    drop(input);
    let output = child.wait_with_output().expect("an end");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output, said)
}

#[test]
fn its_files_are_those_of_the_current_folder() {
    let folder = folder("run-standard-input");
    // thrend and two nops.
    let words = [
        0x009e_7000u32,
        0x3000_09e7,
        0x009e_7000,
        0x1000_09e7,
        0x009e_7000,
        0x1000_09e7,
    ];
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(folder.join("code.bin"), &code).expect("a file");
    let job = r#"{"memory": [{"at": "0x41000000", "file": "code.bin"}],
        "programs": [{"code": "0x41000000", "uniforms": "0x41000000"}],
        "dump": [{"at": "0x41000008", "bytes": 4, "file": "out.bin"}]}"#;
    let (output, said) = run(job, &folder);
    assert!(output.status.success(), "{said}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!(report["end"], "completed");
    let dumped = std::fs::read(folder.join("out.bin")).expect("a dump");
    assert_eq!(dumped, code[8..12]);
}

#[test]
fn what_is_no_job_is_refused_as_any_other() {
    let folder = folder("run-no-job");
    for (job, wanted) in [
        ("", "bad job file -: "),
        ("{\"memory\": [", "bad job file -: "),
        (
            r#"{"memory": [{"at": 0, "zero": 64}], "programs": [], "dump": [{"at": 0, "bytes": 4, "file": "../out.bin"}]}"#,
            "--dump-anywhere",
        ),
    ] {
        let (output, said) = run(job, &folder);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(wanted), "{said}");
    }
}
