//! The builder's choices, and its refusals.

use super::*;
use crate::check::Rule;
use crate::disasm;
use crate::isa::{BranchCond, Cond, File, Instruction, MulPack, Pack, Signal, Unpack, decode};

/// Writes a program or a piece of one.
type Write = fn(&mut Builder);

fn word(one: impl FnOnce(&mut Builder)) -> u64 {
    let mut b = Builder::new();
    one(&mut b);
    let words = b
        .finish_unchecked()
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(words.len(), 1);
    words[0]
}

#[test]
fn published_words_are_built() {
    #[rustfmt::skip]
    let pairs: &[(Write, u64)] = &[
        (|b| { b.nop(); }, 0x100009e7_009e7000),
        (|b| { b.nop().thrend(); }, 0x300009e7_009e7000),
        (|b| { b.mov(HOST_INT, 1); }, 0xd00209a7_159c1fc0),
        (|b| { b.mov(R0, UNIF); }, 0x10020827_15827d80),
        (|b| { b.mov(rb(5), UNIF); }, 0x10021167_15827d80),
        (|b| { b.ldi(R3, 128); }, 0xe00208e7_00000080),
        (|b| { b.ldi(WR_SETUP, 0xc000_00c0_u32); }, 0xe0021c67_c00000c0),
        (|b| { b.ldi(RD_SETUP, 0x8304_080f_u32); }, 0xe0020c67_8304080f),
        (|b| { b.shl(R2, ELEM_NUM, 3); }, 0xd00208a7_11983dc0),
        (|b| { b.add(TMU0_S, R0, R2); }, 0x10020e27_0c9e7080),
        (|b| { b.add(R0, R0, R3).ldtmu0(); }, 0xa0020827_0c9e70c0),
        (|b| { b.mul24(R2, R2, rb(5)); }, 0x100049e2_409c5017),
        (|b| { b.add(rb(2), R0, R2).v8adds(R0, R0, R1); }, 0x100250a0_cc9e7081),
        (|b| { b.fsub(R0, ra(2), R2).fmul(R1, R0, rb(16)); }, 0x10024821_22090c87),
        (|b| { b.fsub(R0, ra(2), R2).ifnz().fmul(R3, rb(17), R0).ifnz(); }, 0x1006c823_22091cb8),
        (|b| { b.and(NONE, ELEM_NUM, 1).setf().mov(R2, R0); }, 0xd00269e2_94981dc0),
        (|b| { b.fadd(R1, R1, R3).ifnz().mov(R2, R0).rotate(-1); }, 0xd0064862_819ff2c0),
        (|b| { b.mov(ra(17), R2).mov(R2, R2).ifnz().rotate(1); }, 0xd002c462_959f1492),
        (|b| { b.not(ra(0), ra(0)); }, 0x10020027_17027d80),
        (|b| { b.mov(WR_SETUP, ra(27)); }, 0x10021c67_156e7d80),
        (|b| { b.add(ra(1), ra(1), rb(28)).mov(ST_ADDR, ra(1)); }, 0x10024072_8c05cdf6),
        (|b| { b.or(NONE, LD_WAIT, R0); }, 0x100009e7_15ca7c00),
        (|b| { b.or(NONE, ST_WAIT, R0); }, 0x100009e7_159f2e00),
        (|b| { b.srel(1); }, 0xe80009e7_00000001),
        (|b| { b.sacq(9); }, 0xe80009e7_00000019),
        (|b| { b.bra(BranchCond::Always, ra(8)); }, 0xf0f509e7_00000000),
        (|b| { b.bra(BranchCond::Always, ra(6)).link(ra(8)); }, 0xf0f4c227_00000000),
    ];
    for (one, expected) in pairs {
        let word = word(one);
        assert_eq!(
            word,
            *expected,
            "{} instead of {}",
            disasm::line(word, 0),
            disasm::line(*expected, 0)
        );
    }
}

