//! The flat memory map: RAM cached, peripherals Device, everything else a fault.
//!
//! 1 MiB sections in one 16 KiB L1 table, virtual = physical. SCTLR.XP selects the ARMv6 descriptor
//! format (without it TEX, APX, S and XN mean something else, silently); SCTLR.U makes a misaligned
//! word access work or fault instead of rotating. RAM is write-back, non-shareable: ARM1176 does
//! not cache shareable memory. Of the RAM only the megabyte of the image is executable, and all
//! above it is mapped once the mailbox has said how much the ARM owns.
//!
//! The I-cache is invalidated four times over, interrupts masked: on this core one invalidation may
//! fail (ARM erratum 411920; Linux applies it to the BCM2835).
//!
//! Sources: ARM ARM (DDI 0100I) B4.7; ARM1176JZF-S TRM 3.2.7, 3.2.13, 6.11. The table walker does
//! not read the L1 data cache, so entries are cleaned to RAM.

use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use aarch32_cpu::mmu::{AccessPermissions, L1Section, MemoryRegionAttributes, SectionAttributes};
use aarch32_cpu::register::dacr::DomainAccess;
use aarch32_cpu::register::{BpIAll, Dacr, Iciallu, SysRegRead, SysRegWrite, TlbIAll, Ttbr0};
use arbitrary_int::u4;

use super::{clean_data_cache, data_sync_barrier, instruction_sync_barrier};
use crate::board::{PERIPHERAL_BASE, PERIPHERAL_BYTES};

const SECTION: usize = 1 << 20;

/// RAM behind the image that is mapped before anyone has asked how much there is.
pub const FIRST_ARENA_BYTES: usize = SECTION;

#[repr(C, align(16384))]
struct Table([AtomicU32; 4096]);

static TABLE: Table = Table([const { AtomicU32::new(0) }; 4096]);

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
    let image_end = super::image_end();
    map(0, image_end, CODE);
    map(image_end, image_end + FIRST_ARENA_BYTES, RAM);
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

/// The table: its first entry, and how many there are.
pub(super) fn table() -> (*const u32, usize) {
    ((&raw const TABLE).cast(), TABLE.0.len())
}

/// Maps the RAM from the image up to `bytes`, what the mailbox says the ARM owns (whole MiB).
pub fn map_ram(bytes: usize) {
    map(super::image_end(), bytes.min(PERIPHERAL_BASE), RAM);
    clean_data_cache((&raw const TABLE) as usize, size_of::<Table>());
    TlbIAll::write();
    data_sync_barrier();
    instruction_sync_barrier();
}
