//! Contexts: what the values of a pass's uniforms are made from, and those that are the same for every kernel.

use super::layout::Layout;
use super::program::{Lanes, Record, Start, Tail};
use crate::vpm::Block;

/// Where the buffers of a pass begin, as V3D sees them.
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
    /// The vectors that its row lists name: [`Layout::vector_bytes`].
    pub vectors: u32,
}

/// A unit, and the program that does it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UnitContext {
    /// Which unit.
    pub index: u32,
    /// The unit that the program does next; the last one has itself.
    pub next: u32,
    /// Transforms of the pass.
    pub batch: u32,
    /// Which program of its launch. Those with an odd number have the upper half of the VPM.
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
    /// Which program of its launch, in the order in which they are started.
    pub program: u32,
    /// The number by which it knows itself ([`super::pairs`]).
    pub number: u32,
    /// Programs of the launch.
    pub programs: u32,
    /// Address of its records.
    pub records: u32,
    /// How many they are.
    pub units: u32,
    /// Which unit is the first.
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
    /// Factors of real and imaginary parts of the output.
    pub scale: [f32; 2],
    /// Whether the pass is the first of its launch.
    pub opens: bool,
    /// Number of the pass in its launch.
    pub gate: u32,
    /// Addresses of the code and of this program's start list of the pass that follows in the launch.
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

    /// Its first unit.
    const fn first(&self) -> UnitContext {
        UnitContext {
            index: self.first_unit,
            next: self.first_unit,
            batch: self.batch,
            program: self.program,
        }
    }

    /// A word of the start list of a pass.
    #[must_use]
    pub fn start(&self, layout: &dyn Layout, buffers: &Buffers, word: Start) -> u32 {
        match word {
            Start::Lanes(lanes) => self.lanes[lanes.index()],
            Start::Records => self.records,
            Start::Units => self.units,
            Start::Area => self.program % 2,
            Start::StoreStride => layout.store_stride(),
            Start::WriteSetup => {
                let rows = Block::row(layout.own_row(self.program));
                rows.write_setup().unwrap_or(0)
            }
            Start::Conjugate => self.conjugate.to_bits(),
            Start::Scale { component } => {
                let scale = self.scale[usize::from(component)];
                layout.factor(scale).to_bits()
            }
            Start::Opens => (self.opens && self.program == 0).into(),
            Start::Code => self.code,
            Start::Number => self.number,
            Start::Sharer { bit } => (1.0 - 2.0 * (self.number >> bit & 1) as f32).to_bits(),
            Start::Record(word) => self.first().record(layout, buffers, word),
            Start::Row(id) => layout.row(buffers, layout.row_list(self.first_unit), id),
            Start::Kernel(id) => layout.start(buffers, self, id),
        }
    }
}

impl UnitContext {
    /// A word of the unit's record in a pass.
    #[must_use]
    pub fn record(&self, layout: &dyn Layout, buffers: &Buffers, word: Record) -> u32 {
        match word {
            Record::Rows => buffers.rows + layout.row_list(self.index) * buffers.row_pitch,
            Record::Scalars => {
                buffers.scalars + layout.scalar_list(self.index) * buffers.scalar_pitch
            }
            Record::Store { index } => layout.store(buffers, self, index),
            Record::StoreSetup { index } => layout.store_rows(self, index).setup().unwrap_or(0),
            Record::Kernel(id) => layout.record(buffers, self, id),
        }
    }
}
