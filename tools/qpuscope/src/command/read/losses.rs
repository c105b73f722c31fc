//! Samples that a board lost at its input while its records were read.

/// The losses of a stream, since it began or since the first record that was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Losses {
    /// Those before the first record, where the stream had begun before.
    before: Option<[u64; 2]>,
    /// Lost samples, and those that were left out beside them.
    last: [u64; 2],
    /// Those of streams that ended meanwhile.
    ended: [u64; 2],
}

impl Losses {
    /// Takes in the counters of a record, the first of its stream or not, or of a heartbeat.
    pub(super) fn note(&mut self, overruns: u64, left_out: u64, is_first: bool) {
        let now = [overruns, left_out];
        let is_new = now.iter().zip(self.last).any(|(now, last)| *now < last);
        if is_new {
            self.ended = self.total();
            self.before = Some([0; 2]);
        }
        let before = if is_first { [0; 2] } else { now };
        self.before.get_or_insert(before);
        self.last = now;
    }

    /// All of them.
    fn total(&self) -> [u64; 2] {
        let before = self.before.unwrap_or_default();
        std::array::from_fn(|at| self.ended[at] + self.last[at].saturating_sub(before[at]))
    }

    /// A sentence about them, if there are any.
    pub(super) fn remark(&self) -> Option<String> {
        match self.total() {
            [0, 0] => None,
            [lost, 0] => Some(format!("{lost} samples were lost at the board's input")),
            [lost, left_out] => Some(format!(
                "{lost} samples were lost at the board's input; {left_out} that came near them are in no spectrum"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(records: &[(u64, bool)]) -> u64 {
        let mut losses = Losses::default();
        for (overruns, is_first) in records {
            losses.note(*overruns, 0, *is_first);
        }
        losses.total()[0]
    }

    #[test]
    fn losses_count_from_the_start_of_a_stream_or_from_the_first_record_that_is_read() {
        assert_eq!(read(&[]), 0);
        assert_eq!(read(&[(7, true), (9, false)]), 9);
        assert_eq!(read(&[(7, false), (9, false)]), 2);
        assert_eq!(read(&[(7, false), (9, false), (1, true), (4, false)]), 6);
    }

    #[test]
    fn a_remark_says_both_numbers() {
        let mut losses = Losses::default();
        assert_eq!(losses.remark(), None);
        losses.note(0, 0, true);
        assert_eq!(losses.remark(), None);
        losses.note(66, 4096, false);
        let text = losses.remark().expect("a loss");
        assert!(text.contains("66") && text.contains("4096"), "{text}");
    }
}
