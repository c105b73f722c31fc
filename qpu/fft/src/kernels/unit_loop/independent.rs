//! Programs that know nothing of each other: no locks, no leader, rows of the VPM of their own.
//!
//! A program is a start and a unit, both straight. Its start list goes on with the record of its
//! first unit, so that all its words lie behind each other; those of further units are read from
//! their records.

use super::assemble::put;
use super::{Names, Word};
use crate::codelet::op_list::{OpList, Wish};
use crate::codelet::register;
use crate::kernels::generated::Generated;
use crate::kernels::program::{Start, Task};
use qpu::generate::schedule::{self, Destination, Operation, Place, Source};
use qpu::generate::{Builder, NONE, R0, ST_WAIT, UNIFORMS_ADDRESS};
use qpu::isa::{AddOp, BranchCond, File};

type Operations = Vec<Operation<Word>>;

/// A program being written: first what it does once.
pub struct Independent {
    task: Task,
    names: Names,
    /// The op list that is being written.
    pub ops: OpList<Word>,
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
    pub fn new(task: Task, names: Names) -> Self {
        let mut ops = OpList::new(Place::R4);
        // Counted down beside a small immediate, which is read through file B's port.
        let units = start(&mut ops, Start::Units, Wish::File(File::A));
        let [records, rows] =
            [Start::Records, Start::WriteSetup].map(|word| start(&mut ops, word, Wish::AnyFile));
        ops.copy(
            Source::Uniform(Word::Start(Start::StoreStride)),
            Destination::WriteSetup,
        );
        Self {
            task,
            names,
            ops,
            head: Vec::new(),
            units,
            records,
            rows,
        }
    }

    /// A register with a word of the start list.
    pub fn start(&mut self, word: Start, wish: Wish) -> Place {
        start(&mut self.ops, word, wish)
    }

    /// Byte offsets of 2^`log2_bytes` bytes for each of sixteen points: lane 2 i + r has point 8
    /// r + i. In a register of file A.
    pub fn points(&mut self, log2_bytes: i32) -> Place {
        let ops = &mut self.ops;
        let [row, pair] = [0, 1].map(|_| ops.take(Wish::Accumulator));
        let one = Source::Small(1);
        for (place, op, shift) in [(row, AddOp::And, 3), (pair, AddOp::Shr, 0)] {
            let to = Destination::Place(place);
            ops.add_op(op, Source::Lane, one, to);
            let shift = Source::Small(log2_bytes + shift);
            ops.add_op(AddOp::Shl, place, shift, to);
        }
        let offsets = ops.take(Wish::File(File::A));
        ops.add_op(AddOp::Add, row, pair, offsets);
        ops.give_back(row);
        ops.give_back(pair);
        offsets
    }

    /// Begins a unit: operations that follow belong to it.
    pub fn begin_unit(&mut self) {
        self.head = self.ops.cut();
    }

    /// Directs the writes to the VPM that follow to the program's rows, once those of the unit
    /// before are stored.
    pub fn begin_rows(&mut self) {
        let ops = &mut self.ops;
        ops.copy(Source::StoreWait, Destination::Nothing);
        ops.copy(self.rows, Destination::WriteSetup);
    }

    /// Stores rows as two words of the record say.
    pub fn store(&mut self, index: u8) {
        use crate::kernels::program::Record::{Store, StoreSetup};
        let words = [StoreSetup { index }, Store { index }];
        let to = [Destination::WriteSetup, Destination::StoreAddress];
        for (word, to) in words.into_iter().zip(to) {
            self.ops.copy(Source::Uniform(Word::Record(word)), to);
        }
    }

    /// The program, of which all is written.
    ///
    /// # Panics
    /// When it breaks a rule that the checker knows: a bug of the generator, found at build time.
    pub fn finish(mut self) -> Generated {
        let unit = self.ops.cut();
        let [head, unit] = [self.head, unit].map(|operations| schedule::schedule(&operations));
        let mut b = Builder::new();
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
        let first_record = record.iter().copied().map(Start::Record);
        let start: Vec<_> = own.chain(first_record).collect();
        let reads = start.iter().map(|&word| Word::Start(word).name(self.names));
        Generated {
            task: self.task,
            code: program.words,
            units,
            reads: reads.collect(),
            start,
            record,
            tail: Vec::new(),
            rows: Vec::new(),
            scalars: Vec::new(),
            labels: program.labels,
        }
    }
}

fn start(ops: &mut OpList<Word>, word: Start, wish: Wish) -> Place {
    ops.load(Source::Uniform(Word::Start(word)), wish)
}
