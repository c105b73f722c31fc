//! Points that middle and last passes read: cells, in several parts folded to 16 vectors
//! ([`addresses`](crate::kernels::unit::addresses)).

use super::codelet::{Codelet, Lookup, sums, wishes_of_butterfly};
use super::routines::Column;
use crate::codelet::op_list::{Complex, Value, Wish, positive};
use crate::codelet::radix16::{Butterfly, file_of};
use crate::kernels::program::Kind;
use crate::kernels::unit::uniforms::Row;
use crate::kernels::unit_loop::{Source, UnitProgram, Word};
use qpu::generate::schedule::Place;

/// The input side of a codelet.
pub struct Cells {
    pub codelet: Codelet,
    /// Addresses of the unit's lanes.
    input: Place,
    /// F.
    parts: u8,
}

impl Cells {
    /// Nothing read yet; `input` holds the unit's lane addresses.
    pub fn new(program: UnitProgram, kind: Kind, input: Place) -> Self {
        Self {
            codelet: Codelet::new(program),
            input,
            parts: (kind.own_radix() / 32).max(1) as u8,
        }
    }

    /// Point m of several parts, looked up here.
    fn straight(&mut self, m: u8) -> Complex {
        let wish = Wish::File(file_of(usize::from(m)));
        let mut number = 0;
        let mut fetch = |cells: &mut Self| {
            let (block, component) = (number / 2, number % 2);
            number += 1;
            let vector = 16 * block + m;
            let word = Word::row(Row::Input { vector, component });
            let fetched = cells.codelet.fetch(cells.input, word);
            cells.codelet.vectors += component;
            fetched
        };
        // Point 0 is not multiplied: its last sum is the point.
        if m == 0 {
            return self.sum(wish, &mut fetch);
        }
        let sum = self.sum(Wish::AnyFile, &mut fetch);
        self.multiplied(m, sum, wish)
    }

    /// The sum over all parts, of which the last is where it is wished.
    fn sum(&mut self, wish: Wish, fetch: &mut impl FnMut(&mut Self) -> Value) -> Complex {
        let mut sum = [0, 1].map(|_| {
            let fetched = fetch(self);
            let ops = &mut self.codelet.program.ops;
            positive(ops.load(fetched.place, Wish::AnyFile))
        });
        for block in 1..self.parts {
            for component in 0..2u8 {
                let part = usize::from(component);
                let fetched = fetch(self);
                let sign = Source::Uniform(Word::row(Row::Sign { block, component }));
                let ops = &mut self.codelet.program.ops;
                let term = ops.multiply(fetched, sign, Wish::Accumulator);
                let wish = if block + 1 == self.parts {
                    wish
                } else {
                    Wish::AnyFile
                };
                let new = ops.add(sum[part], term, wish);
                ops.give_back(sum[part].place);
                ops.give_back(term.place);
                sum[part] = new;
            }
        }
        sum
    }

    /// A point multiplied by what its part says. Gives it back.
    fn multiplied(&mut self, m: u8, sum: Complex, wish: Wish) -> Complex {
        let vector = m;
        let factor = |component| Source::Uniform(Word::row(Row::Part { vector, component }));
        let ops = &mut self.codelet.program.ops;
        ops.multiply_complex(sum, [factor(0); 2], [factor(1); 2], [wish; 2])
    }

    /// Sum and difference of points n and n + 8.
    pub fn butterfly(&mut self, n: usize) -> Butterfly {
        if self.parts == 1 {
            return self.codelet.butterfly(self.input, n, None);
        }
        let points = [n, n + 8].map(|n| self.straight(n as u8));
        sums(
            &mut self.codelet.program.ops,
            points,
            wishes_of_butterfly(n),
        )
    }
}

impl Column for Cells {
    fn codelet(&mut self) -> &mut Codelet {
        &mut self.codelet
    }

    fn lookups(&self, m: u8) -> Vec<Lookup> {
        let both = (0..self.parts).flat_map(|block| {
            let vector = 16 * block + m;
            [0, 1].map(|component| Lookup::row(self.input, Row::Input { vector, component }))
        });
        both.collect()
    }

    fn point(&mut self, m: u8, wish: Wish, fetch: &mut impl FnMut(&mut Self) -> Value) -> Complex {
        let sum = self.sum(Wish::AnyFile, fetch);
        self.multiplied(m, sum, wish)
    }

    fn end_input(&mut self) {
        self.codelet.program.ops.give_back(self.input);
    }
}
