//! The two interleaved rows that an output makes with its neighbours' lanes.

use crate::codelet::op_list::{Complex, OpList, Value, Wish, negate, positive};
use crate::codelet::radix16::Constants;
use crate::kernels::pipeline::uniforms::{PartWord, Word};
use qpu::generate::schedule::{Destination, Operation, Place, Source};
use qpu::isa::{AddOp, Cond, File, MulOp};

/// Even lanes have Z, odd lanes do not.
const EVEN: Cond = Cond::ZS;
const ODD: Cond = Cond::ZC;

/// 1, or -1 for the inverse, in all of the program: an operand that takes no port.
pub const CONJUGATE: Place = Place::R5;

/// Registers that hold their values through all of the program, and what neighbouring lanes are.
pub enum Factors {
    /// Even and odd points of a transform of twice the length.
    Halves {
        /// cos (π/16 (i + 1)).
        cosines: [Place; 7],
        /// The cosines times [`CONJUGATE`].
        conjugated: [Place; 7],
    },
    /// Halves as well, of which cosine and sine are read as uniforms with each output, where
    /// registers are scarce: so that the code that makes its rows is the same for all outputs.
    Read,
}

/// The angle of the root that an output is multiplied by.
#[derive(Clone, Copy)]
enum Angle {
    /// None, of output 0.
    Nothing,
    /// A quarter, of output 8.
    Quarter,
    /// Another: magnitude of its cosine, and its sine times [`CONJUGATE`].
    Of { cos: Place, sin: Place },
}

impl Factors {
    /// Takes and loads them.
    pub fn load(ops: &mut OpList<Word>, constants: &Constants) -> Self {
        ops.copy(Source::Uniform(Word::Conjugate), CONJUGATE);
        if ops.saves_registers() {
            return Self::Read;
        }
        let odd = [1, 3, 5, 7].map(|sixteenths| {
            ops.load(
                Source::Uniform(Word::Cosine { sixteenths }),
                Wish::File(File::A),
            )
        });
        let [cos1, cos2, sin1] = constants.places(File::A);
        let cosines = [odd[0], cos1, odd[1], cos2, odd[2], sin1, odd[3]];
        let conjugated = cosines.map(|cosine| {
            let place = ops.take(Wish::File(File::B));
            ops.push(Operation::mul(MulOp::Fmul, cosine, CONJUGATE, place));
            place
        });
        Self::Halves {
            cosines,
            conjugated,
        }
    }

    /// By what output `k` is multiplied.
    fn of(&self, ops: &mut OpList<Word>, k: usize) -> Angle {
        match self {
            Self::Halves { .. } if k == 0 => Angle::Nothing,
            Self::Halves { .. } if k == 8 => Angle::Quarter,
            Self::Halves {
                cosines,
                conjugated,
            } => Angle::Of {
                cos: cosines[k.min(16 - k) - 1],
                sin: conjugated[k.abs_diff(8) - 1],
            },
            Self::Read => {
                // Real parts, which meet cosines first, are in file B.
                let wishes = [Wish::File(File::A), Wish::AnyFile];
                let mut is_sine = false;
                let [cos, sin] = wishes.map(|wish| {
                    let output = k as u8;
                    let word = PartWord::Factor { output, is_sine };
                    is_sine = true;
                    ops.load(Source::Uniform(Word::Part { part: 0, word }), wish)
                });
                Angle::Of { cos, sin }
            }
        }
    }
}

/// Makes both rows of output `k` in registers.
pub fn rows_in_registers(
    ops: &mut OpList<Word>,
    k: usize,
    z: Complex,
    factors: &Factors,
) -> [Place; 2] {
    let first = ops.take(Wish::AnyFile);
    let angle = factors.of(ops, k);
    let second = halves(ops, k, z, angle, first);
    if let (Factors::Read, Angle::Of { cos, sin }) = (factors, angle) {
        ops.give_back(cos);
        ops.give_back(sin);
    }
    [first, second]
}

/// Outputs k and k + 16 are sum and difference of even lanes and of odd lanes multiplied by W_32^k.
///
/// With c and s of the angle π k/16 and d = 1 or -1, odd lanes need re c + (d im) (d s) for their
/// neighbours and (d im) c - re (d s) for themselves; even lanes give d im. From k = 8 on, where c
/// is not positive, both are made with the other sign, and sum and difference exchanged.
fn halves(ops: &mut OpList<Word>, k: usize, z: Complex, angle: Angle, first: Place) -> Place {
    let conjugate = Source::Place(CONJUGATE);
    let [re, im] = z;
    let given_im = ops.multiply(im, conjugate, Wish::Accumulator);
    ops.give_back(im.place);
    let copy = ops.load(re.place, Wish::Accumulator);
    let copy = positive(copy);
    let own = ops.take(Wish::File(File::A));
    let given_re = match angle {
        Angle::Nothing => {
            ops.copy(given_im.place, own);
            copy
        }
        Angle::Quarter => {
            ops.push(Operation::mul(MulOp::Fmul, copy.place, conjugate, own));
            ops.give_back(copy.place);
            let plain = ops.multiply(given_im, conjugate, Wish::Accumulator);
            ops.add_op(AddOp::Fsub, 0, plain.place, plain.place);
            plain
        }
        Angle::Of { cos, sin } => {
            let [cos, sin] = [cos, sin].map(Source::Place);
            let signed = |x: Value| if k < 8 { x } else { negate(x) };
            let re_cos = ops.multiply(re, cos, Wish::Accumulator);
            let im_sin = ops.multiply(given_im, sin, Wish::Accumulator);
            let multiplied = Destination::Place(re_cos.place);
            ops.add_into(re_cos, signed(im_sin), multiplied);
            ops.give_back(im_sin.place);
            let im_cos = ops.multiply(given_im, cos, Wish::AnyFile);
            ops.push(Operation::mul(MulOp::Fmul, copy.place, sin, copy.place));
            ops.add_into(im_cos, signed(negate(copy)), Destination::Place(own));
            ops.give_back_complex([im_cos, copy]);
            re_cos
        }
    };
    // Real part and what even lanes gave; what odd lanes gave and their imaginary part.
    ops.merge_rotated(given_im.place, 1, ODD, re.place);
    ops.merge_rotated(given_re.place, 15, EVEN, own);
    ops.give_back_complex([given_im, given_re]);
    let (x, y) = (re, positive(own));
    let y = if k < 8 { y } else { negate(y) };
    ops.add_into(x, y, Destination::Place(first));
    ops.add_into(x, negate(y), Destination::Place(re.place));
    ops.give_back(own);
    re.place
}
