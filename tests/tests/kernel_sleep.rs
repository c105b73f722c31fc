//! A test that the image stops the ARM's clock only with the code behind it in the instruction
//! cache.
//!
//! The BCM2835's core may hang when it stops while an instruction fetch is under way
//! (raspberrypi/linux 20), which no emulator shows; so it is the code itself that is looked at.
#![forbid(unsafe_code)]

use object::{Object, ObjectSection};
use tests::{NO_KERNEL, need};

/// `mov r0, r0`, or ARMv6K's hint.
const NOPS: [u32; 2] = [0xe1a0_0000, 0xe320_f000];

/// Instructions that the core may have fetched behind a WFI, and more: the pipeline's 8 stages and
/// a queue.
const AHEAD: usize = 16;

/// `mcr p15, 0, Rd, c7, c0, 4` of any condition.
const fn is_wait(word: u32) -> bool {
    word & 0x0fff_0fff == 0x0e07_0f90
}

const fn condition(word: u32) -> u32 {
    word >> 28
}

/// The index that a branch at `index` goes to.
const fn target(word: u32, index: usize) -> Option<usize> {
    if word & 0x0f00_0000 != 0x0a00_0000 {
        return None;
    }
    let words = (word << 8).cast_signed() >> 8;
    (index + 2).checked_add_signed(words as isize)
}

#[test]
fn code_behind_a_wait_for_interrupt_has_run_before_it() {
    const MINUS: u32 = 4;
    const PLUS: u32 = 5;
    let elf = tests::given("QPUSCOPE_KERNEL").map(|image| image.with_extension("elf"));
    let elf = need!(elf.and_then(|path| std::fs::read(path).ok()), "{NO_KERNEL}");
    let elf = object::File::parse(&*elf).expect("kernel.elf is an ELF file");
    let text = elf.section_by_name(".text").expect("there is code");
    let text = text.data().expect("in the file");
    let text: Vec<u32> = text
        .as_chunks()
        .0
        .iter()
        .map(|word| u32::from_le_bytes(*word))
        .collect();
    let waits: Vec<usize> = (0..text.len()).filter(|at| is_wait(text[*at])).collect();
    assert!(!waits.is_empty(), "the board sleeps somewhere");
    for at in waits {
        let place = format!("the WFI at {:#x}", 0x8000 + 4 * at);
        assert_eq!(condition(text[at]), MINUS, "{place} is left out at first");
        let rest = &text[at + 1..];
        let nops = rest.iter().take_while(|word| NOPS.contains(word)).count();
        assert!(nops >= AHEAD, "{nops} instructions are behind {place}");
        let again = at + 1 + nops;
        assert_eq!(condition(text[again]), PLUS, "{place} is come to again");
        let start = target(text[again], again).expect("by a branch");
        assert!(start < at, "the branch behind {place} goes back");
    }
}
