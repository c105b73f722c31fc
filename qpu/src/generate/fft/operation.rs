//! One operation of a codelet, before it has a place in an instruction.

use crate::fft::Uniform;
use crate::isa::{AddOp, Cond, File, MulOp};

/// Where a value stays.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// A register of a file, 0 to 31.
    Register(File, u8),
    /// Accumulator r0 to r3.
    Accumulator(u8),
    /// What the TMU delivered last.
    R4,
}

/// Where an operand comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A value.
    Place(Place),
    /// The next uniform, which then is this one. Both operands may be it; it is read once.
    Uniform(Uniform),
    /// The number of the lane.
    Lane,
    /// A constant of the instruction, -16 to 15.
    Small(i32),
    /// Waits for the mutex.
    MutexAcquire,
    /// Waits for this QPU's store.
    StoreWait,
}

/// Where a result goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Destination {
    /// Nowhere.
    Nothing,
    /// A register.
    Place(Place),
    /// Starts a lookup on TMU 0 or 1.
    Tmu(u8),
    /// Next vector of the VPM write setup.
    Vpm,
    /// Setup of VPM writes and of stores.
    WriteSetup,
    /// Starts a store.
    StoreAddress,
    /// Gives the mutex back.
    MutexRelease,
}

/// What does the operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// The add ALU.
    Add(AddOp),
    /// The mul ALU.
    Mul(MulOp),
    /// Whichever is free; both operations give the same.
    Either(AddOp, MulOp),
    /// A whole instruction: load immediate, to one or two destinations.
    Immediate(u32),
    /// The signal that fetches a lookup of TMU 0 or 1 into r4.
    Fetch(u8),
}

/// An operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation {
    /// What does it.
    pub unit: Unit,
    /// Operands; a unary operation has its operand twice.
    pub sources: [Source; 2],
    /// Results; the second only of a load immediate.
    pub destinations: [Destination; 2],
    /// Lanes in which the result is written.
    pub cond: Cond,
    /// Whether flags are set from the result.
    pub sets_flags: bool,
    /// Lanes by which the result of the mul ALU moves up; 0 for none.
    pub rotation: u8,
    /// Whether everything before it must have been issued.
    pub is_barrier: bool,
}

impl Operation {
    /// The value sources.
    pub fn reads(&self) -> impl Iterator<Item = Place> + '_ {
        self.sources.iter().filter_map(|source| match source {
            Source::Place(place) => Some(*place),
            _ => None,
        })
    }

    /// The value destinations.
    pub fn writes(&self) -> impl Iterator<Item = Place> + '_ {
        let fetched = matches!(self.unit, Unit::Fetch(_)).then_some(Place::R4);
        let places = self
            .destinations
            .iter()
            .filter_map(|destination| match destination {
                Destination::Place(place) => Some(*place),
                _ => None,
            });
        places.chain(fetched)
    }

    /// The uniform it reads.
    pub fn uniform(&self) -> Option<Uniform> {
        self.sources.iter().find_map(|source| match source {
            Source::Uniform(uniform) => Some(*uniform),
            _ => None,
        })
    }

    /// Whether it must keep its order among accesses to VPM, store DMA and mutex.
    pub fn is_store_access(&self) -> bool {
        self.sources
            .iter()
            .any(|s| matches!(s, Source::MutexAcquire | Source::StoreWait))
            || self.destinations.iter().any(|d| {
                use Destination::{MutexRelease, StoreAddress, Vpm, WriteSetup};
                matches!(d, Vpm | WriteSetup | StoreAddress | MutexRelease)
            })
    }

    /// The TMU it sends a lookup to.
    pub fn request(&self) -> Option<u8> {
        match self.destinations[0] {
            Destination::Tmu(tmu) => Some(tmu),
            _ => None,
        }
    }

    /// Whether it is one of the accesses of which an instruction can hold only one.
    pub fn is_exclusive_access(&self) -> bool {
        matches!(self.unit, Unit::Fetch(_))
            || self.request().is_some()
            || self.sources.contains(&Source::MutexAcquire)
    }
}
