//! The result of a microbenchmark of the image.

use crate::PayloadError;
use crate::field::{Field, Reader, Writer};

/// The result of a microbenchmark, in words whose meaning follows from its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Measured<'a> {
    /// Its number.
    pub number: u8,
    /// The number of microbenchmarks; their numbers begin at 0.
    pub of: u8,
    /// Microseconds that all of it took.
    pub elapsed_us: u32,
    /// Its name.
    pub name: &'a str,
    /// Bytes of the words.
    bytes: &'a [u8],
}

impl<'a> Measured<'a> {
    /// The most words.
    pub const MAX_WORDS: usize = 64;

    /// The result of the microbenchmark of that number and name. `bytes` holds words, 32-bit,
    /// little-endian; bytes behind the last whole word are left out.
    #[must_use]
    pub fn new(number: u8, of: u8, elapsed_us: u32, name: &'a str, bytes: &'a [u8]) -> Self {
        let bytes = &bytes[..bytes.len() / 4 * 4];
        Self {
            number,
            of,
            elapsed_us,
            name,
            bytes,
        }
    }

    /// The words.
    pub fn words(&self) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        let words = self.bytes.as_chunks().0.iter();
        words.map(|word| u32::from_le_bytes(*word))
    }
}

impl<'a> Field<'a> for Measured<'a> {
    fn read(r: &mut Reader<'a>) -> Result<Self, PayloadError> {
        let (number, of, elapsed_us, name) = (r.get()?, r.get()?, r.get()?, r.get()?);
        let words: u8 = r.get()?;
        if usize::from(words) > Self::MAX_WORDS {
            return Err(PayloadError::OutOfRange { field: "words" });
        }
        let bytes = r.take(4 * usize::from(words))?;
        Ok(Self::new(number, of, elapsed_us, name, bytes))
    }

    fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        let words = self.bytes.len() / 4;
        if words > Self::MAX_WORDS {
            return Err(PayloadError::TooLong);
        }
        w.bytes(&[self.number, self.of])?;
        self.elapsed_us.write(w)?;
        self.name.write(w)?;
        (words as u8).write(w)?;
        w.bytes(&self.bytes[..4 * words])
    }
}
