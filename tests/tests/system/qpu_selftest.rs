//! The QPU self-test that `qputest=ROUNDS` in `cmdline.txt` asks for, on the image itself.

use crate::host::{Event, Host};
use crate::line::Virtual;
use tests::{NO_KERNEL, need};
use virtual_pi::Config;

/// Virtual time that two rounds and their lines at 115,200 baud may take.
const LIMIT_MS: u64 = 3_000;

fn boot(image: &[u8], cmdline: &str, v3d: bool) -> Host<Virtual> {
    let config = Config {
        cmdline: cmdline.into(),
        v3d,
        ..Config::default()
    };
    Host::new(Virtual::boot(image, config))
}

#[test]
fn every_qpu_has_a_line_and_spectra_follow() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, "qputest=2", true);
    host.line_with("qpu test: passed", LIMIT_MS);
    let text = host.text.clone();
    for qpu in 0..12 {
        let line = format!("qpu test: qpu {qpu} ok");
        assert!(text.contains(&line), "no {line:?} in:\n{text}");
    }
    assert!(text.contains("qpu test: all together ok"), "{text}");
    assert!(!text.contains("FAILED"), "{text}");
    let spectrum = host.spectrum(LIMIT_MS);
    assert_eq!(spectrum.head.engine, wire::Engine::Qpu);
    assert_eq!(host.counters().damaged, 0);
}

#[test]
fn a_byte_from_the_host_ends_a_long_test() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, "qputest=1000000", true);
    host.line_with("any byte ends it", LIMIT_MS);
    host.send(&wire::Message::Ping(7));
    host.line_with("qpu test: stopped", LIMIT_MS);
    host.must(&wire::Message::Start);
    host.spectrum(LIMIT_MS);
}

#[test]
fn without_v3d_the_test_fails_and_the_arm_computes() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, "qputest=2", false);
    let line = host.line_with("qpu test: qpu 0 FAILED", LIMIT_MS);
    assert!(line.contains("there are no QPUs"), "{line}");
    let spectrum = host.spectrum(LIMIT_MS);
    assert_eq!(spectrum.head.engine, wire::Engine::Cpu);
    let late = host.collect(100);
    let texts = late.iter().filter(|event| matches!(event, Event::Text(_)));
    assert_eq!(texts.count(), 0);
}
