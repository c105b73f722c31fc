//! Codelets: what all FFT programs are written with.
//!
//! A codelet is a function that writes operations on registers in an order that is easy to read.
//! The op list ([`op_list`]) hands out the registers, [`radix16`] is the transform of 16 points,
//! and [`schedule`](super::schedule) decides which instruction each operation becomes part of. What
//! a program reads as uniforms is listed beside it in the order that came out, so nothing else
//! needs to know the schedule. The programs themselves are in
//! [`fft::kernels`](crate::fft::kernels).

pub mod lookups;
pub mod op_list;
pub mod radix16;
