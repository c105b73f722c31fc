//! The server: a thread that answers connections to 127.0.0.1, and the limits of each.
//!
//! Every site in the browser and every user of the computer can open connections, so connections
//! alone must not keep the user out. When all places are taken, the oldest connection that is no
//! tab makes way for the new one. Tabs have shown the token and keep their places; there are fewer
//! of them than places.

use std::collections::VecDeque;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustix::net::sockopt;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::select;
use tokio::sync::{Semaphore, watch};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::gate::Token;
use super::page::Folder;
use super::site::{self, Place, ShownSource, Site};

/// The most connections at a time; a browser has six for files of a page.
const CONNECTIONS: usize = 64;
/// The time in which the head of a request has to be there.
const REQUEST: Duration = Duration::from_secs(5);
/// The time in which a request has to be there and its answer taken.
const ANSWER: Duration = Duration::from_secs(35);
/// The most bytes of the head of a request.
const HEAD: usize = 8 << 10;
/// The most lines of it.
const LINES: usize = 64;
/// Bytes that the kernel keeps for a connection. Its own choice would hold seconds of a line, and
/// what waits for a tab is to wait in the tab's queue.
const SEND_BUFFER: usize = 128 << 10;
/// The time in which the rest of a request is read and thrown away.
const REST: Duration = Duration::from_millis(500);
/// The time that tabs have to end in.
const ENDING: Duration = Duration::from_secs(3);
/// The pause when the process can open no more files.
const PAUSE: Duration = Duration::from_millis(200);

/// A server that runs.
pub struct Server {
    ending: watch::Sender<bool>,
    thread: JoinHandle<()>,
}

impl Server {
    /// Serves the page, and the source to those who have the token.
    ///
    /// # Errors
    /// When the operating system gives the server no port or no thread.
    pub fn start(
        listener: std::net::TcpListener,
        folder: Folder,
        source: ShownSource,
        token: Option<Token>,
    ) -> std::io::Result<Self> {
        let port = listener.local_addr()?.port();
        listener.set_nonblocking(true)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let within = runtime.enter();
        let listener = TcpListener::from_std(listener)?;
        drop(within);
        let (ending, ends) = watch::channel(false);
        let site = Arc::new(Site::new(port, folder, source, token, ends));
        let thread = thread::Builder::new().spawn(move || {
            runtime.block_on(serve(&listener, site));
            // A file that is still being read is not waited for.
            runtime.shutdown_background();
        })?;
        Ok(Self { ending, thread })
    }

    /// Says farewell to all tabs, for a bounded time.
    pub fn end(self) {
        let _ = self.ending.send(true);
        let _ = self.thread.join();
    }
}

/// Answers connections until everything is to end, and then waits for the tabs.
async fn serve(listener: &TcpListener, site: Arc<Site>) {
    let router = site::router(Arc::clone(&site));
    select! {
        () = accept(listener, &router) => {}
        () = site.ended() => {}
    }
    let _ = timeout(ENDING, site.all_tabs_gone()).await;
}

async fn accept(listener: &TcpListener, router: &Router) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    // The connections that are no tabs, the oldest first.
    let mut strangers = VecDeque::<AbortHandle>::new();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Without a free file number the connection waits on.
            sleep(PAUSE).await;
            continue;
        };
        strangers.retain(|stranger| !stranger.is_finished());
        if places.available_permits() == 0
            && let Some(oldest) = strangers.pop_front()
        {
            oldest.abort();
        }
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        let answered = connection(stream, Place::new(place), router.clone());
        strangers.push_back(tokio::spawn(answered).abort_handle());
    }
}

/// Answers the request of a connection. A tab's goes on without this task.
async fn connection(stream: TcpStream, place: Place, router: Router) {
    let Ok(rest) = stream.as_fd().try_clone_to_owned() else {
        return;
    };
    let _ = stream.set_nodelay(true);
    let _ = sockopt::set_socket_send_buffer_size(&stream, SEND_BUFFER);
    let router = router.layer(Extension(Arc::clone(&place)));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST)
        .half_close(true)
        .max_buf_size(HEAD)
        .max_headers(LINES)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    // A browser that has gone, or is too slow, needs no answer.
    let _ = timeout(ANSWER, connection).await;
    if let Some(_place) = Arc::into_inner(place) {
        let _ = finish(rest).await;
    }
}

/// Ends a connection so that the other side reads the answer first: bytes of its request that
/// nobody reads would have the kernel reset it.
async fn finish(rest: OwnedFd) -> std::io::Result<()> {
    let mut rest = TcpStream::from_std(rest.into())?;
    rest.shutdown().await?;
    let mut nowhere = tokio::io::sink();
    let _ = timeout(REST, tokio::io::copy(&mut rest, &mut nowhere)).await;
    Ok(())
}
