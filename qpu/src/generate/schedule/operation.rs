//! One operation of a program, before it has a place in an instruction.

use crate::isa::{AddOp, Cond, File, MulOp, SemaphoreAction, Unpack};

/// A place where a value stays.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// A register of a file, 0 to 31.
    Register(File, u8),
    /// Accumulator r0 to r3.
    Accumulator(u8),
    /// r4: the value that the TMU delivered last.
    R4,
    /// r5. A write goes to the four lanes of each quad, from its first.
    R5,
}

/// The origin of an operand. `U` is what the caller calls its uniforms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source<U> {
    /// A value.
    Place(Place),
    /// The next uniform, which then is this one. Both operands may be it; it is read once.
    Uniform(U),
    /// The number of the lane.
    Lane,
    /// A constant of the instruction, -16 to 15.
    Small(i32),
    /// Waits for the mutex.
    MutexAcquire,
    /// Waits for this QPU's store.
    StoreWait,
    /// The next vector of the VPM read setup.
    Vpm,
}

impl<U> Source<U> {
    /// This origin, with another name for its uniform.
    pub fn map_uniform<V>(self, rename: impl FnOnce(U) -> V) -> Source<V> {
        match self {
            Self::Uniform(uniform) => Source::Uniform(rename(uniform)),
            Self::Place(place) => Source::Place(place),
            Self::Lane => Source::Lane,
            Self::Small(number) => Source::Small(number),
            Self::MutexAcquire => Source::MutexAcquire,
            Self::StoreWait => Source::StoreWait,
            Self::Vpm => Source::Vpm,
        }
    }
}

impl<U> From<Place> for Source<U> {
    fn from(place: Place) -> Self {
        Self::Place(place)
    }
}

/// A constant of the instruction.
impl<U> From<i32> for Source<U> {
    fn from(constant: i32) -> Self {
        Self::Small(constant)
    }
}

/// The destination of a result.
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
    /// Setup of VPM reads; all vectors of the one before must have been read.
    ReadSetup,
    /// Setup of VPM writes and of stores.
    WriteSetup,
    /// Starts a store.
    StoreAddress,
    /// Gives the mutex back.
    MutexRelease,
    /// Asks the SFU for the binary logarithm of the magnitude, which comes into r4.
    Log2,
    /// The address from which the next uniform is read. Uniforms before and after keep to their
    /// side of it.
    UniformsAddress,
}

impl From<Place> for Destination {
    fn from(place: Place) -> Self {
        Self::Place(place)
    }
}

/// The unit that does the operation.
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
    /// A whole instruction: counts a semaphore up or down.
    Semaphore(SemaphoreAction, u8),
    /// The signal that fetches a lookup of TMU 0 or 1 into r4.
    Fetch(u8),
}

/// An operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation<U> {
    /// The unit that does it.
    pub unit: Unit,
    /// Operands; a unary operation has its operand twice.
    pub sources: [Source<U>; 2],
    /// Results; the second only of a load immediate.
    pub destinations: [Destination; 2],
    /// Lanes in which the result is written.
    pub cond: Cond,
    /// True: flags are set from the result.
    pub sets_flags: bool,
    /// Lanes by which the result of the mul ALU moves up; 0 for none.
    pub rotation: u8,
    /// The way in which its operands, registers of file A, are widened.
    pub unpack: Unpack,
    /// True: everything before it must have been issued.
    pub is_barrier: bool,
}

impl<U> Operation<U> {
    /// This operation, with other names for its uniforms.
    pub fn map_uniforms<V>(self, mut rename: impl FnMut(U) -> V) -> Operation<V> {
        Operation {
            unit: self.unit,
            sources: self.sources.map(|source| source.map_uniform(&mut rename)),
            destinations: self.destinations,
            cond: self.cond,
            sets_flags: self.sets_flags,
            rotation: self.rotation,
            unpack: self.unpack,
            is_barrier: self.is_barrier,
        }
    }
}

impl<U: Copy + PartialEq> Operation<U> {
    /// Does nothing yet.
    const fn plain(unit: Unit, sources: [Source<U>; 2], destination: Destination) -> Self {
        Self {
            unit,
            sources,
            destinations: [destination, Destination::Nothing],
            cond: Cond::Always,
            sets_flags: false,
            rotation: 0,
            unpack: Unpack::None,
            is_barrier: false,
        }
    }

    /// An operation without operands and destination.
    const fn alone(unit: Unit) -> Self {
        let none = Source::Place(Place::Accumulator(0));
        Self::plain(unit, [none, none], Destination::Nothing)
    }

    /// An operation of the add ALU; a unary one takes its operand twice.
    #[must_use]
    pub fn add(
        op: AddOp,
        first: impl Into<Source<U>>,
        second: impl Into<Source<U>>,
        to: impl Into<Destination>,
    ) -> Self {
        Self::plain(Unit::Add(op), [first.into(), second.into()], to.into())
    }

