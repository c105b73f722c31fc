//! The image itself: its size, its banner, how long it takes to the first spectrum.

use crate::host::{Event, Host};
use crate::line::Virtual;
use tests::{NO_KERNEL, need};
use virtual_pi::Config;

/// Virtual time from reset to the last bit of the first spectrum, at 115,200 baud.
const FIRST_SPECTRUM_LIMIT_MS: u64 = 1_000;

#[test]
fn the_image_has_at_most_1_mib() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    assert!(image.len() <= 1 << 20, "{} bytes", image.len());
}

/// raspberrypi/firmware 1175: an image whose length was no multiple of 4 was not started.
#[test]
fn the_image_is_padded_to_64_bytes() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    assert_eq!(image.len() % 64, 0, "{} bytes", image.len());
}

#[test]
fn the_first_spectrum_ends_within_a_second_of_virtual_time() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = Host::new(Virtual::boot(&image, Config::default()));
    let spectrum = host.spectrum(FIRST_SPECTRUM_LIMIT_MS);
    let at_ms = host.line.pi.now_ns() / 1_000_000;
    eprintln!("first spectrum complete after {at_ms} ms of virtual time");
    assert!(at_ms <= FIRST_SPECTRUM_LIMIT_MS, "{at_ms} ms");
    assert_eq!(spectrum.head.engine, wire::Engine::Qpu);
    assert_eq!(host.line.framing_errors, 0);
    assert_eq!(host.counters().damaged, 0);
}

#[test]
fn the_banner_says_what_it_is_and_what_to_do_next() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = Host::new(Virtual::boot(&image, Config::default()));
    host.spectrum(2 * FIRST_SPECTRUM_LIMIT_MS);
    let text = &host.text;
    for part in [
        concat!("qpuscope ", env!("CARGO_PKG_VERSION")),
        "board: Raspberry Pi",
        "clocks: ARM 700 MHz",
        "V3D 250 MHz",
        "engine: qpu",
        "self-test: cpu ok",
        "self-test: qpu n=1024 real f32 x 16, fastest plan: ok",
        "last start: power on",
        "next: ",
    ] {
        assert!(text.contains(part), "no {part:?} in the banner:\n{text}");
    }
}

#[test]
fn start_0_in_the_command_line_keeps_the_board_quiet_until_asked() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        cmdline: "start=0".into(),
        ..Config::default()
    };
    let mut host = Host::new(Virtual::boot(&image, config));
    host.line_with("qpuscope", 1_000);
    let unasked = host.collect(1_500);
    let unasked = unasked
        .iter()
        .filter(|event| matches!(event, Event::Spectrum(_)));
    assert_eq!(unasked.count(), 0, "spectra came unasked");
    host.must(&wire::Message::Start);
    host.spectrum(2_000);
}
