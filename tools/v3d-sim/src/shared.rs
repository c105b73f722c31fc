//! What QPUs share: VPM, DMA, semaphores, mutex, code of slices, the report.

use crate::code::CodeCache;
use crate::config::Config;
use crate::conflicts::Conflicts;
use crate::counters::{DmaWork, Totals};
use crate::dma::Engine;
use crate::dma::vdr::{self, Load};
use crate::dma::vdw::{self, Store};
use crate::event::FaultKind;
use crate::memory::Memory;
use crate::mutex::Mutex;
use crate::observe::{DmaEngine, UnitEvent, UnitLog};
use crate::report::{At, Reporter};
use crate::semaphore::Semaphores;
use crate::tmu::stale::StaleLines;
use crate::vpm::Vpm;

/// QPUs of the chip.
pub const QPUS: usize = 12;

/// Slices: groups of four QPUs with an instruction cache, a uniform cache and two TMUs.
pub const SLICES: usize = 3;

/// The units that are not part of one QPU.
pub struct Shared {
    /// Rounds since reset.
    pub now: u64,
    /// The memory of vertices and, here, of everything.
    pub vpm: Vpm,
    /// DMA into the VPM.
    pub vdr: Engine<Load>,
    /// DMA out of the VPM.
    pub vdw: Engine<Store>,
    /// Setup words of both, where all QPUs share one set.
    pub dma_setup: (vdr::Setup, vdw::Setup),
    /// The semaphores.
    pub semaphores: Semaphores,
    /// The mutex.
    pub mutex: Mutex,
    /// Instruction caches.
    pub code: [CodeCache; SLICES],
    /// Lines that TMUs may hold old copies of.
    pub stale: StaleLines,
    /// What was done.
    pub totals: Totals,
    /// What went wrong.
    pub report: Reporter,
    /// What an observer has not been told yet.
    pub log: UnitLog,
    /// A bit for each QPU whose host interrupt is latched: DBQITC.
    pub host_interrupts: u16,
    /// DBQITE: which QPUs may interrupt.
    pub interrupt_enable: u16,
    /// DBCFG bit 0: interrupts and halts by QPUs are on.
    pub debug: bool,
    /// ERRSTAT's latched bits.
    pub errors: u32,
    /// Which source is followed where sources conflict.
    pub conflicts: Conflicts,
    /// Flag unlocked use of a DMA engine by two QPUs.
    pub flag_unprotected_dma: bool,
}

/// ERRSTAT: a QPU wrote VPM rows that are not reserved.
pub const ERRSTAT_VPMEWNA: u32 = 1 << 7;

impl Shared {
    /// As after a power cycle.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        Self {
            now: 0,
            vpm: Vpm::default(),
            vdr: Engine::default(),
            vdw: Engine::default(),
            dma_setup: Default::default(),
            semaphores: Semaphores::default(),
            mutex: Mutex::default(),
            code: Default::default(),
            stale: StaleLines::default(),
            totals: Totals::default(),
            report: Reporter::new(config.strict),
            log: UnitLog::default(),
            host_interrupts: 0,
            interrupt_enable: 0,
            debug: false,
            errors: 0,
            conflicts: config.conflicts,
            flag_unprotected_dma: config.flag_unprotected_dma,
        }
    }

    /// Whether a DMA transfer or a VPM write is on its way.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.vdr.is_busy() || self.vdw.is_busy() || self.vpm.is_busy()
    }

    /// A round of everything but the QPUs. Gives the QPUs whose DMA has faulted, and why.
    pub fn advance(&mut self, memory: &mut impl Memory) -> [Option<(At, FaultKind)>; 2] {
        self.vpm.advance(self.now);
        let loaded = self.vdr.advance(self.now, &mut self.vpm, memory);
        let stored = self.vdw.advance(self.now, &mut self.vpm, memory);
        for (row, engine) in [(&loaded, DmaEngine::Load), (&stored, DmaEngine::Store)] {
            if let Some(row) = row
                && row.is_last
            {
                let qpu = row.at.qpu;
                self.log.note(|| UnitEvent::DmaDone { engine, qpu });
            }
        }
        if let Some(row) = &stored
            && row.fault.is_none()
        {
            self.stale.store(row.address, row.bytes);
        }
        let note = |work: &mut DmaWork, row: crate::dma::RowDone| {
            work.bytes += if row.fault.is_none() {
                u64::from(row.bytes)
            } else {
                0
            };
            row.fault.map(|fault| (row.at, fault))
        };
        [
            loaded.and_then(|row| note(&mut self.totals.vdr, row)),
            stored.and_then(|row| note(&mut self.totals.vdw, row)),
        ]
    }

    /// A QPU raises its host interrupt. It is latched when DBCFG and DBQITE let it through.
    pub fn raise_host_interrupt(&mut self, qpu: u8) {
        self.totals.host_interrupts += 1;
        if self.debug {
            self.host_interrupts |= self.interrupt_enable & 1 << qpu;
        }
    }
}
