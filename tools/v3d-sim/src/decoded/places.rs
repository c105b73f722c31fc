//! Sources of operands and destinations of results.

use crate::qpu::state::{self, Index};
use qpu::isa::{File, Raddr, Waddr, waddr};

/// The source behind a port of the register files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Port {
    /// Nothing that an operand takes.
    Idle,
    /// A register of the file.
    Register(Index),
    /// The element number, the number of the QPU, or a small immediate.
    Constant(Index),
    /// Left-overs of the last read: address 39, and an operand takes it.
    LeftOver,
    /// An I/O address.
    Unit(Raddr),
}

impl Port {
    /// The place of the register or constant, or `other`.
    pub(super) const fn place_or(self, other: Index) -> Index {
        match self {
            Self::Register(index) | Self::Constant(index) => index,
            _ => other,
        }
    }
}

/// Destination of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Destination {
    /// Nowhere: the operation is none, or address 39.
    Nowhere,
    /// A register of file A or B.
    Register(Index),
    /// r0..r3.
    Accumulator(Index),
    /// r5, from element 0 of each quad.
    R5Quads,
    /// r5, from element 0.
    R5,
    /// An I/O address, in the space of a file.
    Unit(File, Waddr),
}

impl Destination {
    pub(super) fn of(address: Waddr, file: File) -> Self {
        if let Some(number) = address.register() {
            return Self::Register(state::of_file(file, number));
        }
        match (address, file, address.accumulator()) {
            (waddr::NOP, ..) => Self::Nowhere,
            (waddr::ACC5, File::A, _) => Self::R5Quads,
            (waddr::ACC5, File::B, _) => Self::R5,
            (_, _, Some(number)) => Self::Accumulator(state::accumulator(number)),
            _ => Self::Unit(file, address),
        }
    }

    /// True if it is a register of file A, where pm = 0 packs.
    #[must_use]
    pub const fn is_file_a(self) -> bool {
        matches!(self, Self::Register(index) if index < state::FILE_B)
    }

    pub(super) const fn is_unit(self) -> bool {
        matches!(self, Self::Unit(..))
    }

    /// A bit for each register of files A (low half) and B, and one for each of r0..r5.
    #[must_use]
    pub const fn bits(self) -> (u64, u8) {
        match self {
            Self::Register(index) => (1 << index, 0),
            Self::Accumulator(index) => (0, 1 << (index - state::accumulator(0))),
            Self::R5 | Self::R5Quads => (0, 1 << 5),
            Self::Nowhere | Self::Unit(..) => (0, 0),
        }
    }
}
