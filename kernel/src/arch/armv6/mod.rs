//! ARM1176: what ARMv6 has no mnemonics for, and what aarch32-cpu lacks before ARMv7.
//!
//! Barriers, whole-cache operations and WFI are CP15 c7 operations here; `aarch32_cpu::asm` has
//! none of them below ARMv7. Line operations by address, CPSR and the fault registers are
//! aarch32-cpu's. The assembly below may not be marked `nomem`: each is also what keeps the
//! compiler from moving memory accesses across it.
//!
//! Sources: ARM1176JZF-S TRM (DDI 0301H), 3.2.22 "c7, Cache operations"; erratum 716151 as
//! hoglet67/PiTubeDirect has it (`cache.c`); raspberrypi/linux 20.

mod exception;
mod keep;
mod mmu;
mod stack;

use core::arch::asm;

use aarch32_cpu::register::{Dccimvac, Dccmvac, Dcimvac};

pub use exception::{take_pending_abort, unmask_aborts};
pub use keep::{KEEP_WORDS, clean_keep, drain_system_cache, keep};
pub use mmu::{FIRST_ARENA_BYTES, enable_mmu_and_caches, map_ram};
pub use stack::stack_left_bytes;

core::arch::global_asm!(include_str!("../../../../boot/armv6.s"), options(raw));

/// Makes a `fn(atags: u32) -> !` the first Rust function of the image.
///
/// `atags` is r2 as the boot firmware left it: the address of the ATAG list, or 0.
#[macro_export]
macro_rules! entry {
    ($boot:path) => {
        #[unsafe(export_name = "kernel_main")]
        extern "C" fn kernel_main(atags: u32) -> ! {
            $boot(atags)
        }
    };
}

/// Bytes of an L1 cache line.
const LINE_BYTES: usize = 32;

/// Waits until every access before it is complete (c7, c10, 4).
#[inline]
pub fn data_sync_barrier() {
    // SAFETY: a barrier changes no state that Rust knows of.
    unsafe {
        asm!("mcr p15, 0, {zero}, c7, c10, 4", zero = in(reg) 0, options(nostack, preserves_flags))
    };
}

/// Orders the accesses before it against those after it (c7, c10, 5).
#[inline]
pub fn data_memory_barrier() {
    // SAFETY: as for `data_sync_barrier`.
    unsafe {
        asm!("mcr p15, 0, {zero}, c7, c10, 5", zero = in(reg) 0, options(nostack, preserves_flags))
    };
}

/// Refetches everything after it (prefetch flush, c7, c5, 4: what ARMv7 calls ISB).
#[inline]
fn instruction_sync_barrier() {
    // SAFETY: as for `data_sync_barrier`.
    unsafe {
        asm!("mcr p15, 0, {zero}, c7, c5, 4", zero = in(reg) 0, options(nostack, preserves_flags))
    };
}

/// Stops the clock until an interrupt is pending, masked or not (c7, c0, 4). IRQ is masked when
/// this is called.
///
/// The BCM2835's core may hang for good when it stops while it fetches instructions
/// (raspberrypi/linux 20). So what lies behind the WFI is in the I-cache before: the code is gone
/// through twice, the first time with both operations left out. The instructions that do nothing
/// are more than are fetched ahead of a WFI (the pipeline's 8 and the prefetch buffer), so that no
/// guess about the branch behind them matters.
#[inline(never)]
pub fn wait_for_interrupt() {
    // SAFETY: waits; the handler that may run afterwards keeps to the calling convention.
    unsafe {
        asm!(
            ".balign 32",
            "2: subs {pass}, {pass}, #1",
            "mcrmi p15, 0, {zero}, c7, c10, 4",
            "mcrmi p15, 0, {zero}, c7, c0, 4",
            ".rept 20",
            "nop",
            ".endr",
            "bpl 2b",
            pass = inout(reg) 1 => _,
            zero = in(reg) 0,
            options(nostack)
        )
    };
}

