//! The source of what a page is sent: its seat at the hub of a line, or a recording of its own.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Instant;

use tungstenite::Bytes;

use super::control::{FromPage, Source, ToPage, is_rate, is_speed};
use super::hub::{LOOK, Next, Out, Seat, TAKES_NOTHING, Taken};
use super::line_queue::ToLine;
use super::player::{Played, Player};

/// A source for one page.
pub enum Feed {
    /// A line that all pages share.
    Line(Seat),
    /// A recording that this page has from its beginning.
    Recording(Box<Recording>),
}

/// A recording that a page is shown.
pub struct Recording {
    player: Player,
    /// The messages before the next bytes.
    hello: Option<String>,
    has_ended: bool,
}

impl Feed {
    /// A recording from its beginning.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn recording(path: &Path, name: &str, speed: f64) -> std::io::Result<Self> {
        let hello = ToPage::Hello {
            name: name.to_owned(),
            source: Source::Recording,
            writer: false,
            speed: Some(speed),
        };
        Ok(Self::Recording(Box::new(Recording {
            player: Player::open(path, speed)?,
            hello: Some(hello.text()),
            has_ended: false,
        })))
    }

    /// The next thing for the page.
    pub fn next(&mut self) -> Next {
        match self {
            Self::Line(seat) => {
                drain(&seat.woken);
                seat.next()
            }
            Self::Recording(recording) => recording.next(),
        }
    }

    /// Returns whether things were thrown away because the page took too little.
    #[must_use]
    pub fn is_too_slow(&self) -> bool {
        matches!(self, Self::Line(seat) if seat.is_too_slow())
    }

    /// Takes bytes of the page.
    pub fn take_bytes(&mut self, bytes: Bytes) -> Taken {
        match self {
            Self::Line(seat) => seat.send(ToLine::Bytes(bytes)),
            Self::Recording(_) => Taken::Refused(TAKES_NOTHING.into()),
        }
    }

    /// Carries out a command of the page.
    pub fn take_command(&mut self, command: FromPage) -> Taken {
        match (self, command) {
            (Self::Line(seat), FromPage::Baud { rate }) if is_rate(rate) => {
                seat.send(ToLine::Baud(rate))
            }
            (Self::Line(_), FromPage::Baud { .. }) => {
                Taken::Refused("that is no rate of a board; choose 9600 to 4000000".into())
            }
            (Self::Recording(recording), FromPage::Speed { factor }) if is_speed(factor) => {
                recording.player.set_speed(factor, Instant::now());
                Taken::Yes
            }
            (Self::Recording(_), FromPage::Speed { .. }) => Taken::Refused(
                "that is no speed; choose 0.001 to 1000000 times the recording's own, or 0 for no wait"
                    .into(),
            ),
            (Self::Recording(_), FromPage::Baud { .. }) => {
                Taken::Refused("a recording has no rate to change; choose a speed instead".into())
            }
            (Self::Line(_), FromPage::Speed { .. }) => Taken::Refused(
                "a live line has no speed to change; start `qpuscope web` with a recording for that"
                    .into(),
            ),
        }
    }

    /// The end of a pipe that is readable when something has come for the page.
    #[must_use]
    pub fn woken(&self) -> Option<&UnixStream> {
        match self {
            Self::Line(seat) => Some(&seat.woken),
            Self::Recording(_) => None,
        }
    }
}

impl Recording {
    fn next(&mut self) -> Next {
        if let Some(hello) = self.hello.take() {
            return Next::Out(Out::Text(hello));
        }
        match self.player.next(Instant::now()) {
            Ok(Played::Bytes(bytes)) => Next::Out(Out::Bytes(bytes.into())),
            Ok(Played::Wait(wait)) => Next::Wait(wait.min(LOOK)),
            Ok(Played::End) if self.has_ended => Next::Wait(LOOK),
            Ok(Played::End) => {
                self.has_ended = true;
                Next::Out(Out::Text(ToPage::End.text()))
            }
            Err(error) => Next::Broken(format!(
                "the recording cannot be read further: {error}; check the disk"
            )),
        }
    }
}

/// Takes wake-ups away, so that only later ones show.
fn drain(mut woken: &UnixStream) {
    let mut buffer = [0; 64];
    while woken
        .read(&mut buffer)
        .is_ok_and(|count| count == buffer.len())
    {}
}
