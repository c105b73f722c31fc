//! The V3D simulator against figures published from real hardware.
//!
//! `cargo xtask fidelity` runs the binary of this crate: one row for each published figure, with
//! the simulator's beside it ([`row`]). Two kinds of programs make the figures:
//!
//! * [`gpu_fft`] is the host side of GPU_FFT for v3d-sim. Its published shaders run as on a Pi and
//!   give the errors, counters and times that their author printed. Nothing of GPU_FFT is in this
//!   repository; [`Userland`] reads the shaders from a checkout that the user names.
//! * [`microbenchmark`] are small programs that measure one latency or rate each.
//!
//! [`fit`] is how the constants of the simulator's cycle model were found, [`fits`] what it found,
//! and [`report`] the document. [`decide`] sets the times of one board beside the model.
#![forbid(unsafe_code)]

pub mod decide;
pub mod fit;
pub mod fits;
pub mod gpu_fft;
pub mod machine;
pub mod measure;
pub mod microbenchmark;
pub mod parallel;
pub mod published;
pub mod recorded;
pub mod report;
pub mod repository;
pub mod row;
pub mod rows;

mod userland;
pub mod variants;

pub use machine::{Machine, MachineError};
pub use userland::{Release, Userland, UserlandError};
