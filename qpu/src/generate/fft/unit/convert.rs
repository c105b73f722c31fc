//! Programs that make points of samples: see [`crate::fft::convert`].

use super::bins::interleaved;
use super::independent::Independent;
use super::samples::{Packed, numbers};
use super::{Generated, Word};
use crate::fft::convert::{Record, Row, VECTORS};
use crate::fft::program::{Samples, Start, Task};
use crate::fft::uniform::Pack;
use crate::generate::fft::draft::{Draft, Wish, positive};
use crate::generate::schedule::{Destination, Place, Source};
use crate::isa::{AddOp, File};

/// Log2 of the bytes of a factor.
const FACTOR: i32 = 2;

/// Registers of a program.
struct Kept {
    samples: Samples,
    /// Byte offsets of points, and of factors.
    points: Place,
    factors: Place,
    packed: Packed,
}

/// The program.
pub fn program(samples: Samples) -> Generated {
    let mut program = Independent::new(Task::Convert(samples));
    let factors = program.draft.take(Wish::AnyFile);
    let words = [Source::Lane, Source::Small(FACTOR)];
    let to = Destination::Place(factors);
    program.draft.add_op(AddOp::Shl, words, to);
    let kept = Kept {
        samples,
        points: points(&mut program, samples),
        factors,
        packed: match samples {
            Samples::Bytes => bytes(&mut program),
            _ => Packed::Halves,
        },
    };

    program.begin_unit();
    // Odd lanes are told from even ones; the loop uses flags.
    let sources = [Source::Lane, Source::Small(1)];
    let draft = &mut program.draft;
    draft.add_op_setting_flags(AddOp::And, sources, Destination::Nothing);
    let rows: Vec<_> = (0..VECTORS as u8)
        .flat_map(|vector| {
            let [re, im] = kept.point(&mut program.draft, vector);
            interleaved(&mut program.draft, [positive(re), positive(im)])
        })
        .collect();
    program.begin_rows();
    for row in rows {
        program.draft.copy(Source::Place(row), Destination::Vpm);
    }
    program.store(0);
    program.finish()
}

/// Byte offsets of the words of sixteen points. Bytes share a word with their neighbour.
fn points(program: &mut Independent, samples: Samples) -> Place {
    if samples != Samples::Bytes {
        return program.points(samples.point_bytes().ilog2() as i32);
    }
    let points = program.points(1);
    let draft = &mut program.draft;
    let sources = [Source::Place(points), Source::Small(-4)];
    draft.add_op(AddOp::And, sources, Destination::Place(points));
    points
}

/// The layout of bytes, with what they need beside them in file B; r5 gets what is subtracted from
/// one.
fn bytes(program: &mut Independent) -> Packed {
    let middle = Source::Uniform(Word::Start(Start::Row(Row::Middle.id())));
    program.draft.copy(middle, Destination::Place(Place::R5));
    let flip = program.start(Start::Row(Row::Flip.id()), Wish::File(File::B));
    // Points of odd numbers are in lanes 2 and 3 of four.
    let draft = &mut program.draft;
    let odd = draft.take(Wish::Accumulator);
    let sources = [Source::Lane, Source::Small(2)];
    draft.add_op(AddOp::And, sources, Destination::Place(odd));
    let shift = draft.take(Wish::File(File::B));
    let sources = [Source::Place(odd), Source::Small(3)];
    draft.add_op(AddOp::Shl, sources, Destination::Place(shift));
    draft.give_back(odd);
    Packed::Bytes {
        shift: Some(shift),
        flip: Source::Place(flip),
    }
}

impl Kept {
    /// Both parts of the points of a vector, times their factors, in accumulators.
    fn point(&self, draft: &mut Draft<Word>, vector: u8) -> [Place; 2] {
        let tmu = vector % 2;
        let sample = |draft: &mut Draft<Word>, component| {
            let word = Word::record(Record::Sample { vector, component });
            Source::Place(draft.lookup_sum(tmu, self.points, word))
        };
        let parts = if self.samples == Samples::Windowed {
            None
        } else {
            let word = sample(draft, 0);
            Some(numbers(draft, word, self.packed))
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
            let word = Word::record(Record::SampleFactor { vector, component });
            let factor = positive(draft.lookup_sum(tmu, self.factors, word));
            let product = draft.multiply(factor, Source::Place(x), Wish::Accumulator);
            draft.give_back(x);
            product.place
        })
    }
}
