//! Tests of how the board sleeps: by the system timer, which misses a compare that is set too near.

use crate::host::Host;
use crate::line::{Line, Virtual};
use tests::{NO_KERNEL, need};
use virtual_pi::Config;

/// The light may change at multiples of this.
const BLINK_US: u64 = 150_000;

/// The time from the first bit of a lone byte to its interrupt: 10 bits, and 32 of silence, at
/// 115,200 baud.
const BYTE_US: u64 = 365;

/// A board that is woken at any time just before it would wake by itself sets the alarm again, for
/// what is left. Here the timer misses whatever is not further ahead than Linux has it.
#[test]
fn a_sleep_that_ends_in_some_microseconds_ends_in_time() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        timer_misses_us: 15,
        ..Config::default()
    };
    let mut host = Host::new(Virtual::boot(&image, config));
    host.line_with("next: ", 1_000);
    host.quiet();
    let settled_us = host.line.pi.now_ns() / 1000;
    for before_us in 0..100 {
        let pi = &mut host.line.pi;
        let next_us = (pi.now_ns() / 1000 / BLINK_US + 1) * BLINK_US;
        pi.run_until_ns((next_us + BLINK_US - BYTE_US - before_us) * 1000);
        // The end of no frame.
        host.line.send(&[0]);
        host.line.receive(1);
    }
    let changes = host.line.pi.led_changes();
    let changes = changes.iter().map(|(at_ns, _)| at_ns / 1000);
    let changes: Vec<u64> = changes.filter(|at_us| *at_us > settled_us).collect();
    assert!(changes.len() > 50, "{} changes", changes.len());
    for at_us in changes {
        let late_us = at_us % BLINK_US;
        assert!(
            late_us < 1_000,
            "the light changed {late_us} us late, at {at_us} us"
        );
    }
}
