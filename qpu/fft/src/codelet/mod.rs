//! Codelets: what all FFT programs are written with.
//!
//! A codelet is a function that writes operations on registers in an order that is easy to read.
//! The op list ([`op_list`]) hands out the registers, [`radix16`] is the transform of 16 points,
//! and [`schedule`](qpu::generate::schedule) decides which instruction each operation becomes part
//! of. What a program reads as uniforms is listed beside it in the order that came out, so nothing
//! else needs to know the schedule. The programs themselves are in
//! [`fft::kernels`](crate::kernels).

pub mod lookups;
pub mod op_list;
pub mod radix16;

use qpu::generate::schedule::Place;
use qpu::generate::{Reg, ra, rb};
use qpu::isa::File;

/// The operand of the builder that is a register of an op list.
///
/// # Panics
/// When the place is no register of a file: a bug of the program's writer.
#[must_use]
pub fn register(place: Place) -> Reg {
    match place {
        Place::Register(File::A, number) => ra(number),
        Place::Register(File::B, number) => rb(number),
        _ => unreachable!("what is kept is kept in registers"),
    }
}
