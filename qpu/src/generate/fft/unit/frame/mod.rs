//! The surroundings of a codelet: start, loop over units, locks of the VPM, store, end.
//!
//! The VPM has two areas of 32 rows; semaphores 0 and 1 are their locks (1: free). A program holds
//! the lock of its area from its first VPM write until its store has ended, so that one area is
//! filled while the other is stored. Semaphore 2 counts programs that have ended their units, 3 and
//! 4 let them go on, in turn: with one, a fast program would take the token of another. All are 0
//! at rest.

mod assemble;
mod ends;
mod routine;
mod store;
mod stubs;
mod tile;

use super::Word;
use crate::fft::Role;
use crate::fft::points;
use crate::fft::program::{Lanes, Record, Start, Task};
use crate::generate::fft::dft16::Constants;
use crate::generate::fft::draft::{Draft, Wish};
use crate::generate::schedule::{self, Destination, Operation, Place, Unit};
use crate::generate::{Reg, ra, rb};
use crate::isa::{AddOp, File};
use crate::vpm::{Block, Store, store_stride};
use assemble::put_pieces;

pub use assemble::Written;

/// Semaphore that counts programs which have ended their units.
const ENDED: u8 = 2;
/// Semaphores that let programs go on to the next pass.
const GATES: [u8; 2] = [3, 4];

/// The operation of a unit that holds the length of a record.
const RECORD_BYTES: usize = 1;

pub type Source = schedule::Source<Word>;

/// The way of the 32 rows into the VPM and out of it, in area 0.
pub struct Shape {
    /// The block of the writes.
    pub write: Block,
    /// In order.
    pub stores: Stores,
}

/// The stores of a unit.
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
    /// A call of the program's routine ([`routine`]). Of another routine there is another number.
    Call(usize),
}

/// A piece that is scheduled.
type Scheduled = (schedule::Scheduled<Word>, Form);

/// A program being written: the operations of its start, and then those of a unit.
pub struct Frame {
    task: Task,
    /// The draft that is being written.
    pub draft: Draft<Word>,
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
    fixed: Vec<Store>,
    /// For a program that shares tiles.
    sharing: Option<tile::Sharing>,
    /// The register with the address to which routines go back.
    link: Option<Place>,
}

