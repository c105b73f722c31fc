//! From what is written of a program to its instructions and lists.
//!
//! A slice's cache holds 512 instructions. What a unit does to one column or output after the other
//! is written as a call each time ([`UnitProgram::call`]), with the uniforms of that time; if that
//! gives the same instructions, they are put once, as a routine in front of the loop, and go back
//! where a register says.

use super::{Form, Piece, Scheduled, UNIT, UnitProgram, Word};
use crate::codelet::lookups::LOOKUP_BYTES;
use crate::codelet::register;
use crate::kernels::generated::Generated;
use crate::kernels::program::{Record, Start, Tail};
use crate::schedules;
use core::ops::Range;
use qpu::check;
use qpu::generate::schedule::{self, Place};
use qpu::generate::{Builder, Label, Reg};
use qpu::isa::BranchCond;

/// A program of which all operations are written.
pub struct Written {
    pub(super) program: UnitProgram,
    /// Pieces of a unit.
    pub(super) pieces: Vec<Piece>,
    pub(super) rows: Rows,
}

/// The rows that a unit stores: `outputs`, times `factors` in turn.
pub(super) struct Rows {
    pub(super) outputs: Vec<Place>,
    pub(super) factors: Option<[Place; 2]>,
}

impl Written {
    /// The key of a unit that is scheduled as one piece.
    pub fn key(&self) -> Option<schedules::Key> {
        let [piece] = &self.pieces[..] else {
            return None;
        };
        let name = self.program.task.name().to_string();
        Some(schedules::Key::new(name, UNIT, &piece.operations))
    }

    /// See [`crate::kernels::catalogue::programs::search`].
    pub fn search(&self, tries: u16) -> Option<(String, usize)> {
        let key = self.key()?;
        let operations = &self.pieces[0].operations;
        let (tuning, length) = schedule::search(operations, &key.tuning(), tries);
        Some((key.line(&tuning), length))
    }

    /// The program.
    pub fn finish(self) -> Generated {
        let tuning = self.key().map_or_else(Default::default, |key| key.tuning());
        let pieces = self.pieces.iter();
        let pieces = pieces.map(|piece| {
            let scheduled = schedule::schedule_by(&piece.operations, &tuning);
            (scheduled, piece.form)
        });
        let pieces: Vec<_> = pieces.collect();
        if self.program.sharing.is_some() {
            return self.program.finish_tile(&pieces, &self.rows);
        }
        self.program.finish(&pieces, &self.rows)
    }
}

impl UnitProgram {
    /// Writes the code that is done once, behind `lookups` lookups of the code. Gives the uniforms
    /// that it reads.
    pub(super) fn put_opening(
        &self,
        b: &mut Builder,
        lookups: u32,
        opening: &schedule::Scheduled<Word>,
    ) -> Vec<Start> {
        self.open(b, lookups);
        put(b, opening);
        let read = opening.uniforms.iter().filter_map(|word| match word {
            Word::Start(start) => Some(*start),
            _ => None,
        });
        [Start::Opens, Start::Code]
            .into_iter()
            .chain(read)
            .collect()
    }

    fn finish(self, unit: &[Scheduled], rows: &Rows) -> Generated {
        let opening = schedule::schedule(&self.opening);
        let mut b = Builder::new();
        let between = 8 * (unit.len() - 1);
        let unit_length = between + length(unit);
        let code_bytes = 8 * (opening.instructions.len() + unit_length + 160) as u32;
        let start = self.put_opening(&mut b, code_bytes.div_ceil(LOOKUP_BYTES), &opening);
        b.nop();
        let routines = self.put_routines(&mut b, unit);
        let units = b.here("unit");
        put_pieces(&mut b, &routines, unit);
        let far = self.store(&mut b, rows);
        let left = register(self.units);
        b.sub(left, left, 1).setf();
        b.brr(BranchCond::AnyZC, units);
        b.nops(3);
        let end = b.len();
        let tail = self.end(&mut b);
        if let Some(far) = far {
            self.store_far(&mut b, far);
        }
        self.generated(b, unit, routines.first..end, (start, tail))
    }

