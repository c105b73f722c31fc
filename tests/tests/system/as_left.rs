//! Live input on boards that the boot files, or a program before, have left in another state.
//!
//! The drivers may take nothing for granted: clock generators that run are stopped before they are
//! set, and pins that are listened to are pulled first.

use crate::host::Host;
use crate::line::Virtual;
use crate::live::{self, assert_no_hole};
use tests::{NO_KERNEL, need};
use virtual_pi::{Config, I2sRole, ParallelPart, ParallelWiring, Wiring};
use wire::Message;

const SMI: &str = "input=smi rate=1M n=1024 avg=64 out=u8 bins=16";

/// Boots a B+ as it was left.
fn board(image: &[u8], config: Config) -> Host<Virtual> {
    let config = Config {
        revision: Some(0x0010),
        ..config
    };
    let mut host = Host::new(Virtual::boot(image, config));
    host.line_with("next:", 1_000);
    host.quiet();
    host
}

fn probe(host: &mut Host<Virtual>, settings: &str) -> String {
    host.must(&Message::Set(settings));
    match host.ask(&Message::Probe).message() {
        Message::Probed(probed) => probed.text.to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn clock_generators_that_run_already_are_stopped_before_they_are_set() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let running = Config {
        clocks_run_at_boot: true,
        ..Config::default()
    };
    let config = Config {
        i2s: live::part(I2sRole::Slave, Wiring::Right),
        ..running.clone()
    };
    let mut host = board(&image, config);
    host.must(&Message::Set(live::SETTINGS));
    host.must(&Message::Start);
    live::spectra(&mut host, 500);
    let config = Config {
        parallel: Some(ParallelPart::new(live::tone())),
        ..running
    };
    let mut host = board(&image, config);
    host.must(&Message::Set(SMI));
    host.must(&Message::Start);
    assert_no_hole(&host.spectra(200), 64 * 512);
}

#[test]
fn pins_without_a_pull_make_up_no_clock_and_no_data() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        no_pulls: true,
        ..Config::default()
    };
    let mut host = board(&image, config.clone());
    let text = probe(&mut host, "input=i2s n=1024");
    assert!(text.contains("left is always 0x000000"), "{text}");
    let text = probe(&mut host, "input=i2s clock=adc");
    assert!(text.contains("no clock on GPIO 18"), "{text}");
    let text = probe(&mut host, &format!("{SMI} clock=board"));
    assert!(text.contains("always read 0x00"), "{text}");
    let loose = ParallelPart {
        wiring: ParallelWiring::WireOff(3),
        ..ParallelPart::new(live::tone())
    };
    host.line.pi.set_parallel(Some(loose));
    let text = probe(&mut host, SMI);
    assert!(text.contains("GPIO 19 never changes"), "{text}");
}
