//! A time that no plan can fall below: its output stored once, and its operations at the peak.
//!
//! The store engine of the VPM is a program's only way to memory. On the simulator it takes 27
//! clocks for a store and 14 for each line of 64 bytes, and a store has at most 64 lines. How often
//! a plan's points go through memory besides, and where they lie, is the plan's choice and no part
//! of the bound. Neither is the input, which is read while results are stored, and faster.
//!
//! Operations are counted as usual: 5 N log2 N of a complex transform and half as many of a real
//! one, at 24 a nanosecond, both ALUs of twelve QPUs at 250 MHz. The larger of both times is the
//! bound.

use qpu_fft::request::{Request, Transform};

/// Bytes that are stored in a V3D clock at most, on the simulator of a Pi 1 or Zero.
/// `cargo xtask bench` measures it, and its tests compare.
pub const STORED_BYTES_PER_CLOCK: f64 = 4.438;

/// Operations a clock: 12 QPUs of 4 lanes with 2 ALUs.
const FLOPS_PER_CLOCK: f64 = 96.0;

/// The least that a transform takes, in V3D clocks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bound {
    /// For storing the output.
    pub memory: f64,
    /// For computing.
    pub arithmetic: f64,
}

impl Bound {
    /// The bound of a transform that stores `stored` bytes at least and does so many operations.
    #[must_use]
    pub fn new(stored: u64, operations: u64) -> Self {
        Self {
            memory: stored as f64 / STORED_BYTES_PER_CLOCK,
            arithmetic: operations as f64 / FLOPS_PER_CLOCK,
        }
    }

    /// The bound of a request.
    #[must_use]
    pub fn of_request(request: &Request) -> Self {
        let transform = &request.transform;
        let log2_points = transform.log2_points();
        let batch = u64::from(request.batch);
        let transforms = match transform {
            // There, and back.
            Transform::Convolution { .. } => u64::from(request.rows()) + batch,
            _ => batch * u64::from(transform.segments()),
        };
        let halves = 1 + u64::from(transform.is_real());
        let operations = 5 * u64::from(log2_points) * (transforms << log2_points) / halves;
        Self::new(request.output_bytes(), operations)
    }

    /// The larger of both.
    #[must_use]
    pub const fn clocks(&self) -> f64 {
        self.memory.max(self.arithmetic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qpu_fft::request::{Kernels, Points};

    fn of(transform: Transform, batch: u32) -> Bound {
        Bound::of_request(&Request::of(transform, batch))
    }

    #[test]
    fn a_complex_transform_stores_eight_bytes_a_point() {
        for (log2_points, batch) in [(8, 1), (13, 10), (22, 1)] {
            let points = f64::from(batch << log2_points);
            let bound = Bound::of_request(&Request::new(log2_points, batch));
            assert_eq!(bound.memory, 8.0 * points / STORED_BYTES_PER_CLOCK);
            let operations = 5.0 * points * f64::from(log2_points);
            assert_eq!(bound.arithmetic, operations / 96.0);
            assert_eq!(bound.clocks(), bound.memory);
        }
    }

    #[test]
    fn other_kinds_store_their_own_output() {
        // 257 bins and what fills their line.
        let real = of(Transform::RealToBins { log2_points: 9 }, 1);
        assert_eq!(
            real.memory,
            f64::from(256 * 8 + 64) / STORED_BYTES_PER_CLOCK
        );
        assert_eq!(real.arithmetic, f64::from(5 * 512 * 9 / 2) / 96.0);
        let plane = Transform::Plane {
            log2_rows: 5,
            log2_columns: 6,
        };
        assert_eq!(of(plane, 2), Bound::of_request(&Request::new(11, 2)));
        let signals = Transform::Convolution {
            log2_points: 9,
            points: Points::Complex,
            kernels: Kernels::One,
        };
        // Three signals and a kernel there, three back.
        let convolution = of(signals, 3);
        assert_eq!(
            convolution.memory,
            f64::from(3 * 8 * 512) / STORED_BYTES_PER_CLOCK
        );
        assert_eq!(convolution.arithmetic, f64::from(5 * 512 * 9 * 7) / 96.0);
    }
}
