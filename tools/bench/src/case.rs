//! The case that is transformed: length, batch, direction, kind of samples.

use clap::ValueEnum;
use flowgraph::plan::bound::Bound;
use qpu_fft::Direction;
use qpu_fft::request::{Request, Transform};
use qpu_fft::samples::Format;
use qpu_fft::spectrum::Settings;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Kinds of transforms.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// f32 complex to f32 complex.
    Complex,
    /// f32 real to bins 0 to N/2, and back.
    Real,
    /// i16 real to bins 0 to N/2.
    RealI16,
    /// u8 I/Q to bins, as from an RTL-SDR receiver.
    IqU8,
    /// i16 real to the mean power of [`SEGMENTS`] segments, in Hann's window, that overlap by half.
    Spectrum,
}

/// Segments of a spectrum.
pub const SEGMENTS: u32 = 16;

/// a(0), a(1) of Hann's window.
pub const HANN: [f64; 2] = [0.5, 0.5];

impl Kind {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Complex,
        Self::Real,
        Self::RealI16,
        Self::IqU8,
        Self::Spectrum,
    ];

    /// The name in tables and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Complex => "complex",
            Self::Real => "real",
            Self::RealI16 => "real-i16",
            Self::IqU8 => "iq-u8",
            Self::Spectrum => "spectrum",
        }
    }

    /// For a heading.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Complex => "complex f32",
            Self::Real => "real f32",
            Self::RealI16 => "real i16 samples to bins",
            Self::IqU8 => "u8 I/Q samples to bins",
            Self::Spectrum => "real i16 samples to a power spectrum",
        }
    }

    /// Lengths of a full run, as powers of two. Longer real ones take the simulator long, and are
    /// complex ones of half the length with one more pass.
    #[must_use]
    pub const fn lengths(self) -> RangeInclusive<u32> {
        match self {
            Self::Complex => LENGTHS,
            Self::Real => 5..=20,
            Self::RealI16 => 5..=17,
            Self::IqU8 => 4..=17,
            Self::Spectrum => 5..=14,
        }
    }

    const fn directions(self) -> &'static [Direction] {
        match self {
            Self::Complex | Self::Real => &[Direction::Inverse, Direction::Forward],
            Self::RealI16 | Self::IqU8 | Self::Spectrum => &[Direction::Forward],
        }
    }

    /// True if there are ten in a batch, up to a length.
    const fn has_tens(self) -> bool {
        matches!(self, Self::Complex)
    }
}

/// A direction as it is recorded.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Direction", rename_all = "lowercase")]
enum DirectionName {
    Forward,
    Inverse,
}

/// One transform, or a batch of them in one launch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Case {
    /// log2 of the number of points.
    pub log2n: u32,
    /// Transforms.
    pub batch: u32,
    /// Sign of the exponent.
    #[serde(with = "DirectionName")]
    pub direction: Direction,
    /// Kind of samples.
    pub kind: Kind,
}

impl Case {
    /// Points of the whole batch; of spectra, of all segments.
    #[must_use]
    pub const fn points(&self) -> u64 {
        let segments = match self.kind {
            Kind::Spectrum => SEGMENTS,
            _ => 1,
        };
        (self.batch as u64 * segments as u64) << self.log2n
    }

    /// True if points are real.
    #[must_use]
    pub const fn is_real(&self) -> bool {
        matches!(self.kind, Kind::Real | Kind::RealI16 | Kind::Spectrum)
    }

    /// True if GPU_FFT 3.0 has it, in one direction at least.
    #[must_use]
    pub fn has_peer(&self) -> bool {
        self.kind == Kind::Complex && PEER_LENGTHS.contains(&self.log2n)
    }

    /// Floating-point operations by the usual count, 5 N log2 N a complex transform and half of it
    /// a real one.
    #[must_use]
    pub const fn flops(&self) -> u64 {
        5 * self.points() * self.log2n as u64 / (1 + self.is_real() as u64)
    }

