//! What programs that share tiles do each in its own way: the numbers of semaphores are in instructions.
//!
//! Each program of a launch has [`STUB`] instructions of its own, which a branch through [`STUBS`] finds;
//! [`super::tile`] says which semaphore is what.

use super::Word;
use crate::generate::schedule::Scheduled;
use crate::generate::{Builder, Label, MUTEX_ACQUIRE, MUTEX_RELEASE, NONE, ra};
use crate::isa::BranchCond;

/// Semaphore of the first group: the others are there.
pub(super) const IS_THERE: u8 = 2;
/// Programs, at the most.
pub(super) const PROGRAMS: u8 = 12;
/// Register of file A that says where a program's stubs are; an even one.
pub(super) const STUBS: u8 = 30;
/// And where a stub goes back to.
pub(super) const LINK: u8 = 28;
/// Instructions of the stubs of a program, a power of two.
pub(super) const STUB: u32 = 32;

/// Where the stubs of a program are: before the exchange, in both steps, behind the exchange, and in the end.
pub(super) struct Stubs {
    pub(super) enter: [Label; 2],
    pub(super) told: [Label; 2],
    pub(super) leave: [Label; 2],
    pub(super) end: Label,
}

/// A piece, and a call of one of the program's stubs whose delay slots are the end of the piece. Stubs that both
/// steps have go back where the link says.
pub(super) fn put_calling(b: &mut Builder, piece: &Scheduled<Word>, stub: Label) {
    let instructions = &piece.instructions;
    let last = instructions.len().saturating_sub(3);
    let (before, after) = instructions.split_at(last);
    for &instruction in before {
        b.instruction(instruction);
    }
    b.brr(BranchCond::Always, stub)
        .plus(ra(STUBS))
        .link(ra(LINK));
    for &instruction in after {
        b.instruction(instruction);
    }
    b.nops(3 - after.len());
}

/// Steps of an exchange among `sharers` programs.
pub(super) const fn steps(sharers: u8) -> usize {
    sharers.ilog2() as usize
}

/// What programs do that is different for each, [`STUB`] instructions.
pub(super) fn put_stubs(b: &mut Builder, sharers: u8, stubs: &Stubs, close: Label) {
    let groups = PROGRAMS / sharers;
    let others = sharers - 1;
    let first_told = IS_THERE + 2 * groups;
    for number in 0..PROGRAMS {
        let (group, own) = (number / sharers, number % sharers);
        let (is_there, may_write) = (IS_THERE + group, IS_THERE + groups + group);
        let from = b.len();
        let bind = |b: &mut Builder, label: Label, at: usize| {
            assert!(b.len() - from <= at, "stubs are as long for each program");
            b.nops(from + at - b.len());
            if number == 0 {
                b.bind(label);
            }
        };
        let for_others = |b: &mut Builder, put: &dyn Fn(&mut Builder)| {
            (0..others).for_each(|_| put(b));
        };
        bind(b, stubs.enter[0], 0);
        if own == 0 {
            for_others(b, &|b| {
                b.sacq(is_there);
            });
            b.mov(NONE, MUTEX_ACQUIRE);
            b.brr(BranchCond::Always, stubs.enter[1]);
            for_others(b, &|b| {
                b.srel(may_write);
            });
            b.nops(usize::from(3 - others));
        } else {
            b.srel(is_there);
            b.brr(BranchCond::Always, stubs.enter[1]);
            b.sacq(may_write);
            b.nops(2);
        }
        for (step, label) in stubs.told.into_iter().enumerate() {
            bind(b, label, 8 + 4 * step);
            if step == steps(sharers) {
                break;
            }
            let told = first_told + sharers * step as u8;
            b.bra(BranchCond::Always, ra(LINK));
            b.srel(told + (own ^ (sharers >> (step + 1))));
            b.sacq(told + own);
            b.nop();
        }
        bind(b, stubs.leave[0], 16);
        b.brr(BranchCond::Always, stubs.leave[1]);
        let told = first_told + sharers * (steps(sharers) as u8 - 1);
        match own {
            0 => {
                b.sacq(told);
                if sharers > 2 {
                    b.sacq(first_told);
                } else {
                    b.nop();
                }
                b.mov(MUTEX_RELEASE, 0);
            }
            2 => {
                b.sacq(told + own);
                b.srel(first_told);
                b.nop();
            }
            _ => {
                b.srel(told + (own ^ 1));
                b.nops(2);
            }
        }
        bind(b, stubs.end, 20);
        if own > 0 {
            b.srel(is_there);
            b.end();
        } else {
            for_others(b, &|b| {
                b.sacq(is_there);
            });
            if group == 0 {
                b.brr(BranchCond::Always, close);
                b.nops(3);
            } else {
                b.srel(IS_THERE);
                b.end();
            }
        }
        b.nops(from + STUB as usize - b.len());
    }
}
