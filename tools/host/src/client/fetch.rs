//! Values of spectra that were lost on the line, asked for again one piece at a time.

use std::time::Duration;

use wire::{MAX_FRAME, Message, NakCode, Uploaded};

use super::Client;
use super::diagnosis::refused;
use crate::stream::{Answer, Lost};
use common::failure::{Failure, Result};

/// Bytes of values that are asked for at a time, at first and at the most.
const PIECE: usize = 2048;
/// The least: on a bad line a long answer is damaged too.
const LEAST_PIECE: usize = 128;
/// The time that an answer takes, beside its bytes.
const ANSWER: Duration = Duration::from_millis(500);
/// The time between two messages that tell the board how far it may forget.
const CONFIRM: Duration = Duration::from_millis(500);
/// So many records more, and it is told at once.
const CONFIRM_RECORDS: u32 = 16;
/// Without anything new for so long, and the time of two frames, what was under way is taken as
/// lost.
const QUIET: Duration = Duration::from_millis(300);

/// A request for lost values that is not answered yet.
struct Asked {
    request: u16,
    lost: Lost,
    until: Duration,
}

/// The state of the records of an upload.
pub(super) struct Fetching {
    asked: Option<Asked>,
    piece: usize,
    /// The last message that told the board what it may forget, and its time.
    confirmed: u32,
    confirmed_at: Duration,
    /// The records that the board says there are, when all is done.
    pub(super) brought: Option<Uploaded>,
}

impl Fetching {
    /// Nothing is asked for.
    pub(super) const fn new(now: Duration) -> Self {
        Self {
            asked: None,
            piece: PIECE,
            confirmed: 0,
            confirmed_at: now,
            brought: None,
        }
    }
}

impl Client {
    /// Time of so many bytes on the line.
    pub(super) fn line_time(&self, bytes: usize) -> Duration {
        Duration::from_micros(bytes as u64 * 10_000_000 / u64::from(self.baud.max(1)))
    }

    /// Asks for what is lost, and confirms what is not. `moved` is when anything new came last.
    pub(super) fn fetch_lost(&mut self, fetching: &mut Fetching, moved: Duration) -> Result<()> {
        let now = self.link.now();
        let quiet = QUIET + self.line_time(2 * MAX_FRAME);
        let is_quiet = now.saturating_sub(moved) > quiet;
        let Some(collector) = self.receiver.collector() else {
            return Ok(());
        };
        let (next, seen) = (collector.next(), collector.seen());
        // Of records before the newest, what has not come is lost; so is the newest itself, when
        // nothing comes.
        let end = match fetching.brought {
            Some(brought) => brought.records,
            None if is_quiet => seen,
            None => seen.saturating_sub(1),
        };
        let lost = collector.lost(end);
        let is_news = next >= fetching.confirmed + CONFIRM_RECORDS;
        let is_due = now.saturating_sub(fetching.confirmed_at) > CONFIRM;
        if is_news || is_due && (next > fetching.confirmed || is_quiet) {
            (fetching.confirmed, fetching.confirmed_at) = (next, now);
            self.send(&Message::Held(next), 0)?;
        }
        if let Some(asked) = &fetching.asked {
            if lost != Some(asked.lost) {
                fetching.piece = (2 * fetching.piece).min(PIECE);
            } else if now >= asked.until {
                fetching.piece = (fetching.piece / 2).max(LEAST_PIECE);
            } else {
                return Ok(());
            }
            fetching.asked = None;
        }
        let Some(lost) = lost else { return Ok(()) };
        let most = (fetching.piece / lost.width) as u32;
        let values = lost.values.min(most) as u16;
        self.request = self.request.wrapping_add(1).max(1);
        let request = self.request;
        let message = Message::Fetch {
            record: lost.record,
            offset: lost.offset,
            values,
        };
        self.send(&message, request)?;
        // Another frame may be before it on the line.
        let bytes = usize::from(values) * lost.width + MAX_FRAME;
        let until = self.link.now() + ANSWER + self.line_time(bytes);
        fetching.asked = Some(Asked {
            request,
            lost,
            until,
        });
        Ok(())
    }

    /// Takes an answer, if it is one to a request for values.
    ///
    /// # Errors
    /// The board has not got them any more.
    pub(super) fn take_fetched(
        &self,
        fetching: &mut Fetching,
        request: u16,
        answer: &Answer,
    ) -> Result<bool> {
        let Some(asked) = &fetching.asked else {
            return Ok(false);
        };
        if asked.request != request {
            return Ok(false);
        }
        match answer {
            Answer::Nak(NakCode::BAD_VALUE, _) => Err(Failure::integrity(format!(
                "a part of spectrum {} was lost on the line and the board has not got it any more ({}); run again, at a \
                 lower --transfer-baud",
                asked.lost.record,
                self.health()
            ))),
            Answer::Nak(code, sentence) => Err(refused(*code, sentence)),
            _ => Ok(true),
        }
    }
}
