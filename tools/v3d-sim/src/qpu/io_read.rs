//! Reads of I/O addresses.
//!
//! What a read causes (taking a uniform or a VPM vector, taking the mutex) happens once for an
//! instruction, by the address alone, whether an operand uses the value or not.

use super::{Qpu, Stop};
use crate::alu::{LANES, Lanes};
use crate::conflicts::DmaBusy;
use crate::decoded::{Code, Units};
use crate::event::{Access, FaultKind};
use crate::memory::Memory;
use crate::observe::UnitEvent;
use crate::rule::Rule;
use crate::shared::Shared;
use qpu::isa::{File, Raddr, raddr};

/// What the reads of an instruction have taken; both ports see it.
#[derive(Default)]
pub(super) struct Popped {
    uniform: u32,
    vpm: Lanes,
}

impl Qpu {
    /// Takes what the instruction reads from streams, and the mutex.
    pub(super) fn pop_inputs(
        &mut self,
        code: &Code,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<Popped, Stop> {
        let mut popped = Popped::default();
        if !code.units.uses(Units::READS) {
            return Ok(popped);
        }
        if code.units.uses(Units::UNIFORM) {
            popped.uniform = self.pop_uniform(shared, memory)?;
        }
        if code.units.uses(Units::VPM_READ) {
            match self.vpm_reads.pop() {
                Some(setup) => popped.vpm = shared.vpm.read(self.number, &setup),
                None => self.warn(Rule::VpmSurplusRead, shared, String::new),
            }
            if let Some(time) = &mut shared.time {
                time.took_vector(usize::from(self.number), shared.now);
            }
        }
        if code.units.uses(Units::MUTEX) {
            if shared.vpm.is_writing(self.number) {
                self.warn(Rule::MutexBeforeDrain, shared, String::new);
            }
            shared.mutex.acquire(self.number);
            shared.log.note(|| UnitEvent::Mutex {
                qpu: self.number,
                held: true,
            });
        }
        if code.addresses().contains(&raddr::VARYING) {
            return Err(FaultKind::ThreeD("a varying").into());
        }
        Ok(popped)
    }

    fn pop_uniform(
        &mut self,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<u32, FaultKind> {
        if self.hazards.index - self.hazards.uniforms_address < 3 {
            self.warn(Rule::UniformsAddressTooLate, shared, String::new);
        }
        if !self.uniforms.is_given() {
            self.warn(Rule::UniformsAbsent, shared, String::new);
        }
        shared
            .totals
            .uniform(self.number / 4, self.uniforms.address());
        if let Some(time) = &mut shared.time {
            time.took_uniform(usize::from(self.number), shared.now);
        }
        self.uniforms
            .pop(memory)
            .map_err(|fault| FaultKind::Memory(Access::Uniform, fault))
    }

    /// The value of an I/O address other than nop.
    pub(super) fn read_io(
        &mut self,
        file: File,
        address: Raddr,
        popped: &Popped,
        used: bool,
        shared: &mut Shared,
    ) -> Lanes {
        let number = u32::from(self.number);
        let element_or_qpu = || match file {
            File::A => std::array::from_fn(|lane| lane as u32),
            File::B => [number; LANES],
        };
        match address {
            raddr::UNIFORM => [popped.uniform; LANES],
            raddr::VPM_READ => popped.vpm,
            // What user programs see of a quad's coordinates (VC4C).
            raddr::XY_PIXEL_COORD => std::array::from_fn(|lane| match file {
                File::A => lane as u32 & 1,
                File::B => lane as u32 >> 1 & 1,
            }),
            raddr::MS_REV_FLAGS => match file {
                File::A => self.registers.ms_flags,
                File::B => [self.registers.rev_flag; LANES],
            },
            raddr::VPM_BUSY => {
                if used {
                    self.warn(Rule::DmaBusyRead, shared, String::new);
                }
                if shared.conflicts.dma_busy == DmaBusy::Constant {
                    return element_or_qpu();
                }
                let busy = match file {
                    File::A => shared.vdr.is_busy_for(self.number),
                    File::B => shared.vdw.is_busy_for(self.number),
                };
                [u32::from(busy); LANES]
            }
            // By the guide, a read that delivers no data leaves these on the bus.
            raddr::VPM_WAIT | raddr::MUTEX_ACQUIRE => element_or_qpu(),
            _ => {
                if used {
                    self.warn(Rule::UnmappedRead, shared, || {
                        format!("address {}", address.bits())
                    });
                }
                element_or_qpu()
            }
        }
    }
}
