//! Programs of passes whose units are each on one QPU.
//!
//! [`program`](crate::kernels::program) says what each computes and what its uniforms mean.
//! [`mod@first`] reads the caller's rows, [`later`] cells; both transform 16 vectors and then
//! across lanes.

mod across;
pub mod cells;
pub mod codelet;
mod first;
pub mod later;
pub mod points;
pub mod routines;
pub mod samples;

pub use first::first;
pub use later::{last, middle};

use super::uniforms::{Record, Row, Scalars, Start};
use crate::kernels::uniform::{Pack, UniformId};
use crate::kernels::unit_loop::List;

/// The names of uniforms, for listings.
pub fn name(list: List, id: UniformId) -> String {
    match list {
        List::Start => format!("{:?}", Start::of(id)),
        List::Record => format!("{:?}", Record::of(id)),
        List::Row => format!("{:?}", Row::of(id)),
        List::Scalar => format!("{:?}", Scalars::of(id)),
    }
}
