//! Twiddle tables: vectors of 16 complex numbers, computed in double precision and rounded once.
//!
//! A butterfly network of 16 points keeps the twiddles of all its four stages in one vector: stage
//! after stage 1, 2, 4 and 8 lanes. Larger radices put one or two vectors of their own in front. A
//! step holds, per lane, 2 sin^2(a/2) and sin a of the angle a by which a twiddle advances.

use super::lengths::Length;
use super::{Direction, QPUS};
use std::f64::consts::TAU;

/// Numbers in a vector.
pub const LANES: usize = 16;

/// Bytes of a vector of complex numbers.
pub const VECTOR_BYTES: u32 = 128;

/// The multiple of the network's angle that each lane turns by; lane 0 is not used.
const WEIGHT: [f64; LANES] = [
    0., 8., 4., 4., 2., 2., 2., 2., 1., 1., 1., 1., 1., 1., 1., 1.,
];

/// Place of each lane in its stage.
const PLACE: [f64; LANES] = [
    0., 0., 0., 1., 0., 1., 2., 3., 0., 1., 2., 3., 4., 5., 6., 7.,
];

/// The table of a length: what all QPUs share first, then the part of each QPU.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// Real and imaginary parts by turns.
    pub floats: Vec<f32>,
    /// Vectors that all QPUs share.
    pub shared: u32,
    /// Vectors of each QPU.
    pub own: u32,
}

impl Table {
    /// The table of a length and direction.
    #[must_use]
    pub fn new(length: &Length, direction: Direction) -> Self {
        let circle = direction.sign() * TAU;
        let unit = circle / f64::from(length.points());
        let mut floats = Vec::new();
        network(length.first, circle, 0.0, &mut floats);
        for step in length.steps {
            advance(step.radix, unit * f64::from(step.factor), &mut floats);
        }
        let shared = vectors(&floats);
        for qpu in 0..QPUS {
            network(length.own, circle, unit * f64::from(qpu), &mut floats);
        }
        let own = (vectors(&floats) - shared) / QPUS;
        Self {
            floats,
            shared,
            own,
        }
    }

    /// The words of the table.
    #[must_use]
    pub fn words(&self) -> Vec<u32> {
        self.floats.iter().map(|float| float.to_bits()).collect()
    }
}

fn vectors(floats: &[f32]) -> u32 {
    (floats.len() / (2 * LANES)) as u32
}

/// Appends the twiddles of a network whose angles start at `theta`.
fn network(radix: u32, circle: f64, theta: f64, table: &mut Vec<f32>) {
    let mut point = |angle: f64| table.extend([angle.cos() as f32, angle.sin() as f32]);
    match radix {
        16 => {
            (0..LANES).for_each(|i| point(circle / 16.0 * WEIGHT[i] * PLACE[i] + theta * WEIGHT[i]))
        }
        32 => {
            (0..LANES).for_each(|i| point(circle / 32.0 * i as f64 + theta));
            network(16, circle, 2.0 * theta, table);
        }
        // Only first passes have this radix, and they start at no angle.
        _ => {
            (0..2 * LANES).for_each(|i| point(circle / 64.0 * i as f64));
            network(32, circle, 0.0, table);
        }
    }
}

/// Appends a step by the angle `theta`.
fn advance(radix: u32, theta: f64, table: &mut Vec<f32>) {
    let mut point = |angle: f64| {
        let alpha = 2.0 * (angle / 2.0).sin().powi(2);
        table.extend([alpha as f32, angle.sin() as f32]);
    };
    match radix {
        16 => WEIGHT.iter().for_each(|weight| point(theta * weight)),
        32 => {
            (0..LANES).for_each(|_| point(theta));
            advance(16, 2.0 * theta, table);
        }
        _ => {
            (0..2 * LANES).for_each(|_| point(theta));
            advance(32, 2.0 * theta, table);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lengths::LENGTHS;
    use super::*;

    /// Vectors shared and own, as the host code states them for each length.
    #[test]
    fn tables_have_the_stated_sizes() {
        let sizes: Vec<(u32, u32)> = LENGTHS
            .iter()
            .map(|length| Table::new(length, Direction::Inverse))
            .map(|table| (table.shared, table.own))
            .collect();
        let stated = [
            (2, 1),
            (3, 1),
            (4, 2),
            (6, 2),
            (3, 1),
            (4, 1),
            (5, 1),
            (6, 2),
            (8, 2),
            (5, 1),
            (6, 2),
            (7, 2),
            (8, 2),
            (10, 2),
            (12, 2),
        ];
        assert_eq!(sizes, stated);
    }

    #[test]
    fn directions_are_conjugate() {
        let [forward, inverse] = [Direction::Forward, Direction::Inverse]
            .map(|direction| Table::new(&LENGTHS[2], direction).floats);
        for (f, i) in forward.chunks(2).zip(inverse.chunks(2)) {
            assert_eq!((f[0], f[1]), (i[0], -i[1]));
        }
    }
}
