//! The transform across groups of lanes, by which first and only passes of more than 16 points end.
//!
//! A vector holds the points of R/16 rows: row R/16 m + r in the lanes of group g, r = g with its bits
//! reversed. Output k_lo of row r is turned by W_R^(r k_lo), and comes out negative where r has an odd
//! number of bits. Then groups that differ in one bit of g, the lowest first, become sum and difference:
//! x + s (x of the other group), s = -1 where the bit is clear and +1 where it is set. Between two
//! steps of 64 points the last group is turned by a quarter, of 128 points groups by eighths. Output k_hi = g.

use super::Word;
use super::codelet::{Codelet, Lookup};
use super::frame::Source;
use crate::fft::Role;
use crate::fft::program::{Kind, Row};
use crate::generate::fft::draft::{Complex, Draft, Wish, positive};
use crate::generate::schedule::{Destination, Operation, Place};
use crate::isa::{AddOp, Cond, File, MulOp};

/// What is loaded for it at the start.
#[derive(Clone, Copy)]
pub struct Across {
    kind: Kind,
    /// Of 64 points: what flags are set from, and -1.0 in lanes 0..8, 1.0 in the others.
    steps: Option<[Place; 2]>,
    /// Of 128 points: factors before the second and the third step.
    eighths: Option<[[Place; 2]; 2]>,
    /// Where turns are looked up: 4 · lane, or in first passes addresses of twiddles of the unit's lanes.
    turns: Option<Place>,
}

impl Across {
    /// Writes what belongs to the start; `words` is 4 · lane, of only passes from 64 points on.
    pub fn start(draft: &mut Draft<Word>, kind: Kind, words: Option<Place>) -> Self {
        let (mut steps, mut eighths) = (None, None);
        match kind.own_radix() {
            16 => {}
            32 => halves_sign(draft),
            64 => {
                let halves = draft.take(Wish::File(File::A));
                sign_of_bit(draft, 3, Destination::Place(halves));
                sign_of_bit(draft, 2, Destination::Place(Place::R5));
                steps = Some([quad_flags(draft), halves]);
            }
            128 => eighths = Some(group_factors(draft)),
            radix => panic!("no transform across lanes for {radix} points"),
        }
        Self {
            kind,
            steps,
            eighths,
            turns: words,
        }
    }

    /// What belongs to a unit: sets flags. `twiddle` has addresses of twiddles of the unit's lanes, in first passes.
    pub fn begin_unit(self, draft: &mut Draft<Word>, twiddle: Option<Place>) -> Self {
        let sources = match self.steps {
            Some([flags, _]) => Some((AddOp::Shl, [Source::Place(flags), Source::Small(1)])),
            // Of tiles, lanes are not told apart.
            None if self.kind.radix == 32 => Some((AddOp::And, [Source::Lane, Source::Small(8)])),
            None => None,
        };
        if let Some((op, sources)) = sources {
            draft.add_op_setting_flags(op, sources, Destination::Nothing);
        }
        Self {
            turns: twiddle.or(self.turns),
            ..self
        }
    }

    /// Where [`Across::output`] takes outputs from.
    pub fn wish(&self) -> Wish {
        match self.kind.own_radix() {
            // To be moved across lanes.
            32 => Wish::Accumulator,
            _ => Wish::AnyFile,
        }
    }

    /// Output k of the transforms in the lanes, where [`Across::wish`] says.
    pub fn output(&self, codelet: &mut Codelet, k: u8, z: Complex) -> Complex {
        match self.kind.own_radix() {
            16 => z,
            32 => two_groups(codelet, k, z),
            _ => {
                let z = self.turned(codelet, k, z);
                // In first passes it is multiplied by twiddles in file B.
                let wish = match self.kind.role {
                    Role::First => Wish::File(File::A),
                    _ => Wish::AnyFile,
                };
                self.of_turned(codelet, z, [wish; 2])
            }
        }
    }

    /// The same of outputs in accumulators that are turned already, each part where it is wished: of 32 points and
    /// more.
    pub fn of_turned(&self, codelet: &mut Codelet, z: Complex, wishes: [Wish; 2]) -> Complex {
        match (self.steps, self.eighths) {
            (Some([_, halves]), _) => four_groups(&mut codelet.frame.draft, halves, z, wishes),
            (_, Some(eighths)) => eight_groups(&mut codelet.frame.draft, eighths, z, wishes),
            _ => [0, 1].map(|part| codelet.add_moved(z[part], 8, wishes[part])),
        }
    }

