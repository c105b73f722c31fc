//! Constants that one operation makes of a small immediate with itself: 64 is `mul24 x, 8, 8`.
//!
//! Assemblers write constants so where an instruction has no room for a load immediate.

use super::{AddOp, MulOp, SmallImmediate};

impl SmallImmediate {
    /// The result of the add ALU for the operand with itself. `None` where that is not exact, or
    /// nothing.
    #[must_use]
    pub fn added(self, op: AddOp) -> Option<u32> {
        let v = self.value();
        Some(match op {
            AddOp::Or | AddOp::And | AddOp::Min | AddOp::Max | AddOp::Fmin | AddOp::Fmax => v,
            AddOp::Sub | AddOp::Xor | AddOp::V8subs => 0,
            AddOp::Add => v.wrapping_add(v),
            AddOp::Shr => v >> (v & 31),
            AddOp::Asr => (v as i32 >> (v & 31)) as u32,
            AddOp::Ror => v.rotate_right(v & 31),
            AddOp::Shl => v << (v & 31),
            AddOp::Not => !v,
            AddOp::Clz => v.leading_zeros(),
            AddOp::V8adds => doubled_bytes(v),
            AddOp::Itof if (v as i32).unsigned_abs() <= 16 => (v as i32 as f32).to_bits(),
            AddOp::Ftoi => float(v)? as i32 as u32,
            AddOp::Fadd => (float(v)? * 2.0).to_bits(),
            AddOp::Nop | AddOp::Itof | AddOp::Fsub | AddOp::Fminabs | AddOp::Fmaxabs => {
                return None;
            }
        })
    }

    /// The result of the mul ALU for the operand with itself, before it is rotated.
    #[must_use]
    pub fn multiplied(self, op: MulOp) -> Option<u32> {
        let v = self.value();
        let low = v & 0xff_ffff;
        Some(match op {
            MulOp::V8min | MulOp::V8max => v,
            MulOp::V8subs => 0,
            MulOp::V8adds => doubled_bytes(v),
            MulOp::Mul24 => low.wrapping_mul(low),
            MulOp::Fmul => (float(v)? * float(v)?).to_bits(),
            MulOp::Nop | MulOp::V8muld => return None,
        })
    }
}

/// The value as a float, if it is one: small immediates are powers of two, whose sums and products
/// are exact.
fn float(word: u32) -> Option<f32> {
    Some(f32::from_bits(word)).filter(|value| value.is_normal())
}

fn doubled_bytes(word: u32) -> u32 {
    let doubled = |byte: u8| byte.saturating_add(byte);
    u32::from_le_bytes(word.to_le_bytes().map(doubled))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The constants that vc4asm writes in its optimised GPU_FFT.
    #[test]
    fn constants_of_published_programs() {
        let of = |value: i32| SmallImmediate::from_int(value).unwrap();
        assert_eq!(of(15).added(AddOp::V8adds), Some(30));
        assert_eq!(of(-7).added(AddOp::Shr), Some(0x7f));
        assert_eq!(of(-12).added(AddOp::Shr), Some(0xfff));
        assert_eq!(of(4).added(AddOp::Shl), Some(64));
        assert_eq!(of(4).multiplied(MulOp::Mul24), Some(16));
        assert_eq!(of(2).multiplied(MulOp::V8min), Some(2));
        assert_eq!(of(0).multiplied(MulOp::V8subs), Some(0));
    }

    #[test]
    fn floats_are_not_made_of_integers() {
        let four = SmallImmediate::from_float(4.0).unwrap();
        assert_eq!(four.multiplied(MulOp::Fmul), Some(16f32.to_bits()));
        assert_eq!(four.added(AddOp::Ftoi), Some(4));
        let two = SmallImmediate::from_int(2).unwrap();
        assert_eq!(two.added(AddOp::Itof), Some(2f32.to_bits()));
        assert_eq!(two.multiplied(MulOp::Fmul), None);
        assert_eq!(four.added(AddOp::Itof), None);
    }
}
