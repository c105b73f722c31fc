//! The hub between one line and the pages that show it.
//!
//! All pages are given the same bytes, each at its own pace out of a queue of its own, so that a
//! slow one holds nobody up. One at a time may write.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::body::Bytes;
use tokio::sync::Notify;

use super::control::{Source, State, ToPage};
use super::line_queue::{LineQueue, ToLine};
use super::writer::Writer;

/// The most bytes that wait for a page: 14 s of a line at 3,000,000 baud.
pub const QUEUE: usize = 4 << 20;

/// The answer to what a page sends to recorded bytes.
pub const TAKES_NOTHING: &str =
    "a recording takes no commands; start `qpuscope web` with a board's port for that";

/// Something for a page.
#[derive(Clone, PartialEq, Debug)]
pub enum Out {
    /// Bytes of the line.
    Bytes(Bytes),
    /// A message beside them.
    Text(String),
}

impl Out {
    fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Text(text) => text.len(),
        }
    }
}

/// The next thing for a page.
#[derive(Clone, PartialEq, Debug)]
pub enum Next {
    /// Something to send.
    Out(Out),
    /// The page took too little, and things for it were thrown away.
    TooSlow,
    /// The source cannot be read further.
    Broken(String),
}

/// The fate of something that a page sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Taken {
    /// It is on its way.
    Yes,
    /// It is not carried out, for this reason.
    Refused(String),
}

/// The hub.
pub struct Hub {
    name: String,
    source: Source,
    /// The state that threads share.
    shared: Mutex<Shared>,
}

#[derive(Default)]
struct Shared {
    pages: Vec<Page>,
    next_id: u64,
    writer: Writer,
    to_line: LineQueue,
    /// The sentence about a line that is lost now.
    lost: Option<String>,
    /// The recorded bytes have ended.
    ended: bool,
}

/// The hub's side of a page.
struct Page {
    id: u64,
    queue: VecDeque<Out>,
    bytes: usize,
    /// More came than its queue holds.
    is_too_slow: bool,
    /// Woken when something has come for the page.
    came: Arc<Notify>,
}

impl Page {
    fn put(&mut self, out: Out) {
        let bytes = out.len();
        if self.is_too_slow || self.bytes + bytes > QUEUE {
            self.is_too_slow = true;
            self.queue.clear();
            self.bytes = 0;
        } else {
            self.bytes += bytes;
            self.queue.push_back(out);
        }
        self.came.notify_one();
    }
}

impl Hub {
    /// A hub without a page.
    #[must_use]
    pub fn new(name: String, source: Source) -> Arc<Self> {
        Arc::new(Self {
            name,
            source,
            shared: Mutex::default(),
        })
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        // No step leaves the state half changed.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Seats a page.
    #[must_use]
    pub fn join(self: &Arc<Self>) -> Seat {
        let came = Arc::new(Notify::new());
        let mut shared = self.shared();
        let id = shared.next_id;
        shared.next_id += 1;
        let mut page = Page {
            id,
            queue: VecDeque::new(),
            bytes: 0,
            is_too_slow: false,
            came: Arc::clone(&came),
        };
        let is_port = self.source == Source::Port;
        let hello = ToPage::Hello {
            name: self.name.clone(),
            source: self.source,
            writer: is_port && shared.lost.is_none() && shared.writer.admits(id, Instant::now()),
            speed: None,
        };
        page.put(Out::Text(hello.text()));
        if let Some(sentence) = shared.lost.clone() {
            let state = State::Lost;
            page.put(Out::Text(ToPage::Line { state, sentence }.text()));
        }
        if shared.ended {
            page.put(Out::Text(ToPage::End.text()));
        }
        shared.pages.push(page);
        drop(shared);
        Seat {
            hub: Arc::clone(self),
            id,
            came,
        }
    }

    /// Gives bytes of the line to all pages.
    pub fn give(&self, bytes: Vec<u8>) {
        let bytes = Bytes::from(bytes);
        for page in &mut self.shared().pages {
            page.put(Out::Bytes(bytes.clone()));
        }
    }

    /// The line broke. Bytes that have not reached it never do.
    pub fn lose(&self, sentence: &str) {
        let mut shared = self.shared();
        shared.to_line = LineQueue::default();
        shared.lost = Some(sentence.to_owned());
        shared.say_line(State::Lost, sentence);
    }

    /// The line is back.
    pub fn find(&self, sentence: &str) {
        let mut shared = self.shared();
        shared.lost = None;
        shared.say_line(State::Back, sentence);
    }

    /// The recorded bytes have ended.
    pub fn end(&self) {
        let mut shared = self.shared();
        shared.ended = true;
        shared.say(&ToPage::End);
    }

    /// Takes the next thing for the line, at most so many bytes of it.
    pub fn next_for_line(&self, most: usize) -> Option<ToLine> {
        let mut shared = self.shared();
        let next = shared.to_line.take(most)?;
        shared.writer.moved(Instant::now());
        Some(next)
    }

    /// Returns whether something waits for the line.
    #[must_use]
    pub fn has_for_line(&self) -> bool {
        !self.shared().to_line.is_empty()
    }

    /// Returns whether a page has room for more bytes of a source that can wait.
    #[must_use]
    pub fn has_room(&self) -> bool {
        let shared = self.shared();
        let mut pages = shared.pages.iter();
        pages.any(|page| page.bytes < QUEUE / 8 && !page.is_too_slow)
    }
}

impl Shared {
    fn say(&mut self, message: &ToPage) {
        for page in &mut self.pages {
            page.put(Out::Text(message.text()));
        }
    }

