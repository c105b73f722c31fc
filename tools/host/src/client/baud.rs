//! The rate of the line: changed by agreement, taken back where it fails, and tried: frames both
//! ways, what is lost of them, and back to the first rate.

use std::fmt;
use std::time::Duration;

use wire::Message;

use super::{ANSWER, Client, SETTLE, TRIES};
use crate::link::FIRST_BAUD;
use crate::stream::Answer;
use common::failure::{Exit, Result};

/// The time that an answer may take: request and answer are a kilobyte together.
const TRIAL_ANSWER: Duration = Duration::from_millis(400);
/// The time that the board waits for the first frame at a new rate before it goes back, and some.
const CONFIRM: Duration = Duration::from_millis(700);
/// Bytes of a request.
const REQUEST_BYTES: usize = 600;
/// The number of calls to a board that is at another rate: it comes back when it has heard noise
/// for some seconds.
const CALLS: u32 = 40;

/// The result of a rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialEnd {
    /// It carried frames.
    #[default]
    Worked,
    /// The board refused it.
    RefusedByBoard,
    /// The port of this computer does not have it.
    RefusedByHost,
    /// No frame came through.
    Silent,
}

/// The losses at a rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Trial {
    /// The rate.
    pub baud: u32,
    /// Its result.
    pub end: TrialEnd,
    /// Requests of about 600 bytes, each with an answer of about 400.
    pub exchanges: u32,
    /// Those without an answer, or with a wrong one.
    pub failed: u32,
    /// Bytes that came and were in no whole frame.
    pub lost_bytes: u64,
    /// Frames that came with a wrong checksum.
    pub crc_errors: u64,
    /// Damaged pieces that the board counted.
    pub board_damaged: u32,
    /// Bytes that the board lost or found broken.
    pub board_overruns: u64,
}

impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} baud: ", self.baud)?;
        match self.end {
            TrialEnd::Worked => write!(
                f,
                "{} of {} exchanges failed, {} bytes lost to the host, {} to the board",
                self.failed, self.exchanges, self.lost_bytes, self.board_overruns
            ),
            TrialEnd::RefusedByBoard => f.write_str("the board refuses it"),
            TrialEnd::RefusedByHost => f.write_str("the host's port does not have it"),
            TrialEnd::Silent => f.write_str("no frame came through"),
        }
    }
}

impl Client {
    /// Runs the line at another rate; back at the old one, and said, where the new one does not
    /// work.
    ///
    /// # Errors
    /// When the line works at neither rate.
    pub fn change_baud(&mut self, baud: u32) -> Result<()> {
        if baud == self.baud || !self.link.has_baud() {
            return Ok(());
        }
        if let Err(refusal) = self.command(&Message::Baud(baud)) {
            if refusal.exit == Exit::Link {
                // No refusal but silence: only a line that still works stays at its rate.
                self.ask(&Message::Ping(0), ANSWER, TRIES)?;
            }
            common::say::remark!("staying at {} baud: {refusal}", self.baud);
            return Ok(());
        }
        self.change_and_settle(baud)?;
        if self.confirm(baud) {
            return Ok(());
        }
        common::say::remark!(
            "the line does not work at {baud} baud; going back to {}",
            self.baud
        );
        self.change_and_settle(self.baud)?;
        self.ask(&Message::Ping(0), ANSWER, TRIES).map(|_| ())
    }

    /// Runs the line at the rate of a transfer: the one that was asked for, or else the line's own.
    ///
    /// # Errors
    /// As [`Client::change_baud`].
    pub fn change_for_transfer(&mut self, asked: Option<u32>) -> Result<()> {
        let own = self.link.transfer_baud();
        self.change_baud(asked.unwrap_or(own))
    }

    /// Changes the host's side, and leaves the board time to change its own: bytes that it sees at
    /// the old rate look like a break.
    fn change_and_settle(&mut self, baud: u32) -> Result<()> {
        self.link.set_baud(baud)?;
        self.wait(SETTLE)
    }

    /// Back to the rate at which the next host will begin.
    ///
    /// # Errors
    /// As [`Client::change_baud`].
    pub fn leave(&mut self) -> Result<()> {
        self.change_baud(FIRST_BAUD)
    }

    /// Confirms a rate that both sides have changed to. Returns whether the board answered, which
    /// then keeps that rate.
    fn confirm(&mut self, baud: u32) -> bool {
        let ping = Message::Ping(u64::from(baud));
        // The board waits 500 ms for this.
        let answer = self.ask(&ping, Duration::from_millis(120), 3);
        let is_heard = matches!(answer, Ok(Answer::Pong(_)));
        if is_heard {
            self.baud = baud;
        }
        is_heard
    }

