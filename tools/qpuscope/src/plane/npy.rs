//! Spectra as .npy files: two-dimensional arrays of complex64, as `numpy.save` writes them.
//!
//! Source: NumPy, "NEP 1 / numpy.lib.format", versions 1.0 to 3.0. Read are complex64 and
//! complex128 in little endian, row after row (C order) or column after column (Fortran order), as
//! `numpy.fft.fft2` leaves its result.

use std::path::Path;

use super::Spectrum;
use crate::failure::{Failure, Result};
use crate::say;
use crate::text::quote;

const MAGIC: &[u8] = b"\x93NUMPY";
/// Magic, version, length of the text, and the text fill a multiple of this.
const ALIGN: usize = 64;

/// The file of a spectrum.
#[must_use]
pub fn encode(spectrum: &Spectrum) -> Vec<u8> {
    let mut header = format!(
        "{{'descr': '<c8', 'fortran_order': False, 'shape': ({}, {}), }}",
        spectrum.height, spectrum.width
    );
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
    let parts = spectrum.bins.iter().flatten();
    file.extend(parts.flat_map(|part| part.to_le_bytes()));
    file
}

/// Reads a spectrum; `path` is for messages.
///
/// # Errors
/// Usage, when it is no array of complex numbers with two dimensions, or is cut.
pub fn decode(file: &[u8], path: &Path) -> Result<Spectrum> {
    let wrong = |what: &str| {
        Failure::usage(format!(
            "{}: {what}; save a spectrum with `numpy.save(name, spectrum.astype('complex64'))` or \
             `qpuscope fft2 --spectrum`",
            say::path(path)
        ))
    };
    let not_npy = || wrong("this is no .npy file");
    let rest = file.strip_prefix(MAGIC).ok_or_else(not_npy)?;
    let (length_bytes, rest) = match rest {
        [1, _, rest @ ..] => (2, rest),
        [2 | 3, _, rest @ ..] => (4, rest),
        _ => return Err(wrong("the version of this .npy file is not known")),
    };
    let (length, rest) = rest.split_at_checked(length_bytes).ok_or_else(not_npy)?;
    let length = length
        .iter()
        .rev()
        .fold(0, |sum, &byte| (sum << 8) | usize::from(byte));
    let (header, data) = rest.split_at_checked(length).ok_or_else(not_npy)?;
    let header = str::from_utf8(header).map_err(|_| not_npy())?;
    let value = |key: &str| {
        let (_, after) = header.split_once(&format!("'{key}':"))?;
        Some(after.trim_start())
    };
    let by_columns = match value("fortran_order") {
        Some(text) if text.starts_with("False") => false,
        Some(text) if text.starts_with("True") => true,
        _ => return Err(wrong("the order of the array is not said")),
    };
    let descr = value("descr").and_then(|text| text.split('\'').nth(1));
    let bytes = match descr {
        Some("<c8") => 4,
        Some("<c16") => 8,
        other => {
            let other = quote(other.unwrap_or("something else"));
            return Err(wrong(&format!(
                "the array is not of complex64 but of {other}"
            )));
        }
    };
    let shape = value("shape").and_then(|text| text.strip_prefix('(')?.split(')').next());
    let shape: Option<Vec<usize>> = shape.and_then(|text| {
        let sides = text.split(',').map(str::trim);
        sides
            .filter(|side| !side.is_empty())
            .map(|side| side.parse().ok())
            .collect()
    });
    let Some([height, width]) = shape.as_deref() else {
        return Err(wrong("the array has not two dimensions"));
    };
    let (height, width) = (*height, *width);
    let needed = height
        .checked_mul(width)
        .and_then(|count| count.checked_mul(2 * bytes));
    if needed.is_none_or(|needed| data.len() < needed) {
        return Err(wrong("the file ends before the array does"));
    }
    let part = |at: usize| {
        let bytes = &data[at..at + bytes];
        match bytes.try_into() {
            Ok(four) => f32::from_le_bytes(four),
            Err(_) => bytes.try_into().map_or(0.0, f64::from_le_bytes) as f32,
        }
    };
    let place = |bin: usize| match by_columns {
        false => bin,
        true => bin % width * height + bin / width,
    };
    let bins = (0..height * width).map(place);
    let bins = bins.map(|bin| [0, 1].map(|half| part((2 * bin + half) * bytes)));
    let bins: Vec<[f32; 2]> = bins.collect();
    if let Some(bin) = bins
        .iter()
        .position(|bin| bin.iter().any(|part| !part.is_finite()))
    {
        return Err(wrong(&format!("bin {bin} is no finite number")));
    }
    Ok(Spectrum {
        width,
        height,
        bins,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spectrum() -> Spectrum {
        Spectrum {
            width: 3,
            height: 2,
            bins: (0..6).map(|x| [x as f32, -0.5 * x as f32]).collect(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let file = encode(&spectrum());
        assert_eq!(file.len(), 128 + 48);
        assert_eq!(decode(&file, Path::new("x.npy")).unwrap(), spectrum());
        // As numpy 1.x writes complex128, with version 2.0.
        let mut wide = b"\x93NUMPY\x02\x00".to_vec();
        let header = "{'descr': '<c16', 'fortran_order': False, 'shape': (1, 1), }\n";
        wide.extend((header.len() as u32).to_le_bytes());
        wide.extend(header.as_bytes());
        wide.extend([1.5f64, -2.0].iter().flat_map(|x| x.to_le_bytes()));
        let read = decode(&wide, Path::new("x.npy")).unwrap();
        assert_eq!(read.bins, [[1.5, -2.0]]);
    }

    /// The file of `spectrum` with another text in it.
    fn with(from: &str, to: &str) -> Vec<u8> {
        let file = encode(&spectrum());
        let text: String = file.into_iter().map(char::from).collect();
        let text = text.replacen(from, to, 1);
        text.chars().map(|c| c as u8).collect()
    }

    #[test]
    fn arrays_may_lie_column_after_column() {
        let file = with("False", "True ");
        let read = decode(&file, Path::new("x.npy")).unwrap();
        assert_eq!((read.width, read.height), (3, 2));
        let real = read.bins.iter().map(|bin| bin[0]);
        assert!(real.eq([0.0, 2.0, 4.0, 1.0, 3.0, 5.0]), "{:?}", read.bins);
    }

    #[test]
    fn what_is_none_is_refused() {
        let good = encode(&spectrum());
        for (file, wanted) in [
            (b"PNG".to_vec(), "no .npy file"),
            (good[..9].to_vec(), "no .npy file"),
            (good[..good.len() - 1].to_vec(), "ends before"),
            (with("<c8", "<f4"), "of <f4"),
            (with("False", "Maybe"), "order"),
            (with("(2, 3)", "(6,)  "), "two dimensions"),
            (with("(2, 3)", "(9, 3)"), "ends before"),
        ] {
            let failure = decode(&file, Path::new("x.npy")).unwrap_err();
            assert!(failure.message.contains(wanted), "{failure}");
            assert!(failure.message.contains("numpy.save"), "{failure}");
        }
    }
}
