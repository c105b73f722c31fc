//! Samples at or beyond full scale, counted as a file has them.
//!
//! A board counts what has come when it finishes a record, which may be samples of the next one;
//! and numbers that travel as wider ones it does not know by their ends.

use super::{Number, Samples};
use common::failure::Result;

/// Samples that are in memory at a time.
const PIECE: u64 = 1 << 12;
/// Within so much of full scale a number of 32 bits is one whose upper 24 are at their end.
const STEP_OF_24: f64 = 1.0 / (1 << 23) as f64;

impl Number {
    /// The values that are not clipped lie between these: above the first, below the second.
    ///
    /// A floating point number has none at full scale that its converter could not pass. So only
    /// what is beyond counts.
    const fn limits(self) -> [f64; 2] {
        match self {
            Self::U8 | Self::U8High => [-1.0, 1.0],
            Self::WavU8 | Self::I8 => [-1.0, 127.0 / 128.0],
            Self::U16 | Self::I16 => [-1.0, 32_767.0 / 32_768.0],
            Self::I24 | Self::U32 | Self::I32 => [-1.0 + STEP_OF_24, 1.0 - STEP_OF_24],
            Self::F32 | Self::F64 => [(-1.0_f64).next_down(), 1.0_f64.next_up()],
        }
    }

    /// Returns whether a value is at the end of the numbers of this kind, or beyond full scale.
    fn is_clipped(self, value: f64) -> bool {
        let [low, high] = self.limits();
        match self {
            // The lowest step of 24 bits ends below the next one.
            Self::I24 | Self::U32 | Self::I32 => value < low || value >= high,
            _ => value <= low || value >= high,
        }
    }
}

impl Samples {
    /// Samples from number `first` to before number `end` that are clipped, of complex ones in
    /// either part.
    ///
    /// # Errors
    /// Usage, when the file cannot be read any more.
    pub fn clipped(&self, first: u64, end: u64) -> Result<u64> {
        let written = self.clone().as_written();
        let (number, parts) = (self.format().number, self.format().parts());
        let mut count = 0;
        let mut from = first;
        while from < end {
            let piece = PIECE.min(end - from);
            let values = written.values(from, piece)?;
            let is_clipped = |sample: &&[f64]| sample.iter().any(|value| number.is_clipped(*value));
            count += values.chunks(parts).filter(is_clipped).count() as u64;
            from += piece;
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::*;

    fn clipped(format: &str, bytes: &[u8]) -> u64 {
        let format = Format::from_name(format).expect(format);
        let samples = Samples::all(bytes.to_vec().into(), format, 0);
        samples.clipped(0, samples.count()).expect("samples")
    }

    #[test]
    fn numbers_at_the_ends_of_every_format_are_clipped() {
        assert_eq!(clipped("u8", &[0, 1, 127, 254, 255]), 2);
        assert_eq!(clipped("i8", &[0x80, 0x81, 0, 0x7e, 0x7f]), 2);
        let bytes = |values: &[i16]| -> Vec<u8> {
            values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect()
        };
        let ends = [i16::MIN, i16::MIN + 1, 0, i16::MAX - 1, i16::MAX];
        assert_eq!(clipped("i16", &bytes(&ends)), 2);
        assert_eq!(clipped("u16", &bytes(&[0, 1, -2, -1])), 2);
        assert_eq!(
            clipped("u8-high", &bytes(&[0x00ff, 0x0100, -0x100, -0x101])),
            2
        );
        let values = [
            i32::MIN,
            i32::MIN + 0xff,
            i32::MIN + 0x100,
            0x7fff_feff,
            0x7fff_ff00,
        ];
        let wide: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        assert_eq!(clipped("i32", &wide), 3);
        let floats = [-1.5_f32, -1.0, 0.0, 1.0, 1.0_f32.next_up()];
        let floats: Vec<u8> = floats
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        assert_eq!(clipped("f32", &floats), 2);
    }

    #[test]
    fn a_pair_is_clipped_once_and_in_its_own_range() {
        let format = Format::from_name("cu8").expect("a format");
        let mut bytes = vec![100; 20_000];
        bytes[8000..8004].fill(255);
        bytes[8005] = 0;
        let samples = Samples::all(bytes.into(), format, 0);
        let clipped = |first, end| samples.clipped(first, end).expect("samples");
        assert_eq!(
            [clipped(0, 10_000), clipped(0, 4001), clipped(4001, 10_000)],
            [3, 1, 2]
        );
        let detrended = samples.clone().as_f32();
        assert_eq!(detrended.clipped(0, 10_000).expect("samples"), 3);
    }
}
