//! From what is written of a program to its instructions and lists.

use super::routine::{self, Routines};
use super::{Form, Piece, Scheduled, UNIT, UnitProgram, Word};
use crate::fft::kernels::generated::Generated;
use crate::fft::kernels::program::{Record, Start, Tail};
use crate::generate::codelet::lookups::LOOKUP_BYTES;
use crate::generate::codelet::register;
use crate::generate::schedule::{self, Place};
use crate::generate::{Builder, tuned};
use crate::isa::BranchCond;
use core::ops::Range;

/// A program of which all operations are written.
pub struct Written {
    pub(super) program: UnitProgram,
    /// Pieces of a unit.
    pub(super) pieces: Vec<Piece>,
    pub(super) outputs: Vec<Place>,
    pub(super) factors: Option<[Place; 2]>,
}

impl Written {
    /// The key of a unit that is scheduled as one piece.
    pub fn key(&self) -> Option<tuned::Key> {
        let [piece] = &self.pieces[..] else {
            return None;
        };
        let name = self.program.task.name().to_string();
        Some(tuned::Key::new(name, UNIT, &piece.operations))
    }

    /// See [`crate::fft::kernels::catalogue::programs::search`].
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
            return self
                .program
                .finish_tile(&pieces, &self.outputs, self.factors);
        }
        self.program.finish(&pieces, &self.outputs, self.factors)
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

    fn finish(
        self,
        unit: &[Scheduled],
        outputs: &[Place],
        factors: Option<[Place; 2]>,
    ) -> Generated {
        let opening = schedule::schedule(&self.opening);

        let mut b = Builder::new();
        let between = 8 * (unit.len() - 1);
        let unit_length = between + routine::length(unit);
        let code_bytes = 8 * (opening.instructions.len() + unit_length + 160) as u32;
        let start = self.put_opening(&mut b, code_bytes.div_ceil(LOOKUP_BYTES), &opening);
        b.nop();
        let routines = self.put_routines(&mut b, unit);
        let first = b.len() - routines.length;
        let units = b.here("unit");
        put_pieces(&mut b, &routines, unit);
        let far = self.store(&mut b, outputs, factors);
        let left = register(self.units);
        b.sub(left, left, 1).setf();
        b.brr(BranchCond::AnyZC, units);
        b.nops(3);
        let end = b.len();
        let tail = self.end(&mut b);
        if let Some((far, back)) = far {
            self.store_far(&mut b, far, back);
        }
        self.generated(b, unit, first..end, (start, tail))
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
        for index in 0..self.listed {
            record.extend([Record::StoreSetup { index }, Record::Store { index }]);
        }
        let starts = start.iter().map(|&word| Word::Start(word));
        let stores = (0..self.listed).flat_map(|index| {
            [Record::StoreSetup { index }, Record::Store { index }].map(Word::Record)
        });
        let words = starts.chain(routine::words_of_code(unit)).chain(stores);
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

fn put(b: &mut Builder, scheduled: &schedule::Scheduled<Word>) {
    for &instruction in &scheduled.instructions {
        b.instruction(instruction);
    }
}

/// The pieces of a unit, one after the other, and calls of what is a routine.
pub(super) fn put_pieces(b: &mut Builder, routines: &Routines, pieces: &[Scheduled]) {
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
