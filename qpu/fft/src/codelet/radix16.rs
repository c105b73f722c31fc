//! Sixteen-point transforms, one in each lane: radix 4 times radix 4, points in registers.
//!
//! A value at position p lies in file A or B by the parity of p's bits. The two operands of every
//! butterfly differ in one bit of their positions, so they are read through different ports.
//! Factors of -i are exchanges and signs, which cost nothing.

use super::op_list::{Complex, OpList, Value, Wish, negate};
use core::f64::consts::PI;
use qpu::generate::schedule::{Destination, Operation, Place, Source};
use qpu::isa::File;

/// A constant in both files, so that one can always be read beside the other operand.
type Constant = u8;

/// Constants of the codelet.
#[derive(Clone, Copy)]
pub struct Constants {
    /// cos π/8.
    cos1: Constant,
    /// sin π/8.
    sin1: Constant,
    /// cos π/4.
    cos2: Constant,
}

/// Two values of a first-layer butterfly: sum and difference of positions n and n + 8.
pub type Butterfly = [Complex; 2];

/// The butterfly of values at positions n and n + 8, in the files in which the codelet wants them.
/// Gives both back.
pub fn butterfly_of<U: Copy + PartialEq>(
    ops: &mut OpList<U>,
    n: usize,
    [x, y]: [Complex; 2],
) -> Butterfly {
    let wish = [n, n + 8].map(|n| Wish::File(file_of(n)));
    if ops.saves_registers() {
        let parts = [0, 1].map(|c| {
            let both = [
                ops.add(x[c], y[c], wish[0]),
                ops.subtract(x[c], y[c], wish[1]),
            ];
            ops.give_back_complex([x[c], y[c]]);
            both
        });
        return [0, 1].map(|n| [0, 1].map(|c| parts[c][n]));
    }
    sum_and_difference(ops, [x, y], wish)
}

/// Sum and difference of two numbers, which it gives back, where these wishes say.
pub fn sum_and_difference<U: Copy + PartialEq>(
    ops: &mut OpList<U>,
    [x, y]: [Complex; 2],
    wishes: [Wish; 2],
) -> Butterfly {
    let sum = [0, 1].map(|c| ops.add(x[c], y[c], wishes[0]));
    let difference = [0, 1].map(|c| ops.subtract(x[c], y[c], wishes[1]));
    ops.give_back_complex(x);
    ops.give_back_complex(y);
    [sum, difference]
}

impl Constants {
    /// Takes registers of both files for cos π/8, sin π/8 and cos π/4, and lets `put` write each.
    fn of<U: Copy + PartialEq, T>(
        ops: &mut OpList<U>,
        sources: [T; 3],
        put: impl Fn(&mut OpList<U>, T, [Place; 2]),
    ) -> Self {
        let [cos1, sin1, cos2] = sources.map(|source| {
            let both = [File::A, File::B].map(|file| ops.take(Wish::File(file)));
            put(ops, source, both);
            match both {
                [Place::Register(_, a), Place::Register(_, b)] if a == b => a,
                _ => unreachable!("constants are taken first"),
            }
        });
        Self { cos1, sin1, cos2 }
    }

    /// Loads them.
    pub fn load<U: Copy + PartialEq>(ops: &mut OpList<U>) -> Self {
        let (sin1, cos1) = (PI / 8.0).sin_cos();
        let values = [cos1, sin1, (PI / 4.0).cos()];
        Self::of(ops, values.map(|value| value as f32), |ops, value, both| {
            let both = both.map(Destination::Place);
            ops.push(Operation::immediate(value.to_bits(), both));
        })
    }

    /// Constants from uniforms, which take no instruction of their own: cos π/8, sin π/8, cos π/4.
    pub fn from_uniforms<U: Copy + PartialEq>(ops: &mut OpList<U>, words: [U; 3]) -> Self {
        Self::of(ops, words, |ops, word, [a, b]| {
            ops.copy(Source::Uniform(word), a);
            ops.copy(a, b);
        })
    }

    /// cos π/8, cos π/4 and sin π/8, as this file holds them.
    pub fn places(&self, file: File) -> [Place; 3] {
        [self.cos1, self.cos2, self.sin1].map(|number| Place::Register(file, number))
    }

