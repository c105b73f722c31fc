//! The builder: instructions in order, labels, and the words at the end.

use std::panic::Location;

use super::error::{BuildError, Problem};
use super::line::{Content, Label, Line, Outputs};
use super::modifiers::{BranchLine, LineMut, LoadLine};
use crate::check::{self, Rule};
use crate::disasm;
use crate::fit::Op;
use crate::fit::{Dst, Reg};
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
            let fix = "make a label for each place".to_string();
            self.problem(here, "label-bound-twice", reason, fix, Location::caller());
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
        self.alu(vec![op])
    }

    /// An instruction without operation; signals can be added.
    #[track_caller]
    pub fn nop(&mut self) -> LineMut<'_> {
        self.alu(Vec::new())
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
        let load = LoadImmediateKind::Word;
        self.load(Content::Load {
            kind: load,
            immediate: value.into().0,
            to: Outputs::new(dst.into()),
        })
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
        self.branch(
            Branch {
                cond_br,
                ..Branch::RELATIVE
            },
            Some(target),
        )
    }

    /// Branches to the address in element 15 of a register of file A, which must be an even one.
    #[track_caller]
    pub fn bra(&mut self, cond_br: BranchCond, register: Reg) -> BranchLine<'_> {
        let branch = Branch {
            cond_br,
            rel: false,
            reg: true,
            ..Branch::RELATIVE
        };
        let mut line = self.branch(branch, None);
        line.set_register(register);
        line
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
        let (words, mut problems) = self.encode();
        if problems.is_empty() {
            let findings = check::check(&words);
            for finding in findings
                .into_iter()
                .filter(|finding| !self.waived.contains(&finding.rule))
            {
                let index = (finding.pc / INSTRUCTION_BYTES) as usize;
                let line = self.lines.get(index).or(self.lines.last());
                problems.push(Problem {
                    pc: finding.pc,
                    at: line.map(|line| line.at),
                    text: words.get(index).map(|word| disasm::line(*word, finding.pc)),
                    rule: finding.rule.name(),
                    reason: finding.reason.clone(),
                    fix: finding.rule.fix().to_string(),
                });
            }
        }
        if problems.is_empty() {
            Ok(Program {
                words,
                labels: self.bound_labels(),
            })
        } else {
            Err(BuildError { problems })
        }
    }

    /// The program's words without looking for hazards: for tests of simulators and of the checks.
    ///
    /// # Errors
    /// Names every instruction that does not fit its ports, and labels that are not bound.
    pub fn finish_unchecked(&self) -> Result<Vec<u64>, BuildError> {
        let (words, problems) = self.encode();
        if problems.is_empty() {
            Ok(words)
        } else {
            Err(BuildError { problems })
        }
    }

    fn encode(&self) -> (Vec<u64>, Vec<Problem>) {
        let mut problems = self.problems.clone();
        let mut words = Vec::with_capacity(self.lines.len());
        for (index, line) in self.lines.iter().enumerate() {
            let target = |label: Label| {
                let (name, place) = &self.labels[label.0];
                place.ok_or_else(|| name.clone())
            };
            match line.content.encode(index, target) {
                Ok(instruction) => words.push(instruction.encode()),
                Err(trouble) => {
                    problems.push(Problem {
                        pc: index as u32 * INSTRUCTION_BYTES,
                        at: Some(line.at),
                        text: None,
                        rule: trouble.rule,
                        reason: trouble.reason,
                        fix: trouble.fix.to_string(),
                    });
                    words.push(Instruction::NOP.encode());
                }
            }
        }
        (words, problems)
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

    fn problem(
        &mut self,
        index: usize,
        rule: &'static str,
        reason: String,
        fix: String,
        at: &'static Location<'static>,
    ) {
        let pc = index as u32 * INSTRUCTION_BYTES;
        self.problems.push(Problem {
            pc,
            at: Some(at),
            text: None,
            rule,
            reason,
            fix,
        });
    }

    #[track_caller]
    fn push(&mut self, content: Content) -> &mut Line {
        self.lines.push(Line {
            content,
            at: Location::caller(),
        });
        self.last()
    }

    pub(super) fn last(&mut self) -> &mut Line {
        self.lines
            .last_mut()
            .unwrap_or_else(|| unreachable!("called after a push only"))
    }

    #[track_caller]
    fn alu(&mut self, operations: Vec<Op>) -> LineMut<'_> {
        self.push(Content::Alu {
            operations,
            signal: Signal::None,
        });
        LineMut { line: self.last() }
    }

    #[track_caller]
    fn load(&mut self, content: Content) -> LoadLine<'_> {
        self.push(content);
        LoadLine { line: self.last() }
    }

    #[track_caller]
    fn ldi_elements(
        &mut self,
        dst: Dst,
        kind: LoadImmediateKind,
        values: [i32; 16],
    ) -> LoadLine<'_> {
        let immediate = LoadImmediate::pack_elements(kind, values).unwrap_or_else(|| {
            let reason = format!("{values:?} has a value that {} cannot hold", kind.name());
            let fix = "use -2..1 with ldi_signed, 0..3 with ldi_unsigned".to_string();
            self.problem(
                self.lines.len(),
                "element-range",
                reason,
                fix,
                Location::caller(),
            );
            0
        });
        self.load(Content::Load {
            kind,
            immediate,
            to: Outputs::new(dst),
        })
    }

    #[track_caller]
    fn semaphore(&mut self, action: SemaphoreAction, number: u8) -> LoadLine<'_> {
        let semaphore = Semaphore::new(action, number).or_else(|| {
            let reason = format!("there is no semaphore {number}");
            let fix = "use 0 to 15".to_string();
            self.problem(
                self.lines.len(),
                "semaphore-number",
                reason,
                fix,
                Location::caller(),
            );
            Semaphore::new(action, 0)
        });
        let immediate = semaphore.map_or(0, |semaphore| semaphore.immediate);
        self.load(Content::Semaphore {
            immediate,
            to: Outputs::nothing(),
        })
    }

    #[track_caller]
    fn branch(&mut self, branch: Branch, target: Option<Label>) -> BranchLine<'_> {
        self.push(Content::Branch {
            branch,
            target,
            register: None,
            links: Vec::new(),
        });
        BranchLine { line: self.last() }
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