    /// The request for a plan.
    #[must_use]
    pub fn request(&self) -> Request {
        let log2_points = self.log2n;
        let of = |samples, transform| Request {
            samples,
            ..Request::of(transform, self.batch)
        };
        match (self.kind, self.direction) {
            (Kind::Complex, _) => Request::new(log2_points, self.batch),
            (Kind::Real, Direction::Inverse) => {
                of(Format::F32, Transform::BinsToReal { log2_points })
            }
            (Kind::Real, _) => of(Format::F32, Transform::RealToBins { log2_points }),
            (Kind::RealI16, _) => of(Format::I16, Transform::RealToBins { log2_points }),
            (Kind::IqU8, _) => of(Format::U8, Transform::Complex { log2_points }),
            (Kind::Spectrum, _) => {
                Settings::new(true, Format::I16, log2_points, SEGMENTS).request(&HANN)
            }
        }
    }

    /// Bytes that so many passes move: input and output once, and all points as complex f32 between
    /// passes.
    #[must_use]
    pub fn moved(&self, passes: u32) -> u64 {
        let request = self.request();
        let complex = self.points() >> u32::from(self.is_real());
        let between = 16 * complex * u64::from(passes.saturating_sub(1));
        request.input_bytes() + request.output_bytes() + between
    }

    /// The least that it takes.
    #[must_use]
    pub fn bound(&self) -> Bound {
        Bound::of_request(&self.request())
    }

    /// `forward` or `inverse`.
    #[must_use]
    pub const fn direction_name(&self) -> &'static str {
        match self.direction {
            Direction::Forward => "forward",
            Direction::Inverse => "inverse",
        }
    }

    /// The name in a message.
    #[must_use]
    pub fn name(&self) -> String {
        let (kind, direction) = (self.kind.name(), self.direction_name());
        format!("2^{} x {} {direction} {kind}", self.log2n, self.batch)
    }
}

/// Lengths that GPU_FFT 3.0 has.
pub const PEER_LENGTHS: RangeInclusive<u32> = 8..=22;

/// Lengths at batch 1 that are asked for.
pub const LENGTHS: RangeInclusive<u32> = 4..=22;

/// The longest of the batches of ten.
pub const LONGEST_OF_TEN: u32 = 15;

/// All transforms of a full run: complex ones alone and up to 2^15 in tens, all others alone, in
/// the directions that they have.
#[must_use]
pub fn all() -> Vec<Case> {
    let of_kind = |kind: Kind| {
        let batches = move |log2n| {
            let ten = (kind.has_tens() && log2n <= LONGEST_OF_TEN).then_some(10);
            std::iter::once(1).chain(ten)
        };
        let lengths = kind.lengths();
        let shapes = lengths.flat_map(move |log2n| batches(log2n).map(move |batch| (log2n, batch)));
        shapes.flat_map(move |(log2n, batch)| {
            let directions = kind.directions().iter();
            directions.map(move |&direction| Case {
                log2n,
                batch,
                direction,
                kind,
            })
        })
    };
    Kind::ALL.into_iter().flat_map(of_kind).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_the_definition() {
        for case in all() {
            let bound = Bound::new(case.request().output_bytes(), case.flops());
            assert_eq!(case.bound(), bound, "{}", case.name());
        }
    }

    #[test]
    fn a_spectrum_reads_samples_once_and_writes_powers() {
        let case = Case {
            log2n: 12,
            batch: 1,
            direction: Direction::Forward,
            kind: Kind::Spectrum,
        };
        // 17 halves of 4096 samples of two bytes, 129 rows of sixteen powers.
        assert_eq!(case.moved(1), 17 * 2048 * 2 + 129 * 64);
        // Sixteen times 2048 points, once between two passes.
        assert_eq!(case.moved(2) - case.moved(1), 16 * 16 * 2048);
        assert_eq!(case.flops(), 16 * 5 * 4096 * 12 / 2);
    }
}
