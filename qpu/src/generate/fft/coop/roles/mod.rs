//! The parts that pipelines and the relay have in common: producers that hand vectors on, consumers
//! that take them.
//!
//! How vectors are handed on is each one's own ([`super::pipeline`], [`super::relay`]).

pub mod consumer;
pub mod semaphore;

use crate::fft::words::Word;
use crate::generate::fft::dft16::Constants;
use crate::generate::fft::draft::{Complex, Draft, Wish};
use crate::generate::schedule::{self, Destination, Place, Source};
use crate::isa::{File, SemaphoreAction};

pub type Operation = schedule::Operation<Word>;
pub type Assembly<'a> = super::Assembly<'a, Word>;
pub type Draughted = super::Draughted<Word>;

/// Outputs of the transform of 16 points that a producer turns and exchanges at a time.
pub const HALF: usize = 8;

/// A draft without accumulator `kept`, with its constants and what both roles keep: transforms or
/// rounds that are left, and how far on the present one is.
pub fn begun(kept: Place) -> (Draft<Word>, Constants, [Place; 2]) {
    // Counted down and compared beside small immediates, which are read through file B's port.
    begun_on(Draft::new(kept), [File::A; 2])
}

/// Begins as [`begun`] does, on a draft that is still empty, with what is kept in these files.
pub fn begun_on(mut draft: Draft<Word>, files: [File; 2]) -> (Draft<Word>, Constants, [Place; 2]) {
    // The constants are the first registers.
    let constants = Constants::from_uniforms(
        &mut draft,
        [2, 6, 4].map(|sixteenths| Word::Cosine { sixteenths }),
    );
    let kept = files.map(|file| draft.take(Wish::File(file)));
    (draft, constants, kept)
}

/// A vector times its turn, of which first cosines, then sines are on their way in `tmu`; `ask`
/// asks for another turn there. Gives z back.
pub fn turn_looked_up(
    draft: &mut Draft<Word>,
    tmu: u8,
    z: Complex,
    file: File,
    ask: impl FnOnce(&mut Draft<Word>),
) -> Complex {
    let factor = Source::Place(Place::R4);
    let [re, im] = z;
    draft.push(Operation::fetch(tmu));
    let re_cos = draft.multiply(re, factor, Wish::Accumulator);
    let im_cos = draft.multiply(im, factor, Wish::Accumulator);
    draft.push(Operation::fetch(tmu));
    ask(draft);
    let im_sin = draft.multiply(im, factor, Wish::Accumulator);
    let turned_re = draft.add(re_cos, im_sin, Wish::File(file));
    draft.give_back_complex([re_cos, im_sin]);
    let re_sin = draft.multiply(re, factor, Wish::Accumulator);
    let turned_im = draft.subtract(im_cos, re_sin, Wish::File(file));
    draft.give_back_complex([im_cos, re_sin]);
    draft.give_back_complex(z);
    [turned_re, turned_im]
}

/// Writes to the VPM, when they may be made by `gate`; then the next producer may write, and, when
/// they are in the VPM, `written` tells consumers. `drain` is a setup that reads one of the
/// vectors.
pub fn write_in_turn(
    draft: &mut Draft<Word>,
    [gate, written]: [u8; 2],
    drain: Source<Word>,
    write: impl FnOnce(&mut Draft<Word>),
) {
    draft.push(Operation::semaphore(SemaphoreAction::Decrement, gate));
    write(draft);
    draft.push(Operation::semaphore(SemaphoreAction::Increment, gate));
    // Reading any vector waits until the writes are in the VPM (HW-2497).
    draft.copy(drain, Destination::ReadSetup);
    draft.copy(Source::Vpm, Destination::Nothing);
    draft.push(Operation::semaphore(SemaphoreAction::Increment, written));
}
