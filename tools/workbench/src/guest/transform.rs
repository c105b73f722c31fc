//! Transforms of the guest: the CPU engine's code, or microfft's, and the accuracy of its points.

use dsp::dft::relative_rms_error;
use dsp::{Complex, Direction, Radix};
use guest_fft::{MAGIC, Noise, POINTS_AT, Task};
use reference_fft::Complex as Peer;

use super::{Done, Guest};
use common::failure::{Failure, Result};

/// Names of radices, and their numbers in tasks of the guest.
pub const RADICES: [(&str, Radix, u32); 4] = [
    ("2", Radix::Two, 2),
    ("4", Radix::Four, 4),
    ("8", Radix::Eight, 8),
    ("mixed", Radix::Mixed, 0),
];

/// The code that transforms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// `dsp` in single precision.
    Single(Radix),
    /// `dsp` in double precision.
    Double(Radix),
    /// The crate microfft, in single precision.
    Microfft,
}

impl Engine {
    /// The name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Microfft => "microfft",
            Self::Single(radix) | Self::Double(radix) => match radix {
                Radix::Two => "radix 2",
                Radix::Four => "radix 4",
                Radix::Eight => "radix 8",
                Radix::Mixed => "mixed",
            },
        }
    }

    /// The guest's number for the radix.
    fn radix(self) -> u32 {
        let (Self::Single(radix) | Self::Double(radix)) = self else {
            return 0;
        };
        let known = RADICES.into_iter().find(|(_, known, _)| *known == radix);
        known.map_or(0, |(.., number)| number)
    }
}

/// One transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// The code that does it.
    pub engine: Engine,
    /// log2 of its points.
    pub log2n: u32,
    /// Sign of the exponent.
    pub direction: Direction,
}

impl Wanted {
    fn task(&self) -> Task {
        Task {
            magic: MAGIC,
            engine: match self.engine {
                Engine::Single(_) => 0,
                Engine::Double(_) => 1,
                Engine::Microfft => 2,
            },
            log2n: self.log2n,
            radix: self.engine.radix(),
            inverse: (self.direction == Direction::Inverse).into(),
            ..Task::default()
        }
    }

    /// Virtual time that it may take: ten times what sines, and thirty times what butterflies need.
    fn limit_ns(&self) -> u64 {
        let points = 1u64 << self.log2n;
        let instructions = points * (10_000 + 500 * u64::from(self.log2n)) + 10_000_000;
        // Three nanoseconds each (two clocks of 700 MHz), and as long for memory.
        6 * instructions
    }
}

/// The result.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measurement {
    /// Instructions of the transform, its call included.
    pub instructions: u64,
    /// Microseconds by the virtual Pi's clock.
    pub us: f64,
    /// Relative rms error.
    pub error: f64,
}

impl Guest {
    /// Runs one transform; `expected` is what it should give ([`reference()`]).
    ///
    /// # Errors
    /// Integrity, when the guest does not end as it should.
    pub fn transform(&self, wanted: &Wanted, expected: &[Complex<f64>]) -> Result<Measurement> {
        let done = self.run(&wanted.task(), wanted.limit_ns())?;
        let points = points(&done, wanted).ok_or_else(|| {
            Failure::integrity(
                "the guest left no points; build it anew with `cargo xtask guest`, and report this if it stays",
            )
        })?;
        Ok(Measurement {
            instructions: done.instructions(),
            us: done.us(),
            error: relative_rms_error(&points, expected),
        })
    }
}

/// The transform of the guest's input, by rustfft in double precision.
#[must_use]
pub fn reference(log2n: u32, direction: Direction) -> Vec<Complex<f64>> {
    let mut noise = Noise::default();
    let mut next = || f64::from(noise.sample());
    let mut data: Vec<_> = (0..1u32 << log2n)
        .map(|_| Peer::new(next(), next()))
        .collect();
    reference_fft::plan(data.len(), direction).process(&mut data);
    data.iter().map(|z| Complex::new(z.re, z.im)).collect()
}

/// The transform that the guest left; what microfft scales is scaled back, which is exact.
fn points(done: &Done, wanted: &Wanted) -> Option<Vec<Complex<f64>>> {
    let count = 1usize << wanted.log2n;
    let scale = match (wanted.engine, wanted.direction) {
        (Engine::Microfft, Direction::Inverse) => count as f64,
        _ => 1.0,
    };
    let numbers: Vec<f64> = if matches!(wanted.engine, Engine::Double(_)) {
        let bytes = done.bytes(POINTS_AT, 16 * count)?;
        let numbers = bytes.as_chunks().0.iter();
        numbers.map(|bytes| f64::from_le_bytes(*bytes)).collect()
    } else {
        let bytes = done.bytes(POINTS_AT, 8 * count)?;
        let numbers = bytes.as_chunks().0.iter();
        numbers
            .map(|bytes| f64::from(f32::from_le_bytes(*bytes)))
            .collect()
    };
    let pairs = numbers.as_chunks::<2>().0.iter();
    Some(
        pairs
            .map(|[re, im]| Complex::new(re * scale, im * scale))
            .collect(),
    )
}
