//! Mailbox registers: requests to the firmware and its answers, in order.
//!
//! What a property request means is in [`super::property`]; here are only the queues and their
//! timing.
//!
//! Source: docs/hardware/qpu.md 7.2; BCM2835 mailbox documentation.

use std::collections::VecDeque;

use super::NEVER;
use crate::clock::ARM_HZ;
use crate::fault::FaultKind;

/// STATUS of mailbox 0, the answers.
pub const STATUS: u32 = 0x18;
/// WRITE of mailbox 1, the requests.
pub const WRITE: u32 = 0x20;

const FULL: u32 = 1 << 31;
const EMPTY: u32 = 1 << 30;
const DEPTH: usize = 8;
/// CONFIG: interrupt when data is there.
const DATA_INTERRUPT: u32 = 1;

/// Both mailboxes of the ARM.
#[derive(Default)]
pub struct Mailbox {
    /// From a request to its answer.
    answer_clocks: u64,
    requests: VecDeque<(u64, u32)>,
    answers: VecDeque<u32>,
    config: u32,
}

impl Mailbox {
    /// Empty ones, of firmware that takes `answer_us` for each request.
    pub fn new(answer_us: u32) -> Self {
        Self {
            answer_clocks: ARM_HZ / 1_000_000 * u64::from(answer_us),
            ..Self::default()
        }
    }

    /// The next request that the firmware has had time for, and that it can answer now.
    pub fn take_request(&mut self, now: u64) -> Option<u32> {
        if self.answers.len() == DEPTH {
            return None;
        }
        self.requests
            .pop_front_if(|&mut (ready, _)| ready <= now)
            .map(|(_, request)| request)
    }

    /// The firmware is done with a request.
    pub fn answer(&mut self, value: u32) {
        self.answers.push_back(value);
    }

    /// Time at which the next request is ready.
    pub fn next_event(&self) -> u64 {
        match self.requests.front() {
            Some(&(ready, _)) if self.answers.len() < DEPTH => ready,
            _ => NEVER,
        }
    }

    /// ARM interrupt 1.
    pub fn interrupt(&self) -> bool {
        self.config & DATA_INTERRUPT != 0 && !self.answers.is_empty()
    }

    /// Reads a register.
    pub fn read(&mut self, offset: u32) -> Result<u32, FaultKind> {
        Ok(match offset {
            // What an empty mailbox reads is not documented; 0 names no channel in use.
            0x00 => self.answers.pop_front().unwrap_or(0),
            0x10 => self.answers.front().copied().unwrap_or(0),
            STATUS => status(self.answers.len()),
            0x1c => self.config,
            0x38 => status(self.requests.len()),
            _ => return Err(gap(offset)),
        })
    }

    /// Writes a register. A request to a full mailbox is lost.
    pub fn write(&mut self, offset: u32, value: u32, now: u64) -> Result<(), FaultKind> {
        match offset {
            0x1c => self.config = value & 0x7f,
            WRITE if self.requests.len() < DEPTH => {
                let earliest = self.requests.back().map_or(now, |&(ready, _)| ready);
                self.requests
                    .push_back((earliest + self.answer_clocks, value));
            }
            WRITE => {}
            _ => return Err(gap(offset)),
        }
        Ok(())
    }
}

fn status(used: usize) -> u32 {
    match used {
        0 => EMPTY,
        DEPTH => FULL,
        _ => 0,
    }
}

fn gap(offset: u32) -> FaultKind {
    FaultKind::NotModelled(format!("mailbox register +{offset:#04x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCKS: u64 = ARM_HZ / 1_000_000;

    #[test]
    fn an_answer_takes_its_time() {
        let mut mailbox = Mailbox::new(1);
        assert_eq!(mailbox.read(0x18), Ok(EMPTY));
        mailbox.write(0x20, 0x4000_0008, 10).unwrap();
        assert_eq!(mailbox.next_event(), 10 + CLOCKS);
        assert_eq!(mailbox.take_request(9 + CLOCKS), None);
        assert_eq!(mailbox.take_request(10 + CLOCKS), Some(0x4000_0008));
        mailbox.answer(0x4000_0008);
        assert_eq!(mailbox.read(0x18), Ok(0));
        assert_eq!(mailbox.read(0x00), Ok(0x4000_0008));
        assert_eq!(mailbox.read(0x18), Ok(EMPTY));
    }

    #[test]
    fn a_full_mailbox_says_so() {
        let mut mailbox = Mailbox::new(1);
        for _ in 0..DEPTH {
            assert_eq!(mailbox.read(0x38).unwrap() & FULL, 0);
            mailbox.write(0x20, 8, 0).unwrap();
        }
        assert_eq!(mailbox.read(0x38), Ok(FULL));
    }
}
