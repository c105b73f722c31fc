//! The surroundings of a codelet: start, loop over units, locks of the VPM, store, end.
//!
//! The VPM has two areas of 32 rows; semaphores 0 and 1 are their locks (1: free). A program holds
//! the lock of its area from its first VPM write until its store has ended, so that one area is
//! filled while the other is stored. Semaphore 2 counts programs that have ended their units, 3 and
//! 4 let them go on, in turn: with one, a fast program would take the token of another. All are 0
//! at rest.

mod assemble;
pub mod independent;
mod per_qpu_code;
mod program;
mod surroundings;
mod tile;

use super::program::{Lanes, Record, Start, Task};
use super::unit::uniforms;
use crate::Role;
use crate::codelet::op_list::{OpList, Wish};
use crate::codelet::radix16::Constants;
use assemble::{Rows, put_pieces};
use qpu::generate::schedule::{self, Destination, Operation, Place, Unit};
use qpu::isa::{AddOp, File};
use qpu::vpm::{Block, Store, store_stride};

pub use assemble::Written;
pub use program::{List, Names, UNIT, Word, lane_offsets};

/// Semaphore that counts programs which have ended their units.
const ENDED: u8 = 2;
/// Semaphores that let programs go on to the next pass.
const GATES: [u8; 2] = [3, 4];

/// The operation of a unit that holds the length of a record.
const RECORD_BYTES: usize = 1;

pub type Source = schedule::Source<Word>;

/// The stores of a unit, in order.
pub enum Stores {
    /// These.
    Fixed(Vec<Store>),
    /// This many, whose setup words are in the record.
    Listed(u8),
}

/// A stretch of a unit that is scheduled apart from the others.
struct Piece {
    operations: Vec<Operation<Word>>,
    form: Form,
}

/// The form of a piece of a unit in the program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// In its place, once.
    Once,
    /// In its place, as often as this register of file A, which is counted down, says.
    Repeated(Place),
    /// A call of the program's routine ([`UnitProgram::call`]). Of another routine there is another
    /// number.
    Call(usize),
}

/// A piece that is scheduled.
type Scheduled = (schedule::Scheduled<Word>, Form);

/// A program being written: the operations of its start, and then those of a unit.
pub struct UnitProgram {
    task: Task,
    names: Names,
    /// The op list that is being written.
    pub ops: OpList<Word>,
    /// Constants of the 16-point transforms.
    pub constants: Constants,
    opening: Vec<Operation<Word>>,
    /// Pieces of a unit that are written already.
    pieces: Vec<Piece>,
    word_offsets: Place,
    lookups: u8,
    records: Place,
    units: Place,
    area: Place,
    write_setup: Place,
    store_setups: Vec<Place>,
    stores: Vec<Place>,
    /// Stores that the record lists behind everything else.
    listed: u8,
    /// For a last pass: the stride's setup word, or the pitch of rows that are stored one by one.
    pitch: Option<Place>,
    /// The stores of a unit; of tiles in order, as many of each half.
    fixed: Vec<Store>,
    /// For a program that shares tiles.
    sharing: Option<tile::Sharing>,
    /// The register with the address to which routines go back.
    link: Option<Place>,
}

impl UnitProgram {
    /// A program in which nothing but the start is written. `write` is the block of area 0 in which
    /// the 32 rows are written.
    pub fn new(task: Task, write: Block, stores: &Stores, names: Names) -> Self {
        let mut ops = OpList::new(Place::R4);
        let constants = Constants::load(&mut ops);
        let mut keep = || ops.take(Wish::AnyFile);
        let [records, area, write_setup] = [keep(), keep(), keep()];
        let (fixed, listed) = match stores {
            Stores::Fixed(stores) => (&stores[..], 0),
            Stores::Listed(count) => (&[][..], *count),
        };
        let store_setups: Vec<Place> = fixed.iter().map(|_| keep()).collect();
        let stores = fixed.iter().map(|_| keep()).collect();
        // Counted down beside a small immediate, which is read through file B's port.
        let units = ops.take(Wish::File(File::A));
        let word_offsets = lane_offsets(&mut ops, 2, Wish::Accumulator);
        let mut read = |word, to| ops.copy(Source::Uniform(Word::Start(word)), to);
        read(Start::Area, Destination::Place(area));
        read(Start::Records, Destination::Place(records));
        read(Start::Units, Destination::Place(units));
        let is_last = matches!(task, Task::Points(kind) if kind.role == Role::Last);
        let pitch = is_last.then(|| ops.take(Wish::AnyFile));
        set_stride(&mut ops, pitch);
        // Row 32 is bit 5 of the address of a write, bit 12 of a store's.
        let write = write.write_setup();
        let setups = fixed.iter().map(|store| (store.setup(), 12));
        let places = [write_setup]
            .into_iter()
            .chain(store_setups.iter().copied());
        for ((setup, shift), place) in [(write, 5)].into_iter().chain(setups).zip(places) {
            let [word, row] = [0, 1].map(|_| ops.take(Wish::Accumulator));
            ops.immediate(setup.expect("inside the VPM"), word);
            ops.immediate(shift, row);
            ops.add_op(AddOp::Shl, area, row, row);
            ops.add_op(AddOp::Or, word, row, place);
            ops.give_back(word);
            ops.give_back(row);
        }
        Self {
            task,
            names,
            ops,
            constants,
            opening: Vec::new(),
            pieces: Vec::new(),
            word_offsets,
            lookups: 0,
            records,
            units,
            area,
            write_setup,
            store_setups,
            stores,
            listed,
            pitch,
            fixed: fixed.to_vec(),
            sharing: None,
            link: None,
        }
    }

