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
use crate::vpm::Vpm;
use crate::vpm::Words;
use std::collections::VecDeque;

/// Rounds before the first row, and for each row.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// From the request to the start of the first row.
    pub start: u64,
    /// Each row.
    pub row: u64,
}

/// A transfer of one kind of engine.
pub trait Transfer {
    /// The pace of rows.
    const PACE: Pace;
    /// The kind of its accesses, in a fault.
    const ACCESS: Access;
    /// Rows of this transfer, at least 1.
    fn rows(&self) -> u32;
    /// Bytes of memory in a row.
    fn row_bytes(&self) -> u32;
    /// The start address of a row in memory.
    fn row_address(&self, row: u32) -> u32;
    /// The layout of its rows, for the cycle model.
    fn geometry(&self) -> Rows {
        let pitch = if self.rows() > 1 {
            self.row_address(1).wrapping_sub(self.row_address(0))
        } else {
            0
        };
        Rows {
            address: self.row_address(0),
            count: self.rows(),
            bytes: self.row_bytes(),
            pitch,
        }
    }
    /// The VPM words of a row.
    fn words(&self, row: u32) -> impl Iterator<Item = Words>;
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
