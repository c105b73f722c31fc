//! Unpack: how an operand from file A (pm = 0) or r4 (pm = 1) is widened.
//!
//! Source: guide, "Pack and unpack"; values recorded on hardware by VC4C. Whether bits become a
//! float is decided once for the instruction; see [`Unpacked`].

use super::{Lanes, float, half};
use qpu::isa::Unpack;

/// The format that the consumers of an unpacked operand want.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unpacked {
    /// Sign- or zero-extended integers.
    Integer,
    /// Floats; r4 always.
    Float,
}

/// One lane, widened.
#[must_use]
pub fn lane(mode: Unpack, to: Unpacked, x: u32) -> u32 {
    let byte = |n: u32| match to {
        Unpacked::Float => float::from_byte((x >> (8 * n)) as u8),
        Unpacked::Integer => x >> (8 * n) & 0xff,
    };
    let halfword = |n: u32| match to {
        Unpacked::Float => half::to_float((x >> (16 * n)) as u16),
        Unpacked::Integer => (x >> (16 * n)) as u16 as i16 as u32,
    };
    match mode {
        Unpack::None => x,
        Unpack::U16a => halfword(0),
        Unpack::U16b => halfword(1),
        Unpack::U8dr => (x >> 24) * 0x0101_0101,
        Unpack::U8a => byte(0),
        Unpack::U8b => byte(1),
        Unpack::U8c => byte(2),
        Unpack::U8d => byte(3),
    }
}

/// All lanes, widened.
pub fn lanes(mode: Unpack, to: Unpacked, value: &mut Lanes) {
    if mode != Unpack::None {
        for x in value {
            *x = lane(mode, to, *x);
        }
    }
}
