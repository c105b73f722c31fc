//! Lookups of rows and twiddles, whose addresses are counted on in an accumulator.

use crate::codelet::op_list::{Complex, OpList, Wish, positive};
use crate::codelet::radix16::file_of;
use qpu::generate::schedule::{Destination, Operation, Place, Source};
use qpu::isa::{AddOp, MulOp};

/// Addresses of what lanes look up next, while there are lookups: an accumulator needs no read
/// port.
pub const ADDRESSES: Place = Place::Accumulator(3);
/// Rows that are asked for before anything else: what the TMUs hold.
pub const ROWS_AHEAD: usize = 4;

/// The TMU of a pair of lookups.
pub fn tmu(pair: usize) -> u8 {
    (pair % 2) as u8
}

/// Looks up what the addresses say, and sends them on.
pub fn request<W: Copy + PartialEq>(ops: &mut OpList<W>, pair: usize, step: Source<W>) {
    let addresses = Source::Place(ADDRESSES);
    ops.copy(addresses, Destination::Tmu(tmu(pair)));
    ops.add_op(AddOp::Add, addresses, step, ADDRESSES);
}

/// The point of a row that was asked for as pair `pair`, each part times its factor.
pub fn take_point<W: Copy + PartialEq>(
    ops: &mut OpList<W>,
    pair: usize,
    row: usize,
    factors: [Place; 2],
) -> Complex {
    factors.map(|factor| {
        let place = ops.take(Wish::File(file_of(row)));
        ops.push(Operation::fetch(tmu(pair)));
        ops.push(Operation::mul(MulOp::Fmul, Place::R4, factor, place));
        positive(place)
    })
}
