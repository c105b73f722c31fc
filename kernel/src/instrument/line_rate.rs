//! The baud rate as a state machine: a change is acknowledged at the old rate, confirmed by a frame
//! at the new one, and otherwise taken back. Noise alone, or a break, returns to the rate of the
//! start.
//!
//! Bytes that were received before a change are forgotten with it ([`LineRate::take_new`]),
//! wherever they wait: a request that a host has sent twice at the old rate would confirm the new
//! one.

use super::board::{Board, SECOND_US};
use super::notice::Notice;

/// The line's rate after every start.
pub(super) const START_BAUD: u32 = 115_200;

/// The lowest rate that a host may ask for: the bytes that wait in the transmit queue after a break
/// must have left before the board's watchdog takes the silence for a hang.
pub(super) const LOWEST_BAUD: u32 = 9_600;

/// A new baud rate is given up when no frame has come after this time.
const CONFIRM_US: u64 = 500_000;
/// At another rate than the first, this many damaged bytes without a good frame bring it back, at
/// [`FULL_BAUD`] and above. Below, as many as come in the same time: a host that calls at 115200 is
/// heard as fewer bytes there.
const LOST_HOST_ERRORS: u32 = 200;
/// The rate from which on the number of damaged bytes counts in full.
const FULL_BAUD: u32 = 921_600;
/// At any rate a few glitches bring no rate back.
const LEAST_ERRORS: u32 = 8;
/// Time that a good frame then has to come: one flipped bit damages a frame of more bytes than
/// that, and a host that waits for an answer repeats its request after two seconds.
const LOST_HOST_US: u64 = 3 * SECOND_US;
/// Damaged bytes forgotten a second, so that glitches of days do not add up while a host only
/// listens, at [`FULL_BAUD`] and above; below in proportion, at least one. A host that asks at a
/// wrong rate sends more.
const FORGOTTEN_A_SECOND: u32 = 5;

/// A baud change under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    None,
    /// The acknowledgement is on its way out at the old rate.
    Drain {
        new: u32,
    },
    /// At the new rate, until a frame comes.
    Confirm {
        old: u32,
        deadline_us: u64,
    },
}

/// The line's rate, and the change under way.
pub(super) struct LineRate {
    baud: u32,
    change: Change,
    /// Damage at another baud rate since the last good frame.
    strange_bytes: u32,
    /// When the first of it came.
    strange_us: u64,
    /// The rate was set, and what was received before is still to be forgotten.
    is_new: bool,
}

impl LineRate {
    pub(super) const fn new() -> Self {
        Self {
            baud: START_BAUD,
            change: Change::None,
            strange_bytes: 0,
            strange_us: 0,
            is_new: false,
        }
    }

    pub(super) const fn baud(&self) -> u32 {
        self.baud
    }

    /// Reports if a change is under way. Nothing may be sent meanwhile.
    pub(super) fn is_changing(&self) -> bool {
        self.change != Change::None
    }

    /// Begins a change. The line must be able to run at that rate.
    pub(super) fn change_to(&mut self, new: u32) {
        self.change = Change::Drain { new };
    }

    /// A good frame came, which confirms a new rate.
    pub(super) fn good_frame(&mut self) {
        self.strange_bytes = 0;
        if let Change::Confirm { .. } = self.change {
            self.change = Change::None;
        }
    }

    /// Reports if the rate was set since the last call. Whatever was received until then was sent
    /// at another.
    pub(super) const fn take_new(&mut self) -> bool {
        core::mem::replace(&mut self.is_new, false)
    }

    /// A number of bytes for [`FULL_BAUD`], as many as come in the same time at this rate.
    const fn at_this_rate(&self, bytes: u32) -> u32 {
        let full = if self.baud < FULL_BAUD {
            self.baud
        } else {
            FULL_BAUD
        };
        (bytes as u64 * full as u64 / FULL_BAUD as u64) as u32
    }

    /// Damaged bytes that make it believed that the host is at another rate.
    fn lost_host_errors(&self) -> u32 {
        self.at_this_rate(LOST_HOST_ERRORS).max(LEAST_ERRORS)
    }

    /// Bytes came that form no frame, or came broken.
    pub(super) fn damage(&mut self, bytes: usize, now_us: u64) {
        if bytes > 0 && self.strange_bytes == 0 {
            self.strange_us = now_us;
        }
        self.strange_bytes = self.strange_bytes.saturating_add(bytes as u32);
    }

    /// A second has passed.
    pub(super) fn forget_some(&mut self) {
        let forgotten = self.at_this_rate(FORGOTTEN_A_SECOND).max(1);
        self.strange_bytes = self.strange_bytes.saturating_sub(forgotten);
    }

    /// Returns to the rate of the start, after a break.
    pub(super) fn reset(&mut self, board: &mut impl Board, out: &mut Notice) {
        self.change = Change::None;
        // Setting a rate forgets what was received, and with it the first frame after the break.
        if self.baud != START_BAUD {
            self.set(START_BAUD, board, out);
        }
    }

