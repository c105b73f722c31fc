//! What codelets have in common: points looked up, and the turn between both transforms.

use super::Word;
use super::columns::AHEAD;
use super::frame::{Frame, Source};
use crate::fft::program::Row;
use crate::generate::fft::draft::{Complex, Value, Wish, positive};
use crate::generate::schedule::{Destination, Operation, Place};
use crate::isa::{AddOp, Cond, MulOp};

/// A lookup of a component: addresses of lanes, and the word that is added.
#[derive(Clone, Copy)]
pub struct Lookup {
    pub lanes: Place,
    pub word: Word,
}

impl Lookup {
    /// Whether both have no bits in common: [`crate::fft::program`] says of which words.
    fn is_aligned(self) -> bool {
        matches!(
            self.word,
            Word::Row(Row::Factor { .. } | Row::TurnVector { .. })
        )
    }
}

/// A codelet being written.
pub struct Codelet {
    pub frame: Frame,
    /// Vectors looked up so far. They go to the TMUs in turn, both components of one to the same.
    pub vectors: u8,
    /// Lookups that are on their way, in the order in which they will be fetched.
    pub asked: u8,
}

impl Codelet {
    /// Nothing looked up yet.
    pub const fn new(frame: Frame) -> Self {
        Self {
            frame,
            vectors: 0,
            asked: 0,
        }
    }

    /// Looks a vector up, into r4: at `base` + uniform, which have no bits in common.
    pub fn fetch_aligned(&mut self, base: Place, word: Word) -> Value {
        let tmu = self.vectors % 2;
        self.fetch_asked()
            .unwrap_or_else(|| positive(self.frame.draft.lookup(tmu, base, word)))
    }

    /// Looks a vector up, into r4: at `base` + uniform.
    pub fn fetch(&mut self, base: Place, word: Word) -> Value {
        let tmu = self.vectors % 2;
        self.fetch_asked()
            .unwrap_or_else(|| positive(self.frame.draft.lookup_sum(tmu, base, word)))
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
        let sources = [Source::Place(lanes), Source::Uniform(word)];
        let to = Destination::Tmu(tmu);
        self.frame.draft.add_op(AddOp::Add, sources, to);
    }

    /// The same, by whichever ALU can add.
    pub fn ask_by_either(&mut self, tmu: u8, lookup: Lookup) {
        if lookup.is_aligned() {
            self.frame.draft.ask(tmu, lookup.lanes, lookup.word);
        } else {
            self.ask(tmu, lookup);
        }
    }

    /// Asks for both components of a vector, at `base` + uniforms, which have no bits in common. They are fetched
    /// before anything else is looked up.
    pub fn ask_ahead(&mut self, base: Place, words: [Word; 2]) {
        let tmu = (self.vectors + self.asked / 2) % 2;
        for word in words {
            let sources = [Source::Place(base), Source::Uniform(word)];
            let to = Destination::Tmu(tmu);
            let ask = Operation::either(AddOp::Add, MulOp::V8adds, sources, to);
            self.frame.draft.push(ask);
        }
        self.asked += 2;
    }

    /// As many lookups are on their way as both TMUs hold, of vectors for TMU 0 first.
    pub fn begin_asked(&mut self) {
        self.vectors = 0;
        self.asked = AHEAD as u8;
    }

