//! The line behind the pages: read, written, and opened again when it has been lost.
//!
//! It stays on the thread of the command, because a virtual Pi does. Bytes are collected for a
//! short time before they are handed on: a line gives them in pieces of a few bytes, and each piece
//! would be a message for each page.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::hub::Hub;
use super::line_queue::ToLine;
use common::failure::{Failure, Result};
use common::say;
use common::stop::{self, Stop};
use host::link::{Link, Received, keep_pace};

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

/// A way to open the line.
pub type Open<'a> = &'a dyn Fn() -> Result<Box<dyn Link>>;

/// The line.
pub struct Line<'a> {
    open: Open<'a>,
    hub: Arc<Hub>,
    collected: Vec<u8>,
    since: Instant,
    /// The beginning of a virtual Pi's time, which passes no faster than that of its watchers.
    virtual_start: Option<Instant>,
}

impl<'a> Line<'a> {
    /// A line that is opened in this way when it has been lost.
    #[must_use]
    pub fn new(open: Open<'a>, is_virtual: bool, hub: Arc<Hub>) -> Self {
        let now = Instant::now();
        Self {
            open,
            hub,
            collected: vec![],
            since: now,
            virtual_start: is_virtual.then_some(now),
        }
    }

    /// Passes bytes of an open link on until it is asked to stop.
    ///
    /// # Errors
    /// When a virtual Pi has a fault: another start would end in the same.
    pub fn run(&mut self, mut link: Box<dyn Link>, stop: &Stop) -> Result<()> {
        // Asked for now: a port that has gone no longer knows its rate.
        let mut name = link.description();
        while !stop.asked() {
            let passed = self.pass(&mut *link);
            if let Ok(true) = passed {
                continue;
            }
            self.hand_on();
            let failure = match passed {
                Err(failure) if self.virtual_start.is_some() => return Err(failure),
                Err(failure) => failure,
                Ok(_) if link.is_live() => host::client::closed(&*link),
                Ok(_) => {
                    self.hub.end();
                    say::remark!("{name} has ended; Ctrl-C ends the server");
                    stop.wait_for(Duration::MAX);
                    return Ok(());
                }
            };
            // A serial port can be opened once at a time, and while it is open an adapter that is
            // plugged in again gets another number.
            drop(link);
            let Some(found) = self.find_again(&name, &failure, stop) else {
                return Ok(());
            };
            link = found;
            name = link.description();
        }
        self.hand_on();
        Ok(())
    }

