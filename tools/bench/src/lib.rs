//! The FFT on the QPUs beside GPU_FFT 3.0, length by length, on the same simulator.
//!
//! `cargo xtask bench` runs the binary of this crate. A [`Row`] is one transform: ours, which the
//! plans of `qpu_fft` make ([`ours`]), the peer's, which the published shaders of GPU_FFT make in
//! the same run ([`peer`]), and a time that no plan can fall below ([`flowgraph::plan::bound`]).
//! [`report`] tells all of it. [`recorded`] keeps the figures, so that [`document`] writes
//! `docs/performance.md` from them without a run.
//!
//! Times are V3D clocks from the first request to the end of the last program, without the ARM's
//! share; both sides clear the caches that their own drivers clear. The first launch after start is
//! "cold", the second "steady". Before each the ARM stores new input, which leaves its last part in
//! the system L2: once the stimulus of hello_fft, once random numbers. No time depends on the
//! numbers. [`host`] is apart: it times the host's tool on the computer that it runs on.
#![forbid(unsafe_code)]

pub mod beside;
pub mod case;
pub mod copy;
pub mod document;
pub mod host;
pub mod ours;
pub mod peer;
pub mod plot;
pub mod recorded;
pub mod report;
pub mod row;
pub mod run;
pub mod samples;
pub mod side;
pub mod tried;
pub mod variants;
pub mod wall;

pub use case::{Case, Kind};
pub use row::Row;
pub use side::Side;
pub use wall::Wall;
