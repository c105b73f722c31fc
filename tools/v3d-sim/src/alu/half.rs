//! 16-bit floats, as pack and unpack convert them.
//!
//! Source: VC4C's tables. Recorded on hardware except: rounding of general mantissas (nearest-even
//! is one of three that fit the records) and results below 2^-14 (taken as +0).

/// A 16-bit float as 32-bit float.
///
/// Exponent 31 becomes exponent 255. Denormals are not normalised: they give a 32-bit denormal,
/// which arithmetic flushes (what the chip's fmin and fmax make of it is open).
#[must_use]
pub const fn to_float(half: u16) -> u32 {
    let sign = (half as u32 & 0x8000) << 16;
    let exponent = half as u32 >> 10 & 31;
    let fraction = (half as u32 & 0x3ff) << 13;
    let exponent = match exponent {
        0 => 0,
        31 => 255,
        _ => exponent + 112,
    };
    sign | exponent << 23 | fraction
}

/// A 32-bit float as 16-bit float, to nearest, ties to even.
#[must_use]
pub const fn from_float(float: u32) -> u16 {
    let sign = (float >> 16) as u16 & 0x8000;
    let magnitude = float & 0x7fff_ffff;
    // Half of the last place that stays, less one when that place is even.
    let rounded = (magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13;
    match rounded {
        // Below 2^-14: +0, the sign dropped (recorded for 0x90000000).
        ..0x1_c400 => 0,
        // 2^16 and more, infinities, and patterns that would be NaN.
        0x2_3c00.. => sign | 0x7c00,
        _ => sign | (rounded - 0x1_c000) as u16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_conversions() {
        for (float, half) in [
            (0x3f7f_ffff, 0x3c00),
            (0x46ff_fe00, 0x7800),
            (0x3fff_ffff, 0x4000),
            (0x9000_0000, 0),
            (0x7fff_ffff, 0x7c00),
            (0xff80_0000, 0xfc00),
            (0x7f80_0000, 0x7c00),
        ] {
            assert_eq!(from_float(float), half, "{float:08x}");
        }
        assert_eq!(to_float(0x7fff), 0x7fff_e000);
        assert_eq!(to_float(0x0001), 0x0000_2000);
        assert_eq!(to_float(0x9000), 0xba00_0000);
    }

    #[test]
    fn every_normal_half_survives() {
        for half in 0..=u16::MAX {
            let exponent = half >> 10 & 31;
            if exponent != 0 && exponent != 31 {
                assert_eq!(from_float(to_float(half)), half);
            }
        }
    }

    #[test]
    fn ties_go_to_even() {
        assert_eq!(from_float(0x3f80_1000), 0x3c00);
        assert_eq!(from_float(0x3f80_1001), 0x3c01);
        assert_eq!(from_float(0x3f80_3000), 0x3c02);
        assert_eq!(from_float(0x477f_efff), 0x7bff);
        assert_eq!(from_float(0x477f_f000), 0x7c00);
    }
}
