//! The two VPM DMA engines: VDR loads memory, VDW stores to it.
//!
//! Each is one engine for the whole chip with a queue; setup words are kept per QPU and taken when
//! the address is written (Broadcom's shaders rely on it). Rows move one after the other, at a pace
//! that the cycle model replaces; in the meantime VPM and memory hold what they held, so a missing
//! wait shows.

pub mod setup;
pub mod vdr;
pub mod vdw;

use crate::event::{Access, FaultKind};
use crate::memory::{Memory, MemoryFault};
use crate::report::At;
use crate::time::Rows;
use crate::vpm::setup::Place;
use crate::vpm::{Vpm, Words};
use setup::{Mode, item, words};
use std::collections::VecDeque;

/// Rounds before the first row, and for each row.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// From the request to the start of the first row.
    pub start: u64,
    /// Each row.
    pub row: u64,
}

/// The size of a transfer, and its place in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// The first row's address in memory.
    pub memory: u32,
    /// Bytes from the start of a row in memory to that of the next.
    pub pitch: u32,
    /// Number of rows, at least 1.
    pub rows: u32,
    /// Elements of a row.
    pub elements: u32,
    /// Element width, and the part of a word at which the first row starts.
    pub mode: Mode,
    /// True if rows go down columns of the VPM.
    pub vertical: bool,
}

/// A transfer of one kind of engine.
pub trait Transfer {
    /// The pace of rows.
    const PACE: Pace;
    /// The kind of its accesses, in a fault.
    const ACCESS: Access;
    /// Its size, and its place in memory.
    fn shape(&self) -> &Shape;
    /// The start of a row in the VPM: Y, X, and the part of that word.
    fn row_start(&self, row: u32) -> (u32, u32, u32);
    /// Moves one row.
    ///
    /// # Errors
    /// When memory is not there.
    fn move_row(
        &self,
        row: u32,
        vpm: &mut Vpm,
        memory: &mut impl Memory,
    ) -> Result<(), MemoryFault>;

    /// Rows of this transfer, at least 1.
    fn rows(&self) -> u32 {
        self.shape().rows
    }

    /// Bytes of memory in a row.
    fn row_bytes(&self) -> u32 {
        self.shape().elements * self.shape().mode.width.bytes()
    }

    /// The start address of a row in memory.
    fn row_address(&self, row: u32) -> u32 {
        let Shape { memory, pitch, .. } = self.shape();
        memory.wrapping_add(row.wrapping_mul(*pitch))
    }

    /// The layout of its rows, for the cycle model.
    fn geometry(&self) -> Rows {
        Rows {
            address: self.row_address(0),
            count: self.rows(),
            bytes: self.row_bytes(),
            pitch: if self.rows() > 1 {
                self.shape().pitch
            } else {
                0
            },
        }
    }

    /// The VPM words of a row.
    fn words(&self, row: u32) -> impl Iterator<Item = Words> {
        let Shape {
            elements,
            mode,
            vertical,
            ..
        } = *self.shape();
        let (y, x, part) = self.row_start(row);
        words(y, x, vertical, mode.width, part..part + elements)
    }

    /// The place of an element of a row in the VPM.
    fn place(&self, (y, x, part): (u32, u32, u32), element: usize) -> Place {
        let Shape { mode, vertical, .. } = self.shape();
        item(y, x, *vertical, mode.width, part + element as u32)
    }

    /// True if a sub-word transfer is vertical: its layout is an assumption.
    fn is_subword_vertical(&self) -> bool {
        self.shape().vertical && self.shape().mode.width.per_word_log2() > 0
    }

    /// True if a horizontal row runs past column 15.
    fn row_wraps(&self) -> bool {
        let Shape {
            elements,
            mode,
            vertical,
            ..
        } = self.shape();
        let (_, x, part) = self.row_start(0);
        !vertical && x + ((part + elements - 1) >> mode.width.per_word_log2()) > 15
    }

    /// True if memory rows start at multiples of the element width.
    fn is_aligned(&self) -> bool {
        let Rows { address, pitch, .. } = self.geometry();
        (address | pitch) & (self.shape().mode.width.bytes() - 1) == 0
    }
}

/// A field of a setup word in which 0 stands for one more than the largest value.
fn or_most(field: u32, most: u32) -> u32 {
    if field == 0 { most } else { field }
}

