//! The header that `numpy.save` writes in front of an array in a .npy file.
//!
//! Source: NumPy, "NEP 1 / numpy.lib.format", versions 1.0 to 3.0.
//!
//! The library that was looked at, `npyz` 0.9, parses the header as any literal of Python. It
//! brings a parser generator for the three values that are used here, and its errors repeat the
//! whole header, of whatever length.

use crate::format::{Format, Number};

const MAGIC: &[u8] = b"\x93NUMPY";
/// Magic, version, length of the text, and the text fill a multiple of this.
const ALIGN: usize = 64;
/// The most bytes of a header, which also holds magic and version.
pub const MOST: usize = 1 << 16;

/// The type of an array's elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    /// One that recordings have too.
    Sample(Format),
    /// An integer of 64 bits.
    Long {
        /// True if it has a sign.
        is_signed: bool,
        /// True if the most significant byte comes first.
        is_big_endian: bool,
    },
    /// A float of 16 bits.
    Half {
        /// True if the most significant byte comes first.
        is_big_endian: bool,
    },
    /// True or false, in a byte.
    Truth,
}

impl Element {
    /// The type that NumPy calls `descr`: `<c8`, `|u1`.
    fn named(descr: &str) -> Option<Self> {
        let (order, kind) = descr.split_at_checked(1)?;
        let is_big_endian = order == ">";
        let sample = |number, is_complex| {
            Self::Sample(Format {
                number,
                is_big_endian,
                is_complex,
            })
        };
        let long = |is_signed| Self::Long {
            is_signed,
            is_big_endian,
        };
        let element = match kind {
            "c8" => sample(Number::F32, true),
            "c16" => sample(Number::F64, true),
            "f4" => sample(Number::F32, false),
            "f8" => sample(Number::F64, false),
            "u1" => sample(Number::U8, false),
            "i1" => sample(Number::I8, false),
            "u2" => sample(Number::U16, false),
            "i2" => sample(Number::I16, false),
            "u4" => sample(Number::U32, false),
            "i4" => sample(Number::I32, false),
            "i8" => long(true),
            "u8" => long(false),
            "f2" => Self::Half { is_big_endian },
            "b1" => Self::Truth,
            _ => return None,
        };
        matches!(order, "<" | ">" | "|").then_some(element)
    }

    /// Bytes of an element.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Sample(format) => format.bytes(),
            Self::Long { .. } => 8,
            Self::Half { .. } => 2,
            Self::Truth => 1,
        }
    }

    /// Numbers of an element: of complex ones two.
    #[must_use]
    pub const fn parts(self) -> usize {
        match self {
            Self::Sample(format) => format.parts(),
            _ => 1,
        }
    }

    /// Its name, like those of formats of samples.
    #[must_use]
    pub fn name(self) -> String {
        let (name, is_reversed) = match self {
            Self::Sample(format) => return format.name(),
            Self::Long {
                is_signed,
                is_big_endian,
            } => (if is_signed { "i64" } else { "u64" }, is_big_endian),
            Self::Half { is_big_endian } => ("f16", is_big_endian),
            Self::Truth => ("bool", false),
        };
        format!("{name}{}", if is_reversed { "_be" } else { "" })
    }

    /// Appends the numbers of elements as NumPy computes with them: integers have no full scale.
    pub fn numbers(self, bytes: &[u8], out: &mut Vec<f64>) {
        match self {
            Self::Sample(format) => format.numbers(bytes, out),
            Self::Long {
                is_signed,
                is_big_endian,
            } => out.extend(bytes.as_chunks::<8>().0.iter().map(|bytes| {
                let number = match is_big_endian {
                    true => u64::from_be_bytes(*bytes),
                    false => u64::from_le_bytes(*bytes),
                };
                match is_signed {
                    true => number.cast_signed() as f64,
                    false => number as f64,
                }
            })),
            Self::Half { is_big_endian } => {
                out.extend(bytes.as_chunks::<2>().0.iter().map(|bytes| {
                    half(match is_big_endian {
                        true => u16::from_be_bytes(*bytes),
                        false => u16::from_le_bytes(*bytes),
                    })
                }));
            }
            Self::Truth => out.extend(bytes.iter().map(|byte| f64::from(u8::from(*byte != 0)))),
        }
    }
}

/// The value of a float of 16 bits (IEEE 754 binary16).
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff) / 1024.0);
    let size = match exponent {
        0 => fraction * 2_f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction) * 2_f64.powi(exponent - 15),
    };
    if bits >> 15 == 0 { size } else { -size }
}

/// The facts about an array in its header.
#[derive(Clone, PartialEq, Debug)]
pub struct Header {
    /// The type of its elements.
    pub element: Element,
    /// Elements in each dimension; of rows by columns, rows first.
    pub shape: Vec<u64>,
    /// True if the first dimension lies together, as in Fortran.
    pub by_columns: bool,
    /// Bytes of the file before the first number.
    pub bytes: usize,
}