    /// An operation of the mul ALU.
    #[must_use]
    pub fn mul(
        op: MulOp,
        first: impl Into<Source<U>>,
        second: impl Into<Source<U>>,
        to: impl Into<Destination>,
    ) -> Self {
        Self::plain(Unit::Mul(op), [first.into(), second.into()], to.into())
    }

    /// An operation of either ALU: `add` and `mul` must give the same.
    #[must_use]
    pub fn either(
        add: AddOp,
        mul: MulOp,
        first: impl Into<Source<U>>,
        second: impl Into<Source<U>>,
        to: impl Into<Destination>,
    ) -> Self {
        let unit = Unit::Either(add, mul);
        Self::plain(unit, [first.into(), second.into()], to.into())
    }

    /// A copy, by either ALU.
    #[must_use]
    pub fn copy(from: impl Into<Source<U>>, to: impl Into<Destination>) -> Self {
        let from = from.into();
        Self::either(AddOp::Or, MulOp::V8min, from, from, to)
    }

    /// A constant to one or two destinations, which must be of different files.
    #[must_use]
    pub const fn immediate(value: u32, destinations: [Destination; 2]) -> Self {
        Self {
            destinations,
            ..Self::alone(Unit::Immediate(value))
        }
    }

    /// Counts a semaphore up or down; waits while it cannot.
    #[must_use]
    pub const fn semaphore(action: SemaphoreAction, number: u8) -> Self {
        Self::alone(Unit::Semaphore(action, number))
    }

    /// Fetches the oldest lookup of TMU 0 or 1 into r4.
    #[must_use]
    pub const fn fetch(tmu: u8) -> Self {
        Self::alone(Unit::Fetch(tmu))
    }

    /// This operation, only in the lanes where `cond` holds.
    #[must_use]
    pub const fn when(self, cond: Cond) -> Self {
        Self { cond, ..self }
    }

    /// This operation, setting flags from the result.
    #[must_use]
    pub const fn setting_flags(self) -> Self {
        Self {
            sets_flags: true,
            ..self
        }
    }

    /// This operation with the operands of the mul ALU moved up by `lanes`, 1 to 15.
    #[must_use]
    pub const fn rotated(self, lanes: u8) -> Self {
        Self {
            rotation: lanes,
            ..self
        }
    }

    /// This operation with its operands widened, which must be registers of file A.
    #[must_use]
    pub const fn unpacking(self, unpack: Unpack) -> Self {
        Self { unpack, ..self }
    }

    /// This operation, behind everything that was written before it.
    #[must_use]
    pub const fn after_all(self) -> Self {
        Self {
            is_barrier: true,
            ..self
        }
    }

    /// The value sources.
    pub(super) fn reads(&self) -> impl Iterator<Item = Place> + '_ {
        self.sources.iter().filter_map(|source| match source {
            Source::Place(place) => Some(*place),
            _ => None,
        })
    }

    /// The value destinations.
    pub(super) fn writes(&self) -> impl Iterator<Item = Place> + '_ {
        let is_delivered = matches!(self.unit, Unit::Fetch(_)) || self.asks_sfu();
        let fetched = is_delivered.then_some(Place::R4);
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
    pub(super) fn uniform(&self) -> Option<U> {
        self.sources.iter().find_map(|source| match source {
            Source::Uniform(uniform) => Some(*uniform),
            _ => None,
        })
    }

    /// True if it must keep its order among accesses to VPM, store DMA, mutex and semaphores.
    pub(super) fn is_store_access(&self) -> bool {
        matches!(self.unit, Unit::Semaphore(..))
            || self
                .sources
                .iter()
                .any(|s| matches!(s, Source::MutexAcquire | Source::StoreWait | Source::Vpm))
            || self.destinations.iter().any(|d| {
                use Destination::{MutexRelease, ReadSetup, StoreAddress, Vpm, WriteSetup};
                matches!(
                    d,
                    Vpm | ReadSetup | WriteSetup | StoreAddress | MutexRelease
                )
            })
    }

    /// The TMU it sends a lookup to.
    pub(super) fn request(&self) -> Option<u8> {
        match self.destinations[0] {
            Destination::Tmu(tmu) => Some(tmu),
            _ => None,
        }
    }

    /// True if its result goes through the SFU.
    pub(super) fn asks_sfu(&self) -> bool {
        self.destinations[0] == Destination::Log2
    }

    /// True if the uniforms after it come from elsewhere.
    pub(super) fn moves_uniforms(&self) -> bool {
        self.destinations.contains(&Destination::UniformsAddress)
    }

    /// True if it is one of the accesses of which an instruction can hold only one.
    pub(super) fn is_exclusive_access(&self) -> bool {
        matches!(self.unit, Unit::Fetch(_))
            || self.request().is_some()
            || self.asks_sfu()
            || self.sources.contains(&Source::MutexAcquire)
    }
}
