//! VDW's time: rows out of the VPM, lines onto the write bus.
//!
//! A transfer begins `vdw_start` after its request and the writes of its QPU; each row takes at
//! least `vdw_row` a line, and longer while memory takes no writes. Stores of all QPUs wait in one
//! queue.

use super::constants::Constants;
use super::events::{Event, Events};
use super::system_l2::SystemL2;
use super::ticks::{Ticks, ticks};
use super::vpm::VpmPort;
use std::collections::VecDeque;

/// Layout of the rows of a transfer in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// First byte of the first.
    pub address: u32,
    /// The number of them.
    pub count: u32,
    /// Bytes in each.
    pub bytes: u32,
    /// From the start of one to the start of the next.
    pub pitch: u32,
}

impl Rows {
    /// First and last line of a row.
    pub fn lines(&self, row: u32) -> (u32, u32) {
        let first = self.address.wrapping_add(row.wrapping_mul(self.pitch));
        let last = first.wrapping_add(self.bytes.max(1) - 1);
        (first >> 6, last >> 6)
    }

    /// True if a row covers only a part of a line.
    fn is_part(&self, row: u32, line: u32) -> bool {
        let first = self.address.wrapping_add(row.wrapping_mul(self.pitch));
        let start = line << 6;
        let end = first.wrapping_add(self.bytes);
        first.wrapping_sub(start).wrapping_sub(1) < 63 || end.wrapping_sub(start) < 64
    }
}

/// The engine.
pub struct Vdw {
    /// Transfers, and when each may begin.
    queue: VecDeque<(Rows, Ticks)>,
    row: u32,
    row_start: Ticks,
    lines_done: u32,
    in_row: bool,
    dropped: bool,
    start: Ticks,
    line: Ticks,
    bus: Ticks,
    /// Time for which it waited for the VPM.
    pub vpm_stall: Ticks,
}

impl Vdw {
    /// Idle.
    pub fn new(constants: &Constants) -> Self {
        Self {
            queue: VecDeque::new(),
            row: 0,
            row_start: 0,
            lines_done: 0,
            in_row: false,
            dropped: false,
            start: ticks(constants.vdw_start),
            line: ticks(constants.vdw_row),
            bus: ticks(constants.write_bus),
            vpm_stall: 0,
        }
    }

    /// Queues a transfer that may begin at `ready`.
    pub fn request(&mut self, ready: Ticks, rows: Rows, events: &mut Events) {
        self.queue.push_back((rows, ready));
        if self.queue.len() == 1 {
            events.push(ready + self.start, Event::VdwRow);
        }
    }

    /// A row could not be stored: the rest of its transfer takes its time, and nobody sees it.
    pub fn drop_transfer(&mut self) {
        self.dropped = self.row > 0;
    }

    /// [`Event::VdwRow`]: a row ends, or the first begins. True when one has ended that a QPU
    /// sees.
    pub fn row(&mut self, now: Ticks, vpm: &mut VpmPort, events: &mut Events) -> bool {
        let in_row = std::mem::take(&mut self.in_row);
        self.row += u32::from(in_row);
        let ended = in_row && !self.dropped;
        let Some((rows, _)) = self.queue.front() else {
            return ended;
        };
        if self.row >= rows.count {
            (self.row, self.dropped) = (0, false);
            self.queue.pop_front();
            if let Some((_, ready)) = self.queue.front() {
                events.push(now.max(*ready) + self.start, Event::VdwRow);
            }
            return ended;
        }
        let begin = vpm.take_row(now);
        self.vpm_stall += begin - now;
        self.in_row = true;
        self.row_start = begin;
        self.lines_done = 0;
        events.push(begin + self.bus, Event::VdwLine);
        ended
    }

    /// [`Event::VdwLine`]: a line of the row is through the bus, and memory takes it or not yet.
    pub fn line(&mut self, now: Ticks, system: &mut SystemL2, events: &mut Events) {
        let Some((rows, _)) = self.queue.front() else {
            return;
        };
        let (first, last) = rows.lines(self.row);
        let line = first.wrapping_add(self.lines_done) & (u32::MAX >> 6);
        let taken = system.takes_write(now, line);
        if taken > now {
            events.push(taken, Event::VdwLine);
            return;
        }
        system.write(now, line, rows.is_part(self.row, line));
        self.lines_done += 1;
        if line == last {
            let least = self.row_start + self.line * Ticks::from(self.lines_done);
            events.push(least.max(now), Event::VdwRow);
        } else {
            events.push(now + self.bus, Event::VdwLine);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_know_their_lines_and_which_they_cover_in_part() {
        let rows = Rows {
            address: 0x4000_0020,
            count: 3,
            bytes: 64,
            pitch: 0x60,
        };
        let line = 0x4000_0000 >> 6;
        assert_eq!(rows.lines(0), (line, line + 1));
        assert_eq!(rows.lines(1), (line + 2, line + 2));
        assert!(rows.is_part(0, line) && rows.is_part(0, line + 1));
        assert!(!rows.is_part(1, line + 2));
    }
}
