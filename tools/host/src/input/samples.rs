//! The samples of a channel, read in pieces.
//!
//! They stay where they are, in a file or in memory, until a piece is asked for. A mean and a
//! straight line may be taken off each piece on its way.

use super::bytes::Bytes;
use crate::format::{Format, Number};
use common::failure::{Failure, Result};
use common::progress::Progress;

/// Samples of a pass over all of them that are in memory at a time.
const PIECE: u64 = 1 << 12;

/// The place of a channel's samples, and the way in which they are written.
#[derive(Clone, Debug)]
pub struct Samples {
    bytes: Bytes,
    format: Format,
    /// The first byte of the first one.
    start: u64,
    /// Bytes from one to the next.
    step: u64,
    count: u64,
    /// The lines that are taken off the parts of samples.
    trend: Option<[TrendLine; 2]>,
}

/// A straight line over the numbers of samples.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct TrendLine {
    /// Its value in the middle of the samples.
    pub mean: f64,
    /// Its rise from one sample to the next.
    pub slope: f64,
}

impl Samples {
    /// `count` samples from the byte `start` on, each behind the other.
    #[must_use]
    pub const fn new(bytes: Bytes, format: Format, start: u64, count: u64) -> Self {
        Self {
            bytes,
            step: format.bytes() as u64,
            format,
            start,
            count,
            trend: None,
        }
    }

    /// All samples that the bytes have from `start` on.
    #[must_use]
    pub const fn all(bytes: Bytes, format: Format, start: u64) -> Self {
        let count = bytes.len().saturating_sub(start) / format.bytes() as u64;
        Self::new(bytes, format, start, count)
    }

    /// Complex samples of 8 bits: I and Q in turns.
    #[must_use]
    pub fn of_pairs(values: Vec<u8>) -> Self {
        Self::all(values.into(), Format::new(Number::U8, true), 0)
    }

    /// Real numbers in double precision.
    #[must_use]
    pub fn of_f64(values: &[f64]) -> Self {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        Self::all(bytes.into(), Format::new(Number::F64, false), 0)
    }

    /// One of two channels whose samples take turns: 0 or 1.
    #[must_use]
    pub const fn every_second(mut self, channel: u64) -> Self {
        self.start += channel * self.step;
        self.step *= 2;
        self.count /= 2;
        self
    }

    /// The number of samples; of complex ones, of pairs.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The way in which each number is written.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The wire's name of the format in which they travel.
    #[must_use]
    pub const fn on_wire(&self) -> wire::SampleFormat {
        match self.trend {
            Some(_) => wire::SampleFormat::F32,
            None => self.format.number.on_wire(),
        }
    }

    /// These samples, which travel as f32 whatever they are.
    #[must_use]
    pub fn as_f32(mut self) -> Self {
        self.trend.get_or_insert_default();
        self
    }

    /// These samples as they are written, from which nothing is taken off.
    #[must_use]
    pub const fn as_written(mut self) -> Self {
        self.trend = None;
        self
    }

    /// The domain of a sample on the wire: real, or complex.
    #[must_use]
    pub const fn domain(&self) -> wire::Domain {
        match self.format.is_complex {
            true => wire::Domain::Complex,
            false => wire::Domain::Real,
        }
    }

    /// Takes a line off each part of the samples from here on.
    pub const fn take_off(&mut self, lines: [TrendLine; 2]) {
        self.trend = Some(lines);
    }

    /// The bytes of `count` samples from number `first` on, without what lies between them.
    fn piece(&self, first: u64, count: u64) -> Result<Vec<u8>> {
        let (width, step) = (self.format.bytes(), self.step as usize);
        let count = count.min(self.count.saturating_sub(first)) as usize;
        if count == 0 {
            return Ok(vec![]);
        }
        let mut bytes = vec![0; (count - 1) * step + width];
        let read = self
            .bytes
            .read_at(self.start + first * self.step, &mut bytes)?;
        if read != bytes.len() {
            return Err(Failure::usage(
                "the recording ends before its last sample; copy or record it again",
            ));
        }
        if step == width {
            return Ok(bytes);
        }
        let samples = bytes.chunks(step).flat_map(|sample| &sample[..width]);
        Ok(samples.copied().collect())
    }

