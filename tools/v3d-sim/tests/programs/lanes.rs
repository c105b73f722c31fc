//! Rules that are of lanes: what is wanted of a value, and what changes nothing, decide whether
//! they are broken.

use crate::lab::*;
use crate::rules::breaks;
use qpu::generate::*;
use qpu::isa::{
    Alu, Cond, Instruction, MulOp, Mux, Raddr, RaddrB, SmallImmediate, Unpack, WriteBack, waddr,
};
use v3d_sim::SimRunner;

/// A vector of scalars: one lane is written, and another is wanted.
#[test]
fn hazards_are_of_lanes() {
    // Writes lane `written` of r0 and ra3 only, and takes another as `take` says.
    let rules = |written: u32, take: fn(&mut Builder)| {
        rules(|b| {
            b.mov(R0, 1).mov(ra(3), 1);
            b.ldi(R1, written);
            b.sub(NONE, ELEM_NUM, R1).setf();
            b.mov(R0, 2).ifz().mov(ra(3), 2).ifz();
            take(b);
        })
    };
    let broadcast_4: fn(&mut Builder) = |b| {
        b.nop().v8min(R5_ALL, R0, R0).rotate(12);
    };
    assert_eq!(rules(4, broadcast_4), ["rotate-after-write"]);
    assert!(rules(5, broadcast_4).is_empty());
    let broadcast_3: fn(&mut Builder) = |b| {
        b.nop().v8min(R5_ALL, R0, R0).rotate(13);
    };
    assert!(
        rules(3, broadcast_3).is_empty(),
        "the lane stays in its quad"
    );
    let up: fn(&mut Builder) = |b| {
        b.nop().v8min(R2, R0, R0).rotate(4);
    };
    assert_eq!(rules(12, up), ["rotate-after-write"], "lane 12 goes to 0");
    assert!(rules(11, up).is_empty(), "lane 11 goes up to 15");
    let masked: fn(&mut Builder) = |b| {
        b.nop().v8min(R2, R0, R0).rotate(4).ifnz();
    };
    assert_eq!(rules(12, masked), ["rotate-after-write"]);
    let none: fn(&mut Builder) = |b| {
        b.nop().v8min(R2, R0, R0).rotate(4).ifz();
    };
    assert!(rules(12, none).is_empty(), "lane 0 is not written");
    let register: fn(&mut Builder) = |b| {
        // mov r5all, ra3 >> 14
        b.instruction(Instruction::Alu(Alu {
            write: WriteBack {
                waddr_mul: waddr::ACC5,
                cond_mul: Cond::Always,
                ..WriteBack::NOTHING
            },
            op_mul: MulOp::V8min,
            raddr_a: Raddr::from_bits(3).unwrap(),
            raddr_b: RaddrB::SmallImmediate(SmallImmediate::from_rotation(14).unwrap()),
            mul_a: Mux::A,
            mul_b: Mux::A,
            ..Alu::NOP
        }));
    };
    assert_eq!(rules(2, register), ["regfile-read-after-write"]);
    assert!(rules(1, register).is_empty());
    let address: fn(&mut Builder) = |b| {
        b.mov(UNIFORMS_ADDRESS_RELATIVE, ra(3));
    };
    assert_eq!(rules(0, address), ["regfile-read-after-write"]);
    assert!(rules(1, address).is_empty(), "element 0 counts");
    let flags: fn(&mut Builder) = |b| {
        b.nop().v8min(NONE, ra(3), ra(3)).setf();
    };
    assert_eq!(rules(9, flags), ["regfile-read-after-write"]);
}

/// Practices of VC4C's and Broadcom's programs, and of py-videocore's at their ends.
#[test]
fn what_changes_nothing_is_no_mistake() {
    let looking_up = |body: fn(&mut Builder)| {
        let mut lab = Lab::new();
        let table = lab.put(&[1; 16]);
        let look_up = |b: &mut Builder| {
            b.mov(TMU0_S, R1);
            b.nop().ldtmu0();
        };
        let program = |b: &mut Builder| {
            b.mov(R1, UNIF);
            b.nops(2);
            look_up(b);
            body(b);
            b.nops(3);
            look_up(b);
        };
        lab.program(&[table.addr.0], program).rules
    };
    let again = looking_up(|b| {
        b.mov(TMU_NOSWAP, 0);
    });
    assert!(again.is_empty(), "{again:?}");
    let changed = looking_up(|b| {
        b.mov(TMU_NOSWAP, 1);
    });
    assert_eq!(changed, ["tmu-noswap-too-late"]);
    let rules = rules(|b| {
        b.mov(R1, 1.0).setf();
        b.mov(SFU_RECIP, R1).ifn();
        b.nops(2);
        b.mov(R3, R3).mov(R3, R3);
        b.ldi(RD_SETUP, 0x0010_1a00u32);
        show(b, 1);
        b.mov(VPM, VPM);
    });
    assert!(rules.is_empty(), "{rules:?}");
    breaks("undefined-read", |b| {
        b.mov(R2, R3);
    });
}

/// The rules that a program breaks, which are the same with time and without.
fn both_ways(body: fn(&mut Builder)) -> Vec<&'static str> {
    let [timed, functional] = [false, true].map(|functional| {
        let runner = SimRunner::new(1 << 20).with_strict(false);
        Lab::with(runner.with_functional(functional))
            .program(&[], body)
            .rules
    });
    assert_eq!(timed, functional);
    timed
}