    /// Goes on with a change, and returns to the first rate when only noise comes. `is_drained`:
    /// everything has left the board.
    pub(super) fn step(
        &mut self,
        is_drained: bool,
        now_us: u64,
        board: &mut impl Board,
        out: &mut Notice,
    ) {
        match self.change {
            Change::Drain { new } if is_drained => {
                let old = self.baud;
                let deadline_us = now_us + CONFIRM_US;
                self.change = match self.set(new, board, out) {
                    true => Change::Confirm { old, deadline_us },
                    false => Change::None,
                };
            }
            Change::Confirm { old, deadline_us } if now_us >= deadline_us => {
                self.change = Change::None;
                self.set(old, board, out);
                out.say("no frame came at the new baud rate; back at the old one");
            }
            Change::None | Change::Drain { .. } | Change::Confirm { .. } => {}
        }
        if self.baud != START_BAUD
            && self.strange_bytes > self.lost_host_errors()
            && now_us >= self.strange_us + LOST_HOST_US
        {
            self.strange_bytes = 0;
            self.change = Change::None;
            self.set(START_BAUD, board, out);
            out.say("only noise came at this baud rate; back at 115200");
        }
    }

    /// Sets a rate; reports if the line can run at it.
    fn set(&mut self, baud: u32, board: &mut impl Board, out: &mut Notice) -> bool {
        let is_set = board.set_baud(baud).is_ok();
        if is_set {
            self.baud = baud;
            self.is_new = true;
        } else {
            out.say("the UART cannot run at that baud rate; nothing was changed");
        }
        is_set
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::FakeBoard;
    use super::*;

    const FAST: u32 = 1_000_000;

    /// A rate machine at [`FAST`] whose change waits for its confirmation.
    fn changed() -> (LineRate, FakeBoard, Notice) {
        let (mut rate, mut board, mut out) = (LineRate::new(), FakeBoard::new(), Notice::default());
        rate.change_to(FAST);
        rate.step(false, 0, &mut board, &mut out);
        assert_eq!((rate.baud(), rate.is_changing()), (START_BAUD, true));
        rate.step(true, 0, &mut board, &mut out);
        assert_eq!((rate.baud(), rate.is_changing()), (FAST, true));
        (rate, board, out)
    }

    #[test]
    fn a_change_is_confirmed_by_a_frame() {
        let (mut rate, mut board, mut out) = changed();
        rate.good_frame();
        rate.step(true, CONFIRM_US, &mut board, &mut out);
        assert_eq!((rate.baud(), rate.is_changing()), (FAST, false));
        assert!(out.is_empty());
    }

    #[test]
    fn a_change_that_nobody_confirms_is_taken_back() {
        let (mut rate, mut board, mut out) = changed();
        rate.step(true, CONFIRM_US, &mut board, &mut out);
        assert_eq!((rate.baud(), rate.is_changing()), (START_BAUD, false));
        assert!(out.as_str().contains("back at the old one"));
    }

    #[test]
    fn noise_without_a_frame_returns_to_the_rate_of_the_start() {
        let (mut rate, mut board, mut out) = changed();
        rate.good_frame();
        rate.damage(300, 0);
        rate.step(true, 0, &mut board, &mut out);
        assert_eq!(rate.baud(), FAST);
        rate.step(true, LOST_HOST_US, &mut board, &mut out);
        assert_eq!(rate.baud(), START_BAUD);
    }

    #[test]
    fn each_change_has_what_was_received_before_it_forgotten_once() {
        let (mut rate, mut board, mut out) = changed();
        assert!(rate.take_new() && !rate.take_new());
        rate.step(true, CONFIRM_US, &mut board, &mut out);
        assert!(rate.take_new(), "back at the old rate");
        rate.reset(&mut board, &mut out);
        assert!(!rate.take_new(), "it has the rate of the start");
    }

    /// A call of 36 bytes at 115200 baud takes 3.1 ms.
    #[test]
    fn some_calls_at_the_rate_of_the_start_are_enough_at_any_other() {
        for baud in [9600, 19_200, 57_600, 230_400, 921_600, 3_000_000] {
            let (mut board, mut out) = (FakeBoard::new(), Notice::default());
            let mut rate = LineRate::new();
            rate.change_to(baud);
            rate.step(true, 0, &mut board, &mut out);
            rate.good_frame();
            let heard = (36 * baud).div_ceil(START_BAUD).min(400) as usize;
            let mut now_us = 0;
            while rate.baud() == baud && now_us < 6 * SECOND_US {
                rate.damage(heard, now_us);
                now_us += SECOND_US / 2;
                if now_us.is_multiple_of(SECOND_US) {
                    rate.forget_some();
                }
                rate.step(true, now_us, &mut board, &mut out);
            }
            assert_eq!(rate.baud(), START_BAUD, "{baud} baud");
        }
    }

    #[test]
    fn a_glitch_each_second_brings_no_rate_back() {
        for baud in [9600, 57_600, 921_600] {
            let (mut board, mut out) = (FakeBoard::new(), Notice::default());
            let mut rate = LineRate::new();
            rate.change_to(baud);
            rate.step(true, 0, &mut board, &mut out);
            rate.good_frame();
            for second in 0..1000 {
                rate.damage(1, second * SECOND_US);
                rate.forget_some();
                rate.step(true, second * SECOND_US, &mut board, &mut out);
            }
            assert_eq!(rate.baud(), baud);
        }
    }
}
