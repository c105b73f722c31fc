//! A page's WebSocket: what the feed has for the page, and what the page sends.
//!
//! One thread for each page. It never waits for the page alone: what cannot be sent yet is sent
//! when the connection has room again, and a page that takes too little is closed with a sentence.

use std::io::ErrorKind;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt;
use tungstenite::protocol::{CloseFrame, Role, WebSocketConfig, frame::coding::CloseCode};
use tungstenite::{Bytes, Error, Message, WebSocket};

use super::control::{FromPage, ToPage};
use super::feed::Feed;
use super::hub::{LOOK, Next, Out, Taken};

/// The most bytes of a message of a page: no frame of the protocol has as many.
const MESSAGE: usize = 64 << 10;
/// Bytes that the kernel keeps for a page.
const SEND_BUFFER: usize = 128 << 10;
/// The most messages of a page that are taken before it is sent what there is for it.
const AT_ONCE: usize = 64;
/// The time in which a page may take a farewell. One that was too slow has to read what is before
/// it.
const FAREWELL: Duration = Duration::from_secs(2);
const FAREWELL_OF_SLOW: Duration = Duration::from_secs(10);
/// The time in which a page may take what waits for it when everything ends.
const REST: Duration = Duration::from_millis(500);

/// The close code of a page that took too little.
const TOO_SLOW: u16 = 4001;
/// The close code of a recording that cannot be read.
const BROKEN: u16 = 4002;

/// A page's connection.
pub struct Socket<'a> {
    socket: WebSocket<TcpStream>,
    feed: Feed,
    /// Everything is to end.
    ending: &'a AtomicBool,
    /// Something was written that the connection has no room for yet.
    has_unsent: bool,
    /// More of the page's messages may have been read than were taken.
    has_more: bool,
}

/// The end of a connection: the other side has gone, or is not to be spoken to any more.
struct Gone;

impl<'a> Socket<'a> {
    /// Takes over a connection after the handshake. `rest` came behind the request.
    ///
    /// # Errors
    /// When the connection has gone.
    pub fn new(
        stream: TcpStream,
        rest: Vec<u8>,
        feed: Feed,
        ending: &'a AtomicBool,
    ) -> std::io::Result<Self> {
        stream.set_nodelay(true)?;
        // The kernel's own buffer would hold seconds of a line; what waits is to wait in the queue.
        sockopt::set_socket_send_buffer_size(&stream, SEND_BUFFER)?;
        stream.set_nonblocking(true)?;
        let config = WebSocketConfig::default()
            .max_message_size(Some(MESSAGE))
            .max_frame_size(Some(MESSAGE))
            .read_buffer_size(16 << 10)
            .write_buffer_size(0);
        Ok(Self {
            socket: WebSocket::from_partially_read(stream, rest, Role::Server, Some(config)),
            feed,
            ending,
            has_unsent: false,
            has_more: false,
        })
    }

    /// Serves the page until it goes, or everything ends.
    pub fn serve(mut self) {
        let exchanged = self.exchange();
        let Self {
            mut socket, feed, ..
        } = self;
        // Another page may write from now on.
        drop(feed);
        // A page that has gone needs no farewell.
        if let Ok((frame, limit)) = exchanged {
            close(&mut socket, frame, limit);
        }
        let _ = socket.get_ref().shutdown(Shutdown::Both);
    }

    /// Sends and receives; returns with the farewell that the page is to get.
    fn exchange(&mut self) -> Result<(CloseFrame, Duration), Gone> {
        let mut rest_until = None;
        loop {
            // Asked before the queue is: nothing is put there once everything ends.
            let is_ending = self.ending.load(Ordering::SeqCst);
            let mut wait = LOOK;
            match self.send_next()? {
                Next::Out(_) => wait = Duration::ZERO,
                Next::Wait(_) if is_ending && !self.has_unsent => return Ok(ended()),
                Next::Wait(until) => wait = wait.min(until),
                Next::TooSlow => {
                    let sentence = "this tab took the line's bytes too slowly and missed some; keep it in front";
                    return Ok((
                        farewell(CloseCode::Library(TOO_SLOW), sentence),
                        FAREWELL_OF_SLOW,
                    ));
                }
                Next::Broken(sentence) => {
                    return Ok((farewell(CloseCode::Library(BROKEN), &sentence), FAREWELL));
                }
            }
            if is_ending {
                let now = Instant::now();
                if now >= *rest_until.get_or_insert(now + REST) {
                    return Ok(ended());
                }
            }
            if self.has_more && !self.has_unsent {
                wait = Duration::ZERO;
            }
            self.wait(wait);
            self.receive()?;
        }
    }

    /// Sends what is next, once everything before it has left.
    fn send_next(&mut self) -> Result<Next, Gone> {
        if self.has_unsent {
            self.flush()?;
        }
        if self.has_unsent {
            // A queue runs over while nothing leaves; nothing else of the feed is looked at.
            return Ok(match self.feed.is_too_slow() {
                true => Next::TooSlow,
                false => Next::Wait(Duration::MAX),
            });
        }
        let next = self.feed.next();
        if let Next::Out(out) = &next {
            self.write(match out.clone() {
                Out::Bytes(bytes) => Message::Binary(bytes),
                Out::Text(text) => Message::text(text),
            })?;
        }
        Ok(next)
    }

    fn write(&mut self, message: Message) -> Result<(), Gone> {
        match self.socket.write(message) {
            Ok(()) => self.flush(),
            Err(error) => self.note(&error),
        }
    }

