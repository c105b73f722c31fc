//! Rules that no other test here breaks: each by a few instructions, alone.

use crate::lab::*;
use qpu::generate::*;
use qpu::isa::{
    AddOp, Alu, Branch, Cond, Instruction, LoadImmediate, LoadImmediateKind, MulOp, Mux, Pack,
    Raddr, RaddrB, Signal, Unpack, Waddr, WriteBack, raddr, waddr,
};
use qpu::job::Runner;
use v3d_sim::{JobLaunch, JobOptions, SparseMemory, run_job};

#[track_caller]
pub fn breaks(rule: &str, body: impl FnOnce(&mut Builder)) {
    assert_eq!(rules(body), [rule]);
}

/// `or` of a port with itself to an address.
fn or(address: Waddr, read: Raddr) -> Instruction {
    let write = WriteBack {
        waddr_add: address,
        cond_add: Cond::Always,
        ..WriteBack::NOTHING
    };
    Instruction::Alu(Alu {
        write,
        op_add: AddOp::Or,
        raddr_a: read,
        add_a: Mux::A,
        add_b: Mux::A,
        ..Alu::NOP
    })
}

/// A load of one row, and one whose MPITCH says how far apart rows are, do not use the pitch word.
#[test]
fn a_wide_pitch_is_reported_where_it_is_used() {
    let of = |basic: u32| {
        let mut lab = Lab::new();
        let table = lab.put(&[0; 0x900]);
        let load = |b: &mut Builder| {
            b.ldi(RD_SETUP, basic);
            b.ldi(RD_SETUP, 0x9000_0000u32 | 0x2000);
            b.mov(LD_ADDR, UNIF);
            b.mov(NONE, LD_WAIT);
        };
        lab.program(&[table.addr.0], load).rules
    };
    let nothing: [&str; 0] = [];
    assert_eq!(of(0x8012_1000), ["vdr-wide-pitch"], "two rows");
    assert_eq!(of(0x8011_1000), nothing, "one row");
    assert_eq!(of(0x8112_1000), nothing, "MPITCH");
}

/// A wait whose value goes nowhere takes its other operand from no port in many programs.
#[test]
fn left_overs_are_reported_where_something_comes_of_them() {
    let nothing: [&str; 0] = [];
    let read = |address| or(address, raddr::NOP);
    let reported = |instruction| rules(|b| b.instruction(instruction));
    assert_eq!(reported(read(waddr::NOP)), nothing);
    assert_eq!(reported(read(waddr::ACC0)), ["nop-read"]);
    let mut flags = read(waddr::NOP);
    if let Instruction::Alu(alu) = &mut flags {
        alu.write.sf = true;
    }
    assert_eq!(reported(flags), nothing);
    // Of flags something comes when they are asked, before others are set.
    for (is_set, expected) in [(false, &["undefined-read"][..]), (true, &nothing[..])] {
        let reported = rules(|b| {
            b.ldi(R1, 1u32);
            b.instruction(flags);
            if is_set {
                b.sub(NONE, R1, 1).setf();
            }
            b.mov(R0, R1).ifz();
        });
        assert_eq!(reported, expected);
    }
    // The same of registers that were never written: `or -, ld_wait, r0` is asurati's wait.
    for source in [R3, rb(9)] {
        for (destination, expected) in [(NONE, &nothing[..]), (R0.into(), &["undefined-read"])] {
            let reported = rules(|b| {
                b.or(destination, LD_WAIT, source);
            });
            assert_eq!(reported, expected);
        }
    }
}

/// py-videocore's `rotate(r0, r1, 16)` is such a rotation as well.
#[test]
fn a_rotation_by_r5_takes_what_r5_holds() {
    let nothing: [&str; 0] = [];
    for (is_written, destination, expected) in [
        (false, R0.into(), &["undefined-read"][..]),
        (true, R0.into(), &nothing[..]),
        (false, NONE, &nothing[..]),
    ] {
        let reported = rules(|b| {
            b.mov(R1, ELEM_NUM);
            if is_written {
                b.mov(R5_ALL, 3);
            }
            b.nop();
            b.nop().v8min(destination, R1, R1).rotate_r5();
        });
        assert_eq!(reported, expected);
    }
}

#[test]
fn sfu_and_tmu() {
    breaks("sfu-result-overwritten", |b| {
        b.mov(SFU_RECIP, 1.0);
        b.nop();
        b.mov(SFU_RECIP, 1.0);
    });
    breaks("tmu-noswap-too-late", |b| {
        b.ldi(R0, 0x4000_0040u32);
        b.mov(TMU_NOSWAP, 1);
        b.nop();
        b.mov(TMU0_S, R0);
        b.nop().ldtmu0();
    });
    breaks("tmu-write-too-early", |b| {
        b.ldi(TMU0_S, 0x4000_0040u32);
        b.nop().ldtmu0();
    });
}

