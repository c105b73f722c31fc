//! Splits of few bins: see [`crate::fft::bins`]. No frame surrounds a unit: programs share nothing.

use super::super::{Generated, Word};
use super::half::{self, Terms, Turns};
use super::split::interleaved;
use crate::fft::bins::{Bins, Record, Start, Stream};
use crate::fft::program::{self, Task};
use crate::generate::fft::draft::{Draft, Wish, positive};
use crate::generate::schedule::{self, Destination, Operation, Place, Source};
use crate::generate::{Builder, NONE, R0, ST_WAIT, UNIFORMS_ADDRESS, ra, rb};
use crate::isa::{AddOp, BranchCond, Cond, File, MulOp};

type Operations = Vec<Operation<Word>>;

/// Kept for the code between units.
struct Kept {
    /// Units that are left.
    units: Place,
    /// Address of this unit's record.
    records: Place,
}

/// The program.
pub fn program(bins: Bins) -> Generated {
    let (head, unit, kept) = drawn(bins);
    let [head, unit] = [head, unit].map(|operations| schedule::schedule(&operations));
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
    let [units, records] = [kept.units, kept.records].map(register);
    b.ldi(R0, 4 * record.len() as u32);
    b.sub(units, units, 1).setf();
    b.add(records, records, R0);
    b.brr(BranchCond::AnyZC, again);
    b.mov(UNIFORMS_ADDRESS, records);
    b.nops(2);
    let units = first..b.len();
    b.mov(NONE, ST_WAIT);
    b.end();
    let task = Task::Bins(bins);
    let program = b.assemble();
    let program = program.unwrap_or_else(|error| panic!("FFT {task:?}: {error}"));
    let own = head.uniforms.iter().filter_map(|&word| match word {
        Word::Start(start) => Some(start),
        _ => None,
    });
    // The list of the first unit's record follows without a step.
    let of_first = record.iter().map(|&word| program::Start::Record(word));
    Generated {
        task,
        code: program.words,
        units,
        start: own.chain(of_first).collect(),
        record,
        tail: Vec::new(),
        rows: Vec::new(),
        scalars: Vec::new(),
        listed: Default::default(),
        labels: program.labels,
    }
}

/// What is done once, and what for each unit.
fn drawn(bins: Bins) -> (Operations, Operations, Kept) {
    let mut draft = Draft::new(Place::R4);
    let draft = &mut draft;
    let start = |draft: &mut Draft<Word>, word, wish| {
        let place = draft.take(wish);
        let word = Source::Uniform(Word::Start(word));
        draft.copy(word, Destination::Place(place));
        place
    };
    let lanes = lanes(draft);
    // Counted down beside a small immediate, which is read through file B's port.
    let units = start(draft, program::Start::Units, Wish::File(File::A));
    let records = start(draft, program::Start::Records, Wish::AnyFile);
    let rows = program::Start::Bins(Start::WriteSetup);
    let rows = start(draft, rows, Wish::AnyFile);
    let stride = Word::Start(program::Start::StoreStride);
    draft.copy(Source::Uniform(stride), Destination::WriteSetup);
    let [scale, of_odd] = [0, 1].map(|component| program::Start::Scale { component });
    let scale = start(draft, scale, Wish::AnyFile);
    tell_odd_lanes(draft);
    let of_odd = Source::Uniform(Word::Start(of_odd));
    draft.push(Operation::copy(of_odd, Destination::Place(scale)).when(Cond::ZC));
    let head = draft.cut();

    let wrapped = wrapped(draft, lanes[1]);
    let mut written = Vec::new();
    let mut last = None;
    for (run, group) in half::order(bins) {
        let fetch = |draft: &mut Draft<Word>, tmu, stream, component| {
            let lanes = match (stream, run) {
                (Stream::Points, _) | (Stream::Turns, 0) => lanes[0],
                (Stream::Mirrored, 0) if group == 0 => wrapped,
                _ => lanes[1],
            };
            let word = record(Record::Component {
                run,
                stream,
                group,
                component,
            });
            positive(draft.lookup_sum(tmu, lanes, word))
        };
        let terms = Terms::new(draft, (run, group), Turns::Looked, fetch);
        if last.is_none() {
            // Flags are still those of lane 0.
            last = Some(last_bin(draft, &terms));
            tell_odd_lanes(draft);
        }
        let x = terms.bins(draft);
        written.push(((run, group), interleaved(draft, x)));
        terms.give_back(draft);
    }
    written.sort_by_key(|&(place, _)| place);
    let written = written.into_iter().flat_map(|(_, rows)| rows);

    // Rows are free when those of the unit before are stored.
    draft.copy(Source::StoreWait, Destination::Nothing);
    draft.copy(Source::Place(rows), Destination::WriteSetup);
    let factor = draft.take(Wish::Accumulator);
    draft.copy(Source::Place(scale), Destination::Place(factor));
    for row in written.chain(last) {
        let sources = [row, factor].map(Source::Place);
        draft.push(Operation::mul(MulOp::Fmul, sources, Destination::Vpm));
    }
    for index in 0..bins.stores() {
        let setup = Word::Record(program::Record::StoreSetup { index });
        draft.copy(Source::Uniform(setup), Destination::WriteSetup);
        let address = Word::Record(program::Record::Store { index });
        draft.copy(Source::Uniform(address), Destination::StoreAddress);
    }
    (head, draft.cut(), Kept { units, records })
}

