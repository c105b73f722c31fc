//! Records that came before the descriptor that explains them.
//!
//! Where a descriptor was lost, or a recording begins between two, the next one is the same: it is
//! repeated once a second. Records wait for it, as many as memory is set aside for.

use std::collections::VecDeque;

use wire::{Descriptor, Header, Record, RecordHead, Value};

/// The most values that wait: eight megabytes of them.
pub const MOST_VALUES: usize = 1 << 20;
/// The memory of a record beside its values, as many of these.
pub const RECORD_VALUES: usize = 32;

/// A record without its descriptor.
pub struct Unexplained {
    /// The header of its last chunk.
    pub header: Header,
    /// Its head.
    pub head: RecordHead,
    /// Values whose chunks were lost.
    pub missing: u32,
    /// Its values.
    pub values: Vec<Value>,
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
#[must_use]
pub fn explains(descriptor: &Descriptor, head: &RecordHead) -> bool {
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
