//! FFTs on the QPUs: complex, of 2^4 to 2^22 points and of planes, and what they are planned from.
//!
//! A plan ([`Plan`]) is a length and a batch made ready on one [`Runner`](crate::job::Runner):
//! programs, lists of uniforms and tables of twiddles lie in memory that V3D sees, and
//! [`Plan::run`] transforms the caller's input buffer into the caller's output buffer,
//! which may be the same. The firmware and the host's tests use the same plan; nothing is allocated
//! but buffers of the runner. The catalogue of programs is `qpu_programs::FFT`; the documentation
//! of that crate begins with a transform on the simulator.
//!
//! # Method
//!
//! N = R1 · R2 · .. in up to four passes over memory ([`split`]), because registers hold 256 points
//! and the TMUs read through caches that nothing but the ARM can clear. A pass does its work in
//! *units* of 256 points, each on one QPU by itself ([`geometry`] has the index maps, [`program`]
//! what a program computes): sixteen points in each of sixteen lanes are transformed in registers,
//! then what the radix has left across lanes, then multiplied with the twiddles to the next pass
//! and stored through the VPM in rows of 64 bytes.
//!
//! Where anything lies is data and not code: a program adds a word of its lanes, a word of its
//! unit's record and a word of the pass's list of rows ([`context`] and [`layout`] make the words,
//! [`tables`] the twiddles, [`memory`] places them). The inverse negates imaginary parts at both
//! ends and has programs and tables in common with the forward transform. Which split, how many
//! QPUs and whether all passes go in one launch is in a table of what was measured fastest
//! ([`table`]). Long middle passes take several launches ([`layout::Layout::needs_relaunch`]).
//!
//! The input may be i16, u8 or i8 samples instead of f32, times a window, in transforms that
//! overlap: the first pass converts them ([`samples`]). Before transforms through the VPM that is a
//! pass of its own ([`convert`]). A plane takes the passes of its rows and then those of its
//! columns ([`plane`]). First and last passes of 128 points and more are shared by two or four
//! QPUs, which exchange half of what they have through the VPM, once or twice ([`tile`]). Lengths
//! from 2^4 to 2^12 go through the VPM on their way, in one pass over memory ([`one_pass`]).
//!
//! # Accuracy
//!
//! The QPU's adder and multiplier truncate, which loses about the same share of every bin. The
//! tables are scaled up by the loss that is expected, which is derived from the operations on an
//! output's path ([`geometry::Geometry::loss`]). Errors by length are in
//! `tests/tests/fft_plans/accuracy.rs`.
//!
//! Source of the machine's rules: VideoCore IV 3D Architecture Reference Guide, sections 3, 4 and
//! 7.

pub mod bins;
pub mod columns;
pub mod context;
pub mod convert;
pub mod convolution;
pub mod geometry;
pub mod layout;
pub mod memory;
mod numbers;
pub mod one_pass;
pub mod pairs;
pub mod pass;
pub mod pipeline;
pub mod plan;
pub mod plane;
pub mod points;
pub mod program;
pub mod relay;
pub mod request;
pub mod roofline;
pub mod roots;
pub mod samples;
pub mod short;
pub mod sizes;
pub mod spectrum;
pub mod split;
pub mod steps;
pub mod streams;
pub mod table;
pub mod tables;
pub mod tile;
pub mod truncation;
pub mod tuned;
pub mod twiddle;
pub mod uniform;
mod values;
pub mod window;
pub mod words;
mod write;

pub use plan::Plan;
pub use signal::Direction;
pub use split::{Axis, Role, Split};
