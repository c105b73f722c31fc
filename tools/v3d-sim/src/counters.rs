//! Performance counters, and the simulator's own statistics.
//!
//! Sources 0..29 as in the guide's table 82 and Linux. 0 to 12, 15, 18 and 19 belong to the 3D
//! pipeline and stay 0. The functional model counts 13, 14, 16, 17 and 20 to 24; misses of real
//! caches and the rest come from the cycle model.

use crate::chip::{QPUS, ROUND_CLOCKS};
use crate::event::Wait;
use std::collections::{BTreeMap, HashSet};

/// Number of performance counter sources.
pub const SOURCES: usize = 30;

/// Short names of the sources, by id (guide, table 82).
pub const SOURCE_NAMES: [&str; SOURCES] = [
    "fep-primitives-without-pixels",
    "fep-valid-primitives",
    "fep-clipped-quads",
    "fep-valid-quads",
    "tlb-quads-failing-stencil",
    "tlb-quads-failing-z-and-stencil",
    "tlb-quads-passing",
    "tlb-quads-zero-coverage",
    "tlb-quads-non-zero-coverage",
    "tlb-quads-written",
    "ptb-primitives-outside-viewport",
    "ptb-primitives-clipped",
    "pse-primitives-reversed",
    "qpu-idle-clocks",
    "qpu-vertex-or-user-clocks",
    "qpu-fragment-clocks",
    "qpu-executing-clocks",
    "qpu-tmu-stall-clocks",
    "qpu-scoreboard-stall-clocks",
    "qpu-varyings-stall-clocks",
    "icache-hits",
    "icache-misses",
    "uniform-cache-hits",
    "uniform-cache-misses",
    "tmu-quads",
    "tmu-cache-misses",
    "vdw-vpm-stall-clocks",
    "vdr-vpm-stall-clocks",
    "l2c-hits",
    "l2c-misses",
];

/// Work of one of the two VPM DMA engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DmaWork {
    /// Transfers.
    pub commands: u64,
    /// Bytes read from or written to memory.
    pub bytes: u64,
}

/// The work of V3D since reset.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Instructions executed by each QPU.
    pub instructions: [u64; QPUS],
    /// Clocks for which each QPU was stalled, by cause ([`Wait::cause`]).
    pub stall: [BTreeMap<&'static str, u64>; QPUS],
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

/// Counts of caches and of waits for the VPM. Without the cycle model there are lines of code and
/// of uniforms only, as of caches that never forget.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CacheCounts {
    /// Lines filled into instruction caches.
    pub code_lines: u64,
    /// Lines filled into uniform caches.
    pub uniform_lines: u64,
    /// Lines that TMU caches missed.
    pub tmu_misses: u64,
    /// Requests that the L2C served from its lines.
    pub l2c_hits: u64,
    /// Requests that it did not.
    pub l2c_misses: u64,
    /// Clocks for which VDW waited for the VPM.
    pub vdw_stall: u64,
    /// Clocks for which VDR waited for the VPM.
    pub vdr_stall: u64,
}

/// Lines of uniforms that are remembered before all are forgotten, so that memory stays bounded.
const MOST_UNIFORM_LINES: usize = 1 << 18;

/// Running totals, cheap to update.
#[derive(Default)]
pub struct Totals {
    /// Rounds.
    pub rounds: u64,
    /// Instructions by QPU.
    pub instructions: [u64; QPUS],
    /// Rounds in which a QPU had a program.
    pub active_rounds: u64,
    /// Rounds stalled, by QPU and number of cause.
    pub stall_rounds: [[u64; Wait::CAUSES.len()]; QPUS],
    /// Uniforms read, and the two that each program fetches ahead.
    pub uniforms: u64,
    /// Lines of uniforms that the functional model has read, by slice.
    uniform_lines_seen: HashSet<(u8, u32)>,
    /// One more than the line of the last uniform of each QPU, which its slice has seen.
    last_uniform_line: [u32; QPUS],
    /// Vectors looked up.
    pub tmu_requests: u64,
    /// DMA loads.
    pub vdr: DmaWork,
    /// DMA stores.
    pub vdw: DmaWork,
    /// Host interrupts.
    pub host_interrupts: u64,
    /// With the cycle model, as of when it last gave back control.
    pub caches: CacheCounts,
}

impl Totals {
    /// A uniform at `address` is read by a QPU.
    #[inline]
    pub fn uniform(&mut self, qpu: u8, address: u32) {
        self.uniforms += 1;
        let line = address / 64 + 1;
        if self.last_uniform_line[usize::from(qpu)] != line {
            self.uniform_line(qpu, line);
        }
    }

    fn uniform_line(&mut self, qpu: u8, line: u32) {
        if self.uniform_lines_seen.len() == MOST_UNIFORM_LINES {
            self.uniform_lines_seen.clear();
            self.last_uniform_line = [0; QPUS];
        }
        self.last_uniform_line[usize::from(qpu)] = line;
        self.caches.uniform_lines += u64::from(self.uniform_lines_seen.insert((qpu / 4, line - 1)));
    }

    /// SLCACTL.UCC: uniform caches of the slices in `mask` are empty.
    pub fn clear_uniform_lines(&mut self, mask: u32) {
        self.last_uniform_line = [0; QPUS];
        self.uniform_lines_seen
            .retain(|(slice, _)| mask & 1 << slice == 0);
    }

    /// A performance counter source.
    #[must_use]
    pub fn source(&self, id: usize) -> u64 {
        let instructions: u64 = self.instructions.iter().sum();
        let caches = &self.caches;
        match id {
            13 => (self.rounds * QPUS as u64 - self.active_rounds) * ROUND_CLOCKS,
            14 => self.active_rounds * ROUND_CLOCKS,
            16 => instructions * ROUND_CLOCKS,
            17 => {
                self.stall_rounds
                    .iter()
                    .map(|stalls| stalls[Wait::TMU_CAUSE])
                    .sum::<u64>()
                    * ROUND_CLOCKS
            }
            20 => instructions,
            21 => caches.code_lines,
            22 => self.uniforms,
            23 => caches.uniform_lines,
            24 => self.tmu_requests * 16,
            25 => caches.tmu_misses,
            26 => caches.vdw_stall,
            27 => caches.vdr_stall,
            28 => caches.l2c_hits,
            29 => caches.l2c_misses,
            _ => 0,
        }
    }

    /// All of it, for a user.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let stall = |rounds: &[u64; Wait::CAUSES.len()]| {
            let named = Wait::CAUSES.into_iter().zip(rounds);
            named
                .filter(|(_, rounds)| **rounds > 0)
                .map(|(cause, rounds)| (cause, rounds * ROUND_CLOCKS))
                .collect()
        };
        Statistics {
            instructions: self.instructions,
            stall: std::array::from_fn(|qpu| stall(&self.stall_rounds[qpu])),
            counters: std::array::from_fn(|id| self.source(id)),
            tmu_requests: self.tmu_requests,
            vdr: self.vdr,
            vdw: self.vdw,
            host_interrupts: self.host_interrupts,
        }
    }
}
