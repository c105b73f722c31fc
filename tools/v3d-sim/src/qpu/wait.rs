//! When an instruction cannot execute yet, or never will.

use super::Qpu;
use crate::code::Code;
use crate::conflicts::{DmaStartWhileBusy, TmuDepth, VpmSurplusReads};
use crate::event::{FaultKind, Wait};
use crate::shared::Shared;
use crate::time::Time;
use crate::tmu;
use qpu::isa::{File, Instruction, Raddr, SemaphoreAction, Signal, Waddr, raddr, waddr};

impl Qpu {
    /// What the instruction waits for, if anything.
    ///
    /// # Errors
    /// When it would wait for ever: `ldtmu` and VPM reads are served by the QPU's own requests only.
    pub(super) fn must_wait(
        &self,
        code: &Code,
        shared: &Shared,
    ) -> Result<Option<Wait>, FaultKind> {
        match &code.instruction {
            Instruction::Alu(alu) => {
                for (address, file) in [(alu.raddr_a, File::A), (alu.read_b(), File::B)] {
                    if let Some(wait) = self.read_waits(address, file, shared)? {
                        return Ok(Some(wait));
                    }
                }
                if let Some(wait) = self.signal_waits(alu.signal(), shared)? {
                    return Ok(Some(wait));
                }
            }
            Instruction::Semaphore(semaphore) => {
                let number = semaphore.number();
                let wait = match semaphore.action() {
                    SemaphoreAction::Increment if !shared.semaphores.can_increment(number) => {
                        Some(Wait::SemaphoreIncrement(number))
                    }
                    SemaphoreAction::Decrement if !shared.semaphores.can_decrement(number) => {
                        Some(Wait::SemaphoreDecrement(number))
                    }
                    _ => None,
                };
                if wait.is_some() {
                    return Ok(wait);
                }
            }
            // A link address goes to no unit.
            Instruction::Branch(_) => return Ok(None),
            Instruction::LoadImmediate(_) => {}
        }
        Ok(code
            .writes()
            .find_map(|(_, address, file)| self.write_waits(address, file, shared)))
    }

    fn read_waits(
        &self,
        address: Raddr,
        file: File,
        shared: &Shared,
    ) -> Result<Option<Wait>, FaultKind> {
        let qpu = usize::from(self.number);
        Ok(match (address, file) {
            (raddr::VPM_READ, _)
                if self.vpm_reads.left() == 0
                    && shared.conflicts.vpm_surplus_reads == VpmSurplusReads::Block =>
            {
                return Err(FaultKind::VpmReadWithoutSetup);
            }
            (raddr::VPM_READ, _) => {
                timed(shared, |time| !time.has_vector(qpu, shared.now)).then_some(Wait::VpmRead)
            }
            (raddr::UNIFORM, _) => {
                timed(shared, |time| !time.has_uniform(qpu, shared.now)).then_some(Wait::Uniform)
            }
            (raddr::VPM_WAIT, File::A) if shared.vdr.is_busy_for(self.number) => {
                Some(Wait::DmaLoad)
            }
            (raddr::VPM_WAIT, File::B) if shared.vdw.is_busy_for(self.number) => {
                Some(Wait::DmaStore)
            }
            (raddr::MUTEX_ACQUIRE, _) if shared.mutex.holder().is_some() => Some(Wait::Mutex),
            _ => None,
        })
    }

    fn signal_waits(&self, signal: Signal, shared: &Shared) -> Result<Option<Wait>, FaultKind> {
        let addressed = match signal {
            Signal::LoadTmu0 => 0,
            Signal::LoadTmu1 => 1,
            _ => return Ok(None),
        };
        let unit = self.tmus.unit(self.number, addressed);
        if self.tmus.outstanding(unit) == 0 {
            return Err(FaultKind::LdtmuWithoutRequest(addressed));
        }
        let is_late = |time: &Time| !time.has_result(usize::from(self.number), unit, shared.now);
        Ok(timed(shared, is_late).then_some(Wait::TmuResult(unit)))
    }

    fn write_waits(&self, address: Waddr, file: File, shared: &Shared) -> Option<Wait> {
        let qpu = usize::from(self.number);
        match (address, file) {
            (waddr::TMU0_S | waddr::TMU1_S, _) => {
                let addressed = u8::from(address == waddr::TMU1_S);
                let unit = self.tmus.unit(self.number, addressed);
                let depth = match shared.conflicts.tmu_depth {
                    TmuDepth::Eight => tmu::DEPTH,
                    TmuDepth::Four => tmu::SAFE_DEPTH,
                };
                (self.tmus.outstanding(unit) >= depth).then_some(Wait::TmuRequest(unit))
            }
            (waddr::VPM_WRITE, _) => timed(shared, |time| !time.can_write_vector(qpu, shared.now))
                .then_some(Wait::VpmWrite),
            _ if address.is_sfu() => {
                timed(shared, |time| !time.has_sfu(qpu, shared.now)).then_some(Wait::Sfu)
            }
            _ if shared.conflicts.dma_start_while_busy == DmaStartWhileBusy::Lost => None,
            (waddr::VPM_ADDR, File::A) if shared.vdr.is_busy_for(self.number) => {
                Some(Wait::DmaLoad)
            }
            (waddr::VPM_ADDR, File::B) if shared.vdw.is_busy_for(self.number) => {
                Some(Wait::DmaStore)
            }
            _ => None,
        }
    }
}

/// Whether time is on and `waits` for something.
fn timed(shared: &Shared, waits: impl FnOnce(&Time) -> bool) -> bool {
    shared.time.as_ref().is_some_and(|time| waits(time))
}
