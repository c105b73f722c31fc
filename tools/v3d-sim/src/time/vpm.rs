//! The port of the VPM that QPUs and both DMA engines share, and the FIFOs of QPUs.
//!
//! A vector takes the port for a slot, or for longer when it lies in a column: it touches sixteen
//! rows. A QPU's writes wait in a FIFO and stall it when that is full; a read setup has its first
//! vector some slots later, behind the QPU's own writes.

use super::constants::Constants;
use super::ticks::{ROUND, Ticks, ticks};
use crate::chip::QPUS;
use std::collections::VecDeque;

/// Reads and writes of one QPU.
#[derive(Clone, Default)]
struct Fifos {
    /// The time at which each write on its way is done.
    writes: VecDeque<Ticks>,
    /// The end of the last write.
    written: Ticks,
    /// The time at which the next vector can be read.
    readable: Ticks,
}

/// The port.
pub struct VpmPort {
    free_at: Ticks,
    vector: Ticks,
    column: Ticks,
    write_fifo: usize,
    read: Ticks,
    fifos: [Fifos; QPUS],
}

impl VpmPort {
    /// Idle.
    pub fn new(constants: &Constants) -> Self {
        Self {
            free_at: 0,
            vector: ticks(constants.vpm_vector),
            column: ticks(constants.vpm_column),
            write_fifo: constants.vpm_write_fifo.max(1) as usize,
            read: ticks(constants.vpm_read),
            fifos: Default::default(),
        }
    }

    /// The port for a row, from `now` on; gives when it begins.
    pub fn take_row(&mut self, now: Ticks) -> Ticks {
        self.take(now, false)
    }

    fn take(&mut self, now: Ticks, column: bool) -> Ticks {
        let start = now.max(self.free_at);
        self.free_at = start + if column { self.column } else { self.vector };
        start
    }

    /// The time at which a QPU may write a vector: `now`, or when its FIFO has room.
    pub fn writable_at(&self, now: Ticks, qpu: usize) -> Ticks {
        let fifo = &self.fifos[qpu].writes;
        let waiting = fifo.iter().filter(|done| **done > now).count();
        if waiting < self.write_fifo {
            now
        } else {
            fifo[fifo.len() - self.write_fifo]
        }
    }

    /// A QPU writes a vector.
    pub fn write(&mut self, now: Ticks, qpu: usize, column: bool) {
        self.take(now, column);
        let done = self.free_at;
        let fifos = &mut self.fifos[qpu];
        while fifos.writes.front().is_some_and(|done| *done <= now) {
            fifos.writes.pop_front();
        }
        fifos.writes.push_back(done);
        fifos.written = done;
    }

    /// The time at which all writes of a QPU are done.
    pub fn written(&self, qpu: usize) -> Ticks {
        self.fifos[qpu].written
    }

    /// A QPU gives a read setup.
    pub fn setup_read(&mut self, now: Ticks, qpu: usize) {
        let fifos = &mut self.fifos[qpu];
        fifos.readable = now.max(fifos.written) + self.read;
    }

    /// The time at which a QPU's next vector is there.
    pub fn readable_at(&self, qpu: usize) -> Ticks {
        self.fifos[qpu].readable
    }

    /// A QPU reads a vector; the next is there a slot later.
    pub fn read(&mut self, now: Ticks, qpu: usize, column: bool) {
        let at = self.take(now, column);
        let fifos = &mut self.fifos[qpu];
        fifos.readable = fifos.readable.max(at + ROUND);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::ticks::CLOCK;

    fn port() -> VpmPort {
        VpmPort::new(&Constants {
            vpm_vector: 4.0,
            vpm_write_fifo: 2,
            vpm_read: 24.0,
            ..Constants::recommended()
        })
    }

    #[test]
    fn two_qpus_that_write_share_the_port_and_a_full_fifo_stalls() {
        let mut port = port();
        for qpu in [1, 2, 1, 2] {
            port.write(0, qpu, false);
        }
        assert_eq!(port.written(1), 12 * CLOCK);
        assert_eq!(port.writable_at(0, 1), 4 * CLOCK);
        assert_eq!(port.writable_at(0, 2), 8 * CLOCK);
        assert_eq!(port.writable_at(4 * CLOCK, 1), 4 * CLOCK);
        assert_eq!(port.writable_at(0, 3), 0);
    }

    #[test]
    fn a_column_holds_the_port_longer_than_a_row() {
        let mut port = VpmPort::new(&Constants {
            vpm_vector: 4.0,
            vpm_column: 10.0,
            ..Constants::recommended()
        });
        port.write(0, 1, true);
        assert_eq!(port.written(1), 10 * CLOCK);
        assert_eq!(port.take_row(0), 10 * CLOCK);
        assert_eq!(port.take_row(0), 14 * CLOCK);
    }

    #[test]
    fn a_read_waits_for_the_setup_and_the_writes_of_its_qpu() {
        let mut port = port();
        port.setup_read(8 * CLOCK, 5);
        assert_eq!(port.readable_at(5), 32 * CLOCK);
        port.read(32 * CLOCK, 5, false);
        assert_eq!(port.readable_at(5), 36 * CLOCK);
        port.write(100 * CLOCK, 5, false);
        port.setup_read(100 * CLOCK, 5);
        assert_eq!(port.readable_at(5), 128 * CLOCK);
    }
}
