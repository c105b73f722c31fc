//! The queue of user programs, and which QPU gets the next.
//!
//! A write to SRQPC queues a program; the queue holds 16. Programs go to the idle QPU of the
//! highest number that SQRSV does not exclude (guide, "QPU scheduler registers"; a Pi 1 starts with
//! QPU 11).

use crate::race::Clock;
use crate::uniforms::Uniforms;
use std::collections::VecDeque;

/// Requests that the queue holds.
pub const QUEUE: usize = 16;

/// A program to start.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// Bus address of its first instruction.
    pub code: u32,
    /// Its uniforms.
    pub uniforms: Uniforms,
    /// The knowledge of the ARM when it queued the program.
    pub after: Clock,
}

/// The queue and its counts.
#[derive(Default, Debug)]
pub struct Scheduler {
    queue: VecDeque<Request>,
    /// QPURQCM: requests made, the dropped ones too, modulo 256.
    made: u8,
    /// QPURQCC: programs completed, modulo 256.
    completed: u8,
    /// QPURQERR: a request came when the queue was full; requests are dropped until it is cleared.
    error: bool,
    /// SQRSV0 and SQRSV1: four bits for each QPU; the lowest excludes user programs.
    pub reserved: [u32; 2],
    /// [`crate::Defect::NoReservation`].
    pub ignores_reservations: bool,
}

impl Scheduler {
    /// SRQPC: queues a program. False when it was dropped.
    pub fn push(&mut self, request: Request) -> bool {
        self.made = self.made.wrapping_add(1);
        self.error |= self.queue.len() == QUEUE;
        if !self.error {
            self.queue.push_back(request);
        }
        !self.error
    }

    /// The next program that this QPU may start.
    pub fn next_for(&mut self, qpu: usize) -> Option<Request> {
        let is_reserved = self.reserved[qpu / 8] >> (4 * (qpu % 8)) & 1 != 0;
        let excluded = is_reserved && !self.ignores_reservations;
        if excluded {
            None
        } else {
            self.queue.pop_front()
        }
    }

    /// Programs in the queue.
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// A program has ended.
    pub fn complete(&mut self) {
        self.completed = self.completed.wrapping_add(1);
    }

    /// Reads SRQCS.
    pub fn status(&self) -> u32 {
        u32::from(self.completed) << 16
            | u32::from(self.made) << 8
            | u32::from(self.error) << 7
            | self.queue.len() as u32
    }

    /// Writes SRQCS: bit 16 and bit 8 reset the counts, bit 7 clears the error, bit 0 empties the
    /// queue.
    pub fn control(&mut self, value: u32) {
        if value & 1 << 16 != 0 {
            self.completed = 0;
        }
        if value & 1 << 8 != 0 {
            self.made = 0;
        }
        if value & 1 << 7 != 0 {
            self.error = false;
        }
        if value & 1 != 0 {
            self.queue.clear();
        }
    }
}
