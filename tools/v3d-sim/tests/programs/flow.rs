//! Branches, delay slots, links and the end of a program.

use crate::lab::*;
use qpu::generate::*;
use qpu::isa::{Branch, BranchCond, Cond, Instruction, waddr};

#[test]
fn three_delay_slots_execute_and_what_follows_does_not() {
    let rows = rows(|b| {
        let target = b.label("target");
        b.brr(BranchCond::Always, target);
        for slot in 1..=3 {
            b.ldi(VPM, slot as u32);
        }
        b.ldi(VPM, 99u32);
        b.bind(target);
        b.ldi(VPM, 4u32);
    });
    assert_eq!(
        rows[..4].iter().map(|row| row[0]).collect::<Vec<_>>(),
        [1, 2, 3, 4]
    );
}

#[test]
fn a_link_is_written_only_when_the_branch_is_taken() {
    let mut lab = Lab::new();
    let result = lab.program(&[], |b| {
        b.ldi(ra(0), 7u32);
        b.ldi(rb(0), 7u32);
        b.ldi(NONE, 1u32).setf();
        let next = b.label("next");
        b.brr(BranchCond::AnyZS, next).link(ra(0)); // not taken
        b.nops(3);
        b.brr(BranchCond::AllZC, next).link(rb(0)); // taken
        b.nops(3);
        b.bind(next);
        show(b, ra(0));
        show(b, rb(0));
    });
    assert_eq!(result.rows[0], [7; 16]);
    // The setup of the lab is instruction 0, the taken branch instruction 8.
    assert_eq!(result.rows[1][0] % 64, 12 * 8 % 64);
}

#[test]
fn a_subroutine_returns_to_its_link() {
    let rows = rows(|b| {
        let (subroutine, end) = (b.label("subroutine"), b.label("end"));
        b.ldi(R0, 0u32);
        for _ in 0..2 {
            b.brr(BranchCond::Always, subroutine).link(ra(2));
            b.nops(3);
        }
        show(b, R0);
        b.brr(BranchCond::Always, end);
        b.nops(3);
        b.bind(subroutine);
        b.add(R0, R0, 5);
        b.bra(BranchCond::Always, ra(2));
        b.nops(3);
        b.bind(end);
    });
    assert_eq!(rows[0], [10; 16]);
}

#[test]
fn every_branch_condition() {
    use BranchCond as C;
    // With flags of `elem_num - 8` (some lanes each way), of 0 and of -1 (carry clear).
    let taken = |condition, mixed: bool, zero: bool, negative: bool| {
        let rows = rows(|b| {
            for kind in 0..3 {
                b.mov(R0, ELEM_NUM);
                match kind {
                    0 => b.sub(NONE, R0, 8).setf(),
                    1 => b.mov(NONE, 0).setf(),
                    _ => b.mov(NONE, -1).setf(),
                };
                let taken = b.label("taken");
                b.ldi(R1, 1u32);
                b.brr(condition, taken);
                b.nops(3);
                b.ldi(R1, 0u32);
                b.bind(taken);
                show(b, R1);
            }
        });
        assert_eq!(
            [rows[0][0], rows[1][0], rows[2][0]],
            [mixed, zero, negative].map(u32::from),
            "{condition:?}"
        );
    };
    taken(C::AllZS, false, true, false);
    taken(C::AllZC, false, false, true);
    taken(C::AnyZS, true, true, false);
    taken(C::AnyZC, true, false, true);
    taken(C::AllNS, false, false, true);
    taken(C::AllNC, false, true, false);
    taken(C::AnyNS, true, false, true);
    taken(C::AnyNC, true, true, false);
    taken(C::AllCS, false, false, false);
    taken(C::AllCC, false, true, true);
    taken(C::AnyCS, true, false, false);
    taken(C::AnyCC, true, true, true);
    taken(C::Always, true, true, true);
}

