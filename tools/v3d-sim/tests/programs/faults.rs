//! Faults that stop a QPU, and their reports.

use crate::lab::*;
use qpu::generate::*;
use qpu::isa::{
    AddOp, Alu, BranchCond, Cond, Instruction, RaddrB, Signal, WriteBack, raddr, waddr,
};
use v3d_sim::SimRunner;

fn assert_has(text: &str, part: &str) {
    assert!(text.contains(part), "{part:?} in {text:?}");
}

#[test]
fn memory_that_is_not_there() {
    assert_has(
        &fault(|b| {
            b.ldi(R0, 0x4fff_0000u32);
            b.nop();
            b.mov(TMU0_S, R0);
        }),
        "TMU lane 0 reads 0x4fff0000: outside every buffer",
    );
    assert_has(
        &fault(|b| {
            b.ldi(R0, 0x1000u32);
            b.nop();
            b.mov(TMU0_S, R0);
        }),
        "bus addresses of this memory start with 0x4",
    );
    assert_has(
        &fault(|b| {
            b.ldi(RD_SETUP, 0x8301_1000u32);
            b.ldi(LD_ADDR, 0x4fff_0000u32);
            b.mov(NONE, LD_WAIT);
        }),
        "ldi ld_addr, 0x4fff0000",
    );
    assert_has(
        &fault(|b| {
            b.ldi(WR_SETUP, 0x8090_4000u32);
            b.ldi(ST_ADDR, 0x4fff_0000u32);
            b.mov(NONE, ST_WAIT);
        }),
        "DMA store at 0x4fff0000",
    );
    assert_has(
        &fault(|b| {
            b.ldi(R0, 0x4fff_0000u32);
            b.mov(UNIFORMS_ADDRESS, R0);
            b.nops(2);
            b.mov(R0, UNIF);
        }),
        "uniform read at 0x4fff0000",
    );
    assert_has(
        &fault(|b| {
            let ahead = b.here("here");
            b.brr(BranchCond::Always, ahead).link(ra(0));
            b.nops(2);
            b.instruction(Instruction::Branch(qpu::isa::Branch {
                rel: false,
                immediate: 0x4fff_0000,
                ..qpu::isa::Branch::RELATIVE
            }));
            b.nops(3);
        }),
        "instruction fetch at 0x4fff0000",
    );
}

#[test]
fn waits_that_would_never_end() {
    assert_has(
        &fault(|b| {
            b.nop().ldtmu1();
        }),
        "ldtmu1 without a lookup outstanding",
    );
    assert_has(
        &fault(|b| {
            b.mov(R0, VPM);
        }),
        "a VPM read without vectors left",
    );
    assert_has(
        &fault(|b| {
            b.ldi(R0, 0x4000_0040u32);
            b.nop();
            for _ in 0..9 {
                b.mov(TMU0_S, R0);
            }
        }),
        "waits for room in the request FIFO of TMU 1",
    ); // QPU 11 swaps
    assert_has(
        &fault(|b| {
            b.mov(NONE, MUTEX_ACQUIRE);
            b.mov(NONE, MUTEX_ACQUIRE);
        }),
        "mutex: held by QPU 11",
    );
    assert_has(
        &fault(|b| {
            b.nop().signal(Signal::Breakpoint);
        }),
        "waits for the host",
    );
}

#[test]
fn instructions_that_user_programs_do_not_have() {
    let signal = |signal| {
        fault(|b| {
            b.nop().signal(signal);
        })
    };
    assert_has(
        &signal(Signal::ThreadSwitch),
        "a thread switch belongs to the 3D pipeline",
    );
    assert_has(&signal(Signal::WaitScoreboard), "the scoreboard");
    assert_has(&signal(Signal::LoadColour), "the tile buffer");
    let write = |address| {
        fault(|b| {
            let write = WriteBack {
                waddr_add: address,
                cond_add: Cond::Always,
                ..WriteBack::NOTHING
            };
            b.instruction(Instruction::Alu(Alu {
                write,
                op_add: AddOp::Or,
                ..Alu::NOP
            }));
        })
    };
    assert_has(&write(waddr::TLB_COLOUR_ALL), "3D pipeline");
    assert_has(&write(waddr::QUAD_XY), "a quad coordinate");
    assert_has(
        &fault(|b| {
            let raddr_b = RaddrB::Register {
                raddr: raddr::VARYING,
                signal: Signal::None,
            };
            b.instruction(Instruction::Alu(Alu {
                raddr_b,
                ..Alu::NOP
            }));
        }),
        "a varying",
    );
}

#[test]
fn words_that_are_no_instructions() {
    let run = |words: &[u64]| {
        let mut lab = Lab::new();
        let program = lab.load(words, &[]);
        lab.run(&[program]).unwrap_err().to_string()
    };
    assert_has(&run(&[0x1000_09e7_099e_7000]), "reserved op_add 9");
    assert_has(
        &run(&[Instruction::NOP.encode(), 0]),
        "ran into a word of zeros",
    );
    assert_has(
        &fault(|b| {
            b.ldi(WR_SETUP, 0x1b00u32);
        }),
        "SIZE 3 of a VPM write",
    );
    assert_has(
        &fault(|b| {
            b.ldi(WR_SETUP, 0x8090_4001u32);
            b.ldi(ST_ADDR, 0x4000_0040u32);
        }),
        "MODEW 1 or LANED 1",
    );
}

#[test]
fn a_program_that_never_ends_is_stopped_and_the_next_one_runs() {
    let mut lab = Lab::with(SimRunner::new(1 << 20));
    let mut b = Builder::new();
    let forever = b.here("forever");
    b.brr(BranchCond::Always, forever);
    b.nops(3);
    let endless = lab.load(&b.finish_unchecked().unwrap(), &[]);
    let error = lab.run(&[endless]).unwrap_err().to_string();
    assert_has(&error, "programs did not end within 10000 us");
    assert_has(&error, "QPU 11 at");
    let result = lab.program(&[], |b| show(b, ELEM_NUM));
    assert_eq!(result.rows[0], iota());
}

#[test]
fn strict_runs_stop_at_the_first_warning_and_say_where() {
    let mut lab = Lab::with(SimRunner::new(1 << 20));
    let error = lab.try_program(&[], |b| {
        b.ldi(ra(0), 1u32);
        show(b, ra(0));
    });
    let text = error.unwrap_err().to_string();
    assert_has(&text, "QPU 11 at 0x4000");
    assert_has(&text, "`mov vpm, ra0`");
    assert_has(&text, "cannot be read by the next one");
    assert_has(&text, "Broadcom's guide");
}
