//! The operations of the two ALUs.
//!
//! Source: Architecture Reference Guide, "Op add" and "Op mul" tables; names as vc4asm writes them.

use super::bits::field_values;

field_values! {
    /// Operation of the add ALU. Values 9..11 and 25..29 are reserved.
    AddOp {
        /// No operation: writes nothing, whatever address and condition are given.
        Nop = 0, "nop";
        /// Float a + b, rounded toward zero.
        Fadd = 1, "fadd";
        /// Float a - b.
        Fsub = 2, "fsub";
        /// Float minimum.
        Fmin = 3, "fmin";
        /// Float maximum.
        Fmax = 4, "fmax";
        /// Float minimum of absolute values.
        Fminabs = 5, "fminabs";
        /// Float maximum of absolute values.
        Fmaxabs = 6, "fmaxabs";
        /// Float a to signed integer, truncated.
        Ftoi = 7, "ftoi";
        /// Signed integer a to float.
        Itof = 8, "itof";
        /// a + b, modulo 2^32.
        Add = 12, "add";
        /// a - b, modulo 2^32.
        Sub = 13, "sub";
        /// a shifted right by b & 31, zeros in.
        Shr = 14, "shr";
        /// a shifted right by b & 31, sign in.
        Asr = 15, "asr";
        /// a rotated right by b & 31 (bits of a lane, not lanes).
        Ror = 16, "ror";
        /// a shifted left by b & 31.
        Shl = 17, "shl";
        /// Signed minimum.
        Min = 18, "min";
        /// Signed maximum.
        Max = 19, "max";
        /// Bitwise and.
        And = 20, "and";
        /// Bitwise or.
        Or = 21, "or";
        /// Bitwise exclusive or.
        Xor = 22, "xor";
        /// Bitwise not of a.
        Not = 23, "not";
        /// Leading zeros of a; 32 for 0.
        Clz = 24, "clz";
        /// Per byte: unsigned a + b, saturating.
        V8adds = 30, "v8adds";
        /// Per byte: unsigned a - b, saturating.
        V8subs = 31, "v8subs";
    }
}

field_values! {
    /// Operation of the mul ALU.
    MulOp {
        /// No operation.
        Nop = 0, "nop";
        /// Float a * b, rounded toward zero.
        Fmul = 1, "fmul";
        /// Low 32 bits of the product of the low 24 bits, unsigned.
        Mul24 = 2, "mul24";
        /// Per byte: a * b / 255.
        V8muld = 3, "v8muld";
        /// Per byte: unsigned minimum. With a = b it is the mul ALU's move.
        V8min = 4, "v8min";
        /// Per byte: unsigned maximum.
        V8max = 5, "v8max";
        /// Per byte: unsigned a + b, saturating.
        V8adds = 6, "v8adds";
        /// Per byte: unsigned a - b, saturating.
        V8subs = 7, "v8subs";
    }
}

impl AddOp {
    const fn is_of_floats(self) -> bool {
        use AddOp::{Fadd, Fmax, Fmaxabs, Fmin, Fminabs, Fsub};
        matches!(self, Fadd | Fsub | Fmin | Fmax | Fminabs | Fmaxabs)
    }

    /// True if operands are floats, which is what decides how an unpacked operand is widened.
    #[must_use]
    pub const fn takes_floats(self) -> bool {
        self.is_of_floats() || matches!(self, Self::Ftoi)
    }

    /// True if the result is a float, which is what decides how it is packed.
    #[must_use]
    pub const fn gives_float(self) -> bool {
        self.is_of_floats() || matches!(self, Self::Itof)
    }

    /// The number of operands that count: 0, 1 (then it is a) or 2.
    #[must_use]
    pub const fn operands(self) -> u8 {
        match self {
            Self::Nop => 0,
            Self::Ftoi | Self::Itof | Self::Not | Self::Clz => 1,
            _ => 2,
        }
    }
}

impl MulOp {
    /// True if operands and result are floats.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Self::Fmul)
    }

    /// The number of operands that count: 0 or 2.
    #[must_use]
    pub const fn operands(self) -> u8 {
        match self {
            Self::Nop => 0,
            _ => 2,
        }
    }
}
