//! Consumers: vectors of all units into registers, early ones first, and the first layer of the
//! transform as late ones come in. The rest is as in pipelines
//! ([`crate::kernels::pipeline::roles`]).

use super::lists::part;
use crate::codelet::op_list::{Complex, OpList, Wish, positive};
use crate::codelet::radix16::{Butterfly, butterfly_of, file_of};
use crate::kernels::pipeline::uniforms::{PartWord, Units, Word};
use qpu::generate::schedule::{Destination, Source};
use qpu::isa::File;

/// Points of each kind: a vector has two of each.
const POINTS: usize = 8;

/// Registers of points in these files.
fn points(ops: &mut OpList<Word>, file: impl Fn(usize) -> File) -> [Complex; POINTS] {
    std::array::from_fn(|n| [(); 2].map(|()| positive(ops.take(Wish::File(file(n))))))
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
        let next = points(ops, file_of);
        let then = points(ops, |n| if n < 3 { File::A } else { File::B });
        Self { next, then }
    }

    fn read_into(ops: &mut OpList<Word>, units: Units, points: &[Complex; POINTS]) {
        let setup = Source::Uniform(part(PartWord::ReadSetup(units)));
        ops.copy(setup, Destination::ReadSetup);
        for component in 0..2 {
            for point in points {
                ops.copy(Source::Vpm, point[component].place);
            }
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
        let late = points(ops, |n| file_of(n + 8));
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
