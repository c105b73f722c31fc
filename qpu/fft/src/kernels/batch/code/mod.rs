//! Programs that are alone with their transforms, of 2^8 points.
//!
//! A program is two halves: one with columns ([`first`]), and one with rows, which leads to
//! interleaved rows and stores. Both call one transform of 16 points, so that it fits the
//! instruction cache of a slice. Its points are in fixed registers, point n in file A or B as its
//! butterfly wants it, and outputs come in fixed registers, real parts in file B and imaginary
//! parts in file A.
//!
//! Semaphores 0 and 1 are locks of the two halves of the VPM (1: free), 2 counts programs that have
//! ended. All are 0 at rest: the program that made the locks takes them back when all others have
//! ended.

mod first;

use super::Batch;
use super::layout::Word;
use crate::codelet::op_list::{Complex, OpList, Wish, positive};
use crate::codelet::radix16::{Constants, Outputs, butterfly_of, dft16, file_of};
use crate::codelet::register;
use crate::kernels::generated::Generated;
use crate::kernels::one_pass::lookups::ADDRESSES;
use crate::kernels::one_pass::program::{ASKED, Assembly, Phase, Tried, named};
use crate::kernels::one_pass::rows::{CONJUGATE, pair};
use first::First;
use qpu::generate::schedule::{Destination, Place, Source};
use qpu::generate::{Builder, NONE, R0, Reg, UNIF, ra};
use qpu::isa::{AddOp, BranchCond, File};

type Pieces = crate::kernels::one_pass::program::Pieces<Word>;

/// Pieces that are scheduled apart: what is done once, up to the first call of the transform, up to
/// reads of the VPM, to the second call, to interleaved rows, the transform, and the output.
const HEAD: Phase = "head";
const LOAD: Phase = "load";
const FIRST: Phase = "first";
const READ: Phase = "read";
const SECOND: Phase = "second";
const TRANSFORM: Phase = "transform";
const OUTPUT: Phase = "output";
const PHASES: [Phase; 7] = [HEAD, LOAD, FIRST, READ, SECOND, TRANSFORM, OUTPUT];

/// Register of file A that holds where the transform goes back to; an even one.
const LINK: u8 = 16;

/// The lock of the half of the VPM through which rows and columns are exchanged.
const EXCHANGE_LOCK: u8 = 0;
/// The lock of the half through which output goes.
const OUTPUT_LOCK: u8 = 1;
const LOCKS: [u8; 2] = [EXCHANGE_LOCK, OUTPUT_LOCK];
const ENDED: u8 = 2;

pub fn build() -> Pieces {
    let mut ops = OpList::new(ADDRESSES);
    // The constants are the first registers.
    let constants = Constants::from_uniforms(
        &mut ops,
        [2, 6, 4].map(|sixteenths| Word::Cosine { sixteenths }),
    );
    let load_constants = ops.cut();
    ops.reserve(Place::Register(File::A, LINK));

    // Counted down and compared beside small immediates, which are read through file B's port.
    let [count, offset, opens] = [(); 3].map(|()| ops.take(Wish::File(File::A)));
    for (word, place) in [(Word::Transforms, count), (Word::Opens, opens)] {
        ops.copy(Source::Uniform(word), place);
    }
    ops.copy(0, offset);
    let mut pieces = vec![ops.cut()];
    let first = First::new(&mut ops, offset);
    first.ask(&mut ops);
    for operation in load_constants {
        ops.push(operation);
    }
    ops.copy(Source::Uniform(Word::Conjugate), CONJUGATE);
    let points =
        core::array::from_fn(|n| [0; 2].map(|_| positive(ops.take(Wish::File(file_of(n))))));
    first.load(&mut ops, points);
    pieces.push(ops.cut());

    let outputs = transform(&mut ops, &constants, points);
    let routine = ops.cut();
    let mut after_transform = ops.clone();
    first.finish(&mut ops, outputs);
    pieces.push(ops.cut());
    load_rows(&mut ops, points);
    pieces.push(ops.cut());
    after_transform.give_back(ADDRESSES);
    for output in outputs {
        pair(&mut after_transform, output);
    }
    pieces.push(after_transform.cut());
    write(&mut after_transform, outputs, offset);
    pieces.extend([routine, after_transform.cut()]);
    Pieces {
        pieces: named(&PHASES, pieces),
        count,
        offset,
        opens,
    }
}

