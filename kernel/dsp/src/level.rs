//! Levels: linear power to decibels, and the compact codes of decibels on the wire.
//!
//! Linear power (f32) and levels in dB (f64) are kept apart by name; averages are made of power
//! only. log10 is libm's, so that a board and a host code the same power to the same step.

/// Decibels of one step of a u16 level.
pub const U16_SCALE_DB: f32 = 0.01;
/// Decibels of u16 level 0; power 0 is coded so too.
pub const U16_OFFSET_DB: f32 = -400.0;
/// Decibels of one step of a u8 level.
pub const U8_SCALE_DB: f32 = 0.5;
/// Decibels of u8 level 0.
pub const U8_OFFSET_DB: f32 = -120.0;

/// A coded level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Coded<T> {
    /// Steps above the offset.
    pub steps: T,
    /// The level lay outside of the range and was moved to its end.
    pub clamped: bool,
}

/// Level of a power in decibels; negative infinity for 0.
#[must_use]
pub fn decibels(power: f32) -> f64 {
    10.0 * libm::log10(f64::from(power))
}

/// Nearest step of `steps_per_decade * log10(power) + zero`, kept within 0..=`top`.
fn code(power: f32, steps_per_decade: f64, zero: f64, top: u16) -> Coded<u16> {
    let steps = steps_per_decade * libm::log10(f64::from(power)) + zero + 0.5;
    let (steps, clamped) = if steps.is_nan() || steps < 0.0 {
        // Power 0 is below every range, NaN of no level at all.
        (0, true)
    } else if steps >= f64::from(top) + 1.0 {
        (top, true)
    } else {
        (steps as u16, false)
    };
    Coded { steps, clamped }
}

/// Codes a power as u16 in steps of 0.01 dB above -400 dB. 65535 does not occur.
#[must_use]
pub fn centi_db(power: f32) -> Coded<u16> {
    code(power, 1000.0, 40_000.0, u16::MAX - 1)
}

/// Codes a power as u8 in steps of 0.5 dB above -120 dB, up to +7 dB. 255 does not occur.
#[must_use]
pub fn half_db(power: f32) -> Coded<u8> {
    let coded = code(power, 20.0, 240.0, u16::from(u8::MAX) - 1);
    Coded {
        steps: coded.steps as u8,
        clamped: coded.clamped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_nearest() {
        let at = |steps, clamped| Coded { steps, clamped };
        assert_eq!(centi_db(1.0), at(40_000, false));
        assert_eq!(centi_db(0.5), at(39_699, false));
        assert_eq!(centi_db(1e-10), at(30_000, false));
        assert_eq!(half_db(1.0), at(240, false).map());
        assert_eq!(half_db(0.5), at(234, false).map());
        assert_eq!(half_db(1e-12), at(0, false).map());
    }

    impl Coded<u16> {
        fn map(self) -> Coded<u8> {
            Coded {
                steps: self.steps as u8,
                clamped: self.clamped,
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_clamped_and_said_so() {
        for power in [0.0, -1.0, f32::NAN] {
            assert_eq!(
                centi_db(power),
                Coded {
                    steps: 0,
                    clamped: true
                }
            );
            assert_eq!(
                half_db(power),
                Coded {
                    steps: 0,
                    clamped: true
                }
            );
        }
        assert_eq!(
            half_db(10.0),
            Coded {
                steps: 254,
                clamped: true
            }
        );
        assert_eq!(
            centi_db(1e30),
            Coded {
                steps: 65_534,
                clamped: true
            }
        );
        assert!(centi_db(f32::INFINITY).clamped);
    }

    #[test]
    fn coding_is_within_half_a_step_everywhere() {
        let mut power = 1e-11f32;
        while power < 3.0 {
            let level = decibels(power);
            let u16_level = f64::from(centi_db(power).steps) * 0.01 - 400.0;
            let u8_level = f64::from(half_db(power).steps) * 0.5 - 120.0;
            assert!((u16_level - level).abs() <= 0.005 + 1e-9);
            assert!((u8_level - level).abs() <= 0.25 + 1e-9);
            power *= 1.013;
        }
    }
}
