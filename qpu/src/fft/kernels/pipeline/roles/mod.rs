//! The parts that all pipelines have in common: producers that hand vectors on, consumers
//! that take them.
//!
//! How vectors are handed on is each one's own ([`super::code`], [`super::double_buffered::code`]).

pub mod consumer;
pub mod semaphore;

use super::uniforms::Word;
use crate::generate::codelet::op_list::{Complex, OpList, Wish};
use crate::generate::codelet::radix16::Constants;
use crate::generate::schedule::{self, Destination, Place, Source};
use crate::isa::{File, SemaphoreAction};

pub type Operation = schedule::Operation<Word>;
pub type Assembly<'a> = crate::fft::kernels::one_pass::program::Assembly<'a, Word>;
pub type Pieces = crate::fft::kernels::one_pass::program::Pieces<Word>;

/// Outputs of the transform of 16 points that a producer multiplies and exchanges at a time.
pub const HALF: usize = 8;

/// An op list without accumulator `kept`, with its constants and what both roles keep: transforms
/// or rounds that are left, and how far on the present one is.
pub fn begin(kept: Place) -> (OpList<Word>, Constants, [Place; 2]) {
    // Counted down and compared beside small immediates, which are read through file B's port.
    begin_on(OpList::new(kept), [File::A; 2])
}

/// Begins as [`begin`] does, on an op list that is still empty, with what is kept in these files.
pub fn begin_on(mut ops: OpList<Word>, files: [File; 2]) -> (OpList<Word>, Constants, [Place; 2]) {
    // The constants are the first registers.
    let constants = Constants::from_uniforms(
        &mut ops,
        [2, 6, 4].map(|sixteenths| Word::Cosine { sixteenths }),
    );
    let kept = files.map(|file| ops.take(Wish::File(file)));
    (ops, constants, kept)
}

/// A vector times its root, of which first cosines, then sines are on their way in `tmu`; `ask`
/// asks for another root there. Gives z back.
pub fn multiply_looked_up(
    ops: &mut OpList<Word>,
    tmu: u8,
    z: Complex,
    file: File,
    ask: impl FnOnce(&mut OpList<Word>),
) -> Complex {
    let factor = Source::Place(Place::R4);
    let [re, im] = z;
    ops.push(Operation::fetch(tmu));
    let re_cos = ops.multiply(re, factor, Wish::Accumulator);
    let im_cos = ops.multiply(im, factor, Wish::Accumulator);
    ops.push(Operation::fetch(tmu));
    ask(ops);
    let im_sin = ops.multiply(im, factor, Wish::Accumulator);
    let multiplied_re = ops.add(re_cos, im_sin, Wish::File(file));
    ops.give_back_complex([re_cos, im_sin]);
    let re_sin = ops.multiply(re, factor, Wish::Accumulator);
    let multiplied_im = ops.subtract(im_cos, re_sin, Wish::File(file));
    ops.give_back_complex([im_cos, re_sin]);
    ops.give_back_complex(z);
    [multiplied_re, multiplied_im]
}

/// Writes to the VPM, when they may be made by `gate`; then the next producer may write, and, when
/// they are in the VPM, `written` tells consumers. `drain` is a setup that reads one of the
/// vectors.
pub fn write_in_order(
    ops: &mut OpList<Word>,
    [gate, written]: [u8; 2],
    drain: Source<Word>,
    write: impl FnOnce(&mut OpList<Word>),
) {
    ops.push(Operation::semaphore(SemaphoreAction::Decrement, gate));
    write(ops);
    ops.push(Operation::semaphore(SemaphoreAction::Increment, gate));
    // Reading any vector waits until the writes are in the VPM (HW-2497).
    ops.copy(drain, Destination::ReadSetup);
    ops.copy(Source::Vpm, Destination::Nothing);
    ops.push(Operation::semaphore(SemaphoreAction::Increment, written));
}
