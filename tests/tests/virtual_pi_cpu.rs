//! The CPU test guest prints the same text on the virtual Pi and in QEMU.
//!
//! `tests/golden/guest-cpu.txt` is what QEMU 7.2 printed. Two lines of it name what QEMU does not
//! model, and the virtual Pi prints them differently: QEMU clears IFAR on a BKPT (the ARM1176
//! leaves it), and its cycle counter stands still. Everything else must be the same, byte for byte.

use std::process::{Command, Stdio};
use std::time::Duration;

use tests::{given, need};
use virtual_pi::{Checks, Config, Stop, VirtualPi};

/// (marker line after which it comes, QEMU's line, the virtual Pi's line).
const DIFFERENCES: [(&str, &str, &str); 2] = [
    ("[bkpt]", "ifar=00000000", "ifar=00300000"),
    (
        "dirty=00000000",
        "ccnt_moves=00000000",
        "ccnt_moves=00000001",
    ),
];

const NO_GUEST: &str = "QPUSCOPE_GUEST_CPU_IMG names no image; `cargo xtask test` builds it";

/// QEMU's text as the virtual Pi should print it.
fn expected(golden: &str) -> String {
    let mut text = String::new();
    let mut waiting: Option<(&str, &str)> = None;
    for line in golden.lines() {
        match waiting {
            Some((theirs, ours)) if line == theirs => {
                text += ours;
                waiting = None;
            }
            _ => text += line,
        }
        text.push('\n');
        if let Some((_, theirs, ours)) = DIFFERENCES.iter().find(|(marker, ..)| *marker == line) {
            waiting = Some((theirs, ours));
        }
    }
    text
}

fn golden() -> String {
    let path = tests::root().join("tests/golden/guest-cpu.txt");
    std::fs::read_to_string(path).expect("the golden text is part of the repository")
}

fn assert_same(found: &str, wanted: &str) {
    for (number, (found, wanted)) in found.lines().zip(wanted.lines()).enumerate() {
        assert_eq!(found, wanted, "line {}", number + 1);
    }
    assert_eq!(
        found.lines().count(),
        wanted.lines().count(),
        "ends early or late:\n{found}"
    );
}

#[test]
fn the_guest_prints_the_golden_text_on_the_virtual_pi() {
    let image = std::fs::read(need!(given("QPUSCOPE_GUEST_CPU_IMG"), "{NO_GUEST}"));
    let image = image.expect("the image can be read");
    // The guest computes its divisor from the 3 MHz that QEMU has. It is about the core, and reads
    // peripherals as QEMU lets it, without barriers between them.
    let config = Config {
        uart_hz: 3_000_000,
        checks: Checks {
            peripheral_order: false,
            ..Checks::ALL
        },
        no_reboot: true,
        ..Config::default()
    };
    let run = || {
        let mut pi = VirtualPi::new(config.clone(), &image).expect("a good configuration");
        let stop = pi.run_until_ns(5_000_000_000);
        assert_eq!((stop, pi.messages()), (Stop::Reset, vec![]));
        (pi.serial_received(), pi.now_ns())
    };
    let (bytes, ended) = run();
    assert!(bytes.iter().all(|byte| !byte.error));
    let text = String::from_utf8(bytes.iter().map(|byte| byte.value).collect());
    assert_same(&text.expect("the guest prints ASCII"), &expected(&golden()));
    // The same bytes at the same times, and the same end.
    assert_eq!(run(), (bytes, ended));
}

#[test]
fn the_guest_prints_the_golden_text_in_qemu() {
    let image = need!(given("QPUSCOPE_GUEST_CPU_IMG"), "{NO_GUEST}");
    let qemu = need!(
        given("QPUSCOPE_QEMU").or_else(in_path),
        "qemu-system-arm is not installed"
    );
    let loader = format!(
        "loader,file={},addr=0x8000,cpu-num=0,force-raw=on",
        image.display()
    );
    let mut child = Command::new(qemu)
        .args([
            "-M",
            "raspi0",
            "-display",
            "none",
            "-monitor",
            "none",
            "-no-reboot",
        ])
        .args(["-serial", "stdio", "-device", &loader])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("QEMU starts");
    // The guest ends QEMU by its watchdog; should it hang, the test must not.
    let mut left = Duration::from_secs(60);
    while child.try_wait().expect("QEMU can be waited for").is_none() && !left.is_zero() {
        let step = Duration::from_millis(50);
        std::thread::sleep(step);
        left = left.saturating_sub(step);
    }
    // Nothing happens when it has ended.
    let _ = child.kill();
    let output = child.wait_with_output().expect("QEMU's text can be read");
    assert_same(&String::from_utf8_lossy(&output.stdout), &golden());
    assert!(output.status.success(), "{}", output.status);
}

fn in_path() -> Option<std::path::PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join("qemu-system-arm"))
        .find(|file| file.is_file())
}
