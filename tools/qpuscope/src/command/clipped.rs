//! Samples at or beyond full scale, counted over records, as people are told at the end.

/// The clipped samples of the records of one channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Clipped {
    samples: u64,
    records: u64,
    /// Records that have any.
    with: u64,
}

impl Clipped {
    /// Takes in the count of a record, where it has one.
    pub(super) fn take(&mut self, count: Option<u64>) {
        let count = count.unwrap_or(0);
        self.samples = self.samples.saturating_add(count);
        self.records += 1;
        self.with += u64::from(count > 0);
    }

    /// A sentence about them without its end, if there are any.
    pub(super) fn remark(&self) -> Option<String> {
        let Self {
            samples,
            records,
            with,
        } = self;
        let are = match samples {
            0 => return None,
            1 => "sample is",
            _ => "samples are",
        };
        let of = match records {
            1 => "in the only spectrum".to_owned(),
            _ => format!("in {with} of {records} spectra"),
        };
        Some(format!("{samples} {are} at or beyond full scale, {of}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipped_samples_are_said_with_the_number_of_their_records() {
        let remark = |counts: &[Option<u64>]| {
            let mut clipped = Clipped::default();
            counts.iter().for_each(|count| clipped.take(*count));
            clipped.remark()
        };
        assert_eq!(remark(&[]), None);
        assert_eq!(remark(&[None, Some(0)]), None);
        let text = remark(&[None, Some(0), Some(7), Some(2)]);
        let wanted = "9 samples are at or beyond full scale, in 2 of 4 spectra";
        assert_eq!(text.as_deref(), Some(wanted));
        let text = remark(&[Some(1)]);
        let wanted = "1 sample is at or beyond full scale, in the only spectrum";
        assert_eq!(text.as_deref(), Some(wanted));
    }
}
