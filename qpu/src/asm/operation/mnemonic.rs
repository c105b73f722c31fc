//! Names of operations, and advice for a name that is none.

use std::rc::Rc;

use super::super::assembler::Assembler;
use super::super::diagnostic::Fault;
use crate::fit::OpCode;
use crate::isa::{LoadImmediateKind, Slot};
use crate::names;

/// An operation by its name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mnemonic {
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

pub(super) fn mnemonic(name: &str) -> Option<Mnemonic> {
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
            let slot = match name.get(..1)? {
                "a" => Slot::Add,
                "m" => Slot::Mul,
                _ => return None,
            };
            let (code, operands) = code(name.get(1..)?)?;
            Alu(code.on(slot)?, operands)
        }
    })
}

impl Assembler<'_> {
    /// The fault of a name at the head of an operation that is none.
    pub(super) fn unknown_operation(&self, name: &str, span: (u32, u32)) -> Fault {
        let mut known: Vec<Rc<str>> = self.macros.keys().cloned().collect();
        known.extend(names::mnemonics().map(Rc::from));
        let near = names::nearest(name, known.iter().map(|name| &**name));
        let message = format!("`{name}` is no instruction, signal or macro");
        let fault = Fault::new("unknown-instruction", span, message);
        match elsewhere(name) {
            Some(advice) => fault.help(advice),
            None => fault.suggest(
                &near,
                "define it before with `.macro`, or include the file that does",
            ),
        }
    }
}

/// The way to do here what an operation of other machines does, by the names that those have.
fn elsewhere(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "b" | "br" | "jmp" | "jump" | "goto" => {
            "a branch is `brr -, :label`, and three more instructions execute before it takes effect"
        }
        "beq" | "bne" | "bz" | "bnz" | "jz" | "jnz" | "je" | "jne" => {
            "a branch on flags is `brr.allz`, `brr.anyz`, `brr.allnz` or `brr.anynz`, as in `brr.anynz -, :label`"
        }
        "bl" | "call" | "jsr" | "jal" => "a call is `brr ra0, :label`; `bra -, ra0` returns",
        "ret" | "rts" | "return" => "a return is `bra -, ra0`, to where `brr ra0, :label` called",
        "cmp" | "tst" | "test" => "a comparison is `sub.setf -, r0, r1`, or `and.setf` for bits",
        "mul" | "imul" => "mul24 multiplies 24-bit integers, and fmul floats",
        "div" | "fdiv" | "udiv" | "sdiv" => {
            "there is no division: write the divisor to recip, and multiply with r4 three instructions later"
        }
        "sqrt" | "fsqrt" => "write to rsqrt; r4 is one over the root three instructions later",
        "neg" | "fneg" => "subtract from 0, as `sub r0, 0, r0` or `fsub r0, 0, r0`",
        "lsl" | "sll" => "a shift to the left is shl",
        "lsr" | "srl" => "a shift to the right is shr, with the sign asr",
        "li" => "a constant is loaded by `ldi r0, 64`",
        "halt" | "hlt" | "end" | "exit" | "stop" | "pe" => {
            "a program ends with `nop; thrend`, `nop`, `nop`"
        }
        _ => return None,
    })
}
