//! The FFT on the CPU: decimation in frequency with butterflies of radix 2, 4 and 8.
//!
//! A stage of radix r cuts each block into r parts and leaves the residue q in the part whose
//! number is q with its bits reversed, as the radix-2 stages that it stands for would. Each digit
//! then comes out reversed in itself, so the digit reversal of every mixture of radices is plain
//! bit reversal, which swaps undo in place ([`crate::reversal`]). Twiddles are rounded once from
//! double precision and lie in a table in the order of use.
//!
//! Nothing allocates: the caller owns data and table.
//!
//! Source: W. M. Gentleman, G. Sande, "Fast Fourier Transforms: for fun and profit", 1966
//! (decimation in frequency); G. D. Bergland, "A fast Fourier transform algorithm using base 8
//! iterations", 1968.

mod butterfly;
mod radix;
mod stage;

#[cfg(test)]
mod tests;

use crate::dft::root_of_unity;
use crate::{Complex, Direction, Error, Float, reversal};
pub use radix::Radix;
use radix::Stages;

/// The longest transform is 2^22 points; the shortest is one point.
pub const MAX_LOG2: u32 = 22;

/// The stages of a transform. It needs a table of twiddles, which the caller keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    log2n: u32,
    stages: Stages,
}

impl Plan {
    /// A plan for 2^`log2n` points, `log2n` from 0 to 22, with stages of the given radix.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn new(log2n: u32, radix: Radix) -> Result<Self, Error> {
        if log2n > MAX_LOG2 {
            return Err(Error::Length);
        }
        let stages = radix.stages(log2n);
        Ok(Self { log2n, stages })
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
        self.stages.log2_radices()
    }

    /// For each stage: log2 of its radix, the length of its blocks, and its number of twiddles.
    fn walk(&self) -> impl Iterator<Item = (u8, usize, usize)> {
        let mut block = self.len();
        self.log2_radices().iter().map(move |&bits| {
            let (length, part) = (block, block >> bits);
            block = part;
            (bits, length, if part > 1 { length - part } else { 0 })
        })
    }

    /// Length of the table of twiddles; less than [`Self::len`].
    #[must_use]
    pub fn twiddle_count(&self) -> usize {
        self.walk().map(|(_, _, count)| count).sum()
    }

    /// Fills the table of twiddles: for each stage but the last and each column of its blocks,
    /// those of the residues but 0, in the order in which the parts take them.
    ///
    /// # Errors
    /// [`Error::Slice`] when `table` is not [`Self::twiddle_count`] long.
    pub fn fill_twiddles<T: Float>(&self, table: &mut [Complex<T>]) -> Result<(), Error> {
        if table.len() != self.twiddle_count() {
            return Err(Error::Slice);
        }
        let mut rest = table;
        for (bits, length, count) in self.walk() {
            let (stage, later) = rest.split_at_mut(count);
            rest = later;
            let radix = 1usize << bits;
            for (column, row) in stage.chunks_exact_mut(radix - 1).enumerate() {
                for (part, entry) in (1..radix).zip(row) {
                    let residue = part.reverse_bits() >> (usize::BITS - u32::from(bits));
                    let root = root_of_unity((column * residue) as u64, length as u64);
                    *entry = Complex::new(T::from_f64(root.re), T::from_f64(root.im));
                }
            }
        }
        Ok(())
    }

    /// Transforms `data` in place, in natural order, unscaled: forward and then inverse gives
    /// [`Self::len`] times the input. NaN and infinity spread over all bins.
    ///
    /// # Errors
    /// [`Error::Slice`] when `twiddles` or `data` do not have the plan's lengths; `data` is then as
    /// it was.
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
            Direction::Forward => self.stages::<T, true>(twiddles, data),
            Direction::Inverse => self.stages::<T, false>(twiddles, data),
        }
        reversal::bit_reverse(data);
        Ok(())
    }

    fn stages<T: Float, const FORWARD: bool>(
        &self,
        twiddles: &[Complex<T>],
        data: &mut [Complex<T>],
    ) {
        let mut rest = twiddles;
        for (bits, length, count) in self.walk() {
            let (stage, later) = rest.split_at(count);
            rest = later;
            if count == 0 {
                stage::last::<T, FORWARD>(bits, data);
            } else {
                stage::twiddled::<T, FORWARD>(bits, length, stage, data);
            }
        }
    }
}
