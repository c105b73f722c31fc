//! One operation of a line: what it is called, its operands, and what they make of it.

use std::rc::Rc;

use super::assembler::Assembler;
use super::constant;
use super::diagnostic::Fault;
use super::expression::Cursor;
use super::piece::{BranchPiece, LoadPiece, Piece, SemaphorePiece, What};
use super::register::{Place, Register};
use super::suffix::{Marked, Packing, Part, Suffix};
use super::value::Value;
use crate::fit::{Dst, Op, OpCode, Origin, Src};
use crate::isa::{
    AddOp, BranchCond, Cond, File, LoadImmediateKind, MulOp, MulPack, Pack, Rotation, Slot, Unpack,
};
use crate::names;

/// An operand as it was written.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub value: Value,
    pub suffixes: Vec<Marked>,
    pub span: (u32, u32),
}

/// What the suffixes of an operation say.
#[derive(Clone, Copy, Debug, Default)]
struct Modifiers {
    setf: bool,
    cond: Option<Cond>,
    branch: Option<BranchCond>,
    pack: Option<Packing>,
    unpack: Option<Packing>,
}

/// What a name stands for among operations.
#[derive(Clone, Copy, Debug)]
enum Mnemonic {
    Alu(OpCode, usize),
    Mov(Option<Slot>),
    Nop(Option<Slot>),
    Load(Option<LoadImmediateKind>),
    Read,
    Semaphore(bool),
    Branch(bool),
    Mutex(bool),
    Signal(crate::isa::Signal),
}

fn mnemonic(name: &str) -> Option<Mnemonic> {
    use Mnemonic::*;
    let code = |name: &str| match (names::add_op(name), names::mul_op(name)) {
        (Some(add), Some(mul)) => Some((OpCode::Either(add, mul), usize::from(add.operands()))),
        (Some(add), None) => Some((OpCode::Add(add), usize::from(add.operands()))),
        (None, Some(mul)) => Some((OpCode::Mul(mul), 2)),
        (None, None) => None,
    };
    Some(match name {
        "mov" => Mov(None),
        "amov" => Mov(Some(Slot::Add)),
        "mmov" => Mov(Some(Slot::Mul)),
        "nop" => Nop(None),
        "anop" => Nop(Some(Slot::Add)),
        "mnop" => Nop(Some(Slot::Mul)),
        "ldi" => Load(None),
        "ldis" => Load(Some(LoadImmediateKind::PerElementSigned)),
        "ldiu" => Load(Some(LoadImmediateKind::PerElementUnsigned)),
        "read" => Read,
        "sacq" => Semaphore(true),
        "srel" => Semaphore(false),
        "bra" => Branch(false),
        "brr" => Branch(true),
        "mutex_acq" => Mutex(true),
        "mutex_rel" => Mutex(false),
        _ => {
            if let Some(signal) = names::signal(name) {
                return Some(Signal(signal));
            }
            if let Some((code, operands)) = code(name) {
                return Some(Alu(code, operands));
            }
            // Bound to an ALU by its first letter.
            let (slot, rest) = (name.get(..1)?, name.get(1..)?);
            match (slot, code(rest)?) {
                ("a", (OpCode::Either(op, _) | OpCode::Add(op), operands)) => {
                    Alu(OpCode::Add(op), operands)
                }
                ("m", (OpCode::Either(_, op) | OpCode::Mul(op), operands)) => {
                    Alu(OpCode::Mul(op), operands)
                }
                _ => return None,
            }
        }
    })
}

