//! The two interleaved rows that an output makes with its neighbours' lanes.

use crate::fft::words::{PartWord, Word};
use crate::generate::fft::dft16::Constants;
use crate::generate::fft::draft::{Complex, Draft, Value, Wish, negate, positive};
use crate::generate::schedule::{Destination, Operation, Place, Source};
use crate::isa::{AddOp, Cond, File, MulOp};

/// Even lanes have Z, odd lanes do not.
const EVEN: Cond = Cond::ZS;
const ODD: Cond = Cond::ZC;

/// Registers that hold their values through all of the program, and what neighbouring lanes are.
pub enum Factors {
    /// Even and odd points of a transform of twice the length.
    Halves {
        /// 1, or -1 for the inverse.
        conjugate: Place,
        /// cos (π/16 (i + 1)).
        cosines: [Place; 7],
        /// The cosines times `conjugate`.
        conjugated: [Place; 7],
    },
    /// Halves as well, of which cosine and sine are read as uniforms with each output, where
    /// registers are scarce: so that the code that makes its rows is the same for all outputs.
    Read {
        /// 1, or -1 for the inverse.
        conjugate: Place,
    },
}

/// The angle by which an output is turned.
#[derive(Clone, Copy)]
enum Angle {
    /// None, of output 0.
    Nothing,
    /// A quarter, of output 8.
    Quarter,
    /// Another: magnitude of its cosine, and its sine times `conjugate`.
    Of { cos: Place, sin: Place },
}

impl Factors {
    /// Takes and loads them.
    pub fn load(draft: &mut Draft<Word>, constants: &Constants) -> Self {
        // An operand that takes no port.
        let conjugate = Place::R5;
        let to = Destination::Place(conjugate);
        draft.copy(Source::Uniform(Word::Conjugate), to);
        if draft.is_frugal() {
            return Self::Read { conjugate };
        }
        let odd = [1, 3, 5, 7].map(|sixteenths| {
            let place = draft.take(Wish::File(File::A));
            let word = Source::Uniform(Word::Cosine { sixteenths });
            draft.copy(word, Destination::Place(place));
            place
        });
        let [cos1, cos2, sin1] = constants.places(File::A);
        let cosines = [odd[0], cos1, odd[1], cos2, odd[2], sin1, odd[3]];
        let conjugated = cosines.map(|cosine| {
            let place = draft.take(Wish::File(File::B));
            let sources = [cosine, conjugate].map(Source::Place);
            let to = Destination::Place(place);
            draft.push(Operation::mul(MulOp::Fmul, sources, to));
            place
        });
        Self::Halves {
            conjugate,
            cosines,
            conjugated,
        }
    }

    /// By what output `k` is turned, and 1 or -1 for the inverse.
    fn of(&self, draft: &mut Draft<Word>, k: usize) -> (Place, Angle) {
        match self {
            Self::Halves { conjugate, .. } if k == 0 => (*conjugate, Angle::Nothing),
            Self::Halves { conjugate, .. } if k == 8 => (*conjugate, Angle::Quarter),
            Self::Halves {
                conjugate,
                cosines,
                conjugated,
            } => {
                let cos = cosines[k.min(16 - k) - 1];
                let sin = conjugated[k.abs_diff(8) - 1];
                (*conjugate, Angle::Of { cos, sin })
            }
            Self::Read { conjugate } => {
                // Real parts, which meet cosines first, are in file B.
                let wishes = [Wish::File(File::A), Wish::AnyFile];
                let mut is_sine = false;
                let [cos, sin] = wishes.map(|wish| {
                    let output = k as u8;
                    let word = PartWord::Factor { output, is_sine };
                    is_sine = true;
                    let place = draft.take(wish);
                    let factor = Source::Uniform(Word::Part { part: 0, word });
                    draft.copy(factor, Destination::Place(place));
                    place
                });
                (*conjugate, Angle::Of { cos, sin })
            }
        }
    }
}

