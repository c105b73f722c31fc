//! Reads of I/O addresses.
//!
//! What a read causes (taking a uniform or a VPM vector, taking the mutex) happens once for an
//! instruction, by the address alone, whether an operand uses the value or not.

use super::hazards::after;
use super::state::{HELD_A, Index};
use super::{Qpu, Stop};
use crate::alu::{LANES, Lanes};
use crate::conflicts::DmaBusy;
use crate::decoded::{Code, Port, Units};
use crate::event::{Access, FaultKind};
use crate::memory::Memory;
use crate::race::Actor;
use crate::rule::Rule;
use crate::shared::{ERRSTAT_VPMERNA, ERRSTAT_VPMERR, Shared};
use crate::unit_event::UnitEvent;
use crate::vpm::setup::BlockSetup;
use qpu::isa::{Cond, File, Instruction, Mux, Raddr, Slot, raddr, waddr};

/// Values that the reads of an instruction have taken; both ports see it.
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
            self.hazards.uniform_read = self.hazards.index;
        }
        if code.units.uses(Units::VPM_READ) {
            match self.vpm_reads.pop() {
                Some(setup) => {
                    popped.vpm = self.read_vpm(&setup, code, shared);
                    if let Some(time) = &mut shared.time {
                        let qpu = usize::from(self.number);
                        time.took_vector(qpu, !setup.horizontal, shared.now);
                    }
                }
                None => self.warn(Rule::VpmSurplusRead, shared, String::new),
            }
        }
        if code.units.uses(Units::MUTEX) {
            if shared.vpm.is_writing(self.number) {
                self.warn(Rule::MutexBeforeDrain, shared, String::new);
            }
            shared.mutex = Some(self.number);
            shared.stirred = true;
            shared.races.acquire_mutex(self.number);
            shared.log.note(|| UnitEvent::Mutex {
                qpu: self.number,
                held: true,
            });
        }
        let addresses = code.addresses();
        for (address, unwatched) in addresses.iter().zip(&mut self.unwatched) {
            *unwatched &= !matches!(*address, raddr::VPM_WAIT | raddr::VPM_BUSY);
        }
        if addresses[0] == raddr::VPM_WAIT {
            shared.races.complete(self.number, Actor::Loads);
        }
        if addresses[1] == raddr::VPM_WAIT {
            shared.races.complete(self.number, Actor::Stores);
        }
        if addresses.contains(&raddr::VARYING) {
            return Err(FaultKind::ThreeD("a varying").into());
        }
        Ok(popped)
    }

    fn read_vpm(&self, setup: &BlockSetup, code: &Code, shared: &mut Shared) -> Lanes {
        shared.vpm.advance(shared.now);
        let value = shared.vpm.read(self.number, shared.now, setup);
        shared.races.complete(self.number, Actor::Writes);
        if setup.wrapped {
            shared.errors |= ERRSTAT_VPMERR;
        }
        let is_reserved = shared.vpm.is_reserved(setup);
        if !is_reserved {
            shared.errors |= ERRSTAT_VPMERNA;
        }
        // A read whose value is dropped only drains; real programs take any row for that.
        if keeps_vpm(code) {
            let words = setup.words();
            if !is_reserved {
                self.warn(Rule::VpmReadOutsideReservation, shared, String::new);
            } else if !shared.vpm.is_put(words) {
                self.warn_not_put("reads", words, shared);
            }
            if let Some(race) = shared.races.read_vpm(self.at(), words) {
                self.warn_race(race, "reads", shared);
            }
        }
        value
    }

    pub(super) fn pop_uniform(
        &mut self,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<u32, FaultKind> {
        let since = self.hazards.index - self.hazards.uniforms_address;
        let address = self.uniforms.address;
        let is_stale = shared.stale.read_uniform(address) && shared.stale.is_word_stale(address);
        let is_put = memory.is_put(address);
        if since < 3 || is_stale || !is_put || !self.uniforms.is_given() {
            self.warn_uniform(since, is_stale, is_put, shared);
        }
        shared.totals.uniform(self.number, self.uniforms.address);
        if let Some(time) = &mut shared.time {
            time.took_uniform(usize::from(self.number), shared.now);
        }
        self.uniforms
            .pop(memory)
            .map_err(|fault| FaultKind::Memory(Access::Uniform, fault))
    }

    #[cold]
    fn warn_uniform(&self, since: i64, is_stale: bool, is_put: bool, shared: &mut Shared) {
        if since < 3 {
            let other = self.back(since);
            self.warn_after(Rule::UniformsAddressTooLate, other, shared, after);
        }
        if is_stale {
            self.warn_stale(Rule::UniformStaleLine, self.uniforms.address, shared);
        }
        if !self.uniforms.is_given() {
            self.warn(Rule::UniformsAbsent, shared, String::new);
        } else if !is_put {
            let address = self.uniforms.address;
            self.warn(Rule::UniformsNotPut, shared, || {
                format!("at {address:#010x}")
            });
        }
    }

    /// Keeps what the ports bring from units where operands find it.
    pub(super) fn hold_inputs(&mut self, code: &Code, popped: &Popped, shared: &mut Shared) {
        let ports = [(File::A, Mux::A), (File::B, Mux::B)];
        for (place, (file, mux)) in ports.into_iter().enumerate() {
            if let Port::Unit(address) = code.ports[place] {
                let value = self.read_io(file, address, popped, code.takes(mux), shared);
                *self.registers.at_mut(HELD_A + place as Index) = value;
            }
        }
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

/// True if the instruction does something with the VPM vector that it reads.
fn keeps_vpm(code: &Code) -> bool {
    let Instruction::Alu(alu) = &code.instruction else {
        return false;
    };
    let [in_a, in_b] = code.addresses().map(|address| address == raddr::VPM_READ);
    let write = &alu.write;
    Slot::BOTH.into_iter().any(|slot| {
        let is_live = write.sf || write.waddr(slot) != waddr::NOP;
        let takes = in_a && alu.uses_in(slot, Mux::A) || in_b && alu.uses_in(slot, Mux::B);
        takes && is_live && write.cond(slot) != Cond::Never
    })
}
