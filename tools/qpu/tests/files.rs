//! Files as they end: full disks, links, inputs that are outputs, dumps that leave their folder.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::json;
use tests::tools::{qpu, run};

/// An empty folder with a source, another that it includes, and a job whose dump is `out.bin`.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("files")
        .join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("job")).expect("a folder");
    let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
    put("a.qasm", &("nop\n".repeat(500) + "nop; thrend\nnop\nnop\n"));
    put("part.qinc", ".set two, 2\n");
    put(
        "with.qasm",
        ".include \"part.qinc\"\nnop; thrend\nnop\nnop\n",
    );
    put_job(&folder, "out.bin");
    folder
}

/// A job that reads `data.bin`, does little, and dumps it.
fn put_job(folder: &Path, dump: &str) {
    let end = [0x009e_7000, 0x3000_09e7, 0x009e_7000, 0x1000_09e7_u32];
    let job = json!({
        "memory": [
            {"at": "0x40000000", "words": [end[0], end[1], end[2], end[3], end[2], end[3]]},
            {"at": "0x40001000", "zero": 65536},
            {"at": "0x40011000", "file": "data.bin"},
        ],
        "programs": [{"code": "0x40000000"}],
        "dump": [{"at": "0x40001000", "bytes": 65536, "file": dump}],
    });
    std::fs::write(folder.join("job/data.bin"), [7; 4096]).expect("a file");
    std::fs::write(folder.join("job/job.json"), job.to_string()).expect("a file");
}

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let names = folder.read_dir().expect("a folder");
    let mut names: Vec<_> = names
        .map(|entry| {
            let name = entry.expect("an entry").file_name();
            name.to_string_lossy().into_owned()
        })
        .collect();
    names.sort();
    names
}

/// Runs a command line by a shell, after `before`.
fn shell(folder: &Path, before: &str, arguments: &str) -> (i32, String) {
    let mut command = tests::tools::shell();
    let line = format!("{before}; exec {arguments}");
    command.args(["-c", &line]).current_dir(folder);
    let (_, status, said) = run(command.stdin(Stdio::null()));
    (status, said)
}

#[test]
fn a_full_disk_costs_no_older_file_and_leaves_no_part() {
    let folder = folder("full");
    for (arguments, output) in [
        ("qpu asm a.qasm -o out.hex", "out.hex"),
        (
            "qpu asm a.qasm --json -o out.bin --listing out.lst",
            "out.lst",
        ),
        ("qpu flowgraph 64 -o out.svg", "out.svg"),
        ("qpu flowgraph 64 -o out.pdf", "out.pdf"),
        ("qpu run job/job.json", "job/out.bin"),
        ("qpu run job/job.json --timeline out.json", "out.json"),
        ("qpu run job/job.json --profile-json out.json", "out.json"),
        ("qpu fft2 ramp.png out.png", "out.png"),
    ] {
        let path = folder.join(output);
        std::fs::write(&path, "an older file").expect("a file");
        put_picture(&folder.join("ramp.png"));
        let before = (names(&folder), names(&folder.join("job")));
        // A limit of 512 bytes a file, which stops a file like a disk that is full.
        let (status, said) = shell(&folder, "ulimit -f 1", arguments);
        assert_eq!(status, 1, "{arguments}: {said}");
        assert!(
            said.contains("cannot write") && said.contains("make room, or choose another place"),
            "{arguments}: {said}"
        );
        let kept = std::fs::read_to_string(&path).expect("the older file");
        assert_eq!(kept, "an older file", "{arguments}");
        let after = (names(&folder), names(&folder.join("job")));
        assert_eq!(before, after, "{arguments}");
        std::fs::remove_file(path).expect("the older file");
        let _ = std::fs::remove_file(folder.join("out.bin"));
    }
}

/// A picture whose spectrum does not fit into 512 bytes.
fn put_picture(path: &Path) {
    let picture = workbench::plane::Picture {
        width: 64,
        height: 64,
        pixels: (0..64 * 64)
            .map(|at| (at * at % 251) as f32 / 251.0)
            .collect(),
    };
    workbench::plane::png::write(&picture, path).expect("a picture");
}