#[test]
fn vpm_and_dma() {
    breaks("setup-unknown", |b| {
        b.ldi(WR_SETUP, 0x4000_0000u32);
    });
    breaks("vpm-read-with-setup", |b| {
        b.ldi(RD_SETUP, 0x0020_1a00u32);
        b.ldi(R0, 0x1a00u32);
        b.mov(NONE, VPM).mov(WR_SETUP, R0);
        b.mov(NONE, VPM);
    });
    breaks("vpm-write-with-setup", |b| {
        b.ldi(R0, 0x1a00u32);
        b.mov(VPM, R0).mov(WR_SETUP, R0);
    });
    breaks("both-setups", |b| {
        b.ldi(R0, 0x0010_1a00u32);
        b.mov(RD_SETUP, R0).mov(WR_SETUP, R0);
        b.mov(NONE, VPM);
    });
    let load = |basic: u32, pitch: u32, offset: u32| {
        move |b: &mut Builder| {
            b.ldi(RD_SETUP, basic);
            b.ldi(RD_SETUP, 0x9000_0000 | pitch);
            b.ldi(LD_ADDR, 0x4000_0040 + offset);
            b.mov(NONE, LD_WAIT);
        }
    };
    breaks("dma-subword-vertical", load(0xa311_1800, 0, 0));
    breaks("dma-row-wraps", load(0x8321_100f, 0, 0));
    breaks("dma-alignment", load(0x8311_1000, 0, 2));
    breaks("vdw-blockmode", |b| {
        b.ldi(WR_SETUP, 0x8110_4000u32);
        b.ldi(WR_SETUP, 0xc001_0000u32);
        b.ldi(ST_ADDR, 0x4000_0040u32);
        b.mov(NONE, ST_WAIT);
    });
    breaks("vdw-column-passes-block", |b| {
        b.ldi(WR_SETUP, 0x8091_0000u32);
        b.ldi(WR_SETUP, 0xc000_0000u32);
        b.ldi(ST_ADDR, 0x4000_0040u32);
        b.mov(NONE, ST_WAIT);
    });
    breaks("dma-busy-read", |b| {
        b.instruction(or(waddr::ACC0, raddr::VPM_BUSY))
    });
    breaks("unmapped-read", |b| {
        b.instruction(or(waddr::ACC0, Raddr::from_bits(40).unwrap()));
    });
    breaks("mutex-release-without-holding", |b| {
        b.mov(MUTEX_RELEASE, 1);
    });
}

#[test]
fn coordinates_beside_a_uniform() {
    let mut lab = Lab::new();
    let result = lab.program(&[1, 2], |b| {
        b.nop();
        b.instruction(or(waddr::TMU0_T, raddr::UNIFORM));
    });
    assert_eq!(result.rules, ["texture-with-uniform"]);
    // s belongs to a texture lookup when t was written before, and takes a uniform as well.
    let mut lab = Lab::new();
    let image = lab.runner.alloc(4096, 4096).unwrap();
    let nearest = 1 << 31 | 1 << 20 | 1 << 8 | 1 << 7 | 1 << 4;
    let result = lab.program(&[image.addr.0, 0, nearest], |b| {
        b.nops(2);
        b.ldi(TMU0_T, 0u32);
        b.instruction(or(waddr::TMU0_S, raddr::UNIFORM));
        b.nop().ldtmu0();
    });
    assert_eq!(result.rules, ["texture-with-uniform"]);
}

/// The value of a release does not matter, so that a condition is all that could keep it from
/// happening.
#[test]
fn a_release_under_a_condition() {
    breaks("conditional-peripheral-write", |b| {
        b.mov(NONE, MUTEX_ACQUIRE);
        b.mov(R0, 1).setf();
        b.mov(MUTEX_RELEASE, 1).ifz();
    });
}

