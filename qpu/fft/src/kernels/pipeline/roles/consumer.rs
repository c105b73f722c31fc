//! Consumers: from the points of a round to its stores.
//!
//! How points come is each one's own. Even outputs are stored before odd ones are made, so that a
//! store is under way while a consumer computes.

use super::{HALVES, Operation};
use crate::codelet::op_list::{Complex, OpList, Wish, positive};
use crate::codelet::radix16::{
    Butterfly, CodeletEnds, Constants, dft16_of_parity, file_of, order_of_radix4,
};
use crate::kernels::one_pass::program::{Phase, Piece};
use crate::kernels::one_pass::rows::{Factors, rows_in_registers};
use crate::kernels::pipeline::uniforms::Word;
use qpu::generate::schedule::{Destination, Place, Source};
use qpu::isa::{AddOp, File, SemaphoreAction};
use std::collections::VecDeque;

/// Both rows of an output.
type Rows = [Place; 2];

/// A consumer being written.
pub struct Consumer<'a> {
    pub ops: &'a mut OpList<Word>,
    pub constants: &'a Constants,
    pub factors: &'a Factors,
    /// Offset of the round's output.
    pub offset: Place,
    outputs: [Option<Complex>; 16],
    /// The places of the next outputs; wherever there is room when there are none.
    places: VecDeque<Complex>,
}

impl CodeletEnds for Consumer<'_> {
    type Uniform = Word;

    fn ops(&mut self) -> &mut OpList<Word> {
        self.ops
    }

    fn wish(&self, component: usize) -> Wish {
        match self.places.front() {
            Some(place) => Wish::At(place[component].place),
            None => Wish::File([File::B, File::A][component]),
        }
    }

    fn output(&mut self, k: usize, y: Complex) {
        self.places.pop_front();
        self.outputs[k] = Some(y);
    }
}

impl<'a> Consumer<'a> {
    pub fn new(
        ops: &'a mut OpList<Word>,
        constants: &'a Constants,
        factors: &'a Factors,
        offset: Place,
    ) -> Self {
        Self {
            ops,
            constants,
            factors,
            offset,
            outputs: [None; 16],
            places: VecDeque::new(),
        }
    }

    fn setup(&mut self, word: Word) {
        let word = Source::Uniform(word);
        self.ops.copy(word, Destination::WriteSetup);
    }

    /// Rows of the VPM into the registers of points. Even lanes have Z from here on.
    pub fn read(&mut self) -> [Complex; 16] {
        let points = std::array::from_fn(|n| {
            if n % 8 == 0 {
                let component = (n / 8) as u8;
                let setup = Source::Uniform(Word::ReadSetup { component });
                self.ops.copy(setup, Destination::ReadSetup);
            }
            let point = [0; 2].map(|_| positive(self.ops.take(Wish::File(file_of(n)))));
            for value in point {
                self.ops.copy(Source::Vpm, value.place);
            }
            point
        });
        self.ops.set_lane_flags(1);
        points
    }

    fn cut(&mut self, phase: Phase) -> Piece<Word> {
        (phase, self.ops.cut())
    }

    /// The rest, from the first layer of the transform on, with even lanes told: rows of even
    /// outputs and their store, odd outputs, their rows and their store.
    pub fn pieces(&mut self, butterflies: &[Butterfly; 8]) -> [Piece<Word>; 5] {
        self.transform(butterflies, 0);
        let rows = self.rows(0);
        let even_rows = self.cut("even-rows");
        self.store(0, rows);
        let even_store = self.cut("even-store");
        self.transform(butterflies, 1);
        let odd_outputs = self.cut("odd-outputs");
        let rows = self.rows(1);
        let odd_rows = self.cut("odd-rows");
        self.store(1, rows);
        self.end_store(1);
        [
            even_rows,
            even_store,
            odd_outputs,
            odd_rows,
            self.cut("odd-store"),
        ]
    }

    /// The pieces of [`Consumer::pieces`], with rows made by the same piece twice.
    pub fn pieces_of_a_routine(&mut self, butterflies: &[Butterfly; 8]) -> [Piece<Word>; 5] {
        self.transform(butterflies, 0);
        let even_outputs = self.cut("even-outputs");
        let places = self.in_order(0);
        let rows = self.rows(0);
        let all_rows = self.cut("rows");
        self.store(0, rows);
        let even_store = self.cut("even-store");
        // Odd outputs come where even ones were.
        for value in places.as_flattened() {
            self.ops.reserve(value.place);
        }
        self.places = places.into();
        self.transform(butterflies, 1);
        let odd_outputs = self.cut("odd-outputs");
        self.store(1, rows.map(|(group, rows)| (group + 1, rows)));
        self.end_store(1);
        [
            even_outputs,
            all_rows,
            even_store,
            odd_outputs,
            self.cut("odd-store"),
        ]
    }

    /// The outputs of a parity in the order in which they are made.
    fn in_order(&mut self, parity: usize) -> Vec<Complex> {
        let order = order_of_radix4(self.ops);
        let groups = [parity, parity + 2].into_iter();
        let all = groups.flat_map(|k1| order.map(|k2| k1 + 4 * k2));
        all.map(|k| self.outputs[k].expect("transformed")).collect()
    }

    /// The outputs of a parity, in registers.
    fn transform(&mut self, butterflies: &[Butterfly; 8], parity: u8) {
        dft16_of_parity(self, self.constants, butterflies, parity.into());
    }

    /// Their rows by group: every fourth output.
    fn rows(&mut self, parity: u8) -> [(u8, [Rows; 4]); 2] {
        [parity, parity + 2].map(|group| {
            let rows = [0, 4, 8, 12].map(|step| {
                let k = usize::from(group) + step;
                let output = self.outputs[k].take().expect("transformed");
                rows_in_registers(self.ops, k, output, self.factors)
            });
            (group, rows)
        })
    }

    /// The end of the store that was begun last, and of its half of the VPM.
    fn end_store(&mut self, half: u8) {
        self.ops.copy(Source::StoreWait, Destination::Nothing);
        let lock = HALVES[usize::from(half)];
        self.ops
            .push(Operation::semaphore(SemaphoreAction::Increment, lock));
    }

    /// Rows of half `half` to the VPM and to memory.
    fn store(&mut self, half: u8, groups: [(u8, [Rows; 4]); 2]) {
        let lock = HALVES[usize::from(half)];
        self.ops
            .push(Operation::semaphore(SemaphoreAction::Decrement, lock));
        if half == 0 {
            self.setup(Word::StoreStride);
        }
        for (group, rows) in groups {
            self.setup(Word::OutputSetup { group });
            for part in 0..2 {
                for row in rows {
                    self.ops.copy(row[part], Destination::Vpm);
                    self.ops.give_back(row[part]);
                }
            }
        }
        self.setup(Word::StoreSetup { index: half });
        let address = Source::Uniform(Word::Store { index: half });
        let to = Destination::StoreAddress;
        self.ops.add_op(AddOp::Add, self.offset, address, to);
    }
}
