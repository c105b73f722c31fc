//! Convolutions by FFT: the transforms of signals and kernels, their products, and the inverse, in
//! one plan.
//!
//! [`Transform::Convolution`] is a kind of plan like any other: circular convolutions of N points,
//! N a power of two, y\[n\] = Σ a\[m\] h\[(n-m) mod N\], of as many signals as the batch has. The
//! input buffer holds the signals one after the other and behind them the kernels: one for all, or
//! one for each. The output holds the results, already divided by N; it may be the input.
//! [`Request::forward`] is a factor beside that. Real points take transforms of half the length.
//!
//! [`convolve`] is one convolution as one call: it makes the plan, fills up with zeros, runs, and
//! reads. A linear convolution is a circular one that is long enough.
//!
//! A number in a signal or in its kernel that is not finite makes results of that signal infinite
//! or wrong, and none of any other.

use super::{Direction, split};
use crate::kernels::program::Program;
use crate::planner::plan::Plan;
use crate::planner::request::{self, Kernels, Points, Request, Transform};
use qpu::job::{Buffer, Report, Runner};

/// Words that are written or read at a time.
const CHUNK: usize = 128;

/// The treatment of the ends in a convolution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ends {
    /// Around: both operands and the result have N points, a power of two.
    Circular,
    /// With zeros beyond both ends: operands of A and B points have a result of A + B - 1.
    Linear,
}

/// Why a convolution could not be done. `E` is the runner's own reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error<E> {
    /// An operand without points, or half a complex point at an end of an operand or the result.
    Empty,
    /// The operands of a circular convolution have not the same number of points, or none that is a
    /// power of two.
    Circular {
        /// Points of both.
        points: [usize; 2],
    },
    /// The slice for the result has not as many points as that.
    Output {
        /// Points of the result.
        needed: usize,
        /// Points of the slice.
        points: usize,
    },
    /// There is no plan, or it could not be run.
    Plan(request::Error<E>),
}

impl<E> From<request::Error<E>> for Error<E> {
    fn from(error: request::Error<E>) -> Self {
        Self::Plan(error)
    }
}

impl<E: core::fmt::Debug> core::fmt::Display for Error<E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Empty => write!(
                f,
                "an operand has no points, or it or the result ends within one: give whole points, and of both operands at least one"
            ),
            Self::Circular { points: [a, b] } => write!(
                f,
                "a circular convolution is of two operands of the same length, a power of two, not of {a} and {b} \
                 points: fill them up, or convolve linearly"
            ),
            Self::Output { needed, points } => write!(
                f,
                "the result has {needed} points, and there is room for {points}: make it that long"
            ),
            Self::Plan(error) => error.fmt(f),
        }
    }
}

impl<E: core::fmt::Debug> core::error::Error for Error<E> {}

/// The convolution of `a` with `b` into `output`, whose length must be that of the result. Memory
/// for the plan is taken from `runner` and stays taken until its `release_all`.
///
/// # Errors
/// What is wrong with the lengths; what [`Plan::with_buffers`] and [`Plan::run`] refuse.
pub fn convolve<R: Runner>(
    catalogue: &'static [Program],
    runner: &mut R,
    (points, ends): (Points, Ends),
    [a, b]: [&[f32]; 2],
    output: &mut [f32],
    limit_us: u32,
) -> Result<Report, Error<R::Error>> {
    let (words, least) = match points {
        Points::Real => (1, split::MIN_LOG2_POINTS + 1),
        Points::Complex => (2, split::MIN_LOG2_POINTS),
    };
    let is_whole = |x: &[f32]| !x.is_empty() && x.len().is_multiple_of(words);
    if !is_whole(a) || !is_whole(b) || !output.len().is_multiple_of(words) {
        return Err(Error::Empty);
    }
    let lengths = [a.len() / words, b.len() / words];
    let needed = match ends {
        Ends::Circular if lengths[0] == lengths[1] && lengths[0].is_power_of_two() => lengths[0],
        Ends::Circular => return Err(Error::Circular { points: lengths }),
        Ends::Linear => lengths[0] + lengths[1] - 1,
    };
    if output.len() != needed * words {
        return Err(Error::Output {
            needed,
            points: output.len() / words,
        });
    }
    let log2 = needed.next_power_of_two().ilog2();
    let log2_points = match ends {
        Ends::Circular => log2,
        Ends::Linear => log2.max(least),
    };
    let transform = Transform::Convolution {
        log2_points,
        points,
        kernels: Kernels::One,
    };
    let mut plan = Plan::with_buffers(catalogue, &Request::of(transform, 1), runner)?;
    let operand = words << log2_points;
    write(runner, plan.input(), 0, a, operand).map_err(request::Error::from)?;
    write(runner, plan.input(), operand, b, operand).map_err(request::Error::from)?;
    let report = plan.run(runner, Direction::Forward, limit_us)?;
    let mut chunk = [0; CHUNK];
    for (number, values) in output.chunks_mut(CHUNK).enumerate() {
        let chunk = &mut chunk[..values.len()];
        runner
            .read(plan.output(), (number * CHUNK) as u32, chunk)
            .map_err(request::Error::from)?;
        for (value, word) in values.iter_mut().zip(chunk) {
            *value = f32::from_bits(*word);
        }
    }
    Ok(report)
}

/// Writes `values` and behind them zeros, `words` in all.
fn write<R: Runner>(
    runner: &mut R,
    buffer: Buffer,
    first: usize,
    values: &[f32],
    words: usize,
) -> Result<(), R::Error> {
    let mut chunk = [0; CHUNK];
    for at in (0..words).step_by(CHUNK) {
        let count = CHUNK.min(words - at);
        for (index, word) in (at..at + count).zip(&mut chunk) {
            *word = values.get(index).map_or(0, |value| value.to_bits());
        }
        runner.write(buffer, (first + at) as u32, &chunk[..count])?;
    }
    Ok(())
}
