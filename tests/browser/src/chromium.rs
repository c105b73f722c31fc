//! Chromium as a child process, and the socket to it.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::Page;

/// A sentence that says what went wrong.
pub type Error = String;
/// A result whose error is a sentence.
pub type Result<T> = std::result::Result<T, Error>;

/// Time for Chromium to start; seconds on a machine that compiles beside it.
const START: Duration = Duration::from_secs(60);
/// Time for an answer to a command.
const ANSWER: Duration = Duration::from_secs(60);

/// A Chromium of its own, with a new profile; it ends with this value.
pub struct Browser {
    connection: Rc<RefCell<Connection>>,
    _child: Running,
    _profile: tempfile::TempDir,
}

/// The socket that all tabs of a browser share.
pub(crate) struct Connection {
    socket: WebSocket<TcpStream>,
    id: u64,
    events: VecDeque<Value>,
}

impl Browser {
    /// Starts the Chromium `program` with `extra` arguments.
    ///
    /// # Errors
    /// When it does not start, or does not answer in time.
    pub fn start(program: &Path, extra: &[&str]) -> Result<Self> {
        let profile = tempfile::tempdir().map_err(|error| error.to_string())?;
        let child = Command::new(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu"])
            .args(["--disable-quic", "--no-first-run", "--disable-sync"])
            .args(["--disable-background-networking"])
            .args(["--disable-component-update", "--remote-debugging-port=0"])
            // Pages that no window shows would have their timers held back.
            .args(["--disable-background-timer-throttling"])
            .args(["--disable-renderer-backgrounding"])
            .args(["--disable-backgrounding-occluded-windows"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .args(extra)
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{} does not start: {error}", program.display()))?;
        let child = Running(child);
        let (port, path) = address(profile.path())?;
        let stream = TcpStream::connect(("127.0.0.1", port)).map_err(|error| error.to_string())?;
        stream
            .set_read_timeout(Some(ANSWER))
            .map_err(|error| error.to_string())?;
        let url = format!("ws://127.0.0.1:{port}{path}");
        let (socket, _) = tungstenite::client(url, stream).map_err(|error| error.to_string())?;
        let connection = Connection {
            socket,
            id: 0,
            events: VecDeque::new(),
        };
        Ok(Self {
            connection: Rc::new(RefCell::new(connection)),
            _child: child,
            _profile: profile,
        })
    }

    /// Opens a tab at `url`, as large as a desktop's.
    ///
    /// # Errors
    /// When Chromium refuses.
    pub fn open(&self, url: &str) -> Result<Page> {
        let call = |method, parameters| self.connection.borrow_mut().call(None, method, parameters);
        let made = call("Target.createTarget", json!({"url": "about:blank"}))?;
        let target = made["targetId"].as_str().unwrap_or_default().to_owned();
        let parameters = json!({"targetId": target, "flatten": true});
        let session = call("Target.attachToTarget", parameters)?;
        let session = session["sessionId"].as_str().unwrap_or_default().to_owned();
        let page = Page::new(Rc::clone(&self.connection), session, target);
        page.begin(url)?;
        Ok(page)
    }
}

impl Connection {
    /// Sends a command and waits for its answer; events that come before it are kept.
    ///
    /// # Errors
    /// When Chromium refuses or does not answer in time.
    pub fn call(
        &mut self,
        session: Option<&str>,
        method: &str,
        parameters: Value,
    ) -> Result<Value> {
        self.id += 1;
        let mut command = json!({"id": self.id, "method": method, "params": parameters});
        if let Some(session) = session {
            command["sessionId"] = session.into();
        }
        let text = command.to_string();
        let failed = |error: tungstenite::Error| format!("{method}: {error}");
        self.socket.send(Message::text(text)).map_err(failed)?;
        let deadline = Instant::now() + ANSWER;
        while Instant::now() < deadline {
            let Message::Text(text) = self.socket.read().map_err(failed)? else {
                continue;
            };
            let mut heard: Value =
                serde_json::from_str(&text).map_err(|error| error.to_string())?;
            if heard["id"] != self.id {
                self.events.push_back(heard);
            } else if heard["error"].is_null() {
                return Ok(heard["result"].take());
            } else {
                return Err(format!("{method}: {}", heard["error"]["message"]));
            }
        }
        Err(format!("{method}: no answer in {} s", ANSWER.as_secs()))
    }

    /// Takes the events of one session that have come with answers so far.
    pub(crate) fn take_events(&mut self, session: &str) -> Vec<Value> {
        let (own, others): (VecDeque<_>, VecDeque<_>) = std::mem::take(&mut self.events)
            .into_iter()
            .partition(|event| event["sessionId"] == session);
        self.events = others;
        own.into()
    }
}

/// A process that ends with this value.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended already is what is wanted.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Port and path of the socket, which Chromium writes into its profile.
fn address(profile: &Path) -> Result<(u16, String)> {
    let deadline = Instant::now() + START;
    while Instant::now() < deadline {
        let text = fs::read_to_string(profile.join("DevToolsActivePort")).unwrap_or_default();
        if let Some((port, path)) = text.split_once('\n')
            && let Ok(port) = port.parse()
            && path.starts_with('/')
        {
            return Ok((port, path.trim().to_owned()));
        }
        thread::sleep(Duration::from_millis(20));
    }
    Err(format!(
        "Chromium did not start within {} s",
        START.as_secs()
    ))
}