fn record(word: Record) -> Word {
    Word::Record(program::Record::Bins(word))
}

/// Byte offsets of the bins of a group, in the order in which lanes have them, and the same downwards.
fn lanes(draft: &mut Draft<Word>) -> [Place; 2] {
    let [up, down] = [0, 1].map(|_| draft.take(Wish::AnyFile));
    let [row, pair] = [0, 1].map(|_| draft.take(Wish::Accumulator));
    let [one, to_row, to_pair] = [1, 6, 3].map(Source::Small);
    let to = Destination::Place(row);
    draft.add_op(AddOp::And, [Source::Lane, one], to);
    draft.add_op(AddOp::Shl, [Source::Place(row), to_row], to);
    let to = Destination::Place(pair);
    draft.add_op(AddOp::Shr, [Source::Lane, one], to);
    draft.add_op(AddOp::Shl, [Source::Place(pair), to_pair], to);
    let sources = [row, pair].map(Source::Place);
    draft.add_op(AddOp::Add, sources, Destination::Place(up));
    let sources = [Source::Small(0), Source::Place(up)];
    draft.add_op(AddOp::Sub, sources, Destination::Place(down));
    draft.give_back(row);
    draft.give_back(pair);
    [up, down]
}

/// The offsets downwards, of which that of bin M may be that of bin 0. Leaves Z in lane 0.
fn wrapped(draft: &mut Draft<Word>, down: Place) -> Place {
    draft.push(Operation::copy(Source::Lane, Destination::Nothing).setting_flags());
    let place = draft.take(Wish::AnyFile);
    let to = Destination::Place(place);
    draft.copy(Source::Place(down), to);
    let wrap = Source::Uniform(record(Record::Wrap { run: 0 }));
    let add = Operation::add(AddOp::Add, [Source::Place(place), wrap], to);
    draft.push(add.when(Cond::ZS));
    place
}

/// Z in even lanes, up to the next flags.
fn tell_odd_lanes(draft: &mut Draft<Word>) {
    let sources = [Source::Lane, Source::Small(1)];
    draft.add_op_setting_flags(AddOp::And, sources, Destination::Nothing);
}

/// A row with bin M, a real number, where the terms of lane 0 are those of bin 0; behind it zeros.
fn last_bin(draft: &mut Draft<Word>, terms: &Terms) -> Place {
    let row = draft.take(Wish::AnyFile);
    let to = Destination::Place(row);
    draft.copy(Source::Small(0), to);
    let re = draft.subtract(terms.even[0], terms.turned[0], Wish::Accumulator);
    draft.push(Operation::copy(Source::Place(re.place), to).when(Cond::ZS));
    draft.give_back(re.place);
    row
}

fn register(place: Place) -> crate::generate::Reg {
    match place {
        Place::Register(File::A, number) => ra(number),
        Place::Register(File::B, number) => rb(number),
        _ => unreachable!("what is kept is kept in registers"),
    }
}
