//! Records of an upload whose lost values are asked for again: chunks in any order, whole spectra
//! in the order of their numbers.

use std::collections::{BTreeMap, HashMap};
use std::iter;
use std::ops::Range;

use view::receive::explains;
use wire::{Assembled, Assembler, Chunk, Crc32, Descriptor, Header, RecordHead, Uploaded};

use super::spectrum::spectrum;
use super::step_powers::StepPowers;
use crate::spectrum::Spectrum;

/// The distance that records may be ahead of the first that is not whole: twice what a board keeps.
const AHEAD: u32 = 1024;
/// Bytes of values that wait at the most; a board keeps one MiB.
const ROOM: usize = 64 << 20;

/// Values that have not come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lost {
    /// Their record.
    pub record: u32,
    /// Index of the first.
    pub offset: u32,
    /// The number of values, at the most; 0: the record's descriptor has not come.
    pub values: u32,
    /// Bytes of one, where that is known.
    pub width: usize,
}

/// A record, as far as it has come.
struct Partial {
    header: Header,
    head: RecordHead,
    data: Vec<u8>,
    missing: Vec<Range<u32>>,
}

impl Partial {
    fn new(header: &Header, head: &RecordHead) -> Self {
        Self {
            header: *header,
            head: *head,
            data: vec![0; head.total as usize * head.encoding.bytes()],
            missing: iter::once(0..head.total).collect(),
        }
    }

    /// Takes in a chunk of this record.
    fn take(&mut self, chunk: &Chunk) {
        let width = self.head.encoding.bytes();
        let end = chunk.offset + (chunk.data.len() / width) as u32;
        let start = chunk.offset as usize * width;
        self.data[start..start + chunk.data.len()].copy_from_slice(chunk.data);
        self.missing = self
            .missing
            .iter()
            .flat_map(|lost| {
                [
                    lost.start..lost.end.min(chunk.offset),
                    lost.start.max(end)..lost.end,
                ]
            })
            .filter(|lost| lost.start < lost.end)
            .collect();
    }
}

/// The records of one upload.
#[derive(Default)]
pub struct Collector {
    pub(super) stream: u16,
    records: BTreeMap<u32, Partial>,
    /// Records before this one are whole and handed out.
    next: u32,
    /// One more than the greatest number so far.
    seen: u32,
    /// The time of the record before.
    last_us: Option<u64>,
    bytes: u64,
    crc: Crc32,
}

impl Collector {
    /// Nothing yet of this stream.
    #[must_use]
    pub fn new(stream: u16) -> Self {
        Self {
            stream,
            ..Self::default()
        }
    }

    /// All records before this one are whole.
    #[must_use]
    pub const fn next(&self) -> u32 {
        self.next
    }

    /// One more than the greatest number of a record so far.
    #[must_use]
    pub const fn seen(&self) -> u32 {
        self.seen
    }

    /// Returns whether the whole records are all that an upload has brought.
    #[must_use]
    pub fn is_all_of(&self, brought: &Uploaded) -> bool {
        (brought.records, brought.bytes, brought.crc) == (self.next, self.bytes, self.crc.value())
    }

    /// Takes in a chunk of the stream.
    pub(super) fn push(&mut self, header: &Header, chunk: &Chunk) {
        let head = &chunk.head;
        let bytes = head.total as usize * head.encoding.bytes();
        let held: usize = self
            .records
            .values()
            .map(|partial| partial.data.len())
            .sum();
        let there = self.records.get(&head.record);
        let is_known = there.is_some_and(|partial| partial.head == *head);
        if head.record < self.next
            || head.record - self.next >= AHEAD
            || !is_known && held + bytes > ROOM
        {
            return;
        }
        let partial = self
            .records
            .entry(head.record)
            .or_insert_with(|| Partial::new(header, head));
        if partial.head != *head {
            *partial = Partial::new(header, head);
        }
        partial.take(chunk);
        self.seen = self.seen.max(head.record + 1);
    }

    /// The next spectrum, when all of it and its descriptor have come.
    pub(super) fn take(
        &mut self,
        descriptors: &HashMap<u32, Descriptor>,
        step_powers: &mut StepPowers,
    ) -> Option<Spectrum> {
        let partial = self.records.get(&self.next)?;
        let head = partial.head;
        let descriptor = descriptors.get(&head.descriptor);
        let descriptor = descriptor.filter(|each| explains(each, &head))?;
        if !partial.missing.is_empty() {
            return None;
        }
        let Partial {
            mut header, data, ..
        } = self.records.remove(&self.next)?;
        self.next += 1;
        // One that was asked for again has been complete before those that came ahead of it.
        let ahead = self.records.values().map(|ahead| ahead.header.time_us);
        let before = ahead.min().map_or(u64::MAX, |us| us.saturating_sub(1));
        let after = self.last_us.map_or(0, |us| us.saturating_add(1));
        header.time_us = header.time_us.min(before).max(after);
        self.last_us = Some(header.time_us);
        self.bytes += data.len() as u64;
        self.crc.update(&data);
        let mut assembler = Assembler::new(vec![0; data.len()]);
        let whole = Chunk {
            head,
            offset: 0,
            data: &data,
        };
        match assembler.push(&whole) {
            Assembled::Record(record) => {
                let values = record.values();
                Some(spectrum(&header, &head, values, descriptor, step_powers))
            }
            Assembled::Pending | Assembled::TooLarge(_) => None,
        }
    }

