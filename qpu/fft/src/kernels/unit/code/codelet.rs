//! The parts that codelets have in common: points looked up, and the multiplication by twiddle
//! factors between both transforms.

use crate::codelet::op_list::{Complex, OpList, Value, Wish, positive};
use crate::codelet::radix16::{Butterfly, file_of};
use crate::kernels::uniform::Pack;
use crate::kernels::unit::uniforms::Row;
use crate::kernels::unit_loop::{Source, UnitProgram, Word};
use qpu::generate::schedule::{Destination, Operation, Place};
use qpu::isa::{AddOp, Cond, File, MulOp};

/// The registers of sum and difference of points n and n + 8.
pub fn wishes_of_butterfly(n: usize) -> [[Wish; 2]; 2] {
    [n, n + 8].map(|n| [Wish::File(file_of(n)); 2])
}

/// Sum and difference, each part where it is wished. Gives both points back.
pub fn sums(ops: &mut OpList<Word>, [x, y]: [Complex; 2], wish: [[Wish; 2]; 2]) -> [Complex; 2] {
    let both = [0, 1].map(|c| {
        [
            ops.add(x[c], y[c], wish[0][c]),
            ops.subtract(x[c], y[c], wish[1][c]),
        ]
    });
    ops.give_back_complex(x);
    ops.give_back_complex(y);
    [0, 1].map(|which| both.map(|pair| pair[which]))
}

/// x + s · (x moved up by 8 lanes), s in `sign`. Gives back x, which is in an accumulator.
pub fn add_moved(ops: &mut OpList<Word>, x: Value, sign: Place, wish: Wish) -> Value {
    let moved = positive(ops.take(Wish::Accumulator));
    ops.push(Operation::mul(MulOp::Fmul, x.place, sign, moved.place).rotated(8));
    let sum = ops.add(x, moved, wish);
    ops.give_back(moved.place);
    ops.give_back(x.place);
    sum
}

/// The word of a vector of twiddles that all outputs share.
pub fn shared_twiddle(component: u8) -> Word {
    let output = 0;
    Word::row(Row::Twiddle { output, component })
}

/// Lookups that both TMUs hold.
pub const AHEAD: usize = 8;

/// A lookup of a component: addresses of lanes, and the word that is added.
#[derive(Clone, Copy)]
pub struct Lookup {
    pub lanes: Place,
    pub word: Word,
}

impl Lookup {
    /// The lookup at `lanes` and a word of the row list.
    pub fn row(lanes: Place, row: Row) -> Self {
        let word = Word::row(row);
        Self { lanes, word }
    }

    /// True if both have no bits in common: [`crate::kernels::program`] says for which words.
    fn is_aligned(self) -> bool {
        matches!(self.word, Word::Row(row)
            if matches!(Row::of(row), Row::Factor { .. } | Row::RootVector { .. }))
    }
}

/// A codelet being written.
pub struct Codelet {
    pub program: UnitProgram,
    /// Vectors looked up so far. They go to the TMUs in turn, both components of one to the same.
    pub vectors: u8,
    /// Lookups that are on their way, in the order in which they will be fetched.
    pub asked: u8,
}

impl Codelet {
    /// Nothing looked up yet.
    pub const fn new(program: UnitProgram) -> Self {
        Self {
            program,
            vectors: 0,
            asked: 0,
        }
    }

    /// Looks a vector up, into r4: at `base` + uniform, which have no bits in common.
    pub fn fetch_aligned(&mut self, base: Place, word: Word) -> Value {
        let tmu = self.vectors % 2;
        self.fetch_asked()
            .unwrap_or_else(|| positive(self.program.ops.lookup(tmu, base, word)))
    }

    /// Looks a vector up, into r4: at `base` + uniform.
    pub fn fetch(&mut self, base: Place, word: Word) -> Value {
        let tmu = self.vectors % 2;
        self.fetch_asked()
            .unwrap_or_else(|| positive(self.program.ops.lookup_sum(tmu, base, word)))
    }

    /// Looks up the twiddles that all outputs share, into registers of file B.
    pub fn fetch_shared(&mut self, lanes: Place) -> [Place; 2] {
        let both = [0, 1].map(|component| {
            let fetched = self.fetch(lanes, shared_twiddle(component));
            let ops = &mut self.program.ops;
            ops.load(fetched.place, Wish::File(File::B))
        });
        self.vectors += 1;
        both
    }

    /// Sum and difference of points n and n + 8, looked up at `lanes`, where imaginary parts are
    /// multiplied by `conjugate`.
    pub fn butterfly(&mut self, lanes: Place, n: usize, conjugate: Option<Place>) -> Butterfly {
        let fetch = |codelet: &mut Self, n: usize, component: usize| {
            let [vector, component] = [n, component].map(|number| number as u8);
            codelet.fetch(lanes, Word::row(Row::Input { vector, component }))
        };
        // Of real and of imaginary parts.
        let factors = [None, conjugate.map(Source::Place)];
        let x = [0, 1].map(|component| {
            let fetched = fetch(self, n, component);
            let ops = &mut self.program.ops;
            match factors[component] {
                Some(factor) => ops.multiply(fetched, factor, Wish::AnyFile),
                None => positive(ops.load(fetched.place, Wish::AnyFile)),
            }
        });
        self.vectors += 1;
        let wishes = wishes_of_butterfly(n);
        let both = [0, 1].map(|component| {
            let mut y = fetch(self, n + 8, component);
            let ops = &mut self.program.ops;
            if let Some(factor) = factors[component] {
                y = ops.multiply(y, factor, Wish::Accumulator);
            }
            let sum = ops.add(x[component], y, wishes[0][component]);
            let difference = ops.subtract(x[component], y, wishes[1][component]);
            ops.give_back(y.place);
            [sum, difference]
        });
        self.vectors += 1;
        self.program.ops.give_back_complex(x);
        [0, 1].map(|which| both.map(|pair| pair[which]))
    }

