//! Loads and stores: the fast path through the TLB, and everything else.
//!
//! `load` and `store` return `None` when the instruction must have no further effect: an abort was
//! taken or the run stops. Every access to a peripheral ends the current stretch of instructions,
//! so that interrupts are seen at the very next one.

use super::Cpu;
use super::mmu::{Access, MemoryType, Translation, WalkError};
use super::registers::USR;
use crate::board::Board;
use crate::checks::{COLD, DIRTY, PRESENT, STALE};
use crate::fault::FaultKind;

/// Differences of a slow access from the ordinary.
#[derive(Clone, Copy, Default)]
pub struct Manner {
    /// LDM, LDRD, LDREX and the like: must be word aligned whatever SCTLR.U says.
    pub strict: bool,
    /// LDRT and STRT: with the permissions of user mode.
    pub user: bool,
    /// LDREX, STREX, SWP: must be Normal cacheable.
    pub exclusive: bool,
}

/// State of a line that a store finds in the cache.
const IN_CACHE: u8 = PRESENT | DIRTY;
/// State of a line that has only been stored to.
const PAST_CACHE: u8 = PRESENT | DIRTY | COLD;

impl Manner {
    const STRICT: Self = Self {
        strict: true,
        user: false,
        exclusive: false,
    };
}

impl Cpu {
    /// Loads `SIZE` bytes, zero-extended.
    #[inline(always)]
    pub fn load<const SIZE: u32>(&mut self, address: u32) -> Option<u32> {
        let entry = self.tlb.entry(address);
        if entry.read == address & (0xffff_f000 | (SIZE - 1))
            && self.board.lines.state(entry.lines, address) & (PRESENT | STALE | COLD) == PRESENT
        {
            let word = self.board.memory.at(entry.page, address as usize >> 2);
            return Some(extract::<SIZE>(word, address));
        }
        self.load_slow(address, SIZE, Manner::default())
    }

    /// Stores the low `SIZE` bytes of `value`.
    #[inline(always)]
    pub fn store<const SIZE: u32>(&mut self, address: u32, value: u32) -> Option<()> {
        let entry = self.tlb.entry(address);
        if entry.write == address & (0xffff_f000 | (SIZE - 1)) {
            let page = entry.page;
            match self.board.lines.state(entry.lines, address) & (PRESENT | DIRTY | STALE | COLD) {
                IN_CACHE => {}
                PAST_CACHE => self.store_past(address),
                _ => return self.store_slow(address, SIZE, value, Manner::default()),
            }
            let word = self.board.memory.at_mut(page, address as usize >> 2);
            *word = insert::<SIZE>(*word, address, value);
            return Some(());
        }
        self.store_slow(address, SIZE, value, Manner::default())
    }

    /// Loads a word for LDM, LDRD, RFE and VFP loads.
    #[inline(always)]
    pub fn load_strict(&mut self, address: u32) -> Option<u32> {
        if address & 3 != 0 {
            return self.load_slow(address, 4, Manner::STRICT);
        }
        self.load::<4>(address)
    }

    /// Stores a word for STM, STRD, SRS and VFP stores.
    #[inline(always)]
    pub fn store_strict(&mut self, address: u32, value: u32) -> Option<()> {
        if address & 3 != 0 {
            return self.store_slow(address, 4, value, Manner::STRICT);
        }
        self.store::<4>(address, value)
    }

    /// Any load that the fast path does not take.
    #[cold]
    #[inline(never)]
    pub fn load_slow(&mut self, address: u32, size: u32, manner: Manner) -> Option<u32> {
        if address & (size - 1) != 0 {
            return self.load_unaligned(address, size, manner);
        }
        let (found, physical) = self.translate(address, Access::Read, manner)?;
        if physical >= self.board.memory.size() {
            return self.load_device(physical, size, manner);
        }
        self.check_exclusive(&found, physical, manner)?;
        self.touch(&found, physical, false)?;
        if !found.kind.is_cached() {
            self.wait_for_memory(physical);
        }
        if !manner.user {
            self.fill_tlb(address, &found);
        }
        let word = self.board.memory.word(physical);
        Some(extract_of(size, word, address))
    }