    /// Where turns are looked up.
    pub fn turns(&self) -> Place {
        self.turns
            .expect("loaded where outputs are turned by what is looked up")
    }

    /// The word at which what output k is turned by is looked up before it goes across lanes: from 64 points on, in
    /// first passes with a part of the twiddles.
    pub fn turn_of(&self, k: usize, component: usize) -> Word {
        let (output, component) = (k as u8, component as u8);
        Word::Row(match self.kind.role {
            Role::First => Row::Before { output, component },
            _ => Row::TurnVector { output, component },
        })
    }

    /// z turned by that. Gives back z.
    fn turned(&self, codelet: &mut Codelet, k: u8, z: Complex) -> Complex {
        let lanes = self.turns();
        let words = [0, 1].map(|component| self.turn_of(k.into(), component));
        let factor = |codelet: &mut Codelet, component| {
            let word = words[usize::from(component)];
            Source::Place(codelet.fetch_by_either(Lookup { lanes, word }).place)
        };
        if k > 0 {
            return codelet.turn_looked_up(z, factor, Wish::Accumulator);
        }
        let sign = factor(codelet, 0);
        codelet.drop_component();
        codelet.vectors += 1;
        let draft = &mut codelet.frame.draft;
        let signed = z.map(|part| draft.multiply(part, sign, Wish::Accumulator));
        draft.give_back_complex(z);
        signed
    }
}

/// Output k of 32 points, turned in the upper lanes.
fn two_groups(codelet: &mut Codelet, output: u8, z: Complex) -> Complex {
    if output == 0 {
        return z.map(|part| codelet.half_sums(part, Wish::AnyFile));
    }
    let turn = |component| Word::Row(Row::Turn { output, component });
    codelet.turn_some(z, Cond::ZC, turn(0), turn(1));
    z.map(|part| codelet.add_moved(part, 8, Wish::AnyFile))
}

/// Two steps.
fn four_groups(draft: &mut Draft<Word>, halves: Place, z: Complex, wishes: [Wish; 2]) -> Complex {
    // Groups of even and odd g: the other one is 4 lanes up or down.
    let y = z.map(|part| {
        let moved = positive(draft.take(Wish::Accumulator));
        let sources = [part.place, Place::R5].map(Source::Place);
        let product = Operation::mul(MulOp::Fmul, sources, Destination::Place(moved.place));
        draft.push(product.rotated(12));
        draft.push(product.rotated(4).when(Cond::NC));
        let sum = draft.add(part, moved, Wish::Accumulator);
        draft.give_back(moved.place);
        draft.give_back(part.place);
        sum
    });
    // -i in the last group.
    let [re, im] = y.map(|part| Source::Place(part.place));
    let [to_re, to_im] = y.map(|part| Destination::Place(part.place));
    let kept = draft.take(Wish::File(File::A));
    draft.copy(re, Destination::Place(kept));
    draft.push(Operation::copy(im, to_re).when(Cond::ZS));
    let sources = [Source::Small(0), Source::Place(kept)];
    draft.push(Operation::add(AddOp::Fsub, sources, to_im).when(Cond::ZS));
    draft.give_back(kept);
    // Lower and upper half.
    [0, 1].map(|component| {
        let part = y[component];
        let moved = positive(draft.take(Wish::Accumulator));
        let sources = [part.place, halves].map(Source::Place);
        let product = Operation::mul(MulOp::Fmul, sources, Destination::Place(moved.place));
        draft.push(product.rotated(8));
        let sum = draft.add(part, moved, wishes[component]);
        draft.give_back(moved.place);
        draft.give_back(part.place);
        sum
    })
}
/// Three steps; flags are set anew for each.
fn eight_groups(
    draft: &mut Draft<Word>,
    eighths: [[Place; 2]; 2],
    mut z: Complex,
    wishes: [Wish; 2],
) -> Complex {
    for (step, lanes) in [2, 4, 8].into_iter().enumerate() {
        if step > 0 {
            let [cos, sin] = eighths[step - 1].map(|place| [Source::Place(place); 2]);
            z = draft.turn(z, cos, sin, Wish::Accumulator);
        }
        let sources = [Source::Lane, Source::Small(lanes)];
        draft.add_op_setting_flags(AddOp::And, sources, Destination::Nothing);
        z = [0, 1].map(|component| {
            let part = z[component];
            let moved = draft.take(Wish::Accumulator);
            let copy = [Source::Place(part.place); 2];
            let copy = Operation::mul(MulOp::V8min, copy, Destination::Place(moved));
            draft.push(copy.rotated(16 - lanes as u8));
            if lanes < 8 {
                draft.push(copy.rotated(lanes as u8).when(Cond::ZC));
            }
            // Factors are in file B.
            let wish = if lanes < 8 {
                Wish::File(File::A)
            } else {
                wishes[component]
            };
            let to = draft.take(wish);
            let sources = [part.place, moved].map(Source::Place);
            let result = Destination::Place(to);
            draft.push(Operation::add(AddOp::Fsub, sources, result).when(Cond::ZS));
            draft.push(Operation::add(AddOp::Fadd, sources, result).when(Cond::ZC));
            draft.give_back(moved);
            draft.give_back(part.place);
            positive(to)
        });
    }
    z
}

