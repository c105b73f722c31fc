//! Small programs, each of which measures one published latency, rate or counter.
//!
//! They are written here, because the originals were mostly described and not published: each does
//! what its description says and nothing else. A loop's figure is the difference between two runs
//! that differ in the number of iterations, so that neither start nor first misses are in it.
//!
//! Sources: reference/qpu.md sections 6.3, 8.3 and 8.4, with whom they name.

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
const TERMINUS: &str = "Terminus-IMRC, QPU measurements (qpu.md 8.3, 8.4)";
/// His answer in a forum, on which VC4C's tests agree.
const FORUM: &str = "Raspberry Pi forum p=1143940, VC4C (qpu.md 8.3)";
/// Documentation of the tool `qpu`.
const SWRENN: &str = "swrenn/qpu, README, minimal example";
/// Sources on the events that the counters were seen to count.
const OBSERVED: &str = "Terminus-IMRC, VC4C, swrenn/qpu (qpu.md 6.3)";
/// Sizes of the caches.
const CACHES: &str = "vc4asm, Terminus-IMRC, VC4C (qpu.md 4.4, 8.2)";

/// The figure that a microbenchmark reports: the unit is that of its row.
type Measurement = Result<f64, MachineError>;

/// One row.
struct Microbenchmark {
    section: Section,
    what: &'static str,
    source: &'static str,
    board: Board,
    unit: &'static str,
    published: f64,
    band: Band,
    /// True if a constant of the model was set from it.
    fitted: bool,
    measure: fn(&Constants) -> Measurement,
}

/// All of them, run one after the other: each takes milliseconds.
///
/// # Errors
/// When a program faults or does not end.
pub fn rows(constants: &Constants) -> Result<Vec<Row>, MachineError> {
    let lists = [
        lookup::LIST,
        vpm::LIST,
        dma::LIST,
        uniform::LIST,
        semaphore::LIST,
        capacity::LIST,
        minimal::LIST,
    ];
    let mut rows = Vec::new();
    for benchmark in lists.into_iter().flatten() {
        rows.push(Row {
            section: benchmark.section,
            what: benchmark.what.into(),
            source: benchmark.source,
            board: benchmark.board,
            unit: benchmark.unit,
            published: benchmark.published,
            band: benchmark.band,
            fitted: benchmark.fitted,
            simulated: Some((benchmark.measure)(constants)?),
            recorded: None,
        });
    }
    rows.extend(counters::rows(constants)?);
    Ok(rows)
}
