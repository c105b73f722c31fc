//! Programs that come out differently where sources conflict: each choice of each conflict.

use crate::lab::*;
use qpu::generate::*;
use qpu::isa::{Alu, Branch, Cond, Instruction, Mux, Unpack, WriteBack, raddr, waddr};
use v3d_sim::{Conflicts, SimRunner};

/// A lab in which `choice` of `conflict` holds.
fn lab(conflict: &str, choice: &str) -> Lab {
    let mut conflicts = Conflicts::default();
    conflicts.choose(conflict, choice).unwrap();
    let runner = SimRunner::new(1 << 20).with_strict(false);
    Lab::with(runner.with(|config| config.conflicts = conflicts))
}

#[test]
fn read_setups() {
    for (choice, values, rules) in [
        (
            "almost-read",
            [0, 1],
            &["vpm-setup-ignored", "vpm-unread-at-end"][..],
        ),
        ("queue-of-two", [0, 1], &["vpm-unread-at-end"]),
        ("replace", [2, 3], &["vpm-setup-ignored"]),
    ] {
        let result = lab("vpm-read-setups", choice).program(&[], |b| {
            for n in 0..4 {
                show(b, n);
            }
            b.ldi(RD_SETUP, 0x0030_1a00u32);
            b.ldi(RD_SETUP, 0x0020_1a02u32);
            b.mov(R0, VPM);
            b.mov(R1, VPM);
            show(b, R0);
            show(b, R1);
        });
        assert_eq!([result.rows[4][0], result.rows[5][0]], values, "{choice}");
        assert_eq!(result.rules, rules, "{choice}");
    }
}

#[test]
fn surplus_reads() {
    let body = |b: &mut Builder| {
        b.mov(R0, VPM);
        show(b, R0);
    };
    let result = lab("vpm-surplus-reads", "undefined").program(&[], body);
    assert_eq!(
        (result.rows[0], &result.rules[..]),
        ([0; 16], &["vpm-surplus-read"][..])
    );
    let blocked = lab("vpm-surplus-reads", "block").try_program(&[], body);
    assert!(
        blocked
            .unwrap_err()
            .to_string()
            .contains("would wait for ever")
    );
}

#[test]
fn blockmode() {
    for (choice, second) in [("ignored", 100), ("packed", 4)] {
        let mut lab = lab("vdw-blockmode", choice);
        let out = lab.put(&[0; 16]);
        lab.program(&[out.addr.0], |b| {
            b.ldi(R1, 100u32);
            show(b, ELEM_NUM);
            b.add(R1, R1, ELEM_NUM);
            show(b, R1);
            b.ldi(WR_SETUP, 0x8104_4000u32); // two rows of four
            b.ldi(WR_SETUP, 0xc001_0000u32);
            b.mov(ST_ADDR, UNIF);
            b.mov(NONE, ST_WAIT);
        });
        let mut words = [0; 8];
        qpu::job::Runner::read(&mut lab.runner, out, 0, &mut words).unwrap();
        assert_eq!([words[3], words[4]], [3, second], "{choice}");
    }
}

#[test]
fn pitch_of_vertical_loads() {
    // Two columns of four from (0, 0), VPITCH 4: below each other, or four columns apart.
    for (choice, place) in [("rows", (4, 0)), ("columns", (0, 4))] {
        let mut lab = lab("vdr-vertical-pitch", choice);
        let table = lab.put(&(1..=16).collect::<Vec<u32>>());
        let result = lab.program(&[table.addr.0], |b| {
            b.ldi(RD_SETUP, 0x8142_4800u32);
            b.mov(LD_ADDR, UNIF);
            b.mov(NONE, LD_WAIT);
        });
        assert_eq!(result.rows[place.0][place.1], 5, "{choice}");
    }
}