/// Every reserved bit on its own is in the unit test of the masks.
#[test]
fn words_that_no_table_describes() {
    breaks("setup-reserved-bits", |b| {
        b.ldi(WR_SETUP, 0x2000_1a00u32);
    });
    breaks("setup-reserved-bits", |b| {
        b.ldi(RD_SETUP, 0x0014_1a00u32);
        b.mov(NONE, VPM);
    });
    breaks("setup-reserved-bits", |b| {
        b.ldi(WR_SETUP, 0xc002_0000u32);
    });
    breaks("setup-reserved-bits", |b| {
        b.ldi(RD_SETUP, 0x9001_0040u32);
    });
    let quiet = rules(|b| {
        b.ldi(WR_SETUP, 0x0010_1a01u32); // NUM
        b.ldi(WR_SETUP, 0xc000_ffc0u32);
        b.ldi(RD_SETUP, 0x9000_1fffu32);
        b.ldi(WR_SETUP, 0x0000_0000u32);
        b.ldi(RD_SETUP, 0x8000_0000u32);
    });
    assert!(quiet.is_empty(), "{quiet:?}");
}

#[test]
fn rows_beyond_those_of_user_programs() {
    let store = |setup: u32| {
        rules(move |b| {
            b.ldi(WR_SETUP, setup);
            b.ldi(WR_SETUP, 0xc000_0000u32);
            b.ldi(ST_ADDR, 0x4000_0040u32);
            b.mov(NONE, ST_WAIT);
        })
    };
    assert_eq!(store(0x8090_4000 | 64 << 7), ["dma-outside-window"]);
    assert_eq!(store(0x8110_4000 | 127 << 7), ["dma-rows-wrap"]);
    assert!(store(0x8090_4000 | 63 << 7).is_empty());
    let load = |setup: u32| {
        rules(move |b| {
            b.ldi(RD_SETUP, setup);
            b.ldi(LD_ADDR, 0x4000_0040u32);
            b.mov(NONE, LD_WAIT);
        })
    };
    assert_eq!(load(0x8301_1000 | 64 << 4), ["dma-outside-window"]);
    assert_eq!(load(0x8302_1000 | 127 << 4), ["dma-rows-wrap"]);
    assert!(load(0x8302_1000 | 62 << 4).is_empty());
}

/// Rules of two instructions of one QPU name the earlier one.
#[test]
fn the_other_instruction_is_named() {
    let first = |body: &dyn Fn(&mut Builder)| {
        let mut lab = Lab::new();
        lab.zero_rows();
        lab.program(&[0x4000_0040], body);
        let warning = lab.runner.warnings().remove(0);
        (
            warning.rule.id(),
            warning.other.expect("another").disassembly,
        )
    };
    let (rule, other) = first(&|b| {
        b.mov(ra(3), ELEM_NUM);
        b.mov(R0, ra(3));
    });
    assert_eq!(rule, "regfile-read-after-write");
    assert!(other.contains("ra3"), "{other}");
    for between in 0..2 {
        let (rule, other) = first(&|b| {
            b.mov(SFU_RECIP, 1.0);
            b.nops(between);
            b.mov(R0, R4);
        });
        assert_eq!(rule, "sfu-result-too-early");
        assert!(other.contains("recip"), "{other}");
    }
    let (rule, other) = first(&|b| {
        b.mov(R0, 1);
        b.nop().v8min(R1, R0, R0).rotate(1);
    });
    assert_eq!(rule, "rotate-after-write");
    assert!(other.contains("r0"), "{other}");
    let (rule, other) = first(&|b| {
        b.mov(R0, UNIF);
        b.nop();
        for _ in 0..5 {
            b.mov(TMU0_S, R0);
        }
        for _ in 0..5 {
            b.nop().ldtmu0();
        }
    });
    assert_eq!(rule, "tmu-too-many-outstanding");
    assert!(other.contains("tmu0_s"), "{other}");
}

#[test]
fn rotation_and_destinations() {
    breaks("rotate-after-write", |b| {
        b.mov(R0, 1);
        b.nop().v8min(R1, R0, R0).rotate(1);
    });
    breaks("rotate-r5-after-write", |b| {
        b.mov(R0, 1);
        b.mov(R5_ALL, R0);
        b.nop().v8min(R1, R0, R0).rotate_r5();
    });
    let mut lab = Lab::new();
    let result = lab.program(&[], |b| {
        b.mov(R0, ELEM_NUM);
        let write = WriteBack {
            waddr_add: waddr::ACC1,
            waddr_mul: waddr::ACC1,
            cond_add: Cond::Always,
            cond_mul: Cond::Always,
            ..WriteBack::NOTHING
        };
        // add r1, r0, r0; v8min r1, r0, r0
        b.instruction(Instruction::Alu(Alu {
            write,
            op_add: AddOp::Add,
            op_mul: MulOp::V8min,
            ..Alu::NOP
        }));
        show(b, R1);
    });
    assert_eq!(
        (result.rows[0], &result.rules[..]),
        (iota(), &["same-destination"][..]),
        "the mul ALU wins"
    );
}

