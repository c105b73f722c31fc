//! The units that QPUs share: VPM, DMA, semaphores, mutex, the report.

use crate::config::Config;
use crate::conflicts::Conflicts;
use crate::counters::Totals;
use crate::dma::vdr::{self, Load};
use crate::dma::vdw::{self, Store};
use crate::dma::{Engine, RowDone};
use crate::event::{FaultKind, Wait};
use crate::memory::Memory;
use crate::race::Races;
use crate::report::{At, Reporter};
use crate::semaphore::Semaphores;
use crate::time::Time;
use crate::tmu::stale::StaleLines;
use crate::unit_event::{DmaEngine, UnitEvent, UnitLog};
use crate::vpm::Vpm;

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
    /// The QPU that holds the mutex. Reading address 51 takes it and waits while anyone holds it,
    /// the reader included; writing 51 gives it back (guide, "Register address map").
    pub mutex: Option<u8>,
    /// A semaphore, the mutex or a DMA engine has changed: who waits for one may go on. Without
    /// time only.
    pub stirred: bool,
    /// Lines that TMUs may hold old copies of.
    pub stale: StaleLines,
    /// The order of accesses.
    pub races: Races,
    /// The counts.
    pub totals: Totals,
    /// Faults and warnings.
    pub report: Reporter,
    /// The cycle model, unless the run is functional.
    pub time: Option<Box<Time>>,
    /// Events that no observer has seen yet.
    pub log: UnitLog,
    /// A bit for each QPU whose host interrupt is latched: DBQITC.
    pub host_interrupts: u16,
    /// DBQITE: which QPUs may interrupt.
    pub interrupt_enable: u16,
    /// DBCFG bit 0: interrupts and halts by QPUs are on.
    pub debug: bool,
    /// ERRSTAT's latched bits.
    pub errors: u32,
    /// The source that is followed where sources conflict.
    pub conflicts: Conflicts,
    /// Flag unlocked use of a DMA engine by two QPUs.
    pub flag_unprotected_dma: bool,
}

/// ERRSTAT: a QPU wrote a vector that its stride had led past the last row, to which ADDR wraps.
/// The guide's "write range" says no more, nor does its "read range".
pub const ERRSTAT_VPMEWR: u32 = 1 << 4;
/// ERRSTAT: the same of a vector that it read.
pub const ERRSTAT_VPMERR: u32 = 1 << 5;
/// ERRSTAT: a QPU read VPM rows that are not reserved.
pub const ERRSTAT_VPMERNA: u32 = 1 << 6;
/// ERRSTAT: a QPU wrote VPM rows that are not reserved.
pub const ERRSTAT_VPMEWNA: u32 = 1 << 7;
/// ERRSTAT: the address of a store overflowed: in the VPM beyond row 127, or in memory beyond 4
/// GiB.
pub const ERRSTAT_VDWE: u32 = 1 << 10;

impl Shared {
    /// The state after a power cycle.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        Self {
            now: 0,
            vpm: Vpm::default(),
            vdr: Engine::default(),
            vdw: Engine::default(),
            dma_setup: Default::default(),
            semaphores: Semaphores::default(),
            mutex: None,
            stirred: false,
            stale: StaleLines::default(),
            races: Races::default(),
            totals: Totals::default(),
            report: Reporter::new(config.strict, config.allowed.clone()),
            time: config.is_timed().then(|| Box::new(Time::new(config))),
            log: UnitLog::default(),
            host_interrupts: 0,
            interrupt_enable: 0,
            debug: false,
            errors: 0,
            conflicts: config.conflicts,
            flag_unprotected_dma: config.flag_unprotected_dma,
        }
    }

    /// True if a DMA transfer or a VPM write is on its way.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.vdr.is_busy() || self.vdw.is_busy() || self.vpm.is_busy()
    }

    /// The next round in which a transfer moves a row; without time.
    #[must_use]
    pub fn next_row(&self) -> u64 {
        self.vdr.next_due().min(self.vdw.next_due())
    }

    /// True if what a QPU waited for is certainly not there yet.
    #[must_use]
    pub fn still_waits(&self, qpu: u8, wait: Wait) -> bool {
        match wait {
            Wait::SemaphoreIncrement(number) => !self.semaphores.can_increment(number),
            Wait::SemaphoreDecrement(number) => !self.semaphores.can_decrement(number, qpu),
            Wait::Mutex => self.mutex.is_some(),
            Wait::DmaLoad => self.vdr.is_busy_for(qpu),
            Wait::DmaStore => self.vdw.is_busy_for(qpu),
            Wait::Hung => true,
            _ => false,
        }
    }

    /// True if a DMA transfer of this QPU is not complete and may yet fault.
    #[must_use]
    pub fn may_fault(&self, qpu: u8) -> bool {
        self.vdr.may_fault(qpu) || self.vdw.may_fault(qpu)
    }

    /// True if a QPU may notice that the rows which are due in round `now` are moved: a transfer
    /// is over with one, or it may fault.
    #[must_use]
    pub fn rows_matter(&self, now: u64) -> bool {
        self.vdr.row_matters(now) || self.vdw.row_matters(now)
    }

    /// A round of everything but the QPUs. Gives the QPUs whose DMA has faulted, and why.
    pub fn advance(&mut self, memory: &mut impl Memory) -> [Option<(At, FaultKind)>; 2] {
        self.advance_to(self.now, memory)
    }

    /// Like [`Shared::advance`], in round `now`.
    pub fn advance_to(
        &mut self,
        now: u64,
        memory: &mut impl Memory,
    ) -> [Option<(At, FaultKind)>; 2] {
        self.vpm.advance(now);
        let loaded = self.vdr.advance(now, &mut self.vpm, memory);
        let stored = self.vdw.advance(now, &mut self.vpm, memory);
        [
            loaded.and_then(|row| self.row_moved(DmaEngine::Load, row)),
            stored.and_then(|row| self.row_moved(DmaEngine::Store, row)),
        ]
    }

    /// Moves the next row of an engine, if it has one: whose it was, and why it could not be moved.
    pub fn move_row(
        &mut self,
        engine: DmaEngine,
        memory: &mut impl Memory,
    ) -> Option<(u8, Option<(At, FaultKind)>)> {
        let row = match engine {
            DmaEngine::Load => self.vdr.move_row(&mut self.vpm, memory)?,
            DmaEngine::Store => self.vdw.move_row(&mut self.vpm, memory)?,
        };
        Some((row.at.qpu, self.row_moved(engine, row)))
    }

    /// Counts a row that was moved; gives why it was not.
    fn row_moved(&mut self, engine: DmaEngine, row: RowDone) -> Option<(At, FaultKind)> {
        if row.is_last {
            self.stirred = true;
            let qpu = row.at.qpu;
            self.log.note(|| UnitEvent::DmaDone { engine, qpu });
        }
        if row.fault.is_none() {
            let bytes = u64::from(row.bytes);
            match engine {
                DmaEngine::Load => self.totals.vdr.bytes += bytes,
                DmaEngine::Store => {
                    self.totals.vdw.bytes += bytes;
                    self.stale.store(row.address, row.bytes, Some(row.at));
                }
            }
        }
        row.fault.map(|fault| (row.at, fault))
    }

    /// A QPU raises its host interrupt. It is latched when DBCFG and DBQITE let it through.
    pub fn raise_host_interrupt(&mut self, qpu: u8) {
        self.races.tell_arm(qpu);
        self.totals.host_interrupts += 1;
        if self.debug {
            self.host_interrupts |= self.interrupt_enable & 1 << qpu;
        }
    }
}