#[test]
fn no_output_is_an_input_by_whatever_name() {
    let folder = folder("links");
    let at = |name: &str| folder.join(name);
    for (link, file) in [("hard.qasm", "a.qasm"), ("hard.qinc", "part.qinc")] {
        std::fs::hard_link(at(file), at(link)).expect("a link");
    }
    std::os::unix::fs::symlink("a.qasm", at("soft.qasm")).expect("a link");
    std::fs::hard_link(at("job/data.bin"), at("data.link")).expect("a link");
    let recording = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/tests/recorded.bin");
    std::fs::copy(recording, at("spectrum-0002.png")).expect("a recording");
    let files = || {
        let files = [
            "a.qasm",
            "part.qinc",
            "with.qasm",
            "spectrum-0002.png",
            "job/data.bin",
            "job/job.json",
        ];
        files.map(|name| std::fs::read(at(name)).expect("an input"))
    };
    let before = files();
    for (arguments, named) in [
        ("qpu asm a.qasm -o hard.qasm", "hard.qasm is the source"),
        ("qpu asm hard.qasm -o soft.qasm", "soft.qasm is the source"),
        ("qpu asm a.qasm -o job/../a.qasm", "a.qasm is the source"),
        (
            "qpu asm a.qasm --listing hard.qasm -o out",
            "hard.qasm is the source",
        ),
        ("qpu asm - -o hard.qasm < a.qasm", "hard.qasm is the source"),
        (
            "qpu asm with.qasm -o hard.qinc",
            "hard.qinc is included by the source",
        ),
        (
            "qpu run job/job.json --timeline data.link",
            "data.link is read by the job",
        ),
        (
            "qpu run job/job.json --trace=job/job.json",
            "job.json is the job file",
        ),
        (
            "qpuscope report sim:a.qasm -o hard.qasm",
            "hard.qasm is the image",
        ),
        (
            "qpuscope read spectrum-0002.png --format png --each --out job/..",
            "spectrum-0002.png is what is read",
        ),
        (
            "qpu fft2 a.qasm out.png --spectrum hard.qasm",
            "hard.qasm is the input",
        ),
    ] {
        let (status, said) = shell(&folder, "true", arguments);
        assert_eq!(status, 2, "{arguments}: {said}");
        let named = format!("{named} and would be overwritten");
        assert!(said.contains(&named), "{arguments}: {said}");
        assert!(files() == before, "{arguments} wrote over an input");
    }
    assert!(!at("out").exists(), "something was written first");
}

#[test]
fn results_of_fft_are_no_input_of_it() {
    let folder = folder("results");
    std::fs::write(folder.join("spectrum.csv"), "1\n2\n3\n").expect("a file");
    std::fs::hard_link(folder.join("spectrum.csv"), folder.join("in.csv")).expect("a link");
    let (status, said) = shell(
        &folder,
        "true",
        "qpuscope fft in.csv --rate 1 --port sim:absent",
    );
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("in.csv would be written over by a spectrum"),
        "{said}"
    );
}

#[test]
fn dumps_stay_in_the_folder_of_their_job() {
    let folder = folder("dumps");
    let outside = folder.join("outside.bin");
    std::os::unix::fs::symlink("..", folder.join("job/up")).expect("a link");
    std::os::unix::fs::symlink(&outside, folder.join("job/away.bin")).expect("a link");
    std::fs::create_dir(folder.join("job/in")).expect("a folder");
    let absolute = outside.display().to_string();
    for dump in [
        &absolute,
        "../outside.bin",
        "up/outside.bin",
        "away.bin",
        "/dev/null",
    ] {
        put_job(&folder, dump);
        let (status, said) = shell(&folder, "true", "qpu run job/job.json");
        assert_eq!(status, 2, "{dump}: {said}");
        assert!(
            said.contains("dump[0].file: ") && said.contains("--dump-anywhere"),
            "{said}"
        );
        assert!(!outside.exists(), "{dump}");
        let (status, said) = shell(&folder, "true", "qpu run job/job.json --dump-anywhere");
        assert_eq!(status, 0, "{dump}: {said}");
        assert_eq!(outside.exists(), dump != "/dev/null", "{dump}");
        let _ = std::fs::remove_file(&outside);
    }
    let inside = folder.join("job/inside.bin").display().to_string();
    for dump in ["in/../inside.bin", "up/job/inside.bin", &inside] {
        put_job(&folder, dump);
        let (status, said) = shell(&folder, "true", "qpu run job/job.json");
        assert_eq!(status, 0, "{dump}: {said}");
    }
    // Nor over what the job reads, even where more is allowed.
    std::fs::hard_link(folder.join("job/data.bin"), folder.join("data.link")).expect("a link");
    put_job(&folder, "../data.link");
    let (status, said) = shell(&folder, "true", "qpu run job/job.json --dump-anywhere");
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("data.link is read by the job and would be"),
        "{said}"
    );
}

#[test]
fn pipes_and_what_is_open_already_are_written_in_place() {
    let folder = folder("in-place");
    let mut command = qpu();
    command
        .current_dir(&folder)
        .args(["asm", "with.qasm", "-o", "/dev/stdout"]);
    let (output, status, said) = run(&mut command);
    assert_eq!(status, 0, "{said}");
    assert!(output.stdout.starts_with(b"0x009e7000, 0x300009e7"));
    // The shell's file stays the same one.
    let line = "qpu asm with.qasm -o /dev/stdout >> log";
    let (_, said) = shell(&folder, "echo before > log; ln log same", line);
    let log = std::fs::read_to_string(folder.join("same")).expect("the file");
    assert!(log.contains("0x009e7000"), "{log}: {said}");
}
