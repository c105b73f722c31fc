//! Latencies, rates and counters that were published from real chips, on v3d-sim.
//!
//! The rows of `cargo xtask fidelity` that need nothing but this repository. Those of GPU_FFT need
//! a checkout of it, and minutes.

use fidelity::microbenchmark;
use v3d_sim::Constants;

#[test]
fn microbenchmarks_lie_in_their_bands() {
    let rows = microbenchmark::rows(&Constants::recommended()).unwrap_or_else(|e| panic!("{e}"));
    let outside: Vec<String> = rows
        .iter()
        .filter(|row| row.in_band() == Some(false))
        .map(|row| {
            format!(
                "{}: {:?}, published {}",
                row.what, row.simulated, row.published
            )
        })
        .collect();
    assert!(outside.is_empty(), "{outside:#?}");
    // Rows without a band do not count, so there must be others.
    let held = rows.iter().filter(|row| row.in_band() == Some(true));
    assert!(held.count() > 20);
}
