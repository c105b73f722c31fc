//! CP15: control, MMU registers, cache maintenance, barriers, WFI, counters.
//!
//! Anything not listed here is undefined, as on silicon; what exists there but not here stops the
//! run as not modelled.
//!
//! Source: ARM1176JZF-S TRM (DDI 0301H), chapter 3.

use super::Cpu;
use super::access::Manner;
use super::decode::Operation;
use super::mmu::Access;
use super::registers::USR;
use crate::fault::FaultKind;

/// SCTLR after reset: the bits that read as one (QEMU 7.2 raspi0 shows the same).
const SCTLR_RESET: u32 = 0x0005_0078;
/// Bits of it that cannot be changed to zero.
const SCTLR_ONES: u32 = 0x0005_0070;

/// The system control coprocessor.
#[derive(Default)]
pub struct Registers {
    /// Control register.
    pub sctlr: u32,
    actlr: u32,
    /// Coprocessor access control.
    pub cpacr: u32,
    scr: u32,
    /// Translation table base 0.
    pub ttbr0: u32,
    /// Translation table base 1.
    pub ttbr1: u32,
    /// Translation table base control.
    pub ttbcr: u32,
    /// Domain access control.
    pub dacr: u32,
    /// Data fault status.
    pub dfsr: u32,
    /// Instruction fault status.
    pub ifsr: u32,
    /// Data fault address.
    pub dfar: u32,
    /// Instruction fault address.
    pub ifar: u32,
    /// Vector base.
    pub vbar: u32,
    context_id: u32,
    thread_id: [u32; 3],
    pmnc: u32,
    /// The clock at which the cycle counter was 0.
    ccnt_zero: u64,
    ccnt_stopped: u32,
}

impl Registers {
    /// The state after reset.
    pub fn new(clock: u64) -> Self {
        Self {
            sctlr: SCTLR_RESET,
            actlr: 7,
            ccnt_zero: clock,
            ..Self::default()
        }
    }

    /// The register at `place`, if reads and writes do nothing but that.
    fn plain(&mut self, place: Place) -> Option<&mut u32> {
        Some(match place {
            (1, 0, 0, 1) => &mut self.actlr,
            (1, 0, 0, 2) => &mut self.cpacr,
            (1, 0, 1, 0) => &mut self.scr,
            (5, 0, 0, 0) => &mut self.dfsr,
            (5, 0, 0, 1) => &mut self.ifsr,
            (6, 0, 0, 0) => &mut self.dfar,
            (6, 0, 0, 2) => &mut self.ifar,
            (13, 0, 0, 1) => &mut self.context_id,
            (13, 0, 0, index @ 2..=4) => &mut self.thread_id[index as usize - 2],
            _ => return None,
        })
    }

    /// The register at `place`, if writes of it change translations and reads do nothing.
    fn of_translation(&mut self, place: Place) -> Option<&mut u32> {
        Some(match place {
            (2, 0, 0, 0) => &mut self.ttbr0,
            (2, 0, 0, 1) => &mut self.ttbr1,
            (2, 0, 0, 2) => &mut self.ttbcr,
            (3, 0, 0, 0) => &mut self.dacr,
            _ => return None,
        })
    }
}

/// CRn, opcode_1, CRm and opcode_2 of an instruction.
type Place = (u32, u32, u32, u32);

/// MRC and MCR of coprocessor 15.
pub fn transfer(cpu: &mut Cpu, op: &Operation) {
    let word = op.word;
    let place = (word >> 16 & 15, word >> 21 & 7, word & 15, word >> 5 & 7);
    let read = word & 1 << 20 != 0;
    if cpu.mode == USR && !allowed_in_user_mode(place, read) {
        return cpu.undefined();
    }
    let register = op.rd as usize & 15;
    if !read {
        return write(cpu, place, cpu.r[register]);
    }
    match value(cpu, place) {
        Some(value) if register == 15 => cpu.nzcv = value >> 28,
        Some(value) => cpu.r[register] = value,
        None => cpu.undefined(),
    }
}

/// The barriers and two of the thread registers.
fn allowed_in_user_mode(place: Place, read: bool) -> bool {
    match place {
        (13, 0, 0, 2) => true,
        (13, 0, 0, 3) => read,
        (7, 0, 10, 4 | 5) | (7, 0, 5, 4) => !read,
        _ => false,
    }
}

fn value(cpu: &mut Cpu, place: Place) -> Option<u32> {
    let registers = &mut cpu.cp15;
    if let Some(register) = registers.plain(place) {
        return Some(*register);
    }
    if let Some(register) = registers.of_translation(place) {
        return Some(*register);
    }
    Some(match place {
        (0, 0, 0, 0) => 0x410f_b767,
        // 16 KiB, 4 ways, 32-byte lines, both caches.
        (0, 0, 0, 1) => 0x01dd_20d2,
        (0, 0, 0, 2 | 3) => 0,
        (0, 0, 1, 0) => 0x111,
        (0, 0, 1, 1) => 0x11,
        (0, 0, 1 | 2, _) => {
            cpu.not_modelled("the CPUID feature registers beyond ID_PFR1");
            0
        }
        (1, 0, 0, 0) => registers.sctlr,
        // Cache dirty status: clean. A program that waits for it has cleaned.
        (7, 0, 10, 6) => 0,
        (12, 0, 0, 0) => registers.vbar,
        (15, 0, 12, 0) => registers.pmnc,
        (15, 0, 12, 1) => cycle_count(cpu),
        (15, 0, 12, 2 | 3) => {
            cpu.not_modelled("the performance counters other than CCNT");
            0
        }
        (9..=11, ..) => {
            cpu.not_modelled("cache lockdown, TCM and TLB lockdown registers");
            0
        }
        _ => return None,
    })
}

