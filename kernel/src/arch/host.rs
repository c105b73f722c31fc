//! The processor as the host's tests need it: every operation does nothing.

use core::sync::atomic::AtomicU32;

/// Words of the reset-proof memory.
pub const KEEP_WORDS: usize = 64;

/// See the ARM's.
pub const FIRST_ARENA_BYTES: usize = 0;

static KEEP: [AtomicU32; KEEP_WORDS] = [const { AtomicU32::new(0) }; KEEP_WORDS];

/// See the ARM's.
pub fn data_sync_barrier() {}

/// See the ARM's.
pub fn data_memory_barrier() {}

/// See the ARM's.
pub fn wait_for_interrupt() {}

/// See the ARM's.
pub fn clean_data_cache(_start: usize, _bytes: usize) {}

/// See the ARM's.
pub fn invalidate_data_cache(_start: usize, _bytes: usize) {}

/// See the ARM's.
pub fn enable_mmu_and_caches() {}

/// See the ARM's.
pub fn map_ram(_bytes: usize) {}

/// See the ARM's.
#[must_use]
pub fn fixed_memory_sum() -> u32 {
    0
}

/// See the ARM's.
#[must_use]
pub fn stack_left_bytes() -> u32 {
    0
}

/// See the ARM's.
#[must_use]
pub fn image_end() -> usize {
    0
}

/// See the ARM's.
pub fn mask_interrupts() {}

/// See the ARM's.
pub fn unmask_interrupts() {}

/// See the ARM's.
pub fn unmask_aborts() {}

/// See the ARM's.
#[must_use]
pub fn take_pending_abort() -> Option<u32> {
    None
}

/// See the ARM's.
#[must_use]
pub fn keep() -> &'static [AtomicU32; KEEP_WORDS] {
    &KEEP
}

/// See the ARM's.
pub fn clean_keep() {}

/// See the ARM's.
pub fn drain_system_cache() {}

/// See the ARM's.
#[must_use]
pub fn atag_words(_address: u32) -> &'static [u32] {
    &[]
}
