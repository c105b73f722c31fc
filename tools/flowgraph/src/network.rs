//! The data flow in a transform of several stages.
//!
//! A row is an index of N points written in digits, one for each stage, the first stage's first. A
//! stage of radix r transforms r points whose rows differ in its digit only, and leaves the results
//! in the same rows. Behind it some edges have a twiddle. After the last stage the row with the
//! digits k0 k1 .. holds the bin k0 + R0 k1 + R0 R1 k2 ...
//!
//! Decimation in time is the same flow backwards: the first stage's digit is the last of a row, the
//! samples are in digit-reversed order, and the twiddles behind a stage are those that the next one
//! needs.
//!
//! Where twiddles stand is a choice when there are more than two stages. The classic flow has all
//! of a residue's turn at once; that of the QPU plan turns by what the next stage needs only, so
//! that the first table is short. All are the same transform, which the tests show by doing it.

use dsp::reversal::digit_reversed;

/// Where the twiddles stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Decimation in frequency as in textbooks: everything that a residue needs, right behind its
    /// stage.
    Classic,
    /// Decimation in time as in textbooks: everything that the legs of the next stage need, right
    /// in front of it.
    InTime,
    /// The values that the next stage needs: the passes of the QPU plan.
    NextStage,
}

/// The stages of a transform.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Network {
    points: u32,
    radices: Vec<u32>,
    order: Order,
}

impl Network {
    /// A transform with these stages, first stage first; `None` when the radices, each 2 or more,
    /// do not multiply to a 32-bit number.
    #[must_use]
    pub fn new(radices: Vec<u32>, order: Order) -> Option<Self> {
        let product = |product: u32, radix: &u32| product.checked_mul(*radix);
        let points = radices.iter().try_fold(1, product)?;
        radices.iter().all(|radix| *radix >= 2).then_some(Self {
            points,
            radices,
            order,
        })
    }

    /// Points of the transform.
    #[must_use]
    pub const fn points(&self) -> u32 {
        self.points
    }

    /// Where the twiddles stand.
    #[must_use]
    pub const fn order(&self) -> Order {
        self.order
    }

    /// Radices of the stages.
    #[must_use]
    pub fn radices(&self) -> &[u32] {
        &self.radices
    }

    /// Distance of the rows of one butterfly.
    #[must_use]
    pub fn stride(&self, stage: usize) -> u32 {
        let inside = match self.order {
            Order::InTime => &self.radices[..stage],
            Order::Classic | Order::NextStage => &self.radices[stage + 1..],
        };
        inside.iter().product()
    }

    /// The digit of a row that the stage works on: the number of the butterfly's leg.
    #[must_use]
    pub fn leg(&self, stage: usize, row: u32) -> u32 {
        row / self.stride(stage) % self.radices[stage]
    }

    /// The row of the first leg of the butterfly that `row` belongs to.
    #[must_use]
    pub fn first_row(&self, stage: usize, row: u32) -> u32 {
        row - self.leg(stage, row) * self.stride(stage)
    }

    /// The exponent of the twiddle exp(-2 pi i / N) behind a stage, below N.
    #[must_use]
    pub fn exponent(&self, stage: usize, row: u32) -> u32 {
        let stride = self.stride(stage);
        let points = u64::from(self.points);
        let exponent = match self.order {
            Order::Classic => {
                // The leg's residue times the column, in parts of the stage's blocks.
                let block = u64::from(stride) * u64::from(self.radices[stage]);
                let part = u64::from(self.leg(stage, row)) * u64::from(row % stride);
                part * (points / block)
            }
            Order::InTime | Order::NextStage if stage + 1 == self.radices.len() => 0,
            Order::InTime => {
                // The leg of the next stage times the column, in parts of that stage's blocks.
                let stride = u64::from(self.stride(stage + 1));
                let block = stride * u64::from(self.radices[stage + 1]);
                let part = u64::from(self.leg(stage + 1, row)) * (u64::from(row) % stride);
                part * (points / block)
            }
            Order::NextStage => {
                // All residues so far times the next stage's digit, in parts of what both make up.
                let residues = digit_reversed(row / stride, &self.radices[..=stage]);
                let next = u64::from(self.leg(stage + 1, row));
                u64::from(residues) * next * u64::from(self.stride(stage + 1))
            }
        };
        (exponent % points) as u32
    }

    /// The sample that a row holds at the beginning.
    #[must_use]
    pub fn sample(&self, row: u32) -> u32 {
        match self.order {
            Order::InTime => {
                let radices: Vec<u32> = self.radices.iter().rev().copied().collect();
                digit_reversed(row, &radices)
            }
            Order::Classic | Order::NextStage => row,
        }
    }

    /// The bin that a row holds at the end.
    #[must_use]
    pub fn bin(&self, row: u32) -> u32 {
        match self.order {
            Order::InTime => row,
            Order::Classic | Order::NextStage => digit_reversed(row, &self.radices),
        }
    }
}