    fn say_line(&mut self, state: State, sentence: &str) {
        let sentence = sentence.to_owned();
        self.say(&ToPage::Line { state, sentence });
    }
}

/// A page's side of the hub. Dropping it lets another page write.
pub struct Seat {
    hub: Arc<Hub>,
    id: u64,
    came: Arc<Notify>,
}

impl Seat {
    /// The next thing for this page, once there is one.
    pub async fn next(&self) -> Next {
        loop {
            if let Some(next) = self.take() {
                return next;
            }
            self.came.notified().await;
        }
    }

    /// Takes the next thing for this page, if there is one.
    pub fn take(&self) -> Option<Next> {
        let mut shared = self.hub.shared();
        let page = shared.pages.iter_mut().find(|page| page.id == self.id)?;
        if page.is_too_slow {
            return Some(Next::TooSlow);
        }
        let out = page.queue.pop_front()?;
        page.bytes -= out.len();
        Some(Next::Out(out))
    }

    /// Waits until things for this page have been thrown away.
    pub async fn runs_over(&self) {
        while !self.is_too_slow() {
            self.came.notified().await;
        }
    }

    fn is_too_slow(&self) -> bool {
        let shared = self.hub.shared();
        let mut pages = shared.pages.iter();
        pages.any(|page| page.id == self.id && page.is_too_slow)
    }

