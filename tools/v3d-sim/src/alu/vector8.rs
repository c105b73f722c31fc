//! Operations on the four unsigned bytes of each lane.
//!
//! The sixty-four bytes of a vector are one array, so that the compiler can use vector
//! instructions. Source: VC4C's tables recorded on hardware.

use super::{LANES, Lanes};

const BYTES: usize = 4 * LANES;

fn bytes(lanes: &Lanes) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    for (bytes, lane) in bytes.chunks_exact_mut(4).zip(lanes) {
        bytes.copy_from_slice(&lane.to_le_bytes());
    }
    bytes
}

#[inline(always)]
fn map(a: &Lanes, b: &Lanes, op: impl Fn(u8, u8) -> u8) -> Lanes {
    let (a, b) = (bytes(a), bytes(b));
    let mut bytes = [0; BYTES];
    for (byte, (a, b)) in bytes.iter_mut().zip(a.iter().zip(&b)) {
        *byte = op(*a, *b);
    }
    let mut result = [0; LANES];
    for (lane, bytes) in result.iter_mut().zip(bytes.as_chunks().0) {
        *lane = u32::from_le_bytes(*bytes);
    }
    result
}

/// Sum, at most 255.
pub fn adds(a: &Lanes, b: &Lanes) -> Lanes {
    map(a, b, u8::saturating_add)
}

/// Difference, at least 0.
pub fn subs(a: &Lanes, b: &Lanes) -> Lanes {
    map(a, b, u8::saturating_sub)
}

/// Minimum.
pub fn min(a: &Lanes, b: &Lanes) -> Lanes {
    map(a, b, u8::min)
}

/// Maximum.
pub fn max(a: &Lanes, b: &Lanes) -> Lanes {
    map(a, b, u8::max)
}

/// Product with 255 as one: floor((x*y + 127) / 255).
pub fn muld(a: &Lanes, b: &Lanes) -> Lanes {
    map(a, b, |x, y| {
        // n / 255 for n below 65,536, without a division.
        let n = u32::from(x) * u32::from(y) + 127;
        ((n * 0x8081) >> 23) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_divided_by_255() {
        for x in 0..=255u32 {
            for y in 0..=255 {
                let result = muld(&[x; LANES], &[y; LANES]);
                assert_eq!(result[0], (x * y + 127) / 255, "{x} * {y}");
            }
        }
    }
}