    /// Tries a rate with so many exchanges, and goes back to the first rate.
    ///
    /// # Errors
    /// When the line does not work at the first rate any more.
    pub fn try_baud(&mut self, baud: u32, exchanges: u32) -> Result<Trial> {
        let mut trial = Trial {
            baud,
            ..Trial::default()
        };
        let before = self.board_counts()?;
        if baud != self.baud {
            trial.end = self.enter(baud)?;
        }
        if trial.end != TrialEnd::Worked {
            return Ok(trial);
        }
        let health = self.health();
        // Known to the board, so that it is answered; long, so that there is something to damage.
        let names = "capabilities ".repeat(REQUEST_BYTES / 13);
        let mut first = None;
        for _ in 0..exchanges {
            trial.exchanges += 1;
            match self.ask_or_nak(&Message::Get(&names), TRIAL_ANSWER, 1) {
                Ok(Answer::Settings(text)) => {
                    let first = first.get_or_insert_with(|| text.clone());
                    trial.failed += u32::from(*first != text);
                }
                _ => trial.failed += 1,
            }
        }
        let after = self.health();
        trial.lost_bytes = after.lost_bytes - health.lost_bytes;
        trial.crc_errors = after.crc_errors - health.crc_errors;
        if baud != FIRST_BAUD {
            self.come_back()?;
        }
        let counts = self.board_counts()?;
        trial.board_damaged = counts.0.saturating_sub(before.0);
        trial.board_overruns = counts.1.saturating_sub(before.1);
        Ok(trial)
    }

    /// Changes to a rate; how that ended. After all but success the line is at the rate before.
    fn enter(&mut self, baud: u32) -> Result<TrialEnd> {
        match self.ask_or_nak(&Message::Baud(baud), TRIAL_ANSWER, TRIES)? {
            Answer::Ack(_) => {}
            _ => return Ok(TrialEnd::RefusedByBoard),
        }
        if self.link.set_baud(baud).is_err() {
            // The board comes back by itself.
            self.wait(CONFIRM)?;
            self.ask(&Message::Ping(0), TRIAL_ANSWER, TRIES)?;
            return Ok(TrialEnd::RefusedByHost);
        }
        self.wait(SETTLE)?;
        if self.confirm(baud) {
            return Ok(TrialEnd::Worked);
        }
        self.link.set_baud(self.baud)?;
        self.wait(CONFIRM)?;
        self.ask(&Message::Ping(0), TRIAL_ANSWER, CALLS)?;
        Ok(TrialEnd::Silent)
    }

    /// Back to the first rate, whatever the line does to frames at the present one.
    fn come_back(&mut self) -> Result<()> {
        // Where the answer is lost the board has changed all the same, or will when it hears noise.
        let _ = self.ask_or_nak(&Message::Baud(FIRST_BAUD), TRIAL_ANSWER, TRIES);
        self.link.set_baud(FIRST_BAUD)?;
        self.baud = FIRST_BAUD;
        self.wait(SETTLE)?;
        self.ask(&Message::Ping(0), TRIAL_ANSWER, CALLS).map(|_| ())
    }

    /// Damaged pieces and lost bytes that the board has counted, by its next heartbeat; zeros when
    /// none comes.
    fn board_counts(&mut self) -> Result<(u32, u64)> {
        self.status = None;
        self.wait_until(Duration::from_millis(1500), |client| {
            client.status.is_some()
        })?;
        let counts = self.status.map(|status| {
            let overruns = status.counters.overruns;
            (status.line_errors, overruns)
        });
        Ok(counts.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::tests::fake::{Faults, client};

    #[test]
    fn a_rate_that_does_not_work_is_taken_back() {
        let mut client = client(Faults {
            highest_baud: 1_000_000,
            ..Faults::NONE
        });
        client.change_baud(1_000_000).expect("works");
        assert_eq!(client.baud, 1_000_000);
        client.leave().expect("works");
        assert_eq!(client.baud, FIRST_BAUD);
        client.change_baud(2_000_000).expect("back at the old rate");
        assert_eq!(client.baud, FIRST_BAUD);
        client.hello().expect("the line still works");
    }

    #[test]
    fn a_transfer_runs_at_the_rate_of_the_line_where_none_was_asked_for() {
        let mut client = client(Faults::NONE);
        client.change_for_transfer(None).expect("works");
        assert_eq!(client.baud, 921_600);
        client.change_for_transfer(Some(1_000_000)).expect("works");
        assert_eq!(client.baud, 1_000_000);
    }

    #[test]
    fn a_line_that_breaks_stays_at_no_rate() {
        let mut client = client(Faults {
            dies_after: 1,
            ..Faults::NONE
        });
        client.hello().expect("the first frame");
        let failure = client.change_baud(1_000_000).expect_err("nobody answers");
        assert_eq!(failure.exit, Exit::Link);
    }

    #[test]
    fn a_rate_that_the_line_does_not_carry_is_silent_and_the_next_works() {
        let mut client = client(Faults {
            highest_baud: 1_000_000,
            ..Faults::NONE
        });
        let trial = client.try_baud(2_000_000, 5).expect("back again");
        assert_eq!(trial.end, TrialEnd::Silent);
        let trial = client.try_baud(1_000_000, 5).expect("back again");
        assert_eq!((trial.end, trial.exchanges), (TrialEnd::Worked, 5));
        client.hello().expect("the line still works");
    }
}
