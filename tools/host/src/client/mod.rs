//! The host's end of a conversation with a board: requests, answers, uploads.
//!
//! Every request carries a number and is repeated a bounded number of times with the same number;
//! the protocol makes requests idempotent. What the board says in between (text, logs, spectra,
//! faults) is taken in while an answer is awaited. All times are the link's.

mod baud;
mod diagnosis;
mod exchange;
mod fetch;
mod job;
mod measure;
#[cfg(test)]
mod tests;
mod upload;

use std::time::Duration;

use wire::{Credit, Encoder, Message, Status};

use crate::input::Unit;
use crate::link::Link;
use crate::log::Logs;
use crate::spectrum::Spectrum;
use crate::stream::{Answer, Health, Info, Receiver};
use common::failure::Result;
use diagnosis::unexpected;

pub use baud::{Trial, TrialEnd};
pub use diagnosis::{closed, nothing_decodes};
pub use measure::Heard;

/// The time that an answer to a plain request may take before it is repeated.
const ANSWER: Duration = Duration::from_millis(500);
/// From the acknowledgement of a new rate to the first byte at it; the board waits 500 ms.
const SETTLE: Duration = Duration::from_millis(30);
/// The number of times that a plain request is sent.
const TRIES: u32 = 4;
/// The number of times that a request is sent besides, when damage came instead of an answer.
const DAMAGED_TRIES: u32 = 12;
/// The number of times that STOP is sent: the longest record takes 23 seconds at 115,200 baud.
const STOP_TRIES: u32 = 60;
/// The number of times that HELLO is sent: a board needs some seconds from power-on to its first
/// answer.
const HELLO_TRIES: u32 = 16;

/// A conversation.
pub struct Client {
    link: Box<dyn Link>,
    receiver: Receiver,
    encoder: Encoder,
    logs: Logs,
    request: u16,
    stream: u16,
    baud: u32,
    credit: Option<Credit>,
    /// Credits received.
    credits: u64,
    spectra: Vec<Spectrum>,
    /// Spectra of all streams are taken, not only those of the present one.
    hears_all: bool,
    quiet: bool,
    /// The last heartbeat.
    status: Option<Status>,
}

impl Client {
    /// A conversation over `link`, which runs at `baud`; text of the board goes to standard error
    /// unless `quiet`.
    #[must_use]
    pub fn new(link: Box<dyn Link>, baud: u32, logs: Logs, quiet: bool) -> Self {
        Self {
            link,
            receiver: Receiver::default(),
            encoder: Encoder::new(),
            logs,
            request: 0,
            stream: 0,
            baud,
            credit: None,
            credits: 0,
            spectra: vec![],
            hears_all: false,
            quiet,
            status: None,
        }
    }

    /// The line's behaviour so far.
    #[must_use]
    pub fn health(&self) -> Health {
        self.receiver.health()
    }

    /// The board at the other end of the line.
    #[must_use]
    pub fn description(&self) -> String {
        self.link.description()
    }

    /// Says what the samples of the next uploads are.
    pub fn name_upload(&mut self, source: &str, unit: &Unit) {
        self.receiver.name_upload(source, unit);
    }

    /// A sentence about logs that could not be shown, if any and not quiet.
    #[must_use]
    pub fn log_remark(&self) -> Option<String> {
        self.logs.remark().filter(|_| !self.quiet)
    }

    /// The line, what receives from it, and the logs; for a caller that only listens from now on.
    #[must_use]
    pub fn into_parts(self) -> (Box<dyn Link>, Receiver, Logs) {
        (self.link, self.receiver, self.logs)
    }

    /// Wakes the instrument and asks who it is.
    ///
    /// # Errors
    /// No device when nothing comes, link when what comes is no protocol.
    pub fn hello(&mut self) -> Result<Info> {
        let name = concat!("qpuscope ", env!("CARGO_PKG_VERSION"));
        match self.ask(&Message::Hello(name), ANSWER, HELLO_TRIES)? {
            Answer::Info(info) => Ok(info),
            other => Err(unexpected("HELLO", &other)),
        }
    }

    /// The time left until then on the link's clock, if there is any.
    fn left(&self, until: Duration) -> Option<Duration> {
        let left = until.checked_sub(self.link.now());
        left.filter(|left| !left.is_zero())
    }

    /// Takes in what comes for so long, or until something is so.
    fn wait_until(&mut self, span: Duration, mut is_so: impl FnMut(&Self) -> bool) -> Result<()> {
        let until = self.link.now() + span;
        while !is_so(self)
            && let Some(left) = self.left(until)
        {
            self.pump(left.min(ANSWER))?;
        }
        Ok(())
    }

    /// Takes in what comes for so long.
    fn wait(&mut self, span: Duration) -> Result<()> {
        self.wait_until(span, |_| false)
    }

    /// Ends a stream or an upload that is under way; its record is sent to the end first.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn stop(&mut self) -> Result<()> {
        self.ask(&Message::Stop, ANSWER, STOP_TRIES).map(|_| ())
    }

    /// Changes settings: `key=value` words.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn set(&mut self, settings: &str) -> Result<()> {
        self.command(&Message::Set(settings)).map(|_| ())
    }

    /// All settings, as `key=value` lines.
    ///
    /// # Errors
    /// As [`Client::ask`].
    pub fn settings(&mut self) -> Result<String> {
        match self.ask(&Message::Get(""), ANSWER, TRIES)? {
            Answer::Settings(text) => Ok(text),
            other => Err(unexpected("GET", &other)),
        }
    }
}
