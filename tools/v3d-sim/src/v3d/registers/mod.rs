//! V3D's registers as the ARM sees them: offsets in the 4 KiB window.
//!
//! Modelled is what user programs and their driver touch. The rest belongs to the 3D pipeline: it
//! reads 0 (or what an idle block reads), and a write is a warning. Source: guide, "V3D
//! registers"; Broadcom's driver sources for those at 0xe00 on; values as read on chips.

mod performance;

use super::V3d;
use crate::chip::{QPUS, SLICES};
use crate::defect::Defect;
use crate::rule::Rule;
use crate::scheduler::Request;
use crate::tmu::stale::Cache;
use crate::uniforms::Uniforms;
use performance::Performance;

/// Offsets, by Broadcom's names.
#[expect(missing_docs, reason = "the manual has them under these names")]
pub mod offset {
    pub const IDENT0: u32 = 0x000;
    pub const IDENT1: u32 = 0x004;
    pub const IDENT2: u32 = 0x008;
    pub const SCRATCH: u32 = 0x010;
    pub const L2CACTL: u32 = 0x020;
    pub const SLCACTL: u32 = 0x024;
    pub const INTCTL: u32 = 0x030;
    pub const INTENA: u32 = 0x034;
    pub const INTDIS: u32 = 0x038;
    pub const SQRSV0: u32 = 0x410;
    pub const SQRSV1: u32 = 0x414;
    pub const SQCNTL: u32 = 0x418;
    pub const SRQPC: u32 = 0x430;
    pub const SRQUA: u32 = 0x434;
    pub const SRQUL: u32 = 0x438;
    pub const SRQCS: u32 = 0x43c;
    pub const VPACNTL: u32 = 0x500;
    pub const VPMBASE: u32 = 0x504;
    pub const PCTRC: u32 = 0x670;
    pub const PCTRE: u32 = 0x674;
    pub const PCTR0: u32 = 0x680;
    pub const PCTRS15: u32 = 0x6fc;
    pub const DBCFG: u32 = 0xe00;
    pub const DBSCFG: u32 = 0xe08;
    pub const DBQRUN: u32 = 0xe20;
    pub const DBQHLT: u32 = 0xe24;
    pub const DBQITE: u32 = 0xe2c;
    pub const DBQITC: u32 = 0xe30;
    pub const ERRSTAT: u32 = 0xf20;
}

/// "V3D", technology version 2.
const IDENT0: u32 = 0x0244_3356;
/// 12 KiB of VPM, 16 semaphores, 2 TMUs and 4 QPUs in each of 3 slices, revision 1.
const IDENT1: u32 = 0xc110_2431;
const IDENT2: u32 = 0x0000_0121;
/// Largest VPMBASE: the whole window of user programs.
const VPMBASE_ALL: u32 = 16;
const ERRSTAT_VCDI: u32 = 1 << 12;
/// SLCACTL: the bits of instruction caches.
const ALL_INSTRUCTION_CACHES: u32 = 0x0000_000f;
/// SLCACTL's bits of the uniform caches of every slice there is.
const ALL_UNIFORM_CACHES: u32 = 0x0000_0700;
/// SLCACTL's bits of both TMU caches in every slice there is.
const ALL_TMU_CACHES: u32 = 0x0707_0000;

/// Registers that only hold what was written, and the performance counters.
#[derive(Default)]
pub struct Registers {
    scratch: u32,
    l2c_enabled: bool,
    interrupts: u32,
    interrupts_enabled: u32,
    sqcntl: u32,
    srqua: u32,
    srqul: u32,
    vpacntl: u32,
    vpmbase: u32,
    performance: Performance,
}

impl Registers {
    /// INTCTL's part of the interrupt line.
    pub fn interrupt(&self) -> bool {
        self.interrupts & self.interrupts_enabled != 0
    }
}

impl V3d {
    /// Reads the register at `offset` inside the 4 KiB window.
    pub fn read_register(&mut self, offset: u32) -> u32 {
        let registers = &self.registers;
        match offset {
            offset::IDENT0 => IDENT0,
            offset::IDENT1 => IDENT1,
            offset::IDENT2 => IDENT2,
            offset::SCRATCH => registers.scratch,
            offset::L2CACTL => u32::from(registers.l2c_enabled),
            offset::INTCTL => registers.interrupts,
            offset::INTENA | offset::INTDIS => registers.interrupts_enabled,
            offset::SQRSV0 => self.scheduler.reserved[0],
            offset::SQRSV1 => self.scheduler.reserved[1],
            offset::SQCNTL => registers.sqcntl,
            offset::SRQUA => registers.srqua,
            offset::SRQUL => registers.srqul,
            offset::SRQCS => self.scheduler.status(),
            offset::VPACNTL => registers.vpacntl,
            offset::VPMBASE => registers.vpmbase,
            offset::PCTRE => registers.performance.enabled,
            offset::PCTR0..=offset::PCTRS15 => registers
                .performance
                .read(offset - offset::PCTR0, &self.shared.totals),
            offset::DBCFG => u32::from(self.shared.debug),
            // "No debug client", its value after reset.
            offset::DBSCFG => 0x3f,
            offset::DBQHLT => self.halted_qpus(),
            offset::DBQITE => u32::from(self.shared.interrupt_enable),
            offset::DBQITC => u32::from(self.shared.host_interrupts),
            offset::ERRSTAT => {
                self.shared.errors
                    | if self.shared.vdr.is_busy() {
                        0
                    } else {
                        ERRSTAT_VCDI
                    }
            }
            _ => 0,
        }
    }

