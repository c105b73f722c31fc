//! Sizes that the memory layout of passes gives; those of the machine are in [`qpu::machine`].

/// Bytes of an interleaved complex point.
pub const POINT_BYTES: u32 = 8;
/// Points of the codelet: one in each of 16 registers, for each lane.
pub const CODELET_POINTS: u32 = 16;
/// Points of a unit, which are in registers at the same time.
pub const UNIT_POINTS: u32 = 256;
/// Bins of a cell.
pub const OCTET: u32 = 8;
/// Bytes of a cell: a line of the caches.
pub const CELL_BYTES: u32 = 64;
/// Cells of a block.
pub const BLOCK_CELLS: u32 = 32;
