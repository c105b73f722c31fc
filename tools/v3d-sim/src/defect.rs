//! One thing that is broken in the silicon, for tests of what a driver makes of it.
//!
//! A defect is no mode of the chip: everything else goes on as it should, V3D says nothing about
//! it, and neither a reset nor a power cycle repairs it.

use crate::chip::QPUS;
use std::fmt;
use std::str::FromStr;

/// The broken part.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Defect {
    /// VPM words that a QPU wrote are seen by QPUs of other slices 400 clocks late; until then they
    /// read what was there before. QPUs of its own slice and DMA see them at once.
    LateVpm,
    /// A semaphore that is counted up lets two QPUs go on where two wait for it.
    SemaphoreTwo,
    /// SQRSV0 and SQRSV1 read what was written, but the scheduler gives programs to reserved QPUs
    /// as well.
    NoReservation,
    /// SLCACTL does not clear instruction caches: lines of code stay as they were first read until
    /// others have taken their places.
    StaleInstructions,
    /// One of the four multipliers of this QPU gets bit 20 of a float product wrong, for one
    /// product in 16. It is the one for lanes 1, 5, 9 and 13.
    WrongQpu(u8),
}

impl Defect {
    /// One of each kind.
    pub const EACH: [Self; 5] = [
        Self::LateVpm,
        Self::SemaphoreTwo,
        Self::NoReservation,
        Self::StaleInstructions,
        Self::WrongQpu(5),
    ];
}

/// The name on command lines: `late-vpm`, `wrong-qpu:5`.
impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LateVpm => f.write_str("late-vpm"),
            Self::SemaphoreTwo => f.write_str("semaphore-two"),
            Self::NoReservation => f.write_str("no-reservation"),
            Self::StaleInstructions => f.write_str("stale-instructions"),
            Self::WrongQpu(number) => write!(f, "wrong-qpu:{number}"),
        }
    }
}

/// A name that no defect has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "there is no defect {0:?}; give late-vpm, semaphore-two, no-reservation, stale-instructions, or wrong-qpu:N \
     with a QPU from 0 to 11"
)]
pub struct UnknownDefect(String);

impl FromStr for Defect {
    type Err = UnknownDefect;

    fn from_str(text: &str) -> Result<Self, UnknownDefect> {
        let defect = match text.strip_prefix("wrong-qpu:") {
            Some(number) => {
                let number = number.parse().ok();
                let number = number.filter(|number| usize::from(*number) < QPUS);
                number.map(Self::WrongQpu)
            }
            None => Self::EACH
                .into_iter()
                .find(|defect| defect.to_string() == text),
        };
        defect.ok_or_else(|| UnknownDefect(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for defect in Defect::EACH {
            assert_eq!(defect.to_string().parse(), Ok(defect));
        }
        for wrong in ["", "late", "wrong-qpu", "wrong-qpu:12", "wrong-qpu:-1"] {
            let error = wrong
                .parse::<Defect>()
                .expect_err("no defect has this name");
            assert!(error.to_string().contains("wrong-qpu:N"), "{error}");
        }
    }
}
