//! Complex points for a transform: every number of a file, in memory.
//!
//! Arrays of NumPy (one dimension, or two for a batch), tables with a column of real or two columns
//! of real and imaginary parts, and raw samples.

use std::path::Path;

use super::{Bytes, Format, Kind, name_and_ending, series};
use crate::failure::{Failure, Result};
use crate::npy::{Header, MOST};

/// Points in the order of the file.
#[derive(Clone, PartialEq, Debug)]
pub struct Points {
    /// Real and imaginary part.
    pub points: Vec<[f32; 2]>,
    /// Rows, of an array with two dimensions.
    pub rows: Option<u64>,
    /// The format that was read.
    pub format: String,
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
        let kind = Kind::of(&ending, &bytes.some(0, 16)?);
        let read = match (kind, samples) {
            (Kind::Npy, None) => Self::array(&name, bytes, most)?,
            (Kind::Series, None) => Self {
                points: series::points(&name, &series::text(&name, bytes)?)?,
                rows: None,
                format: "CSV".to_owned(),
            },
            (Kind::Raw(format), None)
            | (Kind::Raw(_) | Kind::Bare | Kind::Unknown, Some(format)) => {
                let count = bytes.len() / format.bytes() as u64;
                Self {
                    points: numbers(&name, bytes, format, 0, count, most)?,
                    rows: None,
                    format: format.name(),
                }
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
                "{name}: point {at} is no finite number in single precision; repair the file"
            )));
        }
        Ok(read)
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
        let there = bytes.len().saturating_sub(header.bytes as u64) / header.format.bytes() as u64;
        let count = header.count().filter(|&count| count <= there);
        let count = count.ok_or_else(|| wrong("the file ends before the array does"))?;
        Ok(Self {
            points: numbers(name, bytes, header.format, header.bytes as u64, count, most)?,
            rows,
            format: format!("NPY {}", header.format.name()),
        })
    }
}

/// `count` points from the byte `start` on.
fn numbers(
    name: &str,
    bytes: &Bytes,
    format: Format,
    start: u64,
    count: u64,
    most: u64,
) -> Result<Vec<[f32; 2]>> {
    if count > most {
        return Err(Failure::usage(format!(
            "{name} holds {count} points, and at most {most} are transformed at a time; cut it"
        )));
    }
    let mut values = vec![];
    let bytes = bytes.some(start, count as usize * format.bytes())?;
    format.values(&bytes, &mut values);
    let pair = |pair: &[f64]| [pair[0] as f32, pair.get(1).map_or(0.0, |im| *im as f32)];
    Ok(values.chunks(format.parts()).map(pair).collect())
}
