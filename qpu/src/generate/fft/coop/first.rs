//! The first half: input rows into registers; after the transform, twiddles and columns of the VPM.
//!
//! Addresses are counted on from lookup to lookup, not read as uniforms: the lists stay short, of
//! which every line is waited for.

use super::routine::Routine;
use crate::fft::columns::Columns;
use crate::fft::columns::Word;
use crate::generate::fft::draft::{Complex, Draft, Value, Wish, negate};
use crate::generate::schedule::{Destination, Operation, Place, Source};
use crate::isa::{AddOp, File, MulOp};

/// Addresses of what lanes look up next, while there are lookups: an accumulator needs no read
/// port.
pub const ADDRESSES: Place = Place::Accumulator(3);
/// Rows that are asked for before anything else: what the TMUs hold.
pub const ROWS_AHEAD: usize = 4;
/// Outputs whose twiddles are on their way while the transform runs.
const TWIDDLES_AHEAD: usize = 4;
/// Bytes of a vector.
pub const VECTOR: u32 = 64;

/// The TMU of a pair of lookups.
pub fn tmu(pair: usize) -> u8 {
    (pair % 2) as u8
}

/// Looks up what the addresses say, and sends them on.
pub fn request<W: Copy + PartialEq>(draft: &mut Draft<W>, pair: usize, step: Source<W>) {
    let addresses = Source::Place(ADDRESSES);
    draft.copy(addresses, Destination::Tmu(tmu(pair)));
    let to = Destination::Place(ADDRESSES);
    draft.add_op(AddOp::Add, [addresses, step], to);
}

/// Addresses from a uniform on, a lane's `shift` bits of bytes apart.
fn begin(draft: &mut Draft<Word>, shift: u32, address: Word) {
    let to = Destination::Place(ADDRESSES);
    let sources = [Source::Lane, Source::Small(shift as i32)];
    draft.add_op(AddOp::Shl, sources, to);
    let sources = [Source::Place(ADDRESSES), Source::Uniform(address)];
    draft.add_op(AddOp::Add, sources, to);
}

/// Values that the first half needs from beginning to end.
pub struct First {
    /// Offset of the transform in the batch.
    offset: Place,
    /// From the imaginary part of a row to the real part of the next.
    row_step: Place,
    /// From a vector of twiddles to the next.
    vector_step: Place,
}

impl First {
    /// Takes its registers; `offset` holds how many bytes further on the transform lies than the
    /// first.
    pub fn new(draft: &mut Draft<Word>, offset: Place) -> Self {
        let [row_step, vector_step] = [(); 2].map(|()| draft.take(Wish::File(File::B)));
        Self {
            offset,
            row_step,
            vector_step,
        }
    }

    /// Asks for the first rows.
    pub fn ask(&self, draft: &mut Draft<Word>) {
        begin(draft, 3, Word::Input);
        let to = Destination::Place(ADDRESSES);
        let sources = [ADDRESSES, self.offset].map(Source::Place);
        draft.add_op(AddOp::Add, sources, to);
        let none = Destination::Nothing;
        let step = Destination::Place(self.row_step);
        draft.immediate(Columns::ROW_BYTES - 4, [step, none]);
        let step = Destination::Place(self.vector_step);
        draft.immediate(VECTOR, [step, none]);
        for row in 0..ROWS_AHEAD {
            self.ask_row(draft, row);
        }
    }

    fn ask_row(&self, draft: &mut Draft<Word>, row: usize) {
        request(draft, row, Source::Small(4));
        request(draft, row, Source::Place(self.row_step));
    }

    fn ask_twiddles(&self, draft: &mut Draft<Word>, position: usize) {
        for _ in 0..2 {
            request(draft, position, Source::Place(self.vector_step));
        }
    }

    /// Rows of the input into the registers of points, and the first twiddles asked for. Gives the
    /// step of rows back.
    pub fn load(&self, draft: &mut Draft<Word>, points: [Complex; 16]) {
        let factors = [Word::FactorRe, Word::FactorIm].map(|word| {
            let place = draft.take(Wish::AnyFile);
            draft.copy(Source::Uniform(word), Destination::Place(place));
            place
        });
        for (row, point) in points.iter().enumerate() {
            for component in 0..2 {
                draft.push(Operation::fetch(tmu(row)));
                let into = Destination::Place(point[component].place);
                let fetched = Source::Place(Place::R4);
                let sources = [fetched, Source::Place(factors[component])];
                draft.push(Operation::mul(MulOp::Fmul, sources, into));
            }
            match row + ROWS_AHEAD {
                next @ 0..16 => self.ask_row(draft, next),
                next => {
                    if next == 16 {
                        begin(draft, 2, Word::Twiddles);
                    }
                    self.ask_twiddles(draft, next - 16);
                }
            }
        }
        for place in factors.into_iter().chain([self.row_step]) {
            draft.give_back(place);
        }
    }

    /// Outputs times their twiddles to the VPM, up to the drain.
    pub fn finish(&self, draft: &mut Draft<Word>, routine: &Routine) {
        // Counted up beside a small immediate, which is read through file B's port.
        let setup = draft.take(Wish::File(File::A));
        // Imaginary part of the output before, when it is the first of two.
        let mut waiting: Option<Value> = None;
        for position in 0..16 {
            if position % 2 == 0 {
                if position == 0 {
                    let word = Source::Uniform(Word::WriteSetup);
                    draft.copy(word, Destination::Place(setup));
                }
                draft.copy(Source::Place(setup), Destination::WriteSetup);
                let to = Destination::Place(setup);
                draft.add_op(AddOp::Add, [Source::Place(setup), Source::Small(1)], to);
            }
            let z = routine.outputs[Columns::output(position as u32) as usize];
            let [re, im] = z;
            let factor = Source::Place(Place::R4);
            draft.push(Operation::fetch(tmu(position)));
            let re_cos = draft.multiply(re, factor, Wish::Accumulator);
            let im_cos = draft.multiply(im, factor, Wish::AnyFile);
            draft.push(Operation::fetch(tmu(position)));
            if position + TWIDDLES_AHEAD < 16 {
                self.ask_twiddles(draft, position + TWIDDLES_AHEAD);
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
        draft.give_back(setup);
        // Reading any vector waits until the writes are in the VPM (HW-2497).
        draft.copy(Source::Uniform(Word::Drain), Destination::ReadSetup);
        draft.copy(Source::Vpm, Destination::Nothing);
    }
}
