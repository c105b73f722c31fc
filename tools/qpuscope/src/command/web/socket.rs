//! A tab's WebSocket: what the feed has for the page, and what the page sends.
//!
//! One task for each tab. It never waits for the page alone: a page that takes too little is closed
//! with a sentence, and so are all when everything ends.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::select;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{
    CloseFrame, Role, WebSocketConfig, frame::coding::CloseCode,
};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::control::{FromPage, ToPage};
use super::feed::Feed;
use super::hub::{Next, Out, Taken};

/// The most bytes of a message of a page: no frame of the protocol has as many.
const MESSAGE: usize = 64 << 10;
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

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// The end of an exchange.
enum Ended {
    /// The other side has gone, or is not to be spoken to any more.
    Gone,
    /// The page is to be told, within this time.
    Farewell(CloseFrame, Duration),
}

impl From<Error> for Ended {
    fn from(_: Error) -> Self {
        Self::Gone
    }
}

/// Serves a page from the handshake on, until it goes or `ending` has come.
pub async fn serve(connection: Upgraded, mut feed: Feed, ending: impl Future<Output = ()>) {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MESSAGE))
        .max_frame_size(Some(MESSAGE))
        .read_buffer_size(16 << 10)
        .write_buffer_size(0);
    let connection = TokioIo::new(connection);
    let mut socket = Socket::from_raw_socket(connection, Role::Server, Some(config)).await;
    let ended = select! {
        ended = exchange(&mut socket, &mut feed) => ended,
        () = ending => rest(&mut socket, &mut feed).await,
    };
    // Another page may write from now on.
    drop(feed);
    if let Ended::Farewell(frame, limit) = ended {
        let _ = timeout(limit, close(&mut socket, frame)).await;
    }
}

/// Sends and receives until there is an end to it.
async fn exchange(socket: &mut Socket, feed: &mut Feed) -> Ended {
    loop {
        let done = select! {
            next = feed.next() => send_next(socket, feed, next).await,
            message = socket.next() => receive(socket, feed, message).await,
        };
        if let Err(ended) = done {
            return ended;
        }
    }
}

async fn send_next(socket: &mut Socket, feed: &Feed, next: Next) -> Result<(), Ended> {
    match next {
        Next::Out(out) => send(socket, feed, message(out)).await,
        Next::TooSlow => Err(too_slow()),
        Next::Broken(sentence) => Err(farewell(BROKEN.into(), &sentence, FAREWELL)),
    }
}

/// Sends a message, unless the page takes so little that its queue runs over meanwhile.
async fn send(socket: &mut Socket, feed: &Feed, message: Message) -> Result<(), Ended> {
    select! {
        sent = socket.send(message) => Ok(sent?),
        () = feed.runs_over() => Err(too_slow()),
    }
}

/// Takes in a message of the page.
async fn receive(
    socket: &mut Socket,
    feed: &mut Feed,
    message: Option<Result<Message, Error>>,
) -> Result<(), Ended> {
    let taken = match message.ok_or(Ended::Gone)?? {
        Message::Binary(bytes) => feed.take_bytes(bytes),
        Message::Text(text) => match serde_json::from_str::<FromPage>(&text) {
            Ok(command) => feed.take_command(command),
            Err(_) => Taken::Refused(
                "this page and `qpuscope web` are of different versions; load the page again"
                    .into(),
            ),
        },
        _ => Taken::Yes,
    };
    match taken {
        Taken::Yes => Ok(()),
        Taken::Refused(sentence) => {
            let refused = Message::text(ToPage::Refused { sentence }.text());
            send(socket, feed, refused).await
        }
    }
}

/// Sends what waits for a page when everything ends: nothing comes after it.
async fn rest(socket: &mut Socket, feed: &mut Feed) -> Ended {
    let all = async {
        while let Some(out) = feed.waiting() {
            socket.send(message(out)).await?;
        }
        Ok::<(), Error>(())
    };
    if let Ok(Err(error)) = timeout(REST, all).await {
        return error.into();
    }
    let sentence = "`qpuscope web` has ended; start it again and open its address";
    farewell(CloseCode::Away, sentence, FAREWELL)
}

/// Says farewell and waits until the page has taken it.
async fn close(socket: &mut Socket, frame: CloseFrame) -> Result<(), Error> {
    socket.close(Some(frame)).await?;
    // Messages before the page's own farewell are thrown away.
    while let Some(message) = socket.next().await {
        message?;
    }
    Ok(())
}

fn message(out: Out) -> Message {
    match out {
        Out::Bytes(bytes) => Message::Binary(bytes),
        Out::Text(text) => Message::text(text),
    }
}

fn too_slow() -> Ended {
    let sentence = "this tab took the line's bytes too slowly and missed some; keep it in front";
    farewell(TOO_SLOW.into(), sentence, FAREWELL_OF_SLOW)
}

/// A farewell. Its sentence may have 123 bytes.
fn farewell(code: CloseCode, sentence: &str, limit: Duration) -> Ended {
    let frame = CloseFrame {
        code,
        reason: sentence[..sentence.floor_char_boundary(123)].into(),
    };
    Ended::Farewell(frame, limit)
}
