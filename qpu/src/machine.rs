//! Sizes of the machine: lanes, lines, rows of the VPM, QPUs.
//!
//! Each has its unit in its name. Sizes are `u32`; numbers of QPUs, rows and semaphores are `u8`,
//! as sets of QPUs and setup words take them. Facts of one kind of instruction stand with it:
//! [`INSTRUCTION_BYTES`],
//! [`DELAY_SLOTS`](crate::isa::DELAY_SLOTS). Simulators have numbers of their own.
//!
//! Sources: "the guide" is Broadcom's VideoCore IV 3D Architecture Reference Guide.

use crate::isa::INSTRUCTION_BYTES;

/// Lanes of a vector: the virtual width of a QPU, which does four at a time in four clocks. Source:
/// guide, "QPU core".
pub const LANES: u32 = 16;
/// Bytes of a lane: registers hold words. Source: as for [`LANES`].
pub const LANE_BYTES: u32 = 4;
/// Bytes of a vector of words: a register, or a row of the VPM.
pub const VECTOR_BYTES: u32 = LANES * LANE_BYTES;

/// Bytes of a line of the L2C, of a TMU's cache and of an instruction cache. Source: guide, "L2
/// cache" and "texture and memory lookup unit".
pub const LINE_BYTES: u32 = 64;
/// Instructions in a line of an instruction cache.
pub const LINE_INSTRUCTIONS: u32 = LINE_BYTES / INSTRUCTION_BYTES;

/// Rows of the VPM that QPUs can reach; DMA reaches twice as many. Source: guide, "VPM and VCD":
/// setups of QPUs have six bits for a row, those of DMA seven.
pub const VPM_ROWS: u8 = 64;
/// Words in a row of the VPM. Source: as for [`VPM_ROWS`].
pub const VPM_ROW_WORDS: u8 = 16;

/// QPUs of a chip. Source: guide, "architecture overview": three slices of four.
pub const QPUS: u8 = SLICES * QPUS_PER_SLICE;
/// Slices of a chip: QPUs that share an instruction cache, a uniforms cache, an SFU and two TMUs.
/// Source: as for [`QPUS`].
pub const SLICES: u8 = 3;
/// QPUs of a slice. Source: as for [`QPUS`].
pub const QPUS_PER_SLICE: u8 = 4;
/// Semaphores, which all QPUs share. Source: guide, "semaphore instruction".
pub const SEMAPHORES: u8 = 16;

/// Results of lookups that a TMU holds for one QPU. Source: vc4asm's addendum; Broadcom's compiler
/// keeps to it.
pub const TMU_RESULTS: u8 = 4;
/// Lookups that a TMU takes from one QPU before the QPU waits. Source: guide, "texture and memory
/// lookup unit": the request FIFO.
pub const TMU_REQUESTS: u8 = 8;
