//! The FFT on the CPU: decimation in frequency with butterflies of radix 2, 4 and 8.
//!
//! A stage of radix r cuts each block into r parts and leaves the part of residue q at the place
//! whose index is q with its bits reversed, as the two or three radix-2 stages that it stands for
//! would. So every mixture of radices ends in plain bit-reversed order, which one in-place pass of
//! swaps undoes. Twiddles are rounded once from double precision and lie in the order of use.
//!
//! The inverse is the forward transform with real and imaginary parts exchanged on both sides.

use crate::dft::root_of_unity;
use crate::{Complex, Direction, Float, reversal};

/// The shortest transform is 2^4 points.
pub const MIN_LOG2: u32 = 4;
/// The longest transform is 2^16 points.
pub const MAX_LOG2: u32 = 16;

/// Radix of the butterflies, as far as the length allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Radix {
    /// One bit a stage.
    Two,
    /// Two bits a stage.
    Four,
    /// Three bits a stage: the fewest passes over memory.
    #[default]
    Eight,
}

/// Why there is no plan or no transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error {
    /// The length is not 2^4 to 2^16 points.
    Length,
    /// A slice does not have the length that the plan asks for.
    Slice,
}

/// The stages of a transform. It needs a table of twiddles, which the caller keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    log2n: u32,
    /// log2 of each stage's radix.
    stages: [u8; MAX_LOG2 as usize],
    count: usize,
}

impl Plan {
    /// A plan for 2^`log2n` points with stages of the given radix. What is left over goes to
    /// stages of a smaller one; a lone radix-2 stage is avoided by two of radix 4.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn new(log2n: u32, radix: Radix) -> Result<Self, Error> {
        if !(MIN_LOG2..=MAX_LOG2).contains(&log2n) {
            return Err(Error::Length);
        }
        let mut plan = Self {
            log2n,
            stages: [0; MAX_LOG2 as usize],
            count: 0,
        };
        let mut left = log2n as u8;
        while left > 0 {
            let bits = match radix {
                Radix::Two => 1,
                Radix::Four => left.min(2),
                Radix::Eight if left == 4 => 2,
                Radix::Eight => left.min(3),
            };
            plan.stages[plan.count] = bits;
            plan.count += 1;
            left -= bits;
        }
        Ok(plan)
    }

    /// log2 of the length.
    #[must_use]
    pub const fn log2n(&self) -> u32 {
        self.log2n
    }

    /// Points.
    #[must_use]
    #[allow(clippy::len_without_is_empty)]
    pub const fn len(&self) -> usize {
        1 << self.log2n
    }

    /// log2 of the stages' radices, first stage first.
    #[must_use]
    pub fn log2_radices(&self) -> &[u8] {
        &self.stages[..self.count]
    }

    /// Length of the table of twiddles; less than [`Self::len`].
    #[must_use]
    pub fn twiddle_count(&self) -> usize {
        let mut block = self.len();
        let mut count = 0;
        for bits in self.log2_radices() {
            let part = block >> bits;
            if part > 1 {
                count += block - part;
            }
            block = part;
        }
        count
    }

    /// Fills the table of twiddles.
    ///
    /// # Errors
    /// [`Error::Slice`] when `table` is not [`Self::twiddle_count`] long.
    pub fn fill_twiddles<T: Float>(&self, table: &mut [Complex<T>]) -> Result<(), Error> {
        if table.len() != self.twiddle_count() {
            return Err(Error::Slice);
        }
        let mut entries = table.iter_mut();
        let mut block = self.len();
        for bits in self.log2_radices() {
            let part = block >> bits;
            if part > 1 {
                for column in 0..part as u64 {
                    for (residue, entry) in (1..1u64 << bits).zip(&mut entries) {
                        let root = root_of_unity(column * residue, block as u64);
                        *entry = Complex::new(T::from_f64(root.re), T::from_f64(root.im));
                    }
                }
            }
            block = part;
        }
        Ok(())
    }

    /// Transforms `data` in place, in natural order, unscaled.
    ///
    /// # Errors
    /// [`Error::Slice`] when `twiddles` or `data` do not have the plan's lengths.
    pub fn transform<T: Float>(
        &self,
        direction: Direction,
        twiddles: &[Complex<T>],
        data: &mut [Complex<T>],
    ) -> Result<(), Error> {
        if data.len() != self.len() || twiddles.len() != self.twiddle_count() {
            return Err(Error::Slice);
        }
        match direction {
            Direction::Forward => self.forward(twiddles, data),
            Direction::Inverse => {
                exchange(data);
                self.forward(twiddles, data);
                exchange(data);
            }
        }
        Ok(())
    }

    fn forward<T: Float>(&self, twiddles: &[Complex<T>], data: &mut [Complex<T>]) {
        let mut rest = twiddles;
        let mut length = self.len();
        for bits in self.log2_radices() {
            let part = length >> bits;
            let count = if part > 1 { length - part } else { 0 };
            let (stage, later) = rest.split_at(count);
            rest = later;
            for block in data.chunks_exact_mut(length) {
                match bits {
                    1 => stage_2(block, stage),
                    2 => stage_4(block, stage),
                    _ => stage_8(block, stage),
                }
            }
            length = part;
        }
        reversal::bit_reverse(data);
    }
}

