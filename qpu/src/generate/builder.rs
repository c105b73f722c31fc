//! The builder: instructions in order, labels, and the words at the end.

use std::panic::Location;

use super::error::{BuildError, Problem};
use super::line::{Content, Label, Line, Outputs, Trouble};
use super::modifiers::{BranchLine, LineMut, LoadLine};
use crate::check::{self, Rule};
use crate::disasm;
use crate::fit::{Dst, Op, Reg};
use crate::isa::{
    Branch, BranchCond, INSTRUCTION_BYTES, Instruction, LoadImmediate, LoadImmediateKind,
    Semaphore, SemaphoreAction, Signal,
};

/// A program that passed the checks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The instructions.
    pub words: Vec<u64>,
    /// Names of instructions, by index, in order.
    pub labels: Vec<(usize, String)>,
}

impl Program {
    /// Address, word and text of each instruction, with the labels.
    #[must_use]
    pub fn listing(&self) -> String {
        disasm::listing_with_labels(&self.words, &self.labels)
    }
}

/// Collects instructions; see the module for an example.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    lines: Vec<Line>,
    labels: Vec<(String, Option<usize>)>,
    problems: Vec<Problem>,
    waived: Vec<Rule>,
}

impl Builder {
    /// An empty program.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Instructions so far; also the index of the next one.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// True if there are no instructions yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// A label to be bound later.
    pub fn label(&mut self, name: &str) -> Label {
        self.labels.push((name.to_string(), None));
        Label(self.labels.len() - 1)
    }

    /// Binds a label to the next instruction. A label is bound once.
    #[track_caller]
    pub fn bind(&mut self, label: Label) {
        let here = self.lines.len();
        let (name, place) = &mut self.labels[label.0];
        if let Some(before) = place.replace(here) {
            let reason = format!("label {name} is bound to instruction {before} already");
            self.report(Trouble {
                rule: "label-bound-twice",
                reason,
                fix: "make a label for each place",
            });
        }
    }

    /// A label for the next instruction.
    #[track_caller]
    pub fn here(&mut self, name: &str) -> Label {
        let label = self.label(name);
        self.bind(label);
        label
    }

    /// Allows findings of a rule in this program. Say beside the call why they do no harm.
    pub fn waive(&mut self, rule: Rule) {
        self.waived.push(rule);
    }

