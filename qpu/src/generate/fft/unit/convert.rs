//! Programs that make points of samples: see [`crate::fft::convert`].

use super::alone::Alone;
use super::bins::interleaved;
use super::{Generated, Word};
use crate::fft::convert::VECTORS;
use crate::fft::program::{Record, Row, Samples, Start, Task};
use crate::generate::fft::draft::{Draft, Wish, positive};
use crate::generate::schedule::{Destination, Place, Source};
use crate::isa::{AddOp, File, Unpack};

/// Log2 of the bytes of a factor.
const FACTOR: i32 = 2;

/// Registers of a program.
struct Kept {
    samples: Samples,
    /// Byte offsets of points, and of factors.
    points: Place,
    factors: Place,
    /// Of bytes: by how many bits a lane shifts the word that has its point, and what makes them unsigned.
    bytes: Option<[Place; 2]>,
}

/// The program.
pub fn program(samples: Samples) -> Generated {
    let mut alone = Alone::new(Task::Convert(samples));
    let factors = alone.draft.take(Wish::AnyFile);
    let words = [Source::Lane, Source::Small(FACTOR)];
    let to = Destination::Place(factors);
    alone.draft.add_op(AddOp::Shl, words, to);
    let kept = Kept {
        samples,
        points: points(&mut alone, samples),
        factors,
        bytes: (samples == Samples::Bytes).then(|| bytes(&mut alone)),
    };

    alone.begin_unit();
    // Odd lanes are told from even ones; the loop uses flags.
    let sources = [Source::Lane, Source::Small(1)];
    let draft = &mut alone.draft;
    draft.add_op_setting_flags(AddOp::And, sources, Destination::Nothing);
    let rows: Vec<_> = (0..VECTORS as u8)
        .flat_map(|vector| {
            let [re, im] = kept.point(&mut alone.draft, vector);
            interleaved(&mut alone.draft, [positive(re), positive(im)])
        })
        .collect();
    alone.begin_rows();
    for row in rows {
        alone.draft.copy(Source::Place(row), Destination::Vpm);
    }
    alone.store(0);
    alone.finish()
}

/// Byte offsets of the words of sixteen points. Bytes share a word with their neighbour.
fn points(alone: &mut Alone, samples: Samples) -> Place {
    if samples != Samples::Bytes {
        return alone.points(samples.point_bytes().ilog2() as i32);
    }
    let points = alone.points(1);
    let draft = &mut alone.draft;
    let sources = [Source::Place(points), Source::Small(-4)];
    draft.add_op(AddOp::And, sources, Destination::Place(points));
    points
}

/// What bytes need beside them, in file B; r5 gets what is subtracted from one.
fn bytes(alone: &mut Alone) -> [Place; 2] {
    let middle = Source::Uniform(Word::Start(Start::Row(Row::Middle)));
    alone.draft.copy(middle, Destination::Place(Place::R5));
    let flip = alone.start(Start::Row(Row::Flip), Wish::File(File::B));
    // Points of odd numbers are in lanes 2 and 3 of four.
    let draft = &mut alone.draft;
    let odd = draft.take(Wish::Accumulator);
    let sources = [Source::Lane, Source::Small(2)];
    draft.add_op(AddOp::And, sources, Destination::Place(odd));
    let shift = draft.take(Wish::File(File::B));
    let sources = [Source::Place(odd), Source::Small(3)];
    draft.add_op(AddOp::Shl, sources, Destination::Place(shift));
    draft.give_back(odd);
    [shift, flip]
}

impl Kept {
    /// Both parts of the points of a vector, times their factors, in accumulators.
    fn point(&self, draft: &mut Draft<Word>, vector: u8) -> [Place; 2] {
        let tmu = vector % 2;
        let sample = |draft: &mut Draft<Word>, component| {
            let word = Word::Record(Record::Sample { vector, component });
            Source::Place(draft.lookup_sum(tmu, self.points, word))
        };
        let parts = if self.samples == Samples::Windowed {
            None
        } else {
            let word = sample(draft, 0);
            Some(self.numbers(draft, word))
        };
        [0, 1].map(|component| {
            let x = match parts {
                Some(parts) => parts[usize::from(component)],
                None => {
                    let x = draft.take(Wish::Accumulator);
                    let fetched = sample(draft, component);
                    draft.copy(fetched, Destination::Place(x));
                    x
                }
            };
            let word = Word::Record(Record::SampleFactor { vector, component });
            let factor = positive(draft.lookup_sum(tmu, self.factors, word));
            let product = draft.multiply(factor, Source::Place(x), Wish::Accumulator);
            draft.give_back(x);
            product.place
        })
    }

    /// Both numbers in a word, as f32, in accumulators: exactly.
    fn numbers(&self, draft: &mut Draft<Word>, fetched: Source<Word>) -> [Place; 2] {
        let word = draft.take(Wish::File(File::A));
        let to = Destination::Place(word);
        let parts = if let Some([shift, flip]) = self.bytes {
            let moved = draft.take(Wish::Accumulator);
            let sources = [fetched, Source::Place(shift)];
            draft.add_op(AddOp::Shr, sources, Destination::Place(moved));
            draft.add_op(AddOp::Xor, [moved, flip].map(Source::Place), to);
            draft.give_back(moved);
            [Unpack::U8a, Unpack::U8b]
        } else {
            draft.copy(fetched, to);
            [Unpack::U16a, Unpack::U16b]
        };
        let numbers = parts.map(|part| {
            let x = draft.float_of_integer(word, part, Wish::Accumulator).place;
            if self.bytes.is_some() {
                let sources = [x, Place::R5].map(Source::Place);
                draft.add_op(AddOp::Fsub, sources, Destination::Place(x));
            }
            x
        });
        draft.give_back(word);
        numbers
    }
}
