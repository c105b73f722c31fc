//! Tests of what boards do at start that an emulator need not do, each from the report of a user
//! who met it.

use crate::failures::{allowing, endless_program};
use crate::generator;
use crate::host::{ANSWER_MS, Host};
use crate::line::Virtual;
use tests::{NO_KERNEL, need};
use virtual_pi::Config;
use wire::{Engine, Message, NakCode};

/// Boots and waits for the banner's last line.
fn boot(image: &[u8], config: Config, limit_ms: u64) -> Host<Virtual> {
    let mut host = Host::new(Virtual::boot(image, config));
    host.line_with("next: ", limit_ms);
    host
}

fn assert_says(host: &Host<Virtual>, parts: &[&str]) {
    for part in parts {
        assert!(host.text.contains(part), "no {part:?} in\n{}", host.text);
    }
}

#[test]
fn memory_may_hold_anything_at_power_on() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        memory_noise: true,
        ..Config::default()
    };
    let mut host = boot(&image, config, 1_000);
    assert_says(&host, &["last start: power on", "engine: qpu"]);
    let record = host.spectrum(ANSWER_MS);
    assert_eq!(record.head.engine, Engine::Qpu);
    generator::assert_matches_reference(&record);
}

/// raspberrypi/firmware 1376 and 1970: answers that take longer while HDMI is set up.
#[test]
fn firmware_that_takes_a_second_for_each_answer_is_waited_for() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        mailbox_us: 1_000_000,
        ..Config::default()
    };
    let host = boot(&image, config, 30_000);
    let known = ["board: Raspberry Pi 1 B", "ARM 700 MHz", "engine: qpu"];
    assert_says(&host, &known);
    assert_eq!(host.line.resets, 0);
}

/// Answers of such firmware while the instrument runs: six of them would be more than the watchdog
/// allows.
#[test]
fn an_endless_program_costs_no_restart_where_the_firmware_is_slow() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        mailbox_us: 1_000_000,
        ..allowing()
    };
    let mut host = boot(&image, config, 30_000);
    host.quiet();
    let (refusal, _) = host.run_program(&endless_program(), 20_000).unwrap_err();
    assert_eq!(refusal, NakCode::QPU_FAILED);
    assert_eq!(host.line.resets, 0);
    assert_eq!(host.ask(&Message::Ping(7)).message(), Message::Pong(7));
}

/// A Zero W whose firmware, or whatever ran before, has given the PL011 to Bluetooth.
#[test]
fn the_line_is_heard_although_bluetooth_has_had_the_uart() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        uart_at_bluetooth: true,
        ..Config::default()
    };
    let mut host = boot(&image, config, 1_000);
    host.quiet();
    assert_eq!(host.ask(&Message::Ping(7)).message(), Message::Pong(7));
}

/// raspberrypi/firmware 669: it refuses to enable QPUs that a device tree has for a driver.
#[test]
fn v3d_is_powered_by_its_domain_where_the_first_tag_is_refused() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        enables_qpu: false,
        unpowered_v3d_hangs: true,
        ..Config::default()
    };
    let host = boot(&image, config, 1_000);
    assert_says(
        &host,
        &[
            "engine: qpu",
            "self-test: qpu n=1024 real f32 x 16, fastest plan: ok",
        ],
    );
    assert_eq!(host.line.resets, 0, "no register is read without power");
}

#[test]
fn a_v3d_that_hangs_the_bus_costs_one_restart_and_is_tried_again_when_asked() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        enables_qpu: false,
        powers_v3d: false,
        unpowered_v3d_hangs: true,
        ..Config::default()
    };
    let mut host = boot(&image, config, 30_000);
    let said = ["reset cause: watchdog", "V3D left alone", "type reboot"];
    assert_says(&host, &said);
    assert_eq!(host.line.resets, 1);
    assert_eq!(host.spectrum(ANSWER_MS).head.engine, Engine::Cpu);
    host.must(&Message::Reboot);
    host.line_with("reset cause: reboot command", ANSWER_MS);
    host.line_with("reset cause: watchdog", 30_000);
    assert_eq!(host.line.resets, 3, "asked for, and hung again");
}

/// raspberrypi/firmware 951, 967, 1619: the UART's clock is not what the firmware says it is.
#[test]
fn the_line_is_right_where_the_firmware_misstates_its_clock() {
    const MHZ: u32 = 1_000_000;
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    for (uart_hz, stated, measured, khz) in [
        (48 * MHZ, 3 * MHZ, true, 48_000),
        (3 * MHZ, 48 * MHZ, true, 3_000),
        (48 * MHZ, 47_800_000, true, 47_800),
        (50 * MHZ, 0, true, 50_000),
        (48 * MHZ, 0, false, 48_000),
        (48 * MHZ, 1, false, 48_000),
        (48 * MHZ, MHZ, false, 48_000),
        (3 * MHZ, 3 * MHZ, false, 3_000),
    ] {
        let config = Config {
            cmdline: "start=0".into(),
            uart_hz,
            uart_stated_hz: Some(stated),
            measures_clocks: measured,
            ..Config::default()
        };
        let mut host = boot(&image, config, 1_000);
        assert_says(&host, &[&format!("UART {khz} kHz")]);
        assert_eq!(host.line.framing_errors, 0, "stated {stated}");
        let reply = host.ask(&Message::Hello("test"));
        let Message::Info(info) = reply.message() else {
            panic!("{:?} answers a hello", reply.message());
        };
        assert_eq!(info.clocks.uart_hz / 1000, khz);
    }
}

#[test]
fn no_pin_is_driven_on_an_unknown_board() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    for (revision, name, outputs) in [
        (0x00a0_2082, "unknown board", &[][..]),
        (0x0000_000e, "Raspberry Pi 1 B", &[16]),
        (0x0090_0032, "Raspberry Pi 1 B+", &[47]),
    ] {
        let config = Config {
            revision: Some(revision),
            ..Config::default()
        };
        let host = boot(&image, config, 1_000);
        assert_says(&host, &[name]);
        let is_output = |pin: &u32| host.line.pi.pin_function(*pin) == 1;
        let found: Vec<u32> = (0..54).filter(is_output).collect();
        assert_eq!(found, outputs, "{name}");
    }
}

#[test]
fn aborts_that_were_pending_are_logged_and_boot_goes_on() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    for (config, when) in [
        (
            Config {
                aborts_at_us: vec![0],
                ..Config::default()
            },
            "pending at the start",
        ),
        (
            Config {
                v3d_power_aborts: true,
                ..Config::default()
            },
            "pending while the board was brought up",
        ),
    ] {
        let mut host = boot(&image, config, 1_000);
        assert_says(&host, &["last start: power on", "engine: qpu"]);
        let record = host.spectrum(ANSWER_MS);
        assert_eq!(record.head.engine, Engine::Qpu);
        host.quiet();
        let log = need!(host.log(), "{NO_KERNEL}");
        let said = format!("an abort was {when}; DFSR 0x0406");
        assert_eq!(log.matches("an abort was").count(), 1, "{log}");
        assert!(log.contains(&said), "{log}");
        assert_eq!(host.line.resets, 0);
    }
}

#[test]
fn an_imprecise_abort_later_is_a_fault() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        aborts_at_us: vec![1_500_000],
        ..Config::default()
    };
    let mut host = boot(&image, config, 1_000);
    let cause = "watchdog after fault: imprecise data abort, DFSR 0x0406";
    host.line_with(cause, 3_000);
    assert_eq!(host.line.resets, 1);
}
