//! Programs whose transforms pass through the VPM, in one pass over memory.
//!
//! [`crate::fft::one_pass`] says which QPU holds which points. Programs of up to 2^9 points are put
//! together in [`short`], those of 2^8 that are alone with their transforms in [`alone`], those of
//! 2^10 and 2^11 in [`pipeline`], that of 2^12 in [`relay`]. QPUs of a slice share its instruction
//! cache, which the loops are to fit.

mod alone;
mod barrier;
mod exchange;
mod first;
mod locks;
mod pipeline;
mod relay;
mod roles;
mod routine;
mod rows;
mod second;
mod short;

use super::reads_uniform;
use crate::disasm;
use crate::fft::pass::Pass;
use crate::fft::uniform::{Pack, UniformId};
use crate::generate::fft::dft16::Constants;
use crate::generate::schedule::{self, Place, ScheduleTuning};
use crate::generate::tuned;
use crate::generate::{Builder, Label, R1, Reg, UNIF, UNIFORMS_ADDRESS, ra, rb};
use crate::isa::{BranchCond, File};

/// A uniform of a kernel, which listings name.
trait Uniform: Pack + PartialEq + core::fmt::Debug {}

impl<W: Pack + PartialEq + core::fmt::Debug> Uniform for W {}

/// Writes a branch in whose shadow are the last instructions of a piece, or another instruction
/// there.
type Branch<'a> = &'a dyn Fn(&mut Builder);

/// A generated program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cooperative {
    /// The pass that it computes, and the way in which it does.
    pub pass: Pass,
    /// Instructions.
    pub code: Vec<u64>,
    /// Uniforms in the order in which its instructions stand.
    reads: Vec<String>,
    /// The list of uniforms: those, where no part of the program has several lists.
    pub uniforms: Vec<UniformId>,
    /// Names of instructions, by index.
    labels: Vec<(usize, String)>,
}

impl Cooperative {
    /// `fft-coop-9`, say.
    #[must_use]
    pub fn name(&self) -> String {
        name_of(self.pass)
    }

    /// The length as a power of two.
    ///
    /// # Panics
    /// Never: these programs are one-pass transforms.
    #[must_use]
    pub fn log2_points(&self) -> u32 {
        let one = self.pass.layout().one_pass();
        one.expect("these are one-pass transforms").log2_points()
    }

    /// The program as text: byte offset, word, instruction, and which uniform it reads.
    #[must_use]
    pub fn listing(&self) -> String {
        let mut uniforms = self.reads.iter();
        let mut labels = self.labels.iter().peekable();
        let mut text = String::new();
        for (index, &word) in self.code.iter().enumerate() {
            while let Some((_, name)) = labels.next_if(|(at, _)| *at == index) {
                text.push_str(&format!(":{name}\n"));
            }
            let pc = 8 * index as u32;
            let uniform = reads_uniform(word).then(|| uniforms.next()).flatten();
            let comment = uniform.map_or(String::new(), |uniform| format!("    # {uniform}"));
            let line = disasm::line(word, pc);
            text.push_str(&format!("{pc:04x}  {word:016x}  {line}{comment}\n"));
        }
        text
    }
}

/// The name of a program's listing.
fn name_of(pass: Pass) -> String {
    let one = pass.layout().one_pass();
    let log2_points = one.expect("these are one-pass transforms").log2_points();
    match pass {
        Pass::Short(_) => format!("fft-short-{log2_points}"),
        Pass::Pipeline(pipeline) if pipeline.groups() > 1 => format!("fft-groups-{log2_points}"),
        _ => format!("fft-coop-{log2_points}"),
    }
}

/// The passes that there are programs for.
fn passes() -> impl Iterator<Item = Pass> {
    let long = (8..=12).filter_map(Pass::one);
    let several = (4..=10).filter_map(Pass::several);
    long.chain(several)
}

/// All programs.
///
/// # Panics
/// When a program breaks a rule that the checker knows: a bug of the generator, found at build
/// time.
#[must_use]
pub fn programs() -> Vec<Cooperative> {
    passes().map(|pass| program(pass, None)).collect()
}

/// The part of a program that a piece is of.
pub type Phase = &'static str;
/// The operations of a part of a program.
type Piece<W> = (Phase, Vec<schedule::Operation<W>>);

/// The pieces of a program: their keys among the searched schedules, and their operations.
fn pieces(pass: Pass) -> Vec<(tuned::Key, Vec<schedule::Operation<UniformId>>)> {
    let pieces = match pass {
        Pass::Short(short) => short::draught(short).untyped(),
        Pass::Pipeline(pipeline) => pipeline::draught(pipeline).untyped(),
        Pass::Relay(_) => relay::draught().untyped(),
        _ => alone::draught().untyped(),
    };
    let with_key =
        |(phase, piece): Piece<UniformId>| (tuned::Key::new(name_of(pass), phase, &piece), piece);
    pieces.into_iter().map(with_key).collect()
}