impl Assembler<'_> {
    /// One operation, up to `;` or the end of the line.
    pub(super) fn operation(&mut self, cursor: &mut Cursor) -> Result<Vec<Piece>, Fault> {
        let start = cursor.span();
        let Some(name) = cursor.name() else {
            return Err(cursor.expected("an instruction, a macro or a directive"));
        };
        let Some(mnemonic) = mnemonic(name) else {
            return Err(self.unknown_operation(name, start));
        };
        let modifiers = modifiers(self.operand_suffixes(cursor, true)?)?;
        let operands = self.operands(cursor)?;
        let span = cursor.span_from(start);
        let line = Line {
            name,
            span,
            modifiers,
            operands,
        };
        let whats = line.whats(mnemonic)?;
        for warning in line.warnings(mnemonic) {
            self.warn(warning);
        }
        Ok(whats.into_iter().map(|what| Piece { what, span }).collect())
    }

    fn unknown_operation(&self, name: &str, span: (u32, u32)) -> Fault {
        let mut known: Vec<Rc<str>> = self.macro_names();
        known.extend(names::mnemonics().map(Rc::from));
        let near = names::nearest(name, known.iter().map(|name| &**name));
        let fault = Fault::new(
            "unknown-instruction",
            span,
            format!("`{name}` is no instruction, signal or macro"),
        );
        match near.is_empty() {
            true => fault.help("define it before with `.macro`, or include the file that does"),
            false => fault.help(format!("did you mean {}?", near.join(" or "))),
        }
    }

    fn operands(&mut self, cursor: &mut Cursor) -> Result<Vec<Operand>, Fault> {
        let mut all = Vec::new();
        if cursor.at_end() || cursor.is(";") {
            return Ok(all);
        }
        loop {
            let start = cursor.span();
            let value = self.expression(cursor)?;
            let span = cursor.span_from(start);
            let suffixes = self.operand_suffixes(cursor, false)?;
            all.push(Operand {
                value,
                suffixes,
                span,
            });
            if !cursor.take(",") {
                break;
            }
        }
        match cursor.at_end() || cursor.is(";") {
            true => Ok(all),
            false => Err(cursor.expected("`,`, `;` or the end of the line")),
        }
    }
}

fn modifiers(suffixes: Vec<Marked>) -> Result<Modifiers, Fault> {
    let mut all = Modifiers::default();
    for (suffix, span) in suffixes {
        all.add(suffix, span)?;
    }
    Ok(all)
}

impl Modifiers {
    fn add(&mut self, suffix: Suffix, span: (u32, u32)) -> Result<(), Fault> {
        let twice = match suffix {
            Suffix::SetFlags => std::mem::replace(&mut self.setf, true),
            Suffix::Condition(cond) => self.cond.replace(cond).is_some(),
            Suffix::Branch(cond) => self.branch.replace(cond).is_some(),
            Suffix::Pack(packing) | Suffix::Packing(packing) => {
                self.pack.replace(packing).is_some()
            }
            Suffix::Unpack(packing) => self.unpack.replace(packing).is_some(),
        };
        match twice {
            true => Err(Fault::new(
                "suffix",
                span,
                "the suffix says again what another says already",
            )),
            false => Ok(()),
        }
    }
}

/// An operation with everything that was written of it.
struct Line<'a> {
    name: &'a str,
    span: (u32, u32),
    modifiers: Modifiers,
    operands: Vec<Operand>,
}

/// A destination with its condition and flags.
#[derive(Clone, Copy)]
struct Target {
    dst: Dst,
    cond: Cond,
    setf: bool,
    pack_mul: MulPack,
    rotation: Option<Rotation>,
}

