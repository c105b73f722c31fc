//! The header that `numpy.save` writes in front of an array in a .npy file.
//!
//! Source: NumPy, "NEP 1 / numpy.lib.format", versions 1.0 to 3.0.
//!
//! The library that was looked at, `npyz` 0.9, parses the header as any literal of Python. It
//! brings a parser generator for the three values that are used here, and its errors repeat the
//! whole header, of whatever length.

use crate::input::{Format, Number};

const MAGIC: &[u8] = b"\x93NUMPY";
/// Magic, version, length of the text, and the text fill a multiple of this.
const ALIGN: usize = 64;
/// The most bytes of a header, which also holds magic and version.
pub const MOST: usize = 1 << 16;

/// The facts about an array in its header.
#[derive(Clone, PartialEq, Debug)]
pub struct Header {
    /// The way in which its numbers are written.
    pub format: Format,
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
        let format = descr.and_then(format).ok_or_else(|| {
            let other = crate::text::quote(descr.unwrap_or("something else"));
            format!("the array is of {other}, which are no samples")
        })?;
        let shape = value("shape").and_then(|text| text.strip_prefix('(')?.split(')').next());
        let shape = shape.and_then(|text| {
            let sides = text.split(',').map(str::trim);
            let sides = sides.filter(|side| !side.is_empty());
            sides.map(|side| side.parse().ok()).collect()
        });
        Ok(Self {
            format,
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

/// The format of NumPy's name for a type: `<c8`, `|u1`.
fn format(descr: &str) -> Option<Format> {
    let (order, kind) = descr.split_at_checked(1)?;
    let (number, is_complex) = match kind {
        "c8" => (Number::F32, true),
        "c16" => (Number::F64, true),
        "f4" => (Number::F32, false),
        "f8" => (Number::F64, false),
        "u1" => (Number::U8, false),
        "i1" => (Number::I8, false),
        "u2" => (Number::U16, false),
        "i2" => (Number::I16, false),
        "u4" => (Number::U32, false),
        "i4" => (Number::I32, false),
        _ => return None,
    };
    matches!(order, "<" | ">" | "|").then_some(Format {
        number,
        is_big_endian: order == ">",
        is_complex,
    })
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
        ] {
            assert_eq!(format(descr).expect(descr).name(), name);
        }
        for descr in ["<f2", "<U3", "O", "", "é", "|V16"] {
            assert_eq!(format(descr), None, "{descr}");
        }
    }
}