    /// z · W16^k, of k that is a product of two numbers below 4. Gives back z where it makes new
    /// values.
    ///
    /// # Panics
    /// For other k.
    pub fn multiply<U: Copy + PartialEq>(
        &self,
        ops: &mut OpList<U>,
        z: Complex,
        k: usize,
        file: File,
    ) -> Complex {
        let factor = |constant: Constant, beside: Value| {
            let file = match beside.place {
                Place::Register(file, _) => file.other(),
                _ => File::A,
            };
            Source::Place(Place::Register(file, constant))
        };
        let [re, im] = z;
        let wish = Wish::File(file);
        match k {
            0 => z,
            4 => [im, negate(re)],
            2 | 6 => {
                let p = ops.multiply(re, factor(self.cos2, re), Wish::Accumulator);
                let q = ops.multiply(im, factor(self.cos2, im), Wish::Accumulator);
                if ops.saves_registers() {
                    ops.give_back_complex(z);
                }
                let sum = ops.add(p, q, wish);
                let difference = ops.subtract(q, p, wish);
                ops.give_back(p.place);
                ops.give_back(q.place);
                if !ops.saves_registers() {
                    ops.give_back_complex(z);
                }
                if k == 2 {
                    [sum, difference]
                } else {
                    [difference, negate(sum)]
                }
            }
            1 | 3 | 9 => {
                let (cos, sin) = if k == 3 {
                    (self.sin1, self.cos1)
                } else {
                    (self.cos1, self.sin1)
                };
                let cos = [factor(cos, re), factor(cos, im)];
                let sin = [factor(sin, im), factor(sin, re)];
                let multiplied = ops.multiply_complex(z, cos, sin, [wish; 2]);
                // W16^9 = -W16^1.
                if k == 9 {
                    multiplied.map(negate)
                } else {
                    multiplied
                }
            }
            _ => unreachable!("no product of two numbers below 4"),
        }
    }
}

/// The file in which a position's values lie.
pub const fn file_of(position: usize) -> File {
    if position.count_ones() & 1 == 0 {
        File::A
    } else {
        File::B
    }
}

/// Radix 4 over four points, of which [`Butterfly`] are the sums and differences of (0, 2) and (1,
/// 3); each output where its wish says.
pub fn radix4_of<U: Copy + PartialEq>(
    ops: &mut OpList<U>,
    [even, odd]: [Butterfly; 2],
    wishes: [Wish; 4],
) -> [Complex; 4] {
    let mut outputs = [None; 4];
    for k in order_of_radix4(ops) {
        outputs[k] = Some(radix4(ops, even, odd, k, [wishes[k]; 2]));
    }
    outputs.map(|y| y.expect("written above"))
}

/// Output k of radix 4 over four points, from the sums and differences of (0, 2) and (1, 3).
///
/// Must be written for k = 0 before 2, and 1 before 3: the last use of each gives it back.
fn radix4<U: Copy + PartialEq>(
    ops: &mut OpList<U>,
    even: Butterfly,
    odd: Butterfly,
    k: usize,
    wish: [Wish; 2],
) -> Complex {
    let (t, u) = (even[k % 2], odd[k % 2]);
    // (-i)^k · u.
    let multiplied = match k {
        0 => u,
        1 => [u[1], negate(u[0])],
        2 => u.map(negate),
        _ => [negate(u[1]), u[0]],
    };
    let y = [0, 1].map(|c| ops.add(t[c], multiplied[c], wish[c]));
    if k >= 2 {
        ops.give_back_complex(t);
        ops.give_back_complex(u);
    }
    y
}

/// The order in which outputs of [`radix4`] are written.
pub fn order_of_radix4<U: Copy + PartialEq>(ops: &OpList<U>) -> [usize; 4] {
    if ops.saves_registers() {
        // Those of the same sums follow each other, and give these back.
        [0, 2, 1, 3]
    } else {
        [0, 1, 2, 3]
    }
}

/// The surroundings of a transform: where its outputs go.
pub trait CodeletEnds {
    /// The type of the program's uniforms.
    type Uniform: Copy + PartialEq;

    /// The op list that is being written.
    fn ops(&mut self) -> &mut OpList<Self::Uniform>;

    /// The wish for an output's real (0) or imaginary part (1): apart, so that one instruction can
    /// read both.
    fn wish(&self, component: usize) -> Wish {
        Wish::File([File::B, File::A][component])
    }

    /// Takes output k over.
    fn output(&mut self, k: usize, y: Complex);
}

/// Ends of a transform whose outputs stay in registers.
pub struct Outputs<'a, U> {
    /// The op list that is being written.
    pub ops: &'a mut OpList<U>,
    outputs: [Option<Complex>; 16],
}

impl<'a, U: Copy + PartialEq> Outputs<'a, U> {
    /// Those of a transform that is still to be written.
    pub fn new(ops: &'a mut OpList<U>) -> Self {
        let outputs = [None; 16];
        Self { ops, outputs }
    }

    /// All outputs.
    pub fn all(self) -> [Complex; 16] {
        self.outputs.map(|output| output.expect("transformed"))
    }
}

