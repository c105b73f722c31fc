//! Consumers: vectors of all units into registers, those that are held from the VPM, and those that are parked by lookups,
//! and the first layer of the transform as they come in. The rest is as in pipelines
//! ([`crate::generate::fft::coop::roles`]).

use crate::fft::coop::Word;
use crate::generate::fft::coop::roles::consumer::Consumer;
use crate::generate::fft::dft16::{Butterfly, file_of};
use crate::generate::fft::draft::{Complex, Draft, Wish, positive};
use crate::generate::schedule::{Destination, Operation, Place, Source};
use crate::isa::AddOp;

/// Points of each kind: a vector has two of each.
const POINTS: usize = 8;
/// Vectors of those that are looked up: real parts, then imaginary parts.
const LOOKUPS: usize = 2 * POINTS;
/// Lookups that are on their way: what the TMUs hold.
const AHEAD: usize = 8;
/// Bytes of a vector.
const VECTOR: u32 = 64;

/// Bytes by which lanes look further on.
pub fn lanes(draft: &mut Draft<Word>, to: Place) {
    let sources = [Source::Lane, Source::Small(2)];
    draft.add_op(AddOp::Shl, sources, Destination::Place(to));
}

/// Addresses of the next lookup: an accumulator needs no read port.
pub const ADDRESSES: Place = Place::Accumulator(3);

/// The points of a round.
#[derive(Clone, Copy)]
pub struct Points {
    /// From a vector to the next.
    step: Place,
}

impl Points {
    /// Takes its register, and sets it.
    pub fn new(draft: &mut Draft<Word>) -> Self {
        let step = draft.take(Wish::AnyFile);
        draft.immediate(VECTOR, [Destination::Place(step), Destination::Nothing]);
        Self { step }
    }

    const fn tmu(lookup: usize) -> u8 {
        (lookup % 2) as u8
    }

    fn ask_one(self, draft: &mut Draft<Word>, lookup: usize) {
        let addresses = Source::Place(ADDRESSES);
        draft.copy(addresses, Destination::Tmu(Self::tmu(lookup)));
        if lookup + 1 < LOOKUPS {
            let sources = [addresses, Source::Place(self.step)];
            draft.add_op(AddOp::Add, sources, Destination::Place(ADDRESSES));
        }
    }

    /// Asks for the first points that are parked.
    pub fn ask(self, draft: &mut Draft<Word>) {
        for lookup in 0..AHEAD {
            self.ask_one(draft, lookup);
        }
    }

    /// Points that are held.
    pub fn read(self, draft: &mut Draft<Word>) -> [Complex; POINTS] {
        let setup = Word::ReadSetup { component: 0 };
        draft.copy(Source::Uniform(setup), Destination::ReadSetup);
        let mut points = [[positive(Place::R4); 2]; POINTS];
        for component in 0..2 {
            for (n, point) in points.iter_mut().enumerate() {
                point[component] = positive(draft.take(Wish::File(file_of(n))));
                draft.copy(Source::Vpm, Destination::Place(point[component].place));
            }
        }
        points
    }

    /// Those and the points that are parked, into sums and differences of n and n + 8.
    pub fn fetch(self, consumer: &mut Consumer, points: [Complex; POINTS]) -> [Butterfly; POINTS] {
        let draft = &mut *consumer.draft;
        let mut butterflies = [[[positive(Place::R4); 2]; 2]; POINTS];
        for lookup in 0..LOOKUPS {
            let (component, n) = (lookup / POINTS, lookup % POINTS);
            draft.push(Operation::fetch(Self::tmu(lookup)));
            let fetched = positive(Place::R4);
            let x = points[n][component];
            let wish = |n| Wish::File(file_of(n));
            butterflies[n][0][component] = draft.add(x, fetched, wish(n));
            butterflies[n][1][component] = draft.subtract(x, fetched, wish(n + 8));
            draft.give_back(x.place);
            if lookup + AHEAD < LOOKUPS {
                self.ask_one(draft, lookup + AHEAD);
            }
        }
        draft.give_back(ADDRESSES);
        consumer.tell_lanes();
        butterflies
    }
}
