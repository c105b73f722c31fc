//! The routine for outputs of a tile: sum and difference of what came together, multiplied by their
//! twiddles.
//!
//! Each call finds what it multiplies by on its way and asks for more, as much as the TMUs hold.
//! What is asked for behind the last outputs is what the next unit begins with ([`ahead`]).

use super::exchange::KEPT;
use crate::codelet::op_list::{Complex, OpList, Wish};
use crate::kernels::unit::code::codelet::AHEAD;
use crate::kernels::unit::uniforms::Row;
use crate::kernels::unit_loop::{Source, UnitProgram, Word};
use qpu::generate::schedule::{Destination, Operation, Place};
use qpu::isa::AddOp;

/// Outputs of a call, one for each TMU.
pub const AT_A_TIME: usize = 2;

/// Two lookups for each TMU: of outputs, both components of one at the same TMU.
pub type Words = [[Word; 2]; AT_A_TIME];

/// The twiddle factors of outputs of a tile: which lookups, and what is added to their addresses.
pub type Roots = (Place, fn(usize) -> Words);

/// The output that has the vector that all outputs of a transform are multiplied by.
pub const SHARED: u8 = 16;

/// The words that are looked up for output `k` of both halves: twiddles, or what of them depends on
/// the tile.
pub fn twiddles(k: usize) -> Words {
    [0, KEPT].map(|half| [0, 1].map(|component| of_twiddle((half + k) as u8, component)))
}

/// And what depends on the column within it.
pub fn roots_of_columns(k: usize) -> Words {
    [0, KEPT].map(|half| {
        let output = (half + k) as u8;
        [0, 1].map(|component| Word::row(Row::RootOfColumn { output, component }))
    })
}

fn of_twiddle(output: u8, component: u8) -> Word {
    Word::row(Row::Twiddle { output, component })
}

/// The lookups that a unit finds on their way where it begins: the twiddle factor that all outputs
/// of its transform share, twice, and its first vectors. Real parts are TMU 0's and imaginary parts
/// TMU 1's.
pub fn ahead() -> [Words; 2] {
    let vectors = |component| [0, 8].map(|vector| Word::row(Row::Input { vector, component }));
    let shared = [0, 1].map(|component| [of_twiddle(SHARED, component); 2]);
    [shared, [0, 1].map(vectors)]
}

/// Asks for any words at all: addresses of rows have carries.
pub fn ask_for(lanes: Place, words: Words) -> impl Iterator<Item = [Operation<Word>; 2]> {
    (0..).zip(words).map(move |(tmu, words)| {
        words.map(|word| {
            Operation::add(
                AddOp::Add,
                lanes,
                Source::Uniform(word),
                Destination::Tmu(tmu),
            )
        })
    })
}

/// The lookups that the call for output `k` asks for with twiddle factor number `root`: those of an
/// output, or number so many of [`ahead`].
fn asked(roots: &[Roots], k: usize, root: usize) -> Result<usize, usize> {
    // Outputs of each half for which the TMUs hold what they are multiplied by.
    let asked_for = AHEAD / 4 / roots.len();
    let next = k + asked_for;
    next.checked_sub(KEPT)
        .map_or(Ok(next), |behind| Err(behind + root))
}

/// Makes ready what the call for output `k` adds to what it asks for: `lanes` are those of
/// [`ahead`].
pub fn prepare(ops: &mut OpList<Word>, roots: &[Roots], k: usize, lanes: [Place; 2]) {
    for (root, &(place, _)) in roots.iter().enumerate() {
        if let Err(number) = asked(roots, k, root) {
            ops.copy(lanes[number], place);
        }
    }
}

/// The routine: multiplies output `k` of both halves by what was asked for, and asks for more.
pub fn multiply_both(
    program: &mut UnitProgram,
    both: [Complex; AT_A_TIME],
    roots: &[Roots],
    k: usize,
) {
    let ops = &mut program.ops;
    let asks = roots.iter().enumerate().map(|(root, &(lanes, words))| {
        let words = match asked(roots, k, root) {
            Ok(next) => words(next),
            Err(number) => ahead()[number],
        };
        ask_for(lanes, words).collect::<Vec<_>>()
    });
    let asks: Vec<_> = asks.collect();
    for root in 0..roots.len() {
        for (tmu, z) in (0..).zip(both) {
            let r4 = Source::Place(Place::R4);
            ops.push(Operation::fetch(tmu));
            let [re_cos, im_cos] = z.map(|part| ops.multiply(part, r4, Wish::Accumulator));
            ops.push(Operation::fetch(tmu));
            let [re_sin, im_sin] = z.map(|part| ops.multiply(part, r4, Wish::Accumulator));
            if let ([asks], 1) = (&asks[..], tmu) {
                // Not before all are fetched, which the scheduler cannot know.
                let asks = asks.iter().flatten();
                asks.for_each(|&ask| ops.push(ask.after_all()));
            }
            let [re, im] = z.map(|part| Wish::At(part.place));
            ops.add(re_cos, im_sin, re);
            ops.subtract(im_cos, re_sin, im);
            let products = [[re_cos, im_cos], [re_sin, im_sin]];
            products
                .into_iter()
                .for_each(|both| ops.give_back_complex(both));
            if root > 0 {
                let asks = asks.iter().flat_map(|asks| asks[usize::from(tmu)]);
                asks.for_each(|ask| ops.push(ask));
            }
        }
    }
}
