//! Uniforms: a FIFO of two values in each QPU, filled from a small cache in each slice.
//!
//! Two values are fetched ahead, also by a program that reads none, one a slot while their line is
//! there. The cache takes lines of 64 bytes from the L2C.
//!
//! Source: Terminus-IMRC's experiments, as docs/hardware/qpu.md sections 6.3 and 8.2 tell them.

use super::constants::{Constants, Replacement};
use super::events::{Client, Events};
use super::issue::Issue;
use super::l2c::L2c;
use super::tags::Tags;
use super::ticks::{NEVER, ROUND, Ticks, ticks};
use crate::event::Wait;

/// Values that a QPU has fetched ahead.
const AHEAD: usize = 2;

/// The stream of one QPU.
#[derive(Clone, Copy)]
struct Stream {
    running: bool,
    /// Address of the next value to fetch.
    next: u32,
    /// The times at which the values fetched are there, the oldest first; NEVER while their line is
    /// on its way.
    values: [Ticks; AHEAD],
    count: usize,
    /// The end of the last fetch.
    free_at: Ticks,
    /// The line that the newest value waits for.
    waits_for: Option<u32>,
}

/// The cache of a slice and the FIFOs of its four QPUs.
pub struct Uniforms {
    slice: u8,
    tags: Tags,
    pending: Vec<bool>,
    fill: Ticks,
    streams: [Stream; 4],
    /// Lines filled.
    pub filled: u64,
}

impl Uniforms {
    /// Empty.
    pub fn new(constants: &Constants, slice: u8) -> Self {
        let lines = constants.uniform_cache_lines.clamp(1, 1024);
        let tags = Tags::new(lines * 64, lines, Replacement::LeastRecent);
        let idle = Stream {
            running: false,
            next: 0,
            values: [NEVER; AHEAD],
            count: 0,
            free_at: 0,
            waits_for: None,
        };
        Self {
            slice,
            pending: vec![false; tags.places()],
            tags,
            fill: ticks(constants.uniform_fill),
            streams: [idle; 4],
            filled: 0,
        }
    }

    /// SLCACTL.UCC: forgets every line.
    pub fn clear(&mut self) {
        self.tags.clear();
    }

    /// The stream of a QPU goes on at `address`: at a program's start, and when it writes the
    /// address.
    pub fn restart(
        &mut self,
        now: Ticks,
        qpu: usize,
        address: u32,
        l2c: &mut L2c,
        events: &mut Events,
    ) {
        self.streams[qpu] = Stream {
            running: true,
            next: address,
            values: [NEVER; AHEAD],
            count: 0,
            free_at: now,
            waits_for: None,
        };
        self.fetch(now, qpu, l2c, events);
    }

    /// The QPU has no program any more.
    pub fn stop(&mut self, qpu: usize) {
        self.streams[qpu].running = false;
        self.streams[qpu].waits_for = None;
    }

    /// The time at which the next value of a QPU is there; NEVER while it is not known.
    pub fn ready_at(&self, qpu: usize) -> Ticks {
        let stream = &self.streams[qpu];
        if stream.count > 0 {
            stream.values[0]
        } else {
            NEVER
        }
    }

    /// The QPU takes a value.
    pub fn pop(&mut self, now: Ticks, qpu: usize, l2c: &mut L2c, events: &mut Events) {
        let stream = &mut self.streams[qpu];
        if stream.count == 0 {
            return;
        }
        stream.values.copy_within(1.., 0);
        stream.count -= 1;
        stream.free_at = stream.free_at.max(now);
        self.fetch(now, qpu, l2c, events);
    }

    /// Fetches values until the FIFO is full or a line has to come.
    fn fetch(&mut self, now: Ticks, qpu: usize, l2c: &mut L2c, events: &mut Events) {
        let slice = self.slice;
        let stream = &mut self.streams[qpu];
        while stream.running && stream.count < AHEAD && stream.waits_for.is_none() {
            let line = stream.next >> 6;
            match self.tags.find(line) {
                Some(place) if !self.pending[place] => {
                    stream.free_at = stream.free_at.max(now) + ROUND;
                    stream.values[stream.count] = stream.free_at;
                    stream.count += 1;
                    stream.next = stream.next.wrapping_add(4);
                    continue;
                }
                Some(_) => {}
                None => {
                    self.filled += 1;
                    let place = self.tags.insert(line).place;
                    self.pending[place] = true;
                    l2c.read(now, line, Client::Uniforms { slice, line }, events);
                }
            }
            stream.waits_for = Some(line);
        }
    }

    /// A line has come: streams that waited for it go on.
    pub fn line_came(
        &mut self,
        now: Ticks,
        line: u32,
        issue: &mut Issue,
        l2c: &mut L2c,
        events: &mut Events,
    ) {
        if let Some(place) = self.tags.peek(line) {
            self.pending[place] = false;
        }
        for qpu in 0..4 {
            let stream = &mut self.streams[qpu];
            if stream.waits_for != Some(line) {
                continue;
            }
            // The value that waited comes with its line, whatever has become of the line since.
            let was_empty = stream.count == 0;
            stream.waits_for = None;
            stream.free_at = now + self.fill;
            stream.values[stream.count] = stream.free_at;
            stream.count += 1;
            stream.next = stream.next.wrapping_add(4);
            if was_empty {
                let number = usize::from(self.slice) * 4 + qpu;
                issue.wake(number, Wait::Uniform, now + self.fill);
            }
            self.fetch(now, qpu, l2c, events);
        }
    }
}