impl<U: Copy + PartialEq> CodeletEnds for Outputs<'_, U> {
    type Uniform = U;

    fn ops(&mut self) -> &mut OpList<U> {
        self.ops
    }

    fn output(&mut self, k: usize, y: Complex) {
        self.outputs[k] = Some(y);
    }
}

/// Output k1 of radix 4 over points n2, n2 + 4 and so on, times W16^(n2 k1). Must be written in the
/// order of [`radix4`].
fn column(
    ends: &mut impl CodeletEnds,
    constants: &Constants,
    [even, odd]: [Butterfly; 2],
    [n2, k1]: [usize; 2],
) -> Complex {
    // Partners of the next layer differ in one bit of n2.
    let file = file_of(4 * n2 + k1);
    let own = if ends.ops().saves_registers() && k1 == 1 && n2 > 0 {
        // Multiplied, it is in this one: so both have registers enough.
        file.other()
    } else {
        file
    };
    let y = radix4(ends.ops(), even, odd, k1, [Wish::File(own); 2]);
    constants.multiply(ends.ops(), y, n2 * k1, file)
}

/// Radix 4 over n2 of what all columns have for k1, in files as [`dft16_of_columns`] says: outputs
/// k1 + 4 k2.
pub fn outputs_of_column(ends: &mut impl CodeletEnds, k1: usize, columns: [Complex; 4]) {
    let [even, odd] = [0, 1].map(|n2| {
        let both = [n2, n2 + 2].map(|n2| columns[n2]);
        let file = file_of(4 * n2 + k1);
        sum_and_difference(ends.ops(), both, [file, file.other()].map(Wish::File))
    });
    for k2 in order_of_radix4(ends.ops()) {
        let wish = [0, 1].map(|component| ends.wish(component));
        let y = radix4(ends.ops(), even, odd, k2, wish);
        assert!(
            y.iter().all(|part| !part.negative),
            "outputs have their sign"
        );
        ends.output(k1 + 4 * k2, y);
    }
}

/// Writes the first layers of a 16-point transform, as [`dft16_of_columns`] takes them: for these
/// k1, in this order.
fn columns<E: CodeletEnds>(
    ends: &mut E,
    constants: &Constants,
    mut butterfly: impl FnMut(&mut E, usize) -> Butterfly,
    wanted: &[usize],
) -> [[Option<Complex>; 4]; 4] {
    // Point n = 4 n1 + n2. Radix 4 over n1, then W16^(n2 k1).
    let by_n2: [_; 4] = std::array::from_fn(|n2| {
        let butterflies = [n2, n2 + 4].map(|n| butterfly(ends, n));
        let mut outputs = [None; 4];
        for &k1 in wanted {
            outputs[k1] = Some(column(ends, constants, butterflies, [n2, k1]));
        }
        outputs
    });
    std::array::from_fn(|k1| by_n2.map(|outputs| outputs[k1]))
}

/// Writes a 16-point transform. `butterfly` writes the sum and difference of points n and n + 8,
/// each in the file of its position ([`file_of`] n and n + 8).
pub fn dft16<E: CodeletEnds>(
    ends: &mut E,
    constants: &Constants,
    butterfly: impl FnMut(&mut E, usize) -> Butterfly,
) {
    let order = order_of_radix4(ends.ops());
    let columns = columns(ends, constants, butterfly, &order);
    let columns = columns.map(|column| column.map(|z| z.expect("written above")));
    dft16_of_columns(ends, columns);
}

/// Writes the last layers of a 16-point transform. `columns[k1][n2]` is output k1 of radix 4 over
/// points n2, n2 + 4 and so on, times W16^(n2 k1), in the file of position 4 n2 + k1 ([`file_of`]).
pub fn dft16_of_columns(ends: &mut impl CodeletEnds, columns: [[Complex; 4]; 4]) {
    // Radix 4 over n2; output k = k1 + 4 k2.
    for (k1, column) in columns.into_iter().enumerate() {
        outputs_of_column(ends, k1, column);
    }
}

/// Writes what follows the first layer, all [`butterfly_of`], for outputs of this parity: even ones
/// first, then odd ones, so that the former can go on their way before the latter are there.
pub fn dft16_of_parity(
    ends: &mut impl CodeletEnds,
    constants: &Constants,
    butterflies: &[Butterfly; 8],
    parity: usize,
) {
    let wanted = [parity, parity + 2];
    let columns = columns(ends, constants, |_, n| butterflies[n], &wanted);
    for k1 in wanted {
        outputs_of_column(ends, k1, columns[k1].map(|z| z.expect("written above")));
    }
}