impl Frame {
    /// A program in which nothing but the start is written.
    pub fn new(task: Task, shape: &Shape) -> Self {
        let mut draft = Draft::new(Place::R4);
        let constants = Constants::load(&mut draft);
        let mut keep = || draft.take(Wish::AnyFile);
        let [records, area, write_setup] = [keep(), keep(), keep()];
        let (fixed, listed) = match &shape.stores {
            Stores::Fixed(stores) => (&stores[..], 0),
            Stores::Listed(count) => (&[][..], *count),
        };
        let store_setups: Vec<Place> = fixed.iter().map(|_| keep()).collect();
        let stores = fixed.iter().map(|_| keep()).collect();
        // Counted down beside a small immediate, which is read through file B's port.
        let units = draft.take(Wish::File(File::A));
        let word_offsets = draft.take(Wish::Accumulator);
        draft.add_op(
            AddOp::Shl,
            [Source::Lane, Source::Small(2)],
            Destination::Place(word_offsets),
        );
        let mut read = |word, to| draft.copy(Source::Uniform(Word::Start(word)), to);
        read(Start::Area, Destination::Place(area));
        read(Start::Records, Destination::Place(records));
        read(Start::Units, Destination::Place(units));
        let is_last = matches!(task, Task::Points(kind) if kind.role == Role::Last);
        let pitch = is_last.then(|| draft.take(Wish::AnyFile));
        set_stride(&mut draft, pitch);
        // Row 32 is bit 5 of the address of a write, bit 12 of a store's.
        let write = shape.write.write_setup();
        let setups = fixed.iter().map(|store| (store.setup(), 12));
        let places = [write_setup]
            .into_iter()
            .chain(store_setups.iter().copied());
        for ((setup, shift), place) in [(write, 5)].into_iter().chain(setups).zip(places) {
            let [word, row] = [0, 1].map(|_| draft.take(Wish::Accumulator));
            draft.immediate(
                setup.expect("inside the VPM"),
                [Destination::Place(word), Destination::Nothing],
            );
            draft.immediate(shift, [Destination::Place(row), Destination::Nothing]);
            let sources = [Source::Place(area), Source::Place(row)];
            draft.add_op(AddOp::Shl, sources, Destination::Place(row));
            let sources = [Source::Place(word), Source::Place(row)];
            draft.add_op(AddOp::Or, sources, Destination::Place(place));
            draft.give_back(word);
            draft.give_back(row);
        }
        Self {
            task,
            draft,
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
        let fetched = self.draft.lookup_sum(tmu, self.word_offsets, word);
        let place = self.draft.take(Wish::AnyFile);
        self.draft
            .copy(Source::Place(fetched), Destination::Place(place));
        place
    }

    /// A number of the start list.
    pub fn number(&mut self, start: impl Into<Start>) -> Place {
        let place = self.draft.take(Wish::AnyFile);
        let word = Source::Uniform(Word::start(start));
        self.draft.copy(word, Destination::Place(place));
        place
    }

    /// Begins a unit: operations that follow belong to it. Reads its record, but for
    /// [`Frame::base`] and [`Frame::rows`].
    pub fn begin_unit(&mut self) {
        self.draft.give_back(self.word_offsets);
        self.opening = self.draft.cut();
        let records = Source::Place(self.records);
        self.draft.copy(records, Destination::UniformsAddress);
        // How long the record is, is known when the unit is written.
        let bytes = self.draft.take(Wish::Accumulator);
        self.draft
            .immediate(0, [Destination::Place(bytes), Destination::Nothing]);
        self.draft.add_op(
            AddOp::Add,
            [records, Source::Place(bytes)],
            Destination::Place(self.records),
        );
        self.draft.give_back(bytes);
        for index in 0..self.stores.len() {
            let word = Word::Record(Record::Store { index: index as u8 });
            let place = Destination::Place(self.stores[index]);
            self.draft.copy(Source::Uniform(word), place);
        }
    }

    /// An address of the record added to a lane vector.
    pub fn base(&mut self, record: impl Into<Record>, lanes: Place) -> Place {
        let place = self.draft.take(Wish::AnyFile);
        let sources = [Source::Place(lanes), Source::Uniform(Word::record(record))];
        self.draft
            .add_op(AddOp::Add, sources, Destination::Place(place));
        place
    }

    /// The address of rows that is in `ahead`, where that of the unit behind this one then is.
    pub fn base_ahead(&mut self, lanes: Place, ahead: Place) -> Place {
        let place = self.draft.take(Wish::AnyFile);
        let draft = &mut self.draft;
        draft.copy(Source::Place(ahead), Destination::Place(place));
        let word = Source::Uniform(Word::record(points::Record::InputAhead));
        let sources = [Source::Place(lanes), word];
        draft.add_op(AddOp::Add, sources, Destination::Place(ahead));
        place
    }

    /// A word of the record.
    pub fn word(&mut self, record: impl Into<Record>) -> Place {
        let place = self.draft.take(Wish::AnyFile);
        let word = Source::Uniform(Word::record(record));
        self.draft.copy(word, Destination::Place(place));
        place
    }

    /// Goes over to the row list: uniforms that follow are read from it.
    pub fn rows(&mut self) {
        let word = Word::Record(Record::Rows);
        self.draft
            .copy(Source::Uniform(word), Destination::UniformsAddress);
    }

    /// Ends a piece: operations that follow are scheduled apart from those that were written of the
    /// unit since the last piece, which are done as often as `repeats` says: a register of file A
    /// that is counted down to 0. Flags do not outlast a piece that is repeated.
    pub fn piece(&mut self, repeats: Option<Place>) {
        let operations = self.draft.cut();
        let form = repeats.map_or(Form::Once, Form::Repeated);
        self.pieces.push(Piece { operations, form });
    }

    /// Makes what was written since the last piece a call of routine `number`; what comes before it
    /// is a piece. All calls are written alike, on the same registers, and differ in their uniforms
    /// only.
    pub fn call(&mut self, number: usize) {
        let operations = self.draft.cut();
        let form = Form::Call(number);
        self.pieces.push(Piece { operations, form });
    }

    /// Gives back the registers of the constants, which the unit does not need.
    pub fn without_constants(&mut self) {
        for file in [File::A, File::B] {
            for place in self.constants.places(file) {
                self.draft.give_back(place);
            }
        }
    }

    /// Keeps a register for what a routine goes back to.
    pub fn has_routines(&mut self) {
        if self.link.is_none() {
            self.link = Some(self.draft.take_even());
        }
    }

    /// Goes over to the end of the record: uniforms that follow are its last `words`, before those
    /// of its stores.
    pub fn late_record(&mut self, words: u8) {
        let records = Source::Place(self.records);
        let bytes = self.draft.take(Wish::Accumulator);
        let behind = 4 * (u32::from(words) + 2 * u32::from(self.listed));
        self.draft
            .immediate(behind, [Destination::Place(bytes), Destination::Nothing]);
        let sources = [records, Source::Place(bytes)];
        self.draft
            .add_op(AddOp::Sub, sources, Destination::UniformsAddress);
        self.draft.give_back(bytes);
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
            frame: self,
            pieces,
            outputs,
            factors,
        }
    }
}

/// Sets the stride of stores, and keeps it: a pitch without the mark of a setup word makes the rows
/// be stored one by one.
fn set_stride(draft: &mut Draft<Word>, pitch: Option<Place>) {
    let word = Source::Uniform(Word::Start(Start::StoreStride));
    let Some(pitch) = pitch else {
        draft.copy(word, Destination::WriteSetup);
        return;
    };
    draft.copy(word, Destination::Place(pitch));
    let most = draft.take(Wish::Accumulator);
    let to = [Destination::Place(most), Destination::Nothing];
    draft.immediate(store_stride(u16::MAX), to);
    let sources = [pitch, most].map(Source::Place);
    draft.add_op(AddOp::Min, sources, Destination::WriteSetup);
    draft.give_back(most);
}

fn reg(place: Place) -> Reg {
    match place {
        Place::Register(File::A, number) => ra(number),
        Place::Register(File::B, number) => rb(number),
        _ => unreachable!("what is kept is kept in registers"),
    }
}
