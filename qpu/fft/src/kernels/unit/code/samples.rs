//! Samples that become points as they are looked up: converted exactly, then times factors.
//!
//! Factors are looked up too, each lane's own, and hold full scale, window and the sign of an
//! inverse. They are 64 bytes for each vector and component, so their addresses need no carry.

use super::codelet::Lookup;
use crate::codelet::op_list::{Complex, OpList, Value, Wish};
use crate::kernels::program::{Kind, Samples};
use crate::kernels::unit::uniforms::Row;
use crate::kernels::unit_loop::{Source, UnitProgram, Word, lane_offsets};
use qpu::generate::schedule::{Destination, Place};
use qpu::isa::{AddOp, File, Unpack};

/// The owner of the op list that a conversion is written to.
pub trait OpListOwner {
    /// The op list.
    fn ops(&mut self) -> &mut OpList<Word>;
}

/// The conversion of a program's samples to points.
#[derive(Clone, Copy)]
pub struct Conversion {
    samples: Samples,
    /// Before a unit begins 4 · lane, then the addresses of its factors.
    pub factors: Place,
    packed: Packed,
}

impl Conversion {
    /// Writes what belongs to the start. `None` for points that are taken as they are.
    pub fn start(program: &mut UnitProgram, kind: Kind) -> Option<Self> {
        if kind.samples == Samples::Points {
            return None;
        }
        let ops = &mut program.ops;
        let words = lane_offsets(ops, 2, Wish::AnyFile);
        let [flip, mask] = [Row::Flip, Row::Mask].map(|word| Source::Uniform(Word::row(word)));
        let packed = match kind.samples {
            Samples::Bytes => {
                // Neighbouring columns share a word: odd lanes have its upper half.
                let shift = shift_of_lanes(ops, 1, Wish::AnyFile);
                Packed::Bytes { shift, flip }
            }
            Samples::HighBytes => Packed::HighBytes { mask, flip },
            _ => Packed::Halves,
        };
        Some(Self {
            samples: kind.samples,
            factors: words,
            packed,
        })
    }

    /// True if r5 holds what is subtracted from bytes, until all points are converted.
    pub fn takes_r5(&self) -> bool {
        self.samples == Samples::Bytes
    }

    /// The lookups for point `vector`, in the order in which [`Conversion::point`] fetches them.
    pub fn lookups(&self, input: Place, vector: u8) -> Vec<Lookup> {
        let row = |component| Lookup::row(input, Row::Input { vector, component });
        let factor = |component| Lookup::row(self.factors, Row::Factor { vector, component });
        if self.samples.has_words() {
            vec![row(0), factor(0), row(1), factor(1)]
        } else {
            vec![row(0), factor(0), factor(1)]
        }
    }

    /// Lookups that go to one TMU before some go to the other, where columns are alike: both
    /// components of a point go to the same.
    pub fn in_a_row(&self) -> usize {
        if self.samples.has_words() { 4 } else { 2 }
    }

    /// Converts a point, of which `fetch` fetches what is looked up, into r4.
    pub fn point<P: OpListOwner>(
        &self,
        points: &mut P,
        wish: Wish,
        fetch: &mut impl FnMut(&mut P) -> Value,
    ) -> Complex {
        if self.samples.has_words() {
            return [0, 1].map(|_| {
                let fetched = fetch(points);
                let ops = points.ops();
                let x = ops.load(fetched.place, Wish::Accumulator);
                times_factor(points, x, wish, fetch)
            });
        }
        let fetched = Source::Place(fetch(points).place);
        let parts = numbers(points.ops(), fetched, self.packed);
        parts.map(|x| times_factor(points, x, wish, fetch))
    }
}

/// The layout of both numbers of a point in a word.
#[derive(Clone, Copy)]
pub enum Packed {
    /// Signed halves.
    Halves,
    /// Upper bytes of halves.
    HighBytes {
        /// The operand that keeps them.
        mask: Source,
        /// The operand that makes them signed.
        flip: Source,
    },
    /// Bytes, from which r5 is subtracted.
    Bytes {
        /// By how many bits each lane shifts the word.
        shift: Place,
        /// The operand that makes them unsigned.
        flip: Source,
    },
}

/// The number of bits by which lanes shift a word: 16 in lanes whose number has the bit `bit`, a
/// power of two, which have the upper half; 0 in others.
pub fn shift_of_lanes(ops: &mut OpList<Word>, bit: u32, wish: Wish) -> Place {
    let set = ops.take(Wish::Accumulator);
    ops.add_op(AddOp::And, Source::Lane, bit as i32, set);
    let shift = ops.take(wish);
    ops.add_op(AddOp::Shl, set, 4 - bit.ilog2() as i32, shift);
    ops.give_back(set);
    shift
}

/// Both numbers in a word, as f32, in accumulators: exactly.
pub fn numbers(ops: &mut OpList<Word>, fetched: Source, packed: Packed) -> [Place; 2] {
    let word = ops.take(Wish::File(File::A));
    let to = Destination::Place(word);
    let parts = match packed {
        Packed::Halves => {
            ops.copy(fetched, to);
            [Unpack::U16a, Unpack::U16b]
        }
        Packed::HighBytes { mask, flip } => {
            let masked = ops.take(Wish::Accumulator);
            ops.add_op(AddOp::And, fetched, mask, masked);
            ops.add_op(AddOp::Xor, masked, flip, to);
            ops.give_back(masked);
            [Unpack::U16a, Unpack::U16b]
        }
        Packed::Bytes { shift, flip } => {
            let moved = ops.take(Wish::Accumulator);
            ops.add_op(AddOp::Shr, fetched, shift, moved);
            ops.add_op(AddOp::Xor, moved, flip, to);
            ops.give_back(moved);
            [Unpack::U8a, Unpack::U8b]
        }
    };
    let numbers = parts.map(|part| {
        let x = ops.float_of_integer(word, part, Wish::Accumulator).place;
        if matches!(packed, Packed::Bytes { .. }) {
            ops.add_op(AddOp::Fsub, x, Place::R5, x);
        }
        x
    });
    ops.give_back(word);
    numbers
}

/// x, in an accumulator, times its factor, which `fetch` fetches. Gives back x.
fn times_factor<P: OpListOwner>(
    points: &mut P,
    x: Place,
    wish: Wish,
    fetch: &mut impl FnMut(&mut P) -> Value,
) -> Value {
    let factor = fetch(points);
    let ops = points.ops();
    let product = ops.multiply(factor, Source::Place(x), wish);
    ops.give_back(x);
    product
}
