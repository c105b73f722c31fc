//! The two ALUs: what one lane computes, and its flags.
//!
//! [`add`] and [`mul`] work on all sixteen lanes at once; conditions, write-back and pack follow
//! elsewhere. Values and flags are held to tables recorded on real chips.

pub mod float;
mod float_lanes;
pub mod half;
pub mod integer;
pub mod pack;
pub mod unpack;
pub mod vector8;

#[cfg(test)]
mod hardware_tables;

use qpu::isa::{AddOp, MulOp};

/// Lanes of a vector.
pub const LANES: usize = 16;

/// A 16-lane vector, element 0 first.
pub type Lanes = [u32; LANES];

/// A set of lanes, bit n for element n.
pub type LaneMask = u16;

fn map(a: &Lanes, b: &Lanes, op: impl Fn(u32, u32) -> u32) -> Lanes {
    std::array::from_fn(|lane| op(a[lane], b[lane]))
}

/// The lanes for which `flag` holds.
pub fn mask(flag: impl Fn(usize) -> bool) -> LaneMask {
    (0..LANES).fold(0, |mask, lane| mask | LaneMask::from(flag(lane)) << lane)
}

/// What the add ALU computes, before packing.
pub fn add(op: AddOp, a: &Lanes, b: &Lanes, result: &mut Lanes) {
    *result = match op {
        AddOp::Nop => [0; LANES],
        AddOp::Fadd => float_lanes::add(a, b),
        AddOp::Fsub => float_lanes::sub(a, b),
        AddOp::Fmin => map(a, b, float::min),
        AddOp::Fmax => map(a, b, float::max),
        AddOp::Fminabs => map(a, b, float::min_abs),
        AddOp::Fmaxabs => map(a, b, float::max_abs),
        AddOp::Ftoi => map(a, b, |a, _| float::to_int(a)),
        AddOp::Itof => map(a, b, |a, _| float::from_int(a)),
        AddOp::Add => map(a, b, u32::wrapping_add),
        AddOp::Sub => map(a, b, u32::wrapping_sub),
        AddOp::Shr => shift(a, b, |a, b| a >> b),
        AddOp::Asr => shift(a, b, integer::asr),
        AddOp::Ror => shift(a, b, u32::rotate_right),
        AddOp::Shl => shift(a, b, |a, b| a << b),
        AddOp::Min => map(a, b, |a, b| (a as i32).min(b as i32) as u32),
        AddOp::Max => map(a, b, |a, b| (a as i32).max(b as i32) as u32),
        AddOp::And => map(a, b, |a, b| a & b),
        AddOp::Or => map(a, b, |a, b| a | b),
        AddOp::Xor => map(a, b, |a, b| a ^ b),
        AddOp::Not => map(a, b, |a, _| !a),
        AddOp::Clz => map(a, b, |a, _| a.leading_zeros()),
        AddOp::V8adds => vector8::adds(a, b),
        AddOp::V8subs => vector8::subs(a, b),
    };
}

/// A shift by `b & 31`; most counts are the same in all lanes, which is faster.
fn shift(a: &Lanes, b: &Lanes, op: impl Fn(u32, u32) -> u32) -> Lanes {
    let count = b[0] & 31;
    if b.iter().fold(0, |other, b| other | (b ^ count) & 31) == 0 {
        a.map(|a| op(a, count))
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

/// What the mul ALU computes, before packing.
pub fn mul(op: MulOp, a: &Lanes, b: &Lanes, result: &mut Lanes) {
    *result = match op {
        MulOp::Nop => [0; LANES],
        MulOp::Fmul => float_lanes::mul(a, b),
        MulOp::Mul24 => map(a, b, integer::mul24),
        MulOp::V8muld => vector8::muld(a, b),
        // A move, as programs write it.
        MulOp::V8min | MulOp::V8max if std::ptr::eq(a, b) => *a,
        MulOp::V8min => vector8::min(a, b),
        MulOp::V8max => vector8::max(a, b),
        MulOp::V8adds => vector8::adds(a, b),
        MulOp::V8subs => vector8::subs(a, b),
    };
}

/// The C flags of a mul-ALU operation: clear but for mul24.
#[must_use]
pub fn mul_carry(op: MulOp, a: &Lanes, b: &Lanes) -> LaneMask {
    match op {
        MulOp::Mul24 => mask(|lane| integer::mul24_carry(a[lane], b[lane])),
        _ => 0,
    }
}
