//! First and last passes of tiles that QPUs share ([`crate::kernels::tile::layout`]).

mod exchange;
mod first;
mod last;
mod twiddles;

pub use first::program as first;
pub use last::program as last;
