//! A run without end stays in the memory that it took at its start.
//!
//! The test asks the kernel for the memory of its process, so it is the only one of this program.
//! The guest does over and over what a stream of short transforms does: the LED, and a program on a
//! QPU.
#![forbid(unsafe_code)]

mod guest;

use guest::capture::GPIO;
use guest::{Guest, V3D};
use virtual_pi::{Config, Stop, VirtualPi};

/// Virtual time after which caches and queues have their size.
const WARM_NS: u64 = 20_000_000;
/// Virtual time in which nothing may grow.
const RUN_NS: u64 = 80_000_000;
/// Launches in that time at least.
const LAUNCHES: u64 = 40_000;
/// Bytes that an allocator may add for reasons of its own: less than a word for each launch.
const SLACK: u64 = 1 << 18;

const GPFSEL1: u32 = GPIO + 0x04;
const GPSET0: u32 = GPIO + 0x1c;
const GPCLR0: u32 = GPIO + 0x28;
const ACT_LED: u32 = 1 << 16;
const SRQCS: u32 = V3D + 0x43c;
/// `thrend` and two `nop`s.
const PROGRAM: [u64; 3] = [
    0x3000_09e7_009e_7000,
    0x1000_09e7_009e_7000,
    0x1000_09e7_009e_7000,
];

/// Launches for ever, as fast as the ARM can.
fn launches() -> Guest {
    let mut guest = Guest::new();
    guest.property(0x0010_0000, 0x0003_0012, &[1]);
    for (at, word) in (0x0010_1000..).step_by(8).zip(PROGRAM) {
        guest
            .poke(at, word as u32)
            .poke(at + 4, (word >> 32) as u32);
    }
    guest.poke(GPFSEL1, 1 << 18).dsb();
    let top = guest.here();
    guest
        .poke(GPCLR0, ACT_LED)
        .poke(SRQCS, 0x0001_0181)
        .poke(V3D + 0x430, 0x4010_1000)
        .poll(SRQCS, 1 << 16, true)
        .poke(GPSET0, ACT_LED)
        .branch(14, top);
    guest
}

/// Bytes of this process that are in memory; nothing where the kernel does not say.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

#[test]
fn a_board_that_launches_for_ever_does_not_grow() {
    let mut pi = VirtualPi::new(Config::default(), &launches().image()).expect("the guest boots");
    assert_eq!(pi.run_until_ns(WARM_NS), Stop::Deadline);
    let (uses, before) = (pi.v3d_uses().0, resident());
    assert_eq!(pi.run_until_ns(WARM_NS + RUN_NS), Stop::Deadline);
    let (uses, after) = (pi.v3d_uses().0 - uses, resident());
    // A launch writes SRQCS and SRQPC and reads SRQCS at least once.
    assert!(uses > 3 * LAUNCHES, "V3D is used {uses} times");
    assert_eq!(pi.messages(), Vec::<String>::new());
    let (Some(before), Some(after)) = (before, after) else {
        return;
    };
    let grown = after.saturating_sub(before);
    assert!(
        grown <= SLACK,
        "{grown} bytes more after {uses} uses of V3D"
    );
}
