//! The first half: input rows into registers; after the transform, twiddles and columns of the VPM.
//!
//! Addresses are counted on from lookup to lookup, not read as uniforms: the lists stay short, of
//! which every line is waited for.

use crate::codelet::op_list::{Complex, OpList, Value, Wish, negate};
use crate::kernels::batch::Batch;
use crate::kernels::batch::layout::Word;
use crate::kernels::one_pass::lookups::{ADDRESSES, ROWS_AHEAD, request, tmu};
use qpu::generate::schedule::{Destination, Operation, Place, Source};
use qpu::isa::{AddOp, File, MulOp};
use qpu::machine::VECTOR_BYTES;

/// Outputs whose twiddles are on their way while the transform runs.
const TWIDDLES_AHEAD: usize = 4;

/// Addresses from a uniform on, a lane's `shift` bits of bytes apart.
fn begin(ops: &mut OpList<Word>, shift: u32, address: Word) {
    let to = Destination::Place(ADDRESSES);
    ops.add_op(AddOp::Shl, Source::Lane, shift as i32, to);
    ops.add_op(AddOp::Add, ADDRESSES, Source::Uniform(address), to);
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
    pub fn new(ops: &mut OpList<Word>, offset: Place) -> Self {
        let [row_step, vector_step] = [(); 2].map(|()| ops.take(Wish::File(File::B)));
        Self {
            offset,
            row_step,
            vector_step,
        }
    }

    /// Asks for the first rows.
    pub fn ask(&self, ops: &mut OpList<Word>) {
        begin(ops, 3, Word::Input);
        ops.add_op(AddOp::Add, ADDRESSES, self.offset, ADDRESSES);
        ops.immediate(Batch::ROW_BYTES - 4, self.row_step);
        ops.immediate(VECTOR_BYTES, self.vector_step);
        for row in 0..ROWS_AHEAD {
            self.ask_row(ops, row);
        }
    }

    fn ask_row(&self, ops: &mut OpList<Word>, row: usize) {
        request(ops, row, Source::Small(4));
        request(ops, row, Source::Place(self.row_step));
    }

    fn ask_twiddles(&self, ops: &mut OpList<Word>, position: usize) {
        for _ in 0..2 {
            request(ops, position, Source::Place(self.vector_step));
        }
    }

    /// Rows of the input into the registers of points, and the first twiddles asked for. Gives the
    /// step of rows back.
    pub fn load(&self, ops: &mut OpList<Word>, points: [Complex; 16]) {
        let factors = [Word::FactorRe, Word::FactorIm]
            .map(|word| ops.load(Source::Uniform(word), Wish::AnyFile));
        for (row, point) in points.iter().enumerate() {
            for component in 0..2 {
                ops.push(Operation::fetch(tmu(row)));
                let (factor, to) = (factors[component], point[component].place);
                ops.push(Operation::mul(MulOp::Fmul, Place::R4, factor, to));
            }
            match row + ROWS_AHEAD {
                next @ 0..16 => self.ask_row(ops, next),
                next => {
                    if next == 16 {
                        begin(ops, 2, Word::Twiddles);
                    }
                    self.ask_twiddles(ops, next - 16);
                }
            }
        }
        for place in factors.into_iter().chain([self.row_step]) {
            ops.give_back(place);
        }
    }

    /// Outputs times their twiddles to the VPM, up to the drain.
    pub fn finish(&self, ops: &mut OpList<Word>, outputs: [Complex; 16]) {
        // Counted up beside a small immediate, which is read through file B's port.
        let setup = ops.take(Wish::File(File::A));
        // Imaginary part of the output before, when it is the first of two.
        let mut waiting: Option<Value> = None;
        for position in 0..16 {
            if position % 2 == 0 {
                if position == 0 {
                    ops.copy(Source::Uniform(Word::WriteSetup), setup);
                }
                ops.copy(setup, Destination::WriteSetup);
                ops.add_op(AddOp::Add, setup, 1, setup);
            }
            let z = outputs[Batch::output(position as u32) as usize];
            let [re, im] = z;
            let factor = Source::Place(Place::R4);
            ops.push(Operation::fetch(tmu(position)));
            let re_cos = ops.multiply(re, factor, Wish::Accumulator);
            let im_cos = ops.multiply(im, factor, Wish::AnyFile);
            ops.push(Operation::fetch(tmu(position)));
            if position + TWIDDLES_AHEAD < 16 {
                self.ask_twiddles(ops, position + TWIDDLES_AHEAD);
            }
            let im_sin = ops.multiply(im, factor, Wish::Accumulator);
            ops.add_into(re_cos, im_sin, Destination::Vpm);
            ops.give_back_complex([re_cos, im_sin]);
            let re_sin = ops.multiply(re, factor, Wish::Accumulator);
            match waiting.take() {
                None => waiting = Some(ops.subtract(im_cos, re_sin, Wish::AnyFile)),
                Some(before) => {
                    ops.copy(before.place, Destination::Vpm);
                    ops.give_back(before.place);
                    ops.add_into(im_cos, negate(re_sin), Destination::Vpm);
                }
            }
            ops.give_back_complex([im_cos, re_sin]);
            ops.give_back_complex(z);
        }
        ops.give_back(setup);
        // Reading any vector waits until the writes are in the VPM (HW-2497).
        ops.copy(Source::Uniform(Word::Drain), Destination::ReadSetup);
        ops.copy(Source::Vpm, Destination::Nothing);
    }
}
