//! Real spectra from transforms of half the length, and back.

use super::super::Word;
use super::super::frame::{Frame, Shape, Source, Stores, Written};
use super::half::{self, Half, Turns};
use crate::fft::bins::Bins;
use crate::fft::program::{Lanes, Task};
use crate::generate::fft::draft::{Complex, Draft, Wish};
use crate::generate::schedule::{Destination, Place};
use crate::isa::{AddOp, Cond};
use crate::vpm::Block;

/// The program.
pub fn program() -> Written {
    let bins = Bins::Split;
    let shape = Shape {
        write: Block::row(0),
        stores: Stores::Listed(bins.stores()),
    };
    let mut frame = Frame::new(Task::Bins(bins), &shape);
    let lanes = half::lanes(&mut frame);
    let scale = frame.lanes(Lanes::Scale);
    frame.begin_unit();
    let half = Half::begin_unit(&mut frame, lanes, true);
    frame.rows();
    let sources = [Source::Lane, Source::Small(1)];
    let nothing = Destination::Nothing;
    frame
        .draft
        .add_op_setting_flags(AddOp::And, sources, nothing);
    let mut rows = [[None; 8]; 2];
    for (run, group) in half::order(bins) {
        let x = half.group(&mut frame, run, group, Turns::Looked);
        let interleaved = interleaved(&mut frame.draft, x);
        rows[usize::from(run)][usize::from(group)] = Some(interleaved);
    }
    let rows = rows.into_iter().flatten().flatten().flatten();
    frame.written(rows.collect(), Some([scale; 2]))
}

/// Both rows of a group, even lanes having the bins of the first: real parts in even lanes,
/// imaginary in odd ones. Gives back x, which is in accumulators.
pub fn interleaved(draft: &mut Draft<Word>, x: Complex) -> [Place; 2] {
    let [re, im] = x.map(|part| part.place);
    let rows = [re, im].map(|part| {
        let row = draft.take(Wish::AnyFile);
        draft.copy(Source::Place(part), Destination::Place(row));
        row
    });
    draft.merge_rotated(im, 1, Cond::ZC, rows[0]);
    draft.merge_rotated(re, 15, Cond::ZS, rows[1]);
    draft.give_back_complex(x);
    rows
}
