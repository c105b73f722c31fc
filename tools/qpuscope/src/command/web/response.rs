//! Answers over HTTP: the files of the page, and refusals in one sentence.

use std::fmt::Write as _;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use tungstenite::http::StatusCode;

use super::gate::Gate;
use super::request::Refusal;

/// The time in which an answer has to be taken.
const LIMIT: Duration = Duration::from_secs(30);
/// The time in which the rest of a request is read and thrown away, so that the answer to it does
/// not get lost.
const REST: Duration = Duration::from_millis(500);

/// An answer.
pub struct Answer<'a> {
    /// The status, as HTTP numbers it.
    pub status: u16,
    /// The media type of its body.
    pub media_type: &'static str,
    /// The number of bytes of its body.
    pub length: u64,
    /// The body, where it is wanted.
    pub body: Option<&'a mut dyn Read>,
}

/// Sends an answer and ends the connection.
pub fn send(stream: &mut TcpStream, gate: &Gate, answer: Answer<'_>) {
    // A browser that has gone needs no answer.
    if send_within(stream, gate, answer).is_ok() {
        finish(stream);
    }
}

/// Sends the sentence of a refusal.
pub fn refuse(stream: &mut TcpStream, gate: &Gate, refusal: &Refusal) {
    let text = format!("{}\n", refusal.sentence);
    let answer = Answer {
        status: refusal.status,
        media_type: "text/plain; charset=utf-8",
        length: text.len() as u64,
        body: Some(&mut text.as_bytes()),
    };
    send(stream, gate, answer);
}

fn send_within(stream: &mut TcpStream, gate: &Gate, answer: Answer<'_>) -> std::io::Result<()> {
    let until = Instant::now() + LIMIT;
    write(stream, head(gate, &answer).as_bytes(), until)?;
    let Some(body) = answer.body else {
        return Ok(());
    };
    // No more than was said, if the file has grown.
    let mut body = body.take(answer.length);
    let mut buffer = [0; 16 << 10];
    loop {
        match body.read(&mut buffer)? {
            0 => return Ok(()),
            count => write(stream, &buffer[..count], until)?,
        }
    }
}

fn write(stream: &mut TcpStream, mut bytes: &[u8], until: Instant) -> std::io::Result<()> {
    while !bytes.is_empty() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.set_write_timeout(Some(left))?;
        match stream.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The lines before the body. The policy is that of the page itself, with the port of this server
/// alone, and with what a page cannot say of itself.
fn head(gate: &Gate, answer: &Answer<'_>) -> String {
    let [first, second] = gate.hosts();
    let status = StatusCode::from_u16(answer.status).ok();
    let reason = status.and_then(|status| status.canonical_reason());
    let mut head = format!(
        "HTTP/1.1 {} {}\r\n",
        answer.status,
        reason.unwrap_or_default()
    );
    let _ = write!(
        head,
        "Content-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\nCache-Control: no-store\r\n\
         Content-Security-Policy: default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
         img-src 'self' blob: data:; connect-src 'self' ws://{first} ws://{second}; worker-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n",
        answer.media_type, answer.length
    );
    head += match answer.status {
        405 => "Allow: GET, HEAD\r\n\r\n",
        426 => "Upgrade: websocket\r\n\r\n",
        _ => "\r\n",
    };
    head
}

/// Ends a connection so that the other side reads the answer first: bytes of its request that
/// nobody reads would have the kernel reset it.
fn finish(stream: &mut TcpStream) {
    let _ = stream.shutdown(Shutdown::Write);
    let until = Instant::now() + REST;
    let mut buffer = [0; 4096];
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return;
        }
        if !matches!(stream.read(&mut buffer), Ok(1..)) {
            return;
        }
    }
}
