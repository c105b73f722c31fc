//! Spectra as .npy files: two-dimensional arrays of complex64, as `numpy.save` writes them.
//!
//! Read are complex64 and complex128, row after row (C order) or column after column (Fortran
//! order), as `numpy.fft.fft2` leaves its result.

use std::path::Path;

use super::Spectrum;
use common::failure::{Failure, Result};
use common::say;
use host::npy::{self, Element, Header};

/// The file of a spectrum.
#[must_use]
pub fn encode(spectrum: &Spectrum) -> Vec<u8> {
    let mut file = npy::encode("<c8", &[spectrum.height as u64, spectrum.width as u64]);
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
             `qpu fft2 --spectrum`",
            say::path(path)
        ))
    };
    let header = Header::decode(file).map_err(|what| wrong(&what))?;
    let format = match header.element {
        Element::Sample(format) if format.is_complex => format,
        other => {
            return Err(wrong(&format!(
                "the array is not of complex64 but of {}",
                other.name()
            )));
        }
    };
    let [height, width] = header.shape[..] else {
        return Err(wrong("the array has not two dimensions"));
    };
    let needed = header
        .count()
        .and_then(|count| count.checked_mul(format.bytes() as u64));
    let data = &file[header.bytes..];
    let Some(data) = needed.and_then(|needed| data.get(..usize::try_from(needed).ok()?)) else {
        return Err(wrong("the file ends before the array does"));
    };
    let (height, width) = (height as usize, width as usize);
    let mut parts = vec![];
    format.values(data, &mut parts);
    let place = |bin: usize| match header.by_columns {
        false => bin,
        true => bin % width * height + bin / width,
    };
    let bins = (0..height * width).map(place);
    let bins = bins.map(|bin| [parts[2 * bin] as f32, parts[2 * bin + 1] as f32]);
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
            (with("<c8", "<f4"), "of f32"),
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
