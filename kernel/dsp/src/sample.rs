//! Uploaded samples to floating point: full scale becomes 1.0.

/// A sample, and whether it was at or beyond full scale.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    /// Its value.
    pub value: f32,
    /// Clipped, or not a number at all.
    pub clipped: bool,
}

/// Offset binary, as RTL-SDR receivers have it: (x - 127.5) / 127.5.
#[must_use]
pub fn from_u8(raw: u8) -> Sample {
    Sample {
        value: (f32::from(raw) - 127.5) / 127.5,
        clipped: raw == u8::MIN || raw == u8::MAX,
    }
}

/// Two's complement: x / 32768.
#[must_use]
pub fn from_i16(raw: i16) -> Sample {
    Sample {
        value: f32::from(raw) / 32768.0,
        clipped: raw == i16::MIN || raw == i16::MAX,
    }
}

/// Two's complement: x / 2^31. Rounded to the 24 significant bits of f32. Clipped within 2^-23 of
/// full scale, which is the last step of a converter of 24 bits.
#[must_use]
pub fn from_i32(raw: i32) -> Sample {
    Sample {
        value: raw as f32 / 2_147_483_648.0,
        clipped: raw >> 8 == i32::MIN >> 8 || raw >> 8 == i32::MAX >> 8,
    }
}

/// Two's complement: x / 128.
#[must_use]
pub fn from_i8(raw: i8) -> Sample {
    Sample {
        value: f32::from(raw) / 128.0,
        clipped: raw == i8::MIN || raw == i8::MAX,
    }
}

/// The number itself. What is not finite becomes 0, so that one bad sample does not spoil an
/// average.
#[must_use]
pub fn from_f32(raw: f32) -> Sample {
    Sample {
        value: if raw.is_finite() { raw } else { 0.0 },
        clipped: !(-1.0..=1.0).contains(&raw),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_scale_is_one_and_says_so() {
        assert_eq!(
            from_u8(255),
            Sample {
                value: 1.0,
                clipped: true
            }
        );
        assert_eq!(
            from_u8(0),
            Sample {
                value: -1.0,
                clipped: true
            }
        );
        assert_eq!(from_u8(127).value, -from_u8(128).value);
        assert_eq!(
            from_i16(i16::MIN),
            Sample {
                value: -1.0,
                clipped: true
            }
        );
        assert_eq!(
            from_i16(16384),
            Sample {
                value: 0.5,
                clipped: false
            }
        );
        for (raw, value, clipped) in [
            (i32::MIN, -1.0, true),
            (i32::MIN + 0x100, -1.0 + 1.0 / 8_388_608.0, false),
            (0x7fff_ff00, 1.0 - 1.0 / 8_388_608.0, true),
            (0x4000_0000, 0.5, false),
            (0x7fff_feff, 1.0 - 1.0 / 8_388_608.0, false),
        ] {
            assert_eq!(from_i32(raw), Sample { value, clipped }, "{raw:#x}");
        }
        assert_eq!(
            from_f32(-1.0),
            Sample {
                value: -1.0,
                clipped: false
            }
        );
        assert_eq!(
            from_f32(f32::NAN),
            Sample {
                value: 0.0,
                clipped: true
            }
        );
        assert_eq!(
            from_f32(f32::INFINITY),
            Sample {
                value: 0.0,
                clipped: true
            }
        );
    }
}