#[test]
fn ports_and_alus_are_chosen() {
    #[rustfmt::skip]
    let pairs: &[(Write, &str)] = &[
        // The write swap follows from either destination.
        (|b| { b.fadd(rb(1), R0, R1).fmul(R2, R0, R1); }, "fadd rb1, r0, r1; fmul r2, r0, r1"),
        (|b| { b.fadd(R2, R0, R1).fmul(ra(1), R0, R1); }, "fadd r2, r0, r1; fmul ra1, r0, r1"),
        (|b| { b.mov(ST_ADDR, R0).mov(ra(3), R1); }, "mov st_addr, r0; mov ra3, r1"),
        (|b| { b.mov(R5_QUAD, R0).mov(rb(3), R1); }, "mov r5quad, r0; mov rb3, r1"),
        // A copy takes the ALU that is left, whichever comes first; so does a saturating byte
        // operation.
        (|b| { b.mov(R0, R1).fadd(R2, R2, R3); }, "fadd r2, r2, r3; mov r0, r1"),
        (|b| { b.mov(R0, R1).fmul(R2, R2, R3); }, "mov r0, r1; fmul r2, r2, r3"),
        (|b| { b.v8subs(R0, R1, R2).mov(R2, R3); }, "mov r2, r3; v8subs r0, r1, r2"),
        (|b| { b.fmul(R0, R0, R0).fadd(R1, R1, R1); }, "fadd r1, r1, r1; fmul r0, r0, r0"),
        // A copy that rotates, or beside one that sets flags, is on the mul ALU.
        (|b| { b.mov(R0, R1).rotate(5); }, "nop; mov r0, r1 >> 5"),
        (|b| { b.mov(R0, R1).mov(NONE, R2).setf(); }, "mov.setf -, r2; mov r0, r1"),
        (|b| { b.fmul(NONE, R2, R2).setf(); }, "nop; fmul.setf -, r2, r2"),
        // Uniforms and the VPM are read through the port that is left.
        (|b| { b.fadd(R0, ra(1), UNIF); }, "fadd r0, ra1, unif"),
        (|b| { b.fadd(R0, rb(1), UNIF); }, "fadd r0, rb1, unif"),
        (|b| { b.fadd(R0, VPM, UNIF).fmul(R1, VPM, UNIF); }, "fadd r0, vpm, unif; fmul r1, vpm, unif"),
        (|b| { b.fmul(R0, UNIF, 2.0); }, "nop; fmul r0, unif, 2.0"),
        // One constant may serve all operands; 0.0 and 0 are the same.
        (|b| { b.fadd(R0, R0, 0.5).fmul(R1, R1, 0.5); }, "fadd r0, r0, 0.5; fmul r1, r1, 0.5"),
        (|b| { b.fadd(R0, R0, 0.0).v8max(R1, R1, 0); }, "fadd r0, r0, 0; v8max r1, r1, 0"),
        (|b| { b.mov(R0, -16); }, "or r0, -16, -16"),
        // Packing.
        (|b| { b.fadd(ra(1).pack(Pack::P16b), R0, R1); }, "fadd ra1.16b, r0, r1"),
        (|b| { b.mov(R0, ra(2).unpack(Unpack::U8c)); }, "mov r0, ra2.8c"),
        (|b| { b.mov(R0, R4.unpack(Unpack::U16a)); }, "mov r0, r4.16a"),
        (|b| { b.fmul(R0, R1, R2).pack_mul(MulPack::P8b); }, "nop; fmul r0.8bsf, r1, r2"),
        (|b| { b.ldi(ra(3).pack(Pack::P16a), 5); }, "ldi ra3.16a, 5"),
        // Constants with two destinations, per lane, under a condition.
        (|b| { b.ldi(rb(3), 1.0).also(ra(4)).ifn().setf(); }, "ldi.setf.ifn rb3, ra4, 0x3f800000"),
        (|b| { b.ldi_signed(R0, [-2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1, -2, -1, 0, 1]); },
            "ldi r0, [-2,-1,0,1,-2,-1,0,1,-2,-1,0,1,-2,-1,0,1]"),
        (|b| { b.ldi_unsigned(R0, [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]); },
            "ldi r0, [0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]"),
        (|b| { b.sacq(3).also(R0); }, "sacq r0, 3"),
    ];
    for (one, text) in pairs {
        assert_eq!(disasm::line(word(one), 0), *text);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    #[rustfmt::skip]
    let cases: &[(Write, &str)] = &[
        (|b| { b.fadd(R0, ra(1), ra(2)); }, "read-ports"),
        (|b| { b.fadd(R0, rb(1), R0).fmul(R1, rb(2), R0); }, "read-ports"),
        (|b| { b.fadd(R0, ra(1), rb(2)).mov(R1, UNIF); }, "read-ports"),
        (|b| { b.fadd(R0, ra(1), ELEM_NUM); }, "read-ports"),
        (|b| { b.fadd(R0, rb(1), 1.0); }, "small-immediate-and-file-b"),
        (|b| { b.fadd(R0, R1, 1.0).fmul(R2, R1, 2.0); }, "small-immediate"),
        (|b| { b.add(R0, R1, 16); }, "small-immediate"),
        (|b| { b.fadd(R0, R1, 3.0); }, "small-immediate"),
        (|b| { b.fadd(R0, R1, 1.0).mov(R2, R3).rotate(1); }, "small-immediate"),
        (|b| { b.mov(R2, R3).rotate(1).ldtmu0(); }, "small-immediate-and-signal"),
        (|b| { b.fadd(ra(1), R0, R0).fmul(ra(2), R0, R0); }, "write-ports"),
        (|b| { b.mov(WR_SETUP, R0).mov(rb(2), R0); }, "write-ports"),
        (|b| { b.ldi(R0, 1).also(R1).also(R2); }, "write-ports"),
        (|b| { b.fadd(R0, R0, R0).fsub(R1, R1, R1); }, "alu-slots"),
        (|b| { b.fmul(R0, R0, R0).mul24(R1, R1, R1); }, "alu-slots"),
        (|b| { b.mov(R0, R0).mov(R1, R1).mov(R2, R2); }, "alu-slots"),
        (|b| { b.fadd(R0, R1, R1).rotate(1); }, "alu-slots"),
        (|b| { b.fadd(R0, R1, R1).fmul(R2, R1, R1).setf(); }, "flags-source"),
        (|b| { b.mov(R0, ra(3)).rotate(1); }, "rotate-in-quad"),
        (|b| { b.mov(R0, rb(3).unpack(Unpack::U8a)); }, "unpack"),
        (|b| { b.mov(R0, R1.unpack(Unpack::U8a)); }, "unpack"),
        (|b| { b.fadd(R0, ra(3).unpack(Unpack::U16a), ra(3).unpack(Unpack::U16b)); }, "unpack"),
        (|b| { b.fadd(R0, ra(3).unpack(Unpack::U16a), ra(3)); }, "unpack"),
        (|b| { b.fadd(R0, R4.unpack(Unpack::U8a), R4); }, "unpack"),
        (|b| { b.mov(rb(3).pack(Pack::P16a), R0); }, "pack"),
        (|b| { b.mov(R0.pack(Pack::P16a), R0); }, "pack"),
        (|b| { b.ldi(VPM.pack(Pack::P8a), 0); }, "pack"),
        (|b| { b.fadd(R0, ra(3).unpack(Unpack::U16a), R4.unpack(Unpack::U16a)); }, "pack"),
        (|b| { b.sacq(16); }, "semaphore-number"),
        (|b| { b.ldi_signed(R0, [2; 16]); }, "element-range"),
        (|b| { b.bra(BranchCond::Always, rb(2)); }, "branch-register"),
        (|b| { b.bra(BranchCond::Always, R0); }, "branch-register"),
        (|b| { let l = b.label("nowhere"); b.brr(BranchCond::Always, l); }, "label-not-bound"),
        (|b| { let l = b.here("twice"); b.bind(l); }, "label-bound-twice"),
    ];
    for (number, (one, rule)) in cases.iter().enumerate() {
        let mut b = Builder::new();
        one(&mut b);
        let error = b.finish_unchecked().expect_err(rule);
        assert_eq!(error.problems[0].rule, *rule, "case {number}: {error}");
    }
}

#[test]
fn hazards_are_refused_with_place_and_fix() {
    let mut b = Builder::new();
    b.mov(ra(1), R0);
    b.fadd(R1, ra(1), R1);
    let line = line!() - 1;
    b.end();
    let error = b.finish().unwrap_err();
    let file = file!();
    assert_eq!(
        error.to_string(),
        format!(
            "the program does not build (1 problem)\n  0x0008 ({file}:{line}) `fadd r1, ra1, r1`: regfile-read-after-write: \
             ra1 was written in the instruction before and cannot be read yet; to fix it, put an instruction between, or keep the \
             value in r0..r3"
        )
    );
    b.waive(Rule::RegisterFile);
    assert!(b.finish().is_ok());
}

#[test]
fn branches_count_from_after_their_delay_slots() {
    let mut b = Builder::new();
    let end = b.label("end");
    let start = b.here("start");
    b.brr(BranchCond::AllZS, end).link(ra(4)).link(rb(5));
    b.nops(3);
    b.brr(BranchCond::Always, start).plus(ra(6));
    b.nops(3);
    b.bind(end);
    b.end();
    let words = b.finish().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        disasm::line(words[0], 0),
        "brr.allz ra4, rb5, -, 32 # 0x0040"
    );
    assert_eq!(disasm::line(words[4], 32), "brr -, ra6, -64");
}

