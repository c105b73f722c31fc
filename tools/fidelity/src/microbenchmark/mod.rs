//! Small programs, each of which measures one published latency, rate or counter.
//!
//! They are written here, because the originals were mostly described and not published: each does
//! what its description says and nothing else. A loop's figure is the difference between two runs
//! that differ in the number of iterations, so that neither start nor first misses are in it.
//!
//! Sources: docs/hardware/qpu.md sections 6.3, 8.3 and 8.4, with whom they name.

mod capacity;
mod counters;
mod dma;
mod iteration;
mod lookup;
mod minimal;
mod semaphore;
mod uniform;
mod vpm;

use crate::machine::MachineError;
use crate::row::{Band, Row, Section};
use v3d_sim::{Board, Constants};

/// Terminus-IMRC's measurements (Y. Sugizaki), on a Pi 2 where he names the board.
const TERMINUS: &str = "Terminus-IMRC, QPU measurements (docs/hardware/qpu.md 8.3, 8.4)";
/// His answer in a forum, on which VC4C's tests agree.
const FORUM: &str = "Raspberry Pi forum p=1143940, VC4C (docs/hardware/qpu.md 8.3)";
/// Documentation of the tool `qpu`.
const SWRENN: &str = "swrenn/qpu, README, minimal example";
/// Sources on the events that the counters were seen to count.
const OBSERVED: &str = "Terminus-IMRC, VC4C, swrenn/qpu (docs/hardware/qpu.md 6.3)";
/// Sizes of the caches.
const CACHES: &str = "vc4asm, Terminus-IMRC, VC4C (docs/hardware/qpu.md 4.4, 8.2)";

/// A row of latencies and rates on a Pi 2, to which nothing was fitted.
fn row(
    what: &str,
    source: &'static str,
    published: (f64, &'static str),
    band: Band,
    simulated: f64,
) -> Row {
    let section = Section::Microbenchmarks;
    Row {
        board: Board::Pi2,
        ..Row::new(section, what, source, published, band, Some(simulated))
    }
}

/// All of them, run one after the other: each takes milliseconds.
///
/// # Errors
/// When a program faults or does not end.
pub fn rows(constants: &Constants) -> Result<Vec<Row>, MachineError> {
    let groups = [
        lookup::rows,
        vpm::rows,
        dma::rows,
        uniform::rows,
        semaphore::rows,
        capacity::rows,
        minimal::rows,
        counters::rows,
    ];
    let groups: Result<Vec<_>, _> = groups.iter().map(|rows| rows(constants)).collect();
    Ok(groups?.concat())
}
