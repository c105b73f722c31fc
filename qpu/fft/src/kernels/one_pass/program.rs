//! Programs of one-pass transforms, put together from pieces that are scheduled apart.

use crate::codelet::register;
use crate::kernels::generated::Generated;
use crate::kernels::layout::Layout;
use crate::kernels::program::{Start, Task};
use crate::kernels::uniform::{Pack, UniformId};
use crate::schedules;
use qpu::generate::schedule::{self, Place, ScheduleTuning};
use qpu::generate::{Builder, Label, R1, UNIF, UNIFORMS_ADDRESS};
use qpu::isa::BranchCond;

/// A uniform of a kernel, which listings name.
pub trait Uniform: Pack + PartialEq + core::fmt::Debug {}

impl<W: Pack + PartialEq + core::fmt::Debug> Uniform for W {}

/// Writes a branch in whose shadow are the last instructions of a piece, or another instruction
/// there.
pub type Branch<'a> = &'a dyn Fn(&mut Builder);

/// The part of a program that a piece is of.
pub type Phase = &'static str;
/// The operations of a part of a program.
pub type Piece<W> = (Phase, Vec<schedule::Operation<W>>);

/// A piece of a program and the tuning that is tried for it.
pub type Tried<'a> = Option<(Phase, &'a ScheduleTuning)>;

/// A program in pieces, and the registers that the code between them uses.
pub struct Pieces<W> {
    pub pieces: Vec<Piece<W>>,
    /// Transforms that are left.
    pub count: Place,
    /// Bytes from the program's first transform to this one.
    pub offset: Place,
}

impl<W: Uniform> Pieces<W> {
    /// The pieces, with uniforms as the planner knows them.
    pub fn untyped(self) -> Vec<Piece<UniformId>> {
        let untyped = |operation: schedule::Operation<W>| operation.map_uniforms(Pack::id);
        let piece = |(phase, piece): Piece<W>| (phase, piece.into_iter().map(untyped).collect());
        self.pieces.into_iter().map(piece).collect()
    }
}

/// A program being put together.
pub struct Assembly<'a, W> {
    task: Task,
    pub b: Builder,
    pub uniforms: Vec<W>,
    built: &'a Pieces<W>,
    tried: Tried<'a>,
}

impl<'a, W: Uniform> Assembly<'a, W> {
    pub fn new(layout: &impl Layout, built: &'a Pieces<W>, tried: Tried<'a>) -> Self {
        Self {
            task: layout.task(),
            b: Builder::new(),
            uniforms: Vec::new(),
            built,
            tried,
        }
    }

    /// The program, when all of it is put together.
    pub fn finish(self) -> Generated {
        let task = self.task;
        let program = self.b.assemble();
        let program = program.unwrap_or_else(|error| panic!("FFT {task:?}: {error}"));
        let reads = self.uniforms.iter().map(|word| format!("{word:?}"));
        Generated {
            task,
            code: program.words,
            units: 0..0,
            reads: reads.collect(),
            start: self.uniforms.into_iter().map(Start::from).collect(),
            record: Vec::new(),
            tail: Vec::new(),
            rows: Vec::new(),
            scalars: Vec::new(),
            labels: program.labels,
        }
    }

    /// A piece, with a branch before its last three instructions.
    pub fn piece(&mut self, phase: Phase, branch: Option<Branch>) {
        self.piece_with(phase, branch.map(|branch| (3, branch)).as_slice());
    }

    /// A piece, with what is inserted before so many of its last instructions. Uniforms that this
    /// reads are the caller's to list, behind those of the piece: no instruction behind it may read
    /// another.
    pub fn piece_with(&mut self, phase: Phase, inserted: &[(usize, Branch)]) {
        let pieces = &self.built.pieces;
        let (_, piece) = pieces
            .iter()
            .find(|(of, _)| *of == phase)
            .unwrap_or_else(|| panic!("there is no piece {phase}"));
        let tuning = match self.tried {
            Some((tried, tuning)) if tried == phase => tuning.clone(),
            _ => schedules::Key::new(self.task.name().to_string(), phase, piece).tuning(),
        };
        let scheduled = schedule::schedule_by(piece, &tuning);
        let length = scheduled.instructions.len();
        assert!(
            inserted.iter().all(|(left, _)| *left <= length),
            "piece {phase} is too short"
        );
        for (index, &instruction) in scheduled.instructions.iter().enumerate() {
            for (_, write) in inserted.iter().filter(|(left, _)| index + left == length) {
                write(&mut self.b);
            }
            self.b.instruction(instruction);
        }
        self.uniforms.extend(scheduled.uniforms);
    }

    /// One less is left: to `label` when none is (`AllZS`) or when some are (`AllZC`).
    pub fn count(&mut self, condition: BranchCond, label: Label) {
        let count = register(self.built.count);
        self.b.sub(count, count, 1).setf();
        self.b.brr(condition, label);
        self.b.nops(2);
    }

    /// Back to `again` for the next transform, by two uniforms: the bytes to it, and the list.
    pub fn again(&mut self, again: Label, words: [W; 2]) {
        let offset = register(self.built.offset);
        self.b.add(offset, offset, UNIF);
        self.b.mov(R1, UNIF);
        self.uniforms.extend(words);
        self.b.brr(BranchCond::Always, again);
        self.b.mov(UNIFORMS_ADDRESS, R1);
        self.b.nops(2);
    }
}
