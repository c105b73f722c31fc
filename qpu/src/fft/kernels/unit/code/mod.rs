//! Programs of passes whose units are each on one QPU.
//!
//! [`program`](crate::fft::kernels::program) says what each computes and what its uniforms mean.
//! [`mod@first`] and [`mod@single`] read the caller's rows, [`mod@middle`] and [`mod@last`] cells;
//! all transform 16 vectors and then across lanes.

mod across;
pub mod cells;
pub mod codelet;
pub mod columns;
mod first;
mod groups;
mod last;
mod middle;
pub mod points;
pub mod samples;
mod single;

pub use first::program as first;
pub use last::program as last;
pub use middle::program as middle;
pub use single::program as single;

use super::uniforms::{Record, Row, Scalar, Start};
use crate::fft::kernels::uniform::{Pack, UniformId};
use crate::fft::kernels::unit_loop::List;

/// The names of uniforms, for listings.
pub fn name(list: List, id: UniformId) -> String {
    match list {
        List::Start => format!("{:?}", Start::of(id)),
        List::Record => format!("{:?}", Record::of(id)),
        List::Row => format!("{:?}", Row::of(id)),
        List::Scalar => format!("{:?}", Scalar::of(id)),
    }
}