#[test]
fn bits_of_the_pitch_of_loads() {
    // Two rows of one word, 0x6010 bytes apart.
    for (choice, second) in [("14", 0x804), ("16", 0x1804), ("13", 4)] {
        let mut lab = lab("vdr-pitch-bits", choice);
        let table = lab.put(&(0..0x1900).collect::<Vec<u32>>());
        let result = lab.program(&[table.addr.0], |b| {
            b.ldi(RD_SETUP, 0x8012_1000u32);
            b.ldi(RD_SETUP, 0x9000_6010u32);
            b.mov(LD_ADDR, UNIF);
            b.mov(NONE, LD_WAIT);
        });
        assert_eq!(result.rows[1][0], second, "{choice}");
        assert_eq!(result.rules, ["vdr-wide-pitch"], "{choice}");
    }
}

#[test]
fn starts_while_busy() {
    for (choice, second, rules) in [("wait", 2, &[][..]), ("lost", 0, &["dma-start-lost"])] {
        let mut lab = lab("dma-start-while-busy", choice);
        let out = lab.put(&[0; 32]);
        let result = lab.program(&[out.addr.0, out.addr.0 + 64], |b| {
            show(b, 1);
            show(b, 2);
            b.ldi(WR_SETUP, 0x8090_4000u32);
            b.mov(ST_ADDR, UNIF);
            b.ldi(WR_SETUP, 0x8090_4080u32);
            b.mov(ST_ADDR, UNIF);
            b.mov(NONE, ST_WAIT);
        });
        let mut words = [0; 32];
        qpu::job::Runner::read(&mut lab.runner, out, 0, &mut words).unwrap();
        assert_eq!([words[0], words[16]], [1, second], "{choice}");
        assert_eq!(result.rules, rules, "{choice}");
    }
}

/// One QPU writes the setup words of a store, another starts it.
#[test]
fn whose_setup_words() {
    for (choice, value) in [("per-qpu", 7), ("shared", 8)] {
        let mut lab = lab("dma-setup-scope", choice);
        let out = lab.put(&[0; 16]);
        let mut starter = Builder::new();
        starter.ldi(WR_SETUP, 0x1a00u32);
        starter.ldi(VPM, 7u32);
        starter.ldi(VPM, 8u32);
        starter.ldi(WR_SETUP, 0x8090_4000u32);
        starter.ldi(WR_SETUP, 0xc000_0000u32);
        starter.srel(0);
        starter.sacq(1);
        starter.ldi(ST_ADDR, out.addr.0);
        starter.mov(NONE, ST_WAIT);
        starter.end();
        let mut other = Builder::new();
        other.sacq(0);
        other.ldi(WR_SETUP, 0x8090_4080u32);
        other.srel(1);
        other.end();
        let starter = lab.load(&starter.finish_unchecked().unwrap(), &[]);
        let other = lab.load(&other.finish_unchecked().unwrap(), &[]);
        lab.run(&[starter, other]).unwrap();
        let mut words = [0; 16];
        qpu::job::Runner::read(&mut lab.runner, out, 0, &mut words).unwrap();
        assert_eq!(words, [value; 16], "{choice}");
    }
}

#[test]
fn uniforms_without_a_length() {
    use v3d_sim::{Config, SparseMemory, SrqulZero, V3d};
    let mut b = Builder::new();
    b.mov(R0, UNIF);
    b.end();
    let words = b.finish().unwrap();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    for (srqul_zero, warnings) in [(SrqulZero::Unlimited, 0), (SrqulZero::None, 1)] {
        let conflicts = Conflicts {
            srqul_zero,
            ..Conflicts::default()
        };
        let mut v3d = V3d::new(Config {
            conflicts,
            ..Config::default()
        });
        let mut memory = SparseMemory::new();
        memory.put(0x1000, &bytes);
        v3d.write_register(0x434, 0x1000);
        v3d.write_register(0x430, 0x1000);
        v3d.advance(&mut memory, 100);
        assert_eq!(v3d.warnings().count(), warnings, "{srqul_zero:?}");
    }
}

