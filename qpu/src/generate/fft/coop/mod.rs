//! Programs of several QPUs that share one transform through the VPM, in one pass over memory.
//!
//! A program is two halves ([`first`], [`second`]) with a barrier ([`barrier`]) between, and both call
//! one transform of 16 points ([`routine`]); who holds which points is told in [`crate::fft::coop`]. All
//! QPUs run the same words, so that they share the instruction cache of their slice, and they are to fit
//! it: that is why the transform is a routine.

mod barrier;
mod first;
mod routine;
mod rows;
mod second;
mod tastes;

use super::reads_uniform;
use crate::disasm;
use crate::fft::coop::{Cooperation, Word};
use crate::generate::fft::dft16::Constants;
use crate::generate::fft::draft::Draft;
use crate::generate::schedule::{self, Place};
use crate::generate::{Builder, ra};
use crate::isa::{BranchCond, File};
use routine::Routine;

type Operation = schedule::Operation<Word>;
/// Writes a branch whose shadow are the last three instructions of a piece.
type Branch<'a> = &'a dyn Fn(&mut Builder);

/// A generated program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cooperative {
    /// Points of the transform, as a power of two.
    pub log2_points: u32,
    /// How many QPUs run it together.
    pub programs: u32,
    /// Instructions.
    pub code: Vec<u64>,
    /// Uniforms in the order in which it reads them.
    pub uniforms: Vec<Word>,
}

impl Cooperative {
    /// `fft-coop-9`, say.
    #[must_use]
    pub fn name(&self) -> String {
        format!("fft-coop-{}", self.log2_points)
    }

    /// The program as text: byte offset, word, instruction, and which uniform it reads.
    #[must_use]
    pub fn listing(&self) -> String {
        let mut uniforms = self.uniforms.iter();
        let mut text = String::new();
        for (&word, pc) in self.code.iter().zip((0..).step_by(8)) {
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
    [8, 9].map(program).into()
}

/// Searches for shorter schedules of a program's pieces: of each, what `tastes.rs` should hold, and its
/// length.
#[must_use]
pub fn search(log2_points: u32, tries: u16) -> Vec<(schedule::Taste, usize)> {
    let pieces = pieces(log2_points).into_iter().enumerate();
    pieces
        .map(|(number, piece)| schedule::search(&piece, &tastes::of(log2_points, number), tries))
        .collect()
}

/// Up to the first call of the transform, from there to the barrier, to the second call, to the end, and
/// the transform.
fn pieces(log2_points: u32) -> [Vec<Operation>; 5] {
    let cooperation = Cooperation::new(log2_points).expect("a length of the list above");
    let programs = cooperation.programs();
    let mut draft = Draft::new(first::LANE_OFFSETS);
    let constants = Constants::from_uniforms(
        &mut draft,
        [2, 6, 4].map(|sixteenths| Word::Cosine { sixteenths }),
    );
    draft.reserve(Place::Register(File::A, routine::LINK));
    if programs > 1 {
        barrier::set_flags(&mut draft);
    }
    let factors = rows::Factors::load(&mut draft, &constants, programs);
    let points = routine::points(&mut draft);
    first::load(&mut draft, points, cooperation.lane_shift());
    let first_load = draft.cut();
    let transform = Routine::new(&mut draft, &constants, points);
    let mut after_transform = draft.clone();
    first::finish(&mut draft, &transform);
    let first_finish = draft.cut();
    second::load(&mut draft, points);
    let second_load = draft.cut();
    after_transform.give_back(first::LANE_OFFSETS);
    second::finish(&mut after_transform, &transform, &factors);
    let second_finish = after_transform.cut();
    let Routine { operations, .. } = transform;
    [
        first_load,
        first_finish,
        second_load,
        second_finish,
        operations,
    ]
}

fn program(log2_points: u32) -> Cooperative {
    let cooperation = Cooperation::new(log2_points).expect("a length of the list above");
    let programs = cooperation.programs();
    let mut b = Builder::new();
    let mut uniforms = Vec::new();
    let pieces = pieces(log2_points);
    let mut piece = |b: &mut Builder, number: usize, branch: Option<Branch>| {
        let taste = tastes::of(log2_points, number);
        let scheduled = schedule::schedule_by(&pieces[number], &taste);
        let shadow = scheduled.instructions.len() - 3;
        for (index, &instruction) in scheduled.instructions.iter().enumerate() {
            if index == shadow
                && let Some(branch) = branch
            {
                branch(b);
            }
            b.instruction(instruction);
        }
        uniforms.extend(scheduled.uniforms);
    };
    let transform = b.label("dft16");
    let follower = b.label("follower");
    let call = |b: &mut Builder| {
        b.brr(BranchCond::Always, transform).link(ra(routine::LINK));
    };
    let back = |b: &mut Builder| {
        b.bra(BranchCond::Always, ra(routine::LINK));
    };
    let part = |b: &mut Builder| barrier::part(b, follower);
    piece(&mut b, 0, Some(&call));
    piece(&mut b, 1, (programs > 1).then_some(&part as Branch));
    let joined = (programs > 1).then(|| barrier::lead(&mut b, programs));
    piece(&mut b, 2, Some(&call));
    piece(&mut b, 3, None);
    b.end();
    b.bind(transform);
    piece(&mut b, 4, Some(&back));
    if let Some(joined) = joined {
        b.bind(follower);
        barrier::follow(&mut b, joined);
    }
    let code = b
        .finish()
        .unwrap_or_else(|error| panic!("cooperative FFT of 2^{log2_points} points: {error}"));
    Cooperative {
        log2_points,
        programs,
        code,
        uniforms,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 512 words are what a slice holds; 2^9 has five more, so that five lines share the four places of one set.
    #[test]
    fn programs_are_no_longer_than_they_were() {
        let lengths: Vec<_> = programs()
            .iter()
            .map(|program| program.code.len())
            .collect();
        assert_eq!(lengths, [437, 517]);
    }

    #[test]
    fn a_program_lists_each_uniform_that_it_reads() {
        for program in programs() {
            let reads = program.code.iter().filter(|word| reads_uniform(**word));
            assert_eq!(reads.count(), program.uniforms.len(), "{}", program.name());
        }
    }
}
