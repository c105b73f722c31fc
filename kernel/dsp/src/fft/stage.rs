//! One stage over all blocks: butterflies down the columns, and the twiddles.
//!
//! A block of L points is r rows of L / r columns. Row p of the result is the residue p with its
//! bits reversed, each column times its twiddle. In the last stage rows have one column and all
//! twiddles are 1.

use super::butterfly::{eight, four, twiddle, two};
use crate::{Complex, Float};

/// The last stage: butterflies of 2^`bits` neighbours.
pub fn last<T: Float, const FORWARD: bool>(bits: u8, data: &mut [Complex<T>]) {
    match bits {
        1 => {
            for block in data.as_chunks_mut::<2>().0 {
                *block = two(*block);
            }
        }
        2 => {
            for block in data.as_chunks_mut::<4>().0 {
                *block = four::<T, FORWARD>(*block);
            }
        }
        _ => {
            for block in data.as_chunks_mut::<8>().0 {
                *block = eight::<T, FORWARD>(*block);
            }
        }
    }
}

/// A stage before the last: blocks of `length` points, 2^`bits` rows each.
pub fn twiddled<T: Float, const FORWARD: bool>(
    bits: u8,
    length: usize,
    twiddles: &[Complex<T>],
    data: &mut [Complex<T>],
) {
    for block in data.chunks_exact_mut(length) {
        match bits {
            1 => twiddled_2::<T, FORWARD>(block, twiddles),
            2 => twiddled_4::<T, FORWARD>(block, twiddles.as_chunks().0),
            _ => twiddled_8::<T, FORWARD>(block, twiddles.as_chunks().0),
        }
    }
}

fn halves<T>(rows: &mut [T]) -> (&mut [T], &mut [T]) {
    rows.split_at_mut(rows.len() / 2)
}

fn twiddled_2<T: Float, const FORWARD: bool>(block: &mut [Complex<T>], twiddles: &[Complex<T>]) {
    let (x0, x1) = halves(block);
    for ((x0, x1), w) in x0.iter_mut().zip(x1).zip(twiddles) {
        let y = two([*x0, *x1]);
        *x0 = y[0];
        *x1 = twiddle::<T, FORWARD>(y[1], *w);
    }
}

fn twiddled_4<T: Float, const FORWARD: bool>(
    block: &mut [Complex<T>],
    twiddles: &[[Complex<T>; 3]],
) {
    let (x01, x23) = halves(block);
    let ((x0, x1), (x2, x3)) = (halves(x01), halves(x23));
    let columns = x0.iter_mut().zip(x1).zip(x2).zip(x3);
    for ((((x0, x1), x2), x3), w) in columns.zip(twiddles) {
        let y = four::<T, FORWARD>([*x0, *x1, *x2, *x3]);
        *x0 = y[0];
        *x1 = twiddle::<T, FORWARD>(y[1], w[0]);
        *x2 = twiddle::<T, FORWARD>(y[2], w[1]);
        *x3 = twiddle::<T, FORWARD>(y[3], w[2]);
    }
}

fn twiddled_8<T: Float, const FORWARD: bool>(
    block: &mut [Complex<T>],
    twiddles: &[[Complex<T>; 7]],
) {
    let (low, high) = halves(block);
    let ((x01, x23), (x45, x67)) = (halves(low), halves(high));
    let ((x0, x1), (x2, x3)) = (halves(x01), halves(x23));
    let ((x4, x5), (x6, x7)) = (halves(x45), halves(x67));
    let low = x0.iter_mut().zip(x1).zip(x2.iter_mut().zip(x3));
    let high = x4.iter_mut().zip(x5).zip(x6.iter_mut().zip(x7));
    for ((((x0, x1), (x2, x3)), ((x4, x5), (x6, x7))), w) in low.zip(high).zip(twiddles) {
        let y = eight::<T, FORWARD>([*x0, *x1, *x2, *x3, *x4, *x5, *x6, *x7]);
        *x0 = y[0];
        *x1 = twiddle::<T, FORWARD>(y[1], w[0]);
        *x2 = twiddle::<T, FORWARD>(y[2], w[1]);
        *x3 = twiddle::<T, FORWARD>(y[3], w[2]);
        *x4 = twiddle::<T, FORWARD>(y[4], w[3]);
        *x5 = twiddle::<T, FORWARD>(y[5], w[4]);
        *x6 = twiddle::<T, FORWARD>(y[6], w[5]);
        *x7 = twiddle::<T, FORWARD>(y[7], w[6]);
    }
}
