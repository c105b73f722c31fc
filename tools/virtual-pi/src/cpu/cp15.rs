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
    /// CCNT, and the counters of events.
    counters: [Counter; 3],
}

/// A counter of the performance monitor.
#[derive(Clone, Copy, Default)]
struct Counter {
    /// The number of events since power-on when it was 0.
    zero: u64,
    /// Its value, while it stands still.
    held: u32,
}

impl Registers {
    /// The state after reset.
    pub fn new(clock: u64) -> Self {
        Self {
            sctlr: SCTLR_RESET,
            actlr: 7,
            counters: [
                Counter {
                    zero: clock,
                    held: 0,
                },
                Counter::default(),
                Counter::default(),
            ],
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
        (15, 0, 12, index @ 1..=3) => read_counter(cpu, index as usize - 1),
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
        (15, 0, 12, index @ 1..=3) => set_counter(cpu, index as usize - 1, value),
        (9..=11, ..) => cpu.not_modelled("cache lockdown, TCM and TLB lockdown registers"),
        _ => cpu.undefined(),
    }
}

/// c7: `crm` says which caches and what, `op2` how the line is named.
fn maintain(cpu: &mut Cpu, crm: u32, op2: u32, value: u32) {
    let lines = &mut cpu.board.lines;
    match (crm, op2) {
        // By set and way, too, everything is dropped: it only costs time.
        (5, 0 | 2) => cpu.invalidate_code(),
        (5, 1) => cpu.invalidate_code_line(value),
        // Prefetch and branch buffers: transparent here.
        (5, 4 | 6 | 7) | (13, 1) => {}
        (6, 0) => lines.maintain_all(false, true),
        (7, 0) => {
            lines.maintain_all(false, true);
            cpu.invalidate_code();
        }
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
        (0, 5) => return for_lines(start, end, |address| cpu.invalidate_code_line(address)),
        (0, 6) => (false, true),
        (0, 12) => (true, false),
        (0, 14) => (true, true),
        _ => return cpu.undefined(),
    };
    for_lines(start, end, |address| {
        maintain_line(cpu, address, clean, invalidate);
    });
}

/// Calls for each line from that of `start` to that of `end`.
fn for_lines(start: u32, end: u32, mut act: impl FnMut(u32)) {
    let mut address = start & !31;
    while address <= end {
        act(address);
        match address.checked_add(32) {
            Some(next) => address = next,
            None => break,
        }
    }
}

/// The event of the performance monitor that an instruction was executed.
const EXECUTED: u32 = 7;

/// MRC of counter `index`: CCNT, or one of the event that PMNC names.
fn read_counter(cpu: &mut Cpu, index: usize) -> u32 {
    let event = [EXECUTED, cpu.cp15.pmnc >> 20, cpu.cp15.pmnc >> 12][index] & 0xff;
    if event != EXECUTED {
        cpu.not_modelled("performance counters of events other than 7, instructions executed");
    }
    counted(cpu, index)
}

/// The events of a counter since power-on, and how many of them it counts as one.
fn source(cpu: &Cpu, index: usize) -> (u64, u64) {
    match index {
        0 if cpu.cp15.pmnc & 8 != 0 => (cpu.clock, 64),
        0 => (cpu.clock, 1),
        _ => (cpu.executed(), 1),
    }
}

/// The value of a counter, which stands still while PMNC.E is clear.
fn counted(cpu: &Cpu, index: usize) -> u32 {
    let Counter { zero, held } = cpu.cp15.counters[index];
    if cpu.cp15.pmnc & 1 == 0 {
        return held;
    }
    let (now, unit) = source(cpu, index);
    (now.wrapping_sub(zero) / unit) as u32
}

fn set_counter(cpu: &mut Cpu, index: usize, value: u32) {
    let (now, unit) = source(cpu, index);
    let zero = now.wrapping_sub(u64::from(value) * unit);
    cpu.cp15.counters[index] = Counter { zero, held: value };
}

fn write_pmnc(cpu: &mut Cpu, value: u32) {
    // C resets CCNT, and P the others.
    let values: [u32; 3] = std::array::from_fn(|index| {
        let is_reset = value & [4, 2, 2][index] != 0;
        if is_reset { 0 } else { counted(cpu, index) }
    });
    cpu.cp15.pmnc = value & !6;
    for (index, value) in values.into_iter().enumerate() {
        set_counter(cpu, index, value);
    }
}
