//! The baud rate as a state machine: a change is acknowledged at the old rate, confirmed by a frame
//! at the new one, and otherwise taken back. Noise alone, or a break, returns to the rate of the
//! start.

use super::board::{Board, SECOND_US};
use super::notice::Notice;

/// The line's rate after every start.
pub(super) const START_BAUD: u32 = 115_200;

/// The lowest rate that a host may ask for: the bytes that wait in the transmit queue after a break
/// must have left before the board's watchdog takes the silence for a hang.
pub(super) const LOWEST_BAUD: u32 = 9_600;

/// A new baud rate is given up when no frame has come after this time.
const CONFIRM_US: u64 = 500_000;
/// At another rate than the first, this many damaged bytes without a good frame bring it back.
const LOST_HOST_ERRORS: u32 = 200;
/// Time that a good frame then has to come: one flipped bit damages a frame of more bytes than
/// that, and a host that waits for an answer repeats its request after two seconds.
const LOST_HOST_US: u64 = 3 * SECOND_US;
/// Damaged bytes forgotten a second, so that glitches of days do not add up while a host only
/// listens. A host that asks at a wrong rate sends more.
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
}

impl LineRate {
    pub(super) const fn new() -> Self {
        Self {
            baud: START_BAUD,
            change: Change::None,
            strange_bytes: 0,
            strange_us: 0,
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

    /// Bytes came that form no frame.
    pub(super) fn damage(&mut self, bytes: usize, now_us: u64) {
        if self.strange_bytes == 0 {
            self.strange_us = now_us;
        }
        self.strange_bytes = self.strange_bytes.saturating_add(bytes as u32);
    }

    /// A second has passed.
    pub(super) fn forget_some(&mut self) {
        self.strange_bytes = self.strange_bytes.saturating_sub(FORGOTTEN_A_SECOND);
    }

    /// Returns to the rate of the start, after a break.
    pub(super) fn reset(&mut self, board: &mut impl Board, out: &mut Notice) {
        self.change = Change::None;
        // Setting a rate empties the receive queue, and with it the first frame after the break.
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
            && self.strange_bytes > LOST_HOST_ERRORS
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
}
