//! A running `qpuscope web`, and requests to it.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tungstenite::client::IntoClientRequest;
use tungstenite::{Bytes, Error, Message, WebSocket};

/// The longest that anything may take.
const LIMIT: Duration = Duration::from_secs(20);

/// A folder with a page of three files.
pub fn page() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("web");
    std::fs::create_dir_all(folder.join("pkg")).expect("a folder");
    for (name, text) in [
        ("index.html", "<!doctype html><title>qpuscope</title>"),
        ("main.js", "export {};"),
        ("pkg/web_bg.wasm", "\0asm"),
    ] {
        std::fs::write(folder.join(name), text).expect("a file");
    }
    folder
}

/// The tool, with the page of these tests.
pub fn web(arguments: &[&str]) -> Command {
    let mut command = tests::tools::qpuscope();
    command.arg("web").args(arguments).arg("--page").arg(page());
    command
}

/// A server. Dropping it ends it.
pub struct Served {
    process: Child,
    /// `127.0.0.1:PORT`.
    pub host: String,
    /// Empty where there is no line.
    pub token: String,
}

impl Served {
    /// Starts `qpuscope web` and waits for its address.
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, Stdio::null())
    }

    /// Starts it with something on its standard input.
    pub fn start_with(arguments: &[&str], input: impl Into<Stdio>) -> Self {
        let mut process = web(arguments)
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("qpuscope starts");
        let mut address = String::new();
        BufReader::new(process.stdout.take().expect("a pipe"))
            .read_line(&mut address)
            .expect("its address");
        let rest = address.trim_end().strip_prefix("http://");
        let (host, rest) = rest
            .and_then(|rest| rest.split_once('/'))
            .expect("an address");
        let token = rest.strip_prefix("#token=").unwrap_or_default();
        Self {
            process,
            host: host.to_owned(),
            token: token.to_owned(),
        }
    }

    /// A connection to it.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).expect("the server listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a limit");
        stream
    }

    /// Sends bytes and reads the answer to its end.
    pub fn send(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(bytes).expect("the server listens");
        let mut answer = vec![];
        stream.read_to_end(&mut answer).expect("an answer");
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// The answer to a request for a path, with the right host and these lines.
    pub fn get(&self, path: &str, lines: &str) -> String {
        let host = &self.host;
        self.send(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{lines}\r\n").as_bytes())
    }

    /// The answer to the handshake of a WebSocket.
    pub fn handshake(&self, host: &str, origin: &str, token: &str) -> String {
        let mut stream = self.connect();
        let request = format!(
            "GET /line?token={token} HTTP/1.1\r\nHost: {host}\r\n{origin}Connection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream
            .write_all(request.as_bytes())
            .expect("the server listens");
        let mut answer = vec![];
        let mut reader = BufReader::new(stream);
        // A WebSocket stays open behind its head.
        while !answer.ends_with(b"\r\n\r\n")
            && reader.read_until(b'\n', &mut answer).expect("an answer") > 0
        {}
        if !answer.starts_with(b"HTTP/1.1 101") {
            reader.read_to_end(&mut answer).expect("a sentence");
        }
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// A page that is connected, and its greeting.
    pub fn open(&self) -> (Tab, Value) {
        self.try_open().expect("a WebSocket")
    }

    /// A page that is connected, once the server has room for it.
    pub fn open_soon(&self) -> (Tab, Value) {
        self.soon(|| self.try_open())
    }

    /// A page whose bytes reach the board, once the tab that wrote before is seen to have left.
    pub fn writer(&self) -> Tab {
        self.soon(|| {
            let (tab, hello) = self.try_open()?;
            (hello["writer"] == true).then_some(tab)
        })
    }

    /// Looks until something is there; fails when it is not in time.
    fn soon<T>(&self, mut look: impl FnMut() -> Option<T>) -> T {
        let until = Instant::now() + LIMIT;
        loop {
            if let Some(found) = look() {
                return found;
            }
            assert!(Instant::now() < until, "the server sees no tab leave");
        }
    }

    /// A page that is connected, and its greeting, if the server has room for it.
    pub fn try_open(&self) -> Option<(Tab, Value)> {
        let mut request = format!("ws://{}/line?token={}", self.host, self.token)
            .into_client_request()
            .expect("a request");
        let origin = format!("http://{}", self.host).parse().expect("a header");
        request.headers_mut().insert("Origin", origin);
        let (socket, _) = tungstenite::client(request, self.connect()).ok()?;
        let mut tab = Tab(socket);
        let hello = tab.text();
        assert_eq!(hello["kind"], "hello", "{hello}");
        Some((tab, hello))
    }

    /// Sends Ctrl-C and returns the status.
    pub fn interrupt(&mut self) -> Option<i32> {
        self.ask_to_end();
        self.ended()
    }

    /// Sends Ctrl-C.
    pub fn ask_to_end(&self) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status();
        assert!(sent.expect("kill runs").success());
    }

    /// The status when it has ended.
    pub fn ended(&mut self) -> Option<i32> {
        self.process.wait().expect("it ends").code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A page that is connected.
pub struct Tab(WebSocket<TcpStream>);

impl Tab {
    /// The next message.
    pub fn next(&mut self) -> Message {
        self.0.read().expect("a message in time")
    }

    /// The next message beside the bytes.
    pub fn text(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.next() {
                return serde_json::from_str(&text).expect("JSON");
            }
        }
    }

    /// The sentence of the next refusal, whatever comes before it.
    pub fn refusal(&mut self) -> String {
        loop {
            let text = self.text();
            if text["kind"] == "refused" {
                return text["sentence"].to_string();
            }
        }
    }

    /// Bytes of the line until there are so many; fails for anything else.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = vec![];
        while bytes.len() < count {
            match self.next() {
                Message::Binary(piece) => bytes.extend_from_slice(&piece),
                other => panic!("{other:?} after {} bytes", bytes.len()),
            }
        }
        bytes
    }

    /// The code and the sentence of the farewell, whatever comes before it.
    pub fn farewell(&mut self) -> (u16, String) {
        let until = Instant::now() + LIMIT;
        while Instant::now() < until {
            if let Message::Close(Some(frame)) = self.next() {
                return (frame.code.into(), frame.reason.to_string());
            }
        }
        panic!("no farewell");
    }

    /// Returns whether the connection ends in time, with a farewell or without.
    pub fn is_closed(&mut self) -> bool {
        loop {
            match self.0.read() {
                Ok(_) => {}
                Err(Error::Io(error)) => return error.kind() != ErrorKind::WouldBlock,
                Err(_) => return true,
            }
        }
    }

    /// Sends bytes for the board.
    pub fn send(&mut self, bytes: &[u8]) {
        let message = Message::Binary(Bytes::copy_from_slice(bytes));
        self.0.send(message).expect("the server listens");
    }

    /// Sends a message beside the bytes.
    pub fn say(&mut self, text: &str) {
        self.0
            .send(Message::text(text))
            .expect("the server listens");
    }
}
