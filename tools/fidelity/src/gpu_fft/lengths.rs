//! The lengths that GPU_FFT has shaders for, and what their twiddle tables hold.
//!
//! Every pass is a radix-16, 32 or 64 transform of 16 lanes. The first pass needs the twiddles
//! inside its butterfly network only; each later pass multiplies by twiddles that advance from step
//! to step by a constant angle, so its table is that angle (a "step"); the last pass's first
//! twiddles differ between QPUs.

use crate::userland::Release;

/// The radix and the angle, in turns / N, of the recurrence of one pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// 16, 32 or 64.
    pub radix: u32,
    /// Angle factor.
    pub factor: u32,
}

/// A transform length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Length {
    /// log2 of the number of points.
    pub log2n: u32,
    /// The name of the length in that of the shader's file.
    pub name: &'static str,
    /// Radix of the first pass.
    pub first: u32,
    /// Recurrences of the later passes.
    pub steps: &'static [Step],
    /// Radix of the tables that each QPU has of its own.
    pub own: u32,
}

impl Length {
    /// The length of 2^`log2n` points, where a release has it.
    #[must_use]
    pub fn find(release: Release, log2n: u32) -> Option<&'static Self> {
        let length = LENGTHS.iter().find(|length| length.log2n == log2n)?;
        (log2n <= Self::largest(release)).then_some(length)
    }

    /// The longest that a release has.
    #[must_use]
    pub const fn largest(release: Release) -> u32 {
        match release {
            Release::V2 => 21,
            Release::V3 => 22,
        }
    }

    /// Points.
    #[must_use]
    pub const fn points(&self) -> u32 {
        1 << self.log2n
    }

    /// Passes over the data.
    #[must_use]
    pub const fn passes(&self) -> usize {
        1 + self.steps.len()
    }
}

const fn step(radix: u32, factor: u32) -> Step {
    Step { radix, factor }
}

/// All of them, the shortest first.
#[rustfmt::skip]
pub const LENGTHS: &[Length] = &[
    Length { log2n: 8, name: "256", first: 16, steps: &[step(16, 8)], own: 16 },
    Length { log2n: 9, name: "512", first: 32, steps: &[step(16, 8)], own: 16 },
    Length { log2n: 10, name: "1k", first: 32, steps: &[step(32, 8)], own: 32 },
    Length { log2n: 11, name: "2k", first: 64, steps: &[step(32, 8)], own: 32 },
    Length { log2n: 12, name: "4k", first: 16, steps: &[step(16, 16), step(16, 8)], own: 16 },
    Length { log2n: 13, name: "8k", first: 32, steps: &[step(16, 16), step(16, 8)], own: 16 },
    Length { log2n: 14, name: "16k", first: 32, steps: &[step(32, 16), step(16, 8)], own: 16 },
    Length { log2n: 15, name: "32k", first: 32, steps: &[step(32, 32), step(32, 8)], own: 32 },
    Length { log2n: 16, name: "64k", first: 64, steps: &[step(32, 32), step(32, 8)], own: 32 },
    Length { log2n: 17, name: "128k", first: 32, steps: &[step(16, 256), step(16, 16), step(16, 8)], own: 16 },
    Length { log2n: 18, name: "256k", first: 32, steps: &[step(16, 512), step(16, 32), step(32, 8)], own: 32 },
    Length { log2n: 19, name: "512k", first: 32, steps: &[step(16, 1024), step(32, 32), step(32, 8)], own: 32 },
    Length { log2n: 20, name: "1024k", first: 32, steps: &[step(32, 1024), step(32, 32), step(32, 8)], own: 32 },
    Length { log2n: 21, name: "2048k", first: 64, steps: &[step(32, 1024), step(32, 32), step(32, 8)], own: 32 },
    Length { log2n: 22, name: "4096k", first: 64, steps: &[step(64, 1024), step(32, 32), step(32, 8)], own: 32 },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_has_its_lengths_and_no_others() {
        assert_eq!(
            Length::find(Release::V3, 22).map(Length::points),
            Some(1 << 22)
        );
        assert_eq!(Length::find(Release::V2, 22), None);
        assert_eq!(Length::find(Release::V3, 7), None);
        let passes: Vec<usize> = LENGTHS.iter().map(Length::passes).collect();
        assert_eq!(passes, [2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4]);
    }
}
