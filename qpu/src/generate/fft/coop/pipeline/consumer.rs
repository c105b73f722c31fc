//! Consumers: rows of the VPM into registers, their transform, interleaved rows and stores.
//!
//! Even outputs are stored before odd ones are made, so that a store is under way while a consumer computes.

use super::semaphore;
use crate::fft::coop::Word;
use crate::generate::fft::coop::rows::{Factors, rows_in_registers};
use crate::generate::fft::dft16::{
    Butterfly, Constants, Ends, butterflies, butterfly_of, dft16_of_parity, file_of,
};
use crate::generate::fft::draft::{Complex, Draft, Wish, positive};
use crate::generate::schedule::{Destination, Operation, Place, Source};
use crate::isa::{AddOp, File, SemaphoreAction};

/// Both rows of an output.
type Rows = [Place; 2];

/// A consumer being written.
pub struct Consumer<'a> {
    pub draft: &'a mut Draft<Word>,
    pub constants: &'a Constants,
    pub factors: &'a Factors,
    /// How far on the round's output lies.
    pub offset: Place,
    points: [Option<Complex>; 16],
    outputs: [Option<Complex>; 16],
}

impl Ends for Consumer<'_> {
    type Uniform = Word;

    fn draft(&mut self) -> &mut Draft<Word> {
        self.draft
    }

    fn butterfly(&mut self, n: usize) -> Butterfly {
        let points = [n, n + 8].map(|n| self.points[n].take().expect("read once"));
        butterfly_of(self.draft, n, points)
    }

    fn wish(&self) -> Wish {
        Wish::AnyFile
    }

    fn wish_of(&self, component: usize) -> Wish {
        Wish::File([File::B, File::A][component])
    }

    fn output(&mut self, k: usize, y: Complex) {
        self.outputs[k] = Some(y);
    }
}

fn count(draft: &mut Draft<Word>, action: SemaphoreAction, semaphore: u8) {
    draft.push(Operation::semaphore(action, semaphore));
}

impl<'a> Consumer<'a> {
    pub fn new(
        draft: &'a mut Draft<Word>,
        constants: &'a Constants,
        factors: &'a Factors,
        offset: Place,
    ) -> Self {
        Self {
            draft,
            constants,
            factors,
            offset,
            points: [None; 16],
            outputs: [None; 16],
        }
    }

    fn setup(&mut self, word: Word) {
        self.draft
            .copy(Source::Uniform(word), Destination::WriteSetup);
    }

    /// Even lanes have Z from here on.
    pub fn tell_lanes(&mut self) {
        let sources = [Source::Lane, Source::Small(1)];
        self.draft
            .add_op_setting_flags(AddOp::And, sources, Destination::Nothing);
    }

    /// Rows of the VPM into registers. Even lanes have Z from here on.
    pub fn read(&mut self) {
        for n in 0..16 {
            if n % 8 == 0 {
                let component = (n / 8) as u8;
                let setup = Word::ReadSetup { component };
                self.draft
                    .copy(Source::Uniform(setup), Destination::ReadSetup);
            }
            let point = [0; 2].map(|_| positive(self.draft.take(Wish::File(file_of(n)))));
            for value in point {
                self.draft
                    .copy(Source::Vpm, Destination::Place(value.place));
            }
            self.points[n] = Some(point);
        }
        self.tell_lanes();
    }

    /// The first layer of the transform.
    pub fn begin(&mut self) -> [Butterfly; 8] {
        butterflies(self)
    }

    /// The outputs of a parity, in registers.
    pub fn transform(&mut self, butterflies: &[Butterfly; 8], parity: u8) {
        dft16_of_parity(self, self.constants, butterflies, parity.into());
    }

    /// Their rows by group: every fourth output.
    pub fn rows(&mut self, parity: u8) -> [(u8, [Rows; 4]); 2] {
        [parity, parity + 2].map(|group| {
            let rows = [0, 4, 8, 12].map(|step| {
                let k = usize::from(group) + step;
                let output = self.outputs[k].take().expect("transformed");
                rows_in_registers(self.draft, k, output, self.factors)
            });
            (group, rows)
        })
    }

    /// The end of the store that was begun last, and of its half of the VPM.
    pub fn end_store(&mut self, half: u8) {
        self.draft.copy(Source::StoreWait, Destination::Nothing);
        let lock = semaphore::HALVES[usize::from(half)];
        count(self.draft, SemaphoreAction::Increment, lock);
    }

    /// Rows of half `half` to the VPM and to memory.
    pub fn store(&mut self, half: u8, groups: [(u8, [Rows; 4]); 2]) {
        let lock = semaphore::HALVES[usize::from(half)];
        count(self.draft, SemaphoreAction::Decrement, lock);
        if half == 0 {
            self.setup(Word::StoreStride { index: 0 });
        }
        for (group, rows) in groups {
            self.setup(Word::OutputSetup { group });
            for part in 0..2 {
                for row in rows {
                    self.draft.copy(Source::Place(row[part]), Destination::Vpm);
                    self.draft.give_back(row[part]);
                }
            }
        }
        self.setup(Word::StoreSetup { index: half });
        let address = Source::Uniform(Word::Store { index: half });
        let sources = [Source::Place(self.offset), address];
        self.draft.push(Operation::add(
            AddOp::Add,
            sources,
            Destination::StoreAddress,
        ));
    }
}
