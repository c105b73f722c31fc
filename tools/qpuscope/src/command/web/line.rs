//! The line behind the pages: read, written, and opened again when it has been lost.
//!
//! It stays on the thread of the command, because a virtual Pi does. Bytes are collected for a
//! short time before they are handed on: a line gives them in pieces of a few bytes, and each piece
//! would be a message for each page.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::hub::{Hub, ToLine};
use crate::failure::{Failure, Result};
use crate::link::{Link, Received};
use crate::say;
use crate::stop::{self, Stop};

/// The longest wait for bytes of the line, and so of bytes for it.
const WAIT: Duration = Duration::from_millis(5);
/// The most bytes that are written before the line is read again: a write takes its time, and the
/// kernel keeps only some thousand bytes of what comes meanwhile.
const PIECE: usize = 1024;
/// The time that bytes are collected for.
const COLLECT: Duration = Duration::from_millis(15);
/// The most bytes of a message to pages.
const MESSAGE: usize = 16 << 10;
/// The time between two tries to open a line that was lost.
const AGAIN: Duration = Duration::from_secs(1);
/// The time between two looks at Ctrl-C.
const LOOK: Duration = Duration::from_millis(50);
/// When the computer is slower than a virtual Pi, so much lag is kept and the rest forgiven.
const MOST_LAG: Duration = Duration::from_millis(100);

/// A way to open the line.
pub type Open<'a> = &'a dyn Fn() -> Result<Box<dyn Link>>;

/// The line.
pub struct Line<'a> {
    link: Box<dyn Link>,
    open: Open<'a>,
    hub: Arc<Hub>,
    collected: Vec<u8>,
    since: Instant,
    /// The beginning of a virtual Pi's time, which passes no faster than that of its watchers.
    virtual_start: Option<Instant>,
}

impl<'a> Line<'a> {
    /// A line that is open.
    #[must_use]
    pub fn new(link: Box<dyn Link>, open: Open<'a>, is_virtual: bool, hub: Arc<Hub>) -> Self {
        let now = Instant::now();
        Self {
            link,
            open,
            hub,
            collected: vec![],
            since: now,
            virtual_start: is_virtual.then_some(now),
        }
    }

    /// Passes bytes on until it is asked to stop.
    ///
    /// # Errors
    /// When a virtual Pi has a fault: another start would end in the same.
    pub fn run(&mut self, stop: &Stop) -> Result<()> {
        while !stop.asked() {
            let passed = self.pass();
            match passed {
                Ok(true) => {}
                Ok(false) if !self.link.is_live() => {
                    self.hand_on();
                    self.hub.end();
                    say::remark!(
                        "{} has ended; Ctrl-C ends the server",
                        self.link.description()
                    );
                    wait_for(stop, Duration::MAX);
                }
                Err(failure) if self.virtual_start.is_some() => return Err(failure),
                Ok(false) => self.find_again(&crate::client::closed(&*self.link), stop),
                Err(failure) => self.find_again(&failure, stop),
            }
        }
        self.hand_on();
        Ok(())
    }

    /// Passes some of what there is in both directions; false at the end of the line.
    fn pass(&mut self) -> Result<bool> {
        match self.hub.next_for_line(PIECE) {
            None => {}
            Some(ToLine::Bytes(bytes)) => stop::blocking(|| self.link.write(&bytes))?,
            // The page finds out at the new rate whether board and adapter have it.
            Some(ToLine::Baud(rate)) => {
                if let Err(failure) = self.link.set_baud(rate) {
                    say::remark!("{failure}");
                }
            }
        }
        // Bytes of a pipe would be lost while nobody sees them.
        if !self.link.is_live() && !self.hub.has_room() {
            std::thread::sleep(WAIT);
            return Ok(true);
        }
        let wait = match self.hub.has_for_line() {
            true => Duration::ZERO,
            false => WAIT,
        };
        let mut buffer = [0; 4096];
        match self.link.read(&mut buffer, wait)? {
            Received::Bytes(count) => {
                if self.collected.is_empty() {
                    self.since = Instant::now();
                }
                self.collected.extend_from_slice(&buffer[..count]);
            }
            Received::Nothing => {}
            Received::End => return Ok(false),
        }
        if self.since.elapsed() >= COLLECT || self.collected.len() >= MESSAGE {
            self.hand_on();
        }
        self.keep_pace();
        Ok(true)
    }

    fn hand_on(&mut self) {
        if !self.collected.is_empty() {
            self.hub.give(std::mem::take(&mut self.collected));
        }
    }

    /// Waits while a virtual Pi is ahead of the clock on the wall.
    fn keep_pace(&mut self) {
        let Some(start) = &mut self.virtual_start else {
            return;
        };
        let (virtual_time, time) = (self.link.now(), start.elapsed());
        std::thread::sleep(virtual_time.saturating_sub(time));
        let lag = time.saturating_sub(virtual_time);
        *start += lag.saturating_sub(MOST_LAG);
    }

    /// Opens the line again once it is back.
    fn find_again(&mut self, failure: &Failure, stop: &Stop) {
        self.hand_on();
        let name = self.link.description();
        say::remark!("{failure}");
        self.hub.lose(&format!(
            "the line {name} was lost; plug the board in again or start its other side, and it is opened within a second"
        ));
        loop {
            wait_for(stop, AGAIN);
            if stop.asked() {
                return;
            }
            if let Ok(link) = stop::blocking(|| (self.open)()) {
                self.link = link;
                say::remark!("{} is open again", self.link.description());
                self.hub
                    .find(&format!("the line {} is back", self.link.description()));
                return;
            }
        }
    }
}

/// Waits for so long, or until it is asked to stop.
fn wait_for(stop: &Stop, span: Duration) {
    let start = Instant::now();
    while !stop.asked() && start.elapsed() < span {
        std::thread::sleep(LOOK);
    }
}