#[test]
fn every_flexible_pair_keeps_its_meaning() {
    // All pairs of a copy and another operation, with all kinds of operands: what fits must read
    // and write what was asked for, whichever ALU and port were chosen.
    let sources: [Src; 8] = [
        R0.into(),
        R4,
        ra(1).into(),
        rb(2).into(),
        UNIF,
        VPM.into(),
        Src::from(3),
        ELEM_NUM,
    ];
    let targets: [Dst; 6] = [
        R1.into(),
        ra(8).into(),
        rb(9).into(),
        WR_SETUP,
        RD_SETUP,
        R5_ALL,
    ];
    let mut fitted = 0;
    for one in sources {
        for two in sources {
            for first in targets {
                for second in targets {
                    let copy = Op::mov(first, one);
                    let other = Op::new(OpCode::V8ADDS, second, two, two);
                    let Ok(alu) = fit(&[copy, other], Signal::None) else {
                        continue;
                    };
                    fitted += 1;
                    let text = disasm::line(Instruction::Alu(alu).encode(), 0);
                    let is_constant = matches!(one.from, Origin::Constant(_));
                    let is_add = text.starts_with("or ");
                    let (to, from) = (dst_name(first), src_name(one));
                    let expected = [
                        match (is_constant, is_add) {
                            (false, _) => format!("mov {to}, {from}"),
                            (true, true) => format!("or {to}, {from}, {from}"),
                            (true, false) => format!("v8min {to}, {from}, {from}"),
                        },
                        format!(
                            "v8adds {}, {}, {}",
                            dst_name(second),
                            src_name(two),
                            src_name(two)
                        ),
                    ];
                    for part in &expected {
                        assert!(
                            text.split("; ").any(|found| found == part),
                            "{text} lacks {part}"
                        );
                    }
                }
            }
        }
    }
    assert!(fitted > 500, "{fitted}");
}

