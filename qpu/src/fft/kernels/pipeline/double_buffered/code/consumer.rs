//! Consumers: vectors of all units into registers, early ones first, and the first layer of the
//! transform as late ones come in. The rest is as in pipelines
//! ([`crate::fft::kernels::pipeline::roles`]).

use super::lists::part;
use crate::fft::kernels::pipeline::uniforms::{PartWord, Units, Word};
use crate::generate::codelet::op_list::{Complex, OpList, Wish, positive};
use crate::generate::codelet::radix16::{Butterfly, butterfly_of, file_of};
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
    pub fn new(ops: &mut OpList<Word>) -> Self {
        let next =
            std::array::from_fn(|n| [(); 2].map(|()| positive(ops.take(Wish::File(file_of(n))))));
        let mut files = [[File::A; 6].as_slice(), &[File::B; 10]]
            .concat()
            .into_iter();
        let mut then = || positive(ops.take(Wish::File(files.next().expect("one for each"))));
        let then = [(); POINTS].map(|()| [then(), then()]);
        Self { next, then }
    }

    fn read_into(ops: &mut OpList<Word>, units: Units, points: &[Complex; POINTS]) {
        ops.copy(
            Source::Uniform(part(PartWord::ReadSetup(units))),
            Destination::ReadSetup,
        );
        for (component, n) in in_order() {
            ops.copy(Source::Vpm, points[n][component].place);
        }
    }

    /// Reads those of the round behind the next.
    pub fn read(&self, ops: &mut OpList<Word>) {
        Self::read_into(ops, Units::Early, &self.then);
    }

    /// The round behind it is the next.
    pub fn go_on(&self, ops: &mut OpList<Word>) {
        for (to, from) in self.next.iter().flatten().zip(self.then.iter().flatten()) {
            ops.copy(from.place, to.place);
        }
    }

    /// Reads late vectors.
    pub fn read_late(ops: &mut OpList<Word>) -> [Complex; POINTS] {
        let late = std::array::from_fn(|n| {
            [(); 2].map(|()| positive(ops.take(Wish::File(file_of(n + 8)))))
        });
        Self::read_into(ops, Units::Late, &late);
        late
    }

    /// Sums and differences of n and n + 8.
    pub fn butterflies(
        &self,
        ops: &mut OpList<Word>,
        late: &[Complex; POINTS],
    ) -> [Butterfly; POINTS] {
        std::array::from_fn(|n| butterfly_of(ops, n, [late[n], self.next[n]]))
    }
}
