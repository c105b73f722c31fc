//! Long forms of the system tests: `cargo xtask soak [NAME]` runs them, one at a time.
//!
//! All are ignored by libtest, so that `cargo xtask test` only counts them. Each prints how much
//! virtual time it took.
#![forbid(unsafe_code)]

#[path = "../qpu_engine/averaged_lots.rs"]
mod averaged_lots;
// The system tests use the rest of them.
#[allow(dead_code)]
#[path = "../system/faulty.rs"]
mod faulty;
#[allow(dead_code)]
#[path = "../system/generated.rs"]
mod generated;
#[allow(dead_code)]
#[path = "../system/host.rs"]
mod host;
#[allow(dead_code)]
#[path = "../system/line.rs"]
mod line;
#[allow(dead_code)]
#[path = "../system/noisy.rs"]
mod noisy;
#[allow(dead_code)]
#[path = "../system/reference.rs"]
mod reference;

mod defects;
mod long_average;
mod memory;
mod noise;

/// Tells `cargo xtask soak` how much time has passed on a board.
fn tell_virtual_time(host: &host::Host<line::Virtual>) {
    println!("virtual time: {:.1} s", host.line.pi.now_ns() as f64 * 1e-9);
}
