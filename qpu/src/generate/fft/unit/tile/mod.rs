//! First and last passes of tiles that two QPUs share ([`crate::fft::tile`]).

mod first;
mod last;

pub use first::program as first;
pub use last::program as last;
