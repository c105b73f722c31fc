//! The transform across groups of lanes, by which first and single passes of more than 16 points
//! end.
//!
//! A vector holds the points of R/16 rows: row R/16 m + r in the lanes of group g, r = g with its
//! bits reversed. Output k_lo of row r is multiplied by W_R^(r k_lo), and comes out negative where
//! r has an odd number of bits. Then groups that differ in one bit of g, the lowest first, become
//! sum and difference: x + s (x of the other group), s = -1 where the bit is clear and +1 where it
//! is set. Between two steps of 64 points the last group is multiplied by a quarter, of 128 points
//! groups by eighths. Output k_hi = g.

use super::codelet::{Codelet, Lookup, add_moved};
use crate::Role;
use crate::codelet::op_list::{Complex, OpList, Value, Wish, positive};
use crate::kernels::program::Kind;
use crate::kernels::unit::uniforms::Row;
use crate::kernels::unit_loop::{Source, Word};
use qpu::generate::schedule::{Destination, Operation, Place};
use qpu::isa::{AddOp, Cond, File, MulOp};

/// Values that are loaded at the start for the transform across lanes.
#[derive(Clone, Copy)]
pub struct Across {
    kind: Kind,
    /// For 64 points: the vector that flags are set from, and -1.0 in lanes 0..8, 1.0 in the
    /// others.
    steps: Option<[Place; 2]>,
    /// For 128 points: factors before the second and the third step.
    eighths: Option<[[Place; 2]; 2]>,
    /// The addresses of twiddle factors: 4 · lane, or in first passes addresses of twiddles of the
    /// unit's lanes.
    roots: Option<Place>,
}

impl Across {
    /// Writes what belongs to the start; `words` is 4 · lane, of single passes from 64 points on.
    pub fn start(ops: &mut OpList<Word>, kind: Kind, words: Option<Place>) -> Self {
        let (mut steps, mut eighths) = (None, None);
        match kind.own_radix() {
            16 => {}
            32 => halves_sign(ops),
            64 => {
                let halves = ops.take(Wish::File(File::A));
                sign_of_bit(ops, 3, Destination::Place(halves));
                sign_of_bit(ops, 2, Destination::Place(Place::R5));
                steps = Some([quad_flags(ops), halves]);
            }
            128 => eighths = Some(group_factors(ops)),
            radix => panic!("no transform across lanes for {radix} points"),
        }
        Self {
            kind,
            steps,
            eighths,
            roots: words,
        }
    }

    /// Writes what belongs to a unit: sets flags. `twiddle` has addresses of twiddles of the unit's
    /// lanes, in first passes.
    pub fn begin_unit(&mut self, ops: &mut OpList<Word>, twiddle: Option<Place>) {
        match self.steps {
            Some([flags, _]) => ops.set_flags(AddOp::Shl, flags, 1),
            // Of tiles, lanes are not told apart.
            None if self.kind.radix == 32 => {
                ops.set_lane_flags(8);
            }
            None => {}
        }
        self.roots = twiddle.or(self.roots);
    }

