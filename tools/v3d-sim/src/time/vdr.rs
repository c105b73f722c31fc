//! VDR's time: lines off the read bus, rows into the VPM.
//!
//! A transfer begins `vdr_start` after its request; a line is asked for each `vdr_row`, while no
//! more than `vdr_lines` are on their way. Loads of all QPUs wait in one queue.

use super::constants::Constants;
use super::events::{Event, Events};
use super::l2c::L2c;
use super::ticks::{Ticks, ticks};
use super::vdw::Rows;
use super::vpm::VpmPort;
use std::collections::VecDeque;

/// The engine.
pub struct Vdr {
    queue: VecDeque<(Rows, Ticks)>,
    /// The row and line asked for next.
    ask_row: u32,
    ask_line: u32,
    asked_at: Ticks,
    outstanding: u32,
    /// It waits for a line to come before it asks for the next.
    full: bool,
    /// The row that lines come for, and how many have come.
    came_row: u32,
    came: u32,
    /// Rows that are in the VPM.
    row: u32,
    dropped: bool,
    start: Ticks,
    line: Ticks,
    most_lines: u32,
    /// Time for which it waited for the VPM.
    pub vpm_stall: Ticks,
}

impl Vdr {
    /// Idle.
    pub fn new(constants: &Constants) -> Self {
        Self {
            queue: VecDeque::new(),
            ask_row: 0,
            ask_line: 0,
            asked_at: 0,
            outstanding: 0,
            full: false,
            came_row: 0,
            came: 0,
            row: 0,
            dropped: false,
            start: ticks(constants.vdr_start),
            line: ticks(constants.vdr_row),
            most_lines: constants.vdr_lines.max(1),
            vpm_stall: 0,
        }
    }

    /// Queues a transfer.
    pub fn request(&mut self, now: Ticks, rows: Rows, events: &mut Events) {
        self.queue.push_back((rows, now));
        if self.queue.len() == 1 {
            events.push(now + self.start, Event::VdrLine);
        }
    }

    /// A row could not be loaded: the rest of its transfer takes its time, and nobody sees it.
    pub fn drop_transfer(&mut self) {
        self.dropped = self.row > 0;
    }

    /// [`Event::VdrLine`]: asks for the next line.
    pub fn ask(&mut self, now: Ticks, l2c: &mut L2c, events: &mut Events) {
        let Some((rows, _)) = self.queue.front() else {
            return;
        };
        if self.ask_row >= rows.count {
            return;
        }
        if self.outstanding >= self.most_lines {
            self.full = true;
            return;
        }
        let (first, last) = rows.lines(self.ask_row);
        let line = first.wrapping_add(self.ask_line) & (u32::MAX >> 6);
        self.outstanding += 1;
        self.asked_at = now;
        l2c.read_for_vdr(now, line, events);
        if line == last {
            self.ask_row += 1;
            self.ask_line = 0;
        } else {
            self.ask_line += 1;
        }
        events.push(now + self.line, Event::VdrLine);
    }

    /// A line has come.
    pub fn line_came(&mut self, now: Ticks, vpm: &mut VpmPort, events: &mut Events) {
        let Some((rows, _)) = self.queue.front() else {
            return;
        };
        self.outstanding -= 1;
        self.came += 1;
        let (first, last) = rows.lines(self.came_row);
        if self.came > last.wrapping_sub(first) & (u32::MAX >> 6) {
            self.came = 0;
            self.came_row += 1;
            let begin = vpm.take_row(now);
            self.vpm_stall += begin - now;
            // With its last line the engine is as busy as before it would ask for another.
            let least = if self.came_row == rows.count {
                self.asked_at + self.line
            } else {
                0
            };
            events.push(begin.max(least), Event::VdrRow);
        }
        if std::mem::take(&mut self.full) {
            events.push(now, Event::VdrLine);
        }
    }

    /// [`Event::VdrRow`]: a row is in the VPM. True when a QPU sees it.
    pub fn row(&mut self, now: Ticks, events: &mut Events) -> bool {
        let seen = !self.dropped;
        self.row += 1;
        if self
            .queue
            .front()
            .is_some_and(|(rows, _)| self.row >= rows.count)
        {
            self.queue.pop_front();
            (self.ask_row, self.ask_line, self.came_row, self.row) = (0, 0, 0, 0);
            self.dropped = false;
            if let Some((_, asked)) = self.queue.front() {
                events.push(now.max(*asked) + self.start, Event::VdrLine);
            }
        }
        seen
    }
}
