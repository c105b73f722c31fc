//! One program through all front doors: text, the dialect of rpi-playground, the builder.

use super::{options, words};
use qpu::asm::{Options, Syntax, assemble};

#[test]
fn rpi_playground_is_the_same_programs_in_other_words() {
    let options = Options {
        syntax: Syntax::RpiPlayground,
        ..options()
    };
    #[rustfmt::skip]
    let pairs: &[(&str, &str)] = &[
        ("ldi ra1, 0x1234", "ldi ra1, 0x1234"),
        ("ldi ra1, rb2, 5;", "ldi ra1, rb2, 5"),
        ("add rb48, ra1, rb32;  nop", "add.setf vpm, ra1, rb32"),
        ("or rb50, ra32, 0; nop", "or.setf st_addr, ra32, 0"),
        ("or rb39, rb50, ra39; nop", "or.setf -, st_wait, ra39"),
        ("nop.tend ra39, ra39, ra39; nop rb39, rb39, rb39", "nop; thrend"),
        ("nop ra39, ra39, ra39; nop", "nop"),
        ("add.tmu rb18, r0, rb18; nop", "add.setf rb18, r0, rb18; ldtmu0"),
        ("xor ra32, r1, r2; v8max rb33, ra21, ra21 # c", "xor.setf r0, r1, r2; v8max r1, ra21, ra21"),
        // The add ALU sets flags, and none where it is idle.
        ("nop; fmul rb32, r1, r2", "nop; fmul r0, r1, r2"),
        ("not ra32, r0, 0; nop", "not.setf r0, r0"),
        ("loop: nop\nbrr ra0, loop, ra1\nbra.zf ra39, ZERO, ra0\nbrr.* ra39, loop", ":loop nop\nbrr ra0, ra1, :loop\nbra.allz -, ra0\nbrr -, :loop"),
        ("brr.ze ra39, x\nbrr.cs ra39, x\nbrr.nc ra39, x\nx:", "brr.allnz -, :x\nbrr.anyc -, :x\nbrr.anynn -, :x\n:x"),
        ("sema up, 3\nsema acquire, 4", "srel -, 3\nsacq -, 4"),
        // What jetpacapp/qpu-asm adds.
        ("or r1, ra2, 0; nop", "or.setf r1, ra2, 0"),
        ("nop rb39, r0, r0; mul24 r3, ra26, 1", "nop; mul24 r3, ra26, 1"),
        ("or.ldtmu0 ra39, r1, r1; nop", "mov.setf -, r1; ldtmu0"),
        ("add.ldtmu1 ra3, r4, r1; nop", "add.setf ra3, r4, r1; ldtmu1"),
        ("and.unpack16b r0, ra20, r1; nop", "and.setf r0, ra20.16b, r1"),
        ("fadd.unpack8d r0, ra20, 0; nop", "fadd.setf r0, ra20.8d, 0"),
        ("or.pack16aclamp ra1, r0, r0; nop", "mov.setf ra1.16as, r0"),
        ("nop.pack8b rb39, r0, r0; v8max ra1, r0, r0", "nop; v8max ra1.8b, r0, r0"),
        ("nop rb39, r0, <<4; v8max r0, r0, r0", "nop; v8max r0, r0 >> 4, r0 >> 4"),
        ("or rb39, rb3, rb3; fmul r0, r0, ra6; nop", "mov.setf -, rb3; fmul r0, r0, ra6"),
        ("ldi r0, [0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3]", "ldi r0, [0, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3]"),
        ("sub r1, r1, -16; nop", "sub.setf r1, r1, -16"),
    ];
    for (one, two) in pairs {
        let own = assemble(one, &options)
            .unwrap_or_else(|errors| panic!("{errors}"))
            .words;
        assert_eq!(
            own,
            words(two),
            "{one}\n{}\n{two}\n{}",
            qpu::disasm::listing(&own),
            qpu::disasm::listing(&words(two))
        );
    }
    for (bad, said) in [
        ("moc ra0, r1, r2; nop", "no operation"),
        ("or r4, r1, r2; nop", "no register"),
        ("or.sig r0, r1, r2; nop", "no signal and no mode"),
        ("or r0, r1, <<4; nop", "an idle first operation"),
        ("nop; v8max r0, r1, <<4", "an idle first operation"),
        ("nop rb39, r0, <<16; v8max r0, r0, r0", "1 to 15 lanes"),
        (
            "ldi r0, [9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]",
            "-2 to 1, or 0 to 3",
        ),
        ("sema left, 1", "direction"),
        ("brr.qq ra0, x", "no branch condition"),
    ] {
        let errors = assemble(bad, &options).unwrap_err().to_string();
        assert!(errors.contains(said), "{bad}: {errors}");
    }
}

