//! The server: connections to 127.0.0.1, each answered by a thread of its own.
//!
//! A connection has a place before it has a thread ([`super::places`]).

use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tungstenite::handshake::server::{create_response, write_response};
use tungstenite::http::{Method, Request, Response};

use super::feed::Feed;
use super::gate::{self, Gate, Token};
use super::hub::Hub;
use super::page::Folder;
use super::places::{Place, Places};
use super::request::{self, Refusal};
use super::response::{self, Answer};
use super::socket::Socket;

/// The most connections at a time; a browser has six for files of a page.
const CONNECTIONS: usize = 64;
/// The most tabs at a time.
const TABS: usize = 16;
/// The time that connections have to end in.
const ENDING: Duration = Duration::from_secs(3);
/// The time between two looks at the end.
const LOOK: Duration = Duration::from_millis(200);
/// The path of the line.
const LINE: &str = "/line";

/// The source of what pages are sent.
pub enum Source {
    /// The page alone.
    None,
    /// A line that is shared.
    Line(Arc<Hub>),
    /// A recording that each page has from its beginning.
    Recording {
        /// The file.
        path: PathBuf,
        /// Its name as it is shown.
        name: String,
        /// The speed at the beginning.
        speed: f64,
    },
}

/// A server that runs.
pub struct Server {
    shared: Arc<Shared>,
}

struct Shared {
    gate: Gate,
    token: Option<Token>,
    folder: Folder,
    source: Source,
    /// Everything is to end.
    ending: AtomicBool,
    places: Arc<Places>,
}

impl Server {
    /// Serves the page, and the source to those who have the token.
    ///
    /// # Errors
    /// When the operating system gives the listener no port.
    pub fn start(
        listener: TcpListener,
        folder: Folder,
        source: Source,
        token: Option<Token>,
    ) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            gate: Gate::at(listener.local_addr()?.port()),
            token,
            folder,
            source,
            ending: AtomicBool::new(false),
            places: Places::new(CONNECTIONS, TABS),
        });
        listener.set_nonblocking(true)?;
        let accepting = Arc::clone(&shared);
        std::thread::spawn(move || accept(&listener, &accepting));
        Ok(Self { shared })
    }

    /// Says farewell to all pages, for a bounded time.
    pub fn end(self) {
        self.shared.ending.store(true, Ordering::SeqCst);
        let until = Instant::now() + ENDING;
        while self.shared.places.tabs() > 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let look = Timespec::try_from(LOOK).ok();
    while !shared.ending.load(Ordering::SeqCst) {
        let _ = poll(&mut [PollFd::new(listener, PollFlags::IN)], look.as_ref());
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Without a free file number the connection waits on, and the listener stays ready.
                if error.kind() != ErrorKind::WouldBlock {
                    std::thread::sleep(LOOK);
                }
                continue;
            }
        };
        // Without a place or a thread the connection is closed.
        let Some(place) = shared.places.take(&stream) else {
            continue;
        };
        let shared = Arc::clone(shared);
        let _ = std::thread::Builder::new().spawn(move || connection(stream, &place, &shared));
    }
}

/// Answers the request of a connection.
fn connection(mut stream: TcpStream, place: &Place, shared: &Shared) {
    if stream.set_nonblocking(false).is_err() {
        return;
    }
    let refusal = match request::read(&mut stream) {
        Ok((request, _)) if request.uri().path() != LINE => file(&mut stream, &request, shared),
        Ok((request, rest)) => match line(&request, place, shared) {
            Ok((accepted, feed)) => return socket(stream, &accepted, rest, feed, shared),
            Err(refusal) => Err(refusal),
        },
        Err(Some(refusal)) => Err(refusal),
        Err(None) => return,
    };
    if let Err(refusal) = refusal {
        response::refuse(&mut stream, &shared.gate, &refusal);
    }
}

/// Sends a file of the page.
fn file(stream: &mut TcpStream, request: &Request<()>, shared: &Shared) -> Result<(), Refusal> {
    shared.gate.check(request)?;
    request::only_reads(request)?;
    let (mut file, media_type, length) = shared.folder.open(request.uri().path())?;
    let wants_body = *request.method() == Method::GET;
    let answer = Answer {
        status: 200,
        media_type,
        length,
        body: wants_body.then_some(&mut file),
    };
    response::send(stream, &shared.gate, answer);
    Ok(())
}

/// Checks a request for the line, and makes its connection a tab.
fn line(
    request: &Request<()>,
    place: &Place,
    shared: &Shared,
) -> Result<(Response<()>, Feed), Refusal> {
    shared.gate.check(request)?;
    request::only_reads(request)?;
    let Some(token) = &shared.token else {
        return Err(Refusal::new(
            404,
            "`qpuscope web` was started without a port or a recording; name one to see it here",
        ));
    };
    // A page cannot see why its WebSocket was refused, so it asks once more without one.
    if !request.headers().contains_key("upgrade") {
        gate::check_token(request, token)?;
        return Err(Refusal::new(
            426,
            "the line is there; open it as a WebSocket",
        ));
    }
    shared.gate.check_line(request, token)?;
    let accepted = create_response(request).map_err(|_| {
        Refusal::new(
            400,
            "that is no handshake of a WebSocket; use a newer browser",
        )
    })?;
    if !place.seat() {
        return Err(Refusal::new(
            503,
            format!("{TABS} tabs are open already; close one of them"),
        ));
    }
    match &shared.source {
        Source::Line(hub) => hub.join().map(Feed::Line),
        Source::Recording { path, name, speed } => Feed::recording(path, name, *speed),
        Source::None => Err(ErrorKind::NotFound.into()),
    }
    .map(|feed| (accepted, feed))
    .map_err(|error| Refusal::new(503, format!("the line cannot be shown: {error}; try again")))
}

/// Accepts a WebSocket and serves it.
fn socket(
    mut stream: TcpStream,
    accepted: &Response<()>,
    rest: Vec<u8>,
    feed: Feed,
    shared: &Shared,
) {
    if stream.set_write_timeout(Some(request::LIMIT)).is_err()
        || write_response(&mut stream, accepted).is_err()
    {
        return;
    }
    if let Ok(socket) = Socket::new(stream, rest, feed, &shared.ending) {
        socket.serve();
    }
}
