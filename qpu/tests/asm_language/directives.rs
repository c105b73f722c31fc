//! Directives, labels, and what is defined from outside.

use super::{options, same, words};
use qpu::asm::{Options, assemble};

#[test]
fn directives_mean_what_they_are_documented_to_mean() {
    #[rustfmt::skip]
    let pairs: &[(&str, &str)] = &[
        // Definitions: by value, by function, local, constant, taken back.
        (".set a, 5\nmov r0, a", "mov r0, 5"),
        (".equ a, 5\n.define b, a+1\nmov r0, b", "mov r0, 6"),
        (".const a, 5\nmov r0, a", "mov r0, 5"),
        (".set a, 1\n.set b, a\n.set a, 2\nmov r0, b", "mov r0, 1"),
        (".set a, 1\n.set f(x) x+a\n.set a, 2\nmov r0, f(3)", "mov r0, 5"),
        (".set a, ra3\nmov a, a", "mov ra3, ra3"),
        (".set a, ra3\nmov a+2, r0", "mov ra5, r0"),
        (".set a, 1\n.local\n.lset a, 2\nmov r0, a\n.endloc\nmov r1, a", "mov r0, 2\nmov r1, 1"),
        (".local\n.lconst a, 2\nmov r0, a\n.endloc\n.const a, 3\nmov r1, a", "mov r0, 2\nmov r1, 3"),
        (".set a, 1\n.unset a\n.ifset a\nmov r0, 1\n.else\nmov r0, 2\n.endif", "mov r0, 2"),
        (".set a, 1\n.local\n.lset a, 2\n.lunset a\nmov r0, a\n.endloc", "mov r0, 1"),
        // Alternatives.
        (".if 1 > 2\nmov r0, 1\n.elseif 2 > 1\nmov r0, 2\n.else\nmov r0, 3\n.endif", "mov r0, 2"),
        (".if 0\n.if 1\nmov r0, 1\n.endif\n.else\nmov r0, 2\n.endif", "mov r0, 2"),
        (".if 0\n this is ( no code\n.endif\nnop", "nop"),
        (".if 0\nmov r0, 1\n.elif 1\nmov r0, 2\n.else\nmov r0, 3\n.endif", "mov r0, 2"),
        // What is skipped is not evaluated, nor a condition behind the one that holds.
        (".if 1\nnop\n.elseif unknown / 0\n.elif (\n.else\n.assert 0\n.endif", "nop"),
        (".if 0\n.if unknown\nnop\n.elseif 1 +\n.endif\n.include \"none\"\n.assert 0\n@ $ \"\n.endif\nnop", "nop"),
        (".if 0\n.rep i, unknown\n.endr\n.macro\n.endm\n.set x, y\n:a\n.endif\n:a nop", "nop"),
        (".ifset M_PI\nnop\n.endif", "nop"),
        (".ifnset a\nmov r0, 1\n.else\nmov r0, 2\n.endif", "mov r0, 1"),
        (".set a, 1\n.ifnset a\n.ifnset b\nnop\n.endif\n.elif 1\nmov r0, 2\n.endif", "mov r0, 2"),
        // Repetition.
        (".rep i, 3\nmov r0, i\n.endr", "mov r0, 0\nmov r0, 1\nmov r0, 2"),
        (".rep i 2\nsacq -, i\n.endr", "sacq -, 0\nsacq -, 1"),
        (".rep i, 2\nsacq -, i\n.endrep", "sacq -, 0\nsacq -, 1"),
        (".func f(a)\na * 2\n.endfunc\nmov r0, f(2)", "mov r0, 4"),
        ("nop\n.back 1\nmov r0, 1\n.endback", "mov r0, 1\nnop"),
        (".set a, 1\n.undef a\n.set a, 2\nmov r0, a", "mov r0, 2"),
        (".dword 1, 2\n.int16 3, 4\n.int8 5, 6, 7, 8\n.qword 9", ".int 1, 2, 0x40003, 0x8070605, 9, 0"),
        (".rep i, 2\n.rep j, 2\nmov r0, i*2+j\n.endr\n.endr", "mov r0, 0\nmov r0, 1\nmov r0, 2\nmov r0, 3"),
        (".set i, 9\n.rep i, 1\nmov r0, i\n.endr\nmov r0, i", "mov r0, 0\nmov r0, 9"),
        (".rep i, 0\nnop\n.endr\nnop", "nop"),
        (".foreach r, ra0, rb1, r2\nmov r, 0\n.endfor", "mov ra0, 0\nmov rb1, 0\nmov r2, 0"),
        (".foreach r ra0, rb1\nmov r, 0\n.endr", "mov ra0, 0\nmov rb1, 0"),
        // Macros and functions.
        (".macro m, a, b\nmov a, b\n.endm\nm r0, 5", "mov r0, 5"),
        (".macro m\nnop\n.endm\n.macro m\nmov r0, 1\n.endm\nm", "mov r0, 1"),
        (".macro m, a\n.set g, a\n.endm\nm 4\nmov r0, g", "mov r0, 4"),
        (".macro m, a\n.if a\nmov r0, a\nm a-1\n.endif\n.endm\nm 2", "mov r0, 2\nmov r0, 1"),
        (".func f(x)\n.assert x > 0\n.if x == 1\n1\n.else\nx * f(x-1)\n.endif\n.endf\nmov r0, f(4)", "mov r0, 24"),
        (".func f(x)\n.lset y, x*2\ny+1\n.endf\nmov r0, f(4)", "mov r0, 9"),
        (".set n, ra0\n.func next()\n.set n, n+1\nn-1\n.endf\nmov next(), 1\nmov next(), 2", "mov ra0, 1\nmov ra1, 2"),
        (".set sacq(i) sacq0 + i\nmov -, sacq(3)", "sacq -, 3"),
        // Files.
        (".include \"own.qinc\"\n.ifset hidden\nmov r2, 1\n.endif\nmov r1, own", "mov r0, 8\nmov r1, 7"),
        (".include <vc4.qinc>\nmov r0, h32(3)", "mov r0, 0xa03"),
        (".include \"../share/vc4inc/vc4.qinc\"\nnop", "nop"),
        (".include \"copy/vc4.qinc\"\nmov r0, vpm_setup(1,1,h32(0))", "mov r0, vpm_setup(1,1,h32(0))"),
        (".include \"copy/vc4.qinc\"\nmov r0, isRegister(ra1) + isAccu(r1)", "mov r0, 2"),
        // Exports, also without a value and before the label, as hermanhermitage's assembler has
        // it.
        (".global a\nnop\na: nop", "nop\nnop"),
        (".global :a\nnop\n:a nop", "nop\nnop"),
        // Order.
        ("nop\nmov r0, 1\nmov r1, 2\n.back 2\nmov r2, 3\n.endb", "nop\nmov r2, 3\nmov r0, 1\nmov r1, 2"),
        (":a\nmov r0, 1\nmov r1, 2\n.clone :a, 2", "mov r0, 1\nmov r1, 2\nmov r0, 1\nmov r1, 2"),
        (".clone :a, 1\nnop\n:a mov r1, 2", "mov r1, 2\nnop\nmov r1, 2"),
        // Data and alignment.
        (".int 0x009e7000, 0x100009e7", "nop"),
        (".long 0x100009e7009e7000", "nop"),
        (".short 0x7000, 0x009e, 0x09e7, 0x1000", "nop"),
        (".byte 0, 0x70, 0x9e, 0, 0xe7, 9, 0, 0x10", "nop"),
        (".float 1.0\n.int 0x40000000", ".int 0x3f800000, 2.0"),
        (".half 1.0, -2.0\n.int 0", ".int 0xc0003c00, 0"),
        (".double 1.0", ".long 0x3ff0000000000000"),
        (".bit 1,0,1,1,0,0,0,0, 1", ".byte 0x0d, 1"),
        (".int 1\n.align 8\nnop", ".int 1, 0\nnop"),
        ("nop\n:a\n.int 1\n.align 8, :a\nnop", "nop\n.int 1, 0\nnop"),
        (".code\nnop\n.rodata\n.text", "nop"),
        (".global x, 5\n.global :a\n:a nop", "nop"),
        ("::a nop", "nop"),
        ("# only a comment\n\n  nop # and one more", "nop"),
    ];
    for (one, two) in pairs {
        same(one, two);
    }
}

