//! libqpuscope: the simulated V3D, transforms on its QPUs, and boards behind a line, for C.
//!
//! `include/qpuscope.h` and `include/v3d_sim.h` are the documentation, and the contract: the layout
//! of their structures is tested against these, and every argument that can be checked is. A panic
//! is caught at this boundary.
//!
//! | module | calls |
//! |---|---|
//! | `sim` | `v3d_sim_run`: programs on a caller's memory |
//! | `fft` | `qpuscope_fft_*`: transforms, by the plans of `qpu_fft` |
//! | `board` | `qpuscope_board_*`: boards, virtual Pis and recordings of them; with the feature `boards` |
//! | `boundary` | `qpuscope_message`, and what all of them check |
//!
//! GPU_FFT's names are in C, in `gpu_fft`, on top of these. This is the one crate of the host with
//! `unsafe`: pointers come in at the calls, and a caller's memory is reached in `sim::memory`.
#![deny(unsafe_op_in_unsafe_fn)]

#[cfg(feature = "boards")]
mod board;
mod boundary;
mod fft;
mod sim;

#[cfg(feature = "boards")]
pub use board::{
    Board, Info, Spectrum, Upload, qpuscope_board_baud, qpuscope_board_close, qpuscope_board_info,
    qpuscope_board_open, qpuscope_board_read, qpuscope_board_set, qpuscope_board_start,
    qpuscope_board_upload,
};
pub use boundary::{qpuscope_message, status};
pub use fft::{
    Fft, FftOptions, FftResult, FftSizes, TransposeOptions, qpuscope_fft_execute,
    qpuscope_fft_prepare, qpuscope_fft_release, qpuscope_fft_sizes_of, qpuscope_transpose,
};
pub use sim::{Options, Program, READ_ONLY, Region, RunResult, v3d_sim_run};
