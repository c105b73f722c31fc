//! Operations on the four unsigned bytes of a lane.
//!
//! Source: VC4C's tables recorded on hardware.

fn bytes(a: u32, b: u32, op: impl Fn(u8, u8) -> u8) -> u32 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    u32::from_le_bytes(std::array::from_fn(|byte| op(a[byte], b[byte])))
}

/// Sum, at most 255.
#[must_use]
pub fn adds(a: u32, b: u32) -> u32 {
    bytes(a, b, u8::saturating_add)
}

/// Difference, at least 0.
#[must_use]
pub fn subs(a: u32, b: u32) -> u32 {
    bytes(a, b, u8::saturating_sub)
}

/// Minimum.
#[must_use]
pub fn min(a: u32, b: u32) -> u32 {
    if a == b { a } else { bytes(a, b, u8::min) }
}

/// Maximum.
#[must_use]
pub fn max(a: u32, b: u32) -> u32 {
    bytes(a, b, u8::max)
}

/// Product with 255 as one: floor((x*y + 127) / 255).
#[must_use]
pub fn muld(a: u32, b: u32) -> u32 {
    bytes(a, b, |x, y| {
        ((u16::from(x) * u16::from(y) + 127) / 255) as u8
    })
}
