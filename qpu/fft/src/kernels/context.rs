//! Contexts: what the values of uniforms are made from.

use super::program::{Lanes, Tail};

/// Addresses of the buffers of a pass, as V3D sees them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Buffers {
    /// The caller's input, or the cells of the pass before.
    pub from: u32,
    /// The caller's output, or the cells of this pass.
    pub to: u32,
    /// Its table of twiddles.
    pub table: u32,
    /// Its factors of samples.
    pub factors: u32,
    /// Its row lists.
    pub rows: u32,
    /// Bytes from one of them to the next.
    pub row_pitch: u32,
    /// Its scalar lists.
    pub scalars: u32,
    /// Bytes from one of them to the next.
    pub scalar_pitch: u32,
    /// The vectors that its row lists name: [`vector_bytes`](super::layout::Layout::vector_bytes).
    pub vectors: u32,
}

/// A unit, and the program that does it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UnitContext {
    /// Number of the unit.
    pub index: u32,
    /// The unit that the program does next; the last one has itself.
    pub next: u32,
    /// Transforms of the pass.
    pub batch: u32,
    /// Number of the program in its launch. Programs with an odd number have the upper half of the
    /// VPM.
    pub program: u32,
}

impl UnitContext {
    /// The half of the VPM that the program stores through: 0 or 1.
    #[must_use]
    pub const fn area(&self) -> u32 {
        self.program % 2
    }
}

/// A program of a pass.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ProgramContext {
    /// Number of the program in its launch, in the order in which programs are started.
    pub program: u32,
    /// The number by which it knows itself ([`super::unit::pairs`]).
    pub number: u32,
    /// Programs of the launch.
    pub programs: u32,
    /// Address of its records.
    pub records: u32,
    /// Number of its units.
    pub units: u32,
    /// Number of its first unit.
    pub first_unit: u32,
    /// Transforms of the pass.
    pub batch: u32,
    /// Address of its start list.
    pub start: u32,
    /// Addresses of its lane vectors, by [`Lanes::index`].
    pub lanes: [u32; Lanes::ALL.len()],
    /// Address of its code.
    pub code: u32,
    /// -1 for the inverse, else 1.
    pub conjugate: f32,
    /// Factors of real and imaginary parts of the output: the same or each other's negative.
    pub scale: [f32; 2],
    /// Number of the pass in its launch: 0 for the first.
    pub gate: u32,
    /// Addresses of the code and of this program's start list of the pass that follows in the
    /// launch.
    pub next: Option<[u32; 2]>,
}

impl ProgramContext {
    /// A word of the tail.
    #[must_use]
    pub fn tail(&self, word: Tail) -> u32 {
        match word {
            Tail::Peers if self.program == 0 => self.programs - 1,
            Tail::Peers => u32::MAX,
            Tail::Gate => self.gate % 2,
            Tail::NextCode => self.next.map_or(0, |[code, _]| code),
            // Read, and not used, where nothing follows.
            Tail::NextStart => self.next.map_or(self.records, |[_, start]| start),
        }
    }

    /// Factor of the imaginary parts of the output beside the factor of the real ones: 1, or -1 for
    /// the inverse.
    #[must_use]
    pub fn output_conjugate(&self) -> f32 {
        1f32.copysign(self.scale[0] * self.scale[1])
    }
}
