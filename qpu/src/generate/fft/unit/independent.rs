//! Programs that know nothing of each other: no locks, no leader, rows of the VPM of their own.
//!
//! A program is a start and a unit, both straight. Its start list goes on with the record of its
//! first unit, so that all its words lie behind each other; those of further units are read from
//! their records.

use super::{Generated, Word};
use crate::fft::program::{Start, Task};
use crate::generate::fft::draft::{Draft, Wish};
use crate::generate::schedule::{self, Destination, Operation, Place, Source};
use crate::generate::{Builder, NONE, R0, Reg, ST_WAIT, UNIFORMS_ADDRESS, ra, rb};
use crate::isa::{AddOp, BranchCond, File};

type Operations = Vec<Operation<Word>>;

/// A program being written: first what it does once.
pub struct Independent {
    task: Task,
    /// The draft that is being written.
    pub draft: Draft<Word>,
    /// Operations that are done once, when they are written.
    head: Operations,
    /// Units that are left.
    units: Place,
    /// Address of this unit's record.
    records: Place,
    /// Setup of the writes of the program's rows.
    rows: Place,
}

impl Independent {
    /// A program of which the common words are read.
    pub fn new(task: Task) -> Self {
        let mut draft = Draft::new(Place::R4);
        // Counted down beside a small immediate, which is read through file B's port.
        let units = start(&mut draft, Start::Units, Wish::File(File::A));
        let [records, rows] =
            [Start::Records, Start::WriteSetup].map(|word| start(&mut draft, word, Wish::AnyFile));
        let stride = Source::Uniform(Word::Start(Start::StoreStride));
        draft.copy(stride, Destination::WriteSetup);
        Self {
            task,
            draft,
            head: Vec::new(),
            units,
            records,
            rows,
        }
    }

    /// A register with a word of the start list.
    pub fn start(&mut self, word: Start, wish: Wish) -> Place {
        start(&mut self.draft, word, wish)
    }

    /// Byte offsets of 2^`log2_bytes` bytes for each of sixteen points: lane 2 i + r has point 8
    /// r + i. In a register of file A.
    pub fn points(&mut self, log2_bytes: i32) -> Place {
        let draft = &mut self.draft;
        let [row, pair] = [0, 1].map(|_| draft.take(Wish::Accumulator));
        let one = Source::Small(1);
        for (place, op, shift) in [(row, AddOp::And, 3), (pair, AddOp::Shr, 0)] {
            let to = Destination::Place(place);
            draft.add_op(op, [Source::Lane, one], to);
            let shift = Source::Small(log2_bytes + shift);
            draft.add_op(AddOp::Shl, [Source::Place(place), shift], to);
        }
        let offsets = draft.take(Wish::File(File::A));
        let sources = [row, pair].map(Source::Place);
        draft.add_op(AddOp::Add, sources, Destination::Place(offsets));
        draft.give_back(row);
        draft.give_back(pair);
        offsets
    }

    /// Begins a unit: operations that follow belong to it.
    pub fn begin_unit(&mut self) {
        self.head = self.draft.cut();
    }

    /// Directs the writes to the VPM that follow to the program's rows, once those of the unit
    /// before are stored.
    pub fn begin_rows(&mut self) {
        let draft = &mut self.draft;
        draft.copy(Source::StoreWait, Destination::Nothing);
        draft.copy(Source::Place(self.rows), Destination::WriteSetup);
    }

    /// Stores rows as two words of the record say.
    pub fn store(&mut self, index: u8) {
        use crate::fft::program::Record::{Store, StoreSetup};
        let words = [StoreSetup { index }, Store { index }];
        let to = [Destination::WriteSetup, Destination::StoreAddress];
        for (word, to) in words.into_iter().zip(to) {
            self.draft.copy(Source::Uniform(Word::Record(word)), to);
        }
    }

    /// The program, of which all is written.
    ///
    /// # Panics
    /// When it breaks a rule that the checker knows: a bug of the generator, found at build time.
    pub fn finish(mut self) -> Generated {
        let unit = self.draft.cut();
        let [head, unit] = [self.head, unit].map(|operations| schedule::schedule(&operations));
        let mut b = Builder::new();
        let put = |b: &mut Builder, scheduled: &schedule::Scheduled<Word>| {
            for &instruction in &scheduled.instructions {
                b.instruction(instruction);
            }
        };
        put(&mut b, &head);
        let again = b.here("unit");
        let first = b.len();
        put(&mut b, &unit);
        let record = unit.uniforms.iter().filter_map(|&word| match word {
            Word::Record(record) => Some(record),
            _ => None,
        });
        let record: Vec<_> = record.collect();
        let [units, records] = [self.units, self.records].map(register);
        b.ldi(R0, 4 * record.len() as u32);
        b.sub(units, units, 1).setf();
        b.add(records, records, R0);
        b.brr(BranchCond::AnyZC, again);
        b.mov(UNIFORMS_ADDRESS, records);
        b.nops(2);
        let units = first..b.len();
        b.mov(NONE, ST_WAIT);
        b.end();
        let program = b.assemble();
        let program = program.unwrap_or_else(|error| panic!("FFT {:?}: {error}", self.task));
        let own = head.uniforms.iter().filter_map(|&word| match word {
            Word::Start(start) => Some(start),
            _ => None,
        });
        Generated {
            task: self.task,
            code: program.words,
            units,
            start: own
                .chain(record.iter().copied().map(Start::Record))
                .collect(),
            record,
            tail: Vec::new(),
            rows: Vec::new(),
            scalars: Vec::new(),
            listed: Default::default(),
            labels: program.labels,
        }
    }
}

fn start(draft: &mut Draft<Word>, word: Start, wish: Wish) -> Place {
    let place = draft.take(wish);
    let word = Source::Uniform(Word::Start(word));
    draft.copy(word, Destination::Place(place));
    place
}

fn register(place: Place) -> Reg {
    match place {
        Place::Register(File::A, number) => ra(number),
        Place::Register(File::B, number) => rb(number),
        _ => unreachable!("what is kept is kept in registers"),
    }
}
