//! V3D's power: left alone where the owner says so, and given back to a program that does not end.

use crate::failures::{allowing, endless_program};
use crate::generator;
use crate::host::{ANSWER_MS, Host};
use crate::line::Virtual;
use tests::{NO_KERNEL, need};
use virtual_pi::{Config, V3dReset};
use wire::{Engine, Message, NakCode};

/// Messages of the log about the two ways back.
const RESET: &str = "V3D: reset in ";
const CYCLED: &str = "V3D: power cycled in ";

fn boot(image: &[u8], config: Config) -> Host<Virtual> {
    let mut host = Host::new(Virtual::boot(image, config));
    host.line_with("next: ", 1_000);
    host
}

/// A Pi whose V3D would hang it: nothing of V3D is touched, at boot or later.
#[test]
fn engine_cpu_in_the_command_line_leaves_v3d_alone() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        cmdline: "start=0 engine=cpu allow=run".into(),
        enables_qpu: false,
        powers_v3d: false,
        unpowered_v3d_hangs: true,
        ..allowing()
    };
    let mut host = boot(&image, config);
    let said = "engine: cpu (engine=cpu in cmdline.txt; V3D is left without power)";
    assert!(host.text.contains(said), "{}", host.text);
    host.must(&Message::Set("engine=auto"));
    host.line_with("take that out and restart", ANSWER_MS);
    host.must(&Message::Start);
    let record = host.spectrum(ANSWER_MS);
    assert_eq!(record.head.engine, Engine::Cpu);
    generator::assert_matches_reference(&record);
    host.quiet();
    let (refusal, _) = host.run_program(&endless_program(), 20_000).unwrap_err();
    assert_eq!(refusal, NakCode::NOT_AVAILABLE);
    assert_eq!(host.line.pi.v3d_uses(), (0, 0));
    assert_eq!(host.line.resets, 0);
}

/// Asks for a program that does not end.
fn run_endless(host: &mut Host<Virtual>) {
    let code = endless_program();
    let (refusal, _) = host.run_program(&code, 20_000).unwrap_err();
    assert_eq!(refusal, NakCode::QPU_FAILED);
}

/// The board computes on `engine`, and rightly.
fn assert_spectrum(host: &mut Host<Virtual>, engine: Engine) {
    host.must(&Message::Start);
    let record = host.spectrum(ANSWER_MS);
    assert_eq!(record.head.engine, engine);
    generator::assert_matches_reference(&record);
    host.quiet();
}

/// Boots, lets an endless program be ended, and looks at a spectrum.
fn after_an_endless_program(config: Config, engine: Engine) -> Option<(Host<Virtual>, String)> {
    let mut host = boot(&tests::kernel()?, config);
    // Where V3D does not come back.
    host.may_drop_plans = engine == Engine::Cpu;
    host.quiet();
    run_endless(&mut host);
    assert_spectrum(&mut host, engine);
    assert_eq!(host.line.resets, 0, "{}", host.text);
    let log = host.log()?;
    Some((host, log))
}

#[test]
fn a_program_without_end_is_ended_by_a_reset_of_v3d() {
    // The firmware could do nothing, and is not asked.
    let config = Config {
        v3d_powers_off: false,
        ..allowing()
    };
    let (host, log) = need!(after_an_endless_program(config, Engine::Qpu), "{NO_KERNEL}");
    assert!(log.contains(RESET) && !log.contains(CYCLED), "{log}");
    let (_, requests) = host.line.pi.v3d_uses();
    assert_eq!(
        requests, 1,
        "requests to the firmware, that at boot included"
    );
}

#[test]
fn the_power_cycle_comes_second() {
    for v3d_reset in [
        V3dReset::NeverStops,
        V3dReset::NeverStarts,
        V3dReset::NoEffect,
    ] {
        let config = Config {
            v3d_reset,
            unpowered_v3d_hangs: true,
            ..allowing()
        };
        let found = after_an_endless_program(config, Engine::Qpu);
        let (_, log) = need!(found, "{NO_KERNEL}");
        let said = log.contains(CYCLED) && !log.contains(RESET);
        assert!(said, "{v3d_reset:?}: {log}");
    }
}

/// Nothing but a job that ends shows that a reset was enough.
#[test]
fn a_reset_that_no_job_followed_is_not_tried_again() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, allowing());
    host.quiet();
    run_endless(&mut host);
    run_endless(&mut host);
    assert_spectrum(&mut host, Engine::Qpu);
    run_endless(&mut host);
    assert_spectrum(&mut host, Engine::Qpu);
    let log = need!(host.log(), "{NO_KERNEL}");
    let ways = [log.matches(RESET).count(), log.matches(CYCLED).count()];
    assert_eq!(ways, [2, 1], "{log}");
}

#[test]
fn the_arm_computes_where_neither_way_works() {
    let config = Config {
        v3d_reset: V3dReset::NoEffect,
        v3d_powers_off: false,
        unpowered_v3d_hangs: true,
        // The program goes on to the end of the test.
        v3d_functional: true,
        ..allowing()
    };
    let found = after_an_endless_program(config, Engine::Cpu);
    let (_, log) = need!(found, "{NO_KERNEL}");
    let said = "neither a reset nor a power cycle brought it back";
    assert!(log.contains(said), "{log}");
}
