//! The rate of the line: changed by agreement, taken back where it fails.

use std::time::Duration;

use wire::Message;

use super::{ANSWER, Client, SETTLE, TRIES};
use crate::failure::{Exit, Result};
use crate::link::FIRST_BAUD;
use crate::stream::Answer;

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
            crate::say::remark!("staying at {} baud: {refusal}", self.baud);
            return Ok(());
        }
        self.change_and_settle(baud)?;
        let number = u64::from(baud);
        // The board waits 500 ms for this.
        if let Ok(Answer::Pong(_)) = self.ask(&Message::Ping(number), Duration::from_millis(120), 3)
        {
            self.baud = baud;
            return Ok(());
        }
        crate::say::remark!(
            "the line does not work at {baud} baud; going back to {}",
            self.baud
        );
        self.change_and_settle(self.baud)?;
        self.ask(&Message::Ping(0), ANSWER, TRIES).map(|_| ())
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
    fn a_line_that_breaks_stays_at_no_rate() {
        let mut client = client(Faults {
            dies_after: 1,
            ..Faults::NONE
        });
        client.hello().expect("the first frame");
        let failure = client.change_baud(1_000_000).expect_err("nobody answers");
        assert_eq!(failure.exit, Exit::Link);
    }
}