/// One program through all three front doors.
#[cfg(feature = "generate")]
#[test]
fn text_builder_and_playground_make_identical_words() {
    use qpu::generate::*;
    use qpu::isa::BranchCond;

    let mut b = Builder::new();
    b.ldi(ra(1), 0x1234);
    b.ldi(WR_SETUP, 0xa00);
    b.add(VPM, ra(1), rb(7)).setf();
    b.ldi(WR_SETUP, 0x8801_0000_u32);
    b.or(ST_ADDR, ra(2), 0).setf();
    let again = b.here("again");
    b.add(rb(8), R0, rb(9)).setf().ldtmu0();
    b.xor(R0, R1, R2).setf().v8max(R1, ra(21), ra(21));
    b.brr(BranchCond::AllZC, again);
    b.fadd(R1, R1, 1.0).setf();
    b.nop();
    b.nop();
    b.srel(3);
    b.nop().thrend();
    b.nops(2);
    let built = b
        .finish_unchecked()
        .unwrap_or_else(|error| panic!("{error}"));

    let text = words(
        "ldi ra1, 0x1234\nmov vw_setup, 0xa00\nadd.setf vpm, ra1, rb7\nmov vw_setup, 0x88010000\nor.setf vw_addr, ra2, 0\n\
         :again\nadd.setf rb8, r0, rb9; ldtmu0\nv8max r1, ra21, ra21; xor.setf r0, r1, r2\nbrr.allnz -, r:again\n\
         fadd.setf r1, r1, 1.0\nnop\nnop\nsrel -, 3\nthrend\nnop\nnop\n",
    );
    let options = Options {
        syntax: Syntax::RpiPlayground,
        ..options()
    };
    let playground = assemble(
        "ldi ra1, 0x1234\nldi rb49, 0xa00\nadd rb48, ra1, rb7; nop\nldi rb49, 0x88010000\nor rb50, ra2, 0; nop\n\
         again:\nadd.tmu rb8, r0, rb9; nop\nxor rb32, r1, r2; v8max rb33, ra21, ra21\nbrr.ze ra39, again\n\
         fadd ra33, r1, 1.0; nop\nnop; nop\nnop; nop\nsema up, 3\nnop.tend; nop\nnop; nop\nnop; nop\n",
        &options,
    )
    .unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(
        text,
        built,
        "{}\n{}",
        qpu::disasm::listing(&text),
        qpu::disasm::listing(&built)
    );
    assert_eq!(
        playground.words,
        built,
        "{}\n{}",
        qpu::disasm::listing(&playground.words),
        qpu::disasm::listing(&built)
    );
}

/// Forms that the dialect of rpi-playground cannot say, which sets flags always.
#[cfg(feature = "generate")]
#[test]
fn text_and_builder_make_identical_words_of_what_writes_nothing() {
    use qpu::generate::*;

    let mut b = Builder::new();
    b.mov(NONE, ST_WAIT);
    b.mov(NONE, MUTEX_ACQUIRE);
    b.and(NONE, ELEM_NUM, 1).setf().mov(R2, R0);
    b.mul24(NONE, R0, R1);
    b.mov(R0, R1).rotate(-1).fadd(R1, R1, R3).ifnz();
    b.v8subs(R0, R1, R2);
    let built = b
        .finish_unchecked()
        .unwrap_or_else(|error| panic!("{error}"));
    let text = "mov -, vw_wait\nmov -, mutex\nand.setf -, elem_num, 1; mov r2, r0\nmul24 -, r0, r1\n\
                fadd.ifnz r1, r1, r3; mov r0, r1 << 1\nv8subs r0, r1, r2\n";
    assert_eq!(words(text), built);
}