    fn flush(&mut self) -> Result<(), Gone> {
        match self.socket.flush() {
            Ok(()) => {
                self.has_unsent = false;
                Ok(())
            }
            Err(error) => self.note(&error),
        }
    }

    /// A connection without room is no error.
    fn note(&mut self, error: &Error) -> Result<(), Gone> {
        match error {
            Error::Io(error) if has_no_room(error) => {
                self.has_unsent = true;
                Ok(())
            }
            _ => Err(Gone),
        }
    }

    /// Waits until there is something to do.
    fn wait(&self, wait: Duration) {
        let stream = self.socket.get_ref();
        let flags = match self.has_unsent {
            true => PollFlags::OUT,
            false => PollFlags::IN,
        };
        let mut watched = vec![PollFd::new(stream, flags)];
        if let Some(woken) = self.feed.woken()
            && !self.has_unsent
        {
            watched.push(PollFd::new(woken, PollFlags::IN));
        }
        poll_for(&mut watched, wait);
    }

    /// Takes in some of what the page has sent, as long as there is room for answers.
    fn receive(&mut self) -> Result<(), Gone> {
        self.has_more = true;
        for _ in 0..AT_ONCE {
            if self.has_unsent {
                return Ok(());
            }
            match self.socket.read() {
                Ok(Message::Binary(bytes)) => self.take_bytes(bytes)?,
                Ok(Message::Text(text)) => self.take_text(text.as_str())?,
                Ok(_) => {}
                Err(Error::Io(error)) if has_no_room(&error) => {
                    self.has_more = false;
                    return Ok(());
                }
                Err(_) => return Err(Gone),
            }
        }
        Ok(())
    }

    fn take_bytes(&mut self, bytes: Bytes) -> Result<(), Gone> {
        match self.feed.take_bytes(bytes) {
            Taken::Yes => Ok(()),
            Taken::Refused(sentence) => self.refuse(sentence),
        }
    }

    fn take_text(&mut self, text: &str) -> Result<(), Gone> {
        let Ok(command) = serde_json::from_str::<FromPage>(text) else {
            return self.refuse(
                "this page and `qpuscope web` are of different versions; load the page again"
                    .into(),
            );
        };
        match self.feed.take_command(command) {
            Taken::Refused(sentence) => self.refuse(sentence),
            Taken::Yes => Ok(()),
        }
    }

    fn refuse(&mut self, sentence: String) -> Result<(), Gone> {
        self.write(Message::text(ToPage::Refused { sentence }.text()))
    }
}

/// Says farewell and waits, for a bounded time, until the page has taken it.
fn close(socket: &mut WebSocket<TcpStream>, frame: CloseFrame, limit: Duration) {
    let until = Instant::now() + limit;
    let mut state = socket.close(Some(frame));
    while Instant::now() < until {
        let flags = match state {
            Ok(()) => PollFlags::IN,
            Err(Error::Io(ref error)) if has_no_room(error) => PollFlags::OUT,
            Err(_) => return,
        };
        let mut watched = [PollFd::new(socket.get_ref(), flags)];
        poll_for(&mut watched, Duration::from_millis(50));
        // Messages before the page's own farewell are thrown away.
        state = match socket.read() {
            Ok(_) => socket.flush(),
            Err(Error::Io(error)) if has_no_room(&error) => socket.flush(),
            Err(error) => Err(error),
        };
    }
}

/// Waits until one of these is ready, for a bounded time.
fn poll_for(watched: &mut [PollFd<'_>], wait: Duration) {
    let wait = Timespec::try_from(wait).ok();
    // An interrupted wait is a short one.
    let _ = poll(watched, wait.as_ref());
}

/// Returns whether a connection only has no room, or no bytes, at the moment.
fn has_no_room(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// The farewell when everything ends, and the time for it.
fn ended() -> (CloseFrame, Duration) {
    let sentence = "`qpuscope web` has ended; start it again and open its address";
    (farewell(CloseCode::Away, sentence), FAREWELL)
}

/// A farewell. Its sentence may have 123 bytes.
fn farewell(code: CloseCode, sentence: &str) -> CloseFrame {
    CloseFrame {
        code,
        reason: sentence[..sentence.floor_char_boundary(123)].into(),
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::super::control::Source;
    use super::super::hub::Hub;
    use super::super::line_queue::ToLine;
    use super::*;

    #[test]
    fn a_page_has_what_waits_for_it_at_the_end_and_writes_no_more() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let page = TcpStream::connect(address).expect("a connection");
        let (stream, _) = listener.accept().expect("a connection");
        let hub = Hub::new("a line".into(), Source::Port);
        let (first, second) = (hub.join().expect("a seat"), hub.join().expect("a seat"));
        let zero = || ToLine::Bytes(Bytes::from_static(&[0]));
        assert_eq!(first.send(zero()), Taken::Yes);
        hub.give(b"last".to_vec());
        let server = std::thread::spawn(move || {
            let ending = AtomicBool::new(true);
            let socket = Socket::new(stream, vec![], Feed::Line(first), &ending);
            socket.expect("a socket").serve();
        });
        let mut page = WebSocket::from_raw_socket(page, Role::Client, None);
        let mut read = || page.read().expect("a message");
        assert!(matches!(read(), Message::Text(_)), "its greeting");
        assert_eq!(read(), Message::Binary(Bytes::from_static(b"last")));
        let Message::Close(Some(frame)) = read() else {
            panic!("no farewell");
        };
        assert_eq!(frame.code, CloseCode::Away);
        // The server still waits for the answer to it.
        assert_eq!(second.send(zero()), Taken::Yes);
        while page.read().is_ok() {}
        server.join().expect("the server ends");
    }
}