fn dst_name(dst: Dst) -> String {
    let (waddr, file) = dst.address();
    crate::names::write_name(file.unwrap_or(File::A), waddr)
}

fn src_name(src: Src) -> String {
    match src.from {
        crate::fit::Origin::Accumulator(number) => format!("r{number}"),
        crate::fit::Origin::Port(file, raddr) => {
            crate::names::read_name(file.unwrap_or(File::A), raddr)
        }
        crate::fit::Origin::Constant(word) => word.to_string(),
        crate::fit::Origin::Any => "r0".to_string(),
    }
}

#[test]
fn conditions_and_flags_belong_to_the_operation_before() {
    let word = word(|b| {
        b.fadd(R0, R1, R2).ifc().setf().fmul(R3, R1, R2).ifnn();
    });
    let Ok(Instruction::Alu(alu)) = decode(word) else {
        panic!()
    };
    assert_eq!(
        (alu.write.cond_add, alu.write.cond_mul, alu.write.sf),
        (Cond::CS, Cond::NC, true)
    );
}

#[test]
fn a_rotation_by_nothing_is_none() {
    let of = |lanes| {
        word(|b| {
            b.mov(R0, R1).rotate(lanes);
        })
    };
    assert_eq!(of(0), of(16));
    assert_eq!(disasm::line(of(0), 0), "mov r0, r1");
    assert_eq!(disasm::line(of(-3), 0), "nop; mov r0, r1 << 3");
    assert_eq!(of(13), of(-3));
}

#[test]
fn labels_stand_in_the_listing() {
    let mut b = Builder::new();
    let top = b.here("top");
    b.sub(R0, R0, 1).setf();
    b.brr(BranchCond::AnyZC, top);
    b.nops(3);
    b.end();
    let listing = b
        .assemble()
        .unwrap_or_else(|error| panic!("{error}"))
        .listing();
    assert!(listing.starts_with(":top\n0000  "), "{listing}");
    assert!(listing.contains("brr.anynz -, r:top\n"), "{listing}");
}