    /// Any store that the fast path does not take.
    #[cold]
    #[inline(never)]
    pub fn store_slow(
        &mut self,
        address: u32,
        size: u32,
        value: u32,
        manner: Manner,
    ) -> Option<()> {
        if address & (size - 1) != 0 {
            return self.store_unaligned(address, size, value, manner);
        }
        let (found, physical) = self.translate(address, Access::Write, manner)?;
        if physical >= self.board.memory.size() {
            return self.store_device(physical, size, value, manner);
        }
        self.check_exclusive(&found, physical, manner)?;
        self.touch(&found, physical, true)?;
        if found.kind != MemoryType::WriteBack {
            self.wait_for_memory(physical);
        }
        if matches!(found.kind, MemoryType::Uncached | MemoryType::WriteThrough) {
            self.board.lines.store_past_cache(physical);
        }
        let word = self.board.memory.word_mut(physical);
        *word = match size {
            1 => insert::<1>(*word, address, value),
            2 => insert::<2>(*word, address, value),
            _ => value,
        };
        self.drop_unmade();
        if !manner.user {
            self.fill_tlb(address, &found);
        }
        Some(())
    }

    /// Tells the cache of an access to a line that it may hold.
    fn touch(&mut self, found: &Translation, physical: u32, store: bool) -> Option<()> {
        if !found.kind.is_cached() {
            return Some(());
        }
        let write_back = found.kind == MemoryType::WriteBack;
        let Board { lines, memory, .. } = &mut self.board;
        let is_missing = lines.real(physical) & (PRESENT | COLD) != PRESENT;
        let touched = lines.touch(physical, store, write_back, memory);
        self.or_fault(touched, physical)?;
        if is_missing {
            self.miss_line(physical, store);
        }
        Some(())
    }

    /// The value of a result; its error becomes a fault at an address.
    fn or_fault<T>(&mut self, result: Result<T, FaultKind>, at: u32) -> Option<T> {
        result.map_err(|kind| self.fault(kind, Some(at))).ok()
    }

    fn load_unaligned(&mut self, address: u32, size: u32, manner: Manner) -> Option<u32> {
        if self.is_legacy_unaligned(address, false, manner)? {
            let value = self.load_slow(address & !(size - 1), size, manner)?;
            return Some(if size == 4 {
                value.rotate_right((address & 3) * 8)
            } else {
                value
            });
        }
        self.check_unaligned(address, Access::Read, manner)?;
        let mut value = 0;
        for byte in 0..size {
            value |= self.load_slow(address.wrapping_add(byte), 1, manner)? << (8 * byte);
        }
        Some(value)
    }

    fn store_unaligned(
        &mut self,
        address: u32,
        size: u32,
        value: u32,
        manner: Manner,
    ) -> Option<()> {
        if self.is_legacy_unaligned(address, true, manner)? {
            return self.store_slow(address & !(size - 1), size, value, manner);
        }
        self.check_unaligned(address, Access::Write, manner)?;
        // The last byte first: if its page aborts, nothing has been written.
        self.translate(address.wrapping_add(size - 1), Access::Write, manner)?;
        for byte in 0..size {
            self.store_slow(address.wrapping_add(byte), 1, value >> (8 * byte), manner)?;
        }
        Some(())
    }

    /// True if low address bits are ignored; `None` if unaligned accesses are not allowed.
    fn is_legacy_unaligned(&mut self, address: u32, store: bool, manner: Manner) -> Option<bool> {
        if self.cp15.sctlr & 2 != 0 || manner.strict {
            self.data_abort(address, 1, store);
            return None;
        }
        let is_legacy = self.cp15.sctlr & 1 << 22 == 0;
        if is_legacy && self.config.checks.unaligned {
            self.fault(FaultKind::UnalignedLegacy, Some(address));
            return None;
        }
        Some(is_legacy)
    }

