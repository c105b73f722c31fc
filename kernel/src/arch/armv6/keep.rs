//! Memory that outlives a reset: why the board restarted.
//!
//! Plain RAM that neither the image nor its start code touches (`linker/armv6.ld`). A watchdog
//! reset does not switch the SDRAM off, and the boot firmware loads the image elsewhere, so the
//! words are expected back; the note in it carries a checksum for when they are not (`crate::pm`).
//! On the BCM2835 the ARM writes through the system L2, and a reset loses what only that holds
//! (raspberrypi/linux 1281). The spare bits of PM_RSTS are not used: the boot ROM reads a partition
//! number from them.

use core::sync::atomic::AtomicU32;

use super::{clean_data_cache, data_sync_barrier, image_end};

/// Words of the reset-proof memory.
pub const KEEP_WORDS: usize = 64;

// SAFETY: `.keep` is a section of its own that nothing loads or zeroes; any bits are a valid
// AtomicU32.
#[unsafe(link_section = ".keep")]
static KEEP: [AtomicU32; KEEP_WORDS] = [const { AtomicU32::new(0) }; KEEP_WORDS];

/// The reset-proof words. Anything may be in them after power-on.
#[must_use]
pub fn keep() -> &'static [AtomicU32; KEEP_WORDS] {
    &KEEP
}

/// Writes the reset-proof words back to RAM; without it they would be lost with the cache.
pub fn clean_keep() {
    clean_data_cache(KEEP.as_ptr() as usize, size_of_val(&KEEP));
}

/// Bytes that are read to have all else thrown out of the system L2, of 128 KiB and unknown order.
const DRAIN_BYTES: usize = 512 << 10;

/// Makes room in the system L2, so that what was cleaned before is in SDRAM. Takes milliseconds.
///
/// There is no operation for it on this side; its lines go when others come.
pub fn drain_system_cache() {
    const IMAGE: usize = 0x8000;
    for line in (IMAGE..image_end().min(IMAGE + DRAIN_BYTES)).step_by(32) {
        // SAFETY: RAM from the image to its end is mapped, aligned, and any bits are a word.
        let _ = unsafe { core::ptr::read_volatile(line as *const u32) };
    }
    data_sync_barrier();
}