    /// Sends something of this page to the line, if it may write.
    pub fn send(&self, what: ToLine) -> Taken {
        if self.hub.source == Source::Recording {
            return Taken::Refused(TAKES_NOTHING.into());
        }
        let mut shared = self.hub.shared();
        if let Some(sentence) = &shared.lost {
            return Taken::Refused(sentence.clone());
        }
        let Some(permission) = shared.writer.admit(self.id, Instant::now()) else {
            return Taken::Refused(
                "another tab writes to this board; close it, or try again 5 s after its last command"
                    .into(),
            );
        };
        if !shared.to_line.has_room(&what) {
            return Taken::Refused(
                "nothing more was sent, because too much waits for the line; try again in a second"
                    .into(),
            );
        }
        if permission.ends_rest {
            let rest = ToLine::Bytes(Bytes::from_static(&[0]));
            shared.to_line.put(rest);
        }
        shared.writer.sent(self.id, what.bytes());
        shared.to_line.put(what);
        Taken::Yes
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut shared = self.hub.shared();
        shared.pages.retain(|page| page.id != self.id);
        // What it had still waiting holds no other page up.
        if shared.writer.leave(self.id) && shared.to_line.cut() {
            shared.writer.cut();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::line_queue::{ITEMS, LEFT, TO_LINE};
    use super::*;

    fn hub() -> Arc<Hub> {
        Hub::new("a line".into(), Source::Port)
    }

    /// A page that has read its greeting.
    fn seat(hub: &Arc<Hub>) -> Seat {
        let seat = hub.join();
        assert!(matches!(seat.take(), Some(Next::Out(Out::Text(_)))));
        seat
    }

    fn bytes(bytes: &[u8]) -> ToLine {
        ToLine::Bytes(Bytes::copy_from_slice(bytes))
    }

    #[test]
    fn all_pages_are_given_the_same_bytes() {
        let hub = hub();
        let pages = [seat(&hub), seat(&hub)];
        hub.give(vec![1, 2]);
        for page in &pages {
            let given = Next::Out(Out::Bytes(Bytes::from_static(&[1, 2])));
            assert_eq!(page.take(), Some(given));
            assert_eq!(page.take(), None);
        }
    }

    #[test]
    fn a_page_that_takes_nothing_is_found_out_and_the_others_go_on() {
        let hub = hub();
        let (slow, quick) = (seat(&hub), seat(&hub));
        for _ in 0..=QUEUE >> 16 {
            hub.give(vec![7; 1 << 16]);
            assert!(matches!(quick.take(), Some(Next::Out(Out::Bytes(_)))));
        }
        assert_eq!(slow.take(), Some(Next::TooSlow));
        assert_eq!(quick.take(), None);
    }

    #[test]
    fn bytes_of_two_pages_never_mix_in_a_frame() {
        let hub = hub();
        let (first, second) = (seat(&hub), seat(&hub));
        assert_eq!(first.send(bytes(&[0, 1])), Taken::Yes);
        let Taken::Refused(sentence) = second.send(bytes(&[0, 2])) else {
            panic!("two write at a time");
        };
        assert!(sentence.starts_with("another tab writes"), "{sentence}");
        drop(first);
        assert_eq!(second.send(bytes(&[0, 3, 0])), Taken::Yes);
        let sent: Vec<_> = std::iter::from_fn(|| hub.next_for_line(QUEUE)).collect();
        assert_eq!(sent, [bytes(&[0, 1]), bytes(&[0]), bytes(&[0, 3, 0])]);
    }

    /// Asserts that something was refused because too much waits.
    fn assert_no_room(taken: &Taken) {
        let is_refused =
            matches!(taken, Taken::Refused(sentence) if sentence.contains("too much waits"));
        assert!(is_refused, "{taken:?}");
    }

    #[test]
    fn bytes_are_refused_while_the_line_has_no_room_for_them() {
        let hub = hub();
        let page = seat(&hub);
        let much = vec![5; TO_LINE];
        assert_eq!(page.send(bytes(&much)), Taken::Yes);
        assert_no_room(&page.send(bytes(&much)));
        assert_eq!(hub.next_for_line(9), Some(bytes(&[5; 9])));
        assert_no_room(&page.send(bytes(&much)));
        assert_eq!(hub.next_for_line(TO_LINE), Some(bytes(&much[9..])));
        assert!(!hub.has_for_line());
        assert_eq!(page.send(bytes(&much)), Taken::Yes);
    }

    #[test]
    fn messages_without_bytes_take_room_too() {
        let hub = hub();
        let page = seat(&hub);
        for _ in 0..ITEMS {
            assert_eq!(page.send(ToLine::Baud(9600)), Taken::Yes);
        }
        assert_no_room(&page.send(bytes(&[])));
        assert_no_room(&page.send(ToLine::Baud(9600)));
        assert_eq!(hub.next_for_line(9), Some(ToLine::Baud(9600)));
        assert_eq!(page.send(bytes(&[])), Taken::Yes);
    }

    #[test]
    fn what_a_page_leaves_behind_holds_no_other_page_up() {
        let hub = hub();
        let (first, second) = (seat(&hub), seat(&hub));
        assert_eq!(first.send(bytes(&[0; TO_LINE])), Taken::Yes);
        drop(first);
        assert_eq!(second.send(bytes(&[0, 3, 0])), Taken::Yes);
        let sent: Vec<_> = std::iter::from_fn(|| hub.next_for_line(QUEUE)).collect();
        // A frame may have been cut, so it is ended first.
        assert_eq!(sent, [bytes(&[0; LEFT]), bytes(&[0]), bytes(&[0, 3, 0])]);
    }

    #[test]
    fn the_last_words_of_a_page_reach_the_line() {
        let hub = hub();
        let page = seat(&hub);
        assert_eq!(page.send(bytes(&[0, 4, 0])), Taken::Yes);
        drop(page);
        assert_eq!(hub.next_for_line(QUEUE), Some(bytes(&[0, 4, 0])));
    }

    #[test]
    fn a_source_that_can_wait_waits_for_a_page_with_room() {
        let hub = hub();
        assert!(!hub.has_room(), "nobody would see its bytes");
        let (slow, quick) = (seat(&hub), seat(&hub));
        hub.give(vec![7; QUEUE / 8]);
        assert!(!hub.has_room());
        assert!(matches!(quick.take(), Some(Next::Out(Out::Bytes(_)))));
        assert!(hub.has_room());
        drop(quick);
        assert!(!hub.has_room());
        assert!(matches!(slow.take(), Some(Next::Out(Out::Bytes(_)))));
        assert!(hub.has_room());
    }

    #[test]
    fn a_lost_line_takes_nothing_until_it_is_back() {
        let hub = hub();
        let page = seat(&hub);
        assert_eq!(page.send(bytes(&[0])), Taken::Yes);
        hub.lose("the line was lost; plug it in");
        assert_eq!(hub.next_for_line(QUEUE), None);
        let refused = Taken::Refused("the line was lost; plug it in".into());
        assert_eq!(page.send(bytes(&[0])), refused);
        // One that comes now is told as well.
        let late = seat(&hub);
        assert!(matches!(late.take(), Some(Next::Out(Out::Text(text))) if text.contains("lost")));
        hub.find("it is back");
        assert_eq!(page.send(bytes(&[0])), Taken::Yes);
    }
}
