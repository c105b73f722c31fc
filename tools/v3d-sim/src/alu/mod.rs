//! The two ALUs: what one lane computes, and its flags.
//!
//! What [`add`] and [`mul`] give works on all sixteen lanes at once; conditions, write-back and
//! pack follow elsewhere. Values and flags are held to tables recorded on real chips.

pub mod float;
pub mod float_lanes;
pub mod half;
pub mod integer;
pub mod pack;
pub mod unpack;
pub mod vector8;
#[cfg(target_arch = "x86_64")]
mod wide;

#[cfg(test)]
mod hardware_tests;

use float_lanes::{Floats, Portable};
use qpu::isa::{AddOp, MulOp};

/// Lanes of a vector.
pub const LANES: usize = 16;

/// A 16-lane vector, element 0 first.
pub type Lanes = [u32; LANES];

/// A set of lanes, bit n for element n.
pub type LaneMask = u16;

/// The result of an ALU, before packing.
pub type Operation = fn(&Lanes, &Lanes) -> Lanes;

/// The result of `op` in each lane.
#[inline(always)]
pub fn map(a: &Lanes, b: &Lanes, op: impl Fn(u32, u32) -> u32) -> Lanes {
    let mut result = [0; LANES];
    for lane in 0..LANES {
        result[lane] = op(a[lane], b[lane]);
    }
    result
}

/// The lanes for which `flag` holds.
#[inline(always)]
pub fn mask(flag: impl Fn(usize) -> bool) -> LaneMask {
    // Four of them at once: vectors of what the compiler has vectors for.
    let mut quads = [0_u32; 4];
    for lane in 0..LANES {
        quads[lane % 4] |= if flag(lane) { 1 << lane } else { 0 };
    }
    quads
        .into_iter()
        .fold(0, |mask, quad| mask | quad as LaneMask)
}

/// The operation of the add ALU.
#[must_use]
pub fn add(op: AddOp) -> Operation {
    match op {
        AddOp::Nop => |a, _| *a,
        AddOp::Fadd => |a, b| Portable.add(a, b),
        AddOp::Fsub => |a, b| Portable.sub(a, b),
        AddOp::Fmin => |a, b| map(a, b, float::min),
        AddOp::Fmax => |a, b| map(a, b, float::max),
        AddOp::Fminabs => |a, b| map(a, b, |a, b| float::min(float::abs(a), float::abs(b))),
        AddOp::Fmaxabs => |a, b| map(a, b, |a, b| float::max(float::abs(a), float::abs(b))),
        AddOp::Ftoi => |a, b| map(a, b, |a, _| float::to_int(a)),
        AddOp::Itof => |a, b| map(a, b, |a, _| float::from_int(a)),
        AddOp::Add => |a, b| map(a, b, u32::wrapping_add),
        AddOp::Sub => |a, b| map(a, b, u32::wrapping_sub),
        AddOp::Shr => |a, b| shift(a, b, |a, b| a >> b),
        AddOp::Asr => |a, b| shift(a, b, integer::asr),
        AddOp::Ror => |a, b| shift(a, b, u32::rotate_right),
        AddOp::Shl => |a, b| shift(a, b, |a, b| a << b),
        AddOp::Min => |a, b| map(a, b, |a, b| (a as i32).min(b as i32) as u32),
        AddOp::Max => |a, b| map(a, b, |a, b| (a as i32).max(b as i32) as u32),
        AddOp::And => |a, b| map(a, b, |a, b| a & b),
        AddOp::Or => |a, b| map(a, b, |a, b| a | b),
        AddOp::Xor => |a, b| map(a, b, |a, b| a ^ b),
        AddOp::Not => |a, b| map(a, b, |a, _| !a),
        AddOp::Clz => |a, b| map(a, b, |a, _| a.leading_zeros()),
        AddOp::V8adds => vector8::adds,
        AddOp::V8subs => vector8::subs,
    }
}

/// A shift by `b & 31`; most counts are the same in all lanes, which is faster.
#[inline(always)]
fn shift(a: &Lanes, b: &Lanes, op: impl Fn(u32, u32) -> u32) -> Lanes {
    let count = b[0] & 31;
    if b.iter().fold(0, |other, b| other | (b ^ count) & 31) == 0 {
        map(a, b, |a, _| op(a, count))
    } else {
        map(a, b, |a, b| op(a, b & 31))
    }
}

/// The C flags of an add-ALU operation on `a` and `b` that gave `result`.
#[must_use]
pub fn add_carry(op: AddOp, a: &Lanes, b: &Lanes, result: &Lanes) -> LaneMask {
    match op {
        AddOp::Fadd | AddOp::Fsub | AddOp::Itof => mask(|lane| float::is_positive(result[lane])),
        AddOp::Fmin | AddOp::Fmax => mask(|lane| float::greater(a[lane], b[lane])),
        AddOp::Fminabs | AddOp::Fmaxabs => {
            mask(|lane| float::greater(float::abs(a[lane]), float::abs(b[lane])))
        }
        AddOp::Add => mask(|lane| a[lane].checked_add(b[lane]).is_none()),
        AddOp::Sub => mask(|lane| a[lane] < b[lane]),
        AddOp::Shr | AddOp::Asr => mask(|lane| integer::last_bit_right(a[lane], b[lane])),
        AddOp::Shl => mask(|lane| integer::last_bit_left(a[lane], b[lane])),
        AddOp::Min | AddOp::Max => mask(|lane| (a[lane] as i32) > (b[lane] as i32)),
        _ => 0,
    }
}

/// The operation of the mul ALU, before a rotation.
#[must_use]
pub fn mul(op: MulOp) -> Operation {
    match op {
        MulOp::Nop => |a, _| *a,
        MulOp::Fmul => |a, b| Portable.mul(a, b),
        MulOp::Mul24 => |a, b| map(a, b, integer::mul24),
        MulOp::V8muld => vector8::muld,
        MulOp::V8min => vector8::min,
        MulOp::V8max => vector8::max,
        MulOp::V8adds => vector8::adds,
        MulOp::V8subs => vector8::subs,
    }
}

/// The float product of [`crate::Defect::WrongQpu`]: in lanes 1, 5, 9 and 13 bit 20 is wrong of one
/// product in 16.
#[must_use]
pub fn wrong_product(a: &Lanes, b: &Lanes) -> Lanes {
    let mut product = Portable.mul(a, b);
    for word in product.iter_mut().skip(1).step_by(4) {
        let is_ordinary = (1..255).contains(&(*word >> 23 & 255));
        // A multiplication spreads bits well enough (Knuth, "The Art of Computer Programming",
        // 6.4).
        if is_ordinary && word.wrapping_mul(0x9e37_79b1) >> 28 == 0 {
            *word ^= 1 << 20;
        }
    }
    product
}

/// A move: what programs mean by `v8min x, x` and `or x, x`.
#[must_use]
pub fn copy(a: &Lanes, _: &Lanes) -> Lanes {
    *a
}

/// The C flags of a mul-ALU operation: clear but for mul24.
#[must_use]
pub fn mul_carry(op: MulOp, a: &Lanes, b: &Lanes) -> LaneMask {
    match op {
        MulOp::Mul24 => mask(|lane| integer::mul24_carry(a[lane], b[lane])),
        _ => 0,
    }
}
