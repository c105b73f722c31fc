//! The line of a virtual Pi over TCP.
//!
//! One host at a time; the next may come when it has gone, and is sent away before. A host has gone
//! when it closes its side, whatever it had sent: of that the line's buffer takes what it has room
//! for, and the next host finds none of it. A host that has gone without a word, with its computer
//! or its network, is noticed by the kernel: it asks a silent one whether it is there, and gives up
//! on one that takes nothing.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt;

use super::{FarEnd, LINE_BUFFER, LineInput};

/// Silence after which a host is asked whether it is there.
const SILENCE: Duration = Duration::from_secs(15);
/// Time between two questions.
const AGAIN: Duration = Duration::from_secs(5);
/// Questions without an answer after which it has gone.
const QUESTIONS: u32 = 3;
/// The time that a host may take nothing of what the board sends, as one that is stopped does.
const DEAF_MS: u32 = 120_000;
/// Bytes that are read ahead at the most, more than the kernel keeps for a host.
const AHEAD: usize = 1 << 20;
/// The time in which more bytes come of a host that has closed its side behind them.
const MORE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 20_000_000,
};

/// A listening socket, and the host that has the line.
pub struct TcpLine {
    listener: TcpListener,
    peer: Option<TcpStream>,
    /// What it sent, as far as it was read before the board has room for it.
    ahead: VecDeque<u8>,
}

impl TcpLine {
    /// Listens at `ADDRESS:PORT`; where that is in the end is the second value.
    pub fn listen(address: &str) -> std::io::Result<(Self, SocketAddr)> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        // Connections inherit it: the kernel's own buffer would hold megabytes.
        sockopt::set_socket_recv_buffer_size(&listener, LINE_BUFFER)?;
        let at = listener.local_addr()?;
        let line = Self {
            listener,
            peer: None,
            ahead: VecDeque::new(),
        };
        Ok((line, at))
    }

    /// A host comes, if one waits.
    fn accept(&mut self) -> std::io::Result<bool> {
        match self.listener.accept() {
            Ok((peer, _)) => Ok(self.take_up(peer)),
            Err(error) if is_passing(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Gives the line to a host; reports if that worked.
    fn take_up(&mut self, peer: TcpStream) -> bool {
        self.ahead.clear();
        self.peer = prepare(&peer).is_ok().then_some(peer);
        self.peer.is_some()
    }

    /// Closes another connection: a host that waits while another one has the line would take the
    /// silence for a broken board. If that one has gone meanwhile, the other gets the line; reports
    /// if it did.
    fn send_others_away(&mut self) -> bool {
        let Ok((other, _)) = self.listener.accept() else {
            return false;
        };
        if self.has_gone_behind_its_bytes() {
            return self.take_up(other);
        }
        common::say::remark!("a second host was sent away: another one has the line");
        false
    }

    /// Reads ahead; reports if the host has closed its side. That does not show while what it had
    /// sent fills the connection.
    fn has_gone_behind_its_bytes(&mut self) -> bool {
        let Some(peer) = &mut self.peer else {
            return true;
        };
        let mut buffer = [0; LINE_BUFFER];
        while self.ahead.len() < AHEAD {
            let mut watched = [PollFd::new(&*peer, PollFlags::IN | PollFlags::RDHUP)];
            if !matches!(poll(&mut watched, Some(&MORE)), Ok(1..)) {
                return false;
            }
            match peer.read(&mut buffer) {
                Ok(0) => return true,
                Ok(read) => self.ahead.extend(&buffer[..read]),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return true,
                Err(error) => return !is_passing(&error),
            }
        }
        false
    }
}

/// Returns whether nothing is wrong, or only with a host that gave up.
fn is_passing(error: &std::io::Error) -> bool {
    use ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted, WouldBlock};
    matches!(
        error.kind(),
        WouldBlock | Interrupted | ConnectionAborted | ConnectionReset
    )
}

/// Sets what the line needs of a connection.
fn prepare(peer: &TcpStream) -> std::io::Result<()> {
    peer.set_nonblocking(true)?;
    peer.set_nodelay(true)?;
    sockopt::set_socket_keepalive(peer, true)?;
    sockopt::set_tcp_keepidle(peer, SILENCE)?;
    sockopt::set_tcp_keepintvl(peer, AGAIN)?;
    sockopt::set_tcp_keepcnt(peer, QUESTIONS)?;
    sockopt::set_tcp_user_timeout(peer, DEAF_MS)?;
    Ok(())
}

/// Returns whether a host has closed its side, as far as it shows.
fn has_gone(peer: &TcpStream) -> bool {
    let gone = PollFlags::RDHUP | PollFlags::HUP | PollFlags::ERR;
    let mut watched = [PollFd::new(peer, PollFlags::RDHUP)];
    poll(&mut watched, Some(&Timespec::default())).is_ok() && watched[0].revents().intersects(gone)
}

impl FarEnd for TcpLine {
    fn take(&mut self, room: usize) -> std::io::Result<LineInput> {
        let Some(peer) = &mut self.peer else {
            return Ok(match self.accept()? {
                true => LineInput::NewHost,
                false => LineInput::Bytes(vec![]),
            });
        };
        let mut gone = has_gone(peer);
        let mut buffer = [0; LINE_BUFFER];
        let room = room.min(buffer.len());
        let mut count = 0;
        // No bytes would look like the end.
        if !self.ahead.is_empty() {
            count = room.min(self.ahead.len());
            for (byte, ahead) in buffer.iter_mut().zip(self.ahead.drain(..count)) {
                *byte = ahead;
            }
        } else if room > 0 {
            match peer.read(&mut buffer[..room]) {
                Ok(0) => gone = true,
                Ok(read) => count = read,
                Err(error) => {
                    gone |= !is_passing(&error) || error.kind() == ErrorKind::ConnectionReset
                }
            }
        }
        if gone {
            self.peer = None;
        } else if self.send_others_away() {
            return Ok(LineInput::NewHost);
        }
        Ok(LineInput::Bytes(buffer[..count].to_vec()))
    }

    fn give(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        if let Some(peer) = &mut self.peer
            && let Err(error) = peer.write_all(bytes)
            && error.kind() != ErrorKind::WouldBlock
        {
            self.peer = None;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_looks_after_hosts_that_go_without_a_word() {
        let (mut line, at) = TcpLine::listen("127.0.0.1:0").expect("a port");
        let _host = TcpStream::connect(at).expect("the line listens");
        while !line.accept().expect("the line listens") {
            std::thread::yield_now();
        }
        let peer = line.peer.expect("a host has come");
        assert_eq!(sockopt::socket_keepalive(&peer), Ok(true));
        assert_eq!(sockopt::tcp_keepidle(&peer), Ok(SILENCE));
        assert_eq!(sockopt::tcp_keepintvl(&peer), Ok(AGAIN));
        assert_eq!(sockopt::tcp_keepcnt(&peer), Ok(QUESTIONS));
        assert_eq!(sockopt::tcp_user_timeout(&peer), Ok(DEAF_MS));
    }
}
