//! The V3D simulator against figures published from real hardware.
//!
//! [`gpu_fft`] is the host side of GPU_FFT for v3d-sim: its published shaders run as on a Pi, and
//! print the errors, counters and times that their author printed. Nothing of GPU_FFT is in this
//! repository; [`Userland`] reads the shaders from a checkout that the user names.
#![forbid(unsafe_code)]

pub mod gpu_fft;
mod machine;
mod userland;

pub use machine::{Machine, MachineError};
pub use userland::{Release, Userland, UserlandError};
