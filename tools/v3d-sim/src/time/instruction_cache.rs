//! The instruction cache of a slice.
//!
//! A QPU asks when it comes to another line of code, and keeps the line that it got until it leaves
//! it, whatever the cache does in the meantime. There is no prefetch: with one, the published times
//! of GPU_FFT fit worse (docs/hardware/timing.md section 5). Four QPUs of a slice fetch in
//! successive clocks, so hits cost nothing.

use super::constants::{Constants, Replacement};
use super::events::{Client, Events};
use super::issue::Issue;
use super::l2c::L2c;
use super::tags::Tags;
use super::ticks::{Ticks, ticks};
use crate::event::Wait;

/// No line.
const NONE: u32 = u32::MAX;

/// The cache of one slice, and the lines that its four QPUs have.
pub struct InstructionCache {
    slice: u8,
    tags: Tags,
    pending: Vec<bool>,
    fill: Ticks,
    have: [u32; 4],
    want: [u32; 4],
    /// Lines filled.
    pub filled: u64,
}

impl InstructionCache {
    /// Empty.
    pub fn new(constants: &Constants, slice: u8) -> Self {
        let tags = Tags::new(
            constants.instruction_cache_bytes,
            constants.instruction_cache_ways,
            Replacement::LeastRecent,
        );
        Self {
            slice,
            pending: vec![false; tags.places()],
            tags,
            fill: ticks(constants.instruction_fill),
            have: [NONE; 4],
            want: [NONE; 4],
            filled: 0,
        }
    }

    /// SLCACTL.ICC: forgets every line.
    pub fn clear(&mut self) {
        self.tags.clear();
        self.have = [NONE; 4];
    }

    /// A QPU of the slice starts a program.
    pub fn start(&mut self, qpu: usize) {
        self.have[qpu] = NONE;
        self.want[qpu] = NONE;
    }

    /// True if the QPU has the line of its next instruction; if not, it is asked for.
    pub fn fetch(
        &mut self,
        now: Ticks,
        qpu: usize,
        line: u32,
        l2c: &mut L2c,
        events: &mut Events,
    ) -> bool {
        if self.have[qpu] == line {
            return true;
        }
        if self.want[qpu] == line {
            return false;
        }
        match self.tags.find(line) {
            Some(place) if !self.pending[place] => {
                self.have[qpu] = line;
                return true;
            }
            Some(_) => {}
            None => {
                self.filled += 1;
                let place = self.tags.insert(line).place;
                self.pending[place] = true;
                let slice = self.slice;
                l2c.read(now, line, Client::Code { slice, line }, events);
            }
        }
        self.want[qpu] = line;
        false
    }

    /// A line has come: QPUs that want it have it.
    pub fn line_came(&mut self, now: Ticks, line: u32, issue: &mut Issue) {
        if let Some(place) = self.tags.peek(line) {
            self.pending[place] = false;
        }
        for qpu in 0..4 {
            if self.want[qpu] == line {
                self.want[qpu] = NONE;
                self.have[qpu] = line;
                let number = usize::from(self.slice) * 4 + qpu;
                issue.wake(number, Wait::Instruction, now + self.fill);
            }
        }
    }
}