/// Makes both rows of output `k` in registers.
pub fn rows_in_registers(
    draft: &mut Draft<Word>,
    k: usize,
    z: Complex,
    factors: &Factors,
) -> [Place; 2] {
    let first = draft.take(Wish::AnyFile);
    let angle = factors.of(draft, k);
    let second = halves(draft, k, z, angle, first);
    if let (Factors::Read { .. }, (_, Angle::Of { cos, sin })) = (factors, angle) {
        draft.give_back(cos);
        draft.give_back(sin);
    }
    [first, second]
}

/// Makes the two rows of an output, in its registers.
pub fn pair<W: Copy + PartialEq>(draft: &mut Draft<W>, z: Complex, conjugate: Place) {
    let [re, im] = z.map(|part| part.place);
    // What is rotated has to be in an accumulator.
    let given_re = draft.take(Wish::Accumulator);
    draft.copy(Source::Place(re), Destination::Place(given_re));
    let given_im = draft.multiply(z[1], Source::Place(conjugate), Wish::Accumulator);
    draft.merge_rotated(given_im.place, 1, ODD, re);
    draft.copy(Source::Place(given_im.place), Destination::Place(im));
    draft.merge_rotated(given_re, 15, EVEN, im);
    draft.give_back(given_re);
    draft.give_back(given_im.place);
}

/// Outputs k and k + 16 are sum and difference of even lanes and of odd lanes turned by W_32^k.
///
/// With c and s of the angle π k/16 and d = 1 or -1, odd lanes need re c + (d im) (d s) for their
/// neighbours and (d im) c - re (d s) for themselves; even lanes give d im. From k = 8 on, where c
/// is not positive, both are made with the other sign, and sum and difference exchanged.
fn halves(
    draft: &mut Draft<Word>,
    k: usize,
    z: Complex,
    (conjugate, angle): (Place, Angle),
    first: Place,
) -> Place {
    let conjugate = Source::Place(conjugate);
    let [re, im] = z;
    let given_im = draft.multiply(im, conjugate, Wish::Accumulator);
    draft.give_back(im.place);
    let copy = draft.take(Wish::Accumulator);
    draft.copy(Source::Place(re.place), Destination::Place(copy));
    let copy = positive(copy);
    let own = draft.take(Wish::File(File::A));
    let given_re = match angle {
        Angle::Nothing => {
            draft.copy(Source::Place(given_im.place), Destination::Place(own));
            copy
        }
        Angle::Quarter => {
            let to = Destination::Place(own);
            let sources = [Source::Place(copy.place), conjugate];
            draft.push(Operation::mul(MulOp::Fmul, sources, to));
            draft.give_back(copy.place);
            let plain = draft.multiply(given_im, conjugate, Wish::Accumulator);
            let sources = [Source::Small(0), Source::Place(plain.place)];
            draft.add_op(AddOp::Fsub, sources, Destination::Place(plain.place));
            plain
        }
        Angle::Of { cos, sin } => {
            let [cos, sin] = [cos, sin].map(Source::Place);
            let signed = |x: Value| if k < 8 { x } else { negate(x) };
            let re_cos = draft.multiply(re, cos, Wish::Accumulator);
            let im_sin = draft.multiply(given_im, sin, Wish::Accumulator);
            let turned = Destination::Place(re_cos.place);
            draft.add_into(re_cos, signed(im_sin), turned);
            draft.give_back(im_sin.place);
            let im_cos = draft.multiply(given_im, cos, Wish::AnyFile);
            let re_sin = Destination::Place(copy.place);
            let sources = [Source::Place(copy.place), sin];
            draft.push(Operation::mul(MulOp::Fmul, sources, re_sin));
            draft.add_into(im_cos, signed(negate(copy)), Destination::Place(own));
            draft.give_back_complex([im_cos, copy]);
            re_cos
        }
    };
    // Real part and what even lanes gave; what odd lanes gave and their imaginary part.
    draft.merge_rotated(given_im.place, 1, ODD, re.place);
    draft.merge_rotated(given_re.place, 15, EVEN, own);
    draft.give_back_complex([given_im, given_re]);
    let (x, y) = (re, positive(own));
    let y = if k < 8 { y } else { negate(y) };
    draft.add_into(x, y, Destination::Place(first));
    draft.add_into(x, negate(y), Destination::Place(re.place));
    draft.give_back(own);
    re.place
}
