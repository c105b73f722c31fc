//! Performance counters, and the simulator's own statistics.
//!
//! Sources 0..29 as in qpu.md 6.3 (G table 82). The functional model counts 13, 14, 16, 17 and 20
//! to 24; caches beyond the instruction and uniform lines, and what only timing can tell, stay 0.

use std::collections::BTreeMap;

/// Number of performance counter sources.
pub const SOURCES: usize = 30;

/// Work of one of the two VPM DMA engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DmaWork {
    /// Transfers.
    pub commands: u64,
    /// Bytes read from or written to memory.
    pub bytes: u64,
}

/// What V3D has done since reset.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Instructions executed by each QPU.
    pub instructions: [u64; 12],
    /// Clocks for which each QPU was stalled, by cause ([`crate::Wait::cause`]).
    pub stall: [BTreeMap<&'static str, u64>; 12],
    /// The thirty performance counter sources by id, counted since reset whatever PCTRE says.
    pub counters: [u64; SOURCES],
    /// TMU lookups (vectors of 16 lanes).
    pub tmu_requests: u64,
    /// DMA loads.
    pub vdr: DmaWork,
    /// DMA stores.
    pub vdw: DmaWork,
    /// Host interrupts raised.
    pub host_interrupts: u64,
}
