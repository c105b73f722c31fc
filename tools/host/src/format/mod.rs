//! Formats of samples: how a number is written, whether two are one sample, and their names.

mod number;

use common::text::quote;

pub use number::Number;

/// A number, its byte order, and whether two of them are I and Q of one sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// The way in which each number is written.
    pub number: Number,
    /// True if the most significant byte comes first.
    pub is_big_endian: bool,
    /// True if two numbers are a complex sample, its real part first.
    pub is_complex: bool,
}

/// The names for people: first that of each format, then others that programs use.
const NAMES: [(&str, Number, bool); 28] = [
    ("cu8", Number::U8, true),
    ("cs8", Number::I8, true),
    ("cu16", Number::U16, true),
    ("cs16", Number::I16, true),
    ("cs32", Number::I32, true),
    ("cf32", Number::F32, true),
    ("cf64", Number::F64, true),
    ("u8", Number::U8, false),
    ("i8", Number::I8, false),
    ("u16", Number::U16, false),
    ("i16", Number::I16, false),
    ("i32", Number::I32, false),
    ("f32", Number::F32, false),
    ("f64", Number::F64, false),
    ("ci8", Number::I8, true),
    ("ci16", Number::I16, true),
    ("ci32", Number::I32, true),
    ("s8", Number::I8, false),
    ("s16", Number::I16, false),
    ("s32", Number::I32, false),
    ("fc32", Number::F32, true),
    ("fc64", Number::F64, true),
    ("sc8", Number::I8, true),
    ("sc16", Number::I16, true),
    ("sc32", Number::I32, true),
    ("cfile", Number::F32, true),
    ("u8-high", Number::U8High, false),
    ("cu8-high", Number::U8High, true),
];

/// The number of them that are shown: each format once.
const SHOWN: usize = 14;

/// The bytes of a number in little-endian order.
fn little<const N: usize>(mut bytes: [u8; N], is_big_endian: bool) -> [u8; N] {
    if is_big_endian {
        bytes.reverse();
    }
    bytes
}

impl Format {
    /// A little-endian format.
    #[must_use]
    pub const fn new(number: Number, is_complex: bool) -> Self {
        Self {
            number,
            is_big_endian: false,
            is_complex,
        }
    }

