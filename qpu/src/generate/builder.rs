//! The builder: instructions in order, labels, and the words at the end.

use std::panic::Location;

use super::error::{BuildError, Problem};
use super::line::{Content, Line, Outputs};
use super::op::{Op, OpCode};
use super::operand::{Dst, Reg, Src};
use crate::check::{self, Rule};
use crate::disasm;
use crate::isa::{
    AddOp, Branch, BranchCond, Cond, INSTRUCTION_BYTES, Instruction, LoadImmediate,
    LoadImmediateKind, MulOp, MulPack, Rotation, Semaphore, SemaphoreAction, Signal,
};

/// A place in the program that branches can name, before or after it is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label(usize);

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

    /// Whether there are no instructions yet.
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

    fn last(&mut self) -> &mut Line {
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
        LineMut { builder: self }
    }

    #[track_caller]
    fn load(&mut self, content: Content) -> LoadLine<'_> {
        self.push(content);
        LoadLine { builder: self }
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
        BranchLine { builder: self }
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

/// The ALU instruction that was added last. Modifiers change its last operation.
pub struct LineMut<'a> {
    builder: &'a mut Builder,
}

impl LineMut<'_> {
    fn operations(&mut self) -> (&mut Vec<Op>, &mut Signal) {
        match &mut self.builder.last().content {
            Content::Alu { operations, signal } => (operations, signal),
            _ => unreachable!("a LineMut is made for an ALU instruction"),
        }
    }

    fn change(mut self, change: impl FnOnce(&mut Op)) -> Self {
        if let Some(op) = self.operations().0.last_mut() {
            change(op);
        }
        self
    }

    /// Adds an operation to the same instruction, on the ALU that is left.
    pub fn op(mut self, op: Op) -> Self {
        self.operations().0.push(op);
        self
    }

    /// The result sets the flags.
    pub fn setf(self) -> Self {
        self.change(|op| op.setf = true)
    }

    /// The result moves up by `lanes` lanes, modulo 16; 0 leaves it where it is.
    pub fn rotate(self, lanes: i32) -> Self {
        let lanes = lanes.rem_euclid(16) as u8;
        self.change(|op| op.rotate = (lanes != 0).then_some(Rotation::By(lanes)))
    }

    /// The result moves up by the low four bits of element 0 of r5.
    pub fn rotate_r5(self) -> Self {
        self.change(|op| op.rotate = Some(Rotation::ByR5))
    }

    /// The result, as a float 0..=1, becomes 8-bit colour.
    pub fn pack_mul(self, pack: MulPack) -> Self {
        self.change(|op| op.pack_mul = pack)
    }

    /// The instruction carries a signal.
    pub fn signal(mut self, signal: Signal) -> Self {
        *self.operations().1 = signal;
        self
    }

    /// Pops a result of TMU 0 into r4.
    pub fn ldtmu0(self) -> Self {
        self.signal(Signal::LoadTmu0)
    }

    /// Pops a result of TMU 1 into r4.
    pub fn ldtmu1(self) -> Self {
        self.signal(Signal::LoadTmu1)
    }

    /// The program ends after two more instructions.
    pub fn thrend(self) -> Self {
        self.signal(Signal::ProgramEnd)
    }
}

/// The load immediate or semaphore instruction that was added last.
pub struct LoadLine<'a> {
    builder: &'a mut Builder,
}

impl LoadLine<'_> {
    fn outputs(&mut self) -> &mut Outputs {
        match &mut self.builder.last().content {
            Content::Load { to, .. } | Content::Semaphore { to, .. } => to,
            _ => unreachable!("a LoadLine is made for a load or a semaphore"),
        }
    }

    /// The value goes to this register too; for a semaphore, its low word does.
    pub fn also(mut self, dst: impl Into<Dst>) -> Self {
        self.outputs().destinations.push(dst.into());
        self
    }

    /// The value sets the flags.
    pub fn setf(mut self) -> Self {
        self.outputs().setf = true;
        self
    }
}

