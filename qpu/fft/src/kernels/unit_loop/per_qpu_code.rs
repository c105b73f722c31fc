//! Code that each of the programs that share tiles has in its own way: the numbers of semaphores
//! are in instructions.
//!
//! Each program of a launch has [`TABLE_ENTRY`] instructions of its own for each thing that it
//! does, which a branch through [`TABLES`] finds; [`super::tile`] says which semaphore is what.

use super::Word;
use super::assemble::put_around;
use qpu::generate::schedule::Scheduled;
use qpu::generate::{Builder, Label, MUTEX_ACQUIRE, MUTEX_RELEASE, NONE, ra};
use qpu::isa::BranchCond;
use qpu::machine::LINE_INSTRUCTIONS;

/// Semaphore of the first group: the others are there.
pub(super) const IS_THERE: u8 = 2;
/// Programs, at the most.
pub(super) const PROGRAMS: u8 = 12;
/// Register of file A that says where a program's entries are; an even one.
pub(super) const TABLES: u8 = 30;
/// And where an entry goes back to.
pub(super) const LINK: u8 = 28;
/// Instructions of an entry, a power of two.
pub(super) const TABLE_ENTRY: u32 = 4;
/// Instructions of all, at the most.
pub(super) const ALL_TABLES: u32 = 5 * (PROGRAMS * TABLE_ENTRY as u8) as u32 + 64;

/// The entries of the first program: before the exchange, in both steps, behind the exchange, and
/// in the end.
pub(super) struct PerQpuCode {
    pub(super) enter: [Label; 2],
    pub(super) signal: [Label; 2],
    pub(super) leave: [Label; 2],
    pub(super) end: Label,
}

/// A piece, and a call of one of the program's entries whose delay slots are the end of the piece.
/// Entries that both steps have go back where the link says.
pub(super) fn put_calling(b: &mut Builder, piece: &Scheduled<Word>, entry: Label) {
    put_around(b, piece, |b| {
        b.brr(BranchCond::Always, entry)
            .plus(ra(TABLES))
            .link(ra(LINK));
    });
}

/// Steps of an exchange among `sharers` programs.
pub(super) const fn steps(sharers: u8) -> usize {
    sharers.ilog2() as usize
}

/// Writes the code that is different for each program: a table of [`TABLE_ENTRY`] instructions a
/// program for each thing that it does, so that what the programs of a slice do is in few lines;
/// and what does not fit there.
pub(super) fn put_per_qpu_code(b: &mut Builder, sharers: u8, code: &PerQpuCode, close: Label) {
    let groups = PROGRAMS / sharers;
    let others = usize::from(sharers - 1);
    let first_signal = IS_THERE + 2 * groups;
    let is_there = |group: u8| IS_THERE + group;
    let may_write = |group: u8| IS_THERE + groups + group;
    let mut label = |name: &str, group: u8| b.label(&format!("{name}-{group}"));
    let [take, all_ended]: [Vec<Label>; 2] =
        ["take", "all-ended"].map(|name| (0..groups).map(|group| label(name, group)).collect());

    put_table(b, sharers, code.enter[0], |b, group, own| {
        if own == 0 {
            b.brr(BranchCond::Always, take[usize::from(group)]);
            for _ in 0..others {
                b.sacq(is_there(group));
            }
        } else {
            b.brr(BranchCond::Always, code.enter[1]);
            b.srel(is_there(group));
            b.sacq(may_write(group));
        }
    });
    for (step, label) in code.signal.into_iter().enumerate() {
        if step == steps(sharers) {
            b.bind(label);
            continue;
        }
        let signal = first_signal + sharers * step as u8;
        put_table(b, sharers, label, |b, _, own| {
            b.bra(BranchCond::Always, ra(LINK));
            b.srel(signal + (own ^ (sharers >> (step + 1))));
            b.sacq(signal + own);
        });
    }
    let signal = first_signal + sharers * (steps(sharers) as u8 - 1);
    put_table(b, sharers, code.leave[0], |b, _, own| {
        b.brr(BranchCond::Always, code.leave[1]);
        match own {
            0 => {
                b.sacq(signal);
                if sharers > 2 {
                    b.sacq(first_signal);
                }
                b.mov(MUTEX_RELEASE, 0);
            }
            2 => {
                b.sacq(signal + own);
                b.srel(first_signal);
            }
            _ => {
                b.srel(signal + (own ^ 1));
            }
        }
    });
    for group in 0..groups {
        b.bind(take[usize::from(group)]);
        b.mov(NONE, MUTEX_ACQUIRE);
        b.brr(BranchCond::Always, code.enter[1]);
        for _ in 0..others {
            b.srel(may_write(group));
        }
        b.nops(3 - others);
    }
    put_table(b, sharers, code.end, |b, group, own| {
        if own > 0 {
            b.srel(is_there(group));
            b.end();
            return;
        }
        let all_ended = if group == 0 {
            close
        } else {
            all_ended[usize::from(group)]
        };
        b.brr(BranchCond::Always, all_ended);
        for _ in 0..others {
            b.sacq(is_there(group));
        }
    });
    b.bind(all_ended[0]);
    for group in 1..groups {
        b.bind(all_ended[usize::from(group)]);
        b.srel(IS_THERE);
        b.end();
    }
}

/// A table of what each program does, by its group and its number there: up to [`TABLE_ENTRY`]
/// instructions.
fn put_table(b: &mut Builder, sharers: u8, label: Label, put: impl Fn(&mut Builder, u8, u8)) {
    b.nops(b.len().next_multiple_of(LINE_INSTRUCTIONS as usize) - b.len());
    b.bind(label);
    for number in 0..PROGRAMS {
        let end = b.len() + TABLE_ENTRY as usize;
        put(b, number / sharers, number % sharers);
        b.nops(end - b.len());
    }
}
