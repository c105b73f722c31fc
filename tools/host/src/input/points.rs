//! Complex points for a transform: every number of a file, in memory.
//!
//! Arrays of NumPy (one dimension, or two for a batch), tables with a column of real or two columns
//! of real and imaginary parts, and raw samples. Numbers of arrays and tables are taken as they
//! are, as NumPy does; raw samples have the full scale of their format.

use std::path::Path;

use super::{Bytes, Format, HEAD, Kind, container, name_and_ending, series};
use crate::npy::{Header, MOST};
use common::failure::{Failure, Result};

/// Points in the order of the file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Points {
    /// Real and imaginary part.
    pub points: Vec<[f32; 2]>,
    /// Rows, of an array with two dimensions.
    pub rows: Option<u64>,
    /// The format that was read.
    pub format: String,
    /// Numbers that single precision holds only nearly.
    pub rounded: u64,
    /// Numbers other than 0 that are smaller than the smallest normal one of single precision.
    pub tiny: u64,
}

impl Points {
    /// Reads at most `most` points; `samples` is the format of raw ones, where the ending does not
    /// say it.
    ///
    /// # Errors
    /// Usage, when the file cannot be read, holds something else, more, or nothing.
    pub fn read(path: &Path, samples: Option<Format>, most: u64) -> Result<Self> {
        Self::decode(path, &Bytes::open(path)?, samples, most)
    }

    /// Reads bytes as [`Points::read`] does a file of that name.
    ///
    /// # Errors
    /// As there.
    pub fn decode(path: &Path, bytes: &Bytes, samples: Option<Format>, most: u64) -> Result<Self> {
        let (name, ending) = name_and_ending(path);
        let head = bytes.some(0, HEAD)?;
        container::refuse(&name, &head, samples)?;
        let read = match (Kind::of(&ending, &head), samples) {
            (Kind::Npy, None) => Self::array(&name, bytes, most)?,
            (Kind::Series, None) => {
                let points = series::points(&name, &series::text(&name, bytes)?)?;
                let mut read = Self::of("CSV".to_owned());
                read.put(points.as_flattened(), 2);
                // Decimal fractions are never exact.
                read.rounded = 0;
                read
            }
            (Kind::Raw(format), None)
            | (Kind::Raw(_) | Kind::Bare | Kind::Unknown, Some(format)) => {
                let count = bytes.len() / format.bytes() as u64;
                let bytes = some(&name, bytes, 0, count, format.bytes(), most)?;
                let mut values = vec![];
                format.values(&bytes, &mut values);
                let mut read = Self::of(format.name());
                read.put(&values, format.parts());
                read
            }
            (
                Kind::Wav
                | Kind::Npy
                | Kind::Sigmf
                | Kind::SigmfArchive
                | Kind::SigmfCollection
                | Kind::Series,
                _,
            ) => {
                return Err(Failure::usage(format!(
                    "{name} cannot be transformed as it is; give points as .npy, .cf32 or .csv, without --samples where \
                     the file says its format itself"
                )));
            }
            (Kind::Bare | Kind::Unknown, None) => {
                return Err(Failure::usage(format!(
                    "{name} may hold points of any format; name it .npy, .cf32 or .csv, or say the format with \
                     --samples ({})",
                    Format::names()
                )));
            }
        };
        let is_finite = |point: &[f32; 2]| point.iter().all(|part| part.is_finite());
        if let Some(at) = read.points.iter().position(|point| !is_finite(point)) {
            return Err(Failure::usage(format!(
                "{name}: point {at} is no finite number in single precision; repair the file, or scale its numbers"
            )));
        }
        Ok(read)
    }

    const fn of(format: String) -> Self {
        Self {
            points: vec![],
            rows: None,
            format,
            rounded: 0,
            tiny: 0,
        }
    }

    /// Appends points of `parts` numbers each, in single precision.
    fn put(&mut self, numbers: &[f64], parts: usize) {
        for number in numbers {
            let single = *number as f32;
            if *number != 0.0 && single.abs() < f32::MIN_POSITIVE {
                self.tiny += 1;
            } else if f64::from(single) != *number {
                self.rounded += 1;
            }
        }
        let pair = |pair: &[f64]| [pair[0] as f32, pair.get(1).map_or(0.0, |im| *im as f32)];
        self.points.extend(numbers.chunks(parts).map(pair));
    }

    fn array(name: &str, bytes: &Bytes, most: u64) -> Result<Self> {
        let wrong = |what: &str| {
            Failure::usage(format!(
                "{name}: {what}; save points with `numpy.save(name, points)`, a batch as an array of rows"
            ))
        };
        let header = Header::decode(&bytes.some(0, MOST)?).map_err(|what| wrong(&what))?;
        let rows = match header.shape[..] {
            [_] => None,
            [rows, _] if !header.by_columns => Some(rows),
            [_, _] => return Err(wrong("its columns lie together, as in Fortran")),
            _ => return Err(wrong("it has neither one nor two dimensions")),
        };
        let element = header.element;
        let start = header.bytes as u64;
        let there = bytes.len().saturating_sub(start) / element.bytes() as u64;
        let count = header.count().filter(|&count| count <= there);
        let count = count.ok_or_else(|| wrong("the file ends before the array does"))?;
        let bytes = some(name, bytes, start, count, element.bytes(), most)?;
        let mut numbers = vec![];
        element.numbers(&bytes, &mut numbers);
        let mut read = Self::of(format!("NPY {}", element.name()));
        read.put(&numbers, element.parts());
        read.rows = rows;
        Ok(read)
    }
}

/// The bytes of `count` points of `width` bytes, from the byte `start` on.
fn some(
    name: &str,
    bytes: &Bytes,
    start: u64,
    count: u64,
    width: usize,
    most: u64,
) -> Result<Vec<u8>> {
    if count > most {
        return Err(Failure::usage(format!(
            "{name} holds {count} points, and at most {most} are transformed at a time; cut it"
        )));
    }
    bytes.some(start, count as usize * width)
}