struct Request<T> {
    at: At,
    transfer: T,
    rows_done: u32,
}

/// One engine, and the transfers that wait for it.
pub struct Engine<T> {
    queue: VecDeque<Request<T>>,
    next_row_at: u64,
    /// A bit for each QPU with a transfer that is not complete.
    busy: u16,
    /// A bit for transfers whose memory is not known to be there.
    doubtful: u16,
}

impl<T> Default for Engine<T> {
    fn default() -> Self {
        Self {
            queue: VecDeque::new(),
            next_row_at: 0,
            busy: 0,
            doubtful: 0,
        }
    }
}

/// A row has been moved, or could not be.
pub struct RowDone {
    /// The instruction that started the transfer.
    pub at: At,
    /// First byte of memory.
    pub address: u32,
    /// Bytes of memory moved.
    pub bytes: u32,
    /// True if the transfer is over.
    pub is_last: bool,
    /// Why not.
    pub fault: Option<FaultKind>,
}

impl<T: Transfer> Engine<T> {
    /// True if a transfer of this QPU is not complete.
    #[must_use]
    pub fn is_busy_for(&self, qpu: u8) -> bool {
        self.busy & 1 << qpu != 0
    }

    /// True if a transfer of this QPU is not complete and may yet fault.
    #[must_use]
    pub fn may_fault(&self, qpu: u8) -> bool {
        self.doubtful & 1 << qpu != 0
    }

    /// True if any transfer is not complete.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.busy != 0
    }

    /// The QPUs whose transfers are not complete, oldest first.
    #[must_use]
    pub fn pending(&self) -> Vec<u8> {
        self.queue.iter().map(|request| request.at.qpu).collect()
    }

    /// Queues a transfer in round `now`; this QPU has none queued.
    pub fn start(&mut self, at: At, now: u64, transfer: T, memory: &impl Memory) {
        if self.queue.is_empty() {
            self.next_row_at = now + T::PACE.start;
        }
        self.busy |= 1 << at.qpu;
        let mut rows = (0..transfer.rows()).map(|row| transfer.row_address(row));
        if !rows.all(|address| memory.is_there(address, transfer.row_bytes())) {
            self.doubtful |= 1 << at.qpu;
        }
        self.queue.push_back(Request {
            at,
            transfer,
            rows_done: 0,
        });
    }

    /// The round in which the next row is due, without time.
    #[must_use]
    pub fn next_due(&self) -> u64 {
        if self.queue.is_empty() {
            u64::MAX
        } else {
            self.next_row_at
        }
    }

    /// True if a row is due in round `now` that is the last of its transfer, or may fault.
    #[must_use]
    pub fn row_matters(&self, now: u64) -> bool {
        self.queue.front().is_some_and(|request| {
            now >= self.next_row_at
                && (request.rows_done + 1 == request.transfer.rows()
                    || self.may_fault(request.at.qpu))
        })
    }

    /// Moves the row that is due in round `now`, if one is.
    pub fn advance(
        &mut self,
        now: u64,
        vpm: &mut Vpm,
        memory: &mut impl Memory,
    ) -> Option<RowDone> {
        if self.queue.is_empty() || now < self.next_row_at {
            return None;
        }
        let done = self.move_row(vpm, memory)?;
        let pace = if done.is_last {
            T::PACE.start
        } else {
            T::PACE.row
        };
        self.next_row_at = now + pace;
        Some(done)
    }

    /// Moves the next row, whenever it is due.
    pub fn move_row(&mut self, vpm: &mut Vpm, memory: &mut impl Memory) -> Option<RowDone> {
        let request = self.queue.front_mut()?;
        let moved = request.transfer.move_row(request.rows_done, vpm, memory);
        request.rows_done += 1;
        let mut done = RowDone {
            at: request.at,
            address: request.transfer.row_address(request.rows_done - 1),
            bytes: request.transfer.row_bytes(),
            is_last: false,
            fault: moved.err().map(|fault| FaultKind::Memory(T::ACCESS, fault)),
        };
        if request.rows_done == request.transfer.rows() || done.fault.is_some() {
            done.is_last = true;
            self.busy &= !(1 << request.at.qpu);
            self.doubtful &= !(1 << request.at.qpu);
            self.queue.pop_front();
        }
        Some(done)
    }
}