    /// Writes the register at `offset` inside the 4 KiB window.
    pub fn write_register(&mut self, offset: u32, value: u32) {
        self.wake();
        let registers = &mut self.registers;
        match offset {
            offset::SCRATCH => registers.scratch = value,
            offset::L2CACTL => self.write_l2cactl(value),
            offset::SLCACTL => self.write_slcactl(value),
            offset::INTCTL => registers.interrupts &= !value,
            offset::INTENA => registers.interrupts_enabled |= value & 15,
            offset::INTDIS => registers.interrupts_enabled &= !value,
            offset::SQRSV0 => self.scheduler.reserved[0] = value,
            offset::SQRSV1 => self.scheduler.reserved[1] = value,
            offset::SQCNTL => registers.sqcntl = value & 15,
            offset::SRQPC => self.queue_program(value),
            offset::SRQUA => registers.srqua = value,
            offset::SRQUL => registers.srqul = value & 0xfff,
            offset::SRQCS => self.scheduler.control(value),
            offset::VPACNTL => registers.vpacntl = value & 0x3fff,
            offset::VPMBASE => self.write_vpmbase(value & 31),
            offset::PCTRC => registers.performance.clear(value, &self.shared.totals),
            offset::PCTRE => registers.performance.enable(value, &self.shared.totals),
            offset::PCTR0..=offset::PCTRS15 => {
                registers
                    .performance
                    .write(offset - offset::PCTR0, value, &self.shared.totals);
            }
            offset::DBCFG => self.shared.debug = value & 1 != 0,
            offset::DBQRUN => self.halt_qpus(value, false),
            offset::DBQHLT => self.halt_qpus(value, true),
            offset::DBQITE => self.shared.interrupt_enable = value as u16,
            offset::DBQITC => self.shared.host_interrupts &= !(value as u16),
            _ => {
                self.shared.report.warn_launch(Rule::RegisterUnknown, || {
                    format!("write of offset {offset:#05x}")
                });
            }
        }
        // A reservation that is lifted may let a queued program start.
        self.dispatch();
    }

    fn queue_program(&mut self, code: u32) {
        let Registers { srqua, srqul, .. } = self.registers;
        if srqua & 3 != 0 {
            self.shared
                .report
                .warn_launch(Rule::UniformsAlignment, || format!("SRQUA {srqua:#010x}"));
        }
        let uniforms = Uniforms::new(srqua, srqul, self.shared.conflicts.srqul_zero);
        if !self.scheduler.push(Request {
            code,
            uniforms,
            after: self.shared.races.arm(),
        }) {
            self.shared
                .report
                .warn_launch(Rule::QueueOverflow, || format!("SRQPC {code:#010x}"));
        }
    }

    fn write_l2cactl(&mut self, value: u32) {
        if value & 1 != 0 {
            self.registers.l2c_enabled = true;
        }
        if value & 2 != 0 {
            self.registers.l2c_enabled = false;
        }
        if value & 4 != 0 {
            self.check_cache_clear();
            self.shared.stale.clear(Cache::L2c);
            if let Some(time) = &mut self.shared.time {
                time.l2c.clear();
            }
        }
    }

    fn write_slcactl(&mut self, value: u32) {
        self.check_cache_clear();
        for slice in 0..SLICES {
            if value & 1 << slice != 0 {
                self.code[slice].clear();
            }
        }
        self.shared.totals.clear_uniform_lines(value >> 8 & 15);
        let cleared = match self.config().defect {
            Some(Defect::StaleInstructions) => value & !ALL_INSTRUCTION_CACHES,
            _ => value,
        };
        if let Some(time) = &mut self.shared.time {
            time.clear_slices(cleared);
        }
        if value & ALL_UNIFORM_CACHES == ALL_UNIFORM_CACHES {
            self.shared.stale.clear(Cache::Uniforms);
        }
        if value & ALL_TMU_CACHES == ALL_TMU_CACHES {
            self.shared.stale.clear(Cache::Tmu);
        }
    }

    fn check_cache_clear(&mut self) {
        if self.qpus.iter().any(crate::qpu::Qpu::has_lookups) {
            self.shared
                .report
                .warn_launch(Rule::CacheClearWhileRunning, String::new);
        }
    }

    fn write_vpmbase(&mut self, units: u32) {
        if self.is_running() || units > VPMBASE_ALL {
            self.shared
                .report
                .warn_launch(Rule::VpmbaseWhileRunning, || format!("value {units}"));
        }
        self.registers.vpmbase = units;
        self.shared.vpm.reserve(units);
    }

    fn halted_qpus(&self) -> u32 {
        (0..QPUS)
            .filter(|number| self.qpus[*number].halted)
            .fold(0, |bits, number| bits | 1 << number)
    }

    /// DBQHLT and DBQRUN act on the QPUs whose bits are set, when DBCFG lets them.
    fn halt_qpus(&mut self, bits: u32, halted: bool) {
        if !self.shared.debug {
            return;
        }
        for number in 0..QPUS {
            if bits & 1 << number != 0 {
                self.set_halted(number, halted);
            }
        }
    }
}