#[test]
fn lookups_before_a_wait() {
    // Nobody takes a result, so the write that waits is a deadlock.
    for (choice, ends) in [("eight", true), ("four", false)] {
        let result = lab("tmu-depth", choice).try_program(&[0x4000_0040], |b| {
            b.mov(R0, UNIF);
            b.nop();
            for _ in 0..5 {
                b.mov(TMU0_S, R0);
            }
            for _ in 0..5 {
                b.nop().ldtmu0();
            }
        });
        assert_eq!(result.is_ok(), ends, "{choice}");
    }
}

#[test]
fn busy_registers() {
    for (choice, value) in [("flag", [0; 16]), ("constant", iota())] {
        let result = lab("dma-busy", choice).program(&[], |b| {
            b.instruction(Instruction::Alu(Alu {
                write: WriteBack {
                    waddr_add: waddr::VPM_WRITE,
                    cond_add: Cond::Always,
                    ..WriteBack::NOTHING
                },
                op_add: qpu::isa::AddOp::Or,
                raddr_a: raddr::VPM_BUSY,
                add_a: Mux::A,
                add_b: Mux::A,
                ..Alu::NOP
            }));
        });
        assert_eq!(result.rows[0], value, "{choice}");
        assert_eq!(result.rules, ["dma-busy-read"]);
    }
}

/// The first row that a program shows with a choice.
fn first_row(conflict: &str, choice: &str, body: impl FnOnce(&mut Builder)) -> Row {
    lab(conflict, choice).program(&[], body).rows[0]
}

#[test]
fn flags_of_an_instruction() {
    for (choice, value) in [("add", 1), ("mul", 2)] {
        let row = first_row("flags-add-never", choice, |b| {
            b.mov(R0, 1);
            b.mov(R1, 0);
            b.mov(R2, R0).setf();
            let write = WriteBack {
                sf: true,
                cond_mul: Cond::Always,
                ..WriteBack::NOTHING
            };
            // or -, r0, r0 with cond_add never; v8min -, r1, r1: only the mul ALU gives a zero.
            b.instruction(Instruction::Alu(Alu {
                write,
                op_add: qpu::isa::AddOp::Or,
                op_mul: qpu::isa::MulOp::V8min,
                mul_a: Mux::R1,
                mul_b: Mux::R1,
                ..Alu::NOP
            }));
            b.mov(R2, 2).ifz();
            show(b, R2);
        });
        assert_eq!(row[0], value, "{choice}");
    }
    for (choice, value) in [("masked", 1), ("everywhere", 2)] {
        let row = first_row("flags-masked", choice, |b| {
            b.mov(R0, 1);
            b.mov(R1, 0);
            b.mov(R2, R0).setf();
            b.mov(NONE, R1).ifz().setf();
            b.mov(R2, 2).ifz();
            show(b, R2);
        });
        assert_eq!(row[0], value, "{choice}");
    }
}

#[test]
fn carries() {
    for (choice, value) in [("positive", 2), ("clear", 1)] {
        let row = first_row("itof-carry", choice, |b| {
            b.mov(R0, 1);
            b.mov(R2, R0);
            b.itof(R1, R0).setf();
            b.mov(R2, 2).ifc();
            show(b, R2);
        });
        assert_eq!(row[0], value, "itof {choice}");
        let row = first_row("fmul-carry", choice, |b| {
            b.ldi(R0, 0x3f80_0000u32);
            b.mov(R2, 1);
            b.nop().fmul(R1, R0, R0).setf();
            b.mov(R2, 2).ifc();
            show(b, R2);
        });
        assert_eq!(row[0], value, "fmul {choice}");
    }
    for (choice, value) in [("32", 1), ("24", 2)] {
        let row = first_row("mul24-carry", choice, |b| {
            b.ldi(R0, 0x1_0000u32);
            b.mov(R2, 1);
            b.ldi(R3, 0x100u32);
            b.nop().mul24(R1, R0, R3).setf();
            b.mov(R2, 2).ifc();
            show(b, R2);
        });
        assert_eq!(row[0], value, "{choice}");
    }
}

