//! The stacks: where the pages below them lie, and how deep the main one ever was.
//!
//! `linker/armv6.ld` lays the stacks out in a megabyte of their own, in pages of 64 KiB.
//! `boot/armv6.s` fills the main stack with one word before anything uses it. Words of that value
//! from the bottom on were never written, unless a function happened to store the same value there.

use core::ops::Range;

/// The word that the main stack is filled with (`STACK_PAINT` in `boot/armv6.s`).
const PAINT: u32 = 0x57ac_57ac;

unsafe extern "C" {
    static __code_end: u8;
    static __stack_guard: u8;
    static __stack_bottom: u32;
    static __stack_top: u32;
    static __irq_stack_guard: u8;
    static __exception_stack_guard: u8;
}

/// First byte after the megabytes of the flat image, where the megabyte of the stacks begins.
pub(super) fn code_end() -> usize {
    (&raw const __code_end) as usize
}

/// The first byte of each page that is to stay unmapped: an overflow of the stack above it ends
/// there.
pub(super) fn guards() -> [usize; 3] {
    [
        (&raw const __stack_guard) as usize,
        (&raw const __irq_stack_guard) as usize,
        (&raw const __exception_stack_guard) as usize,
    ]
}

fn main_stack() -> Range<*const u32> {
    &raw const __stack_bottom..&raw const __stack_top
}

/// Bytes of the main stack that were never used since the start. Takes less than a millisecond.
#[must_use]
pub fn stack_left_bytes() -> u32 {
    let Range { start, end } = main_stack();
    let words = (end as usize - start as usize) / 4;
    let unused = (0..words).take_while(|index| {
        // SAFETY: the range is the main stack, which is mapped and aligned (`linker/armv6.ld`). The
        // words that a frame owns are read as plain numbers, and the first of them ends the walk.
        let word = unsafe { start.add(*index).read_volatile() };
        word == PAINT
    });
    4 * unused.count() as u32
}
