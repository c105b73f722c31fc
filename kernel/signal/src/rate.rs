//! A sample rate as an exact fraction of hertz.
//!
//! A rate stays a fraction from the option to the frequency axis: an hourly series has 1/3600 Hz,
//! which no decimal number of hertz is, and a bin's frequency is then right to the last digit.

use core::fmt;

/// A sample rate in hertz as a fraction, so that 1/3600 Hz and 50000/3 Hz are exact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate {
    /// Numerator, not 0.
    pub num: u64,
    /// Denominator, not 0.
    pub den: u64,
}

impl Rate {
    /// `num / den` in lowest terms, or nothing when either is zero.
    #[must_use]
    pub const fn new(num: u64, den: u64) -> Option<Self> {
        if num == 0 || den == 0 {
            return None;
        }
        let (mut divisor, mut rest) = (num, den);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        Some(Self {
            num: num / divisor,
            den: den / divisor,
        })
    }

    /// A whole number of hertz.
    #[must_use]
    pub const fn hz(hz: u64) -> Self {
        Self { num: hz, den: 1 }
    }

    /// The nearest floating-point number of hertz.
    #[must_use]
    pub fn to_hz(self) -> f64 {
        self.num as f64 / self.den as f64
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.den == 1 {
            write!(f, "{} Hz", self.num)
        } else {
            write!(f, "{}/{} Hz", self.num, self.den)
        }
    }
}
