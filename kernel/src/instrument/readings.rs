//! Readings of the board: the answers to `get clocks`, `get boot` and `get stack`.

use core::fmt::Write;

use super::board::{BootTimes, Clocks};

/// Writes the lines of `get clocks`.
pub(super) fn write_clocks(clocks: &Clocks, out: &mut impl Write) {
    for (name, clock) in Clocks::NAMES.iter().zip(clocks.readings) {
        let _ = writeln!(
            out,
            "clock-{name}={},{}",
            clock.stated_hz, clock.measured_hz
        );
    }
    let _ = writeln!(out, "temperature={}", clocks.temperature);
}

/// Writes the line of `get boot`.
pub(super) fn write_boot(boot: &BootTimes, first_spectrum_us: u32, out: &mut impl Write) {
    let _ = writeln!(
        out,
        "boot={},{},{},{first_spectrum_us}",
        boot.entry_us, boot.greeting_us, boot.v3d_us
    );
}

/// Writes the line of `get stack`.
pub(super) fn write_stack(left_bytes: u32, out: &mut impl Write) {
    let _ = writeln!(out, "stack-left={left_bytes}");
}