    /// One operation, in an instruction of its own until another is added to it.
    #[track_caller]
    pub fn op(&mut self, op: Op) -> LineMut<'_> {
        self.nop().op(op)
    }

    /// An instruction without operation; signals can be added.
    #[track_caller]
    pub fn nop(&mut self) -> LineMut<'_> {
        LineMut {
            line: self.push(Content::Alu {
                operations: Vec::new(),
                signal: Signal::None,
            }),
        }
    }

    /// `count` instructions that do nothing.
    #[track_caller]
    pub fn nops(&mut self, count: usize) {
        for _ in 0..count {
            self.nop();
        }
    }

    /// Ends the program: `thrend` and the two instructions that still execute.
    #[track_caller]
    pub fn end(&mut self) {
        self.nop().thrend();
        self.nops(2);
    }

    /// A 32-bit constant in every lane.
    #[track_caller]
    pub fn ldi(&mut self, dst: impl Into<Dst>, value: impl Into<Word>) -> LoadLine<'_> {
        self.load(LoadImmediateKind::Word, value.into().0, dst.into())
    }

    /// A constant of -2, -1, 0 or 1 in each lane.
    #[track_caller]
    pub fn ldi_signed(&mut self, dst: impl Into<Dst>, values: [i32; 16]) -> LoadLine<'_> {
        self.ldi_elements(dst.into(), LoadImmediateKind::PerElementSigned, values)
    }

    /// A constant of 0, 1, 2 or 3 in each lane.
    #[track_caller]
    pub fn ldi_unsigned(&mut self, dst: impl Into<Dst>, values: [i32; 16]) -> LoadLine<'_> {
        self.ldi_elements(dst.into(), LoadImmediateKind::PerElementUnsigned, values)
    }

    /// Counts a semaphore up ("release"); stalls at 15.
    #[track_caller]
    pub fn srel(&mut self, number: u8) -> LoadLine<'_> {
        self.semaphore(SemaphoreAction::Increment, number)
    }

    /// Counts a semaphore down ("acquire"); stalls at 0.
    #[track_caller]
    pub fn sacq(&mut self, number: u8) -> LoadLine<'_> {
        self.semaphore(SemaphoreAction::Decrement, number)
    }

    /// Branches to a label. The next three instructions execute in any case.
    #[track_caller]
    pub fn brr(&mut self, cond_br: BranchCond, target: Label) -> BranchLine<'_> {
        let branch = Branch {
            cond_br,
            ..Branch::RELATIVE
        };
        self.branch(branch, Some(target))
    }

    /// Branches to the address in element 15 of a register of file A, which must be an even one.
    #[track_caller]
    pub fn bra(&mut self, cond_br: BranchCond, register: Reg) -> BranchLine<'_> {
        let branch = Branch {
            cond_br,
            rel: false,
            ..Branch::RELATIVE
        };
        self.branch(branch, None).plus(register)
    }

    /// An instruction as it is; for what the other methods do not offer.
    #[track_caller]
    pub fn instruction(&mut self, instruction: Instruction) {
        self.push(Content::Fixed(instruction));
    }

    /// The program's words.
    ///
    /// # Errors
    /// Names every instruction that does not fit its ports and every hazard that
    /// [`check`](crate::check::check) finds, with a reason and a fix.
    pub fn finish(&self) -> Result<Vec<u64>, BuildError> {
        Ok(self.assemble()?.words)
    }

    /// The program's words and labels.
    ///
    /// # Errors
    /// As [`Self::finish`].
    pub fn assemble(&self) -> Result<Program, BuildError> {
        let words = self.finish_unchecked()?;
        let findings = check::check(&words).into_iter();
        let findings = findings.filter(|finding| !self.waived.contains(&finding.rule));
        let problems = findings.map(|finding| {
            let index = (finding.pc / INSTRUCTION_BYTES) as usize;
            let line = self.lines.get(index).or(self.lines.last());
            Problem {
                pc: finding.pc,
                at: line.map(|line| line.at),
                text: words.get(index).map(|word| disasm::line(*word, finding.pc)),
                rule: finding.rule.name(),
                reason: finding.reason,
                fix: finding.rule.fix(),
            }
        });
        BuildError::unless_none(problems.collect())?;
        Ok(Program {
            words,
            labels: self.bound_labels(),
        })
    }

    /// The program's words without looking for hazards: for tests of simulators and of the checks.
    ///
    /// # Errors
    /// Names every instruction that does not fit its ports, and labels that are not bound.
    pub fn finish_unchecked(&self) -> Result<Vec<u64>, BuildError> {
        let mut problems = self.problems.clone();
        let mut words = Vec::with_capacity(self.lines.len());
        for (index, line) in self.lines.iter().enumerate() {
            let target = |label: Label| {
                let (name, place) = &self.labels[label.0];
                place.ok_or_else(|| name.clone())
            };
            match line.content.encode(index, target) {
                Ok(instruction) => words.push(instruction.encode()),
                Err(trouble) => problems.push(problem(index, line.at, trouble)),
            }
        }
        BuildError::unless_none(problems)?;
        Ok(words)
    }

    fn bound_labels(&self) -> Vec<(usize, String)> {
        let bound = self
            .labels
            .iter()
            .filter_map(|(name, place)| Some(((*place)?, name.clone())));
        let mut labels: Vec<_> = bound.collect();
        labels.sort_by_key(|(index, _)| *index);
        labels
    }

    /// Reports a problem of the instruction that comes next.
    #[track_caller]
    fn report(&mut self, trouble: Trouble) {
        let problem = problem(self.lines.len(), Location::caller(), trouble);
        self.problems.push(problem);
    }

    #[track_caller]
    fn push(&mut self, content: Content) -> &mut Line {
        let at = Location::caller();
        self.lines.push(Line { content, at });
        let last = self.lines.last_mut();
        last.unwrap_or_else(|| unreachable!("one was added"))
    }

    #[track_caller]
    fn load(&mut self, kind: LoadImmediateKind, immediate: u32, dst: Dst) -> LoadLine<'_> {
        LoadLine {
            line: self.push(Content::Load {
                kind,
                immediate,
                to: Outputs::to(vec![dst]),
            }),
        }
    }

    #[track_caller]
    fn ldi_elements(
        &mut self,
        dst: Dst,
        kind: LoadImmediateKind,
        values: [i32; 16],
    ) -> LoadLine<'_> {
        let immediate = LoadImmediate::pack_elements(kind, values);
        if immediate.is_none() {
            self.report(Trouble {
                rule: "element-range",
                reason: format!("{values:?} has a value that {} cannot hold", kind.name()),
                fix: "use -2..1 with ldi_signed, 0..3 with ldi_unsigned",
            });
        }
        self.load(kind, immediate.unwrap_or(0), dst)
    }

    #[track_caller]
    fn semaphore(&mut self, action: SemaphoreAction, number: u8) -> LoadLine<'_> {
        let semaphore = Semaphore::new(action, number);
        if semaphore.is_none() {
            self.report(Trouble {
                rule: "semaphore-number",
                reason: format!("there is no semaphore {number}"),
                fix: "use 0 to 15",
            });
        }
        LoadLine {
            line: self.push(Content::Semaphore {
                immediate: semaphore.map_or(0, |semaphore| semaphore.immediate),
                to: Outputs::to(vec![]),
            }),
        }
    }

    #[track_caller]
    fn branch(&mut self, branch: Branch, target: Option<Label>) -> BranchLine<'_> {
        BranchLine {
            line: self.push(Content::Branch {
                branch,
                target,
                register: None,
                links: Vec::new(),
            }),
        }
    }
}

/// A problem of the instruction at `index`, which the generator's line `at` asked for.
fn problem(index: usize, at: &'static Location<'static>, trouble: Trouble) -> Problem {
    Problem {
        pc: index as u32 * INSTRUCTION_BYTES,
        at: Some(at),
        text: None,
        rule: trouble.rule,
        reason: trouble.reason,
        fix: trouble.fix,
    }
}

/// A 32-bit constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word(u32);

impl From<u32> for Word {
    fn from(value: u32) -> Self {
        Self(value)
    }
}

impl From<i32> for Word {
    fn from(value: i32) -> Self {
        Self(value as u32)
    }
}

impl From<f32> for Word {
    fn from(value: f32) -> Self {
        Self(value.to_bits())
    }
}
