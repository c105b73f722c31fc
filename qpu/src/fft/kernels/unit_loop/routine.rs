//! Routines: pieces of a unit that are done several times, and are in the program once.
//!
//! A slice's cache holds 512 instructions. What a unit does to one column or output after the other
//! is written as a call each time ([`UnitProgram::call`]), with the uniforms of that time; if that
//! gives the same instructions, they are put once, in front of the loop, and go back where a
//! register says.

use super::{Form, Scheduled, UnitProgram, Word};
use crate::check;
use crate::generate::codelet::register;
use crate::generate::{Builder, Label, Reg, schedule};
use crate::isa::BranchCond;

/// The routines of a program.
pub(super) struct Routines<'a> {
    all: Vec<(Label, &'a schedule::Scheduled<Word>)>,
    link: Option<Reg>,
    /// Instructions of all.
    pub length: usize,
}

impl Routines<'_> {
    /// Instructions that must be between a piece and one before it. The checks of programs take any
    /// routine for the one that came back.
    pub fn apart(&self, (before, form): &Scheduled, after: &schedule::Scheduled<Word>) -> usize {
        match form {
            Form::Call(_) => {
                let apart = self.all.iter().map(|(_, routine)| apart(routine, after));
                apart.max().unwrap_or(0)
            }
            _ => apart(before, after),
        }
    }

    /// A piece and a call behind it, whose delay slots are the end of the piece.
    pub fn put_call(&self, b: &mut Builder, piece: &schedule::Scheduled<Word>, number: usize) {
        let link = self.link.expect("kept by who calls");
        let (routine, _) = self.all[number];
        let instructions = &piece.instructions;
        let (before, after) = instructions.split_at(instructions.len().saturating_sub(3));
        for &instruction in before {
            b.instruction(instruction);
        }
        b.brr(BranchCond::Always, routine).link(link);
        for &instruction in after {
            b.instruction(instruction);
        }
        b.nops(3 - after.len());
    }
}

impl UnitProgram {
    /// Puts the routines that `unit` calls, and a branch past them.
    pub(super) fn put_routines<'a>(&self, b: &mut Builder, unit: &'a [Scheduled]) -> Routines<'a> {
        let link = self.link.map(register);
        let mut all = Vec::new();
        let mut length = 0;
        if let Some(link) = link {
            let past = b.label("past");
            b.brr(BranchCond::Always, past);
            b.nops(3);
            let first = b.len();
            for number in 0.. {
                let calls = unit.iter().filter(|(_, form)| *form == Form::Call(number));
                let calls: Vec<_> = calls.map(|(call, _)| call).collect();
                let Some(&routine) = calls.first() else {
                    break;
                };
                assert!(
                    calls
                        .iter()
                        .all(|call| call.instructions == routine.instructions),
                    "calls are alike"
                );
                all.push((b.here(&format!("routine-{number}")), routine));
                let instructions = &routine.instructions;
                let (before, after) = instructions.split_at(instructions.len() - 3);
                for &instruction in before {
                    b.instruction(instruction);
                }
                b.bra(BranchCond::Always, link);
                for &instruction in after {
                    b.instruction(instruction);
                }
            }
            length = b.len() - first;
            b.bind(past);
        }
        Routines { all, link, length }
    }
}

/// Instructions that a unit's pieces are in the program.
pub(super) fn length(unit: &[Scheduled]) -> usize {
    in_code(unit)
        .map(|(piece, _)| piece.instructions.len())
        .sum()
}

/// Words as the code has them: what routines read in one call, and what is read outside.
pub(super) fn words_of_code(unit: &[Scheduled]) -> impl Iterator<Item = Word> {
    [true, false].into_iter().flat_map(|of_routines| {
        let pieces = in_code(unit);
        let pieces = pieces.filter(move |(_, form)| matches!(form, Form::Call(_)) == of_routines);
        pieces.flat_map(|(piece, _)| piece.uniforms.iter().copied())
    })
}

/// Pieces without all calls of a routine but the first.
fn in_code(unit: &[Scheduled]) -> impl Iterator<Item = &Scheduled> + Clone {
    unit.iter().enumerate().filter_map(|(index, piece)| {
        let is_again = matches!(piece.1, Form::Call(_))
            && unit[..index].iter().any(|before| before.1 == piece.1);
        (!is_again).then_some(piece)
    })
}

/// Instructions that must be between two pieces.
fn apart(before: &schedule::Scheduled<Word>, after: &schedule::Scheduled<Word>) -> usize {
    let clash = |between: usize| {
        let last = before.instructions.iter().rev().take(2).zip(1..);
        last.clone().any(|(earlier, back)| {
            let next = after.instructions.iter().take(2).zip(0..);
            next.clone().any(|(later, on)| {
                let distance = back + on + between;
                distance <= 2 && check::must_be_apart(earlier, later, distance)
            })
        })
    };
    (0..2).find(|&between| !clash(between)).unwrap_or(2)
}