    /// The program of all instructions in `b`, with the lists that they read; `units` are those of
    /// the loop.
    pub(super) fn generated(
        &self,
        b: Builder,
        unit: &[Scheduled],
        units: Range<usize>,
        (start, tail): (Vec<Start>, Vec<Tail>),
    ) -> Generated {
        let mut record = pick(unit, |word| match word {
            Word::Record(record) => Some(record),
            _ => None,
        });
        let stores = (0..self.listed)
            .flat_map(|index| [Record::StoreSetup { index }, Record::Store { index }]);
        record.extend(stores.clone());
        let starts = start.iter().map(|&word| Word::Start(word));
        let words = starts.chain(words_of_code(unit));
        let words = words.chain(stores.map(Word::Record));
        let reads = words.map(|word| word.name(self.names));
        let reads = reads.chain(tail.iter().map(|word| format!("{word:?}")));
        let reads = reads.collect();
        let program = b
            .assemble()
            .unwrap_or_else(|error| panic!("FFT {:?}: {error}", self.task));
        Generated {
            task: self.task,
            code: program.words,
            units,
            start,
            record,
            tail,
            rows: pick(unit, |word| match word {
                Word::Row(row) => Some(row),
                _ => None,
            }),
            scalars: pick(unit, |word| match word {
                Word::Scalar(scalar) => Some(scalar),
                _ => None,
            }),
            reads,
            labels: program.labels,
        }
    }
}

pub(super) fn put(b: &mut Builder, scheduled: &schedule::Scheduled<Word>) {
    for &instruction in &scheduled.instructions {
        b.instruction(instruction);
    }
}

/// A piece, and what `branch` writes, whose delay slots are the end of the piece.
pub(super) fn put_around(
    b: &mut Builder,
    piece: &schedule::Scheduled<Word>,
    branch: impl FnOnce(&mut Builder),
) {
    let instructions = &piece.instructions;
    let last = instructions.len().saturating_sub(3);
    for &instruction in &instructions[..last] {
        b.instruction(instruction);
    }
    branch(b);
    for &instruction in &instructions[last..] {
        b.instruction(instruction);
    }
    b.nops(3 - (instructions.len() - last));
}

/// The pieces of a unit, one after the other, and calls of what is a routine.
pub(super) fn put_pieces(b: &mut Builder, routines: &PlacedRoutines, pieces: &[Scheduled]) {
    let mut pieces = pieces.iter().peekable();
    let mut before = None;
    while let Some(both @ (piece, form)) = pieces.next() {
        let before = before.replace(both);
        if let Form::Call(_) = form {
            continue;
        }
        b.nops(before.map_or(0, |before| routines.apart(before, piece)));
        if let Some((_, Form::Call(number))) = pieces.peek() {
            routines.put_call(b, piece, *number);
            continue;
        }
        let again = match form {
            Form::Repeated(_) => Some(b.here("again")),
            _ => None,
        };
        put(b, piece);
        if let (Form::Repeated(repeats), Some(again)) = (*form, again) {
            let left = register(repeats);
            b.sub(left, left, 1).setf();
            b.brr(BranchCond::AnyZC, again);
            b.nops(3);
        }
    }
}

fn pick<T>(pieces: &[Scheduled], of: impl Fn(Word) -> Option<T>) -> Vec<T> {
    let uniforms = pieces.iter().flat_map(|(piece, _)| &piece.uniforms);
    uniforms.copied().filter_map(of).collect()
}

/// The routines of a program.
pub(super) struct PlacedRoutines<'a> {
    all: Vec<(Label, &'a schedule::Scheduled<Word>)>,
    link: Option<Reg>,
    /// The first instruction of the first, or without routines of what follows.
    pub first: usize,
}

impl PlacedRoutines<'_> {
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
    fn put_call(&self, b: &mut Builder, piece: &schedule::Scheduled<Word>, number: usize) {
        let link = self.link.expect("kept by who calls");
        let (routine, _) = self.all[number];
        put_around(b, piece, |b| {
            b.brr(BranchCond::Always, routine).link(link);
        });
    }
}

impl UnitProgram {
    /// Puts the routines that `unit` calls, and a branch past them.
    pub(super) fn put_routines<'a>(
        &self,
        b: &mut Builder,
        unit: &'a [Scheduled],
    ) -> PlacedRoutines<'a> {
        let link = self.link.map(register);
        let mut all = Vec::new();
        let mut first = b.len();
        if let Some(link) = link {
            let past = b.label("past");
            b.brr(BranchCond::Always, past);
            b.nops(3);
            first = b.len();
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
                put_around(b, routine, |b| {
                    b.bra(BranchCond::Always, link);
                });
            }
            b.bind(past);
        }
        PlacedRoutines { all, link, first }
    }
}

/// Instructions that a unit's pieces are in the program.
pub(super) fn length(unit: &[Scheduled]) -> usize {
    let pieces = in_code(unit).map(|(piece, _)| piece.instructions.len());
    pieces.sum()
}

/// Words as the code has them: what routines read in one call, and what is read outside.
fn words_of_code(unit: &[Scheduled]) -> impl Iterator<Item = Word> {
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