    /// The values of `count` samples from number `first` on, or of as many as there are; parts of
    /// complex ones take turns. Full scale is 1.
    ///
    /// # Errors
    /// Usage, when the file cannot be read any more.
    pub fn values(&self, first: u64, count: u64) -> Result<Vec<f64>> {
        let mut values = vec![];
        self.format.values(&self.piece(first, count)?, &mut values);
        let Some(lines) = self.trend else {
            return Ok(values);
        };
        let parts = self.format.parts();
        let middle = self.count as f64 / 2.0 - 0.5;
        for (at, value) in values.iter_mut().enumerate() {
            let line = lines[at % parts];
            *value -= line.mean + line.slope * ((first + (at / parts) as u64) as f64 - middle);
        }
        Ok(values)
    }

    /// `count` samples from number `first` on as they travel: [`Samples::on_wire`], little-endian.
    ///
    /// # Errors
    /// As [`Samples::values`].
    pub fn travel(&self, first: u64, count: u64) -> Result<Vec<u8>> {
        let mut out = vec![];
        match self.trend {
            None => self.format.travel(&self.piece(first, count)?, &mut out),
            Some(_) => {
                let values = self.values(first, count)?;
                out.extend(values.iter().flat_map(|&x| (x as f32).to_le_bytes()));
            }
        }
        Ok(out)
    }

    /// Hands over the values of all samples, in pieces with the number of their first sample.
    ///
    /// # Errors
    /// As [`Samples::values`], and what `take` gives.
    pub fn each(&self, mut take: impl FnMut(u64, &[f64]) -> Result<()>) -> Result<()> {
        let mut progress = Progress::new("reading", self.count, "samples");
        for first in (0..self.count).step_by(PIECE as usize) {
            take(first, &self.values(first, PIECE)?)?;
            progress.set(first);
        }
        Ok(())
    }

    /// The straight line of least squares through each part of the samples. The second of real ones
    /// is 0.
    ///
    /// # Errors
    /// As [`Samples::values`].
    pub fn lines(&self) -> Result<[TrendLine; 2]> {
        let parts = self.format.parts();
        let count = self.count as f64;
        let middle = count / 2.0 - 0.5;
        // The means first: of large numbers on a slight slope the products would lose the slope.
        let mut lines = [TrendLine::default(); 2];
        self.each(|_, values| {
            for (at, value) in values.iter().enumerate() {
                lines[at % parts].mean += value / count;
            }
            Ok(())
        })?;
        let mut products = [0.0; 2];
        self.each(|first, values| {
            for (at, value) in values.iter().enumerate() {
                let t = (first + (at / parts) as u64) as f64 - middle;
                products[at % parts] += t * (value - lines[at % parts].mean);
            }
            Ok(())
        })?;
        // The sum of all t².
        let square = count * (count * count - 1.0) / 12.0;
        for (line, product) in lines.iter_mut().zip(products) {
            line.slope = if square > 0.0 { product / square } else { 0.0 };
        }
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Real samples of 16 bits.
    fn of_i16(values: &[i16]) -> Samples {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        Samples::all(bytes.into(), Format::new(Number::I16, false), 0)
    }

    #[test]
    fn pieces_are_the_whole() {
        let values: Vec<i16> = (0..1000).map(|x| x * 7 % 501).collect();
        let samples = of_i16(&values);
        assert_eq!(samples.count(), 1000);
        let whole = samples.values(0, u64::MAX).expect("values");
        assert_eq!(whole[3], 21.0 / 32768.0);
        let mut pieces = vec![];
        for first in (0..1000).step_by(300) {
            pieces.extend(samples.values(first, 300).expect("values"));
        }
        assert_eq!(pieces, whole);
        let mut right = vec![];
        let second = samples.every_second(1);
        second
            .each(|_, values| {
                right.extend_from_slice(values);
                Ok(())
            })
            .expect("values");
        let expected: Vec<f64> = whole.into_iter().skip(1).step_by(2).collect();
        assert_eq!(right, expected);
    }

    #[test]
    fn a_line_is_found_and_taken_off() {
        let line = |at: f64| 3.0 + 0.5 * at;
        let values: Vec<f64> = (0..100).map(|at| line(f64::from(at))).collect();
        let mut samples = Samples::of_f64(&values);
        let lines = samples.lines().expect("lines");
        assert!((lines[0].mean - line(49.5)).abs() < 1e-12, "{lines:?}");
        assert!((lines[0].slope - 0.5).abs() < 1e-12, "{lines:?}");
        samples.take_off(lines);
        let left = samples.values(0, 100).expect("values");
        assert!(left.iter().all(|x| x.abs() < 1e-12), "{left:?}");
        assert_eq!(samples.on_wire(), wire::SampleFormat::F32);
    }
}
