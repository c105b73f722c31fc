//! Signals at any moment: the output is the old one or the new one, and nothing lies beside it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tests::tools::qpu;

/// The longest that a command may take to write, or to end.
const LIMIT: Duration = Duration::from_secs(60);
/// The most tries to meet a command while it writes.
const TRIES: usize = 20;
/// The signals that end a command.
const SIGNALS: [&str; 3] = ["-INT", "-TERM", "-HUP"];

fn start(folder: &Path, arguments: &[&str]) -> Child {
    // Whoever runs the tests may have started them to ignore signals, as `nohup` does.
    let mut command = Command::new("env");
    command.arg("--default-signal=INT,TERM,HUP");
    command.arg(qpu().get_program());
    command.args(arguments).current_dir(folder);
    let (input, output) = (Stdio::null(), Stdio::null());
    let command = command.stdin(input).stdout(output).stderr(Stdio::null());
    command.spawn().expect("qpu starts")
}

/// The parts in a folder.
fn parts(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().expect("a folder");
    let paths = entries.map(|entry| entry.expect("a name").path());
    paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "part"))
        .collect()
}

fn send(child: &Child, signal: &str) {
    let id = child.id().to_string();
    // A process that has ended meanwhile gets none.
    let mut kill = Command::new("kill");
    let sent = kill.args([signal, &id]).stderr(Stdio::null()).status();
    sent.expect("kill runs");
}

/// Waits until a command writes, or has ended.
fn until_it_writes(child: &mut Child, folder: &Path) -> bool {
    let until = Instant::now() + LIMIT;
    while Instant::now() < until {
        if !parts(folder).is_empty() {
            return true;
        }
        if child.try_wait().expect("a state").is_some() {
            return false;
        }
    }
    panic!("it neither writes nor ends");
}

/// Waits for the end of a command and asserts that nothing lies beside its outputs.
fn assert_tidy(mut child: Child, folder: &Path, what: &str) -> std::process::ExitStatus {
    let until = Instant::now() + LIMIT;
    let status = loop {
        if let Some(status) = child.try_wait().expect("a state") {
            break status;
        }
        assert!(Instant::now() < until, "{what} does not end");
        std::thread::sleep(Duration::from_millis(2));
    };
    assert_eq!(parts(folder), Vec::<PathBuf>::new(), "{what}");
    status
}

/// A file of so many complex points.
fn points(folder: &Path, count: usize) {
    let bytes = [0.25_f32.to_le_bytes(); 2].concat().repeat(count);
    std::fs::write(folder.join("in.cf32"), bytes).expect("a file");
}

#[test]
fn a_signal_leaves_no_part_of_a_file_that_is_being_written() {
    use std::os::unix::process::ExitStatusExt;
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    points(folder, 1 << 17);
    let arguments = "fft in.cf32 --engine host -o out.csv";
    let arguments: Vec<_> = arguments.split(' ').collect();
    let mut child = start(folder, &arguments);
    assert!(child.wait().expect("a state").success());
    let whole = std::fs::read(folder.join("out.csv")).expect("a file");
    for (signal, number) in SIGNALS.into_iter().zip([2, 15, 1]) {
        let is_hit = (0..TRIES).any(|_| {
            std::fs::write(folder.join("out.csv"), "old").expect("a file");
            let mut child = start(folder, &arguments);
            // The first part only tries whether the file can be written.
            assert!(until_it_writes(&mut child, folder));
            std::thread::sleep(Duration::from_millis(20));
            until_it_writes(&mut child, folder);
            send(&child, signal);
            let status = assert_tidy(child, folder, signal);
            let kept = std::fs::read(folder.join("out.csv")).expect("a file");
            // The signal may come once the new file has its name, before the command ends.
            let is_old = kept == b"old";
            assert!(is_old || kept == whole, "{signal}: {status}");
            assert!(!(is_old && status.success()), "{signal}: {status}");
            is_old && status.signal() == Some(number)
        });
        assert!(is_hit, "{signal} never met a file that was being written");
    }
}

#[test]
fn a_signal_at_any_moment_leaves_an_old_or_a_new_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    points(folder, 1 << 12);
    let source = folder.join("in.qasm");
    let mut file = std::fs::File::create(source).expect("a file");
    file.write_all(b".rep i, 20000\nnop\n.endr\n")
        .expect("room");
    let picture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/fft2-before.png");
    let picture = picture.display().to_string();
    let commands: [&[&str]; 5] = [
        &["asm", "in.qasm", "-o", "out", "--listing", "out.lst"],
        &["export", "256", "--to", "c", "-o", "out"],
        &["flowgraph", "64", "-o", "out.svg"],
        &["fft2", &picture, "out.png"],
        &["fft", "in.cf32", "--engine", "host", "-o", "out.cf32"],
    ];
    for arguments in commands {
        // The first run goes to its end, so that there is an older file.
        for (run, signal) in [""].into_iter().chain(SIGNALS).enumerate() {
            let mut child = start(folder, arguments);
            if run > 0 {
                until_it_writes(&mut child, folder);
                send(&child, signal);
            }
            let what = format!("{arguments:?} {signal}");
            let status = assert_tidy(child, folder, &what);
            assert!(run > 0 || status.success(), "{what}: {status}");
        }
    }
}