    /// The format of a name: `cf32`, `i16_be`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let (name, is_big_endian) = match (name.strip_suffix("_be"), name.strip_suffix("_le")) {
            (Some(name), _) => (name, true),
            (_, Some(name)) => (name, false),
            _ => (name.as_str(), false),
        };
        let known = NAMES.iter().find(|(known, ..)| *known == name);
        known.map(|&(_, number, is_complex)| Self {
            number,
            is_big_endian,
            is_complex,
        })
    }

    /// The format of a datatype of SigMF: `cf32_le`, `ru8`. The order of single bytes may be said.
    #[must_use]
    pub fn from_sigmf(datatype: &str) -> Option<Self> {
        let (domain, number) = datatype.split_at_checked(1)?;
        let (number, order) = number.split_once('_').unwrap_or((number, ""));
        let number = match (number, order) {
            ("u8", "" | "le" | "be") => Number::U8,
            ("i8", "" | "le" | "be") => Number::I8,
            ("u16", "le" | "be") => Number::U16,
            ("i16", "le" | "be") => Number::I16,
            ("u32", "le" | "be") => Number::U32,
            ("i32", "le" | "be") => Number::I32,
            ("f32", "le" | "be") => Number::F32,
            ("f64", "le" | "be") => Number::F64,
            _ => return None,
        };
        matches!(domain, "r" | "c").then_some(Self {
            number,
            is_big_endian: order == "be" && number.bytes() > 1,
            is_complex: domain == "c",
        })
    }

    /// The name that [`Format::from_name`] knows, or for those of containers one like it.
    #[must_use]
    pub fn name(self) -> String {
        let known = |&&(_, number, is_complex): &&(&str, Number, bool)| {
            (number, is_complex) == (self.number, self.is_complex)
        };
        let name = match (NAMES.iter().find(known), self.number) {
            (Some((name, ..)), _) => name,
            (None, Number::I24) if self.is_complex => "cs24",
            (None, Number::I24) => "i24",
            (None, Number::U32) if self.is_complex => "cu32",
            (None, Number::U32) => "u32",
            (None, _) if self.is_complex => "cu8",
            (None, _) => "u8",
        };
        let is_reversed = self.is_big_endian && self.number.bytes() > 1;
        format!("{name}{}", if is_reversed { "_be" } else { "" })
    }

    /// The names of all formats, for help and messages.
    #[must_use]
    pub fn names() -> String {
        let names: Vec<_> = NAMES[..SHOWN].iter().map(|(name, ..)| *name).collect();
        names.join(", ")
    }

    /// Numbers of one sample.
    #[must_use]
    pub const fn parts(self) -> usize {
        if self.is_complex { 2 } else { 1 }
    }

    /// Bytes of one sample.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.parts() * self.number.bytes()
    }

    /// Appends the values of numbers, full scale 1. Bytes that are no whole number are left out.
    pub fn values(self, bytes: &[u8], out: &mut Vec<f64>) {
        let big = self.is_big_endian;
        match self.number {
            Number::U8 => out.extend(bytes.iter().map(|&x| (f64::from(x) - 127.5) / 127.5)),
            Number::U8High => {
                let numbers = bytes.as_chunks().0.iter().map(|x| little(*x, big));
                out.extend(numbers.map(|[_, x]| (f64::from(x) - 127.5) / 127.5));
            }
            Number::F32 => {
                let numbers = bytes.as_chunks().0.iter();
                out.extend(numbers.map(|x| f64::from(f32::from_le_bytes(little(*x, big)))));
            }
            Number::F64 => {
                let numbers = bytes.as_chunks().0.iter();
                out.extend(numbers.map(|x| f64::from_le_bytes(little(*x, big))));
            }
            Number::I24 | Number::U32 | Number::I32 => {
                self.wide_integers(bytes, |x| out.push(f64::from(x) / 2_f64.powi(31)));
            }
            Number::WavU8 | Number::I8 | Number::U16 | Number::I16 => {
                self.integers(bytes, |x| out.push(f64::from(x) / 32768.0));
            }
        }
    }

    /// Appends numbers as they are written: integers without a full scale.
    pub fn numbers(self, bytes: &[u8], out: &mut Vec<f64>) {
        let first = out.len();
        self.values(bytes, out);
        let (scale, zero) = self.number.full_scale();
        if !self.number.is_float() {
            for value in &mut out[first..] {
                *value = (*value * scale + zero).round();
            }
        }
    }

    /// Appends numbers as they travel ([`Number::on_wire`]), little-endian.
    pub fn travel(self, bytes: &[u8], out: &mut Vec<u8>) {
        match self.number {
            Number::U8 => out.extend(bytes),
            Number::I16 | Number::I32 | Number::F32 if !self.is_big_endian => {
                let whole = bytes.len() / self.number.bytes() * self.number.bytes();
                out.extend(&bytes[..whole]);
            }
            Number::U8High => {
                let upper = usize::from(!self.is_big_endian);
                out.extend(bytes.as_chunks::<2>().0.iter().map(|x| x[upper]));
            }
            Number::WavU8 | Number::I8 | Number::U16 | Number::I16 => {
                self.integers(bytes, |x| out.extend(x.to_le_bytes()));
            }
            Number::I24 | Number::U32 | Number::I32 => {
                self.wide_integers(bytes, |x| out.extend(x.to_le_bytes()));
            }
            Number::F32 | Number::F64 => {
                let mut values = Vec::with_capacity(bytes.len() / self.number.bytes());
                self.values(bytes, &mut values);
                out.extend(values.iter().flat_map(|&x| (x as f32).to_le_bytes()));
            }
        }
    }

    /// Hands over the integers of numbers that travel as i32: 2^31 is full scale.
    fn wide_integers(self, bytes: &[u8], mut take: impl FnMut(i32)) {
        let big = self.is_big_endian;
        if self.number == Number::I24 {
            let numbers = bytes.as_chunks().0.iter().map(|x| little(*x, big));
            numbers.for_each(|[a, b, c]| take(i32::from_le_bytes([0, a, b, c])));
            return;
        }
        let middle = match self.number {
            Number::U32 => i32::MIN,
            _ => 0,
        };
        let numbers = bytes.as_chunks().0.iter();
        numbers.for_each(|x| take(i32::from_le_bytes(little(*x, big)) ^ middle));
    }

    /// Hands over the integers of numbers that travel as i16.
    fn integers(self, bytes: &[u8], mut take: impl FnMut(i16)) {
        if self.number.bytes() == 1 {
            bytes.iter().for_each(|&x| take(self.number.as_i16([x, 0])));
        } else {
            let numbers = bytes.as_chunks().0.iter();
            numbers.for_each(|x| take(self.number.as_i16(little(*x, self.is_big_endian))));
        }
    }
}

/// The help of `--samples`.
pub fn help() -> String {
    format!(
        "Format of raw samples where the file's ending does not say it: {}; with _be behind the name for big-endian \
         numbers",
        Format::names()
    )
}

/// A format as an option gives it.
///
/// # Errors
/// With the names there are.
pub fn format(text: &str) -> Result<Format, String> {
    Format::from_name(text).ok_or_else(|| {
        format!(
            "`{}` is no format of samples; choose one of {}, with _be behind the name for big-endian numbers",
            quote(text),
            Format::names()
        )
    })
}

#[cfg(test)]
mod tests;
