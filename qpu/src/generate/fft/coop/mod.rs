//! Programs of several QPUs that share one transform through the VPM, in one pass over memory.
//!
//! A program is two halves ([`first`], [`second`]), and both call one transform of 16 points
//! ([`routine`]); who holds which points is told in [`crate::fft::coop`]. Between the halves is a barrier
//! ([`barrier`]); a program that is alone with its transform has a part of the VPM instead ([`locks`]). All
//! QPUs run the same words, so that they share the instruction cache of their slice, and they are to fit
//! it: that is why the transform is a routine. Programs of 2^10 and 2^11 points are put together in [`pipeline`], that of
//! 2^12 in [`relay`].

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
mod tastes;

use super::reads_uniform;
use crate::disasm;
use crate::fft::coop::{Cooperation, Way, Word};
use crate::generate::fft::dft16::Constants;
use crate::generate::fft::draft::{Draft, Wish};
use crate::generate::schedule::{self, Destination, Place, Source};
use crate::generate::{Builder, Label, NONE, R1, Reg, UNIF, UNIFORMS_ADDRESS, ra, rb};
use crate::isa::{BranchCond, File};
use first::First;
use routine::Routine;
use rows::Factors;

type Operation = schedule::Operation<Word>;
/// Writes a branch in whose shadow are the last instructions of a piece, or another instruction there.
type Branch<'a> = &'a dyn Fn(&mut Builder);

/// A generated program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cooperative {
    /// What it computes, and how.
    pub cooperation: Cooperation,
    /// Instructions.
    pub code: Vec<u64>,
    /// Uniforms in the order in which its instructions stand.
    pub reads: Vec<Word>,
    /// The list of uniforms: those, where no part of the program has several lists.
    pub uniforms: Vec<Word>,
    /// Names of instructions, by index.
    labels: Vec<(usize, String)>,
}

impl Cooperative {
    /// `fft-coop-9`, say.
    #[must_use]
    pub fn name(&self) -> String {
        let log2_points = self.cooperation.log2_points();
        match self.cooperation.way() {
            Way::Short(_) => format!("fft-short-{log2_points}"),
            Way::Pipeline(pipeline) if pipeline.groups() > 1 => {
                format!("fft-groups-{log2_points}")
            }
            Way::Columns | Way::Pipeline(_) | Way::Relay(_) => format!("fft-coop-{log2_points}"),
        }
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
            let comment = uniform.map_or(String::new(), |uniform| format!("    # {uniform:?}"));
            let line = disasm::line(word, pc);
            text.push_str(&format!("{pc:04x}  {word:016x}  {line}{comment}\n"));
        }
        text
    }
}

/// All programs.
///
/// # Panics
/// When a program breaks a rule that the checker knows: a bug of the generator, found at build time.
#[must_use]
pub fn programs() -> Vec<Cooperative> {
    let long = (8..=12).filter_map(Cooperation::new);
    let several = (4..=10).filter_map(Cooperation::of_several);
    long.chain(several).map(program).collect()
}

/// Searches for shorter schedules of a program's pieces: of each, what `tastes.rs` should hold, and its
/// length.
#[must_use]
pub fn search(program: &Cooperative, tries: u16) -> Vec<(schedule::Taste, usize)> {
    let draughted = match program.cooperation.way() {
        Way::Short(short) => short::draught(short),
        Way::Pipeline(pipeline) => pipeline::draught(pipeline),
        Way::Relay(_) => relay::draught(),
        Way::Columns => draught(&program.cooperation),
    };
    let pieces = draughted.pieces.into_iter().enumerate();
    pieces
        .map(|(number, piece)| {
            schedule::search(
                &piece,
                &tastes::of(program.cooperation.task(), number),
                tries,
            )
        })
        .collect()
}

/// What is scheduled apart: what is done once, up to the first call of the transform, up to the barrier, to
/// the second call, to the end, the transform, and the output of a program that is alone.
const HEAD: usize = 0;
const LOAD: usize = 1;
const FIRST: usize = 2;
const READ: usize = 3;
const SECOND: usize = 4;
const TRANSFORM: usize = 5;
const OUTPUT: usize = 6;

/// Instructions of the first piece of a transform after which lookups are on their way, so that others
/// cost no time.
const ASKED: usize = 24;

/// A program in pieces, and the registers that the code between them uses.
struct Draughted {
    pieces: Vec<Vec<Operation>>,
    /// Transforms that are left.
    count: Place,
    /// Bytes from the program's first transform to this one.
    offset: Place,
    /// Of programs that are alone: whether the locks are to be made.
    opens: Place,
}

