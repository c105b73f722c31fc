//! One operation of one ALU, before it is given a place in an instruction.

use super::operand::{Dst, Src};
use crate::isa::{AddOp, Cond, MulOp, MulPack, Rotation, Slot};

/// The computation, and the ALUs that can do it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OpCode {
    /// By the add ALU.
    Add(AddOp),
    /// By the mul ALU.
    Mul(MulOp),
    /// By either: the same function of the same operands.
    Either(AddOp, MulOp),
}

impl OpCode {
    /// A copy of operand a, which must also be operand b.
    pub const MOV: Self = Self::Either(AddOp::Or, MulOp::V8min);
    /// Per byte: unsigned a + b, saturating.
    pub const V8ADDS: Self = Self::Either(AddOp::V8adds, MulOp::V8adds);
    /// Per byte: unsigned a - b, saturating.
    pub const V8SUBS: Self = Self::Either(AddOp::V8subs, MulOp::V8subs);

    /// The computation bound to one ALU; `None` where that cannot do it.
    #[must_use]
    pub const fn on(self, slot: Slot) -> Option<Self> {
        match (slot, self) {
            (Slot::Add, Self::Add(op) | Self::Either(op, _)) => Some(Self::Add(op)),
            (Slot::Mul, Self::Mul(op) | Self::Either(_, op)) => Some(Self::Mul(op)),
            _ => None,
        }
    }

    /// True if operands are floats.
    #[must_use]
    pub const fn takes_floats(self) -> bool {
        match self {
            Self::Add(op) => op.takes_floats(),
            Self::Mul(op) => op.is_float(),
            Self::Either(..) => false,
        }
    }

    /// True if the result is a float.
    #[must_use]
    pub const fn gives_float(self) -> bool {
        match self {
            Self::Add(op) => op.gives_float(),
            Self::Mul(op) => op.is_float(),
            Self::Either(..) => false,
        }
    }
}

/// An operation with its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Op {
    /// The computation.
    pub code: OpCode,
    /// The destination of the result.
    pub dst: Dst,
    /// First operand.
    pub a: Src,
    /// Second operand; the same as the first where the operation has one.
    pub b: Src,
    /// The lanes that are written.
    pub cond: Cond,
    /// True if the result sets the flags.
    pub setf: bool,
    /// The distance that the result moves over the lanes (mul ALU only).
    pub rotate: Option<Rotation>,
    /// The conversion of the result to 8-bit colour (mul ALU only).
    pub pack_mul: MulPack,
}

impl Op {
    /// An unconditional operation that leaves the flags alone.
    #[must_use]
    pub fn new(code: OpCode, dst: impl Into<Dst>, a: impl Into<Src>, b: impl Into<Src>) -> Self {
        Self {
            code,
            dst: dst.into(),
            a: a.into(),
            b: b.into(),
            cond: Cond::Always,
            setf: false,
            rotate: None,
            pack_mul: MulPack::None,
        }
    }

    /// A copy.
    #[must_use]
    pub fn mov(dst: impl Into<Dst>, a: impl Into<Src>) -> Self {
        let a = a.into();
        Self::new(OpCode::MOV, dst, a, a)
    }

    /// The operation on the add ALU, if it can be there.
    pub(crate) fn on_add(&self) -> Option<AddOp> {
        match self.code {
            _ if self.rotate.is_some() || self.pack_mul != MulPack::None => None,
            OpCode::Add(op) | OpCode::Either(op, _) => Some(op),
            OpCode::Mul(_) => None,
        }
    }

    /// True if it goes to the mul ALU where either could do it, as in vc4asm: the saturating byte
    /// operations, which most programs put beside an add.
    pub(crate) fn prefers_mul(&self) -> bool {
        matches!(self.code, OpCode::Either(AddOp::V8adds | AddOp::V8subs, _))
    }

    /// The operation on the mul ALU, if it can be there.
    pub(crate) fn on_mul(&self) -> Option<MulOp> {
        match self.code {
            OpCode::Mul(op) | OpCode::Either(_, op) => Some(op),
            OpCode::Add(_) => None,
        }
    }
}
