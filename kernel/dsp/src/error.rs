//! Errors of plans, transforms and tables.

use core::fmt;

/// Why there is no plan or no transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error {
    /// The length is more than 2^22 points.
    Length,
    /// A slice does not have the length that the plan asks for.
    Slice,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Length => "the CPU engine transforms up to 2^22 points; choose a shorter length",
            Self::Slice => {
                "a slice has a wrong length; data takes len() points and the table twiddle_count()"
            }
        })
    }
}

impl core::error::Error for Error {}