fn draught(cooperation: &Cooperation) -> Draughted {
    let sharers = cooperation.sharers();
    let mut draft = Draft::new(first::ADDRESSES);
    // The constants are the first registers.
    let constants = Constants::from_uniforms(
        &mut draft,
        [2, 6, 4].map(|sixteenths| Word::Cosine { sixteenths }),
    );
    let load_constants = draft.cut();
    draft.reserve(Place::Register(File::A, routine::LINK));

    // Counted down and compared beside small immediates, which are read through file B's port.
    let [count, offset, opens] = [(); 3].map(|()| draft.take(Wish::File(File::A)));
    let mut head = vec![(Word::Transforms, count)];
    if sharers == 1 {
        head.push((Word::Opens, opens));
    } else {
        draft.give_back(opens);
    }
    for (word, place) in head {
        draft.copy(Source::Uniform(word), Destination::Place(place));
    }
    draft.copy(Source::Small(0), Destination::Place(offset));
    let mut pieces = vec![draft.cut()];
    let first = First::new(&mut draft, offset);
    first.ask(&mut draft, cooperation);
    for operation in load_constants {
        draft.push(operation);
    }
    let factors = Factors::load(&mut draft, &constants, sharers);
    if sharers > 1 {
        let word = Source::Uniform(Word::Follows);
        // Z in the leader, until the barrier.
        draft.push(Operation::copy(word, Destination::Nothing).setting_flags());
    }
    let points = routine::points(&mut draft);
    first.load(&mut draft, points);
    pieces.push(draft.cut());

    let transform = Routine::new(&mut draft, &constants, points);
    let mut after_transform = draft.clone();
    first.finish(&mut draft, &transform, cooperation);
    pieces.push(draft.cut());
    second::load(&mut draft, points);
    pieces.push(draft.cut());
    after_transform.give_back(first::ADDRESSES);
    let mut output = Vec::new();
    match factors {
        Factors::Pairs { conjugate } => {
            second::interleave(&mut after_transform, &transform, conjugate);
            pieces.push(after_transform.cut());
            second::write(&mut after_transform, &transform, offset);
            output.push(after_transform.cut());
        }
        Factors::Halves { .. } | Factors::Read { .. } => {
            second::finish(&mut after_transform, &transform, &factors, offset);
            pieces.push(after_transform.cut());
        }
    }
    pieces.push(transform.operations);
    pieces.extend(output);
    Draughted {
        pieces,
        count,
        offset,
        opens,
    }
}

/// A program being put together.
struct Assembly<'a> {
    cooperation: Cooperation,
    b: Builder,
    uniforms: Vec<Word>,
    draughted: &'a Draughted,
}

impl<'a> Assembly<'a> {
    fn new(cooperation: Cooperation, draughted: &'a Draughted) -> Self {
        Self {
            cooperation,
            b: Builder::new(),
            uniforms: Vec::new(),
            draughted,
        }
    }

    /// The program, when all of it is put together.
    fn finish(self) -> Cooperative {
        let task = self.cooperation.task();
        let program = self.b.assemble();
        let program = program.unwrap_or_else(|error| panic!("FFT {task:?}: {error}"));
        Cooperative {
            cooperation: self.cooperation,
            code: program.words,
            reads: self.uniforms.clone(),
            uniforms: self.uniforms,
            labels: program.labels,
        }
    }

    /// A piece, with a branch before its last three instructions.
    fn piece(&mut self, number: usize, branch: Option<Branch>) {
        self.piece_around(number, (ASKED, |_| {}), branch);
    }

    /// A piece, with what is inserted before so many of its last instructions. Uniforms that this reads are the caller's to list,
    /// behind those of the piece: no instruction behind it may read another.
    fn piece_with(&mut self, number: usize, inserted: &[(usize, Branch)]) {
        self.write_piece(number, (ASKED, |_| {}), inserted);
    }

    /// The same, with what `between` writes after so many instructions.
    fn piece_around(
        &mut self,
        number: usize,
        between: (usize, impl Fn(&mut Builder)),
        branch: Option<Branch>,
    ) {
        self.write_piece(number, between, branch.map(|branch| (3, branch)).as_slice());
    }

