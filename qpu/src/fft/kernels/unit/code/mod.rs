//! Programs of passes whose units are each on one QPU.
//!
//! [`program`](crate::fft::kernels::program) says what each computes and what its uniforms mean.
//! [`mod@first`] reads the caller's rows, [`mod@middle`] and [`mod@last`] cells; all transform 16
//! vectors and then across lanes.

mod across;
pub mod cells;
pub mod codelet;
pub mod columns;
mod first;
mod groups;
pub mod last;
mod middle;
pub mod points;
pub mod samples;

pub use first::program as first;
pub use last::program as last;
pub use middle::program as middle;

use super::uniforms::{Record, Row, Scalars, Start};
use crate::fft::kernels::unit_loop::{Names, names};
use crate::generate::schedule::Place;

/// The first rows of all outputs, then the second ones.
fn rows_by_half(outputs: [Option<[Place; 2]>; 16]) -> Vec<Place> {
    let outputs = outputs.map(|output| output.expect("transformed"));
    let halves = [0, 1].into_iter();
    halves
        .flat_map(|half| outputs.map(|output| output[half]))
        .collect()
}

/// The names of uniforms, for listings.
pub const NAMES: Names = names::<Start, Record, Row, Scalars>;
