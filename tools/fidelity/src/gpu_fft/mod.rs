//! The host side of GPU_FFT (Andrew Holme), for v3d-sim.
//!
//! A batch of transforms is eight programs on eight QPUs, whatever the length. Each walks the list
//! of buffer pairs in its uniforms, and QPU 0's gathers all results in the VPM and stores them.
//! Passes go from one buffer of a pair to the other, so that an odd number of them leaves the
//! result in the second.
//!
//! [`lengths`] and [`twiddles`] say what the tables of each length hold, [`plan`] where things lie,
//! and [`hello_fft`] is the author's test.
//!
//! Source: hello_fft of raspberrypi/userland, releases 2.0 and 3.0: `gpu_fft.c` (memory map,
//! uniforms, choice of launch), `gpu_fft_base.c` (launch), `gpu_fft_twiddles.c` (tables, restated
//! here as data), `hello_fft.c` (test).

pub mod hello_fft;
pub mod lengths;
pub mod plan;
pub mod twiddles;

use crate::machine::MachineError;
use crate::userland::UserlandError;
pub use lengths::Length;
pub use plan::{Direction, Plan, Shape};

/// QPUs that a transform uses.
pub const QPUS: u32 = 8;

/// Clocks that an execution may take: the 2 s after which the author's call by mailbox gives up,
/// and as much again for simulations of slower machines, at 250 MHz.
pub const LIMIT_CLOCKS: u64 = 1_000_000_000;

/// Why a transform was not made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// The checkout lacks something.
    #[error(transparent)]
    Userland(#[from] UserlandError),
    /// There is no shader for the length.
    #[error("GPU_FFT {release} has no shader for 2^{log2n} points: take 2^8 to 2^{largest}")]
    Length {
        /// The number that its author gives it.
        release: &'static str,
        /// The length asked for.
        log2n: u32,
        /// The longest it has.
        largest: u32,
    },
    /// No transforms at all, or more than memory holds.
    #[error(
        "a batch of {jobs} transforms of 2^{log2n} points needs {bytes} bytes; 1 GiB is all there is"
    )]
    Batch {
        /// Transforms.
        jobs: u32,
        /// Their length.
        log2n: u32,
        /// The memory that they need.
        bytes: u64,
    },
    /// The simulator says that a program did not end well.
    #[error("GPU_FFT {what}: {error}")]
    Machine {
        /// The transform.
        what: String,
        /// The error.
        error: MachineError,
    },
}
