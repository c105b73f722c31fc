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
        (0xe202_0827_0001_0003, "ldi r0, [-1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"),
        (0xe602_0827_0001_0003, "ldi r0, [3,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"),
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
        // Only r0..r3 move over all lanes, and a constant beside a rotation is not moved at all.
        (0xd000_49e1_209f_9005, "nop; fmul r1, r0 << 7, r5"),
        (0xd000_49e1_409f_3007, "nop; mul24 r1, r0 >> 3, -13"),
        (0xd000_49e1_809f_3024, "nop; mov r1, r4 >> 3"),
        // Unpack of file A and of r4, pack into file A and of the mul result.
        (0x1202_0827_1500_0d80, "mov r0, ra0.16a"),
        (0x1902_0827_159e_7900, "mov r0, r4.8a"),
        (0x1022_0067_0c9e_7040, "add ra1.16b, r0, r1"),
        (0x1030_5041_209e_7001, "nop; fmul ra1.8abcd, r0, r1"),
        (0x1130_49e1_209e_7001, "nop; fmul r1.8abcdsf, r0, r1"),
        (0x11c0_49e0_809e_7009, "nop; mov r0.8asf, r1"), // as vc4asm has .8a
        (0x11b0_49e1_209e_7001, "nop; fmul r1.8abcdsf, r0, r1"),
        // Loads by DMA of words, of halves and of bytes; the pitch; what no function makes.
        (0xe002_0c67_8302_2453, "ldi rd_setup, vdr_setup_0(64, 16, 2, vdr_h32(2, 69, 3))"),
        (0xe002_0c67_a302_1000, "ldi rd_setup, vdr_setup_0(64, 16, 2, vdr_h16p(1, 0, 0, 0))"),
        (0xe002_0c67_b041_1821, "ldi rd_setup, vdr_setup_0(0, 4, 1, vdr_v16p(1, 2, 1, 1))"),
        (0xe002_0c67_c000_0000, "ldi rd_setup, vdr_setup_0(0, 16, 16, vdr_h8p(16, 0, 0, 0))"),
        (0xe002_0c67_ff12_3fff, "ldi rd_setup, vdr_setup_0(262144, 1, 2, vdr_v8p(3, 127, 15, 3))"),
        (0xe002_0c67_9000_0080, "ldi rd_setup, vdr_setup_1(128)"),
        (0xe002_0c67_9000_2000, "ldi rd_setup, 0x90002000"),
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
        (0xf0fd_09e7_0000_0010, "brr -, ra8, 16"),
        (0xf0f5_09e7_0000_0010, "bra -, ra8, 0x10"),
        (0xf0f8_1125_0000_0000, "brr rb4, r5quad, -, 0 # 0x0020"),
    ];
    for (word, text) in pairs {
        assert_eq!(line(*word, 0), *text, "{word:#018x}");
    }
}

#[test]
fn words_that_are_no_instruction() {
    assert_eq!(
        line(0x1000_09e7_099e_7000, 0),
        ".int 0x099e7000, 0x100009e7 # reserved op_add 9"
    );
    assert_eq!(
        line(0xf0d0_09e7_0000_0000, 0),
        ".int 0x00000000, 0xf0d009e7 # reserved cond_br 13"
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
        ":L1
0000  d00228e7_0d9c45c0   sub.setf r3, r2, 4
0008  f03809e7_ffffffd8   brr.anynz -, r:L1
0010  100009e7_009e7000 | nop
0018  100009e7_009e7000 | nop
0020  100009e7_009e7000 | nop
0028  100009e7_099e7000   .int 0x099e7000, 0x100009e7 # reserved op_add 9
0030  300009e7_009e7000   nop; thrend
0038  100009e7_009e7000 | nop
0040  100009e7_009e7000 | nop
"
    );
    let named = listing_with_labels(&words, &[(0, "again".to_string()), (6, "done".to_string())]);
    assert!(named.starts_with(":again\n"), "{named}");
    assert!(named.contains("brr.anynz -, r:again\n"), "{named}");
    assert!(named.contains("\n:done\n0030  "), "{named}");
}

#[test]
fn a_branch_out_of_the_program_keeps_its_offset() {
    let text = listing(&[0xf0f8_09e7_0000_0100, 0xf0f8_09e7_8000_0000]);
    assert!(text.contains("brr -, 256 # 0x0120"), "{text}");
    assert!(text.contains("brr -, -2147483648 # 0x80000028"), "{text}");
}