/// Returns whether a file begins as .npy files do.
#[must_use]
pub fn is_npy(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

impl Header {
    /// Elements of the whole array.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        self.shape
            .iter()
            .try_fold(1_u64, |all, side| all.checked_mul(*side))
    }

    /// Reads the header of a file from its first [`MOST`] bytes.
    ///
    /// # Errors
    /// With what is wrong, as a part of a sentence.
    pub fn decode(file: &[u8]) -> Result<Self, String> {
        let not_npy = || "this is no .npy file".to_owned();
        let rest = file.strip_prefix(MAGIC).ok_or_else(not_npy)?;
        let (length_bytes, rest) = match rest {
            [1, _, rest @ ..] => (2, rest),
            [2 | 3, _, rest @ ..] => (4, rest),
            _ => return Err("the version of this .npy file is not known".to_owned()),
        };
        let (length, rest) = rest.split_at_checked(length_bytes).ok_or_else(not_npy)?;
        let length = length
            .iter()
            .rev()
            .fold(0, |sum, &byte| sum << 8 | usize::from(byte));
        let (header, _) = rest.split_at_checked(length).ok_or_else(not_npy)?;
        let header = str::from_utf8(header).map_err(|_| not_npy())?;
        let value = |key: &str| {
            let (_, after) = header.split_once(&format!("'{key}':"))?;
            Some(after.trim_start())
        };
        let by_columns = match value("fortran_order") {
            Some(text) if text.starts_with("False") => false,
            Some(text) if text.starts_with("True") => true,
            _ => return Err("the order of the array is not said".to_owned()),
        };
        let descr = value("descr").and_then(|text| text.strip_prefix('\'')?.split('\'').next());
        let element = descr.and_then(Element::named).ok_or_else(|| {
            let other = common::text::quote(descr.unwrap_or("something else"));
            format!("the array is of {other}, which are no samples")
        })?;
        let shape = value("shape").and_then(|text| text.strip_prefix('(')?.split(')').next());
        let shape = shape.and_then(|text| {
            let sides = text.split(',').map(str::trim);
            let sides = sides.filter(|side| !side.is_empty());
            sides.map(|side| side.parse().ok()).collect()
        });
        Ok(Self {
            element,
            shape: shape.ok_or("the shape of the array is not said")?,
            by_columns,
            bytes: MAGIC.len() + 2 + length_bytes + length,
        })
    }
}

/// The header of an array in C order, whose numbers NumPy calls `descr`.
#[must_use]
pub fn encode(descr: &str, shape: &[u64]) -> Vec<u8> {
    let sides: String = shape.iter().map(|side| format!("{side}, ")).collect();
    // Only a tuple of one has a comma behind its last element.
    let sides = if shape.len() == 1 {
        sides.trim_end()
    } else {
        sides.trim_end_matches(", ")
    };
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sides}), }}");
    let before = MAGIC.len() + 4;
    let end = (before + header.len() + 1).next_multiple_of(ALIGN);
    while before + header.len() + 1 < end {
        header.push(' ');
    }
    header.push('\n');
    let mut file = MAGIC.to_vec();
    file.extend([1, 0]);
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_they_are_written() {
        for shape in [&[][..], &[5], &[2, 3], &[1, 2, 3]] {
            let file = encode("<c8", shape);
            assert_eq!(file.len() % ALIGN, 0);
            let header = Header::decode(&file).expect("a header");
            assert_eq!(header.shape, shape);
            assert_eq!(header.bytes, file.len());
            assert_eq!(header.count(), Some(shape.iter().product()));
        }
        let text = |shape: &[u64]| String::from_utf8_lossy(&encode("<f4", shape)).into_owned();
        assert!(text(&[5]).contains("'shape': (5,), }"), "{}", text(&[5]));
        assert!(text(&[5, 6]).contains("'shape': (5, 6), }"));
    }

    #[test]
    fn types_of_numpy_are_known() {
        for (descr, name) in [
            ("<c16", "cf64"),
            (">i2", "i16_be"),
            ("|u1", "u8"),
            ("<f4", "f32"),
            ("<i8", "i64"),
            (">u8", "u64_be"),
            ("<f2", "f16"),
            ("|b1", "bool"),
        ] {
            assert_eq!(Element::named(descr).expect(descr).name(), name);
        }
        for descr in ["<f16", "<U3", "O", "", "é", "|V16"] {
            assert_eq!(Element::named(descr), None, "{descr}");
        }
    }

    #[test]
    fn numbers_of_every_type_are_those_of_numpy() {
        for (descr, bytes, expected) in [
            ("|u1", &[0, 255][..], &[0.0, 255.0][..]),
            ("|i1", &[0x80, 5], &[-128.0, 5.0]),
            ("<u2", &[1, 2], &[513.0]),
            (">i2", &[0xff, 0xfe], &[-2.0]),
            ("<u4", &[0xff; 4], &[4_294_967_295.0]),
            ("<i4", &[0xff; 4], &[-1.0]),
            (">i8", &[0xff; 8], &[-1.0]),
            (
                "<u8",
                &[0, 0, 0, 0, 0, 0, 0, 0x80],
                &[9_223_372_036_854_775_808.0],
            ),
            (
                "<f2",
                &[0, 0x3c, 0, 0xc0, 1, 0, 0, 0x7c],
                &[1.0, -2.0, 1.0 / 16_777_216.0, f64::INFINITY],
            ),
            ("|b1", &[0, 1], &[0.0, 1.0]),
            ("<f4", &[0, 0, 0x80, 0x3f], &[1.0]),
            ("<c8", &[0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0], &[1.0, -2.0]),
            (">f8", &[0xbf, 0xf0, 0, 0, 0, 0, 0, 0], &[-1.0]),
        ] {
            let element = Element::named(descr).expect(descr);
            let mut numbers = vec![];
            element.numbers(bytes, &mut numbers);
            assert_eq!(numbers, expected, "{descr}");
            assert_eq!(
                numbers.len() * element.bytes(),
                bytes.len() * element.parts()
            );
        }
    }
}
