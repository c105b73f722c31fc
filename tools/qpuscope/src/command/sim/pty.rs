//! The line of a virtual Pi on a pseudo-terminal.

use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pty::OpenptFlags;

use super::{FarEnd, LINE_BUFFER, LineInput};

/// The master side of a pseudo-terminal, not blocking.
pub struct PtyLine {
    master: OwnedFd,
}

impl PtyLine {
    /// A new one, and the path of its other side.
    pub fn open() -> std::io::Result<(Self, String)> {
        let master =
            rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        rustix::pty::grantpt(&master)?;
        rustix::pty::unlockpt(&master)?;
        let path = rustix::pty::ptsname(&master, vec![])?
            .to_string_lossy()
            .into_owned();
        // Opening the other side once makes it raw, and lets its absence show as a hang-up from
        // then on.
        let other = rustix::fs::open(
            path.as_str(),
            OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC,
            Mode::empty(),
        )?;
        let mut raw = rustix::termios::tcgetattr(&other)?;
        raw.make_raw();
        rustix::termios::tcsetattr(&other, rustix::termios::OptionalActions::Now, &raw)?;
        let flags = rustix::fs::fcntl_getfl(&master)?;
        rustix::fs::fcntl_setfl(&master, flags | OFlags::NONBLOCK)?;
        Ok((Self { master }, path))
    }

    fn has_listener(&self) -> bool {
        let mut watched = [PollFd::new(&self.master, PollFlags::empty())];
        match poll(&mut watched, Some(&Timespec::default())) {
            Ok(_) => !watched[0].revents().contains(PollFlags::HUP),
            Err(_) => true,
        }
    }
}

impl FarEnd for PtyLine {
    fn take(&mut self, room: usize) -> std::io::Result<LineInput> {
        let mut buffer = [0; LINE_BUFFER];
        let room = room.min(buffer.len());
        match rustix::io::read(&self.master, &mut buffer[..room]) {
            Ok(count) => Ok(LineInput::Bytes(buffer[..count].to_vec())),
            // EIO: nobody has the other side open.
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::IO | rustix::io::Errno::INTR) => {
                Ok(LineInput::Bytes(vec![]))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn give(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        if !self.has_listener() {
            return Ok(());
        }
        match rustix::io::write(&self.master, bytes) {
            // What a slow reader has no room for is lost, as in a UART.
            Ok(_)
            | Err(rustix::io::Errno::AGAIN | rustix::io::Errno::IO | rustix::io::Errno::INTR) => {
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }
}