/// The keys of all pieces of all programs.
pub(super) fn keys() -> impl Iterator<Item = tuned::Key> {
    passes().flat_map(pieces).map(|(key, _)| key)
}

/// Searches for shorter schedules of a program's pieces: lines of `tuned/schedules.txt`, and
/// lengths.
#[must_use]
pub fn search(program: &Cooperative, tries: u16) -> Vec<(String, usize)> {
    let search = |(key, piece): (tuned::Key, Vec<_>)| {
        let (tuning, length) = schedule::search(&piece, &key.tuning(), tries);
        (key.line(&tuning), length)
    };
    pieces(program.pass).into_iter().map(search).collect()
}

/// A piece of a program and the tuning that is tried for it.
type Tried<'a> = Option<(Phase, &'a ScheduleTuning)>;

/// The key of a piece of a program, by the name of its phase.
#[must_use]
pub fn key_of(program: &Cooperative, phase: &str) -> Option<tuned::Key> {
    let mut keys = pieces(program.pass).into_iter().map(|(key, _)| key);
    keys.find(|key| key.phase == phase)
}

/// A copy of the program with another tuning for one of its pieces: for searches that run it.
///
/// # Panics
/// As [`programs`], and where the piece gets too short for what is put into it.
#[must_use]
pub fn with_tuning(program: &Cooperative, phase: Phase, tuning: &ScheduleTuning) -> Cooperative {
    self::program(program.pass, Some((phase, tuning)))
}

/// Pieces in the order of their phases, of which there may be more.
fn named<W>(
    phases: &[Phase],
    pieces: impl IntoIterator<Item = Vec<schedule::Operation<W>>>,
) -> Vec<Piece<W>> {
    phases.iter().copied().zip(pieces).collect()
}

/// Instructions of the first piece of a transform after which lookups are on their way, so that
/// others cost no time.
const ASKED: usize = 24;

/// A program in pieces, and the registers that the code between them uses.
struct Draughted<W> {
    pieces: Vec<Piece<W>>,
    /// Transforms that are left.
    count: Place,
    /// Bytes from the program's first transform to this one.
    offset: Place,
    /// For programs that are alone: not 0 if the locks are to be made.
    opens: Place,
}

impl<W: Uniform> Draughted<W> {
    /// The pieces, with uniforms as the planner knows them.
    fn untyped(self) -> Vec<Piece<UniformId>> {
        let untyped = |operation: schedule::Operation<W>| operation.map_uniforms(Pack::id);
        let piece = |(phase, piece): Piece<W>| (phase, piece.into_iter().map(untyped).collect());
        self.pieces.into_iter().map(piece).collect()
    }
}

/// A program being put together.
struct Assembly<'a, W> {
    pass: Pass,
    b: Builder,
    uniforms: Vec<W>,
    draughted: &'a Draughted<W>,
    tried: Tried<'a>,
}

impl<'a, W: Uniform> Assembly<'a, W> {
    fn new(pass: Pass, draughted: &'a Draughted<W>, tried: Tried<'a>) -> Self {
        Self {
            pass,
            b: Builder::new(),
            uniforms: Vec::new(),
            draughted,
            tried,
        }
    }

    /// The program, when all of it is put together.
    fn finish(self) -> Cooperative {
        let task = self.pass.layout().task();
        let program = self.b.assemble();
        let program = program.unwrap_or_else(|error| panic!("FFT {task:?}: {error}"));
        Cooperative {
            pass: self.pass,
            code: program.words,
            reads: self
                .uniforms
                .iter()
                .map(|word| format!("{word:?}"))
                .collect(),
            uniforms: self.uniforms.into_iter().map(Pack::id).collect(),
            labels: program.labels,
        }
    }

    /// A piece, with a branch before its last three instructions.
    fn piece(&mut self, phase: Phase, branch: Option<Branch>) {
        self.piece_around(phase, (ASKED, |_| {}), branch);
    }

    /// A piece, with what is inserted before so many of its last instructions. Uniforms that this
    /// reads are the caller's to list, behind those of the piece: no instruction behind it may read
    /// another.
    fn piece_with(&mut self, phase: Phase, inserted: &[(usize, Branch)]) {
        self.write_piece(phase, (ASKED, |_| {}), inserted);
    }

    /// A piece with a branch as in `piece`, and with what `between` writes after so many
    /// instructions.
    fn piece_around(
        &mut self,
        phase: Phase,
        between: (usize, impl Fn(&mut Builder)),
        branch: Option<Branch>,
    ) {
        self.write_piece(phase, between, branch.map(|branch| (3, branch)).as_slice());
    }

