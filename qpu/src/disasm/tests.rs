//! Golden pairs: words and their text.

use super::*;
use crate::isa::KNOWN_WORDS;

#[test]
fn published_words_have_the_published_text() {
    for (text, _, word) in KNOWN_WORDS {
        let line = line(*word, 0);
        let line = line.split(" # ").next().unwrap_or_default();
        assert_eq!(&line, text, "{word:#018x}");
    }
}

#[test]
#[rustfmt::skip]
fn what_the_published_words_do_not_show() {
    let pairs: &[(u64, &str)] = &[
        // Per-element constants: bit i is the low bit of lane i, bit 16 + i the high one.
        (0xe202_0827_0001_0003, "ldis r0, [-1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"),
        (0xe602_0827_0001_0003, "ldiu r0, [3,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"),
        // Both results of a load, under one condition and under two.
        (0xe004_8821_0000_0400, "ldi.ifz r0, r1, 0x400"),
        (0xe004_c821_ffff_fc01, "ldi r0.ifz, r1.ifnz, -1023"),
        (0xe000_49e1_0000_0000, "ldi -, r1, 0"),
        // Small immediates: integers, floats, and a rotation by r5.
        (0xd002_0827_149d_f1c0, "and r0, r0, -1"),
        (0xd002_0827_019e_71c0, "fadd r0, r0, 128.0"),
        (0xd002_0827_019e_81c0, "fadd r0, r0, 0.00390625"),
        (0xd000_49e1_809f_0000, "nop; mov r1, r0 >> r5"),
        (0xd000_49e1_209f_8001, "nop; fmul r1, r0 >> 8, r1 >> 8"),
        (0xd000_49e1_209f_9001, "nop; fmul r1, r0 << 7, r1 << 7"),
        // Unpack of file A and of r4, pack into file A and of the mul result.
        (0x1202_0827_1500_0d80, "mov r0, ra0.16a"),
        (0x1902_0827_159e_7900, "mov r0, r4.8a"),
        (0x1022_0067_0c9e_7040, "add ra1.16b, r0, r1"),
        (0x1030_5041_209e_7001, "nop; fmul ra1.8abcd, r0, r1"),
        (0x1130_49e1_209e_7001, "nop; fmul r1.8abcd, r0, r1"),
        // A uniform that no operand uses, through A; through B.
        (0x1000_09e7_0082_7000, "nop; read unif"),
        (0x1002_0827_159e_0000, "mov r0, r0; read unif"),
        (0x1002_0827_159a_7000, "mov r0, r0; read elem_num"),
        (0x1000_09e7_009f_0000, "nop; read vpm"),
        // Signals of fragment shaders.
        (0x4000_09e7_009e_7000, "nop; sbwait"),
        (0x0000_09e7_009e_7000, "nop; bkpt"),
        // Absolute branches, and a register beside an offset.
        (0xf0f0_09e7_4000_1000, "bra -, 0x40001000"),
        (0xf0fd_09e7_0000_0010, "brr -, ra8, +16"),
        (0xf0f5_09e7_0000_0010, "bra -, ra8, 0x10"),
        (0xf0f8_1125_0000_0000, "brr rb4, r5quad, +0 # 0x0020"),
    ];
    for (word, text) in pairs {
        assert_eq!(line(*word, 0), *text, "{word:#018x}");
    }
}

#[test]
fn words_that_are_no_instruction() {
    assert_eq!(
        line(0x1000_09e7_099e_7000, 0),
        ".long 0x099e7000, 0x100009e7 # reserved op_add 9"
    );
    assert_eq!(
        line(0xf0d0_09e7_0000_0000, 0),
        ".long 0x00000000, 0xf0d009e7 # reserved cond_br 13"
    );
}

#[test]
fn a_listing_shows_labels_and_delay_slots() {
    let words = [
        0xd002_28e7_0d9c_45c0,
        0xf038_09e7_ffff_ffd8,
        0x1000_09e7_009e_7000,
        0x1000_09e7_009e_7000,
        0x1000_09e7_009e_7000,
        0x1000_09e7_099e_7000,
        0x3000_09e7_009e_7000,
        0x1000_09e7_009e_7000,
        0x1000_09e7_009e_7000,
    ];
    assert_eq!(
        listing(&words),
        "L1:
0000  d00228e7_0d9c45c0   sub.setf r3, r2, 4
0008  f03809e7_ffffffd8   brr.anynz -, L1
0010  100009e7_009e7000 | nop
0018  100009e7_009e7000 | nop
0020  100009e7_009e7000 | nop
0028  100009e7_099e7000   .long 0x099e7000, 0x100009e7 # reserved op_add 9
0030  300009e7_009e7000   nop; thrend
0038  100009e7_009e7000 | nop
0040  100009e7_009e7000 | nop
"
    );
    let named = listing_with_labels(&words, &[(0, "again".to_string()), (6, "done".to_string())]);
    assert!(named.starts_with("again:\n"), "{named}");
    assert!(named.contains("brr.anynz -, again\n"), "{named}");
    assert!(named.contains("\ndone:\n0030  "), "{named}");
}

#[test]
fn a_branch_out_of_the_program_keeps_its_offset() {
    let text = listing(&[0xf0f8_09e7_0000_0100, 0xf0f8_09e7_8000_0000]);
    assert!(text.contains("brr -, +256 # 0x0120"), "{text}");
    assert!(text.contains("brr -, -2147483648 # 0x80000028"), "{text}");
}