/// Words of every format, with their text and the bits that the assembler makes of it.
#[test]
#[rustfmt::skip]
fn what_the_text_leaves_open_is_canonical() {
    let pairs: &[(u64, &str, u64)] = &[
        // Idle ALUs: py-videocore's nop; live operands; a condition for nothing.
        (0x1002_0827_009e_7000, "nop", 0x1000_09e7_009e_7000),
        (0x1000_09e7_009e_7fff, "nop", 0x1000_09e7_009e_7000),
        (0x1002_09e7_159f_2fc0, "mov -, st_wait", 0x1000_09e7_159f_2fc0),
        (0x1000_29e7_009e_7000, "nop", 0x1000_09e7_009e_7000),
        // The second operand of a unary operation.
        (0x1002_0827_179e_7040, "not r0, r0", 0x1002_0827_179e_7000),
        // Registers that no operand uses; a constant that none uses.
        (0x1002_0827_1514_5000, "mov r0, r0", 0x1002_0827_159e_7000),
        (0xd000_09e7_009e_5000, "nop", 0x1000_09e7_009e_7000),
        // A uniform through file B's port, and both kinds of a flexible read.
        (0x1002_0827_159e_0fc0, "mov r0, unif", 0x1002_0827_1582_7d80),
        (0x1000_09e7_009e_0000, "nop; read unif", 0x1000_09e7_0082_7000),
        (0x1002_0827_0cc2_0f80, "add r0, unif, vpm", 0x1002_0827_0c83_0dc0),
        // Constants from codes that are rotations too.
        (0xd002_0827_0c9f_31c0, "add r0, r0, -13", 0xd002_0827_0c9d_31c0),
        // Write swap without need, packing and unpacking of nothing.
        (0x1002_1827_159e_7000, "mov r0, r0", 0x1002_0827_159e_7000),
        (0x1012_0827_159e_7000, "mov r0, r0", 0x1002_0827_159e_7000),
        (0x1802_0827_159e_7000, "mov r0, r0", 0x1002_0827_159e_7000),
        (0x1902_0827_159e_7000, "mov r0, r0", 0x1002_0827_159e_7000),
        // Lanes of 0 and 1 are signed ones; a constant to nowhere; high bits of a semaphore.
        (0xe602_0827_0000_0003, "ldi r0, [1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0]", 0xe202_0827_0000_0003),
        (0xe002_09e7_0000_0005, "ldi -, 5", 0xe000_09e7_0000_0005),
        (0xe800_09e7_1234_5619, "sacq -, 9", 0xe800_09e7_0000_0019),
        // Bits of a branch that mean nothing.
        (0xf3f8_09e7_0000_0010, "brr -, 16", 0xf0f8_09e7_0000_0010),
        (0xf0f8_c9e7_0000_0010, "brr -, 16", 0xf0f8_09e7_0000_0010),
        // What an assembler may refuse: an unpacked uniform, a rotation inside quads only.
        (0x1202_0827_1582_7d80, "mov r0, unif.16a", 0x1002_0827_1582_7d80),
        (0xd000_49e1_8027_1036, "nop; mov r1, ra9 >> 1", 0x1000_49e1_8026_7036),
    ];
    for (word, text, bits) in pairs {
        assert_eq!(super::text(*word).as_deref(), Some(*text), "{word:#018x}");
        assert_eq!(canonical(*word), Some(*bits), "{word:#018x}, {text}");
    }
}

#[test]
fn a_canonical_word_is_its_own_canonical_form() {
    for seed in 0..200_000_u64 {
        // Steps of an odd constant reach all bits; sig 14 and 15 are one word in eight.
        let word = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
        for word in [word, word | 0xe << 60] {
            let Some(bits) = canonical(word) else {
                continue;
            };
            assert_eq!(canonical(bits), Some(bits), "{word:#018x}");
        }
    }
}

#[test]
fn published_words_of_assemblers_are_canonical() {
    // The last operand of a unary or idle operation, conditions of waits, and py-videocore's nop
    // are not.
    let odd = |text: &str| text.starts_with("mov -") || text.starts_with("or -") || text == "nop";
    for (text, _, word) in KNOWN_WORDS.iter().filter(|(text, ..)| !odd(text)) {
        assert_eq!(canonical(*word), Some(*word), "{text}");
    }
}
