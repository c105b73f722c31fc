//! Splits of few bins: see [`crate::kernels::spectral`].

use super::half::{self, Roots, Terms};
use super::interleaved;
use crate::codelet::op_list::{OpList, Wish, positive};
use crate::kernels::generated::Generated;
use crate::kernels::program::{Start, Task};
use crate::kernels::spectral::{Bins, Record, Stream};
use crate::kernels::unit_loop::Word;
use crate::kernels::unit_loop::independent::Independent;
use qpu::generate::schedule::{Destination, Operation, Place, Source};
use qpu::isa::{AddOp, Cond, MulOp};

/// Log2 of the bytes of a bin.
const BIN: i32 = 3;

/// The program.
pub fn program(bins: Bins) -> Generated {
    let mut program = Independent::new(Task::Bins(bins), super::name);
    let up = program.points(BIN);
    let down = program.ops.take(Wish::AnyFile);
    program.ops.add_op(AddOp::Sub, 0, up, down);
    let [scale, of_odd] = [0, 1].map(|component| Start::Scale { component });
    let scale = program.start(scale, Wish::AnyFile);
    program.ops.set_lane_flags(1);
    let of_odd = Source::Uniform(Word::Start(of_odd));
    let of_odd = Operation::copy(of_odd, scale);
    program.ops.push(of_odd.when(Cond::ZC));

    program.begin_unit();
    let ops = &mut program.ops;
    // Lane 0 has Z.
    ops.push(Operation::copy(Source::Lane, Destination::Nothing).setting_flags());
    let wrapped = half::wrap(ops, down, 0);
    let mut written = Vec::new();
    let mut last = None;
    for (run, group) in half::order(bins) {
        let fetch = |ops: &mut OpList<Word>, tmu, stream, component| {
            let lanes = match (stream, run) {
                (Stream::Points, _) | (Stream::Roots, 0) => up,
                (Stream::Mirrored, 0) if group == 0 => wrapped,
                _ => down,
            };
            let word = Record::Component {
                run,
                stream,
                group,
                component,
            };
            positive(ops.lookup_sum(tmu, lanes, Word::record(word)))
        };
        let terms = Terms::new(ops, (run, group), Roots::Looked, fetch);
        if last.is_none() {
            // Flags are still those of lane 0.
            last = Some(last_bin(ops, &terms));
            ops.set_lane_flags(1);
        }
        let x = terms.bins(ops);
        written.push(((run, group), interleaved(ops, x)));
        terms.give_back(ops);
    }
    written.sort_by_key(|&(place, _)| place);
    let written = written.into_iter().flat_map(|(_, rows)| rows);

    program.begin_rows();
    let ops = &mut program.ops;
    let factor = ops.load(scale, Wish::Accumulator);
    for row in written.chain(last) {
        ops.push(Operation::mul(MulOp::Fmul, row, factor, Destination::Vpm));
    }
    (0..bins.stores()).for_each(|index| program.store(index));
    program.finish()
}

/// A row with bin M, a real number, where the terms of lane 0 are those of bin 0; behind it zeros.
fn last_bin(ops: &mut OpList<Word>, terms: &Terms) -> Place {
    let row = ops.take(Wish::AnyFile);
    let to = Destination::Place(row);
    ops.copy(0, to);
    let re = ops.subtract(terms.even[0], terms.multiplied[0], Wish::Accumulator);
    ops.push(Operation::copy(re.place, to).when(Cond::ZS));
    ops.give_back(re.place);
    row
}
