//! The firmware's stack: how much of it the heaviest commands leave.

use crate::failures::allowing;
use crate::host::{ANSWER_MS, Host};
use crate::line::{Line, Virtual};
use tests::{NO_KERNEL, need};
use virtual_pi::Config;
use wire::{Domain, Message, PlanKind, PlanName, Rate, SampleFormat};

/// Bytes of the main stack that are never used.
const LEAST_LEFT_BYTES: u32 = 96 << 10;

/// What the board says of its stack.
fn left_bytes(host: &mut Host<Virtual>) -> u32 {
    let reply = host.ask(&Message::Get("stack"));
    let Message::Settings(text) = reply.message() else {
        panic!("{:?}", reply.message());
    };
    let left = text.trim().strip_prefix("stack-left=");
    left.and_then(|left| left.parse().ok()).expect("a number")
}

#[test]
fn the_heaviest_commands_leave_96_kib_of_the_stack() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        cmdline: "allow=run qputest=1".into(),
        v3d_functional: true,
        ..allowing()
    };
    let mut host = Host::new(Virtual::boot(&image, config));
    host.line_with("qpu test: passed", 3_000);
    host.quiet();
    let at_first = left_bytes(&mut host);
    // Each kind of plan, some of which are made beside others and make room for them.
    for (log2n, kind) in [14, 12, 8, 5].into_iter().zip(PlanKind::ALL) {
        for conservative in [false, true] {
            host.ask(&Message::Prove(PlanName {
                log2n,
                kind,
                conservative,
            }));
        }
    }
    for number in 0..3 {
        host.ask(&Message::Measure(number));
    }
    host.must(&Message::Set(
        "n=4096 window=bh4 avg=2 overlap=75% detector=mean+max",
    ));
    let spectra = host.upload(
        SampleFormat::F32,
        Domain::Complex,
        Rate::hz(1_000_000),
        &[0x3d; 8 << 13],
    );
    assert!(!spectra.is_empty());
    host.line.send(b"input=i2s\rprobe\rinput=gen\rplot\rinfo\r");
    host.line.receive(ANSWER_MS);
    host.quiet();
    let left = left_bytes(&mut host);
    println!("{at_first} bytes of the stack were never used at first, {left} at last");
    assert!(left < at_first && left >= LEAST_LEFT_BYTES, "{left}");
}
