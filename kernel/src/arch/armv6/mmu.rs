//! The flat memory map: RAM cached, peripherals Device, everything else a fault.
//!
//! 1 MiB sections in one 16 KiB L1 table, virtual = physical; only the megabyte of the stacks has a
//! table of its own, of pages of 64 KiB, so that the page below each stack stays unmapped. SCTLR.XP
//! selects the ARMv6 descriptor format (without it TEX, APX, S and XN mean something else,
//! silently); SCTLR.U makes a misaligned word access work or fault instead of rotating. RAM is
//! write-back, non-shareable: ARM1176 does not cache shareable memory. Of the RAM only the
//! megabytes of the flat image are executable: code, constants, `.data` and what the boot firmware
//! left below. What is above `__image_end` is mapped once the mailbox has said how much the ARM
//! owns.
//!
//! The I-cache is invalidated four times over, interrupts masked: on this core one invalidation may
//! fail (ARM erratum 411920; Linux applies it to the BCM2835).
//!
//! Sources: ARM ARM (DDI 0100I) B4.7; ARM1176JZF-S TRM 3.2.7, 3.2.13,
//! 6.11. The table walker does not read the L1 data cache, so entries are cleaned to RAM.

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use aarch32_cpu::mmu::{AccessPermissions, L1Section, MemoryRegionAttributes, SectionAttributes};
use aarch32_cpu::register::dacr::DomainAccess;
use aarch32_cpu::register::{BpIAll, Dacr, Iciallu, SysRegRead, SysRegWrite, TlbIAll, Ttbr0};
use arbitrary_int::u4;

use super::{clean_data_cache, data_sync_barrier, instruction_sync_barrier, stack};
use crate::board::{PERIPHERAL_BASE, PERIPHERAL_BYTES};

const SECTION: usize = 1 << 20;
const LARGE_PAGE: usize = 64 << 10;
/// The part of a megabyte that one entry of a second-level table is for. A large page has 16
/// entries, all of them the same.
const SMALL_PAGE: usize = 4 << 10;

/// RAM behind the image that is mapped before anyone has asked how much there is.
pub const FIRST_ARENA_BYTES: usize = SECTION;

#[repr(C, align(16384))]
struct Table([AtomicU32; 4096]);

static TABLE: Table = Table([const { AtomicU32::new(0) }; 4096]);

#[repr(C, align(1024))]
struct PageTable([AtomicU32; SECTION / SMALL_PAGE]);

/// Pages of the megabyte in which the stacks lie.
static STACK_PAGES: PageTable = PageTable([const { AtomicU32::new(0) }; SECTION / SMALL_PAGE]);

const fn attributes(memory: MemoryRegionAttributes, execute_never: bool) -> SectionAttributes {
    SectionAttributes {
        non_global: false,
        p_bit: false,
        shareable: false,
        access: AccessPermissions::PrivilegedOnly,
        memory_attrs: memory.as_raw(),
        domain: u4::new(0),
        execute_never,
    }
}

const CODE: SectionAttributes = attributes(
    MemoryRegionAttributes::OuterAndInnerWriteBackNoWriteAlloc,
    false,
);
const RAM: SectionAttributes = attributes(
    MemoryRegionAttributes::OuterAndInnerWriteBackNoWriteAlloc,
    true,
);
const DEVICE: SectionAttributes = attributes(MemoryRegionAttributes::ShareableDevice, true);

fn map(from: usize, to: usize, attributes: SectionAttributes) {
    for address in (from..to).step_by(SECTION) {
        let entry = L1Section::new_with_addr_and_attrs(address as u32, attributes);
        TABLE.0[address / SECTION].store(entry.raw_value(), Relaxed);
    }
}

/// First-level descriptor of a second-level table in domain 0.
const PAGE_TABLE: u32 = 0b01;
/// Second-level descriptor of 64 KiB of RAM: execute never (bit 15), write-back (C, B), privileged
/// accesses only (AP = 1), a large page (01); not shared, global.
const LARGE_PAGE_OF_RAM: u32 = 1 << 15 | 0b01 << 4 | 0b11 << 2 | 0b01;

/// Maps the megabyte at `start` as RAM, but for the large pages that begin at `guards`.
fn map_around(start: usize, guards: &[usize]) {
    for (index, entry) in STACK_PAGES.0.iter().enumerate() {
        let page = (start + index * SMALL_PAGE) & !(LARGE_PAGE - 1);
        if !guards.contains(&page) {
            entry.store(page as u32 | LARGE_PAGE_OF_RAM, Relaxed);
        }
    }
    let table = (&raw const STACK_PAGES) as usize as u32;
    TABLE.0[start / SECTION].store(table | PAGE_TABLE, Relaxed);
}

// SCTLR bits that aarch32-cpu's type for ARMv7 does not name are written raw (TRM table 3-39).
const SCTLR_M: u32 = 1 << 0;
const SCTLR_C: u32 = 1 << 2;
const SCTLR_Z: u32 = 1 << 11;
const SCTLR_I: u32 = 1 << 12;
const SCTLR_U: u32 = 1 << 22;
const SCTLR_XP: u32 = 1 << 23;

/// Turns on translation, both caches and branch prediction, with the image and the peripherals
/// mapped.
///
/// Compare-and-swap works from here on: exclusive accesses to memory that is not cached may never
/// succeed on real parts.
pub fn enable_mmu_and_caches() {
    let (code_end, image_end) = (stack::code_end(), super::image_end());
    map(0, code_end, CODE);
    map_around(code_end, &stack::guards());
    map(code_end + SECTION, image_end + FIRST_ARENA_BYTES, RAM);
    map(PERIPHERAL_BASE, PERIPHERAL_BASE + PERIPHERAL_BYTES, DEVICE);
    data_sync_barrier();
    let mut domains = Dacr::new_with_raw_value(0);
    domains.set_d(0, DomainAccess::Client);
    // SAFETY: caches and translation are off and the caches hold nothing of ours, so invalidating
    // loses nothing; the table maps code, stacks and peripherals to themselves before M is set.
    unsafe {
        asm!("mcr p15, 0, {zero}, c7, c7, 0", zero = in(reg) 0, options(nostack, preserves_flags));
        asm!("mcr p15, 0, {zero}, c2, c0, 2", zero = in(reg) 0, options(nostack, preserves_flags));
        for _ in 0..4 {
            Iciallu::write();
        }
        BpIAll::write();
        TlbIAll::write();
        Ttbr0::write(Ttbr0::new_with_raw_value(0).with_address((&raw const TABLE) as usize));
        Dacr::write(domains);
        data_sync_barrier();
        instruction_sync_barrier();
        let sctlr = aarch32_cpu::register::Sctlr::read_raw();
        aarch32_cpu::register::Sctlr::write_raw(
            sctlr | SCTLR_M | SCTLR_C | SCTLR_Z | SCTLR_I | SCTLR_U | SCTLR_XP,
        );
    }
    instruction_sync_barrier();
}

/// The tables: of each its first entry, and how many there are.
pub(super) fn tables() -> [(*const u32, usize); 2] {
    [
        ((&raw const TABLE).cast(), TABLE.0.len()),
        ((&raw const STACK_PAGES).cast(), STACK_PAGES.0.len()),
    ]
}

/// Maps the RAM from the image up to `bytes`, what the mailbox says the ARM owns (whole MiB).
pub fn map_ram(bytes: usize) {
    map(super::image_end(), bytes.min(PERIPHERAL_BASE), RAM);
    clean_data_cache((&raw const TABLE) as usize, size_of::<Table>());
    TlbIAll::write();
    data_sync_barrier();
    instruction_sync_barrier();
}
