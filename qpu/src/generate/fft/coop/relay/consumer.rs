//! Consumers: vectors of all units into registers, early ones first, and the first layer of the
//! transform as late ones come in. The rest is as in pipelines
//! ([`crate::generate::fft::coop::roles`]).

use super::lists::part;
use crate::fft::words::{PartWord, Units, Word};
use crate::generate::fft::dft16::{Butterfly, butterfly_of, file_of};
use crate::generate::fft::draft::{Complex, Draft, Wish, positive};
use crate::generate::schedule::{Destination, Source};
use crate::isa::File;

/// Points of each kind: a vector has two of each.
const POINTS: usize = 8;

/// Real and imaginary parts, in the order in which they are in the VPM.
fn in_order() -> impl Iterator<Item = (usize, usize)> {
    (0..2).flat_map(|component| (0..POINTS).map(move |n| (component, n)))
}

/// Vectors of early units.
pub struct Early {
    /// Vectors of the next round.
    next: [Complex; POINTS],
    /// Vectors of the round behind it.
    then: [Complex; POINTS],
}

impl Early {
    /// Takes their registers. Beside what a round takes there are these: exactly.
    pub fn new(draft: &mut Draft<Word>) -> Self {
        let next =
            std::array::from_fn(|n| [(); 2].map(|()| positive(draft.take(Wish::File(file_of(n))))));
        let mut files = [[File::A; 6].as_slice(), &[File::B; 10]]
            .concat()
            .into_iter();
        let mut then = || positive(draft.take(Wish::File(files.next().expect("one for each"))));
        let then = [(); POINTS].map(|()| [then(), then()]);
        Self { next, then }
    }

    fn read_into(draft: &mut Draft<Word>, units: Units, points: &[Complex; POINTS]) {
        let setup = Source::Uniform(part(PartWord::ReadSetup(units)));
        draft.copy(setup, Destination::ReadSetup);
        for (component, n) in in_order() {
            let to = Destination::Place(points[n][component].place);
            draft.copy(Source::Vpm, to);
        }
    }

    /// Reads those of the round behind the next.
    pub fn read(&self, draft: &mut Draft<Word>) {
        Self::read_into(draft, Units::Early, &self.then);
    }

    /// The round behind it is the next.
    pub fn go_on(&self, draft: &mut Draft<Word>) {
        for (to, from) in self.next.iter().flatten().zip(self.then.iter().flatten()) {
            draft.copy(Source::Place(from.place), Destination::Place(to.place));
        }
    }

    /// Reads late vectors.
    pub fn read_late(draft: &mut Draft<Word>) -> [Complex; POINTS] {
        let late = std::array::from_fn(|n| {
            [(); 2].map(|()| positive(draft.take(Wish::File(file_of(n + 8)))))
        });
        Self::read_into(draft, Units::Late, &late);
        late
    }

    /// Sums and differences of n and n + 8.
    pub fn butterflies(
        &self,
        draft: &mut Draft<Word>,
        late: &[Complex; POINTS],
    ) -> [Butterfly; POINTS] {
        std::array::from_fn(|n| butterfly_of(draft, n, [late[n], self.next[n]]))
    }
}
