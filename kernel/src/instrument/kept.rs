//! The last records as they were sent, for hosts that lost a part of them.
//!
//! A ring of bytes: each record's values lie together, and a new record takes the place of the
//! oldest ones. What is being sent is sent from here.

use heapless::Deque;
use wire::RecordHead;

/// Bytes of values that are kept.
pub(super) const KEPT_BYTES: usize = 1 << 20;
/// Records that are kept at the most.
const KEPT_RECORDS: usize = 512;

/// What is known of the records that are kept, first to last.
pub(super) type Entries = Deque<Entry, KEPT_RECORDS>;

/// A record that is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub head: RecordHead,
    pub stream: u16,
    /// The first of its bytes.
    start: usize,
}

impl Entry {
    fn bytes(&self) -> usize {
        self.head.total as usize * self.head.encoding.bytes()
    }
}

/// The records that are kept, all of one stream or upload.
pub(super) struct Kept<'a> {
    bytes: &'a mut [u8],
    records: &'a mut Entries,
    /// The place of the next record's values, if they fit there.
    next: usize,
}

impl<'a> Kept<'a> {
    /// None, in this memory; `records` is empty.
    pub(super) const fn new(bytes: &'a mut [u8], records: &'a mut Entries) -> Self {
        Self {
            bytes,
            records,
            next: 0,
        }
    }

    /// Forgets all, or all but the last.
    pub(super) fn forget(&mut self, but_last: bool) {
        while self.records.len() > usize::from(but_last) {
            self.records.pop_front();
        }
    }

    /// The place of so many bytes, and the number of oldest records that they would replace.
    fn place(&self, bytes: usize) -> (usize, usize) {
        let fits = self.next + bytes <= self.bytes.len();
        let start = if fits { self.next } else { 0 };
        let overlaps =
            |kept: &Entry| kept.start < start + bytes && start < kept.start + kept.bytes();
        let behind_last = self.records.iter().rposition(overlaps);
        let over = behind_last.map_or(0, |last| last + 1);
        let least = usize::from(self.records.is_full());
        (start, over.max(least))
    }

    /// Reports if a record of so many bytes would take the place of one from number `held` on.
    pub(super) fn would_lose(&self, bytes: usize, held: u32) -> bool {
        let (_, over) = self.place(bytes);
        self.records
            .iter()
            .take(over)
            .any(|kept| kept.head.record >= held)
    }

    /// Keeps a record; returns where its values go, little-endian.
    pub(super) fn keep(&mut self, head: RecordHead, stream: u16) -> &mut [u8] {
        let mut kept = Entry {
            head,
            stream,
            start: 0,
        };
        let bytes = kept.bytes().min(self.bytes.len());
        let (start, over) = self.place(bytes);
        for _ in 0..over {
            self.records.pop_front();
        }
        kept.start = start;
        self.next = start + bytes;
        // There is room: one was forgotten where all places were taken.
        let _ = self.records.push_back(kept);
        &mut self.bytes[start..start + bytes]
    }

    /// A record, and its values.
    pub(super) fn find(&self, record: u32) -> Option<(&Entry, &[u8])> {
        let kept = self
            .records
            .iter()
            .rev()
            .find(|kept| kept.head.record == record)?;
        let values = self.bytes.get(kept.start..kept.start + kept.bytes())?;
        Some((kept, values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::{Counters, Encoding, Engine};

    fn head(record: u32, total: u32) -> RecordHead {
        RecordHead {
            record,
            total,
            descriptor: 1,
            encoding: Encoding::U8,
            engine: Engine::Cpu,
            fallback: false,
            replaced: false,
            doubt: None,
            duty_ppm: None,
            blocks: 1,
            first_sample: 0,
            counters: Counters::default(),
        }
    }

    fn keep(records: &mut Kept, record: u32, total: u32) {
        let values = records.keep(head(record, total), 3);
        assert_eq!(values.len(), total as usize);
        values.fill(record as u8);
    }

    /// Numbers of the records that are there, all of whose values are their own.
    fn there(records: &Kept) -> Vec<u32> {
        let found = (0..300).filter(|&record| {
            let found = records.find(record);
            found.is_some_and(|(kept, values)| {
                assert_eq!((kept.stream, values.len()), (3, kept.head.total as usize));
                assert!(values.iter().all(|value| *value == record as u8));
                true
            })
        });
        found.collect()
    }

    #[test]
    fn new_records_take_the_place_of_the_oldest() {
        let (mut memory, mut entries) = ([0; 100], Entries::new());
        let mut records = Kept::new(&mut memory, &mut entries);
        for record in 0..3 {
            assert!(!records.would_lose(30, 0));
            keep(&mut records, record, 30);
        }
        assert_eq!(there(&records), [0, 1, 2]);
        // Ten bytes are left at the end: not enough.
        assert!(records.would_lose(30, 0) && !records.would_lose(30, 1));
        assert!(!records.would_lose(10, 0));
        keep(&mut records, 3, 30);
        assert_eq!(there(&records), [1, 2, 3]);
        // Over one and a half.
        assert!(records.would_lose(40, 2) && !records.would_lose(40, 3));
        keep(&mut records, 4, 40);
        assert_eq!(there(&records), [3, 4]);
        keep(&mut records, 5, 100);
        assert_eq!(there(&records), [5]);
        keep(&mut records, 6, 10);
        keep(&mut records, 7, 10);
        records.forget(true);
        assert_eq!(there(&records), [7]);
        records.forget(false);
        assert!(!records.would_lose(100, 0));
        assert_eq!(there(&records), [] as [u32; 0]);
    }

    #[test]
    fn any_sizes_in_any_order_leave_whole_records() {
        let (mut memory, mut entries) = ([0; 1000], Entries::new());
        let mut records = Kept::new(&mut memory, &mut entries);
        let mut state = 7_u32;
        for record in 0..256 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            keep(&mut records, record, 1 + (state >> 24));
            assert_eq!(there(&records).last(), Some(&record));
        }
    }
}