#[test]
fn a_copy_onto_itself_defines_nothing() {
    let nothing: [&str; 0] = [];
    let copies: [fn(&mut Builder); 8] = [
        |b| {
            b.mov(R3, R3);
        },
        |b| {
            b.nop().mov(R3, R3);
        },
        |b| {
            b.mov(R3, R3).mov(R3, R3);
        },
        |b| {
            b.and(R3, R3, R3);
        },
        |b| {
            b.fmin(R3, R3, R3);
        },
        |b| {
            b.max(R3, R3, R3);
        },
        |b| {
            b.mov(ra(3), ra(3));
        },
        |b| {
            b.nop().mov(rb(3), rb(3));
        },
    ];
    for copy in copies {
        assert_eq!(both_ways(copy), nothing);
    }
    for read in [
        |b: &mut Builder| {
            b.mov(R3, R3).mov(R3, R3);
            show(b, R3);
        },
        |b| {
            b.mov(ra(3), ra(3));
            b.nop();
            show(b, ra(3));
        },
        // All of it is plain, so that it could go the straight way.
        |b| {
            b.mov(R0, 1);
            b.mov(R3, R3);
            b.mov(R1, R3);
            b.mov(R2, R0);
        },
        // Flags tell what it was.
        |b| {
            b.mov(R3, R3).setf();
        },
        // Another lane is no copy, and neither is another form of it.
        |b| {
            b.nop();
            b.nop().v8min(R3, R3, R3).rotate(4);
        },
        |b| {
            b.mov(ra(3), ra(3).unpack(Unpack::U8a));
        },
    ] as [fn(&mut Builder); 6]
    {
        assert_eq!(both_ways(read), ["undefined-read"]);
    }
}

/// A register that one ALU keeps may be written by the other: then it is defined, if that one wrote
/// any lane.
#[test]
fn a_copy_onto_itself_beside_a_write() {
    let nothing: [&str; 0] = [];
    let written = |b: &mut Builder| {
        b.mov(R0, 1).setf();
        b.mov(R3, R3).ifz().v8min(R3, R0, R0).ifnz();
        show(b, R3);
    };
    assert_eq!(both_ways(written), nothing);
    let kept = |b: &mut Builder| {
        b.mov(R0, 0).setf();
        b.mov(R3, R3).ifz().v8min(R3, R0, R0).ifnz();
        show(b, R3);
    };
    assert_eq!(both_ways(kept), ["undefined-read"]);
    let defined = |b: &mut Builder| {
        b.mov(R3, 1);
        b.mov(R3, R3);
        show(b, R3);
    };
    assert_eq!(both_ways(defined), nothing);
}

/// True if a condition keeps lanes of r4 as they were is not published. Broadcom's shader that
/// clips paths divides in some lanes, and takes the quotients under the same condition.
#[test]
fn lanes_that_a_conditional_sfu_write_left_out_are_undefined() {
    let nothing: [&str; 0] = [];
    let same_condition = |b: &mut Builder| {
        b.sub(NONE, ELEM_NUM, 3).setf();
        b.itof(SFU_RECIP, ELEM_NUM).ifnz();
        b.nops(2);
        b.mov(R0, R4).ifnz();
        b.mov(R5_ALL, R4);
    };
    assert_eq!(both_ways(same_condition), nothing, "r5 takes lane 0");
    let all = |b: &mut Builder| {
        b.sub(NONE, ELEM_NUM, 3).setf();
        b.itof(SFU_RECIP, ELEM_NUM).ifnz();
        b.nops(2);
        show(b, R4);
    };
    assert_eq!(both_ways(all), ["undefined-read"]);
    // Nor are they what an earlier result left, and a whole one has them all again.
    let again = |b: &mut Builder| {
        b.mov(SFU_RECIP, 1.0);
        b.sub(NONE, ELEM_NUM, 3).setf();
        b.nop();
        b.mov(SFU_RECIP, 1.0).ifz();
        b.nops(2);
        b.mov(R0, R4).ifnz();
    };
    assert_eq!(both_ways(again), ["undefined-read"]);
    let whole = |b: &mut Builder| {
        b.sub(NONE, ELEM_NUM, 3).setf();
        b.mov(SFU_RECIP, 1.0).ifz();
        b.nops(2);
        b.mov(SFU_RECIP, 1.0);
        b.nops(2);
        show(b, R4);
    };
    assert_eq!(both_ways(whole), nothing);
    let looked_up = |b: &mut Builder| {
        b.sub(NONE, ELEM_NUM, 3).setf();
        b.mov(SFU_RECIP, 1.0).ifz();
        b.ldi(TMU0_S, 0x4000_0040u32);
        b.nops(2);
        b.nop().ldtmu0();
        show(b, R4);
    };
    assert_eq!(both_ways(looked_up), nothing);
}

#[test]
fn the_sfu_write_that_left_lanes_out_is_named() {
    let mut lab = Lab::new();
    lab.program(&[], |b| {
        b.sub(NONE, ELEM_NUM, 3).setf();
        b.mov(SFU_RECIP, 1.0).ifz();
        b.nops(2);
        show(b, R4);
    });
    let warning = &lab.runner.warnings()[0];
    let other = warning.other.as_ref().unwrap();
    assert!(other.disassembly.contains("recip"), "{warning}");
    assert!(warning.detail.starts_with("r4 in lanes"), "{warning}");
}