/// Through file A r5 gets an element for each quad, through file B one for all.
#[test]
fn both_results_to_r5() {
    let both = |value: u32| {
        rules(|b| {
            b.ldi(R0, value);
            b.mov(R1, 1);
            b.mov(R5_QUAD, R0).mov(R5_ALL, R1);
        })
    };
    assert!(both(1).is_empty(), "one value is harmless");
    assert_eq!(both(2), ["same-destination"]);
}

#[test]
fn flags() {
    breaks("mul-flags-carry", |b| {
        b.mov(R0, 1);
        b.nop().mul24(R1, R0, R0).setf();
        b.mov(R2, R0).ifc();
    });
    breaks("ldi-flags-mul-only", |b| {
        let write = WriteBack {
            cond_mul: Cond::Always,
            sf: true,
            ..WriteBack::NOTHING
        };
        b.instruction(Instruction::LoadImmediate(LoadImmediate {
            kind: LoadImmediateKind::Word,
            write,
            immediate: 0,
        }));
    });
}

#[test]
fn pack_and_unpack() {
    breaks("unpack-mixed", |b| {
        b.ldi(ra(0), 1u32);
        b.nop();
        let operand = ra(0).unpack(Unpack::U8a);
        b.fadd(R0, operand, operand).mov(R1, operand);
    });
    breaks("unpack-input", |b| {
        let Instruction::Alu(alu) = or(waddr::ACC0, raddr::ELEMENT_QPU) else {
            unreachable!()
        };
        b.instruction(Instruction::Alu(Alu {
            unpack: Unpack::U8a,
            ..alu
        }));
    });
    let pm = |pack, address| WriteBack {
        pm: true,
        pack,
        waddr_mul: address,
        cond_mul: Cond::Always,
        ..WriteBack::NOTHING
    };
    let fmul = |write| {
        let one = RaddrB::SmallImmediate(qpu::isa::SmallImmediate::from_float(1.0).unwrap());
        Instruction::Alu(Alu {
            write,
            op_mul: MulOp::Fmul,
            raddr_b: one,
            mul_a: Mux::B,
            mul_b: Mux::B,
            ..Alu::NOP
        })
    };
    breaks("pack-reserved", |b| {
        b.instruction(fmul(pm(Pack::P16a, waddr::ACC0)))
    });
    let mut lab = Lab::new();
    let result = lab.program(&[], |b| {
        b.mov(R0, 5);
        b.instruction(fmul(pm(Pack::P8bs, waddr::ACC0)));
        show(b, R0);
    });
    assert_eq!(
        (result.rows[0], &result.rules[..]),
        ([0xff05; 16], &["pack-reserved"][..]),
        "as vc4asm has 8b"
    );
    let mut lab = Lab::new();
    let result = lab.program(&[], |b| {
        b.instruction(fmul(pm(Pack::P8b, waddr::VPM_WRITE)))
    });
    assert_eq!(
        (result.rows[0], &result.rules[..]),
        ([0xff00; 16], &["pack-to-peripheral"][..])
    );
    let mut lab = Lab::new();
    let result = lab.program(&[], |b| {
        b.instruction(fmul(pm(Pack::P8888, waddr::VPM_WRITE)))
    });
    assert_eq!((result.rows[0], result.rules.len()), ([!0; 16], 0));
    for (setup, expected) in [(0x1800_u32, 0), (0x1a00, 1)] {
        let mut lab = Lab::new();
        let result = lab.program(&[], |b| {
            b.ldi(WR_SETUP, setup);
            b.instruction(fmul(pm(Pack::P8a, waddr::VPM_WRITE)));
        });
        assert_eq!(result.rules.len(), expected, "{setup:#x}");
    }
}

#[test]
fn ends_and_code_addresses() {
    breaks("branch-alignment", |b| {
        b.instruction(Instruction::Branch(Branch {
            immediate: 4,
            ..Branch::RELATIVE
        }));
        b.nops(3);
    });
    let run = |body: &dyn Fn(&mut Builder)| {
        let mut lab = Lab::new();
        let mut b = Builder::new();
        body(&mut b);
        let program = lab.load(&b.finish_unchecked().unwrap(), &[]);
        lab.run(&[program]).unwrap();
        lab.runner
            .warnings()
            .iter()
            .map(|warning| warning.rule.id())
            .collect::<Vec<_>>()
    };
    let twice = run(&|b| {
        b.nop().thrend();
        b.nop().thrend();
        b.nop();
    });
    assert_eq!(twice, ["end-branch"]);
}

