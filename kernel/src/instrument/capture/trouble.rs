//! Troubles of a live input: one sentence each, which says what to do.

use core::fmt;

use wire::Rate;

use super::meter::Measured;
use super::port::{PortError, Wiring};

/// Why there are no samples, or no more.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::instrument) enum Trouble {
    Port(PortError),
    /// No sample came, although there is a clock.
    Nothing(Wiring),
    /// The clock has stopped.
    Stopped {
        samples: u64,
    },
    /// The frame clock of I2S, or the rate of SMI's reads, is another than was set.
    Rate {
        wiring: Wiring,
        measured: Measured,
        expected: Rate,
    },
    /// The frame clock is one that no part for I2S has.
    Range(Measured),
}

impl Trouble {
    /// Reports if it may have passed when the input is tried again.
    pub(in crate::instrument) fn may_pass(&self) -> bool {
        // What is not on the pins is what the board lacks.
        self.is_finding()
    }

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
            Self::Nothing(Wiring::I2s(_)) => f.write_str(
                "no sample came within 50 ms; check the wires of bit clock and frame clock",
            ),
            Self::Nothing(Wiring::Smi { .. }) => f.write_str(
                "no sample came within 50 ms although the board gives the clock; switch the board \
                 off and on",
            ),
            Self::Stopped { samples } => write!(
                f,
                "the clock stopped after {samples} samples; check power and wires of the ADC, and \
                 start again"
            ),
            Self::Rate {
                wiring,
                measured,
                expected,
            } => {
                let what = match wiring {
                    Wiring::I2s(_) => "frame",
                    Wiring::Smi { .. } => "read",
                };
                let advice = match wiring.gives_clock() {
                    true => "samples are lost, or the clock's divisor is wrong; set a lower rate",
                    false => "set rate=auto, or check the ADC's clock",
                };
                write!(
                    f,
                    "{what} clock {} Hz, expected {}; {advice}",
                    hertz(measured.rate.to_hz()),
                    hertz(expected.to_hz())
                )
            }
            Self::Range(measured) => write!(
                f,
                "frame clock {} Hz; parts with 8,000 to 384,000 Hz work",
                hertz(measured.rate.to_hz())
            ),
        }
    }
}

/// Hertz with commas, and a tenth where there is one: `47,998.2`.
pub(in crate::instrument) fn hertz(hz: f64) -> impl fmt::Display {
    let tenths = libm::round(hz * 10.0) as u64;
    let (whole, tenth) = (tenths / 10, tenths % 10);
    fmt::from_fn(move |f| {
        match (whole / 1_000_000, whole / 1000 % 1000, whole % 1000) {
            (0, 0, ones) => write!(f, "{ones}")?,
            (0, thousands, ones) => write!(f, "{thousands},{ones:03}")?,
            (millions, thousands, ones) => write!(f, "{millions},{thousands:03},{ones:03}")?,
        }
        match tenth {
            0 => Ok(()),
            _ => write!(f, ".{tenth}"),
        }
    })
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
            assert_eq!(hertz(hz).to_string(), text);
        }
    }
}