#[test]
fn labels_are_found_forward_and_back() {
    #[rustfmt::skip]
    let pairs: &[(&str, &str)] = &[
        (":a\nbrr -, r:a", "brr -, -32"),
        ("brr -, :a\nnop\n:a", "brr -, -16\nnop"),
        ("a: nop\nbrr -, :a", "nop\nbrr -, -40"),
        (":1\nbrr -, r:1b\nbrr -, r:1f\n:1", "brr -, -32\nbrr -, -24"),
        (":1 nop\n:1 nop\nbrr -, :1", "nop\nnop\nbrr -, -40"),
        ("brr -, r:a + 8\n:a nop", "brr -, -16\nnop"),
        ("brr -, ra2, r:a\n:a", "brr -, ra2, -24"),
        ("ldi r0, :b - :a\n:a nop\n:b nop", "ldi r0, 8\nnop\nnop"),
        // A name that is defined again means the last definition before, or else the first behind.
        (".rep i, 2\n:0_x nop\n.int :0_x - :0_y, 0\n:0_y nop\n.endr",
            "nop\n.int -16, 0\nnop\nnop\n.int 8, 0\nnop"),
        // A label before the place of insertion stays, one behind it moves.
        (":l\nnop\nnop\n.back 2\nbrr -, r:l\n.endb", "brr -, -32\nnop\nnop"),
        ("nop\nnop\n:e\n.back 1\nnop\n.endb\nbrr -, r:e", "nop\nnop\nnop\nbrr -, -32"),
        (".assert :e - :s == 16\n:s nop\nnop\n:e", "nop\nnop"),
    ];
    for (one, two) in pairs {
        same(one, two);
    }
}

#[test]
fn defines_come_before_the_first_line() {
    let defines = [
        ("N".to_string(), "1 << 3".to_string()),
        ("dst".to_string(), "ra5".to_string()),
    ];
    let options = Options {
        defines: &defines,
        ..options()
    };
    let assembly = assemble("mov dst, N", &options).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(assembly.words, words("mov ra5, 8"));
}