    /// A piece, with what is inserted from its front and from its end.
    fn write_piece(
        &mut self,
        number: usize,
        (after, between): (usize, impl Fn(&mut Builder)),
        inserted: &[(usize, Branch)],
    ) {
        let taste = tastes::of(self.cooperation.task(), number);
        let scheduled = schedule::schedule_by(&self.draughted.pieces[number], &taste);
        let length = scheduled.instructions.len();
        assert!(
            inserted.iter().all(|(left, _)| *left <= length),
            "piece {number} is too short"
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

    /// Back to `again` for the next transform, with `before` in between. Loops are not in the way of a single
    /// transform.
    fn again(&mut self, again: Label, before: impl FnOnce(&mut Self)) {
        let offset = register(self.draughted.offset);
        self.b.add(offset, offset, UNIF);
        self.b.mov(R1, UNIF);
        self.uniforms.extend([Word::Step, Word::List]);
        before(self);
        self.b.brr(BranchCond::Always, again);
        self.b.mov(UNIFORMS_ADDRESS, R1);
        self.b.nops(2);
    }
}

fn program(cooperation: Cooperation) -> Cooperative {
    match cooperation.way() {
        Way::Columns => of_columns(cooperation),
        Way::Pipeline(pipeline) => pipeline::program(cooperation, pipeline),
        Way::Relay(_) => relay::program(cooperation),
        Way::Short(short) => short::program(cooperation, short),
    }
}

fn of_columns(cooperation: Cooperation) -> Cooperative {
    let sharers = cooperation.sharers();
    let draughted = draught(&cooperation);
    let mut all = Assembly::new(cooperation, &draughted);
    all.piece(HEAD, None);
    assert_eq!(all.uniforms.len() as u32, cooperation.head());
    let again = all.b.here("transform");
    let [done, more] = ["done", "more"].map(|name| all.b.label(name));
    let followers = ["follower-0", "follower-1"].map(|name| all.b.label(name));
    let joined = ["joined-0", "joined-1"].map(|name| all.b.label(name));
    let transform = all.b.label("dft16");
    let call = |b: &mut Builder| {
        b.brr(BranchCond::Always, transform).link(ra(routine::LINK));
    };
    if sharers == 1 {
        // The locks are made while the TMUs are waited for.
        let opens = register(draughted.opens);
        all.piece_around(LOAD, (ASKED, |b| locks::open(b, opens)), Some(&call));
        all.b.sacq(locks::EXCHANGE);
        all.piece(FIRST, None);
        all.piece(READ, None);
        call(&mut all.b);
        all.b.srel(locks::EXCHANGE);
        all.b.nops(2);
        all.piece(SECOND, None);
        all.b.sacq(locks::OUTPUT);
        all.piece(OUTPUT, None);
        all.b.srel(locks::OUTPUT);
        all.count(BranchCond::AllZS, done);
        locks::peers(&mut all.b);
        all.uniforms.push(Word::Peers);
        all.again(again, |_| {});
        all.b.bind(done);
        locks::close(&mut all.b);
    } else {
        all.piece(LOAD, Some(&call));
        let part = |b: &mut Builder| barrier::part(b, followers[0]);
        all.piece(FIRST, Some(&part));
        barrier::lead(&mut all.b, sharers, barrier::GATES[0], joined[0]);
        all.piece(READ, Some(&call));
        all.piece(SECOND, None);
        all.count(BranchCond::AllZC, more);
        all.b.nop();
        all.b.end();
        all.b.bind(followers[0]);
        barrier::follow(&mut all.b, barrier::GATES[0], joined[0]);
    }
    all.b.bind(transform);
    let back = |b: &mut Builder| {
        b.bra(BranchCond::Always, ra(routine::LINK));
    };
    all.piece(TRANSFORM, Some(&back));
    if sharers > 1 {
        all.b.bind(more);
        all.again(again, |all| {
            all.b.mov(NONE, UNIF).setf();
            all.uniforms.push(Word::Follows);
            barrier::part(&mut all.b, followers[1]);
            all.b.nops(3);
            barrier::lead(&mut all.b, sharers, barrier::GATES[1], joined[1]);
        });
        all.b.bind(followers[1]);
        barrier::follow(&mut all.b, barrier::GATES[1], joined[1]);
    }
    all.finish()
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

    /// 512 words are what a slice holds. What is behind the transform of 2^9 is for batches only. Of pipelines a slice
    /// runs producers or consumers, of which this is the sum.
    #[test]
    fn programs_are_no_longer_than_they_were() {
        let lengths: Vec<_> = programs()
            .iter()
            .map(|program| program.code.len())
            .collect();
        assert_eq!(
            lengths,
            [
                514, 561, 965, 1005, 1038, 220, 243, 274, 311, 425, 1022, 1027
            ]
        );
    }

    /// A slice runs producers or consumers. With theirs stand their ends, which are no part of a loop.
    #[test]
    fn loops_of_producers_and_of_consumers_fit_an_instruction_cache() {
        let mut pipelines = 0;
        for program in programs() {
            if !matches!(program.cooperation.way(), Way::Pipeline(_)) {
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

    /// A slice runs producers or consumers of a relay. The loop over transforms of either is no more lines than it holds.
    #[test]
    fn loops_of_a_relay_fit_an_instruction_cache() {
        let all = programs();
        let program = all
            .iter()
            .find(|program| matches!(program.cooperation.way(), Way::Relay(_)));
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

    #[test]
    fn a_program_lists_each_uniform_that_it_reads() {
        for program in programs() {
            let reads = program.code.iter().filter(|word| reads_uniform(**word));
            assert_eq!(reads.count(), program.reads.len(), "{}", program.name());
        }
    }
}
