//! The programs of the two passes.
//!
//! A program sums its rows to 16 points per lane (one row each in an undivided transform), turns
//! them by the angle of its part, transforms, and stores 16 complex vectors. All compute is over
//! when the mutex is taken, so that it is held for the 32 VPM writes and the stores only.

use super::dft16::{Butterfly, Constants, Ends, dft16, file_of};
use super::draft::{Complex, Draft, Value, Wish, positive};
use super::{Operation, Source};
use crate::fft::{Pass, Uniform};
use crate::generate::schedule::{Destination, Place};
use crate::isa::{AddOp, Cond};
use crate::vpm::{Block, Store};

/// Lane offsets are here while there are lookups: an accumulator needs no read port.
const LANE_OFFSETS: Place = Place::Accumulator(3);

/// Setup of 32 VPM writes from row 0 on: in pass 1 columns, the first 16 of rows 0..16 and the others
/// of rows 16..32; in pass 2 rows.
fn write_setup(pass: Pass) -> u32 {
    let block = match pass {
        Pass::First => Block::column(0, 0),
        Pass::Second => Block::row(0),
    };
    block.write_setup().expect("inside the VPM")
}

/// Writes the program of a pass of 16 · `parts` points, without its end.
pub fn operations(pass: Pass, parts: u8) -> Vec<Operation> {
    let mut draft = Draft::new(LANE_OFFSETS);
    let constants = Constants::load(&mut draft);
    match pass {
        Pass::First => interleaved_offsets(&mut draft),
        Pass::Second => plane_offsets(&mut draft),
    }
    let signs = signs(&mut draft, parts);
    let mut writer = Writer {
        draft,
        pass,
        parts,
        signs,
        rows: 0,
        outputs: [None; 16],
    };
    dft16(&mut writer, &constants);
    let Writer {
        mut draft, outputs, ..
    } = writer;

    draft.copy_after_all(Source::MutexAcquire, Destination::Nothing);
    draft.immediate(
        write_setup(pass),
        [Destination::WriteSetup, Destination::Nothing],
    );
    for half in 0..2 {
        for output in outputs {
            draft.copy(
                Source::Place(output.expect("transformed")[half]),
                Destination::Vpm,
            );
        }
    }
    draft.copy(
        Source::Uniform(Uniform::StoreStride),
        Destination::WriteSetup,
    );
    match pass {
        Pass::First => store(&mut draft, Store::rows(32, 0), 0),
        Pass::Second => {
            store(&mut draft, Store::rows(16, 0), 0);
            store(&mut draft, Store::rows(16, 16), 1);
        }
    }
    draft.copy(Source::Place(LANE_OFFSETS), Destination::MutexRelease);
    draft.finish()
}

/// Stores rows of the VPM and waits until they are in memory.
fn store(draft: &mut Draft<Uniform>, rows: Store, index: u8) {
    let setup = rows.setup().expect("inside the VPM");
    draft.immediate(setup, [Destination::WriteSetup, Destination::Nothing]);
    draft.copy(
        Source::Uniform(Uniform::Store { index }),
        Destination::StoreAddress,
    );
    draft.copy(Source::StoreWait, Destination::Nothing);
}

/// Lane offsets of interleaved complex rows: 8 · lane.
fn interleaved_offsets(draft: &mut Draft<Uniform>) {
    draft.add_op(
        AddOp::Shl,
        [Source::Lane, Source::Small(3)],
        Destination::Place(LANE_OFFSETS),
    );
}

/// Lane offsets of the planes (`Layout::lane_offset`), and Z in the even lanes.
fn plane_offsets(draft: &mut Draft<Uniform>) {
    let [x, y] = [0, 1].map(Place::Accumulator);
    let mut step = |op, a, b, to| draft.add_op(op, [a, b], Destination::Place(to));
    let place = Source::Place;
    // Column of the lane: lane / 2 + 8 (lane mod 2).
    step(AddOp::Shr, Source::Lane, Source::Small(1), x);
    step(AddOp::And, Source::Lane, Source::Small(1), y);
    step(AddOp::Shl, place(y), Source::Small(3), y);
    step(AddOp::Or, place(x), place(y), x);
    // 64 (column mod parts) + 4 (column / parts).
    step(AddOp::And, place(x), Source::Uniform(Uniform::LaneMask), y);
    step(AddOp::Shl, place(y), Source::Small(6), y);
    step(AddOp::Shr, place(x), Source::Uniform(Uniform::LaneShift), x);
    step(AddOp::Shl, place(x), Source::Small(2), x);
    step(AddOp::Or, place(x), place(y), LANE_OFFSETS);
    draft.add_op_setting_flags(
        AddOp::And,
        [Source::Lane, Source::Small(1)],
        Destination::Nothing,
    );
}

/// Loads the signs of blocks 1 and up.
fn signs(draft: &mut Draft<Uniform>, parts: u8) -> Vec<[Place; 2]> {
    let mut sign = |block, component| {
        let place = draft.take(Wish::AnyFile);
        let uniform = Source::Uniform(Uniform::Sign { block, component });
        draft.copy(uniform, Destination::Place(place));
        place
    };
    (1..parts)
        .map(|block| [0, 1].map(|component| sign(block, component)))
        .collect()
}