/// r5: -1.0 in lanes 0..8, +1.0 in lanes 8..16.
pub fn halves_sign(draft: &mut Draft<Word>) {
    sign_of_bit(draft, 3, Destination::Place(Place::R5));
}

/// -1.0 in lanes where a bit of the lane's number is clear, +1.0 where it is set.
fn sign_of_bit(draft: &mut Draft<Word>, bit: i32, result: Destination) {
    let sign = draft.take(Wish::Accumulator);
    let to = Destination::Place(sign);
    // (lane / 2^bit mod 2) · 2 - 1.
    let steps = [
        (AddOp::Shr, Source::Lane, Source::Small(bit)),
        (AddOp::And, Source::Place(sign), Source::Small(1)),
        (AddOp::Shl, Source::Place(sign), Source::Small(1)),
        (AddOp::Sub, Source::Place(sign), Source::Small(1)),
        (AddOp::Itof, Source::Place(sign), Source::Place(sign)),
    ];
    for (op, a, b) in steps {
        draft.add_op(op, [a, b], to);
    }
    draft.copy(Source::Place(sign), result);
    draft.give_back(sign);
}

/// What, moved up by one bit, sets flags by quad: N where the quad is even, C in the upper two, Z in the last.
fn quad_flags(draft: &mut Draft<Word>) -> Place {
    let [high, low] = [0, 1].map(|_| draft.take(Wish::Accumulator));
    let place = draft.take(Wish::File(File::A));
    let [h, l] = [high, low].map(Source::Place);
    let [to_h, to_l] = [high, low].map(Destination::Place);
    // Quad with its lowest bit exchanged: 1 0 3 2 in the uppermost bits, and a bit below in the one that is 0.
    draft.add_op(AddOp::Shr, [Source::Lane, Source::Small(2)], to_h);
    draft.add_op(AddOp::Xor, [h, Source::Small(1)], to_h);
    draft.add_op(AddOp::Clz, [h, h], to_l);
    draft.add_op(AddOp::Shr, [l, Source::Small(5)], to_l);
    draft.add_op(AddOp::Shl, [h, Source::Small(15)], to_h);
    draft.add_op(AddOp::Shl, [h, Source::Small(15)], to_h);
    draft.add_op(AddOp::Or, [h, l], Destination::Place(place));
    draft.give_back(high);
    draft.give_back(low);
    place
}

/// Factors by group of two lanes: W_4 in groups 3 and 7, and W_8^(g - 4) in groups 4 to 7.
fn group_factors(draft: &mut Draft<Word>) -> [[Place; 2]; 2] {
    let half = core::f32::consts::FRAC_1_SQRT_2;
    let group = draft.take(Wish::Accumulator);
    let sources = [Source::Lane, Source::Small(1)];
    draft.add_op(AddOp::Shr, sources, Destination::Place(group));
    let turns: [&[(i32, f32, f32)]; 2] = [
        &[(3, 0.0, 1.0), (7, 0.0, 1.0)],
        &[(5, half, half), (6, 0.0, 1.0), (7, -half, half)],
    ];
    let factors = turns.map(|turns| {
        let places = [1.0f32, 0.0].map(|value| {
            let place = draft.take(Wish::File(File::B));
            let to = [Destination::Place(place), Destination::Nothing];
            draft.immediate(value.to_bits(), to);
            place
        });
        for &(g, cos, sin) in turns {
            let sources = [Source::Place(group), Source::Small(g)];
            draft.add_op_setting_flags(AddOp::Sub, sources, Destination::Nothing);
            for (place, value) in places.into_iter().zip([cos, sin]) {
                let to = [Destination::Place(place), Destination::Nothing];
                draft.push(Operation::immediate(value.to_bits(), to).when(Cond::ZS));
            }
        }
        places
    });
    draft.give_back(group);
    factors
}