    /// A piece, with what is inserted from its front and from its end.
    fn write_piece(
        &mut self,
        phase: Phase,
        (after, between): (usize, impl Fn(&mut Builder)),
        inserted: &[(usize, Branch)],
    ) {
        let pieces = &self.draughted.pieces;
        let (_, piece) = pieces
            .iter()
            .find(|(of, _)| *of == phase)
            .unwrap_or_else(|| panic!("there is no piece {phase}"));
        let tuning = match self.tried {
            Some((tried, tuning)) if tried == phase => tuning.clone(),
            _ => tuned::Key::new(name_of(self.pass), phase, piece).tuning(),
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
            if index == after {
                between(&mut self.b);
            }
            self.b.instruction(instruction);
        }
        self.uniforms.extend(scheduled.uniforms);
    }

    /// One less is left: to `label` when none is (`AllZS`) or when some are (`AllZC`).
    fn count(&mut self, condition: BranchCond, label: Label) {
        let count = register(self.draughted.count);
        self.b.sub(count, count, 1).setf();
        self.b.brr(condition, label);
        self.b.nops(2);
    }

    /// Back to `again` for the next transform, by two uniforms: the bytes to it, and the list.
    fn again(&mut self, again: Label, words: [W; 2]) {
        let offset = register(self.draughted.offset);
        self.b.add(offset, offset, UNIF);
        self.b.mov(R1, UNIF);
        self.uniforms.extend(words);
        self.b.brr(BranchCond::Always, again);
        self.b.mov(UNIFORMS_ADDRESS, R1);
        self.b.nops(2);
    }
}

fn program(pass: Pass, tried: Tried<'_>) -> Cooperative {
    match pass {
        Pass::Pipeline(pipeline) => pipeline::program(pass, pipeline, tried),
        Pass::Relay(_) => relay::program(pass, tried),
        Pass::Short(short) => short::program(pass, short, tried),
        _ => alone::program(pass, tried),
    }
}

fn register(place: Place) -> Reg {
    match place {
        Place::Register(File::A, number) => ra(number),
        Place::Register(File::B, number) => rb(number),
        _ => unreachable!("what is kept is kept in registers"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// A slice runs producers or consumers. With theirs stand their ends, which are no part of a
    /// loop.
    #[test]
    fn loops_of_producers_and_of_consumers_fit_an_instruction_cache() {
        let mut pipelines = 0;
        for program in programs() {
            if !matches!(program.pass, Pass::Pipeline(_)) {
                continue;
            }
            pipelines += 1;
            let label = |wanted: &str| {
                let found = program.labels.iter().find(|(_, name)| name == wanted);
                found.map(|(at, _)| *at).expect("a label of pipelines")
            };
            let loops = [
                label("ended") - label("produce"),
                program.code.len() - label("round"),
            ];
            // A line of 8 instructions in which a loop begins is another's as well.
            let fit = loops.iter().all(|&words| words <= 512 - 8);
            assert!(fit, "{}: {loops:?}", program.name());
        }
        assert_eq!(pipelines, 4);
    }

    /// A slice runs producers or consumers of a relay. The loop over transforms of either is no
    /// more lines than it holds.
    #[test]
    fn loops_of_a_relay_fit_an_instruction_cache() {
        let all = programs();
        let program = all
            .iter()
            .find(|program| matches!(program.pass, Pass::Relay(_)));
        let program = program.expect("there is one");
        let label = |wanted: &str| {
            let found = program.labels.iter().find(|(_, name)| name == wanted);
            found.map(|(at, _)| *at).expect("a label of relays")
        };
        let producer = label("unit")..label("finish");
        let round = label("transform")..label("ended");
        let rest = label("again")..program.code.len();
        for (role, code) in [
            ("producers", producer.collect::<Vec<_>>()),
            ("consumers", round.chain(rest).collect()),
        ] {
            let lines: HashSet<_> = code.iter().map(|at| at / 8).collect();
            assert!(lines.len() <= 64, "{role}: {} lines", lines.len());
        }
    }

    /// Code that QPUs of a slice run again for each unit has no more lines than its instruction
    /// cache holds.
    #[test]
    fn loops_of_short_lengths_fit_an_instruction_cache() {
        let mut shared = 0;
        for program in programs() {
            let Pass::Short(short) = program.pass else {
                continue;
            };
            let label = |wanted: &str| {
                let found = program.labels.iter().find(|(_, name)| name == wanted);
                found.map(|(at, _)| *at)
            };
            let [unit, more] = ["unit", "more"].map(|name| label(name).expect("a label of all"));
            // Who conducts has code of its own in between.
            let end = label("conduct").unwrap_or(more);
            let unit = (unit..end).chain(more..program.code.len());
            let lines: HashSet<_> = unit.map(|at| at / 8).collect();
            assert!(
                lines.len() <= 64,
                "{}: {} lines",
                program.name(),
                lines.len()
            );
            shared += u32::from(short.is_shared());
        }
        assert_eq!(shared, 2);
    }

    #[test]
    fn a_program_lists_each_uniform_that_it_reads() {
        for program in programs() {
            let reads = program.code.iter().filter(|word| reads_uniform(**word));
            assert_eq!(reads.count(), program.reads.len(), "{}", program.name());
        }
    }
}