impl Line<'_> {
    fn wrong_count(&self, needed: &str) -> Fault {
        let found = self.operands.len();
        Fault::new(
            "operands",
            self.span,
            format!(
                "{} takes {needed}, and {found} operands are given",
                self.name
            ),
        )
    }

    fn whats(&self, mnemonic: Mnemonic) -> Result<Vec<What>, Fault> {
        if self.modifiers.branch.is_some() && !matches!(mnemonic, Mnemonic::Branch(_)) {
            return Err(Fault::new(
                "suffix",
                self.span,
                "a condition over all lanes is for branches only",
            ));
        }
        match mnemonic {
            Mnemonic::Alu(code, sources) => {
                let [target, operands @ ..] = self.operands.as_slice() else {
                    return Err(self.wrong_count("a destination and sources"));
                };
                if operands.len() != sources {
                    return Err(self.wrong_count(if sources == 1 {
                        "a destination and a source"
                    } else {
                        "a destination and two sources"
                    }));
                }
                let target = self.target(target)?;
                Ok(vec![What::Alu(self.alu(code, target, operands)?)])
            }
            Mnemonic::Mov(slot) => self.mov(slot),
            Mnemonic::Nop(slot) => self.nop(slot),
            Mnemonic::Load(kind) => self.load(kind),
            Mnemonic::Read => match self.operands.as_slice() {
                [operand] => Ok(vec![What::Read(self.source(operand, None)?.0)]),
                _ => Err(self.wrong_count("what to read")),
            },
            Mnemonic::Semaphore(acquire) => self.semaphore(acquire),
            Mnemonic::Branch(relative) => self.branch(relative),
            Mnemonic::Mutex(true) => match self.operands.as_slice() {
                [] => Ok(vec![What::Read(port("mutex")?)]),
                [target] => {
                    let target = self.target(target)?;
                    let source = port("mutex")?;
                    Ok(vec![What::Alu(vec![self.op(
                        OpCode::MOV,
                        target,
                        source,
                        source,
                        None,
                    )])])
                }
                _ => Err(self.wrong_count("a destination at most")),
            },
            Mnemonic::Mutex(false) => {
                let source = match self.operands.as_slice() {
                    [] => accumulator(0),
                    [operand] => self.source(operand, None)?.0,
                    _ => return Err(self.wrong_count("a source at most")),
                };
                let written = Register::new(Place::Io("mutex"));
                let operand = Operand {
                    value: Value::Register(written),
                    suffixes: vec![],
                    span: self.span,
                };
                let target = self.target(&operand)?;
                Ok(vec![What::Alu(vec![self.op(
                    OpCode::MOV,
                    target,
                    source,
                    source,
                    None,
                )])])
            }
            Mnemonic::Signal(signal) => match self.operands.is_empty() {
                true => Ok(vec![What::Signal(signal)]),
                false => Err(self.wrong_count("no operands")),
            },
        }
    }

    fn warnings(&self, mnemonic: Mnemonic) -> Vec<Fault> {
        let mut all = Vec::new();
        let label = |operand: &&Operand| matches!(operand.value, Value::Label(_));
        if let Some(label) = self.operands.iter().find(label) {
            let (rule, message, help) = match mnemonic {
                Mnemonic::Branch(true) => return all,
                Mnemonic::Branch(false) => (
                    "absolute-label",
                    "an absolute branch to a label is right only in a program that lies at address 0",
                    "use brr, or add the program's address in a register",
                ),
                _ => (
                    "label-offset",
                    "where the program will lie is not known: this is the label's distance from its start",
                    "for an address use the link of a branch, for a distance the difference of labels, `:b - :a`",
                ),
            };
            all.push(Fault::new(rule, label.span, message).help(help));
        }
        let r4 = |operand: &&Operand| matches!(operand.value, Value::Register(register) if register.place == Place::Accumulator(4));
        if let Some(r4) = self.operands.first().filter(r4)
            && matches!(
                mnemonic,
                Mnemonic::Alu(..) | Mnemonic::Mov(_) | Mnemonic::Load(_)
            )
        {
            let message =
                "r4 cannot be written; this writes tmu_noswap, whose address follows r3's";
            all.push(
                Fault::new("destination", r4.span, message).help("use r0..r3, r5quad or r5rep"),
            );
        }
        all.extend(self.rotation_warning(mnemonic));
        if let [_, one, two] = self.operands.as_slice()
            && let (Value::Register(first), Value::Register(second)) = (one.value, two.value)
            && first.place == second.place
            && can_unpack(first)
            && first.packing.is_some() != second.packing.is_some()
        {
            let span = if first.packing.is_none() {
                one.span
            } else {
                two.span
            };
            let message = "the register is read once, so this operand is unpacked like the other";
            all.push(
                Fault::new("unpack", span, message)
                    .help("give both the same mode if that is meant"),
            );
        }
        all
    }

    /// A rotation moves the whole result, so operands that are not marked move too.
    fn rotation_warning(&self, mnemonic: Mnemonic) -> Option<Fault> {
        if !matches!(mnemonic, Mnemonic::Alu(..)) {
            return None;
        }
        let register = |operand: &Operand| match operand.value {
            Value::Register(register) => Some(register),
            _ => None,
        };
        let [target, sources @ ..] = self.operands.as_slice() else {
            return None;
        };
        if register(target).is_some_and(|register| register.rotation.is_some()) {
            return None;
        }
        let rotations = || {
            sources
                .iter()
                .filter_map(register)
                .filter_map(|register| register.rotation)
        };
        let by = rotations().next()?;
        let stays = |register: &Register| match (register.place, by) {
            // Inside its quad it stays where it is.
            (Place::Accumulator(0..=3), _) => false,
            (_, Rotation::By(lanes)) => lanes % 4 == 0,
            _ => false,
        };
        let moved = sources.iter().find(|operand| {
            register(operand)
                .is_some_and(|register| register.rotation.is_none() && !stays(&register))
        })?;
        let message = "the rotation beside it moves this operand too";
        Some(
            Fault::new("rotation", moved.span, message)
                .help("mark it with the same rotation if that is meant"),
        )
    }

    /// A destination.
    fn target(&self, operand: &Operand) -> Result<Target, Fault> {
        let Value::Register(register) = operand.value else {
            let message = format!(
                "the destination is a register or `-`, and not {}",
                operand.value.what()
            );
            return Err(Fault::new("destination", operand.span, message));
        };
        let mut modifiers = self.modifiers;
        for (suffix, span) in &operand.suffixes {
            modifiers.add(*suffix, *span)?;
        }
        if let Some(packing) = register.packing {
            modifiers.add(Suffix::Packing(packing), operand.span)?;
        }
        let Some((file, waddr)) = register.write() else {
            let fault = Fault::new(
                "destination",
                operand.span,
                format!("{} cannot be written", register.name()),
            );
            return Err(match register.place {
                Place::Accumulator(5) => fault
                    .help("write r5quad (each quad its own element 0) or r5rep (element 0 to all)"),
                Place::Accumulator(_) => {
                    fault.help("r4 is written by the TMU, the SFU and the tile buffer only")
                }
                _ => fault,
            });
        };
        let (pack, pack_mul) = match modifiers.pack {
            None => (Pack::None, MulPack::None),
            Some(packing) => pack_mode(packing, register)
                .ok_or_else(|| Fault::new("pack", operand.span, format!("{} cannot be packed so", register.name()))
                    .help("8-bit, 16-bit and 32s modes pack into ra0..ra31; 8a..8d and 8abcd pack the mul ALU's float result anywhere"))?,
        };
        // What goes nowhere and sets no flags is not written at all, unless `.always` is said.
        let idle = register.is_nothing() && !modifiers.setf;
        let cond = match modifiers.cond {
            Some(Cond::Always) => Cond::Always,
            _ if idle => Cond::Never,
            cond => cond.unwrap_or(Cond::Always),
        };
        // A destination is rotated the way its name moves, a source the other way.
        let rotation = register.rotation.map(|rotation| match rotation {
            Rotation::By(lanes) => Rotation::By(16 - lanes),
            Rotation::ByR5 => Rotation::ByR5,
        });
        Ok(Target {
            dst: Dst::at(waddr, file).pack(pack),
            cond,
            setf: modifiers.setf,
            pack_mul,
            rotation,
        })
    }

    /// A source, and how the result must be rotated for it.
    fn source(
        &self,
        operand: &Operand,
        unpack: Option<Packing>,
    ) -> Result<(Src, Option<Rotation>), Fault> {
        if let Some((_, span)) = operand.suffixes.first() {
            return Err(Fault::new(
                "suffix",
                *span,
                "conditions and .setf belong to the operation or its destination",
            ));
        }
        let Value::Register(register) = operand.value else {
            let word = operand
                .value
                .word()
                .map_err(|message| Fault::new("source", operand.span, message))?;
            return Ok((Src::constant(word), None));
        };
        let source = match register.place {
            Place::Accumulator(number) => accumulator(number),
            Place::Semaphore { .. } => {
                let message = format!("{} is read by mov and nothing else", register.name());
                return Err(Fault::new("source", operand.span, message));
            }
            _ => match register.read() {
                Some((file, raddr)) => Src::at(raddr, file),
                None => {
                    return Err(Fault::new(
                        "source",
                        operand.span,
                        format!("{} cannot be read", register.name()),
                    ));
                }
            },
        };
        let source = match register.packing.or(unpack) {
            None => source,
            Some(packing) => {
                let mode = unpack_mode(packing).ok_or_else(|| {
                    Fault::new(
                        "unpack",
                        operand.span,
                        "this mode packs and does not unpack",
                    )
                    .help("unpack modes are 16a 16b 8a 8b 8c 8d 8dr")
                })?;
                if mode != Unpack::None && !can_unpack(register) {
                    let fault = Fault::new(
                        "unpack",
                        operand.span,
                        format!("{} cannot be unpacked", register.name()),
                    );
                    return Err(fault.help("only ra0..ra31 and r4 can"));
                }
                source.unpack(mode)
            }
        };
        Ok((source, register.rotation))
    }

    /// Which source an `.unpack` on the operation means.
    fn unpacked(&self, code: OpCode, operands: &[Operand]) -> Result<Vec<Option<Packing>>, Fault> {
        let Some(packing) = self.modifiers.unpack else {
            return Ok(vec![None; operands.len()]);
        };
        let is = |operand: &Operand, r4: bool| {
            matches!(operand.value, Value::Register(register)
            if can_unpack(register) && (register.place == Place::Accumulator(4)) == r4)
        };
        let [in_a, in_r4] = [false, true].map(|r4| operands.iter().any(|operand| is(operand, r4)));
        let r4 = match (in_a, in_r4) {
            (true, true) if packing.float == Some(false) => false,
            // ra unpacks as floats for operations on floats only, r4 always.
            (true, true) if packing.float == Some(true) && !takes_floats(code) => true,
            (true, true) => {
                return Err(
                    Fault::new("unpack", self.span, "both ra and r4 could be unpacked")
                        .help("put the mode behind the operand"),
                );
            }
            (false, false) => {
                return Err(
                    Fault::new("unpack", self.span, "no operand can be unpacked")
                        .help("only ra0..ra31 and r4 can"),
                );
            }
            (_, in_r4) => in_r4,
        };
        Ok(operands
            .iter()
            .map(|operand| is(operand, r4).then_some(packing))
            .collect())
    }

    fn alu(&self, code: OpCode, target: Target, operands: &[Operand]) -> Result<Vec<Op>, Fault> {
        let unpack = self.unpacked(code, operands)?;
        let mut sources = Vec::new();
        let mut rotation = target.rotation;
        for (operand, unpack) in operands.iter().zip(unpack) {
            let (source, own) = self.source(operand, unpack)?;
            // Outside r0..r3 only a rotation's low two bits count.
            let narrow = !source.rotates();
            let own = match (rotation, own) {
                (Some(Rotation::By(one)), Some(Rotation::By(two)))
                    if narrow && one % 4 == two % 4 =>
                {
                    rotation
                }
                (_, own) => own,
            };
            if let (Some(one), Some(two)) = (rotation, own)
                && one != two
            {
                return Err(Fault::new(
                    "rotation",
                    operand.span,
                    "an instruction has one rotation, and two are asked for",
                ));
            }
            rotation = rotation.or(own);
            sources.push(source);
        }
        if let [one, two] = sources.as_mut_slice()
            && one.from == two.from
            && one.unpack != two.unpack
        {
            // One read, one mode: what is said of one operand holds for the other.
            match (one.unpack, two.unpack) {
                (Unpack::None, mode) => one.unpack = mode,
                (mode, Unpack::None) => two.unpack = mode,
                _ => (),
            }
        }
        let (Some(a), Some(b)) = (sources.first(), sources.last()) else {
            return Err(self.wrong_count("sources"));
        };
        let op = self.op(code, target, *a, *b, rotation);
        Ok(constant::equivalents(op))
    }

    fn op(&self, code: OpCode, target: Target, a: Src, b: Src, rotate: Option<Rotation>) -> Op {
        let Target {
            dst,
            cond,
            setf,
            pack_mul,
            ..
        } = target;
        Op {
            code,
            dst,
            a,
            b,
            cond,
            setf,
            rotate,
            pack_mul,
        }
    }

    fn mov(&self, slot: Option<Slot>) -> Result<Vec<What>, Fault> {
        let (targets, source) = match self.operands.as_slice() {
            [one, source] => (std::slice::from_ref(one), source),
            [targets @ .., source] if targets.len() == 2 => (targets, source),
            _ => return Err(self.wrong_count("one or two destinations and a source")),
        };
        if let Value::Register(Register {
            place: Place::Semaphore { acquire, number },
            ..
        }) = source.value
        {
            let targets: Result<Vec<Target>, Fault> =
                targets.iter().map(|target| self.target(target)).collect();
            let load = load(
                LoadImmediateKind::Word,
                u32::from(number) | u32::from(acquire) << 4,
                &targets?,
            );
            return Ok(vec![What::Semaphore(SemaphorePiece(load))]);
        }
        targets
            .iter()
            .map(|target| self.mov_one(slot, self.target(target)?, source))
            .collect()
    }

    fn mov_one(&self, slot: Option<Slot>, target: Target, source: &Operand) -> Result<What, Fault> {
        let on = |code: OpCode| match (slot, code) {
            (Some(Slot::Add), OpCode::Either(op, _)) => OpCode::Add(op),
            (Some(Slot::Mul), OpCode::Either(_, op)) => OpCode::Mul(op),
            (_, code) => code,
        };
        match source.value {
            Value::Register(register) => {
                let packing = register.packing.or(self.modifiers.unpack);
                // Only an operation on floats unpacks ra as floats; r4 always does.
                let in_a = matches!(register.place, Place::File(File::A, _));
                let float = in_a && packing.is_some_and(|packing| packing.float == Some(true));
                let code = if float {
                    OpCode::Add(AddOp::Fmin)
                } else {
                    on(OpCode::MOV)
                };
                self.alu(code, target, std::slice::from_ref(source))
                    .map(What::Alu)
            }
            Value::Elements(elements) => {
                let (kind, word) = elements
                    .immediate()
                    .ok_or_else(|| self.wrong_count("elements"))?;
                Ok(What::Load(load(kind, word, &[target])))
            }
            _ => {
                let word = source
                    .value
                    .word()
                    .map_err(|message| Fault::new("source", source.span, message))?;
                let plain = self.op(
                    on(OpCode::MOV),
                    target,
                    Src::constant(word),
                    Src::constant(word),
                    target.rotation,
                );
                let mut ways = constant::ways(plain, word);
                for way in &mut ways {
                    way.code = on(way.code);
                }
                let load = slot
                    .is_none()
                    .then(|| load(LoadImmediateKind::Word, word, &[target]));
                Ok(What::Constant { ways, load, word })
            }
        }
    }

    fn nop(&self, slot: Option<Slot>) -> Result<Vec<What>, Fault> {
        match self.operands.as_slice() {
            [] => Ok(vec![What::Nop(slot)]),
            [target] => {
                let target = self.target(target)?;
                let code = match slot {
                    Some(Slot::Mul) => OpCode::Mul(MulOp::Nop),
                    _ => OpCode::Add(AddOp::Nop),
                };
                Ok(vec![What::Alu(vec![self.op(
                    code,
                    target,
                    accumulator(0),
                    accumulator(0),
                    None,
                )])])
            }
            _ => Err(self.wrong_count("a destination at most")),
        }
    }

    fn load(&self, kind: Option<LoadImmediateKind>) -> Result<Vec<What>, Fault> {
        let (targets, source) = match self.operands.as_slice() {
            [targets @ .., source] if matches!(targets.len(), 1 | 2) => (targets, source),
            _ => return Err(self.wrong_count("one or two destinations and a constant")),
        };
        let (own, word) = match source.value {
            Value::Elements(elements) => elements
                .immediate()
                .ok_or_else(|| self.wrong_count("elements"))?,
            value => (
                LoadImmediateKind::Word,
                value
                    .word()
                    .map_err(|message| Fault::new("source", source.span, message))?,
            ),
        };
        let targets: Result<Vec<Target>, Fault> =
            targets.iter().map(|target| self.target(target)).collect();
        let word = match (kind, source.value) {
            (Some(kind), Value::Elements(elements)) => {
                crate::isa::LoadImmediate::pack_elements(kind, elements.0.map(i32::from))
                    .ok_or_else(|| {
                        Fault::new(
                            "elements",
                            source.span,
                            format!("{} cannot hold all of these elements", self.name),
                        )
                        .help("ldis holds -2 to 1, ldiu 0 to 3")
                    })?
            }
            _ => word,
        };
        Ok(vec![What::Load(load(kind.unwrap_or(own), word, &targets?))])
    }

    fn semaphore(&self, acquire: bool) -> Result<Vec<What>, Fault> {
        let (targets, number) = match self.operands.as_slice() {
            [targets @ .., number] if targets.len() <= 2 => (targets, number),
            _ => return Err(self.wrong_count("a destination and a number")),
        };
        let word = number
            .value
            .word()
            .map_err(|message| Fault::new("source", number.span, message))?;
        let targets: Result<Vec<Target>, Fault> =
            targets.iter().map(|target| self.target(target)).collect();
        let word = word & !0x10 | u32::from(acquire) << 4;
        Ok(vec![What::Semaphore(SemaphorePiece(load(
            LoadImmediateKind::Word,
            word,
            &targets?,
        )))])
    }

    fn branch(&self, relative: bool) -> Result<Vec<What>, Fault> {
        let (links, targets) = match self.operands.as_slice() {
            [link, target] => (vec![link], vec![target]),
            [link, one, two] => (vec![link], vec![one, two]),
            [one, two, targets @ ..] if targets.len() == 2 => {
                (vec![one, two], targets.iter().collect())
            }
            _ => return Err(self.wrong_count("a link register (or `-`) and one or two targets")),
        };
        let links: Result<Vec<Target>, Fault> =
            links.into_iter().map(|link| self.target(link)).collect();
        let mut piece = BranchPiece {
            relative,
            cond: self.modifiers.branch.unwrap_or(BranchCond::Always),
            setf: self.modifiers.setf,
            links: links?.iter().map(|link| link.dst).collect(),
            register: None,
            offset: 0,
            label: None,
        };
        if let Some(cond) = self.modifiers.cond {
            let message = format!(
                ".{} is a condition of each lane; a branch has one of all lanes",
                cond.name()
            );
            return Err(Fault::new("suffix", self.span, message)
                .help("use .allz .allnz .anyz .anynz, or the same with n and c"));
        }
        for target in targets {
            match target.value {
                Value::Register(register) if register.is_nothing() => (),
                Value::Register(Register {
                    place: Place::File(File::A, number @ 0..=31),
                    ..
                }) => {
                    if piece.register.replace(number).is_some() {
                        return Err(Fault::new(
                            "branch",
                            target.span,
                            "a branch adds one register at most",
                        ));
                    }
                }
                Value::Register(register) => {
                    let message = format!("{} cannot be a branch target", register.name());
                    return Err(Fault::new("branch", target.span, message).help(
                        "only ra0..ra31 can; copy the address there two instructions before",
                    ));
                }
                Value::Label(address) => {
                    if piece.label.replace(address).is_some() {
                        return Err(Fault::new(
                            "branch",
                            target.span,
                            "a branch goes to one label",
                        ));
                    }
                }
                value => {
                    let word = value
                        .word()
                        .map_err(|message| Fault::new("branch", target.span, message))?;
                    piece.offset = piece.offset.wrapping_add(word);
                }
            }
        }
        Ok(vec![What::Branch(piece)])
    }
}

