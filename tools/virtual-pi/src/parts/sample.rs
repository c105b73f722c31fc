//! Samples of 24 bits in the upper bits of an `i32`.

/// A number of -1 .. 1 in 24 bits; what is beyond is clipped.
pub fn quantise(value: f64) -> i32 {
    let full = f64::from(1 << 23);
    ((value * full).round().clamp(-full, full - 1.0) as i32) << 8
}