/// A program being written, between its lane offsets and its store.
struct Writer {
    draft: Draft<Uniform>,
    pass: Pass,
    parts: u8,
    /// Of blocks 1 and up, for each component.
    signs: Vec<[Place; 2]>,
    /// Rows looked up so far. They go to the TMUs in turn, both components of a row to one.
    rows: u8,
    /// The two vectors that are stored of each output.
    outputs: [Option<[Place; 2]>; 16],
}

impl Writer {
    /// Looks a vector up, into r4.
    fn fetch(&mut self, address: Uniform) -> Value {
        positive(self.draft.lookup(self.rows % 2, LANE_OFFSETS, address))
    }

    /// A row of pass points, in registers.
    fn row(&mut self, row: u8, wish: Wish) -> Complex {
        let z = [0, 1].map(|component| {
            let fetched = self.fetch(Uniform::Row { row, component });
            let place = self.draft.take(wish);
            self.draft
                .copy(Source::Place(fetched.place), Destination::Place(place));
            positive(place)
        });
        self.rows += 1;
        z
    }

    /// Point n of the 16: the rows of residue n, with signs, turned by the angle of the part.
    fn point(&mut self, n: u8) -> Complex {
        let wish = Wish::File(file_of(usize::from(n)));
        let mut sum = self.row(n, Wish::AnyFile);
        for block in 1..self.parts {
            for component in 0..2u8 {
                let row = 16 * block + n;
                let fetched = self.fetch(Uniform::Row { row, component });
                let part = usize::from(component);
                let sign = self.signs[usize::from(block) - 1][part];
                let term = self
                    .draft
                    .multiply(fetched, Source::Place(sign), Wish::Accumulator);
                // Point 0 is not turned: its last sum is the point.
                let wish = if n == 0 && block + 1 == self.parts {
                    wish
                } else {
                    Wish::AnyFile
                };
                let new = self.draft.add(sum[part], term, wish);
                self.draft.give_back(sum[part].place);
                self.draft.give_back(term.place);
                sum[part] = new;
            }
            self.rows += 1;
        }
        if n == 0 {
            return sum;
        }
        let [cos, sin] = [Uniform::PartCos { n }, Uniform::PartSin { n }].map(Source::Uniform);
        self.draft.turn(sum, [cos; 2], [sin; 2], wish)
    }

    /// An output of pass 1 times its twiddles.
    fn twiddled(&mut self, output: u8, z: Complex) -> [Place; 2] {
        let [re, im] = z;
        let factor = |writer: &mut Self, component| {
            Source::Place(writer.fetch(Uniform::Twiddle { output, component }).place)
        };
        let cos = factor(self, 0);
        let [re_cos, im_cos] = [re, im].map(|x| self.draft.multiply(x, cos, Wish::Accumulator));
        let sin = factor(self, 1);
        self.rows += 1;
        let im_sin = self.draft.multiply(im, sin, Wish::Accumulator);
        let turned_re = self.draft.add(re_cos, im_sin, Wish::AnyFile);
        self.draft.give_back_complex([re_cos, im_sin]);
        let re_sin = self.draft.multiply(re, sin, Wish::Accumulator);
        let turned_im = self.draft.subtract(im_cos, re_sin, Wish::AnyFile);
        self.draft.give_back_complex([im_cos, re_sin]);
        self.draft.give_back_complex(z);
        [turned_re.place, turned_im.place]
    }

    /// An output of pass 2 as it lies in memory: columns 0..8, and columns 8..16.
    ///
    /// Even lanes hold columns 0..8, odd lanes columns 8..16 (`Layout::lane_offset`).
    fn interleaved(&mut self, z: Complex) -> [Place; 2] {
        let draft = &mut self.draft;
        let halves = z.map(|part| {
            let place = draft.take(Wish::AnyFile);
            draft.copy(Source::Place(part.place), Destination::Place(place));
            place
        });
        draft.merge_rotated(z[1].place, 1, Cond::ZC, halves[0]);
        draft.merge_rotated(z[0].place, 15, Cond::ZS, halves[1]);
        draft.give_back_complex(z);
        halves
    }
}

impl Ends for Writer {
    type Uniform = Uniform;

    fn draft(&mut self) -> &mut Draft<Uniform> {
        &mut self.draft
    }

    fn butterfly(&mut self, n: usize) -> Butterfly {
        let wish = [n, n + 8].map(|n| Wish::File(file_of(n)));
        let x = if self.parts == 1 {
            self.row(n as u8, Wish::AnyFile)
        } else {
            self.point(n as u8)
        };
        let mut sum = x;
        let mut difference = x;
        let y = (self.parts > 1).then(|| self.point(n as u8 + 8));
        for component in 0..2 {
            // An undivided transform adds straight from r4.
            let y = match y {
                Some(y) => y[component],
                None => self.fetch(Uniform::Row {
                    row: n as u8 + 8,
                    component: component as u8,
                }),
            };
            sum[component] = self.draft.add(x[component], y, wish[0]);
            difference[component] = self.draft.subtract(x[component], y, wish[1]);
            self.draft.give_back(y.place);
        }
        self.rows += u8::from(y.is_none());
        self.draft.give_back_complex(x);
        [sum, difference]
    }

    fn wish(&self) -> Wish {
        match self.pass {
            Pass::First => Wish::AnyFile,
            // To be rotated.
            Pass::Second => Wish::Accumulator,
        }
    }

    fn output(&mut self, k: usize, y: Complex) {
        self.outputs[k] = Some(match self.pass {
            Pass::First => self.twiddled(k as u8, y),
            Pass::Second => self.interleaved(y),
        });
    }
}