    fn check_unaligned(&mut self, address: u32, access: Access, manner: Manner) -> Option<()> {
        let (found, physical) = self.translate(address, access, manner)?;
        if self.config.checks.unaligned && found.kind.is_ordered() {
            self.fault(FaultKind::UnalignedDevice, Some(physical));
            return None;
        }
        Some(())
    }

    fn check_exclusive(
        &mut self,
        found: &Translation,
        physical: u32,
        manner: Manner,
    ) -> Option<()> {
        if manner.exclusive && self.config.checks.exclusive && !found.kind.is_cached() {
            self.fault(FaultKind::ExclusiveUncached, Some(physical));
            return None;
        }
        Some(())
    }

    /// Translates, or takes the abort.
    pub fn translate(
        &mut self,
        address: u32,
        access: Access,
        manner: Manner,
    ) -> Option<(Translation, u32)> {
        match self.walk(address, access, manner.user || self.mode == USR) {
            Ok(found) => Some((found, found.page | address & 0xfff)),
            Err(WalkError::Abort(status)) => {
                self.data_abort(address, status, access == Access::Write);
                None
            }
            Err(WalkError::Stop(kind, at)) => {
                self.fault(kind, Some(at));
                None
            }
        }
    }

    fn load_device(&mut self, physical: u32, size: u32, manner: Manner) -> Option<u32> {
        self.check_device(physical, size, manner)?;
        let value = self.board.read_register(physical & !3, self.clock);
        if !self.board.only_looks(physical) {
            self.deadline = 0;
        }
        self.drop_unmade();
        let value = self.or_fault(value, physical)?;
        Some(extract_of(size, value, physical))
    }

    fn store_device(&mut self, physical: u32, size: u32, value: u32, manner: Manner) -> Option<()> {
        self.check_device(physical, size, manner)?;
        self.deadline = 0;
        let written = self.board.write_register(physical & !3, value, self.clock);
        self.drop_unmade();
        self.or_fault(written, physical)
    }

    fn check_device(&mut self, physical: u32, size: u32, manner: Manner) -> Option<()> {
        self.wait(crate::clock::MMIO_CLOCKS);
        if manner.exclusive && self.config.checks.exclusive {
            self.fault(FaultKind::ExclusiveUncached, Some(physical));
            return None;
        }
        if self.board.hangs(physical) {
            self.hung = true;
            self.deadline = 0;
            return None;
        }
        if size != 4 && self.config.checks.mmio {
            self.fault(FaultKind::MmioWidth(size), Some(physical));
            return None;
        }
        Some(())
    }
}

/// The `SIZE` bytes of a little-endian word that an aligned address names.
#[inline(always)]
fn extract<const SIZE: u32>(word: u32, address: u32) -> u32 {
    match SIZE {
        1 => word >> ((address & 3) * 8) & 0xff,
        2 => word >> ((address & 2) * 8) & 0xffff,
        _ => word,
    }
}

/// Those bytes, for a size that is not a constant.
fn extract_of(size: u32, word: u32, address: u32) -> u32 {
    match size {
        1 => extract::<1>(word, address),
        2 => extract::<2>(word, address),
        _ => word,
    }
}

/// The word with those bytes replaced.
#[inline(always)]
fn insert<const SIZE: u32>(word: u32, address: u32, value: u32) -> u32 {
    match SIZE {
        1 => {
            let shift = (address & 3) * 8;
            word & !(0xff << shift) | (value & 0xff) << shift
        }
        2 => {
            let shift = (address & 2) * 8;
            word & !(0xffff << shift) | (value & 0xffff) << shift
        }
        _ => value,
    }
}
