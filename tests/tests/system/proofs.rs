//! The cost of plans that prove themselves, and of streams that are checked.

use crate::host::Host;
use crate::line::Virtual;
use tests::{NO_KERNEL, need};
use virtual_pi::Config;
use wire::{Message, PlanKind, PlanName, Verdict};

/// The limit for proofs at the start with the settings that a board has by itself, in microseconds.
const START_LIMIT_US: u64 = 150_000;
/// The share of the time of a stream that checks may take.
const STREAM_LIMIT: f64 = 0.01;

/// The number behind `key=` among the board's capabilities.
fn number(host: &mut Host<Virtual>, key: &str) -> u64 {
    let reply = host.ask(&Message::Get("capabilities"));
    let Message::Settings(text) = reply.message() else {
        panic!("{:?}", reply.message());
    };
    let mut values = text.lines().filter_map(|line| line.split_once('='));
    let (_, value) = values.find(|(name, _)| *name == key).expect(key);
    value.parse().expect("a number")
}

#[test]
fn proofs_take_little_of_the_start_and_checks_little_of_a_stream() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = Host::new(Virtual::boot(&image, Config::default()));
    host.spectrum(1_000);
    host.quiet();
    let start_us = number(&mut host, "proof-us");
    println!("start-up: proofs take {start_us} us of virtual time");
    assert!((1..START_LIMIT_US).contains(&start_us), "{start_us} us");
    assert_eq!(number(&mut host, "plans-dropped"), 0);
    host.must(&Message::Start);
    let begin_ns = host.line.pi.now_ns();
    host.collect(22_000);
    let elapsed_us = (host.line.pi.now_ns() - begin_ns) / 1_000;
    host.quiet();
    let (checks, check_us) = (number(&mut host, "checks"), number(&mut host, "check-us"));
    let share = check_us as f64 / elapsed_us as f64;
    println!(
        "stream: {checks} checks take {check_us} us of {elapsed_us}, {:.3} %",
        100.0 * share
    );
    assert!(checks >= 25, "{checks} checks");
    assert!(share < STREAM_LIMIT, "{share}");
}

#[test]
fn every_plan_of_the_image_proves_itself() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        v3d_functional: true,
        ..Config::default()
    };
    let mut host = Host::new(Virtual::boot(&image, config));
    host.line_with("next: ", 2_000);
    host.quiet();
    for log2n in [4, 5, 7, 8, 9, 11, 12, 13, 14] {
        for kind in PlanKind::ALL {
            for conservative in [false, true] {
                let plan = PlanName {
                    log2n,
                    kind,
                    conservative,
                };
                let is_power = kind != PlanKind::Transform;
                let is_there = match conservative {
                    false => log2n > 4 || !is_power,
                    // Real samples are transformed as half as many points.
                    true => log2n >= 8 || log2n == 7 && !is_real(kind),
                };
                let reply = host.ask(&Message::Prove(plan));
                let Message::Proof(proof) = reply.message() else {
                    panic!("{plan:?}: {:?}", reply.message());
                };
                let wanted = match is_there {
                    true => Verdict::Right,
                    false => Verdict::Missing,
                };
                assert_eq!(proof.verdict, wanted, "{proof:?}");
                assert!(!is_there || proof.error_ppb < 3_000, "{proof:?}");
            }
        }
    }
}

fn is_real(kind: PlanKind) -> bool {
    matches!(
        kind,
        PlanKind::RealF32 | PlanKind::RealI16 | PlanKind::RealI32
    )
}