fn load(kind: LoadImmediateKind, immediate: u32, targets: &[Target]) -> LoadPiece {
    LoadPiece {
        kind,
        immediate,
        outputs: targets
            .iter()
            .map(|target| (target.dst, target.cond))
            .collect(),
        setf: targets.iter().any(|target| target.setf),
    }
}

fn accumulator(number: u8) -> Src {
    Src {
        from: Origin::Accumulator(number),
        unpack: Unpack::None,
    }
}

fn port(name: &'static str) -> Result<Src, Fault> {
    match Register::new(Place::Io(name)).read() {
        Some((file, raddr)) => Ok(Src::at(raddr, file)),
        None => Err(Fault::new(
            "source",
            (0, 1),
            format!("{name} cannot be read"),
        )),
    }
}

fn takes_floats(code: OpCode) -> bool {
    match code {
        OpCode::Add(op) => op.takes_floats(),
        OpCode::Mul(op) => op.is_float(),
        OpCode::Either(..) => false,
    }
}

fn can_unpack(register: Register) -> bool {
    matches!(
        register.place,
        Place::File(File::A, _) | Place::Accumulator(4)
    )
}

fn unpack_mode(packing: Packing) -> Option<Unpack> {
    Some(match packing.part {
        Part::Word => Unpack::None,
        Part::Half(0) => Unpack::U16a,
        Part::Half(_) => Unpack::U16b,
        Part::Byte(0) => Unpack::U8a,
        Part::Byte(1) => Unpack::U8b,
        Part::Byte(2) => Unpack::U8c,
        Part::Byte(_) => Unpack::U8d,
        Part::Replicated => Unpack::U8dr,
        Part::Bytes => return None,
    })
}

/// How a result is packed: on its way into file A, or as the mul ALU's float result.
fn pack_mode(packing: Packing, register: Register) -> Option<(Pack, MulPack)> {
    let in_a = matches!(register.place, Place::File(File::A, 0..=31));
    let s = u8::from(packing.saturate) * 8;
    let code = match packing.part {
        Part::Word if packing.saturate => 8,
        Part::Word => return Some((Pack::None, MulPack::None)),
        Part::Half(half) => 1 + half + s,
        Part::Bytes => 3 + s,
        Part::Byte(byte) => 4 + byte + s,
        Part::Replicated => return None,
    };
    let bytes = matches!(packing.part, Part::Bytes | Part::Byte(_));
    if in_a && !(bytes && packing.float == Some(true)) {
        return Pack::from_bits(code).map(|pack| (pack, MulPack::None));
    }
    // The mul ALU's conversion to colour always saturates.
    (bytes && packing.float != Some(false))
        .then(|| MulPack::from_bits(code & 7).map(|pack| (Pack::None, pack)))?
}
