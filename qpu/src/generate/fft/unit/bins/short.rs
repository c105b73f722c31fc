//! Splits of few bins: see [`crate::fft::bins`].

use super::super::independent::Independent;
use super::super::{Generated, Word};
use super::half::{self, Terms, Turns};
use super::split::interleaved;
use crate::fft::bins::{Bins, Record, Stream};
use crate::fft::program::{Start, Task};
use crate::generate::fft::draft::{Draft, Wish, positive};
use crate::generate::schedule::{Destination, Operation, Place, Source};
use crate::isa::{AddOp, Cond, MulOp};

/// Log2 of the bytes of a bin.
const BIN: i32 = 3;

/// The program.
pub fn program(bins: Bins) -> Generated {
    let mut program = Independent::new(Task::Bins(bins));
    let up = program.points(BIN);
    let down = program.draft.take(Wish::AnyFile);
    let sources = [Source::Small(0), Source::Place(up)];
    let to = Destination::Place(down);
    program.draft.add_op(AddOp::Sub, sources, to);
    let [scale, of_odd] = [0, 1].map(|component| Start::Scale { component });
    let scale = program.start(scale, Wish::AnyFile);
    tell_odd_lanes(&mut program.draft);
    let of_odd = Source::Uniform(Word::Start(of_odd));
    let of_odd = Operation::copy(of_odd, Destination::Place(scale));
    program.draft.push(of_odd.when(Cond::ZC));

    program.begin_unit();
    let draft = &mut program.draft;
    let wrapped = wrapped(draft, down);
    let mut written = Vec::new();
    let mut last = None;
    for (run, group) in half::order(bins) {
        let fetch = |draft: &mut Draft<Word>, tmu, stream, component| {
            let lanes = match (stream, run) {
                (Stream::Points, _) | (Stream::Turns, 0) => up,
                (Stream::Mirrored, 0) if group == 0 => wrapped,
                _ => down,
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

    program.begin_rows();
    let draft = &mut program.draft;
    let factor = draft.take(Wish::Accumulator);
    draft.copy(Source::Place(scale), Destination::Place(factor));
    for row in written.chain(last) {
        let sources = [row, factor].map(Source::Place);
        draft.push(Operation::mul(MulOp::Fmul, sources, Destination::Vpm));
    }
    (0..bins.stores()).for_each(|index| program.store(index));
    program.finish()
}

fn record(word: Record) -> Word {
    Word::record(word)
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
