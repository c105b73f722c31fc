//! What is noticed of an instruction, and of what a program leaves behind.

use crate::lab::*;
use qpu::generate::*;
use qpu::isa::{AddOp, Alu, Cond, Instruction, Mux, WriteBack};
use v3d_sim::SimRunner;

#[test]
fn combinations_in_one_instruction_are_noticed() {
    let mut lab = Lab::new();
    let table = lab.put(&[1; 16]);
    let result = lab.program(&[table.addr.0], |b| {
        b.nop();
        b.mov(R0, UNIF);
        b.mov(TMU0_S, R0);
        b.mov(VPM, R0).ldtmu0();
        b.mov(TMU0_S, R0).mov(TMU1_S, R0);
        b.nop().ldtmu0();
        b.nop().ldtmu1();
        b.ldi(RD_SETUP, 0x0010_1a00u32);
        b.mov(VPM, VPM);
        b.mov(SFU_RECIP, R0).cond(Cond::Never);
        b.ldi(NONE, 0u32).setf();
        b.mov(VPM, R0).ifnz();
    });
    assert_eq!(
        result.rules,
        [
            "conditional-peripheral-write",
            "ldtmu-beside-vpm",
            "never-peripheral-write",
            "one-unit-per-instruction",
        ]
    );
}

#[test]
fn a_mutex_taken_before_vpm_writes_are_drained_is_noticed() {
    let rules = rules(|b| {
        show(b, 1);
        b.mov(NONE, MUTEX_ACQUIRE);
        b.nop();
        b.mov(MUTEX_RELEASE, 1);
        show(b, 1);
        b.ldi(RD_SETUP, 0x0010_1a00u32);
        b.mov(R0, VPM);
        b.mov(NONE, MUTEX_ACQUIRE);
        b.nop();
        b.mov(MUTEX_RELEASE, 1);
    });
    assert_eq!(rules, ["mutex-before-drain"]);
}

#[test]
fn packs_that_do_nothing_are_noticed() {
    use qpu::isa::{Pack, waddr};
    let rules = rules(|b| {
        b.ldi(ra(0), 3u32);
        b.nop();
        let write = |address| WriteBack {
            pack: Pack::P8a,
            waddr_add: address,
            cond_add: Cond::Always,
            ..WriteBack::NOTHING
        };
        let mov = |write| {
            Instruction::Alu(Alu {
                write,
                op_add: AddOp::Or,
                raddr_a: qpu::isa::Raddr::from_bits(0).unwrap(),
                add_a: Mux::A,
                add_b: Mux::A,
                ..Alu::NOP
            })
        };
        b.instruction(mov(write(waddr::NOP)));
        b.instruction(mov(write(waddr::ACC0)));
    });
    assert_eq!(rules, ["pack-no-effect"]);
}

#[test]
fn what_is_left_at_the_end_is_noticed() {
    // Functional: with time the load is over before the program is.
    let runner = SimRunner::new(1 << 20).with_strict(false);
    let mut lab = Lab::with(runner.with_functional(true));
    let table = lab.put(&[1; 32]);
    let mut b = Builder::new();
    b.ldi(RD_SETUP, 0x8302_1000u32);
    b.ldi(LD_ADDR, table.addr.0);
    b.ldi(TMU0_S, table.addr.0);
    b.mov(NONE, MUTEX_ACQUIRE);
    b.ldi(RD_SETUP, 0x0020_1a04u32);
    b.mov(R0, VPM);
    b.srel(3);
    b.end();
    let program = lab.load(&b.finish_unchecked().unwrap(), &[]);
    lab.run(&[program]).unwrap();
    let mut rules: Vec<_> = lab
        .runner
        .warnings()
        .iter()
        .map(|warning| warning.rule.id())
        .collect();
    rules.sort_unstable();
    assert_eq!(
        rules,
        [
            "dma-unfinished-at-end",
            "mutex-held-at-end",
            "semaphore-left",
            "tmu-unread-at-end",
            "vpm-unread-at-end"
        ]
    );
}
