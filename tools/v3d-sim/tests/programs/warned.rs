//! Warnings about an instruction, and about the state that a program leaves behind.

use crate::lab::*;
use qpu::generate::*;
use qpu::isa::{AddOp, Alu, Cond, Instruction, Mux, WriteBack};
use v3d_sim::{Rule, SimRunner};

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
    for functional in [false, true] {
        assert_eq!(
            left_at_the_end(functional),
            [
                "dma-unfinished-at-end",
                "mutex-held-at-end",
                "semaphore-left",
                "tmu-unread-at-end",
                "vpm-unread-at-end"
            ],
            "functional: {functional}"
        );
    }
}

fn left_at_the_end(functional: bool) -> Vec<&'static str> {
    let runner = SimRunner::new(1 << 20).with_strict(false);
    let mut lab = Lab::with(runner.with_functional(functional));
    lab.zero_rows();
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
    rules
}

/// With time, a load is over long before a program of so many instructions is.
#[test]
fn a_transfer_that_is_over_must_have_been_waited_for_or_asked_about() {
    let warned = |watch: fn(&mut Builder)| {
        let mut lab = Lab::with(SimRunner::new(1 << 20).with_strict(false));
        let table = lab.put(&[1; 16]);
        let mut b = Builder::new();
        b.ldi(RD_SETUP, 0x8301_1000u32);
        b.ldi(LD_ADDR, table.addr.0);
        b.nops(400);
        watch(&mut b);
        b.end();
        let program = lab.load(&b.finish_unchecked().unwrap(), &[]);
        lab.run(&[program]).unwrap();
        let warnings = lab.runner.warnings();
        let of_end = warnings.iter();
        of_end
            .filter(|warning| warning.rule == Rule::DmaUnfinishedAtEnd)
            .map(|warning| warning.detail.clone())
            .collect::<Vec<_>>()
    };
    let warnings = warned(|_| ());
    assert_eq!(warnings, ["it was over by now, which nothing made sure of"]);
    let by_wait = |b: &mut Builder| {
        b.mov(NONE, LD_WAIT);
    };
    assert!(warned(by_wait).is_empty());
    let by_poll = |b: &mut Builder| {
        b.instruction(Instruction::Alu(Alu {
            raddr_a: qpu::isa::raddr::VPM_BUSY,
            ..Alu::NOP
        }));
    };
    assert!(warned(by_poll).is_empty());
    let by_wait_for_stores = |b: &mut Builder| {
        b.mov(NONE, ST_WAIT);
    };
    assert_eq!(warned(by_wait_for_stores), warnings);
}
