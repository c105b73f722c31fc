//! Requests over HTTP, as far as a page's files and a WebSocket need them.
//!
//! The head of a request is bounded in bytes, in lines and in time, and nothing else of a request
//! is read.

use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use tungstenite::http::{Method, Request, Version, header};

/// The time in which a request has to be there.
pub const LIMIT: Duration = Duration::from_secs(5);
/// The most bytes of its head.
const HEAD: usize = 8 << 10;
/// The most lines of its head.
const LINES: usize = 64;

/// A status and the sentence that goes with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The status, as HTTP numbers it.
    pub status: u16,
    /// The reason and the remedy.
    pub sentence: String,
}

impl Refusal {
    /// A refusal with its sentence.
    pub fn new(status: u16, sentence: impl Into<String>) -> Self {
        Self {
            status,
            sentence: sentence.into(),
        }
    }
}

/// Reads the head of a request; with it come the bytes that followed it.
///
/// # Errors
/// When it is too long, too late or no request; nothing to say when the other side has gone.
pub fn read(stream: &mut TcpStream) -> Result<(Request<()>, Vec<u8>), Option<Refusal>> {
    let until = Instant::now() + LIMIT;
    let mut bytes = vec![];
    let mut buffer = [0; 2048];
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Some(Refusal::new(
                408,
                "the request came too slowly; send it again",
            )));
        }
        let set = stream.set_read_timeout(Some(left));
        let count = match set.and_then(|()| stream.read(&mut buffer)) {
            Ok(0) => return Err(None),
            Ok(count) => count,
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => continue,
                _ => return Err(None),
            },
        };
        bytes.extend_from_slice(&buffer[..count]);
        match parse(&bytes).map_err(Some)? {
            Some((request, length)) => return Ok((request, bytes.split_off(length))),
            None if bytes.len() < HEAD => {}
            None => return Err(Some(too_large())),
        }
    }
}

fn too_large() -> Refusal {
    Refusal::new(
        431,
        "the head of the request is longer than 8 KiB or 64 lines; delete this site's cookies",
    )
}

fn malformed() -> Refusal {
    Refusal::new(
        400,
        "that is no request of HTTP/1.1; open the address in a browser",
    )
}

/// A request and the length of its head, when all of it is there.
fn parse(bytes: &[u8]) -> Result<Option<(Request<()>, usize)>, Refusal> {
    let mut lines = [httparse::EMPTY_HEADER; LINES];
    let mut raw = httparse::Request::new(&mut lines);
    let length = match raw.parse(bytes) {
        Ok(httparse::Status::Complete(length)) if length <= HEAD => length,
        Ok(httparse::Status::Complete(_)) | Err(httparse::Error::TooManyHeaders) => {
            return Err(too_large());
        }
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(malformed()),
    };
    let (Some(method), Some(path), Some(1)) = (raw.method, raw.path, raw.version) else {
        return Err(malformed());
    };
    // Only a proxy is asked for a whole address.
    if !path.starts_with('/') {
        return Err(malformed());
    }
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .version(Version::HTTP_11);
    for line in raw.headers.iter() {
        request = request.header(line.name, line.value);
    }
    let request = request.body(()).map_err(|_| malformed())?;
    Ok(Some((request, length)))
}

/// Refuses methods that change something.
///
/// # Errors
/// For every method but GET and HEAD.
pub fn only_reads(request: &Request<()>) -> Result<(), Refusal> {
    match *request.method() {
        Method::GET | Method::HEAD => Ok(()),
        _ => Err(Refusal::new(
            405,
            "only GET and HEAD are answered here; open the address in a browser",
        )),
    }
}

/// The only value of a header in plain ASCII; none when it is absent or there are several.
#[must_use]
pub fn only<'a>(request: &'a Request<()>, name: &header::HeaderName) -> Option<&'a str> {
    let mut values = request.headers().get_all(name).iter();
    let (value, others) = (values.next()?, values.next());
    others.is_none().then(|| value.to_str().ok())?
}

/// The value of a word of the query.
#[must_use]
pub fn query<'a>(request: &'a Request<()>, name: &str) -> Option<&'a str> {
    let mut words = request.uri().query()?.split('&');
    words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_with_what_it_names() {
        let text =
            b"GET /line?a=1&token=ff HTTP/1.1\r\nHost: localhost:1\r\nX: 1\r\nX: 2\r\n\r\nrest";
        let (request, length) = parse(text).expect("a request").expect("all of it");
        assert_eq!(&text[length..], b"rest");
        assert_eq!(request.uri().path(), "/line");
        assert_eq!(query(&request, "token"), Some("ff"));
        assert_eq!(query(&request, "tok"), None);
        assert_eq!(only(&request, &header::HOST), Some("localhost:1"));
        assert_eq!(only(&request, &header::HeaderName::from_static("x")), None);
    }

    #[test]
    fn heads_that_are_none_or_too_long_are_refused() {
        let status = |text: &[u8]| {
            parse(text)
                .map(|_| 200)
                .unwrap_or_else(|refusal| refusal.status)
        };
        assert_eq!(status(b"\x16\x03\x01\x02\x00\x01\x00\x01"), 400);
        assert_eq!(status(b"GET http://evil.example/ HTTP/1.1\r\n\r\n"), 400);
        assert_eq!(status(b"GET / HTTP/1.0\r\n\r\n"), 400);
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(65));
        assert_eq!(status(many.as_bytes()), 431);
        let long = format!("GET / HTTP/1.1\r\na: {}\r\n\r\n", "b".repeat(HEAD));
        assert_eq!(status(long.as_bytes()), 431);
    }

    #[test]
    fn any_bytes_are_survived() {
        let corpus = [
            b"GET /line?token=ff HTTP/1.1\r\nHost: localhost:1\r\nOrigin: null\r\n\r\n".to_vec(),
            b"HEAD /a.js HTTP/1.1\r\nHost: 127.0.0.1\r\n X\r\n\r\n".to_vec(),
        ];
        let mut random = ::tests::mutate::Random::new(::tests::seed());
        let mut read = 0;
        for _ in 0..20_000 {
            let bytes = ::tests::mutate::input(&corpus, &mut random);
            if let Ok(Some((request, length))) = parse(&bytes) {
                assert!(length <= HEAD && request.uri().path().starts_with('/'));
                read += 1;
            }
        }
        assert!(read > 100, "only {read} were requests");
    }
}
