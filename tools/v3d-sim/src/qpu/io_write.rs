//! Writes of I/O addresses.
//!
//! Setup words, addresses and the like come from element 0. Conditions do not keep lanes out of a
//! FIFO: what the chip puts there is undefined, here it is the result. A write triggers also when
//! element 0 is masked: vc4asm says so of TMU, VPM and setup words; for the other addresses
//! (uniforms address, TMU swap, DMA addresses, mutex) nobody says anything, and the same is
//! assumed. Each such write is warned of, and a condition of never writes nothing
//! (docs/hardware/qpu.md sections 1.5 and 12).

use super::Qpu;
use crate::alu::{LaneMask, Lanes};
use crate::conflicts::DmaSetupScope;
use crate::dma::{Transfer, vdr, vdw};
use crate::event::FaultKind;
use crate::memory::Memory;
use crate::race::Actor;
use crate::rule::Rule;
use crate::sfu;
use crate::shared::{ERRSTAT_VPMEWNA, ERRSTAT_VPMEWR, Shared};
use crate::tmu::SAFE_DEPTH;
use crate::unit_event::{DmaEngine, UnitEvent};
use crate::vpm::setup::{self, BlockSetup};
use qpu::isa::{File, Waddr, waddr};

/// True if a write takes all lanes; other units take element 0, and some each lane by its
/// condition.
pub(super) fn takes_all_lanes(address: Waddr) -> bool {
    address.is_tmu() || address.is_sfu() || address == waddr::VPM_WRITE
}