    /// Fetches what is on its way, if anything is.
    pub fn fetch_asked(&mut self) -> Option<Value> {
        self.asked = self.asked.checked_sub(1)?;
        let fetch = Operation::fetch(self.vectors % 2);
        self.frame.draft.push(fetch);
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

    /// Multiplies z, in accumulators, by cos - i sin in the lanes where `cond` holds. Both factors are read twice.
    pub fn turn_some(&mut self, z: Complex, cond: Cond, cos: Word, sin: Word) {
        let draft = &mut self.frame.draft;
        let [re, im] = z;
        let [cos, sin] = [cos, sin].map(Source::Uniform);
        let re_cos = draft.multiply(re, cos, Wish::Accumulator);
        let im_sin = draft.multiply(im, sin, Wish::Accumulator);
        let re_sin = draft.multiply(re, sin, Wish::AnyFile);
        let mut set = |op, a: Value, b: Value, to: Value| {
            let sources = [a, b].map(|value| Source::Place(value.place));
            let to = Destination::Place(to.place);
            draft.push(Operation::add(op, sources, to).when(cond));
        };
        set(AddOp::Fadd, re_cos, im_sin, re);
        draft.give_back_complex([re_cos, im_sin]);
        let im_cos = draft.multiply(im, cos, Wish::Accumulator);
        let sources = [im_cos, re_sin].map(|value| Source::Place(value.place));
        let to = Destination::Place(im.place);
        draft.push(Operation::add(AddOp::Fsub, sources, to).when(cond));
        draft.give_back_complex([im_cos, re_sin]);
    }

    /// Multiplies z by a cos - i sin that `factor` looks up, component by component. Gives back z.
    pub fn turn_looked_up(
        &mut self,
        z: Complex,
        factor: impl FnMut(&mut Self, u8) -> Source,
        wish: Wish,
    ) -> Complex {
        let turned = self.turned_looked_up(z, factor, wish);
        self.frame.draft.give_back_complex(z);
        turned
    }

    /// The same, keeping z.
    pub fn turned_looked_up(
        &mut self,
        [re, im]: Complex,
        mut factor: impl FnMut(&mut Self, u8) -> Source,
        wish: Wish,
    ) -> Complex {
        let cos = factor(self, 0);
        let [re_cos, im_cos] =
            [re, im].map(|x| self.frame.draft.multiply(x, cos, Wish::Accumulator));
        let sin = factor(self, 1);
        self.vectors += 1;
        let draft = &mut self.frame.draft;
        let im_sin = draft.multiply(im, sin, Wish::Accumulator);
        let turned_re = draft.add(re_cos, im_sin, wish);
        draft.give_back_complex([re_cos, im_sin]);
        let re_sin = draft.multiply(re, sin, Wish::Accumulator);
        let turned_im = draft.subtract(im_cos, re_sin, wish);
        draft.give_back_complex([im_cos, re_sin]);
        [turned_re, turned_im]
    }

    /// x + s · (x moved up by `lanes`), s in r5. Gives back x, which is in an accumulator.
    pub fn add_moved(&mut self, x: Value, lanes: u8, wish: Wish) -> Value {
        let draft = &mut self.frame.draft;
        let moved = positive(draft.take(Wish::Accumulator));
        let sources = [Source::Place(x.place), Source::Place(Place::R5)];
        let to = Destination::Place(moved.place);
        draft.push(Operation::mul(MulOp::Fmul, sources, to).rotated(lanes));
        let sum = draft.add(x, moved, wish);
        draft.give_back(moved.place);
        draft.give_back(x.place);
        sum
    }

    /// Sum of both halves below, difference of the lower from the upper above; flags Z are set below.
    /// Gives back x, which is in an accumulator.
    pub fn half_sums(&mut self, x: Value, wish: Wish) -> Value {
        let draft = &mut self.frame.draft;
        let [moved, to] = [Wish::Accumulator, wish].map(|wish| draft.take(wish));
        let sources = [Source::Place(x.place); 2];
        let copy = Operation::mul(MulOp::V8min, sources, Destination::Place(moved));
        draft.push(copy.rotated(8));
        let [x_, moved_] = [x.place, moved].map(Source::Place);
        let result = Destination::Place(to);
        draft.push(Operation::add(AddOp::Fadd, [x_, moved_], result).when(Cond::ZS));
        draft.push(Operation::add(AddOp::Fsub, [moved_, x_], result).when(Cond::ZC));
        draft.give_back(moved);
        draft.give_back(x.place);
        positive(to)
    }
}
