//! The table of multiples of bin 0 that are taken from every bin: where it lies, and what it is
//! made from.
//!
//! It has W\[k\] / W\[0\] of bins k = 0, 1, .. in the order of the transform, sixteen to a row. Of
//! real spectra, of which programs have twice the bins, it has twice that for bins 0 to N/2.

use super::{PowerPass, Removed};
use crate::kernels::twiddle::root;
use qpu::machine::{LANES, VECTOR_BYTES};

/// Parts of sixteen points.
pub const PARTS: usize = 2 * LANES as usize;

impl PowerPass {
    /// Bytes of the table; 0 where there is none. Lanes without a bin read what is behind it.
    pub(crate) const fn multiples_bytes(&self) -> u32 {
        match self.powers.removed {
            Removed::Near(_) => 0,
            Removed::Everywhere => {
                VECTOR_BYTES * (self.rows_of_multiples() + self.bins().groups() as u32)
            }
        }
    }

    /// Rows of the table that have bins.
    pub(crate) const fn rows_of_multiples(&self) -> u32 {
        self.points() / LANES + self.powers.is_real as u32
    }

    /// Byte offset in the table of the first row of run `run` of unit `number`, modulo 2^32.
    pub(super) fn multiples_of(&self, number: u32, run: u8) -> u32 {
        let bin = if self.powers.is_real {
            self.runs().unit(self.real_unit(number))[usize::from(run)].first
        } else {
            // Where a unit is longer than half a spectrum, rows in front of its bins are unused.
            self.complex_bin(number) as u32
        };
        bin.wrapping_mul(4)
    }

    /// Rows from there to that of group `group`.
    pub(super) const fn group_of_multiples(&self, run: u8, group: u8) -> u32 {
        if self.powers.is_real {
            self.runs().group(run, group) as u32
        } else {
            group as u32
        }
    }

    /// The first of the sixteen points of the transform that row `row` follows from, and the first
    /// of those that mirror them in a real spectrum: of bin k that is point M - k.
    pub(crate) const fn sources(&self, row: u32) -> [u32; 2] {
        let first = row * LANES;
        let mirrored = self.points().saturating_sub(first);
        [first, mirrored.saturating_sub(LANES - 1)]
    }

    /// Row `row` of the table, for the transform of a constant: `zero` is its point 0, `up` and
    /// `down` the points that [`PowerPass::sources`] names, parts in turn.
    pub(crate) fn row_of_multiples(
        &self,
        row: u32,
        zero: [f32; 2],
        up: &[f32; PARTS],
        down: &[f32; PARTS],
    ) -> [f32; LANES as usize] {
        let points = self.points();
        let point = |of: &[f32; PARTS], first: u32, index: u32| {
            let at = 2 * (index - first) as usize;
            match of.get(at..at + 2) {
                _ if index.is_multiple_of(points) => zero.map(f64::from),
                Some(&[re, im]) => [re, im].map(f64::from),
                _ => [0.0; 2],
            }
        };
        let [first, mirrored] = self.sources(row);
        let zero = zero.map(f64::from);
        core::array::from_fn(|lane| {
            let bin = first + lane as u32;
            if bin > points {
                return 0.0;
            }
            let [re, im] = point(up, first, bin);
            let multiple = if self.powers.is_real {
                // Re X[k] of Z[k] and Z[M - k] ([`super::super`]), of which the program has twice
                // as much.
                let [other_re, other_im] = point(down, mirrored, points - bin);
                let (cos, sin) = root(bin, 2 * points);
                let [odd_re, odd_im] = [re - other_re, im + other_im];
                (re + other_re + cos * odd_im - sin * odd_re) / (zero[0] + zero[1])
            } else {
                let [zero_re, zero_im] = zero;
                let square = zero_re * zero_re + zero_im * zero_im;
                (re * zero_re + im * zero_im) / square
            };
            multiple as f32
        })
    }
}
