//! Products of spectra, bin by bin.
//!
//! Even lanes have eight bins of a group of sixteen, odd lanes the eight that follow, as in
//! [`super::split`].

use super::super::frame::{Frame, Shape, Source, Stores, Written};
use super::half::row;
use super::split::interleaved;
use crate::fft::bins::{Bins, Record, Row, Stream};
use crate::fft::program::{Lanes, Task};
use crate::generate::fft::draft::{Value, Wish, positive};
use crate::generate::schedule::{Destination, Place};
use crate::isa::AddOp;
use crate::vpm::Block;

/// The program.
pub fn program() -> Written {
    let bins = Bins::Product;
    let shape = Shape {
        write: Block::row(0),
        stores: Stores::Listed(bins.stores()),
    };
    let mut frame = Frame::new(Task::Bins(bins), &shape);
    let input = frame.lanes(Lanes::Input);
    let scale = frame.lanes(Lanes::Scale);
    frame.begin_unit();
    let [points, kernels] = [Stream::Points, Stream::Kernels].map(|stream| {
        let word = Record::Address { run: 0, stream };
        frame.base(word, input)
    });
    frame.rows();
    let sources = [Source::Lane, Source::Small(1)];
    let nothing = Destination::Nothing;
    frame
        .draft
        .add_op_setting_flags(AddOp::And, sources, nothing);
    let rows: Vec<Place> = (0..bins.groups())
        .flat_map(|group| product(&mut frame, [points, kernels], group))
        .collect();
    frame.written(rows, Some([scale; 2]))
}

/// Both rows of a group of products. The spectra are looked up on a TMU each.
fn product(frame: &mut Frame, [points, kernels]: [Place; 2], group: u8) -> [Place; 2] {
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
        let fetched = frame.draft.lookup_sum(0, points, word);
        let place = frame.draft.take(Wish::AnyFile);
        let to = Destination::Place(place);
        frame.draft.copy(Source::Place(fetched), to);
        positive(place)
    });
    let times = |frame: &mut Frame, component, wish: Wish| -> [Value; 2] {
        let word = word(Stream::Kernels, component);
        let fetched = Source::Place(frame.draft.lookup_sum(1, kernels, word));
        [x_re, x_im].map(|x| frame.draft.multiply(x, fetched, wish))
    };
    let [re_re, im_re] = times(frame, 0, Wish::AnyFile);
    let [re_im, im_im] = times(frame, 1, Wish::Accumulator);
    let draft = &mut frame.draft;
    draft.give_back_complex([x_re, x_im]);
    let re = draft.subtract(re_re, im_im, Wish::Accumulator);
    draft.give_back_complex([re_re, im_im]);
    let im = draft.add(im_re, re_im, Wish::Accumulator);
    draft.give_back_complex([im_re, re_im]);
    interleaved(&mut frame.draft, [re, im])
}
