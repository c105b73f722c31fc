//! The shortest time that memory and arithmetic leave to a transform.
//!
//! Memory: each pass reads and writes every point once, 16 N bytes, at the best rate at which the
//! model does both at a time, in the level of memory that input and output fit in together. One
//! pass up to 2^8 points, two up to 2^16, three above. Arithmetic: 5 N log2 N operations at 24 a
//! nanosecond, both ALUs of twelve QPUs at 250 MHz. The larger of both is the floor.
//!
//! Other kinds follow: input and output count as the bytes that they are, complex points, of which
//! N real ones are half as many, 16 bytes between passes, and operations of real transforms half. A
//! plane counts as a transform of all its points, a convolution as all its transforms, with spectra
//! between those there and those back.

use qpu::fft::kernels::sizes::POINT_BYTES;
use qpu::fft::request::{Request, Transform};

/// Operations a clock: 12 QPUs of 4 lanes with 2 ALUs.
const FLOPS_PER_CLOCK: f64 = 96.0;

/// Passes over memory that a length needs at least.
#[must_use]
pub const fn passes(log2_points: u32) -> u32 {
    match log2_points {
        0..=8 => 1,
        9..=16 => 2,
        _ => 3,
    }
}

/// The level of memory that data lie in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// The cache that V3D shares with the rest of the chip.
    SystemL2,
    /// Behind it.
    Sdram,
}

impl Level {
    /// The name in a table.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SystemL2 => "system L2",
            Self::Sdram => "SDRAM",
        }
    }
}

/// The rates of the memory: bytes a V3D clock, read and written together, as many of each.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Roofline {
    /// In the system L2.
    pub system_l2: f64,
    /// Behind it.
    pub sdram: f64,
    /// Bytes of the system L2 that serve V3D.
    pub system_l2_bytes: u32,
}

/// The least that a transform takes, in V3D clocks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Floor {
    /// The level that holds input and output.
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
    /// The roofline of a Pi 1 or Zero, as `cargo xtask bench` measures it on the simulator; its
    /// tests compare.
    pub const SIMULATED: Self = Self {
        system_l2: 8.876,
        sdram: 5.384,
        system_l2_bytes: 64 << 10,
    };

    /// Bytes a clock, read and written together.
    #[must_use]
    pub const fn rate(&self, level: Level) -> f64 {
        match level {
            Level::SystemL2 => self.system_l2,
            Level::Sdram => self.sdram,
        }
    }

    /// The floor of what a request asks for.
    #[must_use]
    pub fn floor_of_request(&self, request: &Request) -> Floor {
        let transform = &request.transform;
        let log2_points = transform.log2_points();
        let batch = u64::from(request.batch);
        // Transforms there, and back.
        let [there, back] = match transform {
            Transform::Convolution { .. } => [u64::from(request.rows()), batch],
            _ => [batch * u64::from(transform.segments()), 0],
        };
        let halves = 1 + u64::from(transform.is_real());
        let complex_bytes = (2 * u64::from(POINT_BYTES)) << transform.log2_complex();
        let between = u64::from(passes(transform.log2_complex()) - 1);
        let spectra = if back > 0 { there } else { 0 };
        let buffers = request.input_bytes() + request.output_bytes();
        let moved = buffers + complex_bytes * ((there + back) * between + spectra);
        let operations = 5 * u64::from(log2_points) * ((there + back) << log2_points) / halves;
        self.floor_of(buffers, moved, operations)
    }

    /// The floor of what has `buffers` bytes of input and output, moves `moved` bytes and does so
    /// many operations.
    #[must_use]
    pub fn floor_of(&self, buffers: u64, moved: u64, operations: u64) -> Floor {
        let level = if buffers <= u64::from(self.system_l2_bytes) {
            Level::SystemL2
        } else {
            Level::Sdram
        };
        Floor {
            level,
            memory: moved as f64 / self.rate(level),
            arithmetic: operations as f64 / FLOPS_PER_CLOCK,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qpu::fft::request::{Kernels, Points};

    /// The floor of `batch` complex transforms.
    fn floor(roofline: &Roofline, log2_points: u32, batch: u32) -> Floor {
        roofline.floor_of_request(&Request::new(log2_points, batch))
    }

    #[test]
    fn a_floor_is_what_the_definition_says() {
        let roofline = Roofline {
            system_l2: 8.0,
            sdram: 4.0,
            system_l2_bytes: 128 << 10,
        };
        let floor = |log2_points, batch| floor(&roofline, log2_points, batch);
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

    #[test]
    fn floors_of_other_kinds_follow() {
        let roofline = Roofline {
            system_l2: 1.0,
            sdram: 1.0,
            system_l2_bytes: 0,
        };
        let of = |transform, batch| roofline.floor_of_request(&Request::of(transform, batch));
        let floor = |log2_points, batch| floor(&roofline, log2_points, batch);
        // 512 points of four bytes to 257 bins and what fills their line; 256 complex points take
        // one pass.
        let real = of(Transform::RealToBins { log2_points: 9 }, 1);
        assert_eq!(real.memory, f64::from(512 * 4 + 256 * 8 + 64));
        assert_eq!(real.arithmetic, f64::from(5 * 512 * 9 / 2) / 96.0);
        let plane = Transform::Plane {
            log2_rows: 5,
            log2_columns: 6,
        };
        assert_eq!(of(plane, 2), floor(11, 2));
        let signals = Transform::Convolution {
            log2_points: 9,
            points: Points::Complex,
            kernels: Kernels::One,
        };
        // Three signals and a kernel in, three out; points of seven transforms once between two
        // passes, and four spectra.
        let convolution = of(signals, 3);
        assert_eq!(
            convolution.memory,
            f64::from(8 * 512 * (4 + 3) + 16 * 512 * (7 + 4))
        );
        assert_eq!(convolution.arithmetic, f64::from(5 * 512 * 9 * 7) / 96.0);
    }
}
