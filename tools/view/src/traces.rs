//! The traces of a spectrum: the last record, and what is held of all since a user said so.

/// A trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trace {
    /// The last record; of a record with two detectors the first, which is the mean.
    Live,
    /// The greatest of each bin in the last record, where it has it beside the mean.
    Greatest,
    /// The greatest of each bin since the hold began.
    HoldMax,
    /// The least of each bin since the hold began.
    HoldMin,
    /// The mean of each bin since the hold began.
    HoldMean,
}

impl Trace {
    /// Every trace.
    pub const ALL: [Self; 5] = [
        Self::Live,
        Self::Greatest,
        Self::HoldMax,
        Self::HoldMin,
        Self::HoldMean,
    ];

    /// Its name, as a page's controls and a table's columns have it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Greatest => "greatest",
            Self::HoldMax => "hold-max",
            Self::HoldMin => "hold-min",
            Self::HoldMean => "hold-mean",
        }
    }

    /// The trace with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trace| trace.name() == name)
    }
}

/// Linear powers of each bin; NaN where a bin was lost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traces {
    pub(crate) live: Vec<f64>,
    pub(crate) greatest: Option<Vec<f64>>,
    pub(crate) hold: Hold,
}

/// The powers that are held.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hold {
    max: Vec<f64>,
    min: Vec<f64>,
    sum: Vec<f64>,
    /// Records in each sum: those in which the bin was not lost.
    counts: Vec<u32>,
    /// Records since the hold began.
    pub(crate) records: u64,
}

impl Hold {
    /// Takes a record in. A number of bins that is another than before begins anew.
    fn take(&mut self, live: &[f64], greatest: &[f64]) {
        if self.max.len() != live.len() {
            let lost = vec![f64::NAN; live.len()];
            *self = Self {
                max: lost.clone(),
                min: lost,
                sum: vec![0.0; live.len()],
                counts: vec![0; live.len()],
                records: 0,
            };
        }
        self.records += 1;
        for (index, (&power, &most)) in live.iter().zip(greatest).enumerate() {
            if !power.is_nan() {
                // Of a number and NaN both give the number.
                self.min[index] = self.min[index].min(power);
                self.sum[index] += power;
                self.counts[index] += 1;
            }
            self.max[index] = self.max[index].max(most);
        }
    }
}

impl Traces {
    /// Takes the powers of a record in, and those of its second detector.
    pub(crate) fn take(&mut self, live: Vec<f64>, greatest: Option<Vec<f64>>) {
        self.hold.take(&live, greatest.as_ref().unwrap_or(&live));
        (self.live, self.greatest) = (live, greatest);
    }

    /// Forgets what is held.
    pub(crate) fn reset_hold(&mut self) {
        self.hold = Hold::default();
    }

    /// The powers of a trace, where there are any.
    pub(crate) fn powers(&self, trace: Trace) -> Option<std::borrow::Cow<'_, [f64]>> {
        let is_held = self.hold.records > 0;
        match trace {
            Trace::Live => (!self.live.is_empty()).then(|| (&self.live[..]).into()),
            Trace::Greatest => self.greatest.as_ref().map(|powers| (&powers[..]).into()),
            Trace::HoldMax => is_held.then(|| (&self.hold.max[..]).into()),
            Trace::HoldMin => is_held.then(|| (&self.hold.min[..]).into()),
            Trace::HoldMean => {
                let means = self.hold.sum.iter().zip(&self.hold.counts);
                let mean = |(&sum, &count): (&f64, &u32)| sum / f64::from(count);
                is_held.then(|| means.map(mean).collect::<Vec<_>>().into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_held_in_linear_power_and_lost_bins_left_out() {
        let mut traces = Traces::default();
        assert!(
            Trace::ALL
                .iter()
                .all(|&trace| traces.powers(trace).is_none())
        );
        traces.take(vec![1.0, f64::NAN, 4.0], None);
        traces.take(vec![3.0, 2.0, f64::NAN], None);
        let powers = |trace| traces.powers(trace).expect("powers").to_vec();
        assert_eq!(powers(Trace::HoldMax), [3.0, 2.0, 4.0]);
        assert_eq!(powers(Trace::HoldMin), [1.0, 2.0, 4.0]);
        assert_eq!(powers(Trace::HoldMean), [2.0, 2.0, 4.0]);
        assert_eq!(powers(Trace::Live)[..2], [3.0, 2.0]);
        assert!(traces.powers(Trace::Greatest).is_none());
        traces.take(vec![1.0; 3], Some(vec![9.0; 3]));
        assert_eq!(traces.powers(Trace::HoldMax).expect("max")[..], [9.0; 3]);
        assert_eq!(traces.hold.records, 3);
        traces.reset_hold();
        assert!(traces.powers(Trace::HoldMax).is_none());
        traces.take(vec![1.0; 5], None);
        assert_eq!(traces.powers(Trace::HoldMean).expect("mean")[..], [1.0; 5]);
    }

    #[test]
    fn names_are_read_back() {
        for trace in Trace::ALL {
            assert_eq!(Trace::from_name(trace.name()), Some(trace));
        }
        assert_eq!(Trace::from_name("peak"), None);
    }
}
