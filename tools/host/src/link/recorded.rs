//! Recorded bytes: a file, or standard input. One way only, and no time passes.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use super::{Link, Received};
use common::failure::{Failure, Result};
use common::files::input;
use common::say;

/// Bytes that were recorded, or that another program pipes in.
pub struct Recorded {
    name: String,
    opened: Instant,
    chunks: Receiver<std::io::Result<Vec<u8>>>,
    /// Bytes of a chunk that the last read had no room for.
    rest: Vec<u8>,
}

impl Recorded {
    /// The bytes of a file.
    pub fn file(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|error| Failure::reading(path, &error))?;
        Ok(Self::from(say::path(path), || Ok(file)))
    }

    /// The bytes of a named pipe, as soon as a process writes to it.
    pub fn pipe(path: &Path) -> Self {
        let place = path.to_owned();
        Self::from(say::path(path), move || input::open(&place))
    }

    /// The bytes of standard input, as they come.
    pub fn standard_input() -> Self {
        Self::from("standard input".to_owned(), || Ok(std::io::stdin()))
    }

    /// A thread opens and reads, so that a wait for a silent pipe can end.
    fn from<R: Read>(
        name: String,
        open: impl FnOnce() -> std::io::Result<R> + Send + 'static,
    ) -> Self {
        let (sender, chunks) = sync_channel(4);
        std::thread::spawn(move || {
            let mut source = match open() {
                Ok(source) => source,
                Err(error) => {
                    let _ = sender.send(Err(error));
                    return;
                }
            };
            let mut buffer = vec![0; 65_536];
            loop {
                let chunk = match source.read(&mut buffer) {
                    Ok(0) => return,
                    Ok(count) => Ok(buffer[..count].to_vec()),
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let failed = chunk.is_err();
                if sender.send(chunk).is_err() || failed {
                    return;
                }
            }
        });
        Self {
            name,
            opened: Instant::now(),
            chunks,
            rest: vec![],
        }
    }
}

impl Link for Recorded {
    fn read(&mut self, out: &mut [u8], wait: Duration) -> Result<Received> {
        if self.rest.is_empty() {
            match self.chunks.recv_timeout(wait) {
                Ok(Ok(chunk)) => self.rest = chunk,
                Ok(Err(error)) => {
                    return Err(Failure::link(format!(
                        "{} cannot be read further: {error}; check the disk or the program before the pipe",
                        self.name
                    )));
                }
                Err(RecvTimeoutError::Timeout) => return Ok(Received::Nothing),
                Err(RecvTimeoutError::Disconnected) => return Ok(Received::End),
            }
        }
        let count = out.len().min(self.rest.len());
        out[..count].copy_from_slice(&self.rest[..count]);
        self.rest.drain(..count);
        Ok(Received::Bytes(count))
    }

    fn write(&mut self, _: &[u8]) -> Result<()> {
        Err(Failure::usage(format!(
            "{} is a recording and cannot be sent anything; name a live port with --port",
            self.name
        )))
    }

    fn set_baud(&mut self, _: u32) -> Result<()> {
        Ok(())
    }

    fn description(&self) -> String {
        self.name.clone()
    }

    fn now(&self) -> Duration {
        self.opened.elapsed()
    }

    fn is_live(&self) -> bool {
        false
    }

    fn has_baud(&self) -> bool {
        false
    }
}