    /// The registers from which [`Across::output`] takes outputs.
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
                let z = self.multiplied(codelet, k, z);
                // In first passes it is multiplied by twiddles in file B.
                let wish = match self.kind.role {
                    Role::First => Wish::File(File::A),
                    _ => Wish::AnyFile,
                };
                self.of_multiplied(codelet, z, [wish; 2])
            }
        }
    }

    /// The counterpart of [`Across::output`] for outputs in accumulators that are multiplied by
    /// their twiddle factors already, each part where it is wished: for 32 points and more.
    pub fn of_multiplied(&self, codelet: &mut Codelet, z: Complex, wishes: [Wish; 2]) -> Complex {
        match (self.steps, self.eighths) {
            (Some([_, halves]), _) => four_groups(&mut codelet.program.ops, halves, z, wishes),
            (_, Some(eighths)) => eight_groups(&mut codelet.program.ops, eighths, z, wishes),
            _ => {
                let ops = &mut codelet.program.ops;
                [0, 1].map(|part| add_moved(ops, z[part], Place::R5, wishes[part]))
            }
        }
    }

    /// An output that is multiplied by its own factors, across lanes and times what all share: each
    /// part where it is wished.
    pub fn finished(
        &self,
        codelet: &mut Codelet,
        z: Complex,
        shared: Option<[Place; 2]>,
        wishes: [Wish; 2],
    ) -> Complex {
        let Some(shared) = shared else {
            return self.of_multiplied(codelet, z, wishes);
        };
        let z = self.of_multiplied(codelet, z, [Wish::File(File::A); 2]);
        let [cos, sin] = shared.map(|place| [Source::Place(place); 2]);
        let ops = &mut codelet.program.ops;
        ops.multiply_complex(z, cos, sin, wishes)
    }

    /// The addresses of twiddle factors.
    pub fn roots(&self) -> Place {
        self.roots
            .expect("loaded where outputs are multiplied by what is looked up")
    }

    /// The word at which what output k is multiplied by is looked up before it goes across lanes:
    /// from 64 points on, in first passes with a part of the twiddles.
    pub fn root_of(&self, k: usize, component: usize) -> Word {
        let (output, component) = (k as u8, component as u8);
        Word::row(match self.kind.role {
            Role::First => Row::Before { output, component },
            _ => Row::RootVector { output, component },
        })
    }

    /// z multiplied by that. Gives back z.
    fn multiplied(&self, codelet: &mut Codelet, k: u8, z: Complex) -> Complex {
        let lanes = self.roots();
        let factor = |codelet: &mut Codelet, component: u8| {
            let word = self.root_of(k.into(), component.into());
            Source::Place(codelet.fetch_by_either(Lookup { lanes, word }).place)
        };
        if k > 0 {
            return codelet.multiply_looked_up(z, factor, Wish::Accumulator);
        }
        let sign = factor(codelet, 0);
        codelet.drop_component();
        codelet.vectors += 1;
        let ops = &mut codelet.program.ops;
        let signed = z.map(|part| ops.multiply(part, sign, Wish::Accumulator));
        ops.give_back_complex(z);
        signed
    }
}

/// Output k of 32 points, multiplied in the upper lanes.
fn two_groups(codelet: &mut Codelet, output: u8, z: Complex) -> Complex {
    if output == 0 {
        let ops = &mut codelet.program.ops;
        return z.map(|part| half_sums(ops, part));
    }
    let root = |component| Word::row(Row::Root { output, component });
    codelet.multiply_some(z, Cond::ZC, root(0), root(1));
    let ops = &mut codelet.program.ops;
    z.map(|part| add_moved(ops, part, Place::R5, Wish::AnyFile))
}

/// Sum of both halves below, difference of the lower from the upper above; flags Z are set below.
/// Gives back x, which is in an accumulator.
fn half_sums(ops: &mut OpList<Word>, x: Value) -> Value {
    let [moved, to] = [Wish::Accumulator, Wish::AnyFile].map(|wish| ops.take(wish));
    let x = x.place;
    ops.push(Operation::mul(MulOp::V8min, x, x, moved).rotated(8));
    ops.push(Operation::add(AddOp::Fadd, x, moved, to).when(Cond::ZS));
    ops.push(Operation::add(AddOp::Fsub, moved, x, to).when(Cond::ZC));
    ops.give_back(moved);
    ops.give_back(x);
    positive(to)
}

/// Two steps.
fn four_groups(ops: &mut OpList<Word>, halves: Place, z: Complex, wishes: [Wish; 2]) -> Complex {
    // Groups of even and odd g: the other one is 4 lanes up or down.
    let y = z.map(|part| {
        let moved = positive(ops.take(Wish::Accumulator));
        let product = Operation::mul(MulOp::Fmul, part.place, Place::R5, moved.place);
        ops.push(product.rotated(12));
        ops.push(product.rotated(4).when(Cond::NC));
        let sum = ops.add(part, moved, Wish::Accumulator);
        ops.give_back(moved.place);
        ops.give_back(part.place);
        sum
    });
    // -i in the last group.
    let [re, im] = y.map(|part| Source::Place(part.place));
    let [to_re, to_im] = y.map(|part| Destination::Place(part.place));
    let kept = ops.load(re, Wish::File(File::A));
    ops.push(Operation::copy(im, to_re).when(Cond::ZS));
    ops.push(Operation::add(AddOp::Fsub, 0, kept, to_im).when(Cond::ZS));
    ops.give_back(kept);
    // Lower and upper half.
    [0, 1].map(|part| add_moved(ops, y[part], halves, wishes[part]))
}

