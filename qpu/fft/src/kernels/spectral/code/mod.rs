//! Programs over bins: real spectra from transforms of half the length and back, products, and
//! [`power`]; [`crate::kernels::spectral`] says what they compute.

mod half;
mod power;
mod removed;
pub mod short_split;

use self::half::{Half, Roots};
use super::{Bins, Record, Row, Start, Stream};
use crate::codelet::op_list::{Complex, OpList, Value, Wish, positive};
use crate::kernels::program::{Lanes, Task};
use crate::kernels::uniform::{Pack, UniformId};
use crate::kernels::unit_loop::{List, Source, Stores, UnitProgram, Word, Written};
use qpu::generate::schedule::Place;
use qpu::isa::Cond;
use qpu::vpm::Block;

/// The operations to schedule of a program of a kind, where that has a unit loop around it.
pub fn written(bins: Bins) -> Option<Written> {
    let stores = Stores::Listed(bins.stores());
    let program = UnitProgram::new(Task::Bins(bins), Block::row(0), &stores, name);
    match bins {
        Bins::Split => Some(split(program)),
        Bins::ShortSplit { .. } => None,
        Bins::Product => Some(products(program)),
        Bins::Power { .. } => Some(power::written(program, bins)),
    }
}

/// The names of uniforms, for listings.
fn name(list: List, id: UniformId) -> String {
    match list {
        List::Start => format!("Bins({:?})", Start::of(id)),
        List::Record => format!("Bins({:?})", Record::of(id)),
        List::Row => format!("Bins({:?})", Row::of(id)),
        List::Scalar => unreachable!("there are no such uniforms"),
    }
}

/// Real spectra from transforms of half the length, or back.
fn split(mut program: UnitProgram) -> Written {
    let lanes = [Lanes::Input, Lanes::Mirrored].map(|lanes| program.lanes(lanes));
    let scale = program.lanes(Lanes::Scale);
    program.begin_unit();
    let half = Half::begin_unit(&mut program, lanes);
    program.rows();
    program.ops.set_lane_flags(1);
    let mut rows = [[None; 8]; 2];
    for (run, group) in half::order(Bins::Split) {
        let x = half.group(&mut program, run, group, Roots::Looked);
        let interleaved = interleaved(&mut program.ops, x);
        rows[usize::from(run)][usize::from(group)] = Some(interleaved);
    }
    let rows = rows.into_iter().flatten().flatten().flatten();
    program.written(rows.collect(), Some([scale; 2]))
}

/// Both rows of a group: even lanes have eight of its bins, odd lanes the eight that follow. The
/// first row is of the bins of even lanes, real parts in even lanes, imaginary in odd ones. Gives
/// back x, which is in accumulators.
pub fn interleaved(ops: &mut OpList<Word>, x: Complex) -> [Place; 2] {
    let [re, im] = x.map(|part| part.place);
    let rows = [re, im].map(|part| ops.load(part, Wish::AnyFile));
    ops.merge_rotated(im, 1, Cond::ZC, rows[0]);
    ops.merge_rotated(re, 15, Cond::ZS, rows[1]);
    ops.give_back_complex(x);
    rows
}

/// Products of spectra, bin by bin.
fn products(mut program: UnitProgram) -> Written {
    let input = program.lanes(Lanes::Input);
    let scale = program.lanes(Lanes::Scale);
    program.begin_unit();
    let spectra = [Stream::Points, Stream::Kernels].map(|stream| {
        let word = Record::Address { run: 0, stream };
        program.base(word, input)
    });
    program.rows();
    program.ops.set_lane_flags(1);
    let groups = 0..Bins::Product.groups();
    let rows = groups.flat_map(|group| product(&mut program.ops, spectra, group));
    let rows = rows.collect();
    program.written(rows, Some([scale; 2]))
}

/// Both rows of a group of products. The spectra are looked up on a TMU each.
fn product(ops: &mut OpList<Word>, [points, kernels]: [Place; 2], group: u8) -> [Place; 2] {
    let word = |stream, component| Word::row(Row::group(0, stream, group, component));
    let x = [0, 1].map(|component| {
        let fetched = ops.lookup_sum(0, points, word(Stream::Points, component));
        positive(ops.load(fetched, Wish::AnyFile))
    });
    let mut times = |component, wish: Wish| -> [Value; 2] {
        let fetched = ops.lookup_sum(1, kernels, word(Stream::Kernels, component));
        x.map(|x| ops.multiply(x, Source::Place(fetched), wish))
    };
    let [re_re, im_re] = times(0, Wish::AnyFile);
    let [re_im, im_im] = times(1, Wish::Accumulator);
    ops.give_back_complex(x);
    let re = ops.subtract(re_re, im_im, Wish::Accumulator);
    ops.give_back_complex([re_re, im_im]);
    let im = ops.add(im_re, re_im, Wish::Accumulator);
    ops.give_back_complex([im_re, re_im]);
    interleaved(ops, [re, im])
}
