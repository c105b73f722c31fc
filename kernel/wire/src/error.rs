//! Errors of payloads.

use core::fmt;

/// Why a payload cannot be read or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PayloadError {
    /// It ends before its last field.
    Short,
    /// It does not fit a frame, or the buffer given.
    TooLong,
    /// Text is not UTF-8.
    NotText,
    /// A one-byte code that this version does not know.
    UnknownCode {
        /// The field.
        field: &'static str,
        /// The byte.
        value: u8,
    },
    /// A number that makes no sense in its field.
    OutOfRange {
        /// The field.
        field: &'static str,
    },
    /// The kind of frame is not known to this version.
    UnknownKind,
}

impl fmt::Display for PayloadError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Short => f.write_str("the payload ends before its last field"),
            Self::TooLong => f.write_str("the payload does not fit; send at most 4096 bytes"),
            Self::NotText => f.write_str("text in the payload is not UTF-8"),
            Self::UnknownCode { field, value } => {
                write!(f, "{field} {value} is not known to this version")
            }
            Self::OutOfRange { field } => write!(f, "{field} is out of range"),
            Self::UnknownKind => f.write_str("this kind of message is not known to this version"),
        }
    }
}

impl core::error::Error for PayloadError {}