/// Three steps; flags are set anew for each.
fn eight_groups(
    ops: &mut OpList<Word>,
    eighths: [[Place; 2]; 2],
    mut z: Complex,
    wishes: [Wish; 2],
) -> Complex {
    for (step, lanes) in [2, 4, 8].into_iter().enumerate() {
        if step > 0 {
            let [cos, sin] = eighths[step - 1].map(|place| [Source::Place(place); 2]);
            z = ops.multiply_complex(z, cos, sin, [Wish::Accumulator; 2]);
        }
        ops.set_lane_flags(lanes);
        z = [0, 1].map(|component| {
            let part = z[component];
            let moved = ops.take(Wish::Accumulator);
            let copy = Operation::mul(MulOp::V8min, part.place, part.place, moved);
            ops.push(copy.rotated(16 - lanes as u8));
            if lanes < 8 {
                ops.push(copy.rotated(lanes as u8).when(Cond::ZC));
            }
            // Factors are in file B.
            let wish = if lanes < 8 {
                Wish::File(File::A)
            } else {
                wishes[component]
            };
            let to = ops.take(wish);
            ops.push(Operation::add(AddOp::Fsub, part.place, moved, to).when(Cond::ZS));
            ops.push(Operation::add(AddOp::Fadd, part.place, moved, to).when(Cond::ZC));
            ops.give_back(moved);
            ops.give_back(part.place);
            positive(to)
        });
    }
    z
}

/// r5: -1.0 in lanes 0..8, +1.0 in lanes 8..16.
pub fn halves_sign(ops: &mut OpList<Word>) {
    sign_of_bit(ops, 3, Destination::Place(Place::R5));
}

/// -1.0 in lanes where a bit of the lane's number is clear, +1.0 where it is set.
fn sign_of_bit(ops: &mut OpList<Word>, bit: i32, result: Destination) {
    let sign = ops.take(Wish::Accumulator);
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
        ops.add_op(op, a, b, to);
    }
    ops.copy(sign, result);
    ops.give_back(sign);
}

/// A vector that, moved up by one bit, sets flags by quad: N where the quad is even, C in the upper
/// two, Z in the last.
fn quad_flags(ops: &mut OpList<Word>) -> Place {
    let [high, low] = [0, 1].map(|_| ops.take(Wish::Accumulator));
    let place = ops.take(Wish::File(File::A));
    let [h, l] = [high, low].map(Source::Place);
    let [to_h, to_l] = [high, low].map(Destination::Place);
    // Quad with its lowest bit exchanged: 1 0 3 2 in the uppermost bits, and a bit below in the one
    // that is 0.
    ops.add_op(AddOp::Shr, Source::Lane, 2, to_h);
    ops.add_op(AddOp::Xor, h, 1, to_h);
    ops.add_op(AddOp::Clz, h, h, to_l);
    ops.add_op(AddOp::Shr, l, 5, to_l);
    ops.add_op(AddOp::Shl, h, 15, to_h);
    ops.add_op(AddOp::Shl, h, 15, to_h);
    ops.add_op(AddOp::Or, h, l, place);
    ops.give_back(high);
    ops.give_back(low);
    place
}

/// Factors by group of two lanes: W_4 in groups 3 and 7, and W_8^(g - 4) in groups 4 to 7.
fn group_factors(ops: &mut OpList<Word>) -> [[Place; 2]; 2] {
    let half = core::f32::consts::FRAC_1_SQRT_2;
    let group = ops.take(Wish::Accumulator);
    ops.add_op(AddOp::Shr, Source::Lane, 1, group);
    let roots: [&[(i32, f32, f32)]; 2] = [
        &[(3, 0.0, 1.0), (7, 0.0, 1.0)],
        &[(5, half, half), (6, 0.0, 1.0), (7, -half, half)],
    ];
    let factors = roots.map(|roots| {
        let places = [1.0f32, 0.0].map(|value| {
            let place = ops.take(Wish::File(File::B));
            ops.immediate(value.to_bits(), place);
            place
        });
        for &(g, cos, sin) in roots {
            ops.set_flags(AddOp::Sub, group, g);
            for (place, value) in places.into_iter().zip([cos, sin]) {
                let to = [Destination::Place(place), Destination::Nothing];
                ops.push(Operation::immediate(value.to_bits(), to).when(Cond::ZS));
            }
        }
        places
    });
    ops.give_back(group);
    factors
}
