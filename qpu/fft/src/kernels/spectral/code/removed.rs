//! The amount that is taken from bins before their powers are made, where a constant is to be
//! removed: so many times bin 0.
//!
//! Near bin 0 that is in registers: for the first group, and of complex bins for the last, which
//! ends with bin -1. Programs that take it from every bin look it up, group by group.

use crate::codelet::op_list::{Value, Wish, positive};
use crate::kernels::spectral::{Bins, PowerWay, Record, Row, Stream};
use crate::kernels::unit_loop::{Source, UnitProgram, Word};
use qpu::generate::schedule::Place;
use qpu::isa::File;

/// The number of times that bin 0 is taken from others.
pub enum Removed {
    /// Vectors for the first group, and of complex bins for the last.
    Near(Vec<Place>),
    /// Addresses of those for each run's groups.
    Everywhere(Vec<Place>),
}

impl Removed {
    /// Addresses of what is looked up for the runs of a unit, where it is; `vectors` holds 4 ·
    /// lane.
    pub fn addresses(program: &mut UnitProgram, bins: Bins, vectors: Place) -> Vec<Place> {
        let stream = Stream::Multiples;
        let runs = (0..bins.runs()).filter(|_| bins.is_way(PowerWay::Everywhere));
        let addresses = runs.map(|run| program.base(Record::Address { run, stream }, vectors));
        addresses.collect()
    }

    /// With those addresses, or where there are none, what is `near`. Gives the other back.
    pub fn new(program: &mut UnitProgram, addresses: Vec<Place>, near: &[Place]) -> Self {
        if addresses.is_empty() {
            return Self::Near(near.to_vec());
        }
        // These vectors are 0 then.
        near.iter().for_each(|&place| program.ops.give_back(place));
        Self::Everywhere(addresses)
    }

    /// Its registers.
    pub fn places(&self) -> &[Place] {
        let (Self::Near(places) | Self::Everywhere(places)) = self;
        places
    }

    /// The number of times that bin 0 is taken from the bins of a group, where it is at all.
    pub fn of_group(
        &self,
        program: &mut UnitProgram,
        bins: Bins,
        run: u8,
        group: u8,
    ) -> Option<Place> {
        match self {
            Self::Near(near) => {
                let is_last = group == bins.groups() - 1;
                match near[..] {
                    [first, ..] if run == 0 && group == 0 => Some(first),
                    [_, last] if is_last => Some(last),
                    _ => None,
                }
            }
            Self::Everywhere(addresses) => {
                let address = addresses[usize::from(run)];
                let word = Word::row(Row::group(run, Stream::Multiples, group, 0));
                let ops = &mut program.ops;
                let fetched = ops.lookup_sum((run + group) % 2, address, word);
                // Bin 0 is in file A.
                Some(ops.load(fetched, Wish::File(File::B)))
            }
        }
    }

    /// Gives back what was taken for [`Removed::of_group`].
    pub fn give_back(&self, program: &mut UnitProgram, of_group: Place) {
        if let Self::Everywhere(_) = self {
            program.ops.give_back(of_group);
        }
    }
}

/// The amount that is taken from a part of a group's bins: so many times that of bin 0.
pub fn multiple(program: &mut UnitProgram, of_group: Place, zero: Place) -> Value {
    let times = Source::Place(of_group);
    program
        .ops
        .multiply(positive(zero), times, Wish::Accumulator)
}