fn exchange<T: Float>(data: &mut [Complex<T>]) {
    for value in data {
        *value = Complex::new(value.im, value.re);
    }
}

fn stage_2<T: Float>(block: &mut [Complex<T>], twiddles: &[Complex<T>]) {
    let (x0, x1) = block.split_at_mut(block.len() / 2);
    if twiddles.is_empty() {
        (x0[0], x1[0]) = (x0[0] + x1[0], x0[0] - x1[0]);
        return;
    }
    for ((x0, x1), w) in x0.iter_mut().zip(x1).zip(twiddles) {
        (*x0, *x1) = (*x0 + *x1, (*x0 - *x1) * *w);
    }
}

/// The four-point transform; results in natural order.
fn butterfly_4<T: Float>(x: [Complex<T>; 4]) -> [Complex<T>; 4] {
    let (a, b) = (x[0] + x[2], x[0] - x[2]);
    let (c, d) = (x[1] + x[3], (x[1] - x[3]).times_minus_i());
    [a + c, b + d, a - c, b - d]
}

fn stage_4<T: Float>(block: &mut [Complex<T>], twiddles: &[Complex<T>]) {
    let part = block.len() / 4;
    let (x01, x23) = block.split_at_mut(2 * part);
    let (x0, x1) = x01.split_at_mut(part);
    let (x2, x3) = x23.split_at_mut(part);
    if twiddles.is_empty() {
        let y = butterfly_4([x0[0], x1[0], x2[0], x3[0]]);
        (x0[0], x1[0], x2[0], x3[0]) = (y[0], y[2], y[1], y[3]);
        return;
    }
    let columns = x0.iter_mut().zip(x1).zip(x2).zip(x3);
    for ((((x0, x1), x2), x3), w) in columns.zip(twiddles.as_chunks::<3>().0) {
        let y = butterfly_4([*x0, *x1, *x2, *x3]);
        *x0 = y[0];
        *x1 = y[2] * w[1];
        *x2 = y[1] * w[0];
        *x3 = y[3] * w[2];
    }
}

/// The eight-point transform; results in natural order.
fn butterfly_8<T: Float>(x: [Complex<T>; 8]) -> [Complex<T>; 8] {
    let half = T::from_f64(core::f64::consts::FRAC_1_SQRT_2);
    let even = butterfly_4([x[0] + x[4], x[1] + x[5], x[2] + x[6], x[3] + x[7]]);
    let (d1, d3) = (x[1] - x[5], x[3] - x[7]);
    let odd = butterfly_4([
        x[0] - x[4],
        Complex::new(d1.re + d1.im, d1.im - d1.re).scale(half),
        (x[2] - x[6]).times_minus_i(),
        Complex::new(d3.im - d3.re, -d3.re - d3.im).scale(half),
    ]);
    [
        even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3],
    ]
}

