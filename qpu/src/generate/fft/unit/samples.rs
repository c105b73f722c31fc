//! Samples that become points as they are looked up: converted exactly, then times factors.
//!
//! Factors are looked up too, each lane's own, and hold full scale, window and the sign of an inverse. They
//! are 64 bytes for each vector and component, so their addresses need no carry.

use super::Word;
use super::codelet::Codelet;
use super::frame::{Frame, Source};
use crate::fft::Role;
use crate::fft::program::{Kind, Record, Row, Samples};
use crate::generate::fft::draft::{Complex, Value, Wish};
use crate::generate::schedule::{Destination, Place};
use crate::isa::{AddOp, File, Unpack};

/// How a program's samples become points.
#[derive(Clone, Copy)]
pub struct Conversion {
    samples: Samples,
    /// Before a unit begins 4 · lane, then the addresses of its factors.
    factors: Place,
    /// Of bytes: by how many bits a lane shifts the word that holds its point.
    shift: Option<Place>,
}

impl Conversion {
    /// Writes what belongs to the start; `words` is 4 · lane. `None` for points that are taken as they are.
    pub fn start(frame: &mut Frame, kind: Kind, words: Option<Place>) -> Option<Self> {
        let words = words.filter(|_| kind.samples != Samples::Points)?;
        // The lanes with the upper half of a word, and how far the bit that tells them is from 16.
        let odd = match kind.role {
            // Neighbouring columns.
            Role::First => Some((1, 4)),
            // Neighbouring rows are as far apart as bits reversed can be; of 16 points, a vector holds one row.
            _ if kind.radix > 16 => Some((8, 1)),
            _ => None,
        };
        let shift = odd
            .filter(|_| kind.samples == Samples::Bytes)
            .map(|(lanes, places)| {
                let draft = &mut frame.draft;
                let bit = draft.take(Wish::Accumulator);
                let sources = [Source::Lane, Source::Small(lanes)];
                draft.add_op(AddOp::And, sources, Destination::Place(bit));
                let shift = draft.take(Wish::AnyFile);
                let sources = [Source::Place(bit), Source::Small(places)];
                draft.add_op(AddOp::Shl, sources, Destination::Place(shift));
                draft.give_back(bit);
                shift
            });
        Some(Self {
            samples: kind.samples,
            factors: words,
            shift,
        })
    }

    /// Whether r5 holds what is subtracted from bytes, until all points are converted.
    pub fn takes_r5(&self) -> bool {
        self.samples == Samples::Bytes
    }

    /// Where the addresses of a unit's factors are.
    pub fn factors(&self) -> Place {
        self.factors
    }

    /// Reads what the record says of the factors.
    pub fn begin_unit(self, frame: &mut Frame) -> Self {
        Self {
            factors: frame.base(Record::Factors, self.factors),
            ..self
        }
    }

    /// Looks point `vector` up, at `input` + uniform, and converts it.
    pub fn point(&self, codelet: &mut Codelet, input: Place, vector: u8, wish: Wish) -> Complex {
        let row = |component| Word::Row(Row::Input { vector, component });
        let z = match self.samples {
            Samples::Points | Samples::Windowed => [0, 1].map(|component| {
                let fetched = codelet.fetch(input, row(component));
                let draft = &mut codelet.frame.draft;
                let x = draft.take(Wish::Accumulator);
                draft.copy(Source::Place(fetched.place), Destination::Place(x));
                self.times_factor(codelet, vector, component, x, wish)
            }),
            Samples::I16 => {
                let fetched = codelet.fetch(input, row(0));
                let draft = &mut codelet.frame.draft;
                let word = draft.take(Wish::File(File::A));
                draft.copy(Source::Place(fetched.place), Destination::Place(word));
                let parts = [Unpack::U16a, Unpack::U16b];
                let parts =
                    parts.map(|part| draft.float_of_integer(word, part, Wish::Accumulator).place);
                draft.give_back(word);
                [0, 1].map(|component: u8| {
                    let x = parts[usize::from(component)];
                    self.times_factor(codelet, vector, component, x, wish)
                })
            }
            Samples::Bytes => {
                let fetched = codelet.fetch(input, row(0));
                let draft = &mut codelet.frame.draft;
                let word = draft.take(Wish::File(File::A));
                let (fetched, to) = (Source::Place(fetched.place), Destination::Place(word));
                let flip = Source::Uniform(Word::Row(Row::Flip));
                if let Some(shift) = self.shift {
                    let moved = draft.take(Wish::Accumulator);
                    let sources = [fetched, Source::Place(shift)];
                    draft.add_op(AddOp::Shr, sources, Destination::Place(moved));
                    draft.add_op(AddOp::Xor, [Source::Place(moved), flip], to);
                    draft.give_back(moved);
                } else {
                    draft.add_op(AddOp::Xor, [fetched, flip], to);
                }
                let parts = match self.shift {
                    None if vector % 2 == 1 => [Unpack::U8c, Unpack::U8d],
                    _ => [Unpack::U8a, Unpack::U8b],
                };
                let parts = parts.map(|part| {
                    let x = draft.float_of_integer(word, part, Wish::Accumulator).place;
                    let sources = [x, Place::R5].map(Source::Place);
                    draft.add_op(AddOp::Fsub, sources, Destination::Place(x));
                    x
                });
                draft.give_back(word);
                [0, 1].map(|component: u8| {
                    let x = parts[usize::from(component)];
                    self.times_factor(codelet, vector, component, x, wish)
                })
            }
        };
        codelet.vectors += 1;
        z
    }

    /// x, in an accumulator, times its factor. Gives back x.
    fn times_factor(
        &self,
        codelet: &mut Codelet,
        vector: u8,
        component: u8,
        x: Place,
        wish: Wish,
    ) -> Value {
        let word = Word::Row(Row::Factor { vector, component });
        let factor = codelet.fetch_aligned(self.factors, word);
        let draft = &mut codelet.frame.draft;
        let product = draft.multiply(factor, Source::Place(x), wish);
        draft.give_back(x);
        product
    }
}