/// The transform, which gives its points back.
fn transform(
    ops: &mut OpList<Word>,
    constants: &Constants,
    points: [Complex; 16],
) -> [Complex; 16] {
    let mut outputs = Outputs::new(ops);
    dft16(&mut outputs, constants, |outputs, n| {
        butterfly_of(outputs.ops, n, [points[n], points[n + 8]])
    });
    outputs.all()
}

/// Rows of the VPM into the registers of points. Even lanes have Z from here on.
fn load_rows(ops: &mut OpList<Word>, points: [Complex; 16]) {
    for component in 0..2 {
        let setup = Word::ReadSetup {
            component: component as u8,
        };
        ops.copy(Source::Uniform(setup), Destination::ReadSetup);
        for point in &points {
            ops.copy(Source::Vpm, point[component].place);
        }
    }
    ops.set_lane_flags(1);
}

/// Writes interleaved outputs to the VPM and to memory, in order, up to the end of the stores.
fn write(ops: &mut OpList<Word>, outputs: [Complex; 16], offset: Place) {
    let setup = |ops: &mut OpList<Word>, word| {
        ops.copy(Source::Uniform(word), Destination::WriteSetup);
    };
    setup(ops, Word::StoreStride);
    setup(ops, Word::OutputSetup { group: 0 });
    for (k, output) in outputs.iter().enumerate() {
        for part in output {
            ops.copy(part.place, Destination::Vpm);
        }
        if k % 8 == 7 {
            let index = (k / 8) as u8;
            setup(ops, Word::StoreSetup { index });
            let address = Source::Uniform(Word::Store { index });
            ops.add_op(AddOp::Add, offset, address, Destination::StoreAddress);
        }
    }
    ops.copy(Source::StoreWait, Destination::Nothing);
}

pub fn program(tried: Tried<'_>) -> Generated {
    let built = build();
    let mut all = Assembly::new(&Batch, &built, tried);
    all.piece(HEAD, None);
    assert_eq!(all.uniforms.len() as u32, Batch::HEAD);
    let again = all.b.here("transform");
    let [done, transform] = ["done", "dft16"].map(|name| all.b.label(name));
    let call = |b: &mut Builder| {
        b.brr(BranchCond::Always, transform).link(ra(LINK));
    };
    // The locks are made while the TMUs are waited for.
    let opens = register(built.opens);
    all.piece_around(LOAD, (ASKED, |b| open(b, opens)), Some(&call));
    all.b.sacq(EXCHANGE_LOCK);
    all.piece(FIRST, None);
    all.piece(READ, None);
    call(&mut all.b);
    all.b.srel(EXCHANGE_LOCK);
    all.b.nops(2);
    all.piece(SECOND, None);
    all.b.sacq(OUTPUT_LOCK);
    all.piece(OUTPUT, None);
    all.b.srel(OUTPUT_LOCK);
    all.count(BranchCond::AllZS, done);
    all.b.mov(R0, UNIF);
    all.uniforms.push(Word::Peers);
    all.again(again, [Word::Step, Word::List]);
    all.b.bind(done);
    close(&mut all.b);
    all.b.bind(transform);
    let back = |b: &mut Builder| {
        b.bra(BranchCond::Always, ra(LINK));
    };
    all.piece(TRANSFORM, Some(&back));
    all.finish()
}

/// Makes the locks once, if `opens` is not 0; then it is.
fn open(b: &mut Builder, opens: Reg) {
    let others = b.label("others");
    b.mov(NONE, opens).setf();
    b.brr(BranchCond::AllZS, others);
    b.nop();
    b.mov(opens, 0);
    b.nop();
    for lock in LOCKS {
        b.srel(lock);
    }
    b.bind(others);
}

/// The end of the program, with the number of others in r0.
fn close(b: &mut Builder) {
    let [follower, closed] = ["follower", "closed"].map(|name| b.label(name));
    b.mov(NONE, R0).setf();
    b.brr(BranchCond::AllNS, follower);
    b.nops(3);
    let collect = b.here("collect");
    b.sub(R0, R0, 1).setf();
    b.brr(BranchCond::AllNS, closed);
    b.nops(3);
    b.brr(BranchCond::Always, collect);
    b.sacq(ENDED);
    b.nops(2);
    b.bind(closed);
    for lock in LOCKS {
        b.sacq(lock);
    }
    b.end();
    b.bind(follower);
    b.srel(ENDED);
    b.end();
}
