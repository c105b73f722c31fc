//! The source of what a page is sent: its seat at the hub of a line, or a recording of its own.

use std::future;
use std::path::Path;
use std::time::Instant;

use axum::body::Bytes;
use tokio::time::sleep;

use super::control::{FromPage, Source, ToPage, is_rate, is_speed};
use super::hub::{Next, Out, Seat, TAKES_NOTHING, Taken};
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

    /// The next thing for the page, once there is one. Nothing is lost when it is not waited for.
    pub async fn next(&mut self) -> Next {
        match self {
            Self::Line(seat) => seat.next().await,
            Self::Recording(recording) => recording.next().await,
        }
    }

    /// Takes something that waits for the page, if anything does.
    pub fn waiting(&mut self) -> Option<Out> {
        match self {
            Self::Line(seat) => match seat.take() {
                Some(Next::Out(out)) => Some(out),
                _ => None,
            },
            Self::Recording(_) => None,
        }
    }

    /// Waits until things are thrown away because the page takes too little. A recording waits for
    /// its page.
    pub async fn runs_over(&self) {
        match self {
            Self::Line(seat) => seat.runs_over().await,
            Self::Recording(_) => future::pending().await,
        }
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
}

impl Recording {
    async fn next(&mut self) -> Next {
        if let Some(hello) = self.hello.take() {
            return Next::Out(Out::Text(hello));
        }
        loop {
            match self.player.next(Instant::now()) {
                Ok(Played::Bytes(bytes)) => return Next::Out(Out::Bytes(bytes.into())),
                Ok(Played::Wait(wait)) => sleep(wait).await,
                Ok(Played::End) if self.has_ended => future::pending().await,
                Ok(Played::End) => {
                    self.has_ended = true;
                    return Next::Out(Out::Text(ToPage::End.text()));
                }
                Err(error) => {
                    return Next::Broken(format!(
                        "the recording cannot be read further: {error}; check the disk"
                    ));
                }
            }
        }
    }
}
