//! Troubles of a live input: one sentence each, which says what to do.

use core::fmt;

use wire::Rate;

use super::meter::Measured;
use super::port::PortError;

/// Why there are no samples, or no more.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::instrument) enum Trouble {
    Port(PortError),
    /// No sample came, although there is a clock.
    Nothing,
    /// As [`Trouble::Nothing`], of SMI, which gives the clock itself.
    NoReads,
    /// The clock has stopped.
    Stopped {
        samples: u64,
    },
    /// The frame clock is another than was set.
    Rate {
        measured: Measured,
        expected: Rate,
    },
    /// SMI reads at another rate than was set.
    ReadRate {
        measured: Measured,
        expected: Rate,
    },
    /// The frame clock is one that no part for I2S has.
    Range(Measured),
}

impl Trouble {
    /// Reports if it says something of what is on the pins.
    pub(in crate::instrument) fn is_finding(&self) -> bool {
        !matches!(
            self,
            Self::Port(
                PortError::NoPins
                    | PortError::NoSmiPins
                    | PortError::NoBlock
                    | PortError::NoSmi
                    | PortError::NoDma
                    | PortError::NoGenerator
            )
        )
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Port(error) => error.fmt(f),
            Self::Nothing => f.write_str(
                "no sample came within 50 ms; check the wires of bit clock and frame clock",
            ),
            Self::NoReads => f.write_str(
                "no sample came within 50 ms although the board gives the clock; switch the board \
                 off and on",
            ),
            Self::Stopped { samples } => write!(
                f,
                "the clock stopped after {samples} samples; check power and wires of the ADC, and \
                 start again"
            ),
            Self::Rate { measured, expected } => {
                write_rates("frame clock", measured, *expected, f)?;
                f.write_str("; set rate=auto, or check the ADC's clock")
            }
            Self::ReadRate { measured, expected } => {
                write_rates("read clock", measured, *expected, f)?;
                f.write_str("; set a lower rate")
            }
            Self::Range(measured) => {
                f.write_str("frame clock ")?;
                write_hz(measured.rate.to_hz(), f)?;
                f.write_str(" Hz; parts with 8,000 to 384,000 Hz work")
            }
        }
    }
}

/// Writes the rate that was found and the one that was set.
fn write_rates(
    what: &str,
    measured: &Measured,
    expected: Rate,
    out: &mut impl fmt::Write,
) -> fmt::Result {
    write!(out, "{what} ")?;
    write_hz(measured.rate.to_hz(), out)?;
    out.write_str(" Hz, expected ")?;
    write_hz(expected.to_hz(), out)
}

/// Writes hertz with commas, and a tenth where there is one: `47,998.2`.
pub(in crate::instrument) fn write_hz(hz: f64, out: &mut impl fmt::Write) -> fmt::Result {
    let tenths = libm::round(hz * 10.0) as u64;
    let (whole, tenth) = (tenths / 10, tenths % 10);
    match (whole / 1_000_000, whole / 1000 % 1000, whole % 1000) {
        (0, 0, ones) => write!(out, "{ones}")?,
        (0, thousands, ones) => write!(out, "{thousands},{ones:03}")?,
        (millions, thousands, ones) => write!(out, "{millions},{thousands:03},{ones:03}")?,
    }
    if tenth > 0 {
        write!(out, ".{tenth}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hertz_are_grouped() {
        for (hz, text) in [
            (47_998.21, "47,998.2"),
            (50_000.0, "50,000"),
            (999.96, "1,000"),
            (0.04, "0"),
            (19_200_000.0, "19,200,000"),
        ] {
            let mut out = String::new();
            write_hz(hz, &mut out).unwrap();
            assert_eq!(out, text);
        }
    }
}
