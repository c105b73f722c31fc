//! The bins that a unit of a split works on: two runs that mirror each other.
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

    /// Entries that runs read of a table of twiddle factors, bins 0 and up. The second run reads it
    /// backwards from M less its first bin, in a single unit that stores nothing of it from M.
    pub const fn roots(&self) -> u32 {
        if self.is_single() {
            self.half + 1
        } else {
            self.half / 2 + 1
        }
    }

    /// The group whose offsets group `group` of run `run` uses: where a spectrum has fewer groups,
    /// the others must read memory that is there.
    pub const fn group(&self, run: u8, group: u8) -> u8 {
        let groups = match (self.is_single(), run) {
            (true, 0) => (self.half / super::LANES) as u8,
            (true, _) => 1,
            (false, _) => group + 1,
        };
        if group < groups { group } else { groups - 1 }
    }
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
