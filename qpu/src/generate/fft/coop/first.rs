//! The first half: input rows into registers; after the transform, twiddles and columns of the VPM.

use super::routine::Routine;
use crate::fft::coop::Word;
use crate::generate::fft::draft::{Complex, Draft, Value, Wish, negate};
use crate::generate::schedule::{Destination, Operation, Place, Source};
use crate::isa::{AddOp, MulOp};

/// Lane offsets, while there are lookups: an accumulator needs no read port.
pub const LANE_OFFSETS: Place = Place::Accumulator(3);
/// Outputs whose twiddles are on their way while the transform runs.
const AHEAD: usize = 4;

/// Order of outputs: k and k + 4 follow each other, as the VPM takes them.
fn output(position: usize) -> usize {
    position / 4 + 4 * (position % 4)
}

/// The TMU of a pair of lookups.
fn tmu(pair: usize) -> u8 {
    (pair % 2) as u8
}

fn request(draft: &mut Draft<Word>, pair: usize, address: Word) {
    draft.push(Operation::either(
        AddOp::Add,
        MulOp::V8adds,
        [Source::Place(LANE_OFFSETS), Source::Uniform(address)],
        Destination::Tmu(tmu(pair)),
    ));
}

fn request_twiddles(draft: &mut Draft<Word>, position: usize) {
    for component in 0..2 {
        let output = output(position) as u8;
        request(draft, position, Word::Twiddle { output, component });
    }
}

/// Rows of the input into the registers of points, and the first twiddles asked for.
pub fn load(draft: &mut Draft<Word>, points: [Complex; 16], lane_shift: u32) {
    let factors = [Word::FactorRe, Word::FactorIm].map(|word| {
        let place = draft.take(Wish::AnyFile);
        draft.copy(Source::Uniform(word), Destination::Place(place));
        place
    });
    draft.add_op(
        AddOp::Shl,
        [Source::Lane, Source::Small(lane_shift as i32)],
        Destination::Place(LANE_OFFSETS),
    );
    for (row, point) in points.iter().enumerate() {
        for component in 0..2 {
            let address = Word::Row {
                row: row as u8,
                component: component as u8,
            };
            request(draft, row, address);
            draft.push(Operation::fetch(tmu(row)));
            let into = Destination::Place(point[component].place);
            let fetched = Source::Place(Place::R4);
            let sources = [fetched, Source::Place(factors[component])];
            draft.push(Operation::mul(MulOp::Fmul, sources, into));
        }
    }
    for factor in factors {
        draft.give_back(factor);
    }
    for position in 0..AHEAD {
        request_twiddles(draft, position);
    }
}

/// Outputs times their twiddles to the VPM, up to the drain.
pub fn finish(draft: &mut Draft<Word>, routine: &Routine) {
    // Imaginary part of the output before, when it is the first of two.
    let mut waiting: Option<Value> = None;
    for position in 0..16 {
        if position % 2 == 0 {
            let output = output(position) as u8;
            draft.copy(
                Source::Uniform(Word::WriteSetup { output }),
                Destination::WriteSetup,
            );
        }
        let z = routine.outputs[output(position)];
        let [re, im] = z;
        let factor = Source::Place(Place::R4);
        draft.push(Operation::fetch(tmu(position)));
        let re_cos = draft.multiply(re, factor, Wish::Accumulator);
        let im_cos = draft.multiply(im, factor, Wish::AnyFile);
        draft.push(Operation::fetch(tmu(position)));
        if position + AHEAD < 16 {
            request_twiddles(draft, position + AHEAD);
        }
        let im_sin = draft.multiply(im, factor, Wish::Accumulator);
        draft.add_into(re_cos, im_sin, Destination::Vpm);
        draft.give_back_complex([re_cos, im_sin]);
        let re_sin = draft.multiply(re, factor, Wish::Accumulator);
        match waiting.take() {
            None => waiting = Some(draft.subtract(im_cos, re_sin, Wish::AnyFile)),
            Some(before) => {
                draft.copy(Source::Place(before.place), Destination::Vpm);
                draft.give_back(before.place);
                draft.add_into(im_cos, negate(re_sin), Destination::Vpm);
            }
        }
        draft.give_back_complex([im_cos, re_sin]);
        draft.give_back_complex(z);
    }
    // Reading any vector waits until the writes are in the VPM (HW-2497).
    draft.copy(Source::Uniform(Word::Drain), Destination::ReadSetup);
    draft.copy(Source::Vpm, Destination::Nothing);
}
