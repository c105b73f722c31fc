//! Conditions under which an instruction cannot execute yet, or never will.

use super::{Qpu, Stop};
use crate::conflicts::{DmaStartWhileBusy, TmuDepth, VpmSurplusReads};
use crate::decoded::{Code, Units};
use crate::event::{FaultKind, Wait};
use crate::shared::Shared;
use crate::time::Time;
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
        let qpu = usize::from(self.number);
        let blocks = shared.conflicts.vpm_surplus_reads == VpmSurplusReads::Block;
        if units.uses(Units::VPM_READ) && self.vpm_reads.left() == 0 && blocks {
            return Err(FaultKind::VpmReadWithoutSetup.into());
        }
        let is_late = |unit, has: fn(&Time, usize, u64) -> bool| {
            units.uses(unit) && timed(shared, |time| !has(time, qpu, shared.now))
        };
        let wait = if is_late(Units::VPM_READ, Time::has_vector) {
            Wait::VpmRead
        } else if is_late(Units::UNIFORM, Time::has_uniform) {
            Wait::Uniform
        } else if units.uses(Units::LOAD_WAIT) && shared.vdr.is_busy_for(self.number) {
            Wait::DmaLoad
        } else if units.uses(Units::STORE_WAIT) && shared.vdw.is_busy_for(self.number) {
            Wait::DmaStore
        } else if units.uses(Units::MUTEX) && shared.mutex.holder().is_some() {
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
        let qpu = usize::from(self.number);
        if timed(shared, |time| !time.has_result(qpu, unit, shared.now)) {
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
        let qpu = usize::from(self.number);
        let stalls = shared.conflicts.dma_start_while_busy != DmaStartWhileBusy::Lost;
        let wait = if units.uses(Units::VPM_WRITE)
            && timed(shared, |time| !time.can_write_vector(qpu, shared.now))
        {
            Wait::VpmWrite
        } else if units.uses(Units::SFU) && timed(shared, |time| !time.has_sfu(qpu, shared.now)) {
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
}

/// True if time is on and `waits` for something.
fn timed(shared: &Shared, waits: impl FnOnce(&Time) -> bool) -> bool {
    shared.time.as_ref().is_some_and(|time| waits(time))
}