/// The stages of `points` points where each has this radix and the last one what is left; `None`
/// when `points` is no power of two from 2 up, or the radix not 2, 4 or 8.
#[must_use]
pub fn stages(points: u32, radix: u32) -> Option<Vec<u32>> {
    if points < 2 || !points.is_power_of_two() || !matches!(radix, 2 | 4 | 8) {
        return None;
    }
    let (bits, each) = (points.ilog2(), radix.ilog2());
    let rest = (bits % each > 0).then(|| 1 << (bits % each));
    let full = std::iter::repeat_n(radix, (bits / each) as usize);
    Some(full.chain(rest).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dsp::dft::{naive, relative_rms_error, root_of_unity};
    use dsp::{Complex, Direction};

    /// The transform as the graph draws it.
    fn computed(network: &Network, input: &[Complex<f64>]) -> Vec<Complex<f64>> {
        let rows = 0..network.points();
        let mut data: Vec<_> = rows
            .map(|row| input[network.sample(row) as usize])
            .collect();
        let n = u64::from(network.points());
        for (stage, &radix) in network.radices().iter().enumerate() {
            let before = data.clone();
            for row in 0..network.points() {
                let first = network.first_row(stage, row);
                let leg = network.leg(stage, row);
                let mut sum = Complex::ZERO;
                for other in 0..radix {
                    let from = before[(first + other * network.stride(stage)) as usize];
                    sum = sum + from * root_of_unity(u64::from(leg * other), u64::from(radix));
                }
                let exponent = u64::from(network.exponent(stage, row));
                data[row as usize] = sum * root_of_unity(exponent, n);
            }
        }
        let mut output = data.clone();
        for (row, value) in (0..).zip(&data) {
            output[network.bin(row) as usize] = *value;
        }
        output
    }

    #[test]
    fn the_graph_is_the_transform_in_every_order() {
        for radices in [
            vec![2; 6],
            vec![4, 4, 4],
            vec![8, 4, 2],
            vec![2, 16, 4],
            vec![3, 4, 5],
            vec![16, 16],
            vec![7],
            vec![],
        ] {
            for order in [Order::Classic, Order::InTime, Order::NextStage] {
                let network = Network::new(radices.clone(), order).unwrap();
                let input: Vec<_> = (0..network.points())
                    .map(|i| Complex::new(f64::from(i * i % 17), f64::from(i % 5) - 2.0))
                    .collect();
                let mut expected = vec![Complex::ZERO; input.len()];
                naive(Direction::Forward, &input, &mut expected);
                let error = relative_rms_error(&computed(&network, &input), &expected);
                assert!(error < 1e-13, "{radices:?} {order:?}: {error:e}");
            }
        }
    }

    #[test]
    fn radix_two_has_the_exponents_of_textbooks() {
        // Oppenheim and Schafer, figure of the 8-point decimation in frequency.
        let network = Network::new(vec![2, 2, 2], Order::Classic).unwrap();
        let stage = |stage| {
            (0..8)
                .map(|row| network.exponent(stage, row))
                .collect::<Vec<_>>()
        };
        assert_eq!(stage(0), [0, 0, 0, 0, 0, 1, 2, 3]);
        assert_eq!(stage(1), [0, 0, 0, 2, 0, 0, 0, 2]);
        assert_eq!(stage(2), [0; 8]);
        let bins: Vec<_> = (0..8).map(|row| network.bin(row)).collect();
        assert_eq!(bins, [0, 4, 2, 6, 1, 5, 3, 7]);
    }

    #[test]
    fn decimation_in_time_is_the_other_way_round() {
        // Oppenheim and Schafer, figure of the 8-point decimation in time.
        let network = Network::new(vec![2, 2, 2], Order::InTime).unwrap();
        let rows = || 0..8;
        let stage =
            |stage| -> Vec<u32> { rows().map(|row| network.exponent(stage, row)).collect() };
        assert_eq!(stage(0), [0, 0, 0, 2, 0, 0, 0, 2]);
        assert_eq!(stage(1), [0, 0, 0, 0, 0, 1, 2, 3]);
        assert_eq!(stage(2), [0; 8]);
        let samples: Vec<u32> = rows().map(|row| network.sample(row)).collect();
        assert_eq!(samples, [0, 4, 2, 6, 1, 5, 3, 7]);
        assert!(rows().all(|row| network.bin(row) == row));
    }

    #[test]
    fn radices_that_make_no_length_make_no_network() {
        assert!(Network::new(vec![1, 2], Order::Classic).is_none());
        assert!(Network::new(vec![1 << 16, 1 << 16], Order::Classic).is_none());
    }

    #[test]
    fn the_last_stage_has_what_is_left() {
        for (points, radix, expected) in [
            (64, 2, &[2; 6][..]),
            (64, 4, &[4, 4, 4]),
            (64, 8, &[8, 8]),
            (32, 4, &[4, 4, 2]),
            (32, 8, &[8, 4]),
            (4, 8, &[4]),
            (16, 8, &[8, 2]),
        ] {
            assert_eq!(stages(points, radix).as_deref(), Some(expected));
        }
        for (points, radix) in [(0, 2), (1, 2), (12, 2), (16, 3), (16, 16)] {
            assert_eq!(stages(points, radix), None);
        }
    }
}
