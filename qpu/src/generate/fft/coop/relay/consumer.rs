//! Consumers: vectors of all units into registers, and the first layer of the transform as they come in. The rest is as
//! in pipelines ([`crate::generate::fft::coop::roles`]).

use crate::fft::coop::Word;
use crate::generate::fft::coop::roles::consumer::Consumer;
use crate::generate::fft::dft16::{Butterfly, file_of};
use crate::generate::fft::draft::{Complex, Draft, Wish, positive};
use crate::generate::schedule::{Destination, Operation, Place, Source};
use crate::isa::AddOp;

/// Points.
const POINTS: usize = 16;
/// Points whose lookups are on their way: what the TMUs hold.
const AHEAD: usize = 4;

/// Bytes by which lanes look further on.
pub fn lanes(draft: &mut Draft<Word>, to: Place) {
    let sources = [Source::Lane, Source::Small(2)];
    draft.add_op(AddOp::Shl, sources, Destination::Place(to));
}

/// Addresses of the next lookup: an accumulator needs no read port.
pub const ADDRESSES: Place = Place::Accumulator(3);

/// The lookups of a round.
#[derive(Clone, Copy)]
pub struct Lookups {
    /// From a vector to the next.
    pub step: Place,
}

impl Lookups {
    const fn tmu(point: usize) -> u8 {
        (point % 2) as u8
    }

    fn ask(self, draft: &mut Draft<Word>, point: usize) {
        for _ in 0..2 {
            let tmu = Destination::Tmu(Self::tmu(point));
            draft.copy(Source::Place(ADDRESSES), tmu);
            let sources = [ADDRESSES, self.step].map(Source::Place);
            draft.add_op(AddOp::Add, sources, Destination::Place(ADDRESSES));
        }
    }

    /// Points, into sums and differences of n and n + 8.
    pub fn read(self, consumer: &mut Consumer) -> [Butterfly; 8] {
        let draft = &mut *consumer.draft;
        for point in 0..AHEAD {
            self.ask(draft, point);
        }
        let mut points: Vec<Complex> = Vec::new();
        let mut butterflies = Vec::new();
        for number in 0..POINTS {
            let (n, is_second) = (number % 8, number >= 8);
            let place = |draft: &mut Draft<Word>, n| positive(draft.take(Wish::File(file_of(n))));
            let mut butterfly = [[positive(Place::R4); 2]; 2];
            for component in 0..2 {
                draft.push(Operation::fetch(Self::tmu(number)));
                let fetched = positive(Place::R4);
                if is_second {
                    let x = points[n][component];
                    let wish = |n| Wish::File(file_of(n));
                    butterfly[0][component] = draft.add(x, fetched, wish(n));
                    butterfly[1][component] = draft.subtract(x, fetched, wish(n + 8));
                    draft.give_back(x.place);
                } else {
                    let point = place(draft, n);
                    let to = Destination::Place(point.place);
                    draft.copy(Source::Place(Place::R4), to);
                    butterfly[0][component] = point;
                }
            }
            if is_second {
                butterflies.push(butterfly);
            } else {
                points.push(butterfly[0]);
            }
            if number + AHEAD < POINTS {
                self.ask(draft, number + AHEAD);
            }
        }
        draft.give_back(ADDRESSES);
        consumer.tell_lanes();
        std::array::from_fn(|n| butterflies[n])
    }
}
