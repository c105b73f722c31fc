//! The programs that are written as text, run on the simulator.
#![forbid(unsafe_code)]

mod hello;
mod memcpy;
mod microbench;
mod sha256;
mod transpose;
mod transpose_points;

use qpu::job::Runner;
use v3d_sim::SimRunner;

/// RAM of a simulated board.
const RAM_BYTES: u32 = 8 << 20;
/// Longer than any of the programs takes.
const LIMIT_US: u32 = 1_000_000;

/// Runners whose QPUs advance in different orders; strict, so that a broken rule ends the run.
fn runners() -> impl Iterator<Item = SimRunner> {
    let orders = (0..4).map(|seed| SimRunner::new(RAM_BYTES).with_order_seed(seed));
    std::iter::once(SimRunner::new(RAM_BYTES)).chain(orders)
}

/// A run must have ended without a warning.
fn assert_clean(runner: &SimRunner) {
    let warnings = runner.warnings();
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn no_program_has_a_static_hazard() {
    for (name, code) in qpu_programs::code::ALL {
        let findings = qpu::check::check(code);
        assert!(findings.is_empty(), "{name}: {findings:#?}");
    }
}

#[test]
fn a_program_is_placed_with_zeros_behind_it() {
    let mut runner = SimRunner::new(RAM_BYTES);
    let buffer = qpu_programs::code::place(&mut runner, &[1 << 32 | 2]).expect("room");
    let mut words = [9; 18];
    runner.read(buffer, 0, &mut words).expect("its own buffer");
    assert_eq!((words[0], words[1]), (2, 1));
    assert_eq!(words[2..], [0; 16]);
}
