//! `dis`, `check` and `explain` as a user runs them, with right and wrong files.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of this test's own with one file.
fn file(test: &str, name: &str, bytes: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).expect("a folder for files");
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("a file");
    path
}

fn qpuscope(arguments: &[&str], path: &Path) -> Output {
    Command::new(tests::tools::path("qpu"))
        .args(arguments)
        .arg(path)
        .output()
        .expect("qpuscope runs")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A loop whose last delay slot writes what its first instruction reads.
const LOOP: &str = ":again
sub.setf r0, ra1, 1
brr.anynz -, r:again
nop
nop
mov ra1, r0
nop; thrend
nop
nop
";

#[test]
fn any_words_come_back_through_files() {
    let words: [u64; 6] = [
        0x1000_09e7_009e_7000,
        0,
        u64::MAX,
        0x1000_09e7_099e_7000,
        0xf0f8_09e7_ffff_ffe0,
        0xe002_1c67_8090_4000,
    ];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let code = file("come-back", "code.bin", &bytes);
    for options in [&["dis"][..], &["dis", "--plain"]] {
        let listed = qpuscope(options, &code);
        assert!(listed.status.success(), "{}", err(&listed));
        let source = file("come-back", "code.qasm", &listed.stdout);
        let back = qpuscope(&["asm", "--no-check", "--format", "bin"], &source);
        assert!(back.status.success(), "{}", err(&back));
        assert_eq!(back.stdout, bytes, "{}", out(&listed));
    }
}

#[test]
fn a_finding_names_the_line_and_the_way() {
    let source = file("finding", "loop.qasm", LOOP.as_bytes());
    let checked = qpuscope(&["check"], &source);
    assert_eq!(checked.status.code(), Some(5));
    let text = out(&checked);
    assert!(
        text.contains("loop.qasm:2: regfile-read-after-write: ra1 was written"),
        "{text}"
    );
    assert!(
        text.contains("on the way over the branch at 0x0008 (taken)"),
        "{text}"
    );
    assert!(
        text.contains("to fix it, put an instruction between"),
        "{text}"
    );

    let json = qpuscope(&["check", "--json"], &source);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let finding = &json["findings"][0];
    assert_eq!(finding["rule"], "regfile-read-after-write");
    assert_eq!(finding["line"], 2);
    assert_eq!(finding["way"][0]["address"], 8);

    let allowed = qpuscope(&["check", "--allow", "regfile-read-after-write"], &source);
    assert!(allowed.status.success(), "{}", err(&allowed));
    assert_eq!(out(&allowed), "");

    let strict = qpuscope(&["asm", "--strict"], &source);
    assert_eq!(strict.status.code(), Some(2));
    assert!(
        err(&strict).contains("on the way over the branch"),
        "{}",
        err(&strict)
    );
}

#[test]
fn what_nothing_wrote_is_reported_in_source_and_words() {
    let text = "mov rb7, 1\nnop\nadd r0, ra7, 1\nmov.ifz r0, 2\nnop; thrend\nnop\nnop\n";
    let source = file("undefined", "read.qasm", text.as_bytes());
    let checked = qpuscope(&["check"], &source);
    let read = "read.qasm:3: undefined-read: ra7 is read, and nothing before it writes it, but rb7 is written";
    assert!(out(&checked).contains(read), "{}", out(&checked));
    let assembled = qpuscope(&["asm"], &source);
    assert!(assembled.status.success());
    assert!(err(&assembled).contains("read.qasm:3:1: warning: ra7 is read"));
    let words = file("undefined", "read.hex", out(&assembled).as_bytes());
    for arguments in [&["check"][..], &["dis", "--check"]] {
        let said = out(&qpuscope(arguments, &words));
        assert!(said.contains("flags are asked for"), "{said}");
    }
}

#[test]
fn check_reads_the_languages_that_asm_does() {
    let text = "or ra1, ra32, 0; nop\nor rb32, ra1, 0; nop\nnop.tend\nnop\nnop\n";
    let source = file("languages", "early.asm", text.as_bytes());
    let unread = qpuscope(&["check"], &source);
    assert!(err(&unread).contains("--syntax"), "{}", err(&unread));
    let checked = qpuscope(&["check", "--syntax", "rpi-playground"], &source);
    let said = out(&checked);
    assert!(said.contains(":2: regfile-read-after-write: "), "{said}");
}

#[test]
fn a_line_that_is_repeated_is_reported_once() {
    let text = "mov r0, 1\n.rep i, 3\nmov ra1, r0\nmov r0, ra1\n.endr\nnop; thrend\nnop\nnop\n";
    let source = file("repeated", "rep.qasm", text.as_bytes());
    let checked = qpuscope(&["check"], &source);
    let text = out(&checked);
    assert_eq!(
        text.matches("regfile-read-after-write").count(),
        1,
        "{text}"
    );
    assert!(text.contains("and 2 more times where this line is repeated"));
    assert!(err(&checked).contains("3 findings"), "{}", err(&checked));
    let json = qpuscope(&["check", "--json"], &source);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(json["findings"].as_array().map(Vec::len), Some(3));
}

#[test]
fn wrong_files_and_names_are_refused_with_what_to_do() {
    let missing = Path::new("absent/absent.hex");
    for command in ["dis", "check"] {
        let refused = qpuscope(&[command], missing);
        assert_eq!(refused.status.code(), Some(2));
        assert!(
            err(&refused).contains("check the path"),
            "{}",
            err(&refused)
        );
    }
    let cases: [(&str, &[u8], &[&str], &str); 8] = [
        ("odd.bin", b"\x00\x01\x02", &["dis"], "no whole number"),
        ("half.hex", b"0x1", &["check"], "other half"),
        ("empty.hex", b"", &["check"], "is empty"),
        (
            "wrong.qasm",
            b"moc r0, r1\n",
            &["check"],
            "did you mean mov?",
        ),
        ("text.txt", b"nop\n", &["dis"], "not a hexadecimal word"),
        // Eight bytes that an instruction could have.
        ("wide.qasm", b"\xff\xfen\0o\0p\0", &["dis"], "as UTF-8"),
        ("wide.qasm", b"\xfe\xff\0n\0o\0p", &["check"], "as UTF-8"),
        (
            "code.bin",
            b"\x01\0\0\0\x27\x08\x02\xe0",
            &["asm"],
            "`qpu dis`",
        ),
    ];
    for (name, bytes, arguments, expected) in cases {
        let refused = qpuscope(arguments, &file("wrong", name, bytes));
        assert_eq!(refused.status.code(), Some(2), "{name}");
        assert!(
            err(&refused).contains(expected),
            "{name}: {}",
            err(&refused)
        );
    }
    let job = file(
        "wrong",
        "job.json",
        b"{ \"memory\": [], \"programs\": [] }\n",
    );
    for command in ["asm", "dis", "check"] {
        let refused = qpuscope(&[command], &job);
        assert_eq!(refused.status.code(), Some(2), "{command}");
        assert!(
            err(&refused).contains("run it with `qpu run`"),
            "{command}: {}",
            err(&refused)
        );
    }
    let unknown = qpuscope(
        &["check", "--allow", "regfile"],
        &file("wrong", "nop.qasm", b"nop\n"),
    );
    assert_eq!(unknown.status.code(), Some(2));
    assert!(
        err(&unknown).contains("regfile-read-after-write"),
        "{}",
        err(&unknown)
    );
}

#[test]
fn every_rule_is_listed_and_explained() {
    let list = Command::new(tests::tools::path("qpu"))
        .arg("explain")
        .output()
        .expect("qpuscope runs");
    let list = out(&list);
    assert!(
        list.lines().count() >= qpu::check::Rule::ALL.len(),
        "{list}"
    );
    let one = qpuscope(&["explain"], Path::new("mutex-held-at-end"));
    assert!(
        out(&one).contains("give it back on every way to the end"),
        "{}",
        out(&one)
    );
}

#[test]
fn readers_that_go_early_are_no_failure_to_tell_of() {
    // More than a pipe holds, to both outputs.
    let source = "nop\n".repeat(40_000) + &"bad\n".repeat(10);
    let good = file("early", "good.qasm", source.replace("bad\n", "").as_bytes());
    let bad = file(
        "early",
        "bad.qasm",
        source.replace("nop", "nope").as_bytes(),
    );
    for (path, status) in [(&good, Some(1)), (&bad, Some(2))] {
        let mut child = Command::new(tests::tools::path("qpu"))
            .args(["asm", "--no-check"])
            .arg(path)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("qpuscope runs");
        drop(child.stdout.take());
        if status == Some(2) {
            drop(child.stderr.take());
        }
        let ended = child.wait_with_output().expect("it ends");
        assert_eq!(ended.status.code(), status, "{}", err(&ended));
        assert_eq!(err(&ended), "");
    }
}

#[test]
fn asm_writes_over_neither_its_source_nor_itself() {
    let source = file("asm-over", "add.qasm", LOOP.as_bytes());
    let [name, other] = ["add.qasm", "add.bin"].map(|name| {
        let path = source.with_file_name(name);
        path.to_str().expect("UTF-8").to_owned()
    });
    for (words, named) in [
        (vec!["asm", "--no-check", "-o", &name], "is the source"),
        (
            vec!["asm", "--no-check", "--listing", &name],
            "is the source",
        ),
        (
            vec!["asm", "--no-check", "-o", &other, "--listing", &other],
            "two outputs",
        ),
    ] {
        let output = qpuscope(&words, &source);
        assert_eq!(output.status.code(), Some(2), "{}", err(&output));
        assert!(err(&output).contains(named), "{}", err(&output));
    }
    assert_eq!(std::fs::read(&source).expect("the source"), LOOP.as_bytes());
}

#[test]
fn asm_says_what_it_was_not_given() {
    let empty = file("not-given", "empty.qasm", b"# nothing\n");
    let output = qpuscope(&["asm"], &empty);
    assert!(output.status.success());
    assert!(err(&output).contains("no instruction"), "{}", err(&output));
    let wide = file("not-given", "wide.qasm", b"\xff\xfen\0o\0p\0\n\0");
    let output = qpuscope(&["asm"], &wide);
    assert!(err(&output).contains("is no text"), "{}", err(&output));
    let nop = file("not-given", "nop.qasm", b"nop\n");
    let output = qpuscope(&["asm", "--no-check", "--out", "-"], &nop);
    assert!(out(&output).starts_with("0x009e7000"), "{}", out(&output));
    let code = file("not-given", "code.bin", &[0xff; 8]);
    let output = qpuscope(&["run"], &code);
    assert!(err(&output).contains("docs/formats.md"), "{}", err(&output));
}

/// A fragment shader: everything but what only it may use is looked at.
#[test]
fn a_fragment_shader_is_called_one() {
    let shader =
        "nop; nop; sbwait\nmov ra1, vary\n{}\nmov tlbc, ra1; thrend\nnop\nnop; nop; sbdone\n";
    let good = file(
        "fragment",
        "good.qasm",
        shader.replace("{}", "nop").as_bytes(),
    );
    let bad = file(
        "fragment",
        "bad.qasm",
        shader.replace("{}", "mov tlb_z, ra1").as_bytes(),
    );
    let checked = qpuscope(&["check"], &good);
    assert!(checked.status.success(), "{}", err(&checked));
    assert_eq!(out(&checked), "");
    assert!(
        err(&checked).contains("a fragment shader"),
        "{}",
        err(&checked)
    );
    let assembled = qpuscope(&["asm", "--format", "hex"], &good);
    assert_eq!(err(&assembled), "");
    let checked = qpuscope(&["check"], &bad);
    assert_eq!(checked.status.code(), Some(5));
    assert!(
        out(&checked).contains("regfile-read-after-write"),
        "{}",
        out(&checked)
    );
    assert!(
        !out(&checked).contains("fragment-only"),
        "{}",
        out(&checked)
    );
    let json = out(&qpuscope(&["check", "--json"], &good));
    assert!(json.contains("\"fragment_shader\":true"), "{json}");
    // Nothing is lent to programs that use the tile buffer by mistake.
    let user = file(
        "fragment",
        "user.qasm",
        b"mov tlbc, 1\nnop; thrend\nnop\nnop\n",
    );
    let checked = qpuscope(&["check"], &user);
    assert!(out(&checked).contains("fragment-only"), "{}", out(&checked));
    let json = out(&qpuscope(&["check", "--json"], &user));
    assert!(json.contains("\"fragment_shader\":false"), "{json}");
}

/// The words of LdB-ECM's window demo stand in a comment.
#[test]
fn a_file_of_c_without_words_is_refused() {
    let text = "/* uint32_t a[] = { 0x009e7000, 0x100009e7 }; */\nint main(void) { return 0; }\n";
    let none = file("other-language", "main.c", text.as_bytes());
    let checked = qpuscope(&["check"], &none);
    assert_eq!(checked.status.code(), Some(2));
    let said = err(&checked);
    assert!(
        said.contains("no QPU words that can be read") && !said.contains("syntax"),
        "{said}"
    );
}