/// vc4asm documents this use: the branch in the third delay slot has its own delay slots at the
/// first target.
#[test]
fn a_branch_in_the_third_delay_slot() {
    let rows = rows(|b| {
        let (first, second, end) = (b.label("first"), b.label("second"), b.label("end"));
        b.brr(BranchCond::Always, first);
        b.nops(2);
        b.brr(BranchCond::Always, second);
        b.ldi(VPM, 98u32);
        b.bind(first);
        for slot in 1..=3 {
            b.ldi(VPM, slot as u32);
        }
        b.ldi(VPM, 99u32);
        b.bind(second);
        b.ldi(VPM, 4u32);
        b.bind(end);
    });
    assert_eq!(
        rows[..4].iter().map(|row| row[0]).collect::<Vec<_>>(),
        [1, 2, 3, 4]
    );
}

#[test]
fn a_branch_register_is_element_15_and_odd_ones_set_flags() {
    let mut lab = Lab::new();
    let result = lab.program(&[], |b| {
        b.ldi(NONE, 0u32).setf();
        b.mov(R0, ELEM_NUM);
        b.shl(ra(1), R0, 3); // element 15: 120
        b.nop();
        // Target: this address + 32 + 120 - 80, five instructions after the delay slots.
        b.instruction(Instruction::Branch(Branch {
            reg: true,
            raddr_a: 1,
            immediate: -80i32 as u32,
            ..Branch::RELATIVE
        }));
        b.nops(3);
        for _ in 0..5 {
            b.ldi(VPM, 99u32);
        }
        b.ldi(R1, 1u32);
        b.ldi(R1, 2u32).cond(Cond::ZS);
        show(b, R1);
    });
    assert_eq!(
        result.rows[0], [1; 16],
        "the link is not zero, so Z is clear"
    );
    assert_eq!(result.rules, ["branch-elements", "branch-odd-register"]);
}

/// asurati's shaders return by ra31, and ask for no flags.
#[test]
fn flags_of_an_odd_register_are_reported_where_they_are_asked_for() {
    let rules_of = |sets_anew: bool, asks: bool| {
        rules(|b| {
            let next = b.label("next");
            b.brr(BranchCond::Always, next).link(ra(31));
            b.nops(3);
            b.bind(next);
            b.nop();
            b.instruction(Instruction::Branch(Branch {
                rel: false,
                reg: true,
                raddr_a: 31,
                immediate: 5 * 8,
                ..Branch::RELATIVE
            }));
            b.nops(3);
            if sets_anew {
                b.ldi(NONE, 1u32).setf();
            }
            if asks {
                b.ldi(R1, 2u32).cond(Cond::NS);
            }
        })
    };
    assert_eq!(rules_of(false, true), ["branch-odd-register"]);
    assert!(rules_of(true, true).is_empty());
    assert!(rules_of(false, false).is_empty());
}

#[test]
fn branches_too_close_are_noticed() {
    let rules = rules(|b| {
        b.ldi(NONE, 1u32).setf();
        let next = b.label("next");
        b.brr(BranchCond::AnyZS, next);
        b.nop();
        b.brr(BranchCond::AnyZS, next);
        b.nops(3);
        b.bind(next);
    });
    assert_eq!(rules, ["branch-too-close"]);
}

#[test]
fn a_link_to_a_unit_goes_nowhere() {
    let rules = rules(|b| {
        let next = b.label("next");
        b.brr(BranchCond::Always, next);
        b.nops(3);
        b.bind(next);
        b.instruction(Instruction::Branch(Branch {
            waddr_add: waddr::VPM_WRITE,
            ..Branch::RELATIVE
        }));
        b.nops(3);
    });
    assert_eq!(rules, ["link-destination"]);
}

#[test]
fn what_the_last_three_instructions_must_not_do() {
    let mut lab = Lab::new();
    let mut b = Builder::new();
    b.ldi(WR_SETUP, 0x1a00u32);
    b.ldi(ra(14), 1u32);
    b.mov(ra(3), UNIF).thrend();
    b.mov(VPM, ra(14));
    b.mov(NONE, UNIF);
    let program = lab.load(&b.finish_unchecked().unwrap(), &[1, 2, 3]);
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
            "end-regfile-write",
            "end-register-14",
            "end-uniform",
            "end-vpm"
        ]
    );
}
