//! Programs that make points of samples: see [`crate::kernels::convert::layout`].

use super::layout::{Record, Row, VECTORS};
use crate::codelet::op_list::{OpList, Wish, positive};
use crate::kernels::generated::Generated;
use crate::kernels::program::{Samples, Start, Task};
use crate::kernels::spectral::code::interleaved;
use crate::kernels::uniform::{Pack, UniformId};
use crate::kernels::unit::code::samples::{Packed, numbers, shift_of_lanes};
use crate::kernels::unit_loop::independent::Independent;
use crate::kernels::unit_loop::{List, Word, lane_offsets};
use qpu::generate::schedule::{Destination, Place, Source};
use qpu::isa::{AddOp, File};

/// Log2 of the bytes of a factor.
const FACTOR: i32 = 2;

/// Registers of a program.
struct ConvertRegisters {
    samples: Samples,
    /// Byte offsets of points, and of factors.
    points: Place,
    factors: Place,
    packed: Packed,
}

/// The program.
pub fn program(samples: Samples) -> Generated {
    let mut program = Independent::new(Task::Convert(samples), name);
    let factors = lane_offsets(&mut program.ops, FACTOR, Wish::AnyFile);
    let kept = ConvertRegisters {
        samples,
        points: points(&mut program, samples),
        factors,
        packed: packed(&mut program, samples),
    };

    program.begin_unit();
    // Odd lanes are told from even ones; the loop uses flags.
    let ops = &mut program.ops;
    ops.set_lane_flags(1);
    let rows: Vec<_> = (0..VECTORS as u8)
        .flat_map(|vector| {
            let [re, im] = kept.point(&mut program.ops, vector);
            interleaved(&mut program.ops, [positive(re), positive(im)])
        })
        .collect();
    program.begin_rows();
    for row in rows {
        program.ops.copy(row, Destination::Vpm);
    }
    program.store(0);
    program.finish()
}

/// Byte offsets of the words of sixteen points, or their addresses. Bytes share a word with their
/// neighbour; i32 may lie apart.
fn points(program: &mut Independent, samples: Samples) -> Place {
    if samples.has_base() {
        let points = program.points(0);
        for (op, word) in [(AddOp::Shl, Row::PointShift), (AddOp::Add, Row::Base)] {
            let word = Source::Uniform(Word::Start(Start::Row(word.id())));
            program.ops.add_op(op, points, word, points);
        }
        return points;
    }
    if samples != Samples::Bytes {
        return program.points(samples.point_bytes().ilog2() as i32);
    }
    let points = program.points(1);
    let ops = &mut program.ops;
    ops.add_op(AddOp::And, points, -4, points);
    points
}

/// The layout of both numbers in a word, with what it needs. Of bytes, r5 gets what is subtracted
/// from one.
fn packed(program: &mut Independent, samples: Samples) -> Packed {
    let row = |word: Row| Start::Row(word.id());
    match samples {
        Samples::Bytes => {
            let middle = Source::Uniform(Word::Start(row(Row::Middle)));
            program.ops.copy(middle, Place::R5);
            let flip = Source::Place(program.start(row(Row::Flip), Wish::File(File::B)));
            // Points of odd numbers are in lanes 2 and 3 of four.
            let shift = shift_of_lanes(&mut program.ops, 2, Wish::File(File::B));
            Packed::Bytes { shift, flip }
        }
        Samples::HighBytes => {
            let [mask, flip] = [(Row::Mask, File::A), (Row::Flip, File::B)]
                .map(|(word, file)| Source::Place(program.start(row(word), Wish::File(file))));
            Packed::HighBytes { mask, flip }
        }
        _ => Packed::Halves,
    }
}

impl ConvertRegisters {
    /// Both parts of the points of a vector, times their factors, in accumulators.
    fn point(&self, ops: &mut OpList<Word>, vector: u8) -> [Place; 2] {
        let tmu = vector % 2;
        let sample = |ops: &mut OpList<Word>, component| {
            let word = Word::record(Record::Sample { vector, component });
            Source::Place(ops.lookup_sum(tmu, self.points, word))
        };
        let parts = (!self.samples.has_words()).then(|| {
            let word = sample(ops, 0);
            numbers(ops, word, self.packed)
        });
        [0, 1].map(|component| {
            let x = match parts {
                Some(parts) => parts[usize::from(component)],
                None => {
                    let fetched = sample(ops, component);
                    word(ops, fetched, self.samples)
                }
            };
            let word = Word::record(Record::SampleFactor { vector, component });
            let factor = positive(ops.lookup_sum(tmu, self.factors, word));
            let product = ops.multiply(factor, Source::Place(x), Wish::Accumulator);
            ops.give_back(x);
            product.place
        })
    }
}

/// The number that a fetched word is, as f32, in an accumulator. Of an i32, 24 significant bits.
fn word(ops: &mut OpList<Word>, fetched: Source<Word>, samples: Samples) -> Place {
    let x = ops.take(Wish::Accumulator);
    if samples == Samples::I32 {
        ops.add_op(AddOp::Itof, fetched, fetched, x);
    } else {
        ops.copy(fetched, x);
    }
    x
}

/// The names of uniforms, for listings.
fn name(list: List, id: UniformId) -> String {
    match list {
        List::Record => format!("{:?}", Record::of(id)),
        List::Row => format!("{:?}", Row::of(id)),
        List::Start | List::Scalar => unreachable!("there are no such uniforms"),
    }
}
