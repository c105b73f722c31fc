//! A method for each operation.
//!
//! On the builder it starts an instruction; on the instruction added last it fills the other ALU.

use super::builder::Builder;
use super::modifiers::LineMut;
use crate::fit::{Dst, Op, OpCode, Src};
use crate::isa::{AddOp, MulOp};

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
