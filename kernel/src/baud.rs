//! Baud rates: the PL011's divisor for a rate, and the rate that it gives.
//!
//! Source: ARM PrimeCell UART (PL011) TRM, DDI 0183, section 3.3.6.

use core::fmt;

/// The error that a rate may have, in parts per thousand. The line works to about 3 %, the other
/// side's error included.
const MAX_ERROR_PERMILLE: u32 = 15;

/// Baud rate divisors and what they give.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Divisor {
    /// IBRD.
    pub integer: u32,
    /// FBRD, in 64ths.
    pub fraction: u32,
    /// The rate the line runs at, to the nearest baud.
    pub actual_baud: u32,
}

/// A baud rate that the line cannot have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BaudError {
    /// The lowest rate that the clock allows.
    pub lowest: u32,
    /// The highest rate that it allows.
    pub highest: u32,
}

impl fmt::Display for BaudError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(
            f,
            "the UART cannot run at this rate; ask for {} to {} baud",
            self.lowest, self.highest
        )
    }
}

impl Divisor {
    /// The divisor of `clock_hz` nearest to 16 × `baud`, in 64ths.
    ///
    /// # Errors
    /// When the nearest is more than 1.5 % off, or out of the register's range.
    pub fn nearest(clock_hz: u32, baud: u32) -> Result<Self, BaudError> {
        let refused = BaudError {
            lowest: clock_hz.div_ceil(16 * 0xffff),
            highest: clock_hz / 16,
        };
        if baud == 0 {
            return Err(refused);
        }
        // clock / (16 · baud) in units of 1/64 is 4 · clock / baud.
        let sixty_fourths = (4 * u64::from(clock_hz) + u64::from(baud) / 2) / u64::from(baud);
        if !(64..=0xffff * 64).contains(&sixty_fourths) {
            return Err(refused);
        }
        let actual = (4 * u64::from(clock_hz) + sixty_fourths / 2) / sixty_fourths;
        let error = actual.abs_diff(u64::from(baud)) * 1000;
        if error > u64::from(baud) * u64::from(MAX_ERROR_PERMILLE) {
            return Err(refused);
        }
        Ok(Self {
            integer: (sixty_fourths / 64) as u32,
            fraction: (sixty_fourths % 64) as u32,
            actual_baud: actual as u32,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors_are_those_of_the_manuals_example() {
        // DDI 0183, 3.3.6: 4 MHz and 230400 baud give 1 and 5/64.
        let divisor = Divisor::nearest(4_000_000, 230_400).expect("0.66 % off");
        assert_eq!((divisor.integer, divisor.fraction), (1, 5));
        assert_eq!(divisor.actual_baud, 231_884);
        let divisor = Divisor::nearest(48_000_000, 115_200).expect("0.02 % off");
        assert_eq!((divisor.integer, divisor.fraction), (26, 3));
        assert_eq!(divisor.actual_baud, 115_177);
    }

    #[test]
    fn fast_rates_need_a_fast_clock() {
        assert_eq!(
            Divisor::nearest(48_000_000, 3_000_000).map(|divisor| divisor.actual_baud),
            Ok(3_000_000)
        );
        let refused = Err(BaudError {
            lowest: 3,
            highest: 187_500,
        });
        assert_eq!(Divisor::nearest(3_000_000, 921_600), refused);
        assert_eq!(Divisor::nearest(3_000_000, 0), refused);
        assert!(Divisor::nearest(3_000_000, 115_200).is_ok());
        assert!(Divisor::nearest(48_000_000, 3_100_000).is_err());
        let BaudError { lowest, highest } = Divisor::nearest(48_000_000, 10).unwrap_err();
        assert_eq!((lowest, highest), (46, 3_000_000));
        assert!(Divisor::nearest(48_000_000, lowest).is_ok());
        assert!(Divisor::nearest(48_000_000, highest).is_ok());
        assert!(Divisor::nearest(48_000_000, lowest - 1).is_err());
    }
}
