//! Lines typed by hand.

use wire::State;

use super::board::Board;
use super::hub::Hub;
use super::link::Listener;
use super::live::{Asker, Begun};
use super::refusal::Refusal;
use super::settings::Output;
use super::text;
use crate::engine::{Fft, QpuHost};

impl<Q: Fft + QpuHost> Hub<'_, Q> {
    /// Serves a line from a terminal, or from a host at a wrong rate.
    pub(super) fn typed(&mut self, line: &[u8], board: &mut impl Board) {
        let Some(line) = self.link.whole_line(line, board.now_us()) else {
            return;
        };
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let listener = core::mem::replace(&mut self.link.listener, Listener::Person);
        let result = match word {
            "help" | "?" => {
                text::write_help(&mut self.link.notice);
                return;
            }
            "info" => {
                self.write_banner(board);
                return;
            }
            "get" => {
                let mut settings = heapless::String::<1024>::new();
                self.write_settings(rest, &mut settings, board);
                settings.lines().for_each(|line| self.link.say(line));
                if settings.is_empty() {
                    self.link
                        .say("no such setting; get without a name lists all");
                }
                return;
            }
            "plot" => {
                let has_last = self.stream.records.last.is_some();
                self.stream.plot_due = has_last || self.stream.state() == State::Streaming;
                if !self.stream.plot_due {
                    self.link.say(text::NO_SPECTRUM);
                }
                return;
            }
            "start" | "probe" => match self.begin_typed(word, board) {
                Ok(Begun::Now) => Ok(()),
                Ok(Begun::Later) => return,
                Err(refusal) => Err(refusal),
            },
            "stop" => {
                self.end_stream(board);
                Ok(())
            }
            "reboot" => {
                self.end_stream(board);
                self.link.reboots = true;
                return;
            }
            _ if line.contains('=') => {
                let set = self.set(line.strip_prefix("set ").unwrap_or(line), board);
                if self.settings.output == Output::Text {
                    // The rest of a record would be noise on the screen.
                    self.stream.records.sending = None;
                }
                set
            }
            _ => {
                // It may be a frame at a wrong rate.
                self.link.listener = listener;
                self.link
                    .hint("not a command; type help and Enter", board.now_us());
                return;
            }
        };
        match result {
            Ok(()) => self.link.say("ok"),
            Err(refusal) => self.say_refusal(&refusal),
        }
    }

    /// Begins a stream or a look at the pins.
    fn begin_typed(&mut self, word: &str, board: &mut impl Board) -> Result<Begun, Refusal> {
        self.require_no_upload()?;
        let begun = match word {
            "probe" => self.begin_probe(board).map(|()| Begun::Later)?,
            _ => self.begin_stream(board)?,
        };
        if begun == Begun::Later {
            self.live.asker = Some(Asker::Person);
        }
        Ok(begun)
    }
}
