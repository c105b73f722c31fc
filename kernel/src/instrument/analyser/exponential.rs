//! Exponential averaging: the mean of a record becomes a part of an average over records.
//!
//! With N records, the average takes 1/N of the new mean and keeps the rest of what it was. The
//! first N records have equal parts, so that it is a plain mean of them at the start: it is right
//! from the first record on, and needs no time to rise.

/// The average over records.
pub(in crate::instrument) struct Exponential<'a> {
    /// The average power of each bin.
    average: &'a mut [f64],
    /// Records in it, up to N.
    records: u32,
}

impl<'a> Exponential<'a> {
    /// `average`: room for all bins of a record.
    pub fn new(average: &'a mut [f64]) -> Self {
        Self {
            average,
            records: 0,
        }
    }

    /// Begins anew.
    pub fn begin(&mut self) {
        self.records = 0;
    }

    /// Takes the powers of a record, each the sum of `count` blocks, and replaces them by the
    /// average: as many blocks of that.
    pub fn take(&mut self, records: u32, count: u32, sums: &mut [f64]) {
        self.records = self.records.saturating_add(1).min(records.max(1));
        let part = 1.0 / f64::from(self.records);
        let count = f64::from(count.max(1));
        for (average, sum) in self.average.iter_mut().zip(sums) {
            let mean = *sum / count;
            // One that is no number would stay for good.
            *average = match self.records > 1 && average.is_finite() {
                true => *average + part * (mean - *average),
                false => mean,
            };
            *sum = *average * count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The averages after each of these means, for N records.
    fn averages(records: u32, means: &[f64]) -> Vec<f64> {
        let mut memory = [f64::NAN];
        let mut average = Exponential::new(&mut memory);
        let take = |mean: &f64| {
            let mut sums = [16.0 * mean];
            average.take(records, 16, &mut sums);
            sums[0] / 16.0
        };
        means.iter().map(take).collect()
    }

    #[test]
    fn it_is_a_plain_mean_at_first_and_then_forgets() {
        assert_eq!(
            averages(4, &[8.0, 0.0, 1.0, 3.0, 7.0, 7.0]),
            [8.0, 4.0, 3.0, 3.0, 4.0, 4.75]
        );
        assert_eq!(averages(1, &[8.0, 2.0, 4.0]), [8.0, 2.0, 4.0]);
    }

    #[test]
    fn a_step_comes_within_the_share_that_the_formula_says() {
        let steps: Vec<f64> = [0.0; 8].into_iter().chain([1.0; 24]).collect();
        let got = averages(8, &steps);
        for (number, got) in got[8..].iter().enumerate() {
            let wanted = 1.0 - 0.875_f64.powi(number as i32 + 1);
            assert!((got - wanted).abs() < 1e-12, "{number}: {got}, {wanted}");
        }
    }

    #[test]
    fn what_is_no_number_does_not_stay() {
        let got = averages(4, &[1.0, f64::INFINITY, 2.0, 4.0]);
        assert_eq!(got[2..], [2.0, 2.5]);
    }
}
