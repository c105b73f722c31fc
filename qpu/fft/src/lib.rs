//! FFTs on the QPUs: complex, of 2^4 to 2^22 points and of planes, and what they are planned from.
//!
//! A plan ([`Plan`]) is a length and a batch made ready on one [`Runner`](qpu::job::Runner):
//! programs, lists of uniforms and tables of twiddles lie in memory that V3D sees, and
//! [`Plan::run`] transforms the caller's input buffer into the caller's output buffer, which may be
//! the same. The firmware and the host's tests use the same plan; nothing is allocated but buffers
//! of the runner. The catalogue of programs is `qpu_programs::FFT`; the documentation of that crate
//! begins with a transform on the simulator.
//!
//! # Method
//!
//! Registers hold 256 points, and the TMUs read through caches that only the ARM can clear. So a
//! long transform takes several passes over memory, one for each radix of N = R1 · R2 · .. This is
//! Bailey's four-step method, applied up to three times: transform columns, multiply by twiddle
//! factors, exchange rows and columns, transform again. The exchange costs nothing, because each
//! pass stores its outputs where the next one reads them as columns (Stockham order). So no pass
//! reverses digits, and the bins come out in natural order.
//!
//! ```text
//!   input          pass 1 (first)       scratch        pass 2 (last)         output
//!   N points       N/R1 columns         cells          N/R2 columns          N bins
//!  +--------+     +-------------+     +--------+     +-------------+      +--------+
//!  | x[n]   | TMU | DFT of R1   | VPM | column | TMU | DFT of R2   | VPM  | X[k]   |
//!  |        |---->| x twiddles  |---->| by     |---->| x scale     |----->|        |
//!  +--------+     +-------------+     | column |     +-------------+      +--------+
//!                  twelve QPUs,       +--------+      a launch of its own,
//!                  256 points each                    or the same
//! ```
//!
//! A QPU transforms a unit of 256 points: 16 points in each of 16 lanes by a codelet of radix 16,
//! then the rest of the radix across lanes ([`unit::geometry`](kernels::unit::geometry) has the
//! index maps, [`program`] what a program computes). Addresses are data and not code: a program
//! adds a word of its lanes, a word of its unit's record and a word of its row list. The inverse
//! negates imaginary parts at both ends, and has programs and tables in common with the forward
//! transform.
//!
//! # Map
//!
//! | modules | subject |
//! |---|---|
//! | [`request`], [`plan`], [`spectrum`], [`mod@convolution`], [`window`] | what a user asks for and gets |
//! | [`split`] | the radices of a length, and the roles of its passes |
//! | [`planner`] | from a request to passes, memory, lists and launches |
//! | [`kernels`] | a folder for each kernel: its layout and its code; the catalogue of them |
//! | `codelet`, `schedules` | with the feature `generate`: the op lists of the programs, and schedules that a search found |
//!
//! # Glossary
//!
//! | term | meaning |
//! |---|---|
//! | pass | one way of all points from memory through the QPUs to memory |
//! | kernel | a family of programs, and the layout that the planner asks about it |
//! | unit | the points that a QPU holds at a time, 256 in most kernels |
//! | tile | rows of a first or last pass that two or four QPUs share |
//! | part | one of several units that read the same rows and make different outputs |
//! | octet, cell | eight bins that follow each other; the line of memory that holds one octet of one column |
//! | uniform, list | a number that a program reads in order; the numbers of a start, a record, a row list, a tail |
//! | record | the list of one unit |
//! | launch | programs that are queued together, between two clears of the caches |
//! | split | the radices of the passes of a length |
//! | producer, consumer | programs of a pipeline that fill, and that read, the VPM |
//!
//! # Accuracy
//!
//! The QPU's adder and multiplier truncate, which loses about the same share of every bin. The
//! tables are scaled up by the loss that is expected, which is derived from the operations on an
//! output's path ([`Layout::loss`](kernels::layout::Layout::loss)). Errors by length are in
//! `tests/tests/fft_plans/accuracy.rs`.
//!
//! Without features the crate is `no_std` and allocates nothing: that is what the firmware uses.
//! The feature `generate`, on by default, makes the programs, on a host.
//!
//! Source of the machine's rules: VideoCore IV 3D Architecture Reference Guide, sections 3, 4 and
//! 7.

#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]

#[cfg(feature = "generate")]
pub mod codelet;
pub mod convolution;
pub mod kernels;
pub mod planner;
#[cfg(feature = "generate")]
pub mod schedules;
pub mod spectrum;
pub mod split;
pub mod window;

pub use kernels::{program, samples};
pub use planner::{Plan, plan, request};
pub use signal::Direction;
pub use split::{Axis, Role, Split};