impl Qpu {
    /// Writes `value` to an I/O address that is neither an accumulator nor nop.
    pub(super) fn write_io(
        &mut self,
        file: File,
        address: Waddr,
        value: &Lanes,
        enabled: LaneMask,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<(), FaultKind> {
        let whole = if takes_all_lanes(address) {
            LaneMask::MAX
        } else {
            1
        };
        // Lanes of an SFU function do not depend on each other; Broadcom's shaders ask for some of
        // them.
        let masked_by_lane =
            matches!(address, waddr::HOST_INT | waddr::MS_REV_FLAGS) || address.is_sfu();
        if enabled & whole != whole && !masked_by_lane {
            self.warn(Rule::ConditionalPeripheralWrite, shared, String::new);
        }
        match address {
            waddr::TMU_NOSWAP => {
                // VC4C's kernels write it again for each work-item.
                if self.tmus.set_noswap(value[0]) {
                    if self.hazards.tmu_written {
                        self.warn(Rule::TmuNoswapTooLate, shared, String::new);
                    }
                    self.hazards.noswap = self.hazards.index;
                }
            }
            waddr::HOST_INT => self.write_host_interrupt(value, enabled, shared),
            waddr::UNIFORMS_ADDRESS => self.move_uniforms(file, value[0], shared),
            waddr::MS_REV_FLAGS => match file {
                File::A => {
                    for (lane, flags) in self.registers.ms_flags.iter_mut().enumerate() {
                        if enabled & 1 << lane != 0 {
                            *flags = value[lane] & 15;
                        }
                    }
                }
                File::B => {
                    if enabled & 1 != 0 {
                        self.registers.rev_flag = value[0] & 1;
                    }
                }
            },
            waddr::VPM_WRITE => self.write_vpm(value, shared),
            waddr::VPMVCD_SETUP => match file {
                File::A => self.write_read_setup(value[0], shared)?,
                File::B => self.write_write_setup(value[0], shared)?,
            },
            waddr::VPM_ADDR => match file {
                File::A => self.start_load(value[0], shared, memory),
                File::B => self.start_store(value[0], shared, memory)?,
            },
            waddr::MUTEX_RELEASE => self.release_mutex(shared),
            waddr::TMU0_S | waddr::TMU1_S => {
                self.write_tmu(u8::from(address == waddr::TMU1_S), value, shared, memory)?;
            }
            _ if address.is_tmu() => self.write_coordinate(address, value, shared, memory)?,
            waddr::QUAD_XY => return Err(FaultKind::ThreeD("a quad coordinate")),
            _ => match sfu::function(address) {
                Some(function) => {
                    if let Some(time) = &mut shared.time {
                        time.used_sfu(usize::from(self.number), shared.now);
                    }
                    self.write_sfu(value.map(function), enabled, shared)?;
                }
                None => return Err(FaultKind::ThreeD("the tile buffer")),
            },
        }
        Ok(())
    }

    /// Continues the stream of uniforms at an address (file A), or at a distance (file B).
    fn move_uniforms(&mut self, file: File, value: u32, shared: &mut Shared) {
        self.hazards.uniforms_address = self.hazards.index;
        match file {
            File::A => {
                if value & 3 != 0 {
                    self.warn(Rule::UniformsAlignment, shared, String::new);
                }
                self.uniforms.jump(value);
            }
            File::B => self.uniforms.jump_relative(value),
        }
        if let Some(time) = &mut shared.time {
            let (qpu, address) = (usize::from(self.number), self.uniforms.address);
            time.moved_uniforms(qpu, address, shared.now);
        }
    }

    /// Releases the mutex, which this QPU should hold.
    fn release_mutex(&mut self, shared: &mut Shared) {
        shared.stirred = true;
        let held = shared.mutex.take_if(|holder| *holder == self.number);
        if held.is_some() {
            shared.races.release_mutex(self.number);
        } else {
            self.warn(Rule::MutexReleaseWithoutHolding, shared, String::new);
        }
        let (qpu, held) = (self.number, shared.mutex.is_some());
        if let Some(time) = &mut shared.time {
            time.mutex_released(shared.now);
        }
        shared.log.note(|| UnitEvent::Mutex { qpu, held });
    }

    /// Raises the host interrupt. The element that the chip looks at is open: here it is any that
    /// is enabled. A 0 raises nothing, as the slaves of GPU_FFT want it.
    fn write_host_interrupt(&mut self, value: &Lanes, enabled: LaneMask, shared: &mut Shared) {
        let raised = value
            .iter()
            .enumerate()
            .any(|(lane, value)| enabled & 1 << lane != 0 && *value != 0);
        if raised {
            shared.raise_host_interrupt(self.number);
        }
    }

    fn write_vpm(&mut self, value: &Lanes, shared: &mut Shared) {
        if !self.vpm_write_given {
            self.warn(Rule::SetupBeforeWrite, shared, || "VPM write".into());
        }
        if self.vpm_write.wrapped {
            shared.errors |= ERRSTAT_VPMEWR;
        }
        if !shared.vpm.is_reserved(&self.vpm_write) {
            shared.errors |= ERRSTAT_VPMEWNA;
            self.warn(Rule::VpmOutsideReservation, shared, || {
                format!(
                    "row {}",
                    self.vpm_write.place(15).word / crate::vpm::COLUMNS
                )
            });
        }
        let words = self.vpm_write.words();
        let race = shared.races.write_vpm(self.at(), Actor::Writes, words);
        if let Some(race) = race {
            self.warn_race(race, "writes", shared);
        }
        shared
            .vpm
            .write(self.number, shared.now, self.vpm_write, *value);
        let column = !self.vpm_write.horizontal;
        self.vpm_write.advance();
        if let Some(time) = &mut shared.time {
            time.wrote_vector(usize::from(self.number), column, shared.now);
        }
    }

    fn write_read_setup(&mut self, word: u32, shared: &mut Shared) -> Result<(), FaultKind> {
        self.warn_reserved(setup::reserved_in_read(word), word, shared);
        match word >> 30 {
            0 => {
                let setup =
                    BlockSetup::from_word(word).ok_or(FaultKind::Setup("SIZE 3 of a VPM read"))?;
                let left = self.vpm_reads.left();
                // With vectors left the unit reads on, and has fetched these when they are wanted.
                if left == 0
                    && let Some(time) = &mut shared.time
                {
                    time.set_up_reads(usize::from(self.number), shared.now);
                }
                let rule = shared.conflicts.vpm_read_setups;
                if !self.vpm_reads.push(word, setup, rule) {
                    self.warn(Rule::VpmSetupIgnored, shared, || {
                        format!("{left} vectors are unread")
                    });
                }
                shared.races.setup(self.number);
            }
            1 => self.warn(Rule::SetupUnknown, shared, || format!("{word:#010x}")),
            _ => self.change_dma_setup(shared, |vdr, _| vdr.write(word)),
        }
        Ok(())
    }

    fn write_write_setup(&mut self, word: u32, shared: &mut Shared) -> Result<(), FaultKind> {
        self.warn_reserved(setup::reserved_in_write(word), word, shared);
        match word >> 30 {
            0 => {
                self.vpm_write =
                    BlockSetup::from_word(word).ok_or(FaultKind::Setup("SIZE 3 of a VPM write"))?;
                self.vpm_write_given = true;
            }
            1 => self.warn(Rule::SetupUnknown, shared, || format!("{word:#010x}")),
            _ => self.change_dma_setup(shared, |_, vdw| vdw.write(word)),
        }
        Ok(())
    }

    fn warn_reserved(&self, bits: u32, word: u32, shared: &mut Shared) {
        if bits != 0 {
            self.warn(Rule::SetupReservedBits, shared, || {
                format!("{bits:#010x} of {word:#010x}")
            });
        }
    }

    /// Changes this QPU's DMA setup, or all QPUs' if they share one.
    fn change_dma_setup(
        &mut self,
        shared: &mut Shared,
        change: impl FnOnce(&mut vdr::Setup, &mut vdw::Setup),
    ) {
        if shared.conflicts.dma_setup_scope == DmaSetupScope::Shared {
            (self.vdr, self.vdw) = shared.dma_setup;
        }
        change(&mut self.vdr, &mut self.vdw);
        shared.dma_setup = (self.vdr, self.vdw);
    }

    fn start_load(&mut self, address: u32, shared: &mut Shared, memory: &impl Memory) {
        if shared.vdr.is_busy_for(self.number) {
            return self.warn(Rule::DmaStartLost, shared, String::new);
        }
        self.change_dma_setup(shared, |_, _| {});
        if self.vdr.is_incomplete() {
            self.warn(Rule::SetupBeforeWrite, shared, || "DMA load".into());
        }
        if self.vdr.has_wide_pitch() {
            let (given, counted) = (self.vdr.mpitchb, self.vdr.counted_pitch(&shared.conflicts));
            self.warn(Rule::VdrWidePitch, shared, || {
                format!("{given} bytes are given, and rows are read {counted} bytes apart")
            });
        }
        let load = self.vdr.start(address, &shared.conflicts);
        self.warn_transfer(&load, shared);
        self.warn_unprotected(shared.vdr.is_busy(), shared);
        // Own writes that are on their way must not overtake what is loaded.
        shared.vpm.drain(self.number);
        self.order_load(&load, shared);
        shared.totals.vdr.commands += 1;
        self.note_transfer(DmaEngine::Load, &load, shared);
        if let Some(time) = &mut shared.time {
            time.started_load(load.geometry(), shared.now);
        }
        shared.vdr.start(self.at(), shared.now, load, memory);
        self.unwatched[0] = true;
    }

    fn start_store(
        &mut self,
        address: u32,
        shared: &mut Shared,
        memory: &impl Memory,
    ) -> Result<(), FaultKind> {
        if shared.vdw.is_busy_for(self.number) {
            self.warn(Rule::DmaStartLost, shared, String::new);
            return Ok(());
        }
        self.change_dma_setup(shared, |_, _| {});
        if !self.vdw.basic_given {
            self.warn(Rule::SetupBeforeWrite, shared, || "DMA store".into());
        }
        let store = self
            .vdw
            .start(address, shared.conflicts.vdw_blockmode)
            .ok_or(FaultKind::Setup("MODEW 1 or LANED 1 of a DMA store"))?;
        if store.rows() > 1 && !self.vdw.stride_given {
            self.warn(Rule::VdwStrideUnset, shared, String::new);
        }
        if store.uses_blockmode() {
            self.warn(Rule::VdwBlockmode, shared, String::new);
        }
        if store.column_passes_block() {
            self.warn(Rule::VdwColumnPassesBlock, shared, String::new);
        }
        self.warn_transfer(&store, shared);
        self.warn_unprotected(shared.vdw.is_busy(), shared);
        // A store comes after the VPM writes of its QPU.
        shared.vpm.drain(self.number);
        self.order_store(&store, shared);
        shared.totals.vdw.commands += 1;
        self.note_transfer(DmaEngine::Store, &store, shared);
        if let Some(time) = &mut shared.time {
            time.started_store(usize::from(self.number), store.geometry(), shared.now);
        }
        shared.vdw.start(self.at(), shared.now, store, memory);
        self.unwatched[1] = true;
        Ok(())
    }

    fn note_transfer(&self, engine: DmaEngine, transfer: &impl Transfer, shared: &mut Shared) {
        shared.log.note(|| UnitEvent::DmaRequest {
            engine,
            qpu: self.number,
            address: transfer.row_address(0),
            rows: transfer.rows(),
            row_bytes: transfer.row_bytes(),
        });
    }

    fn warn_transfer(&self, transfer: &impl Transfer, shared: &mut Shared) {
        if !transfer.is_aligned() {
            self.warn(Rule::DmaAlignment, shared, String::new);
        }
        if transfer.is_subword_vertical() {
            self.warn(Rule::DmaSubwordVertical, shared, String::new);
        }
        if transfer.row_wraps() {
            self.warn(Rule::DmaRowWraps, shared, String::new);
        }
    }

    fn warn_unprotected(&self, busy: bool, shared: &mut Shared) {
        if shared.flag_unprotected_dma && busy && shared.mutex != Some(self.number) {
            self.warn(Rule::DmaUnprotected, shared, String::new);
        }
    }

    fn write_tmu(
        &mut self,
        addressed: u8,
        addresses: &Lanes,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<(), FaultKind> {
        if self.hazards.index < 2 {
            self.warn(Rule::TmuWriteTooEarly, shared, String::new);
        }
        let since = self.hazards.index - self.hazards.noswap;
        if since < 3 {
            self.warn_after(Rule::TmuNoswapTooLate, self.back(since), shared, |noswap| {
                format!("{since} instructions after {noswap}")
            });
        }
        self.hazards.tmu_written = true;
        let unit = self.tmus.unit(self.number, addressed);
        if self.tmus.outstanding(unit) >= SAFE_DEPTH {
            let oldest = self.tmus.oldest(unit);
            self.warn_after(Rule::TmuTooManyOutstanding, oldest, shared, |oldest| {
                format!("TMU {unit}; the oldest lookup whose result was not taken is {oldest}")
            });
        }
        if self.tmus.pending[usize::from(unit)].words > 0 {
            return self.look_up_texels(unit, addresses, shared, memory);
        }
        self.tmus.request(unit, addresses, self.at(), memory)?;
        self.looked_up(unit, addresses, shared);
        Ok(())
    }

    /// A lookup has been requested.
    #[inline]
    pub(super) fn looked_up(&self, unit: u8, addresses: &Lanes, shared: &mut Shared) {
        if let Some(time) = &mut shared.time {
            time.looked_up(usize::from(self.number), unit, addresses, shared.now);
        }
        shared.totals.tmu_requests += 1;
        shared.log.note(|| UnitEvent::TmuRequest {
            qpu: self.number,
            tmu: unit,
            addresses: *addresses,
        });
        self.check_lookup(addresses, shared);
    }
}
