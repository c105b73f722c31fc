//! Conditions under which an instruction cannot execute yet, or never will.

use super::{Qpu, Stop};
use crate::conflicts::{DmaStartWhileBusy, TmuDepth, VpmSurplusReads};
use crate::decoded::{Code, Units};
use crate::event::{FaultKind, Wait};
use crate::shared::Shared;
use crate::tmu;
use qpu::isa::SemaphoreAction;

impl Qpu {
    /// Stops with what the instruction waits for, if anything.
    ///
    /// # Errors
    /// Also when it would wait for ever: `ldtmu` and VPM reads are served by the QPU's own requests
    /// only.
    pub(super) fn must_wait(&self, code: &Code, shared: &Shared) -> Result<(), Stop> {
        let units = code.units;
        if shared.time.is_none() && units.only(Units::PROMPT) {
            return Ok(());
        }
        if units.uses(Units::READS) {
            self.read_waits(units, shared)?;
        }
        if units.uses(Units::LDTMU0) {
            self.load_waits(0, shared)?;
        }
        if units.uses(Units::LDTMU1) {
            self.load_waits(1, shared)?;
        }
        if units.uses(Units::SEMAPHORE) {
            self.semaphore_waits(code, shared)?;
        }
        if units.uses(Units::WRITES_THAT_WAIT) {
            self.write_waits(units, shared)?;
        }
        Ok(())
    }

    fn read_waits(&self, units: Units, shared: &Shared) -> Result<(), Stop> {
        let blocks = shared.conflicts.vpm_surplus_reads == VpmSurplusReads::Block;
        if units.uses(Units::VPM_READ) && self.vpm_reads.left() == 0 && blocks {
            return Err(FaultKind::VpmReadWithoutSetup.into());
        }
        let wait = if units.uses(Units::VPM_READ) && self.is_late(Wait::VpmRead, shared) {
            Wait::VpmRead
        } else if units.uses(Units::UNIFORM) && self.is_late(Wait::Uniform, shared) {
            Wait::Uniform
        } else if units.uses(Units::LOAD_WAIT) && shared.vdr.is_busy_for(self.number) {
            Wait::DmaLoad
        } else if units.uses(Units::STORE_WAIT) && shared.vdw.is_busy_for(self.number) {
            Wait::DmaStore
        } else if units.uses(Units::MUTEX) && shared.mutex.is_some() {
            Wait::Mutex
        } else {
            return Ok(());
        };
        Err(Stop::Wait(wait))
    }

    fn load_waits(&self, addressed: u8, shared: &Shared) -> Result<(), Stop> {
        let unit = self.tmus.unit(self.number, addressed);
        if self.tmus.outstanding(unit) == 0 {
            return Err(FaultKind::LdtmuWithoutRequest(addressed).into());
        }
        if self.is_late(Wait::TmuResult(unit), shared) {
            return Err(Stop::Wait(Wait::TmuResult(unit)));
        }
        Ok(())
    }

    fn write_waits(&self, units: Units, shared: &Shared) -> Result<(), Stop> {
        let depth = match shared.conflicts.tmu_depth {
            TmuDepth::Eight => tmu::DEPTH,
            TmuDepth::Four => tmu::SAFE_DEPTH,
        };
        for (addressed, request) in [Units::TMU0_REQUEST, Units::TMU1_REQUEST]
            .into_iter()
            .enumerate()
        {
            let unit = self.tmus.unit(self.number, addressed as u8);
            if units.uses(request) && self.tmus.requests(unit) >= depth {
                return Err(Stop::Wait(Wait::TmuRequest(unit)));
            }
        }
        let stalls = shared.conflicts.dma_start_while_busy != DmaStartWhileBusy::Lost;
        let wait = if units.uses(Units::VPM_WRITE) && self.is_late(Wait::VpmWrite, shared) {
            Wait::VpmWrite
        } else if units.uses(Units::SFU) && self.is_late(Wait::Sfu, shared) {
            Wait::Sfu
        } else if units.uses(Units::LOAD_START) && stalls && shared.vdr.is_busy_for(self.number) {
            Wait::DmaLoad
        } else if units.uses(Units::STORE_START) && stalls && shared.vdw.is_busy_for(self.number) {
            Wait::DmaStore
        } else {
            return Ok(());
        };
        Err(Stop::Wait(wait))
    }

    fn semaphore_waits(&self, code: &Code, shared: &Shared) -> Result<(), Stop> {
        match code.semaphore() {
            Some((SemaphoreAction::Increment, number))
                if !shared.semaphores.can_increment(number) =>
            {
                Err(Stop::Wait(Wait::SemaphoreIncrement(number)))
            }
            Some((SemaphoreAction::Decrement, number))
                if !shared.semaphores.can_decrement(number, self.number) =>
            {
                Err(Stop::Wait(Wait::SemaphoreDecrement(number)))
            }
            _ => Ok(()),
        }
    }

    /// True if time is on, and what the QPU would wait for is not there yet.
    #[inline]
    fn is_late(&self, wait: Wait, shared: &Shared) -> bool {
        let time = shared.time.as_ref();
        time.is_some_and(|time| !time.is_ready(usize::from(self.number), wait, shared.now))
    }
}
