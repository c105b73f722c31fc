//! The shortest time that memory and arithmetic leave to a transform.
//!
//! Memory: each pass reads and writes every point once, 16 N bytes, at the best rate at which the model
//! does both at a time ([`crate::copy`]), in the level of memory that input and output fit in together. One
//! pass up to 2^8 points, two up to 2^16, three above. Arithmetic: 5 N log2 N operations at 24 a
//! nanosecond, both ALUs of twelve QPUs at 250 MHz. The larger of both is the floor.

use crate::case::Case;
use crate::copy::{Level, bytes_per_clock};
use anyhow::Result;
use v3d_sim::{Board, Constants};

/// Bytes of an interleaved complex point.
const POINT_BYTES: u64 = 8;

/// Operations a clock: 12 QPUs of 4 lanes with 2 ALUs.
const FLOPS_PER_CLOCK: f64 = 96.0;

/// Passes over memory that a length needs at least.
#[must_use]
pub const fn passes(log2n: u32) -> u32 {
    match log2n {
        0..=8 => 1,
        9..=16 => 2,
        _ => 3,
    }
}

/// What the model's memory can do.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Roofline {
    system_l2: f64,
    sdram: f64,
    /// As much of it as serves V3D.
    system_l2_bytes: u32,
}

/// The least that a transform takes, in V3D clocks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Floor {
    /// Where input and output lie.
    pub level: Level,
    /// For moving the points.
    pub memory: f64,
    /// For computing.
    pub arithmetic: f64,
}

impl Floor {
    /// The larger of both.
    #[must_use]
    pub const fn clocks(&self) -> f64 {
        self.memory.max(self.arithmetic)
    }
}

impl Roofline {
    /// Measures the rates.
    ///
    /// # Errors
    /// When a program of the microbenchmarks does not end well.
    pub fn measure(constants: &Constants) -> Result<Self> {
        Ok(Self {
            system_l2: bytes_per_clock(Level::SystemL2, constants)?,
            sdram: bytes_per_clock(Level::Sdram, constants)?,
            system_l2_bytes: constants.system_l2_bytes,
        })
    }

    /// Bytes a clock, read and written together.
    #[must_use]
    pub const fn rate(&self, level: Level) -> f64 {
        match level {
            Level::SystemL2 => self.system_l2,
            Level::Sdram => self.sdram,
        }
    }

    /// The same in millions of bytes a second.
    #[must_use]
    pub fn megabytes_per_second(&self, level: Level) -> f64 {
        self.rate(level) * f64::from(Board::Pi1.clock_hz()) / 1e6
    }

    /// The floor of a case.
    #[must_use]
    pub fn floor(&self, case: &Case) -> Floor {
        let bytes = 2 * POINT_BYTES * case.points();
        let level = if bytes <= u64::from(self.system_l2_bytes) {
            Level::SystemL2
        } else {
            Level::Sdram
        };
        let passes = u64::from(passes(case.log2n));
        Floor {
            level,
            memory: (bytes * passes) as f64 / self.rate(level),
            arithmetic: case.flops() as f64 / FLOPS_PER_CLOCK,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Kind;
    use qpu::fft::Direction;

    #[test]
    fn a_floor_is_what_the_definition_says() {
        let roofline = Roofline {
            system_l2: 8.0,
            sdram: 4.0,
            system_l2_bytes: 128 << 10,
        };
        let floor = |log2n, batch| {
            roofline.floor(&Case {
                log2n,
                batch,
                direction: Direction::Inverse,
                kind: Kind::Complex,
            })
        };
        // 16 x 256 bytes once at 8 a clock; 5 x 256 x 8 operations at 96.
        assert_eq!(floor(8, 1).memory, 512.0);
        assert_eq!(floor(8, 1).arithmetic, 10_240.0 / 96.0);
        assert_eq!(floor(13, 1).level, Level::SystemL2);
        assert_eq!(floor(14, 1).level, Level::Sdram);
        assert_eq!(floor(10, 10).level, Level::Sdram);
        assert_eq!(floor(16, 1).memory, f64::from(2u32 * (16 << 16) / 4));
        assert_eq!(floor(17, 1).memory, f64::from(3u32 * (16 << 17) / 4));
        assert_eq!(floor(17, 1).clocks(), floor(17, 1).memory);
    }
}