    /// Looks up, into r4, by whichever ALU can add.
    pub fn fetch_by_either(&mut self, lookup: Lookup) -> Value {
        if lookup.is_aligned() {
            self.fetch_aligned(lookup.lanes, lookup.word)
        } else {
            self.fetch(lookup.lanes, lookup.word)
        }
    }

    /// Asks for what is fetched later.
    pub fn ask(&mut self, tmu: u8, Lookup { lanes, word }: Lookup) {
        let to = Destination::Tmu(tmu);
        self.program
            .ops
            .add_op(AddOp::Add, lanes, Source::Uniform(word), to);
    }

    /// Asks in the same way, by whichever ALU can add.
    pub fn ask_by_either(&mut self, tmu: u8, lookup: Lookup) {
        if lookup.is_aligned() {
            self.program.ops.ask(tmu, lookup.lanes, lookup.word);
        } else {
            self.ask(tmu, lookup);
        }
    }

    /// Asks for both components of a vector, at `base` + uniforms, which have no bits in common.
    /// They are fetched before anything else is looked up.
    pub fn ask_ahead(&mut self, base: Place, words: [Word; 2]) {
        let tmu = (self.vectors + self.asked / 2) % 2;
        for word in words {
            self.program.ops.ask(tmu, base, word);
        }
        self.asked += 2;
    }

    /// Notes that as many lookups are on their way as both TMUs hold, of vectors for TMU 0 first.
    pub fn begin_asked(&mut self) {
        self.vectors = 0;
        self.asked = AHEAD as u8;
    }

    /// Fetches what is on its way, if anything is.
    pub fn fetch_asked(&mut self) -> Option<Value> {
        self.asked = self.asked.checked_sub(1)?;
        let fetch = Operation::fetch(self.vectors % 2);
        self.program.ops.push(fetch);
        Some(positive(Place::R4))
    }

    /// Fetches the second component of a vector for nothing, if it is on its way.
    pub fn drop_component(&mut self) {
        if self.asked % 2 == 1 {
            self.fetch_asked();
        }
    }

    /// Fetches all that is on its way, from the first component of a vector on, for nothing.
    pub fn drop_asked(&mut self) {
        while self.asked > 0 {
            for _ in 0..2 {
                self.fetch_asked();
            }
            self.vectors += 1;
        }
    }

    /// Multiplies z, in accumulators, by cos - i sin in the lanes where `cond` holds. Both factors
    /// are read twice.
    pub fn multiply_some(&mut self, z: Complex, cond: Cond, cos: Word, sin: Word) {
        let ops = &mut self.program.ops;
        let [re, im] = z;
        let [cos, sin] = [cos, sin].map(Source::Uniform);
        let re_cos = ops.multiply(re, cos, Wish::Accumulator);
        let im_sin = ops.multiply(im, sin, Wish::Accumulator);
        let re_sin = ops.multiply(re, sin, Wish::AnyFile);
        let mut set = |op, a: Value, b: Value, to: Value| {
            ops.push(Operation::add(op, a.place, b.place, to.place).when(cond));
        };
        set(AddOp::Fadd, re_cos, im_sin, re);
        ops.give_back_complex([re_cos, im_sin]);
        let im_cos = ops.multiply(im, cos, Wish::Accumulator);
        ops.push(Operation::add(AddOp::Fsub, im_cos.place, re_sin.place, im.place).when(cond));
        ops.give_back_complex([im_cos, re_sin]);
    }

    /// Multiplies z by a cos - i sin that `factor` looks up, component by component. Gives back z.
    pub fn multiply_looked_up(
        &mut self,
        z: Complex,
        factor: impl FnMut(&mut Self, u8) -> Source,
        wish: Wish,
    ) -> Complex {
        let multiplied = self.multiplied_looked_up(z, factor, wish);
        self.program.ops.give_back_complex(z);
        multiplied
    }

    /// Multiplies as [`Codelet::multiply_looked_up`] does, but keeps z.
    pub fn multiplied_looked_up(
        &mut self,
        [re, im]: Complex,
        mut factor: impl FnMut(&mut Self, u8) -> Source,
        wish: Wish,
    ) -> Complex {
        let cos = factor(self, 0);
        let [re_cos, im_cos] =
            [re, im].map(|x| self.program.ops.multiply(x, cos, Wish::Accumulator));
        let sin = factor(self, 1);
        self.vectors += 1;
        let ops = &mut self.program.ops;
        let im_sin = ops.multiply(im, sin, Wish::Accumulator);
        let multiplied_re = ops.add(re_cos, im_sin, wish);
        ops.give_back_complex([re_cos, im_sin]);
        let re_sin = ops.multiply(re, sin, Wish::Accumulator);
        let multiplied_im = ops.subtract(im_cos, re_sin, wish);
        ops.give_back_complex([im_cos, re_sin]);
        [multiplied_re, multiplied_im]
    }
}
