//! The first two layers of a transform of cells, once in the program and done four times: a routine.
//!
//! Column n2 are points m = 4 n1 + n2: looked up, folded and turned as [`Cells`] says, transformed by radix 4 over
//! n1 and turned by W16^(n2 k1). What differs from column to column is in the row list. What a column gives is
//! copied to where it stays, but for the last one's.
//!
//! Lookups are asked for [`AHEAD`] early: a column begins with those on their way, and ends with those of the next.

use super::Word;
use super::cells::Cells;
use super::frame::Source;
use crate::fft::program::Row;
use crate::generate::fft::dft16::{file_of, radix4_of};
use crate::generate::fft::draft::{Complex, Wish, positive};
use crate::generate::schedule::{Destination, Operation, Place};
use crate::isa::{AddOp, File};
use core::array::from_fn;

/// Lookups that both TMUs hold.
pub const AHEAD: usize = 8;
/// Number of the routine.
const COLUMN: usize = 0;
/// n1 in the order in which points are read: partners of the first layer next to each other.
const ORDER: [u8; 4] = [0, 2, 1, 3];

/// A lookup of a component: addresses of lanes, and the word that is added.
#[derive(Clone, Copy)]
pub struct Lookup {
    pub lanes: Place,
    pub word: Word,
}

const fn tmu_of(lookup: usize) -> u8 {
    (lookup / 2 % 2) as u8
}

impl Cells {
    /// The columns of a transform of cells in several parts, as [`dft16_of_columns`] takes them. Behind them, the
    /// lookups `behind` are on their way; those of both components of a vector go to the same TMU, of the first
    /// vector to TMU 0.
    ///
    /// [`dft16_of_columns`]: crate::generate::fft::dft16::dft16_of_columns
    pub fn columns(&mut self, behind: Option<[Lookup; AHEAD]>) -> [[Complex; 4]; 4] {
        self.codelet.frame.has_routines();
        let first = self.lookups(0);
        // What the end of a column asks for is not always of cells.
        let draft = &mut self.codelet.frame.draft;
        let lanes = behind.map_or(self.input, |_| draft.take(Wish::AnyFile));
        let to_lanes = Destination::Place(lanes);
        if behind.is_some() {
            draft.copy(Source::Place(self.input), to_lanes);
        }
        self.ask_all(&first[..AHEAD]);
        let draft = &mut self.codelet.frame.draft;
        let stay: [[Complex; 4]; 3] = from_fn(|n2| {
            from_fn(|k1| {
                let wish = Wish::File(file_of(4 * n2 + k1));
                [0, 1].map(|_| positive(draft.take(wish)))
            })
        });
        let free = draft.clone();
        let mut last = None;
        for n2 in 0..4_u8 {
            let mut lookups = self.lookups(n2);
            let mut next = match (n2, behind) {
                (..3, _) => self.lookups(n2 + 1),
                (_, Some(behind)) => behind.to_vec(),
                // Dropped.
                (_, None) => vec![lookups[0]; AHEAD],
            };
            next.truncate(AHEAD);
            let frame = &mut self.codelet.frame;
            if let (3, Some([Lookup { lanes, .. }, ..])) = (n2, behind) {
                frame.draft.copy(Source::Place(lanes), to_lanes);
            }
            frame.piece(None);
            frame.draft.restore_free(&free);
            lookups.extend(next.into_iter().map(|lookup| Lookup { lanes, ..lookup }));
            let column = self.column(n2, &lookups);
            assert!(
                column.as_flattened().iter().all(|value| !value.negative),
                "copies have their sign"
            );
            self.codelet.frame.call(COLUMN);
            let draft = &mut self.codelet.frame.draft;
            for (from, to) in column
                .iter()
                .zip(stay.get(usize::from(n2)).into_iter().flatten())
            {
                for (from, to) in from.iter().zip(to) {
                    draft.copy(Source::Place(from.place), Destination::Place(to.place));
                }
            }
            last = Some(column);
        }
        let draft = &mut self.codelet.frame.draft;
        draft.give_back(self.input);
        if behind.is_some() {
            draft.give_back(lanes);
        }
        self.codelet.vectors = 0;
        self.codelet.asked = AHEAD as u8;
        if behind.is_none() {
            self.codelet.drop_asked();
        }
        let last = last.expect("four columns");
        from_fn(|k1| from_fn(|n2| stay.get(n2).map_or(last[k1], |stay| stay[k1])))
    }

    /// Of a column, in order.
    fn lookups(&self, n2: u8) -> Vec<Lookup> {
        let vectors = ORDER.iter().flat_map(|n1| {
            let point = 4 * n1 + n2;
            (0..self.parts).map(move |block| 16 * block + point)
        });
        let both = vectors
            .flat_map(|vector| [0, 1].map(|component| Word::Row(Row::Input { vector, component })));
        let lanes = self.input;
        both.map(|word| Lookup { lanes, word }).collect()
    }

    fn ask_all(&mut self, lookups: &[Lookup]) {
        for (number, &Lookup { lanes, word }) in lookups.iter().enumerate() {
            let sources = [Source::Place(lanes), Source::Uniform(word)];
            let to = Destination::Tmu(tmu_of(number));
            self.codelet.frame.draft.add_op(AddOp::Add, sources, to);
        }
    }

    /// A column. The first [`AHEAD`] of the lookups are on their way, the last are those that it asks for only.
    fn column(&mut self, n2: u8, lookups: &[Lookup]) -> [Complex; 4] {
        let mut number = 0;
        // Asked for in program order when as many are fetched: so the scheduler sees how many are on their way.
        let mut fetch = |cells: &mut Self| {
            if number > 0 && number % AHEAD == 0 {
                cells.ask_all(&lookups[number..number + AHEAD]);
            }
            let fetch = Operation::fetch(tmu_of(number));
            cells.codelet.frame.draft.push(fetch);
            number += 1;
            positive(Place::R4)
        };
        let [even, odd] = [0, 1].map(|pair| {
            let files = [File::A, File::B];
            let [x, y] = [0, 1].map(|which| {
                let point = 4 * ORDER[2 * pair + which] + n2;
                self.folded(point, Wish::File(files[which]), &mut fetch)
            });
            let wish = Wish::File(files[pair]);
            let draft = &mut self.codelet.frame.draft;
            let sum = [0, 1].map(|c| draft.add(x[c], y[c], wish));
            let difference = [0, 1].map(|c| draft.subtract(x[c], y[c], wish));
            draft.give_back_complex(x);
            draft.give_back_complex(y);
            [sum, difference]
        });
        self.ask_all(&lookups[lookups.len() - AHEAD..]);
        let stays = [0, 1, 2, 3].map(|k1| Wish::File(file_of(12 + k1)));
        let draft = &mut self.codelet.frame.draft;
        let [wish, ..] = stays;
        let wishes = [wish, Wish::AnyFile, Wish::AnyFile, Wish::AnyFile];
        let outputs = radix4_of(draft, [even, odd], wishes);
        from_fn(|k1| {
            if k1 == 0 {
                return outputs[0];
            }
            let [cos, sin] = [0, 1].map(|component| {
                let output = k1 as u8;
                let word = Row::Column {
                    column: n2,
                    output,
                    component,
                };
                [Source::Uniform(Word::Row(word)); 2]
            });
            draft.turn(outputs[k1], cos, sin, stays[k1])
        })
    }
}
