//! A line over TCP: `qpuscope sim --line tcp:…`, QEMU's chardev, or a serial server.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt;

use super::{Link, Received};
use common::failure::{Failure, Result};

/// The time that a connection may take to be made, and a write to be taken.
const LIMIT: Duration = Duration::from_secs(5);

/// Bytes that the kernel keeps for the other side, of a caller that asks for room.
const SEND_BUFFER: usize = 16 << 10;

/// A connected line.
pub struct TcpLink {
    address: String,
    stream: TcpStream,
    opened: Instant,
}

impl TcpLink {
    /// Connects to `HOST:PORT`.
    pub fn connect(address: &str) -> Result<Self> {
        let addresses = address.to_socket_addrs().map_err(|error| {
            Failure::usage(format!(
                "`tcp:{address}` is no address ({error}); write tcp:HOST:PORT, for example tcp:localhost:5555"
            ))
        })?;
        let mut last = None;
        for each in addresses {
            match TcpStream::connect_timeout(&each, LIMIT) {
                Ok(stream) => return Self::from_stream(address, stream),
                Err(error) => last = Some(error),
            }
        }
        let why = last.map_or_else(
            || "the name has no address".to_owned(),
            |error| error.to_string(),
        );
        Err(Failure::no_device(format!(
            "nobody answers at tcp:{address} ({why}); start the other side first, for example with \
             `qpuscope sim IMAGE --line tcp:{address}`"
        )))
    }

    fn from_stream(address: &str, stream: TcpStream) -> Result<Self> {
        let set_up = || {
            stream.set_nodelay(true)?;
            stream.set_write_timeout(Some(LIMIT))
        };
        set_up().map_err(|error| Failure::link(format!("tcp:{address}: {error}; try again")))?;
        Ok(Self {
            address: address.to_owned(),
            stream,
            opened: Instant::now(),
        })
    }

    fn broke(&self, error: &std::io::Error) -> Failure {
        Failure::link(format!(
            "the line tcp:{} broke: {error}; check the other side and start again",
            self.address
        ))
    }
}

impl Link for TcpLink {
    fn read(&mut self, out: &mut [u8], wait: Duration) -> Result<Received> {
        let wait = wait.max(Duration::from_millis(1));
        let set = self.stream.set_read_timeout(Some(wait));
        set.map_err(|error| self.broke(&error))?;
        match self.stream.read(out) {
            Ok(0) => Ok(Received::End),
            Ok(count) => Ok(Received::Bytes(count)),
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => {
                    Ok(Received::Nothing)
                }
                _ => Err(self.broke(&error)),
            },
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = self.stream.write_all(bytes);
        written.map_err(|error| self.broke(&error))
    }

    fn room(&mut self) -> usize {
        // A caller that asks can wait, so the kernel need not keep megabytes, which a slow board
        // has in minutes. Where it keeps them all the same, they are only late.
        let _ = sockopt::set_socket_send_buffer_size(&self.stream, SEND_BUFFER);
        let mut watched = [PollFd::new(&self.stream, PollFlags::OUT)];
        match poll(&mut watched, Some(&Timespec::default())) {
            Ok(0) => 0,
            // The write says what is wrong.
            _ => usize::MAX,
        }
    }

    /// The other side of a TCP line has the UART; nothing to set here.
    fn set_baud(&mut self, _: u32) -> Result<()> {
        Ok(())
    }

    fn description(&self) -> String {
        format!("tcp:{}", self.address)
    }

    fn now(&self) -> Duration {
        self.opened.elapsed()
    }

    fn has_baud(&self) -> bool {
        false
    }
}