fn stage_8<T: Float>(block: &mut [Complex<T>], twiddles: &[Complex<T>]) {
    let part = block.len() / 8;
    let (low, high) = block.split_at_mut(4 * part);
    let (x01, x23) = low.split_at_mut(2 * part);
    let (x45, x67) = high.split_at_mut(2 * part);
    let (x0, x1) = x01.split_at_mut(part);
    let (x2, x3) = x23.split_at_mut(part);
    let (x4, x5) = x45.split_at_mut(part);
    let (x6, x7) = x67.split_at_mut(part);
    if twiddles.is_empty() {
        let y = butterfly_8([x0[0], x1[0], x2[0], x3[0], x4[0], x5[0], x6[0], x7[0]]);
        (x0[0], x1[0], x2[0], x3[0]) = (y[0], y[4], y[2], y[6]);
        (x4[0], x5[0], x6[0], x7[0]) = (y[1], y[5], y[3], y[7]);
        return;
    }
    let low = x0.iter_mut().zip(x1).zip(x2.iter_mut().zip(x3));
    let high = x4.iter_mut().zip(x5).zip(x6.iter_mut().zip(x7));
    let columns = low.zip(high).zip(twiddles.as_chunks::<7>().0);
    for ((((x0, x1), (x2, x3)), ((x4, x5), (x6, x7))), w) in columns {
        let y = butterfly_8([*x0, *x1, *x2, *x3, *x4, *x5, *x6, *x7]);
        *x0 = y[0];
        *x1 = y[4] * w[3];
        *x2 = y[2] * w[1];
        *x3 = y[6] * w[5];
        *x4 = y[1] * w[0];
        *x5 = y[5] * w[4];
        *x6 = y[3] * w[2];
        *x7 = y[7] * w[6];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dft::{naive, relative_rms_error};
    use rustfft::FftPlanner;
    use rustfft::num_complex::Complex as Peer;

    /// Of single precision, for every length, direction and radix.
    const TOLERANCE_F32: f64 = 3e-7;
    const TOLERANCE_F64: f64 = 1e-15;
    const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Inverse];
    const RADICES: [Radix; 3] = [Radix::Two, Radix::Four, Radix::Eight];

    fn random(n: usize) -> Vec<Complex<f32>> {
        let mut state = 0x1234_5678u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..n).map(|_| Complex::new(next(), next())).collect()
    }

    fn tone(n: usize) -> Vec<Complex<f32>> {
        (0..n)
            .map(|i| root_of_unity(3 * i as u64, n as u64))
            .map(|z| Complex::new(z.re as f32, -z.im as f32))
            .collect()
    }

    fn run<T: Float>(plan: Plan, direction: Direction, data: &mut [Complex<T>]) {
        let garbage = Complex::new(T::from_f64(7.0), T::from_f64(-7.0));
        let mut twiddles = vec![garbage; plan.twiddle_count()];
        plan.fill_twiddles(&mut twiddles).unwrap();
        plan.transform(direction, &twiddles, data).unwrap();
    }

    /// rustfft in double precision: a second oracle, fast enough for the longest lengths.
    fn peer(direction: Direction, input: &[Complex<f32>]) -> Vec<Complex<f64>> {
        let mut data: Vec<_> = input
            .iter()
            .map(|z| Peer::new(f64::from(z.re), f64::from(z.im)))
            .collect();
        let mut planner = FftPlanner::new();
        match direction {
            Direction::Forward => planner.plan_fft_forward(data.len()).process(&mut data),
            Direction::Inverse => planner.plan_fft_inverse(data.len()).process(&mut data),
        }
        data.iter().map(|z| Complex::new(z.re, z.im)).collect()
    }

    #[test]
    fn the_second_oracle_agrees_with_the_definition() {
        for direction in DIRECTIONS {
            let input = random(512);
            let mut expected = vec![Complex::ZERO; 512];
            naive(direction, &input, &mut expected);
            let error = relative_rms_error(&peer(direction, &input), &expected);
            assert!(error < 1e-14, "{error:e}");
        }
    }

    #[test]
    fn every_length_direction_and_radix_is_accurate_in_single_precision() {
        let mut worst = 0f64;
        for log2n in MIN_LOG2..=MAX_LOG2 {
            for input in [random(1 << log2n), tone(1 << log2n)] {
                for direction in DIRECTIONS {
                    let mut expected = vec![Complex::ZERO; input.len()];
                    if log2n <= 9 {
                        naive(direction, &input, &mut expected);
                    } else {
                        expected = peer(direction, &input);
                    }
                    for radix in RADICES {
                        let mut data = input.clone();
                        run(Plan::new(log2n, radix).unwrap(), direction, &mut data);
                        let error = relative_rms_error(&data, &expected);
                        let what = (log2n, direction, radix);
                        assert!(error <= TOLERANCE_F32, "{what:?}: {error:e}");
                        worst = worst.max(error);
                    }
                }
            }
        }
        println!("worst relative rms error {worst:e}");
    }

    #[test]
    fn double_precision_is_accurate_too() {
        for radix in RADICES {
            let input = random(2048);
            let expected = peer(Direction::Forward, &input);
            let mut data: Vec<_> = input
                .iter()
                .map(|z| Complex::new(f64::from(z.re), f64::from(z.im)))
                .collect();
            run(Plan::new(11, radix).unwrap(), Direction::Forward, &mut data);
            let error = relative_rms_error(&data, &expected);
            assert!(error <= TOLERANCE_F64, "{radix:?}: {error:e}");
        }
    }

    #[test]
    fn plans_use_the_radix_asked_for() {
        let radices = |log2n, radix| Plan::new(log2n, radix).unwrap().log2_radices().to_vec();
        assert_eq!(radices(5, Radix::Two), [1, 1, 1, 1, 1]);
        assert_eq!(radices(5, Radix::Four), [2, 2, 1]);
        assert_eq!(radices(9, Radix::Eight), [3, 3, 3]);
        assert_eq!(radices(10, Radix::Eight), [3, 3, 2, 2]);
        assert_eq!(radices(4, Radix::Eight), [2, 2]);
        assert_eq!(Plan::new(3, Radix::Two), Err(Error::Length));
        assert_eq!(Plan::new(17, Radix::Two), Err(Error::Length));
    }

    #[test]
    fn slices_of_a_wrong_length_are_refused() {
        let plan = Plan::new(4, Radix::Eight).unwrap();
        let mut twiddles = vec![Complex::<f32>::ZERO; plan.twiddle_count()];
        assert_eq!(plan.fill_twiddles(&mut twiddles[1..]), Err(Error::Slice));
        let mut data = [Complex::ZERO; 15];
        let result = plan.transform(Direction::Forward, &twiddles, &mut data);
        assert_eq!(result, Err(Error::Slice));
    }
}
