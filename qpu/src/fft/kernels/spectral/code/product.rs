//! Products of spectra, bin by bin.
//!
//! Even lanes have eight bins of a group of sixteen, odd lanes the eight that follow, as in
//! [`super::real_split`].

use super::half::row;
use super::real_split::interleaved;
use crate::fft::kernels::program::{Lanes, Task};
use crate::fft::kernels::spectral::{Bins, Record, Row, Stream};
use crate::fft::kernels::unit_loop::{Shape, Source, Stores, UnitProgram, Written};
use crate::generate::codelet::op_list::{Value, Wish, positive};
use crate::generate::schedule::Place;
use crate::vpm::Block;

/// The program.
pub fn program() -> Written {
    let bins = Bins::Product;
    let shape = Shape {
        write: Block::row(0),
        stores: Stores::Listed(bins.stores()),
    };
    let mut program = UnitProgram::new(Task::Bins(bins), &shape, super::name);
    let input = program.lanes(Lanes::Input);
    let scale = program.lanes(Lanes::Scale);
    program.begin_unit();
    let [points, kernels] = [Stream::Points, Stream::Kernels].map(|stream| {
        let word = Record::Address { run: 0, stream };
        program.base(word, input)
    });
    program.rows();
    program.ops.set_lane_flags(1);
    let rows: Vec<Place> = (0..bins.groups())
        .flat_map(|group| product(&mut program, [points, kernels], group))
        .collect();
    program.written(rows, Some([scale; 2]))
}

/// Both rows of a group of products. The spectra are looked up on a TMU each.
fn product(program: &mut UnitProgram, [points, kernels]: [Place; 2], group: u8) -> [Place; 2] {
    let word = |stream, component| {
        row(Row::Group {
            run: 0,
            stream,
            group,
            component,
        })
    };
    let [x_re, x_im] = [0, 1].map(|component| {
        let word = word(Stream::Points, component);
        let fetched = program.ops.lookup_sum(0, points, word);
        let place = program.ops.load(fetched, Wish::AnyFile);
        positive(place)
    });
    let times = |program: &mut UnitProgram, component, wish: Wish| -> [Value; 2] {
        let word = word(Stream::Kernels, component);
        let fetched = Source::Place(program.ops.lookup_sum(1, kernels, word));
        [x_re, x_im].map(|x| program.ops.multiply(x, fetched, wish))
    };
    let [re_re, im_re] = times(program, 0, Wish::AnyFile);
    let [re_im, im_im] = times(program, 1, Wish::Accumulator);
    let ops = &mut program.ops;
    ops.give_back_complex([x_re, x_im]);
    let re = ops.subtract(re_re, im_im, Wish::Accumulator);
    ops.give_back_complex([re_re, im_im]);
    let im = ops.add(im_re, re_im, Wish::Accumulator);
    ops.give_back_complex([im_re, re_im]);
    interleaved(&mut program.ops, [re, im])
}
