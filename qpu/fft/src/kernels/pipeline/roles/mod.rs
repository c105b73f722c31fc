//! The parts that all pipelines have in common: producers that hand vectors on, consumers
//! that take them.
//!
//! How vectors are handed on is each one's own ([`super::code`], [`super::double_buffered::code`]).

pub mod consumer;

use super::uniforms::Word;
use crate::codelet::op_list::{Complex, OpList, Wish};
use crate::codelet::radix16::Constants;
use crate::kernels::one_pass::lookups::{ADDRESSES, tmu};
use qpu::generate::schedule::{self, Destination, Place, Source};
use qpu::generate::{Builder, Label, NONE, R0, UNIF};
use qpu::isa::{AddOp, BranchCond, Cond, File, MulOp, SemaphoreAction};

pub type Operation = schedule::Operation<Word>;
pub type Assembly<'a> = crate::kernels::one_pass::program::Assembly<'a, Word>;
pub type Pieces = crate::kernels::one_pass::program::Pieces<Word>;

/// Outputs of the transform of 16 points that a producer multiplies and exchanges at a time.
pub const HALF: usize = 8;
/// The factor of real parts of a producer's input: an operand that needs no read port.
pub const FACTOR_RE: Place = Place::R5;
/// Semaphores that lock the halves of output.
pub const HALVES: [u8; 2] = [3, 4];

/// Begins an op list with its constants and with what both roles keep, in these files: transforms
/// or rounds that are left, and how far on the present one is. The former are counted down beside a
/// small immediate, which is read through file B's port.
pub fn begin(mut ops: OpList<Word>, files: [File; 2]) -> (OpList<Word>, Constants, [Place; 2]) {
    // The constants are the first registers.
    let constants = Constants::from_uniforms(
        &mut ops,
        [2, 6, 4].map(|sixteenths| Word::Cosine { sixteenths }),
    );
    let kept = files.map(|file| ops.take(Wish::File(file)));
    (ops, constants, kept)
}

/// The addresses of a producer's first rows: so many columns follow each other in memory, rows are
/// 256 bytes apart.
pub fn first_addresses(ops: &mut OpList<Word>, columns: u32, input: Word, offset: Place) {
    let [within, row] = [(); 2].map(|()| ops.take(Wish::Accumulator));
    ops.add_op(AddOp::And, Source::Lane, columns as i32 - 1, within);
    ops.add_op(AddOp::Xor, Source::Lane, within, row);
    ops.add_op(AddOp::Shl, within, 3, within);
    ops.add_op(AddOp::Shl, row, 8 - columns.ilog2() as i32, row);
    ops.add_op(AddOp::Add, within, Source::Uniform(input), within);
    ops.add_op(AddOp::Add, row, offset, row);
    ops.add_op(AddOp::Add, within, row, ADDRESSES);
    ops.give_back(within);
    ops.give_back(row);
}

/// Asks for both parts of the points at [`ADDRESSES`], as lookup `number`.
pub fn ask_point(ops: &mut OpList<Word>, number: usize) {
    let tmu = Destination::Tmu(tmu(number));
    ops.copy(ADDRESSES, tmu);
    // Points lie at multiples of 8: no carry crosses a byte, so either ALU can add.
    let (op, mul_op) = (AddOp::Add, MulOp::V8adds);
    ops.push(Operation::either(op, mul_op, ADDRESSES, 4, tmu));
}

/// The upper of the two bits of a lane's number that flags tell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Bits 3 and 2.
    Rows = 3,
    /// Bits 2 and 1.
    Columns = 2,
}

/// C is bit `stage` of a lane's number, N the bit below.
pub fn set_stage_flags(ops: &mut OpList<Word>, stage: Stage) {
    // Shifts are modulo 32: bit `stage` comes out last.
    let shift = Source::Small(-(stage as i32));
    ops.set_flags(AddOp::Shl, Source::Lane, shift);
}

/// Bit 0 of `pair` changes places with bit `bit` of the lanes, one of the two that flags tell: [x,
/// y] becomes x and y of lanes without the bit, and x and y of those with it.
pub fn exchange(ops: &mut OpList<Word>, pair: [Complex; 2], bit: u8, stage: Stage) {
    let (set, clear) = if bit == stage as u8 {
        (Cond::CS, Cond::CC)
    } else {
        (Cond::NS, Cond::NC)
    };
    let distance = 1 << bit;
    for component in 0..2 {
        let pair = pair.map(|z| z[component].place);
        // What is rotated has to be in an accumulator.
        let [x, y] = pair.map(|place| ops.load(place, Wish::Accumulator));
        ops.merge_rotated(y, distance, set, pair[0]);
        ops.merge_rotated(x, 16 - distance, clear, pair[1]);
        ops.give_back(x);
        ops.give_back(y);
    }
}

/// Writes to the VPM, when they may be made by `gate`; then the next producer may write, and, when
/// they are in the VPM, `written` tells consumers. `drain` is a setup that reads one of the
/// vectors.
pub fn write_in_order(
    ops: &mut OpList<Word>,
    [gate, written]: [u8; 2],
    drain: Source<Word>,
    write: impl FnOnce(&mut OpList<Word>),
) {
    ops.push(Operation::semaphore(SemaphoreAction::Decrement, gate));
    write(ops);
    ops.push(Operation::semaphore(SemaphoreAction::Increment, gate));
    // Reading any vector waits until the writes are in the VPM (HW-2497).
    ops.copy(drain, Destination::ReadSetup);
    ops.copy(Source::Vpm, Destination::Nothing);
    ops.push(Operation::semaphore(SemaphoreAction::Increment, written));
}

/// The beginning of a consumer. Consumer 0, whose next uniform is not 0, makes what is `made` at
/// the start: locks, and what lets the first go on.
pub fn open(b: &mut Builder, made: &[u8]) {
    let others = b.label("others");
    b.mov(NONE, UNIF).setf();
    b.brr(BranchCond::AllZS, others);
    b.nops(3);
    for &number in made {
        b.srel(number);
    }
    b.bind(others);
}

/// The end of a consumer, which has in r0 a number, or -1 if it is a follower. Consumer 0 takes
/// back what `first` does and, when all `others` have counted `ended`, what it `made`.
pub fn close(
    b: &mut Builder,
    follower: Label,
    (ended, others): (u8, usize),
    made: &[u8],
    first: impl FnOnce(&mut Builder),
) {
    b.mov(NONE, R0).setf();
    b.brr(BranchCond::AllNS, follower);
    b.nops(3);
    first(b);
    for _ in 0..others {
        b.sacq(ended);
    }
    for &number in made {
        b.sacq(number);
    }
    b.end();
    b.bind(follower);
    b.srel(ended);
    b.end();
}