macro_rules! conditions {
    ($($(#[$doc:meta])* $name:ident = $cond:ident;)+) => {
        impl LineMut<'_> {
            /// The last operation's result is written where the condition holds.
            pub fn cond(self, cond: Cond) -> Self {
                self.change(|op| op.cond = cond)
            }
            $($(#[$doc])* pub fn $name(self) -> Self { self.cond(Cond::$cond) })+
        }

        impl LoadLine<'_> {
            /// The value is written where the condition holds.
            pub fn cond(mut self, cond: Cond) -> Self {
                self.outputs().cond = cond;
                self
            }
            $($(#[$doc])* pub fn $name(self) -> Self { self.cond(Cond::$cond) })+
        }
    };
}

conditions! {
    /// Written where Z is set.
    ifz = ZS;
    /// Written where Z is clear.
    ifnz = ZC;
    /// Written where N is set.
    ifn = NS;
    /// Written where N is clear.
    ifnn = NC;
    /// Written where C is set.
    ifc = CS;
    /// Written where C is clear.
    ifnc = CC;
}

/// The branch that was added last.
pub struct BranchLine<'a> {
    builder: &'a mut Builder,
}

impl BranchLine<'_> {
    /// The address of the instruction after the delay slots goes to this register, if the branch is taken.
    pub fn link(self, dst: impl Into<Dst>) -> Self {
        if let Content::Branch { links, .. } = &mut self.builder.last().content {
            links.push(dst.into());
        }
        self
    }

    /// Element 15 of a register of file A is added to the target; it must be an even register.
    pub fn plus(mut self, register: Reg) -> Self {
        self.set_register(register);
        self
    }

    fn set_register(&mut self, added: Reg) {
        if let Content::Branch { register, .. } = &mut self.builder.last().content {
            *register = Some(added.into());
        }
    }
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident($($operand:ident),+) = $code:expr;)+) => {
        impl Builder {
            $($(#[$doc])*
            #[track_caller]
            pub fn $name(&mut self, dst: impl Into<Dst>, $($operand: impl Into<Src>),+) -> LineMut<'_> {
                self.op(operations!(@op $code, dst, $($operand),+))
            })+
        }

        impl LineMut<'_> {
            $($(#[$doc])*
            pub fn $name(self, dst: impl Into<Dst>, $($operand: impl Into<Src>),+) -> Self {
                self.op(operations!(@op $code, dst, $($operand),+))
            })+
        }
    };
    (@op $code:expr, $dst:ident, $a:ident) => {{
        let a: Src = $a.into();
        Op::new($code, $dst, a, a)
    }};
    (@op $code:expr, $dst:ident, $a:ident, $b:ident) => { Op::new($code, $dst, $a, $b) };
}

operations! {
    /// Float a + b, rounded toward zero.
    fadd(a, b) = OpCode::Add(AddOp::Fadd);
    /// Float a - b.
    fsub(a, b) = OpCode::Add(AddOp::Fsub);
    /// Float minimum.
    fmin(a, b) = OpCode::Add(AddOp::Fmin);
    /// Float maximum.
    fmax(a, b) = OpCode::Add(AddOp::Fmax);
    /// Float minimum of absolute values.
    fminabs(a, b) = OpCode::Add(AddOp::Fminabs);
    /// Float maximum of absolute values.
    fmaxabs(a, b) = OpCode::Add(AddOp::Fmaxabs);
    /// Float to signed integer, truncated.
    ftoi(a) = OpCode::Add(AddOp::Ftoi);
    /// Signed integer to float.
    itof(a) = OpCode::Add(AddOp::Itof);
    /// a + b, modulo 2^32.
    add(a, b) = OpCode::Add(AddOp::Add);
    /// a - b, modulo 2^32.
    sub(a, b) = OpCode::Add(AddOp::Sub);
    /// a shifted right by b & 31, zeros in.
    shr(a, b) = OpCode::Add(AddOp::Shr);
    /// a shifted right by b & 31, sign in.
    asr(a, b) = OpCode::Add(AddOp::Asr);
    /// Bits of a rotated right by b & 31.
    ror(a, b) = OpCode::Add(AddOp::Ror);
    /// a shifted left by b & 31.
    shl(a, b) = OpCode::Add(AddOp::Shl);
    /// Signed minimum.
    min(a, b) = OpCode::Add(AddOp::Min);
    /// Signed maximum.
    max(a, b) = OpCode::Add(AddOp::Max);
    /// Bitwise and.
    and(a, b) = OpCode::Add(AddOp::And);
    /// Bitwise or.
    or(a, b) = OpCode::Add(AddOp::Or);
    /// Bitwise exclusive or.
    xor(a, b) = OpCode::Add(AddOp::Xor);
    /// Bitwise not.
    not(a) = OpCode::Add(AddOp::Not);
    /// Leading zeros.
    clz(a) = OpCode::Add(AddOp::Clz);
    /// Float a * b, rounded toward zero.
    fmul(a, b) = OpCode::Mul(MulOp::Fmul);
    /// Low 32 bits of the product of the low 24 bits, unsigned.
    mul24(a, b) = OpCode::Mul(MulOp::Mul24);
    /// Per byte: a * b / 255.
    v8muld(a, b) = OpCode::Mul(MulOp::V8muld);
    /// Per byte: unsigned minimum.
    v8min(a, b) = OpCode::Mul(MulOp::V8min);
    /// Per byte: unsigned maximum.
    v8max(a, b) = OpCode::Mul(MulOp::V8max);
    /// Per byte: unsigned a + b, saturating; on either ALU.
    v8adds(a, b) = OpCode::V8ADDS;
    /// Per byte: unsigned a - b, saturating; on either ALU.
    v8subs(a, b) = OpCode::V8SUBS;
    /// A copy; on either ALU.
    mov(a) = OpCode::MOV;
}