fn write(cpu: &mut Cpu, place: Place, value: u32) {
    if let Some(register) = cpu.cp15.plain(place) {
        *register = value;
        return;
    }
    if let Some(register) = cpu.cp15.of_translation(place) {
        *register = value;
        return cpu.flush_tlb();
    }
    match place {
        (1, 0, 0, 0) => {
            let enables_cache = value & 4 != 0 && cpu.cp15.sctlr & 4 == 0;
            cpu.cp15.sctlr = value | SCTLR_ONES;
            cpu.flush_tlb();
            if enables_cache && cpu.config.checks.cache && !cpu.board.lines.invalidated {
                cpu.fault(FaultKind::CacheNotInvalidated, None);
            }
        }
        (7, 0, 0, 4) => {
            cpu.waiting = true;
            cpu.deadline = 0;
        }
        (7, 0, line, operation) => maintain(cpu, line, operation, value),
        (8, 0, 5..=7, 0..=3) => cpu.flush_tlb(),
        (12, 0, 0, 0) => cpu.cp15.vbar = value & !31,
        (15, 0, 12, 0) => write_pmnc(cpu, value),
        (15, 0, 12, 1) => {
            cpu.cp15.ccnt_stopped = value;
            cpu.cp15.ccnt_zero = cpu.clock.wrapping_sub(u64::from(value));
        }
        (15, 0, 12, 2 | 3) => cpu.not_modelled("the performance counters other than CCNT"),
        (9..=11, ..) => cpu.not_modelled("cache lockdown, TCM and TLB lockdown registers"),
        _ => cpu.undefined(),
    }
}

/// c7: `crm` says which caches and what, `op2` how the line is named.
fn maintain(cpu: &mut Cpu, crm: u32, op2: u32, value: u32) {
    let lines = &mut cpu.board.lines;
    match (crm, op2) {
        // Instruction cache, prefetch and branch buffers: transparent here.
        (5, 0 | 1 | 2 | 4 | 6 | 7) | (13, 1) => {}
        (6 | 7, 0) => lines.maintain_all(false, true),
        (10, 0) => lines.maintain_all(true, false),
        (14, 0) => lines.maintain_all(true, true),
        (6, 1) => maintain_line(cpu, value, false, true),
        (10, 1) => maintain_line(cpu, value, true, false),
        (14, 1) => maintain_line(cpu, value, true, true),
        (10, 4) => {
            lines.drain();
            cpu.board.barrier();
        }
        // DMB orders but does not complete.
        (10, 5) => cpu.board.barrier(),
        (6 | 10 | 14, 2) => {
            cpu.not_modelled("cache maintenance by set and way; use addresses or the whole cache")
        }
        (4 | 8, _) => cpu.not_modelled("address translation by CP15 (c7,c4 and c7,c8)"),
        _ => cpu.undefined(),
    }
}

/// Maintenance takes virtual addresses and may abort (TRM 3.2.22).
fn maintain_line(cpu: &mut Cpu, address: u32, clean: bool, invalidate: bool) {
    let found = cpu.translate(address, Access::Read, Manner::default());
    if let Some((_, physical)) = found.filter(|found| found.1 < cpu.board.memory.size()) {
        cpu.board.lines.maintain(physical, clean, invalidate);
    }
}

/// MCRR of coprocessor 15: ranges, both ends inclusive and virtual (TRM 3.2.22, "block transfer").
pub fn range(cpu: &mut Cpu, op: &Operation) {
    if cpu.mode == USR {
        return cpu.undefined();
    }
    let (end, start) = (cpu.r[op.rd as usize & 15], cpu.r[op.rn as usize & 15]);
    let (clean, invalidate) = match (op.word >> 4 & 15, op.word & 15) {
        (0, 5) => return,
        (0, 6) => (false, true),
        (0, 12) => (true, false),
        (0, 14) => (true, true),
        _ => return cpu.undefined(),
    };
    let mut address = start & !31;
    while address <= end {
        maintain_line(cpu, address, clean, invalidate);
        match address.checked_add(32) {
            Some(next) => address = next,
            None => break,
        }
    }
}

/// CCNT: clocks since it was reset, by 64 with PMNC.D; it stands still while PMNC.E is clear.
fn cycle_count(cpu: &Cpu) -> u32 {
    let registers = &cpu.cp15;
    if registers.pmnc & 1 == 0 {
        return registers.ccnt_stopped;
    }
    let clocks = cpu.clock.wrapping_sub(registers.ccnt_zero);
    if registers.pmnc & 8 != 0 {
        (clocks / 64) as u32
    } else {
        clocks as u32
    }
}

fn write_pmnc(cpu: &mut Cpu, value: u32) {
    let count = if value & 4 != 0 { 0 } else { cycle_count(cpu) };
    let scale = if value & 8 != 0 { 64 } else { 1 };
    cpu.cp15.pmnc = value & !6;
    cpu.cp15.ccnt_stopped = count;
    cpu.cp15.ccnt_zero = cpu.clock.wrapping_sub(u64::from(count) * scale);
}