/// Writes back the D-cache lines that hold `bytes` bytes from `start`, and waits for the writes.
pub fn clean_data_cache(start: usize, bytes: usize) {
    // The line operations of aarch32-cpu are `nomem`: without a barrier that is not, the compiler
    // may move stores behind them.
    data_memory_barrier();
    for line in lines(start, bytes) {
        // SAFETY: cleaning a line changes no value that a load can see.
        unsafe { Dccmvac::write(Dccmvac::new(line)) };
    }
    // No store to a cleaned line may come before it: such a store may be lost (ARM1176 erratum
    // 716151).
    data_sync_barrier();
}

/// Forgets the D-cache lines that hold `bytes` bytes from `start`, so that the next load reads RAM.
///
/// Contents of the lines that were not cleaned are lost: only for memory whose lines have one owner
/// ([`crate::dma_buf`]).
pub fn invalidate_data_cache(start: usize, bytes: usize) {
    // Stores still on their way must not land behind the invalidation.
    data_sync_barrier();
    for line in lines(start, bytes) {
        // SAFETY: the caller owns whole lines and has cleaned what it wrote (`dma_buf`).
        unsafe { Dcimvac::write(Dcimvac::new(line)) };
    }
    data_sync_barrier();
}

fn lines(start: usize, bytes: usize) -> impl Iterator<Item = u32> {
    let first = start & !(LINE_BYTES - 1);
    (first..start + bytes)
        .step_by(LINE_BYTES)
        .map(|line| line as u32)
}

/// Masks IRQ; one that is pending still ends [`wait_for_interrupt`].
pub fn mask_interrupts() {
    aarch32_cpu::interrupt::disable();
    core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
}

/// Lets IRQ through.
pub fn unmask_interrupts() {
    core::sync::atomic::compiler_fence(core::sync::atomic::Ordering::SeqCst);
    // SAFETY: called from thread code only, never inside a critical section: the one caller outside
    // `boot` is `interrupt::sleep`, which masked IRQ itself.
    unsafe { aarch32_cpu::interrupt::enable() };
}

/// First byte after image, stacks and tables, 1 MiB aligned.
#[must_use]
pub fn image_end() -> usize {
    unsafe extern "C" {
        static __image_end: u8;
    }
    (&raw const __image_end) as usize
}

/// A checksum of the code, the vectors, the constants and the page tables, as memory holds them
/// now.
///
/// Each step can be undone, so that a change of any one word changes the sum. Takes some
/// milliseconds.
#[must_use]
pub fn fixed_memory_sum() -> u32 {
    unsafe extern "C" {
        static _start: u32;
        static __rodata_end: u32;
    }
    let (start, end) = (&raw const _start, &raw const __rodata_end);
    let words = (end as usize - start as usize) / 4;
    [(start, words)]
        .into_iter()
        .chain(mmu::tables())
        .fold(0, |sum, (first, words)| {
            clean_and_invalidate_data_cache(first as usize, 4 * words);
            (0..words).fold(sum, |sum: u32, index| {
                // SAFETY: all ranges are mapped and aligned, and lie in the image: the linker
                // script and `mmu` say so. What V3D may have stored there is why they are read,
                // each word once and as a plain number.
                let word = unsafe { first.add(index).read_volatile() };
                sum.rotate_left(1).wrapping_add(word)
            })
        })
}

/// Writes back the D-cache lines that hold `bytes` bytes from `start` and forgets them, so that the
/// next load reads RAM.
fn clean_and_invalidate_data_cache(start: usize, bytes: usize) {
    data_memory_barrier();
    for line in lines(start, bytes) {
        // SAFETY: the line's stores are written back before it is forgotten, so that no value is
        // lost.
        unsafe { Dccimvac::write(Dccimvac::new(line)) };
    }
    data_sync_barrier();
}

/// The words that the boot firmware left at `address` (r2 at entry; 0x100 where it says nothing):
/// the words up to the image, or none when the address cannot be a list of ATAGs.
#[must_use]
pub fn atag_words(address: u32) -> &'static [u32] {
    const IMAGE: u32 = 0x8000;
    let address = if address == 0 { 0x100 } else { address };
    if !address.is_multiple_of(4) || address >= IMAGE {
        return &[];
    }
    // SAFETY: RAM below the image is mapped, aligned, and nothing writes it once the ARM runs.
    unsafe {
        core::slice::from_raw_parts(
            address as usize as *const u32,
            ((IMAGE - address) / 4) as usize,
        )
    }
}
