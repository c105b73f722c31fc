//! What is transformed: length, batch, direction, kind of samples.

use qpu::fft::Direction;
use serde::{Deserialize, Serialize};

/// Kinds of transforms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// f32 complex to f32 complex.
    Complex,
}

impl Kind {
    /// As in tables and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Complex => "complex",
        }
    }
}

/// One transform, or a batch of them in one launch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Case {
    /// Of the number of points.
    pub log2n: u32,
    /// Transforms.
    pub batch: u32,
    /// Sign of the exponent.
    pub direction: Direction,
    /// Kind of samples.
    pub kind: Kind,
}

impl Case {
    /// Points of the whole batch.
    #[must_use]
    pub const fn points(&self) -> u64 {
        (self.batch as u64) << self.log2n
    }

    /// Floating-point operations by the usual count, 5 N log2 N a transform.
    #[must_use]
    pub const fn flops(&self) -> u64 {
        5 * self.points() * self.log2n as u64
    }

    /// `forward` or `inverse`.
    #[must_use]
    pub const fn direction_name(&self) -> &'static str {
        match self.direction {
            Direction::Forward => "forward",
            Direction::Inverse => "inverse",
        }
    }

    /// As in a message.
    #[must_use]
    pub fn name(&self) -> String {
        let (kind, direction) = (self.kind.name(), self.direction_name());
        format!("2^{} x {} {direction} {kind}", self.log2n, self.batch)
    }
}

/// Lengths that GPU_FFT 3.0 has.
pub const PEER_LENGTHS: std::ops::RangeInclusive<u32> = 8..=22;

/// Lengths at batch 1 that are asked for.
pub const LENGTHS: std::ops::RangeInclusive<u32> = 4..=22;

/// The longest of the batches of ten.
pub const LONGEST_OF_TEN: u32 = 15;

/// All transforms of a full run: batch 1 of every length, batch 10 up to 2^15, both directions.
#[must_use]
pub fn all() -> Vec<Case> {
    let batches = |log2n| {
        let ten = (log2n <= LONGEST_OF_TEN).then_some(10);
        std::iter::once(1).chain(ten)
    };
    let shapes = LENGTHS.flat_map(|log2n| batches(log2n).map(move |batch| (log2n, batch)));
    let cases = shapes.flat_map(|(log2n, batch)| {
        [Direction::Inverse, Direction::Forward].map(|direction| Case {
            log2n,
            batch,
            direction,
            kind: Kind::Complex,
        })
    });
    cases.collect()
}
