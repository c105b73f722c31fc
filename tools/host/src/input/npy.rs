//! Arrays of NumPy as recordings: one dimension, real or complex.

use super::{Bytes, Channel, Reading, Recording, Samples};
use crate::npy::{Element, Header, MOST};
use common::failure::{Failure, Result};

/// Reads an array.
pub fn read(name: &str, bytes: Bytes, how: &Reading) -> Result<Recording> {
    let wrong = |what: &str, remedy: &str| Failure::usage(format!("{name}: {what}; {remedy}"));
    let header = Header::decode(&bytes.some(0, MOST)?).map_err(|what| {
        wrong(
            &what,
            "save an array of samples with `numpy.save(name, samples)`",
        )
    })?;
    let count = match header.shape[..] {
        [count] => count,
        _ => {
            let sides: Vec<_> = header.shape.iter().map(u64::to_string).collect();
            return Err(wrong(
                &format!(
                    "the array has {} dimensions ({})",
                    sides.len(),
                    sides.join(" x ")
                ),
                "save one row or column, for example with `numpy.save(name, array[:, 0])`",
            ));
        }
    };
    if count == 0 {
        return Err(wrong("the array is empty", "choose another recording"));
    }
    let Element::Sample(format) = header.element else {
        return Err(wrong(
            &format!(
                "the array is of {}, of which no full scale is known",
                header.element.name()
            ),
            "save it as floats with full scale 1: `numpy.save(name, (samples / full_scale).astype('f4'))`",
        ));
    };
    let needed = count.checked_mul(format.bytes() as u64);
    let there = bytes.len().saturating_sub(header.bytes as u64);
    if needed.is_none_or(|needed| needed > there) {
        return Err(wrong(
            "the file ends before the array does",
            "copy or save it again",
        ));
    }
    let rate = how.rate.ok_or_else(|| {
        wrong(
            "an array does not say its sample rate",
            "give it with --rate, for example --rate 2M",
        )
    })?;
    let samples = Samples::new(bytes, format, header.bytes as u64, count);
    let format = format!("NPY {}", format.name());
    Ok(Recording::new(
        name,
        format,
        rate,
        vec![Channel::only(samples)],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::npy::encode;

    fn read(descr: &str, shape: &[u64], data: &[u8]) -> Result<Recording> {
        let how = Reading {
            rate: signal::Rate::new(1, 1),
            ..Reading::default()
        };
        let file = [&encode(descr, shape), data].concat();
        super::read("a.npy", file.into(), &how)
    }

    #[test]
    fn arrays_of_one_dimension_are_samples() {
        let recording = read("<i2", &[2], &[0, 0x40, 0, 0xc0]).expect("an array");
        let values = recording.channels[0].samples.values(0, 9).expect("values");
        assert_eq!(values, [0.5, -0.5]);
        assert_eq!(
            (recording.is_complex(), &*recording.format),
            (false, "NPY i16")
        );
        let recording = read("<c8", &[2], &[0; 16]).expect("an array");
        assert_eq!(
            (recording.is_complex(), recording.channels[0].points()),
            (true, 2)
        );
    }

    #[test]
    fn others_are_refused_with_what_to_do() {
        for (descr, shape, data, wanted) in [
            ("<c8", &[2, 2][..], 32, "2 dimensions (2 x 2); save one row"),
            ("<c8", &[], 8, "0 dimensions"),
            ("<c8", &[2], 15, "ends before the array"),
            ("<c8", &[u64::MAX], 15, "ends before the array"),
            ("<c8", &[0], 0, "empty"),
            ("<U8", &[2], 64, "no samples; save"),
            (
                "<i8",
                &[2],
                16,
                "of i64, of which no full scale is known; save it as floats",
            ),
            ("<f2", &[2], 4, "of f16, of which"),
            ("|b1", &[2], 2, "of bool, of which"),
        ] {
            let failure = read(descr, shape, &vec![0; data]).expect_err(wanted);
            assert!(failure.message.contains(wanted), "{failure}");
        }
        let file = [encode("<f4", &[1]), vec![0; 4]].concat();
        let failure = super::read("a.npy", file.into(), &Reading::default()).expect_err("no rate");
        assert!(failure.message.contains("--rate 2M"), "{failure}");
    }
}
