//! Records put together from chunks, and the descriptors that explain them.
//!
//! Numbers of descriptors and records begin anew whenever the board does, so that nothing is kept
//! over a start: what was said before it explains nothing behind it.

mod waiting;

use std::collections::HashMap;

use wire::{Assembled, Assembler, Chunk, Descriptor, Header, Record};

use waiting::Waiting;
pub use waiting::{MOST_VALUES, RECORD_VALUES, Unexplained, explains};

/// The largest record that is put together: 2^22 bins of f32.
const LARGEST_RECORD: usize = 16 << 20;

/// Descriptors that are kept; a record names one of the last few.
const DESCRIPTORS: usize = 64;

/// Records under way, and the descriptors to read them by.
pub struct Records {
    assembler: Assembler<Vec<u8>>,
    /// Bytes of the largest record that the assembler holds.
    room: usize,
    /// Incomplete records of the assemblers before, which were too small.
    incomplete: u64,
    descriptors: HashMap<u32, Descriptor>,
    waiting: Waiting,
    /// Sequence and time of the last frame, which both grow from one start of the board to the
    /// next.
    last: Option<(u32, u64)>,
}

impl Default for Records {
    fn default() -> Self {
        Self {
            assembler: Assembler::new(vec![]),
            room: 0,
            incomplete: 0,
            descriptors: HashMap::new(),
            waiting: Waiting::default(),
            last: None,
        }
    }
}

impl Records {
    /// Records of which a part was lost, so far.
    #[must_use]
    pub fn incomplete(&self) -> u64 {
        self.incomplete + self.assembler.incomplete()
    }

    /// Records that no descriptor has explained, so far.
    #[must_use]
    pub fn unexplained(&self) -> u64 {
        self.waiting.count()
    }

    /// The descriptors that the board has sent.
    #[must_use]
    pub const fn descriptors(&self) -> &HashMap<u32, Descriptor> {
        &self.descriptors
    }

    /// Nothing more will come of the record under way.
    pub fn give_up(&mut self) {
        self.assembler.give_up();
    }

    /// Follows the frames of the board. Notices its start; and two recordings one behind the other,
    /// which look the same.
    pub fn follow(&mut self, header: &Header) {
        let restarted = self.last.is_some_and(|(sequence, time_us)| {
            header.sequence.wrapping_sub(sequence) >= 1 << 31 || header.time_us < time_us
        });
        if restarted {
            self.forget();
        }
        self.last = Some((header.sequence, header.time_us));
    }

    /// Keeps nothing of what the board has said: another one, or another line, follows.
    pub fn forget(&mut self) {
        self.descriptors.clear();
        self.waiting.give_up();
        self.assembler.give_up();
        self.last = None;
    }

    /// Takes a descriptor in; returns the records that waited for it, in the order in which they
    /// came.
    pub fn describe(&mut self, descriptor: &Descriptor) -> Vec<Unexplained> {
        let is_known = self.descriptors.contains_key(&descriptor.id);
        if self.descriptors.len() >= DESCRIPTORS && !is_known {
            self.descriptors.clear();
        }
        self.descriptors.insert(descriptor.id, *descriptor);
        self.waiting.take(descriptor)
    }

    /// Takes a chunk in; returns the record that it completes, with its descriptor. A record whose
    /// descriptor has not come waits for it.
    pub fn push(&mut self, header: &Header, chunk: &Chunk) -> Option<(Record<'_>, Descriptor)> {
        let bytes = chunk.head.total as usize * chunk.head.encoding.bytes();
        if bytes > LARGEST_RECORD {
            self.waiting.add_hopeless();
            return None;
        }
        if bytes > self.room {
            self.room = bytes.next_power_of_two();
            self.assembler.give_up();
            self.incomplete += self.assembler.incomplete();
            self.assembler = Assembler::new(vec![0; self.room]);
        }
        let Assembled::Record(record) = self.assembler.push(chunk) else {
            return None;
        };
        let described = self.descriptors.get(&record.head.descriptor);
        match described.filter(|each| explains(each, &record.head)) {
            Some(descriptor) => Some((record, *descriptor)),
            None => {
                self.waiting.add(*header, &record);
                None
            }
        }
    }
}