/// Mistakes that only a job or a driver can show: uniforms that were not given, and a breakpoint
/// that is not seen.
#[test]
fn what_the_driver_left_out() {
    let mut memory = SparseMemory::new();
    let mut b = Builder::new();
    b.mov(R0, UNIF);
    b.end();
    let words = b.finish().unwrap();
    memory.put(
        0,
        &words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect::<Vec<u8>>(),
    );
    let program = qpu::job::Program {
        code: qpu::job::BusAddr(0),
        uniforms: qpu::job::BusAddr(0),
    };
    let launch = JobLaunch {
        programs: vec![program],
        clear: qpu::job::CacheClear::All,
    };
    let outcome = run_job(&mut memory, &[launch], &JobOptions::default());
    assert_eq!(outcome.warnings[0].rule.id(), "uniforms-absent");

    let mut v3d = v3d_sim::V3d::new(v3d_sim::Config {
        flag_unprotected_dma: true,
        ..Default::default()
    });
    v3d.write_register(0x504, 16);
    let mut b = Builder::new();
    b.ldi(RD_SETUP, 0x8301_1000u32);
    b.ldi(LD_ADDR, 0x8000u32);
    b.mov(NONE, LD_WAIT);
    b.nop().signal(Signal::Breakpoint);
    let words = b.finish_unchecked().unwrap();
    memory.put(
        0x4000,
        &words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect::<Vec<u8>>(),
    );
    memory.put_zero(0x8000, 64);
    for _ in 0..2 {
        v3d.write_register(0x430, 0x4000);
    }
    v3d.advance(&mut memory, 200);
    let rules: Vec<_> = v3d.warnings().map(|warning| warning.rule.id()).collect();
    assert_eq!(
        rules,
        ["vpm-race", "dma-unprotected", "breakpoint-unseen"],
        "both load row 0"
    );
}

/// The contents of the VPM before the first write are not known: a counter that is never set to 0
/// is right here by luck.
#[test]
fn vpm_words_that_nothing_has_written_are_reported() {
    let reported = |before: &dyn Fn(&mut Builder), body: &dyn Fn(&mut Builder)| {
        let mut lab = Lab::new();
        for body in [before, body] {
            let mut b = Builder::new();
            body(&mut b);
            b.end();
            let program = lab.load(&b.finish_unchecked().unwrap(), &[]);
            lab.run(&[program]).unwrap();
        }
        let warnings = lab.runner.warnings().into_iter();
        let warnings = warnings.filter(|warning| warning.rule.id() == "vpm-not-put");
        warnings.map(|warning| warning.detail).collect::<Vec<_>>()
    };
    let nothing = |_: &mut Builder| {};
    let read = |setup: u32| {
        move |b: &mut Builder| {
            b.ldi(RD_SETUP, setup);
            b.mov(R0, VPM);
        }
    };
    let write = |setup: u32| {
        move |b: &mut Builder| {
            b.ldi(WR_SETUP, setup);
            b.mov(VPM, 1);
        }
    };
    assert_eq!(
        reported(&nothing, &read(0x0010_1a05)),
        ["reads VPM row 5, column 0"]
    );
    assert_eq!(
        reported(&write(0x1a04), &read(0x0010_1a05)),
        ["reads VPM row 5, column 0"]
    );
    assert!(reported(&write(0x1a05), &read(0x0010_1a05)).is_empty());
    // Some words of the vector are enough: the other lanes may be wanted by nobody.
    assert!(reported(&write(0x1203), &read(0x0010_1a05)).is_empty());
    assert_eq!(
        reported(&write(0x1203), &read(0x0010_1204)),
        ["reads VPM row 0, column 4"]
    );
    let drain = |b: &mut Builder| {
        b.ldi(RD_SETUP, 0x0010_1a00u32);
        b.mov(NONE, VPM);
    };
    assert!(reported(&nothing, &drain).is_empty());
    let lab = Lab::new();
    let (load_row, store_row) = (
        |b: &mut Builder| {
            b.ldi(RD_SETUP, 0x8301_1070u32);
            b.ldi(LD_ADDR, lab.out.addr.0);
            b.mov(NONE, LD_WAIT);
        },
        |b: &mut Builder| {
            b.ldi(WR_SETUP, 0x8090_4380u32);
            b.ldi(WR_SETUP, 0xc000_0000u32);
            b.ldi(ST_ADDR, lab.out.addr.0);
            b.mov(NONE, ST_WAIT);
        },
    );
    assert_eq!(
        reported(&nothing, &store_row),
        ["stores VPM row 7, column 0"]
    );
    assert!(reported(&load_row, &store_row).is_empty());
    assert!(reported(&load_row, &read(0x0010_1a07)).is_empty());
}
