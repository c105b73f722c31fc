//! The page, served by `qpuscope web` as a user would.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::Result;

/// Time for the server to say its address.
const START: Duration = Duration::from_secs(60);

/// `qpuscope web` as a child process; it ends with this value.
pub struct Served {
    child: Child,
    /// The address that it printed, token and all.
    pub url: String,
}

impl Served {
    /// Serves the folder `page` by the program `host`, with further arguments: a port, a recording.
    ///
    /// # Errors
    /// When it does not start, with what it wrote.
    pub fn start(host: &Path, page: &Path, arguments: &[&str]) -> Result<Self> {
        let mut child = Command::new(host)
            .arg("web")
            .args(arguments)
            .arg("--page")
            .arg(page)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .map_err(|error| format!("{} does not start: {error}", host.display()))?;
        let stdout = child.stdout.take().ok_or("no standard output")?;
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(|line| line.ok()) {
                // The address has been read; what comes later has no reader.
                let _ = sender.send(line);
            }
        });
        let mut served = Self {
            child,
            url: String::new(),
        };
        while served.url.is_empty() {
            let line = receiver
                .recv_timeout(START)
                .map_err(|_| "qpuscope web printed no address".to_owned())?;
            let url = line
                .split_whitespace()
                .find(|word| word.starts_with("http://"));
            served.url = url.unwrap_or_default().to_owned();
        }
        Ok(served)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // One that has ended already is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
