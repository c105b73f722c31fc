//! Records that came before the descriptor that explains them.
//!
//! Where a descriptor was lost, or a recording begins between two, the next one is the same: it is
//! repeated once a second. Records wait for it, as many as memory is set aside for.

use std::collections::VecDeque;

use wire::{Descriptor, Header, Record, RecordHead, Value};

/// The most values that wait: eight megabytes of them.
const MOST_VALUES: usize = 1 << 20;
/// The memory of a record beside its values, as many of these.
const RECORD_VALUES: usize = 32;

/// A record without its descriptor.
pub(super) struct Unexplained {
    pub(super) header: Header,
    pub(super) head: RecordHead,
    pub(super) missing: u32,
    pub(super) values: Vec<Value>,
}

impl Unexplained {
    /// Its memory, in values.
    fn size(&self) -> usize {
        self.values.len() + RECORD_VALUES
    }
}

/// Those that wait, oldest first.
#[derive(Default)]
pub(super) struct Waiting {
    records: VecDeque<Unexplained>,
    /// Records for which nothing can come any more.
    given_up: u64,
}

/// Returns whether a descriptor is the one that a record names, and agrees with it.
pub(super) fn explains(descriptor: &Descriptor, head: &RecordHead) -> bool {
    (descriptor.id, descriptor.values(), descriptor.encoding)
        == (head.descriptor, head.total, head.encoding)
}

impl Waiting {
    /// Records that could not be shown so far.
    pub(super) fn count(&self) -> u64 {
        self.given_up + self.records.len() as u64
    }

    /// Lets a record wait; the oldest go when there are too many.
    pub(super) fn add(&mut self, header: Header, record: &Record) {
        self.records.push_back(Unexplained {
            header,
            head: record.head,
            missing: record.missing,
            values: record.values().collect(),
        });
        let mut values: usize = self.records.iter().map(Unexplained::size).sum();
        while values > MOST_VALUES
            && let Some(oldest) = self.records.pop_front()
        {
            values -= oldest.size();
            self.given_up += 1;
        }
    }

    /// Counts a record that nothing will explain.
    pub(super) fn add_hopeless(&mut self) {
        self.given_up += 1;
    }

    /// The board has started anew: what waits will not be explained.
    pub(super) fn give_up(&mut self) {
        self.given_up = self.count();
        self.records.clear();
    }

    /// The records that this descriptor explains, in the order in which they came.
    pub(super) fn take(&mut self, descriptor: &Descriptor) -> Vec<Unexplained> {
        let (explained, rest) = std::mem::take(&mut self.records)
            .into_iter()
            .partition::<VecDeque<_>, _>(|each| explains(descriptor, &each.head));
        self.records = rest;
        explained.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Receiver;
    use crate::stream::tests::repeating_stream;

    #[test]
    fn records_do_not_wait_in_any_number() {
        const RECORDS: u32 = 30_000;
        // 9 values each; the descriptor that was lost comes again before the last.
        let stream = repeating_stream(16, RECORDS, RECORDS - 1);
        let ends = stream.windows(2).enumerate();
        let mut ends = ends.filter_map(|(at, pair)| (pair == [0, 0]).then_some(at + 1));
        let first = ends.next().expect("a descriptor");
        let mut receiver = Receiver::default();
        receiver.push(&stream[first..], &mut vec![]);
        let most = (MOST_VALUES / (9 + RECORD_VALUES)) as u64;
        let health = receiver.health();
        assert_eq!(health.spectra, most + 1);
        assert_eq!(health.unexplained_spectra, u64::from(RECORDS) - most - 1);
    }
}
