//! Two virtual hours of the shortest spectra through `qpuscope read`: its memory stays what it was
//! after a minute.
//!
//! `QPUSCOPE_SOAK_SECONDS` gives another virtual time.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::thread;
use tests::{NO_KERNEL, need};

/// Virtual time, unless the environment says another.
const SECONDS: u64 = 7200;
/// Virtual time after which caches, queues and buffers have their size.
const WARM: f64 = 60.0;
/// Bytes that may be added after that.
const SLACK: u64 = 1 << 20;

const NO_HOST: &str = "QPUSCOPE_HOST names no qpuscope; `cargo xtask soak` builds it";

/// Bytes of a process that are in memory.
fn resident(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

#[test]
#[ignore = "long: cargo xtask soak"]
fn short_spectra_for_two_hours() {
    need!(tests::kernel(), "{NO_KERNEL}");
    let image = need!(tests::given("QPUSCOPE_KERNEL"), "{NO_KERNEL}");
    let host = need!(tests::given("QPUSCOPE_HOST"), "{NO_HOST}");
    need!(
        resident(std::process::id()),
        "/proc does not say how much memory is used"
    );
    let seconds = std::env::var("QPUSCOPE_SOAK_SECONDS").ok();
    let seconds: u64 = seconds.map_or(SECONDS, |text| text.parse().expect("a number of seconds"));
    let mut process = Command::new(host)
        .args(["read", &format!("sim:{}", image.display()), "--quiet"])
        .args(["--set", "n=16 avg=1 out=u8", "--format", "csv"])
        .args(["--seconds", &seconds.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("qpuscope starts");
    let mut errors = process.stderr.take().expect("a pipe");
    let said = thread::spawn(move || {
        let mut said = String::new();
        errors.read_to_string(&mut said).map(|_| said)
    });
    let (mut spectra, mut last, mut began) = (0_u64, 0.0, None);
    let (mut warm, mut most, mut looked) = (None, 0, 0.0);
    for line in BufReader::new(process.stdout.take().expect("a pipe")).lines() {
        let line = line.expect("text");
        // The first column is the time; a heading has none.
        let Some(time) = line
            .split(',')
            .next()
            .and_then(|time| time.parse::<f64>().ok())
        else {
            continue;
        };
        spectra += 1;
        assert!(time > last, "{time} s comes after {last} s");
        last = time;
        let passed = time - *began.get_or_insert(time);
        if passed < looked + 1.0 {
            continue;
        }
        looked = passed;
        let Some(bytes) = resident(process.id()) else {
            continue;
        };
        if passed >= WARM.min(seconds as f64 / 2.0) {
            let warm = *warm.get_or_insert(bytes);
            most = most.max(bytes);
            assert!(
                bytes <= warm + SLACK,
                "{} bytes more after {passed:.0} s, {spectra} spectra",
                bytes - warm
            );
        }
    }
    let said = said.join().expect("a thread").expect("text");
    assert!(process.wait().expect("it ends").success(), "{said}");
    println!("virtual time: {last:.1} s");
    println!("{spectra} spectra; {warm:?} bytes after a minute, {most} at most");
    let end = said
        .lines()
        .rfind(|line| line.contains(" spectra in "))
        .expect("a summary");
    assert!(
        end.starts_with(&format!("{spectra} spectra in ")),
        "{spectra} lines; {end}"
    );
    for none in [
        "0 bytes lost",
        "0 CRC errors",
        "0 sequence gaps",
        "0 incomplete spectra",
    ] {
        assert!(end.contains(none), "{end}");
    }
}