    /// The first values that are missing of the records before `end`.
    #[must_use]
    pub fn lost(&self, end: u32) -> Option<Lost> {
        let of = |record| match self.records.get(&record) {
            None => Some(Lost {
                record,
                offset: 0,
                values: u32::MAX,
                width: 4,
            }),
            Some(partial) => {
                let width = partial.head.encoding.bytes();
                match partial.missing.first() {
                    Some(lost) => Some(Lost {
                        record,
                        offset: lost.start,
                        values: lost.end - lost.start,
                        width,
                    }),
                    // The next is whole, and would have gone if it were explained.
                    None if record == self.next => Some(Lost {
                        record,
                        offset: 0,
                        values: 0,
                        width,
                    }),
                    None => None,
                }
            }
        };
        (self.next..end.min(self.next.saturating_add(AHEAD))).find_map(of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::{Counters, Decoder, Encoding, Item, Message};

    use crate::stream::tests::example_stream;

    /// Header and descriptor of the example, and a record of its kind with these values.
    fn example() -> (Header, Descriptor, RecordHead) {
        let (mut decoder, mut found) = (Decoder::new(), (None, None));
        for byte in example_stream(256, 1) {
            let Some(Item::Frame(header, payload)) = decoder.push(byte) else {
                continue;
            };
            match Message::decode(header.kind, payload) {
                Ok(Message::Descriptor(descriptor)) => found.0 = Some(descriptor),
                Ok(Message::Spectrum(chunk)) => found.1 = Some((header, chunk.head)),
                _ => {}
            }
        }
        let (header, head) = found.1.expect("a record");
        (header, found.0.expect("a descriptor"), head)
    }

    fn values(head: &RecordHead) -> Vec<u8> {
        let bytes = head.total as usize * head.encoding.bytes();
        (0..bytes)
            .map(|index| (index * 7 + head.record as usize) as u8 & 0x3f)
            .collect()
    }

    #[test]
    fn chunks_in_any_order_become_whole_spectra_in_theirs() {
        let (header, descriptor, head) = example();
        let width = head.encoding.bytes();
        assert_ne!(head.encoding, Encoding::U8);
        let heads = [0, 1, 2].map(|record| RecordHead {
            record,
            counters: Counters::default(),
            ..head
        });
        let mut collector = Collector::new(header.stream);
        let push = |collector: &mut Collector, record: usize, range: Range<u32>| {
            let head = heads[record];
            let data = &values(&head)[range.start as usize * width..range.end as usize * width];
            collector.push(
                &header,
                &Chunk {
                    head,
                    offset: range.start,
                    data,
                },
            );
        };
        let total = head.total;
        push(&mut collector, 1, 0..total);
        let whole = Lost {
            record: 0,
            offset: 0,
            values: u32::MAX,
            width: 4,
        };
        assert_eq!((collector.lost(1), collector.lost(0)), (Some(whole), None));
        push(&mut collector, 0, 10..20);
        push(&mut collector, 0, 15..40);
        let lost = |offset, values| {
            Some(Lost {
                record: 0,
                offset,
                values,
                width,
            })
        };
        assert_eq!(collector.lost(3), lost(0, 10));
        push(&mut collector, 0, 0..10);
        assert_eq!(collector.lost(3), lost(40, total - 40));
        push(&mut collector, 0, 40..total);

        let mut descriptors = HashMap::new();
        let mut powers = StepPowers::default();
        assert!(collector.take(&descriptors, &mut powers).is_none());
        assert_eq!(collector.lost(3), lost(0, 0), "nobody has said what it is");
        descriptors.insert(descriptor.id, descriptor);
        let taken: Vec<_> =
            std::iter::from_fn(|| collector.take(&descriptors, &mut powers)).collect();
        assert_eq!(taken.iter().map(|it| it.record).collect::<Vec<_>>(), [0, 1]);
        assert!(taken[0].power.iter().all(|power| power.is_finite()));
        assert_eq!((collector.next(), collector.lost(2)), (2, None));
        assert_eq!(collector.lost(3).map(|lost| lost.record), Some(2));

        let all = [values(&heads[0]), values(&heads[1])].concat();
        let mut brought = Uploaded {
            records: 2,
            bytes: all.len() as u64,
            crc: wire::crc32(&all),
        };
        assert!(collector.is_all_of(&brought));
        brought.crc ^= 1;
        assert!(!collector.is_all_of(&brought));
    }

    #[test]
    fn a_record_that_comes_again_is_older_than_those_that_came_ahead_of_it() {
        let (header, descriptor, head) = example();
        let mut collector = Collector::new(header.stream);
        for (record, time_us) in [(0, 100), (3, 300), (1, 900), (2, 950), (4, 1000)] {
            let head = RecordHead { record, ..head };
            let data = &values(&head);
            let header = Header { time_us, ..header };
            let chunk = Chunk {
                head,
                offset: 0,
                data,
            };
            collector.push(&header, &chunk);
        }
        let descriptors = HashMap::from([(descriptor.id, descriptor)]);
        let taken = std::iter::from_fn(|| collector.take(&descriptors, &mut StepPowers::default()));
        let times: Vec<_> = taken.map(|spectrum| spectrum.device_us).collect();
        assert_eq!(times, [100, 299, 300, 301, 1000]);
    }

    #[test]
    fn what_no_board_keeps_takes_no_memory() {
        let (header, _, head) = example();
        let mut collector = Collector::new(header.stream);
        for record in [AHEAD, u32::MAX] {
            let head = RecordHead { record, ..head };
            collector.push(
                &header,
                &Chunk {
                    head,
                    offset: 0,
                    data: &[],
                },
            );
        }
        let large = RecordHead {
            record: 0,
            total: u32::MAX,
            ..head
        };
        collector.push(
            &header,
            &Chunk {
                head: large,
                offset: 0,
                data: &[],
            },
        );
        assert!(collector.records.is_empty());
    }
}
