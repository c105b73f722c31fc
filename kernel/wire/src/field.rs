//! Fields of payloads: little-endian, bounded, no panics.
//!
//! A reader hands out fields until the payload ends; what is left over is ignored, which is how a
//! later minor version appends fields. A writer refuses to write past its slice. The fields of a
//! payload are listed once, in their order, for both directions ([`payload`]).

use signal::{Code, Detector, Domain, Rate, SampleFormat};

use crate::{
    Averaging, Dc, Encoding, Engine, NakCode, PayloadError, PlanKind, ResetCause, Source, State,
    Unit, Verdict,
};

/// A value as a payload carries it.
pub(crate) trait Field<'a>: Sized {
    /// Takes it from the front of a payload.
    fn read(r: &mut Reader<'a>) -> Result<Self, PayloadError>;

    /// Puts it behind what has been written.
    fn write(&self, w: &mut Writer) -> Result<(), PayloadError>;
}

/// Reads fields from the front of a payload.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// The next field.
    pub(crate) fn get<T: Field<'a>>(&mut self) -> Result<T, PayloadError> {
        T::read(self)
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], PayloadError> {
        let (head, tail) = self
            .bytes
            .split_at_checked(count)
            .ok_or(PayloadError::Short)?;
        self.bytes = tail;
        Ok(head)
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn rest(&mut self) -> &'a [u8] {
        core::mem::take(&mut self.bytes)
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
}

/// Declares the fields of a payload, or of a part of one, in the order in which it carries them.
macro_rules! payload {
    ($payload:ty { $($field:ident),+ $(,)? }) => {
        impl<'a> $crate::field::Field<'a> for $payload {
            fn read(r: &mut $crate::field::Reader<'a>) -> Result<Self, $crate::PayloadError> {
                $(let $field = r.get()?;)+
                Ok(Self { $($field),+ })
            }

            fn write(&self, w: &mut $crate::field::Writer) -> Result<(), $crate::PayloadError> {
                $(self.$field.write(w)?;)+
                Ok(())
            }
        }
    };
}
pub(crate) use payload;

macro_rules! numbers {
    ($($number:ty),+) => {
        $(impl Field<'_> for $number {
            fn read(r: &mut Reader) -> Result<Self, PayloadError> {
                r.get().map(Self::from_le_bytes)
            }

            fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
                w.bytes(&self.to_le_bytes())
            }
        })+
    };
}
numbers!(u8, u16, u32, i32, u64, f32, f64);

fn code<T: Code>(value: u8) -> Result<T, PayloadError> {
    let field = T::FIELD;
    T::from_code(value).ok_or(PayloadError::UnknownCode { field, value })
}

macro_rules! codes {
    ($($code:ty),+) => {
        $(impl Field<'_> for $code {
            fn read(r: &mut Reader) -> Result<Self, PayloadError> {
                code(r.get()?)
            }

            fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
                self.code().write(w)
            }
        })+
    };
}
codes!(
    Averaging, Dc, Detector, Domain, Encoding, Engine, PlanKind, ResetCause, Source, State, Unit,
    Verdict
);

impl Field<'_> for SampleFormat {
    fn read(r: &mut Reader) -> Result<Self, PayloadError> {
        let value = r.get()?;
        let format = code(value)?;
        let field = Self::FIELD;
        let known = Self::UPLOADED.contains(&format).then_some(format);
        known.ok_or(PayloadError::UnknownCode { field, value })
    }

    fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        self.code().write(w)
    }
}

impl Field<'_> for NakCode {
    fn read(r: &mut Reader) -> Result<Self, PayloadError> {
        r.get().map(Self)
    }

    fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        self.0.write(w)
    }
}

impl Field<'_> for Rate {
    fn read(r: &mut Reader) -> Result<Self, PayloadError> {
        let (num, den) = (r.get()?, r.get()?);
        if num == 0 || den == 0 {
            let field = "sample rate";
            return Err(PayloadError::OutOfRange { field });
        }
        Ok(Self { num, den })
    }

    fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        self.num.write(w)?;
        self.den.write(w)
    }
}

impl<const N: usize> Field<'_> for [u8; N] {
    fn read(r: &mut Reader) -> Result<Self, PayloadError> {
        let mut out = [0; N];
        out.copy_from_slice(r.take(N)?);
        Ok(out)
    }

    fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        w.bytes(self)
    }
}

/// Text behind a u16 length in bytes.
impl<'a> Field<'a> for &'a str {
    fn read(r: &mut Reader<'a>) -> Result<Self, PayloadError> {
        let length: u16 = r.get()?;
        core::str::from_utf8(r.take(length.into())?).map_err(|_| PayloadError::NotText)
    }

    fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        let length = u16::try_from(self.len()).map_err(|_| PayloadError::TooLong)?;
        length.write(w)?;
        w.bytes(self.as_bytes())
    }
}

/// The rest of the payload.
impl<'a> Field<'a> for &'a [u8] {
    fn read(r: &mut Reader<'a>) -> Result<Self, PayloadError> {
        Ok(r.rest())
    }

    fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        w.bytes(self)
    }
}