    /// Passes some of what there is in both directions; false at the end of the line.
    fn pass(&mut self, link: &mut dyn Link) -> Result<bool> {
        // More than the link has room for waits in the hub, where it is counted.
        let room = link.room().min(PIECE);
        let next = match room {
            0 => None,
            room => self.hub.next_for_line(room),
        };
        match next {
            None => {}
            Some(ToLine::Bytes(bytes)) => stop::blocking(|| link.write(&bytes))?,
            // The page finds out at the new rate whether board and adapter have it.
            Some(ToLine::Baud(rate)) => {
                if let Err(failure) = stop::blocking(|| link.set_baud(rate)) {
                    say::remark!("{failure}");
                }
            }
        }
        // Bytes of a pipe would be lost while nobody sees them.
        if !link.is_live() && !self.hub.has_room() {
            std::thread::sleep(WAIT);
            return Ok(true);
        }
        let wait = match room > 0 && self.hub.has_for_line() {
            true => Duration::ZERO,
            false => WAIT,
        };
        let mut buffer = [0; 4096];
        match link.read(&mut buffer, wait)? {
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
        if let Some(start) = &mut self.virtual_start {
            keep_pace(start, link.now());
        }
        Ok(true)
    }

    fn hand_on(&mut self) {
        if !self.collected.is_empty() {
            self.hub.give(std::mem::take(&mut self.collected));
        }
    }

    /// Opens the line again once it is back; none when it is asked to stop before.
    fn find_again(&self, name: &str, failure: &Failure, stop: &Stop) -> Option<Box<dyn Link>> {
        say::remark!("{failure}");
        self.hub.lose(&format!(
            "the line {name} was lost; plug the board in again or start its other side, and it is opened within a second"
        ));
        loop {
            stop.wait_for(AGAIN);
            if stop.asked() {
                return None;
            }
            if let Ok(link) = stop::blocking(|| (self.open)()) {
                let name = link.description();
                say::remark!("{name} is open again");
                self.hub.find(&format!("the line {name} is back"));
                return Some(link);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;

    use super::super::control::Source;
    use super::super::hub::{Next, Out, Seat, Taken};
    use super::*;

    /// A link to a port that one at a time has open.
    struct Fake {
        _port: Rc<()>,
        /// The bytes that it has taken, and how many it takes.
        taken: Rc<RefCell<Vec<u8>>>,
        most: usize,
        bytes: &'static [u8],
        /// The reads behind its bytes.
        at_end: Box<dyn Fn() -> Result<Received>>,
    }

    impl Link for Fake {
        fn read(&mut self, out: &mut [u8], _wait: Duration) -> Result<Received> {
            match std::mem::take(&mut self.bytes) {
                [] => (self.at_end)(),
                bytes => {
                    out[..bytes.len()].copy_from_slice(bytes);
                    Ok(Received::Bytes(bytes.len()))
                }
            }
        }

        fn write(&mut self, bytes: &[u8]) -> Result<()> {
            self.taken.borrow_mut().extend_from_slice(bytes);
            Ok(())
        }

        fn room(&mut self) -> usize {
            self.most - self.taken.borrow().len()
        }

        fn set_baud(&mut self, _baud: u32) -> Result<()> {
            Ok(())
        }

        fn description(&self) -> String {
            "a port".into()
        }

        fn now(&self) -> Duration {
            Duration::ZERO
        }
    }

    /// A link that breaks behind its bytes.
    fn breaking(port: &Rc<()>) -> Box<dyn Link> {
        Box::new(Fake {
            _port: Rc::clone(port),
            taken: Rc::default(),
            most: 0,
            bytes: b"last",
            at_end: Box::new(|| Err(Failure::link("it broke; try again"))),
        })
    }

    /// A page that has read its greeting.
    fn page(hub: &Arc<Hub>) -> Seat {
        let page = hub.join();
        assert!(matches!(page.take(), Some(Next::Out(Out::Text(_)))));
        page
    }

    const LAST: Next = Next::Out(Out::Bytes(axum::body::Bytes::from_static(b"last")));

    #[test]
    fn a_lost_line_is_closed_before_it_is_opened_again() {
        let (port, stop) = (Rc::new(()), Stop::default());
        let hub = Hub::new("a port".into(), Source::Port);
        let page = page(&hub);
        let open = || {
            assert_eq!(Rc::strong_count(&port), 1, "the lost line is still open");
            let stop = stop.clone();
            Ok(Box::new(Fake {
                _port: Rc::clone(&port),
                taken: Rc::default(),
                most: 0,
                bytes: b"",
                at_end: Box::new(move || {
                    stop.ask();
                    Ok(Received::Nothing)
                }),
            }) as Box<dyn Link>)
        };
        let ran = Line::new(&open, false, Arc::clone(&hub)).run(breaking(&port), &stop);
        assert!(ran.is_ok());
        assert_eq!(page.take(), Some(LAST));
        for state in ["lost", "back"] {
            let next = page.take();
            assert!(
                matches!(&next, Some(Next::Out(Out::Text(text))) if text.contains(state)),
                "{next:?}"
            );
        }
    }

    #[test]
    fn a_link_is_given_no_more_than_it_has_room_for() {
        let (stop, taken) = (Stop::default(), Rc::<RefCell<Vec<u8>>>::default());
        let hub = Hub::new("a port".into(), Source::Port);
        let page = page(&hub);
        let piece = || ToLine::Bytes(axum::body::Bytes::from(vec![5; 3000]));
        assert!(page.send(piece()) == Taken::Yes && page.send(piece()) == Taken::Yes);
        let (asked, reads) = (stop.clone(), Cell::new(0));
        let link = Box::new(Fake {
            _port: Rc::default(),
            taken: Rc::clone(&taken),
            most: 4096,
            bytes: b"",
            at_end: Box::new(move || {
                reads.set(reads.get() + 1);
                if reads.get() == 20 {
                    asked.ask();
                }
                Ok(Received::Nothing)
            }),
        });
        let open: Open<'_> = &|| panic!("it was not lost");
        let ran = Line::new(open, false, Arc::clone(&hub)).run(link, &stop);
        assert!(ran.is_ok());
        assert_eq!(taken.borrow().len(), 4096);
        assert!(hub.has_for_line(), "the rest is gone");
    }

    #[test]
    fn the_last_bytes_of_a_virtual_pi_with_a_fault_are_handed_on() {
        let hub = Hub::new("a virtual Pi".into(), Source::Port);
        let page = page(&hub);
        let open: Open<'_> = &|| panic!("another start would end in the same");
        let ran = Line::new(open, true, hub).run(breaking(&Rc::new(())), &Stop::default());
        assert!(ran.is_err());
        assert_eq!(page.take(), Some(LAST));
    }
}
