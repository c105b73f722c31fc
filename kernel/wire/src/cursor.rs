//! Reading and writing payload fields: little-endian, bounded, no panics.
//!
//! A reader hands out fields until the payload ends; what is left over is ignored, which is how a
//! later minor version appends fields. A writer refuses to write past its slice.

use signal::{Code, Rate, SampleFormat};

use crate::PayloadError;

/// Reads fields from the front of a payload.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], PayloadError> {
        let (head, tail) = self
            .bytes
            .split_at_checked(count)
            .ok_or(PayloadError::Short)?;
        self.bytes = tail;
        Ok(head)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], PayloadError> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N)?);
        Ok(out)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, PayloadError> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u16(&mut self) -> Result<u16, PayloadError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, PayloadError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn i32(&mut self) -> Result<i32, PayloadError> {
        self.array().map(i32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, PayloadError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn f32(&mut self) -> Result<f32, PayloadError> {
        self.array().map(f32::from_le_bytes)
    }

    pub(crate) fn f64(&mut self) -> Result<f64, PayloadError> {
        self.array().map(f64::from_le_bytes)
    }

    pub(crate) fn code<T: Code>(&mut self) -> Result<T, PayloadError> {
        let value = self.u8()?;
        let field = T::FIELD;
        T::from_code(value).ok_or(PayloadError::UnknownCode { field, value })
    }

    pub(crate) fn sample_format(&mut self) -> Result<SampleFormat, PayloadError> {
        let value = self.u8()?;
        let known = SampleFormat::UPLOADED.get(usize::from(value));
        let field = SampleFormat::FIELD;
        known
            .copied()
            .ok_or(PayloadError::UnknownCode { field, value })
    }

    pub(crate) fn rate(&mut self) -> Result<Rate, PayloadError> {
        let (num, den) = (self.u64()?, self.u64()?);
        if num == 0 || den == 0 {
            let field = "sample rate";
            return Err(PayloadError::OutOfRange { field });
        }
        Ok(Rate { num, den })
    }

    /// Text behind a u16 length in bytes.
    pub(crate) fn text(&mut self) -> Result<&'a str, PayloadError> {
        let length = usize::from(self.u16()?);
        core::str::from_utf8(self.take(length)?).map_err(|_| PayloadError::NotText)
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn rest(self) -> &'a [u8] {
        self.bytes
    }
}

/// Writes fields to the front of a slice.
pub(crate) struct Writer<'a> {
    out: &'a mut [u8],
    used: usize,
}

impl<'a> Writer<'a> {
    pub(crate) const fn new(out: &'a mut [u8]) -> Self {
        Self { out, used: 0 }
    }

    pub(crate) const fn used(&self) -> usize {
        self.used
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), PayloadError> {
        let end = self.used + bytes.len();
        self.out
            .get_mut(self.used..end)
            .ok_or(PayloadError::TooLong)?
            .copy_from_slice(bytes);
        self.used = end;
        Ok(())
    }

    pub(crate) fn u8(&mut self, value: u8) -> Result<(), PayloadError> {
        self.bytes(&[value])
    }

    pub(crate) fn u16(&mut self, value: u16) -> Result<(), PayloadError> {
        self.bytes(&value.to_le_bytes())
    }

    pub(crate) fn u32(&mut self, value: u32) -> Result<(), PayloadError> {
        self.bytes(&value.to_le_bytes())
    }

    pub(crate) fn i32(&mut self, value: i32) -> Result<(), PayloadError> {
        self.bytes(&value.to_le_bytes())
    }

    pub(crate) fn u64(&mut self, value: u64) -> Result<(), PayloadError> {
        self.bytes(&value.to_le_bytes())
    }

    pub(crate) fn f32(&mut self, value: f32) -> Result<(), PayloadError> {
        self.bytes(&value.to_le_bytes())
    }

    pub(crate) fn f64(&mut self, value: f64) -> Result<(), PayloadError> {
        self.bytes(&value.to_le_bytes())
    }

    pub(crate) fn rate(&mut self, rate: Rate) -> Result<(), PayloadError> {
        self.u64(rate.num)?;
        self.u64(rate.den)
    }

    pub(crate) fn text(&mut self, text: &str) -> Result<(), PayloadError> {
        let length = u16::try_from(text.len()).map_err(|_| PayloadError::TooLong)?;
        self.u16(length)?;
        self.bytes(text.as_bytes())
    }
}