    /// A lane vector, loaded at the start.
    pub fn lanes(&mut self, lanes: Lanes) -> Place {
        let tmu = self.lookups % 2;
        self.lookups += 1;
        let word = Word::Start(Start::Lanes(lanes));
        let fetched = self.ops.lookup_sum(tmu, self.word_offsets, word);
        self.ops.load(fetched, Wish::AnyFile)
    }

    /// A number of the start list.
    pub fn number(&mut self, start: impl Into<Start>) -> Place {
        self.ops
            .load(Source::Uniform(Word::start(start)), Wish::AnyFile)
    }

    /// Begins a unit: operations that follow belong to it. Reads its record, but for
    /// [`UnitProgram::base`] and [`UnitProgram::rows`].
    pub fn begin_unit(&mut self) {
        self.ops.give_back(self.word_offsets);
        self.opening = self.ops.cut();
        let records = Source::Place(self.records);
        self.ops.copy(records, Destination::UniformsAddress);
        // How long the record is, is known when the unit is written.
        let bytes = self.ops.take(Wish::Accumulator);
        self.ops.immediate(0, bytes);
        self.ops.add_op(AddOp::Add, records, bytes, self.records);
        self.ops.give_back(bytes);
        for index in 0..self.stores.len() {
            let word = Word::Record(Record::Store { index: index as u8 });
            self.ops.copy(Source::Uniform(word), self.stores[index]);
        }
    }

    /// An address of the record added to a lane vector.
    pub fn base(&mut self, record: impl Into<Record>, lanes: Place) -> Place {
        let place = self.ops.take(Wish::AnyFile);
        let word = Source::Uniform(Word::record(record));
        self.ops.add_op(AddOp::Add, lanes, word, place);
        place
    }

    /// The address of rows that is in `ahead`, where that of the unit behind this one then is.
    pub fn base_ahead(&mut self, lanes: Place, ahead: Place) -> Place {
        let ops = &mut self.ops;
        let place = ops.load(ahead, Wish::AnyFile);
        let word = Source::Uniform(Word::record(uniforms::Record::InputAhead));
        ops.add_op(AddOp::Add, lanes, word, ahead);
        place
    }

    /// A word of the record.
    pub fn word(&mut self, record: impl Into<Record>) -> Place {
        self.ops
            .load(Source::Uniform(Word::record(record)), Wish::AnyFile)
    }

    /// Goes over to the row list: uniforms that follow are read from it.
    pub fn rows(&mut self) {
        let word = Word::Record(Record::Rows);
        self.ops
            .copy(Source::Uniform(word), Destination::UniformsAddress);
    }

    /// Ends a piece: operations that follow are scheduled apart from those that were written of the
    /// unit since the last piece, which are done as often as `repeats` says: a register of file A
    /// that is counted down to 0. Flags do not outlast a piece that is repeated.
    pub fn piece(&mut self, repeats: Option<Place>) {
        let operations = self.ops.cut();
        let form = repeats.map_or(Form::Once, Form::Repeated);
        self.pieces.push(Piece { operations, form });
    }

    /// Makes what was written since the last piece a call of routine `number`; what comes before it
    /// is a piece. All calls are written alike, on the same registers, and differ in their uniforms
    /// only.
    pub fn call(&mut self, number: usize) {
        let operations = self.ops.cut();
        let form = Form::Call(number);
        self.pieces.push(Piece { operations, form });
    }

    /// Gives back the registers of the constants, which the unit does not need.
    pub fn without_constants(&mut self) {
        for file in [File::A, File::B] {
            for place in self.constants.places(file) {
                self.ops.give_back(place);
            }
        }
    }

    /// Keeps a register for what a routine goes back to.
    pub fn has_routines(&mut self) {
        if self.link.is_none() {
            self.link = Some(self.ops.take_even());
        }
    }

    /// Goes over to the end of the record: uniforms that follow are its last `words`, before those
    /// of its stores.
    pub fn late_record(&mut self, words: u8) {
        let records = Source::Place(self.records);
        let bytes = self.ops.take(Wish::Accumulator);
        let behind = 4 * (u32::from(words) + 2 * u32::from(self.listed));
        self.ops.immediate(behind, bytes);
        self.ops
            .add_op(AddOp::Sub, records, bytes, Destination::UniformsAddress);
        self.ops.give_back(bytes);
    }

    /// All is written: the unit stores `outputs`, times `factors` in turn.
    pub fn written(mut self, outputs: Vec<Place>, factors: Option<[Place; 2]>) -> Written {
        self.piece(None);
        let mut pieces = std::mem::take(&mut self.pieces);
        let is_of_record = |source: &Source| matches!(source, Source::Uniform(Word::Record(_)));
        let record_words = pieces
            .iter()
            .flat_map(|piece| &piece.operations)
            .filter(|operation| operation.sources.iter().any(is_of_record))
            .count();
        pieces[0].operations[RECORD_BYTES].unit =
            Unit::Immediate(4 * (record_words as u32 + 2 * u32::from(self.listed)));
        Written {
            program: self,
            pieces,
            rows: Rows { outputs, factors },
        }
    }
}

/// Sets the stride of stores, and keeps it: a pitch without the mark of a setup word makes the rows
/// be stored one by one.
fn set_stride(ops: &mut OpList<Word>, pitch: Option<Place>) {
    let word = Source::Uniform(Word::Start(Start::StoreStride));
    let Some(pitch) = pitch else {
        ops.copy(word, Destination::WriteSetup);
        return;
    };
    ops.copy(word, pitch);
    let most = ops.take(Wish::Accumulator);
    ops.immediate(store_stride(u16::MAX), most);
    ops.add_op(AddOp::Min, pitch, most, Destination::WriteSetup);
    ops.give_back(most);
}
