//! The bins that a unit of a split works on, two runs that mirror each other, and what it reads.
//!
//! Of bins 0 to M of a spectrum, with runs of H bins:
//!
//! | | first run | second run |
//! |---|---|---|
//! | M up to H: one unit | bins 0 .. M | bin M |
//! | else unit u < M / 2H | bins u H .. (u+1) H | bins M - (u+1) H .. M - u H |
//! | and unit M / 2H | none | bin M |
//!
//! Where bin M is not wanted, the last unit is not there. A run that has nothing of its own stores
//! what the other stores: programs have a fixed number of stores.

use super::{Record, Row, Stream};
use crate::kernels::context::UnitContext;
use crate::kernels::layout::not_in_its_lists;
use crate::kernels::sizes::POINT_BYTES;
use crate::kernels::truncation::{LOSS_OF_A_TWIDDLE, gain};
use crate::kernels::twiddle::Roots;
use qpu::machine::LANES;

/// Bins that follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// The first.
    pub first: u32,
    /// Number of bins that are stored; 0 where the other run is stored in its place.
    pub bins: u32,
}

/// The runs of spectra of M bins, and bin M.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Runs {
    /// M.
    pub half: u32,
    /// H.
    pub run_bins: u32,
    /// True if bin M is among them.
    pub has_last: bool,
}

impl Runs {
    /// True if a unit holds a whole spectrum.
    pub const fn is_single(&self) -> bool {
        self.half <= self.run_bins
    }

    /// Units of a spectrum.
    pub const fn units(&self) -> u32 {
        if self.is_single() {
            1
        } else {
            self.half / (2 * self.run_bins) + self.has_last as u32
        }
    }

    /// Both runs of a unit.
    pub fn unit(&self, unit: u32) -> [Run; 2] {
        let Self { half, run_bins, .. } = *self;
        let run = |first, bins| Run { first, bins };
        let last = if self.has_last {
            run(half, 1)
        } else {
            run(0, 0)
        };
        if self.is_single() {
            [run(0, half), last]
        } else if unit == half / (2 * run_bins) {
            [run(0, 0), last]
        } else {
            let [up, down] = [unit * run_bins, half - (unit + 1) * run_bins];
            [run(up, run_bins), run(down, run_bins)]
        }
    }

    /// Bytes of the table of twiddle factors, bins 0 and up. The second run reads it backwards from
    /// M less its first bin, in a single unit that stores nothing of it from M.
    pub const fn table_bytes(&self) -> u32 {
        let last = if self.is_single() {
            self.half
        } else {
            self.half / 2
        };
        ((last + 1) * POINT_BYTES).next_multiple_of(LANES * POINT_BYTES)
    }

    /// Gives the table: cosines, times `sign`, and sines of 2πk/N, N = 2M, a vector of bins k at a
    /// time.
    pub fn fill_table(&self, sign: f64, put: &mut dyn FnMut(u32, &[u32])) {
        let gain = gain(LOSS_OF_A_TWIDDLE);
        let mut roots = Roots::new(0, 1, 2 * self.half);
        for first in (0..self.table_bytes() / POINT_BYTES).step_by(LANES as usize) {
            let mut words = [0; 2 * LANES as usize];
            for (pair, (cos, sin)) in words.chunks_exact_mut(2).zip(&mut roots) {
                pair.copy_from_slice(&[sign * cos, sin].map(|x| ((x * gain) as f32).to_bits()));
            }
            put(2 * first, &words);
        }
    }

    /// The word `word` in the record of a unit, `from` being the address of its half transform or
    /// real spectrum.
    pub fn address(&self, unit: u32, [from, table]: [u32; 2], wraps: bool, word: Record) -> u32 {
        let first = self.unit(unit).map(|run| run.first);
        match word {
            Record::Address { run, stream } => {
                let up = POINT_BYTES * first[usize::from(run)];
                let down = POINT_BYTES * self.half - up;
                match stream {
                    Stream::Points => from + up,
                    Stream::Mirrored => from + down,
                    Stream::Roots if run == 0 => table + up,
                    Stream::Roots => table + down,
                    Stream::Kernels | Stream::Multiples => not_in_its_lists(),
                }
            }
            Record::Wrap { run } => {
                let last = [0, self.half][usize::from(run)];
                if wraps && first[usize::from(run)] == last {
                    (POINT_BYTES * self.half).wrapping_neg()
                } else {
                    0
                }
            }
            Record::Zero => from,
            Record::Component { .. } | Record::Vectors | Record::Old { .. } => not_in_its_lists(),
        }
    }

    /// The group whose offsets group `group` of run `run` uses: where a spectrum has fewer groups,
    /// the others must read memory that is there.
    pub const fn group(&self, run: u8, group: u8) -> u8 {
        let groups = match (self.is_single(), run) {
            (true, 0) => (self.half / LANES) as u8,
            (true, _) => 1,
            (false, _) => group + 1,
        };
        if group < groups { group } else { groups - 1 }
    }

    /// The word about a group in the row list of a unit.
    pub fn offset(&self, word: Row) -> u32 {
        let Row::Group {
            run,
            stream,
            group,
            component,
        } = word
        else {
            not_in_its_lists();
        };
        let offset = LANES * POINT_BYTES * u32::from(self.group(run, group));
        let descends = match stream {
            Stream::Points | Stream::Kernels | Stream::Multiples => false,
            Stream::Mirrored => true,
            Stream::Roots => run == 1,
        };
        let offset = if descends {
            offset.wrapping_neg()
        } else {
            offset
        };
        offset.wrapping_add(POINT_BYTES / 2 * u32::from(component))
    }
}

/// The spectrum that a unit belongs to, and its number among the units of that spectrum. The units
/// of all spectra that read the same part of the table follow each other.
pub(super) const fn of_spectrum(unit: &UnitContext) -> (u32, u32) {
    (unit.index % unit.batch, unit.index / unit.batch)
}

/// The run that is stored as `run`: the other one where that has no bins.
pub(super) const fn stored(runs: &[Run; 2], run: u8) -> (u8, Run) {
    let run = if runs[run as usize].bins > 0 {
        run
    } else {
        1 - run
    };
    (run, runs[run as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_hold_every_bin_once_and_mirror_each_other() {
        for run_bins in [16, 32, 64, 128] {
            for half in (4..14).map(|log2| 1 << log2) {
                for has_last in [false, true] {
                    let runs = Runs {
                        half,
                        run_bins,
                        has_last,
                    };
                    let mut seen = vec![0; half as usize + 1];
                    for unit in 0..runs.units() {
                        let [up, down] = runs.unit(unit);
                        assert!(up.bins + down.bins > 0);
                        if up.bins > 0 && down.bins == up.bins {
                            assert_eq!(up.first + up.bins, half - down.first);
                        }
                        for run in [up, down] {
                            let bins = run.first..run.first + run.bins;
                            bins.for_each(|bin| seen[bin as usize] += 1);
                        }
                    }
                    let last = seen.pop().unwrap();
                    assert!(seen.iter().all(|&times| times == 1), "{runs:?}");
                    assert_eq!(last, u32::from(has_last));
                }
            }
        }
    }
}
