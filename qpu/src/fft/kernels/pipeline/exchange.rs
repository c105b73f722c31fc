//! Lanes change places with registers: bits of a lane's number with bits of a register's.

use super::uniforms::Word;
use crate::generate::codelet::op_list::{Complex, OpList, Wish};
use crate::generate::schedule::{Place, Source};
use crate::isa::{AddOp, Cond};

/// An exchange of lanes with registers: the bit of a lane's number, and lanes in which it is set
/// and in which it is not, by the flags of [`set_stage_flags`].
#[derive(Clone, Copy)]
pub struct Exchange {
    distance: u8,
    set: Cond,
    clear: Cond,
}

impl Exchange {
    /// The exchange of the bit that is shifted out, or of that which is the sign then.
    pub const fn new(bit: u8, stage: Stage) -> Self {
        let (set, clear) = if bit == stage as u8 {
            (Cond::CS, Cond::CC)
        } else {
            (Cond::NS, Cond::NC)
        };
        Self {
            distance: 1 << bit,
            set,
            clear,
        }
    }
}

/// The upper of the two bits of a lane's number that flags tell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Bits 3 and 2.
    Rows = 3,
    /// Bits 2 and 1.
    Columns = 2,
}

/// C is bit `stage` of a lane's number, N the bit below.
pub fn set_stage_flags(ops: &mut OpList<Word>, stage: Stage) {
    // Shifts are modulo 32: bit `stage` comes out last.
    let shift = Source::Small(-(stage as i32));
    ops.set_flags(AddOp::Shl, Source::Lane, shift);
}

/// Bit 0 of `pair` changes places with a bit of the lanes: [x, y] becomes x and y of lanes without
/// the bit, and x and y of those with it.
fn exchange(ops: &mut OpList<Word>, pair: [Place; 2], exchange: Exchange) {
    // What is rotated has to be in an accumulator.
    let [x, y] = pair.map(|place| ops.load(place, Wish::Accumulator));
    ops.merge_rotated(y, exchange.distance, exchange.set, pair[0]);
    ops.merge_rotated(x, 16 - exchange.distance, exchange.clear, pair[1]);
    ops.give_back(x);
    ops.give_back(y);
}

/// Exchanges both parts of a pair in this way.
pub fn exchange_complex(ops: &mut OpList<Word>, pair: [Complex; 2], bit: Exchange) {
    for component in 0..2 {
        exchange(ops, pair.map(|z| z[component].place), bit);
    }
}