#[test]
fn operands_and_packs() {
    for (choice, value) in [("first", !1), ("second", !2)] {
        let row = first_row("unary-operand", choice, |b| {
            b.mov(R0, 1);
            b.mov(R1, 2);
            let write = WriteBack {
                cond_add: Cond::Always,
                waddr_add: waddr::ACC2,
                ..WriteBack::NOTHING
            };
            b.instruction(Instruction::Alu(Alu {
                write,
                op_add: qpu::isa::AddOp::Not,
                add_a: Mux::R0,
                add_b: Mux::R1,
                ..Alu::NOP
            }));
            show(b, R2);
        });
        assert_eq!(row[0], value, "{choice}");
    }
    for (choice, value) in [("truncate", -1i32), ("nearest", -2)] {
        let row = first_row("ftoi-rounding", choice, |b| {
            b.ldi(R0, (-1.75f32).to_bits());
            b.ftoi(R2, R0);
            show(b, R2);
        });
        assert_eq!(row[0], value as u32, "{choice}");
    }
    for (choice, value) in [("nearest", 128), ("truncate", 127)] {
        let row = first_row("colour-rounding", choice, |b| {
            b.ldi(R0, 0x3f00_0000u32);
            b.ldi(R1, 0x3f80_0000u32);
            b.mov(R2, 0);
            let write = WriteBack {
                pm: true,
                pack: qpu::isa::Pack::P8a,
                cond_mul: Cond::Always,
                waddr_mul: waddr::ACC2,
                ..WriteBack::NOTHING
            };
            b.instruction(Instruction::Alu(Alu {
                write,
                op_mul: qpu::isa::MulOp::Fmul,
                mul_a: Mux::R0,
                mul_b: Mux::R1,
                ..Alu::NOP
            }));
            show(b, R2);
        });
        assert_eq!(row[0], value, "{choice}");
    }
}

#[test]
fn branch_elements() {
    for (choice, value) in [("15", 1), ("0", 2)] {
        let row = first_row("branch-element", choice, |b| {
            b.mov(R2, 1);
            b.mov(R0, ELEM_NUM);
            b.shr(R0, R0, 3);
            b.shl(ra(0), R0, 3); // elements 0 to 7: 0, the others: one instruction
            b.nop();
            b.instruction(Instruction::Branch(Branch {
                reg: true,
                raddr_a: 0,
                ..Branch::RELATIVE
            }));
            b.nops(3);
            b.mov(R2, 2);
            show(b, R2);
        });
        assert_eq!(row[0], value, "{choice}");
    }
}

#[test]
fn rotations_with_one_accumulator() {
    let lanes: Row = std::array::from_fn(|lane| lane as u32);
    let moved = std::array::from_fn(|lane| (lane as u32).wrapping_sub(4) % 16);
    for (choice, row) in [("per-operand", moved), ("in-quads", lanes)] {
        let result = first_row("mixed-rotation", choice, |b| {
            b.mov(ra(0), 1);
            b.mov(R0, ELEM_NUM);
            b.nop();
            // Four lanes are a whole turn inside a quad.
            b.nop().mul24(R1, R0, ra(0)).rotate(4);
            show(b, R1);
        });
        assert_eq!(result, row, "{choice}");
    }
}

#[test]
fn unpacked_inputs() {
    for (choice, value) in [("applied", 0), ("ignored", 9)] {
        let row = first_row("unpack-input", choice, |b| {
            // or r0, elem_num.8b, elem_num.8b
            let write = WriteBack {
                cond_add: Cond::Always,
                waddr_add: waddr::ACC0,
                ..WriteBack::NOTHING
            };
            b.instruction(Instruction::Alu(Alu {
                write,
                unpack: Unpack::U8b,
                op_add: qpu::isa::AddOp::Or,
                raddr_a: raddr::ELEMENT_QPU,
                add_a: Mux::A,
                add_b: Mux::A,
                ..Alu::NOP
            }));
            show(b, R0);
        });
        assert_eq!(row[9], value, "{choice}");
    }
}
