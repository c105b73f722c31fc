//! Integer operations of one lane that are more than one Rust operator.
//!
//! Shift counts are taken modulo 32. Source: VC4C's tables recorded on hardware.

/// Shift right with sign.
#[must_use]
pub const fn asr(a: u32, b: u32) -> u32 {
    (a as i32 >> (b & 31)) as u32
}

/// C of a right shift: the last bit shifted out; clear for no shift.
#[must_use]
pub const fn last_bit_right(a: u32, b: u32) -> bool {
    let count = b & 31;
    count != 0 && a >> (count - 1) & 1 != 0
}

/// C of a left shift: the last bit shifted out; clear for no shift.
#[must_use]
pub const fn last_bit_left(a: u32, b: u32) -> bool {
    let count = b & 31;
    count != 0 && a >> (32 - count) & 1 != 0
}

/// Product of the low 24 bits, unsigned.
#[must_use]
pub const fn product24(a: u32, b: u32) -> u64 {
    (a & 0xff_ffff) as u64 * (b & 0xff_ffff) as u64
}

/// Low 32 bits of the product of the low 24 bits, unsigned.
#[must_use]
pub const fn mul24(a: u32, b: u32) -> u32 {
    product24(a, b) as u32
}

/// C of mul24: a product above 32 bits (VC4C; vc4asm says above 24 bits). docs/hardware/qpu.md 11.
#[must_use]
pub const fn mul24_carry(a: u32, b: u32) -> bool {
    product24(a, b) > 0xffff_ffff
}
