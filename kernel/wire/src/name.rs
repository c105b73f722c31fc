//! Short text of bounded length, held by value.

use core::fmt;

use crate::PayloadError;
use crate::field::{Field, Reader, Writer};

/// Up to 47 bytes of UTF-8; what does not fit is cut off at a character boundary.
#[derive(Clone, Copy)]
pub struct Name {
    bytes: [u8; Self::CAPACITY],
    length: u8,
}

impl Name {
    /// The most bytes a name holds.
    pub const CAPACITY: usize = 47;

    /// A name with the start of `text`, as far as it fits.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut length = text.len().min(Self::CAPACITY);
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        let mut bytes = [0; Self::CAPACITY];
        bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        Self {
            bytes,
            length: length as u8,
        }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or("")
    }
}

impl Field<'_> for Name {
    fn read(r: &mut Reader) -> Result<Self, PayloadError> {
        r.get().map(Self::new)
    }

    fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        self.as_str().write(w)
    }
}

impl Default for Name {
    fn default() -> Self {
        Self::new("")
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Name {}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
