//! The page that writes: one at a time, so that frames of two never mix.
//!
//! The first page that sends is the writer until it leaves, or nothing of it has reached the line
//! for longer than a host waits for any answer. A page may leave in the middle of a frame; the zero
//! byte that ends its rest then goes before the bytes of the next one.

use std::time::{Duration, Instant};

/// The silence after which another page may write: the longest that a host waits for an answer is
/// 4 s (`PROOF`, `MEASURED`, `PROBED`), and then it sends again.
pub const SILENCE: Duration = Duration::from_secs(5);

/// The writer, and where in a frame its bytes have stopped.
#[derive(Debug, Default)]
pub struct Writer {
    holder: Option<(u64, Instant)>,
    /// The page whose bytes were the last ones.
    last: Option<u64>,
    /// The last byte ended no frame.
    is_within: bool,
}

/// The permission to send bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Permission {
    /// A zero byte has to go first.
    pub ends_rest: bool,
}

impl Writer {
    /// Returns whether a page could be the writer now.
    #[must_use]
    pub fn admits(&self, page: u64, now: Instant) -> bool {
        self.holder.is_none_or(|(holder, heard)| {
            holder == page || now.saturating_duration_since(heard) >= SILENCE
        })
    }

    /// Makes a page that has bytes to send the writer, if it may be.
    pub fn admit(&mut self, page: u64, now: Instant) -> Option<Permission> {
        if !self.admits(page, now) {
            return None;
        }
        self.holder = Some((page, now));
        let ends_rest = self.is_within && self.last != Some(page);
        Some(Permission { ends_rest })
    }

    /// Notes bytes that a page has sent.
    pub fn sent(&mut self, page: u64, bytes: &[u8]) {
        if let Some(last) = bytes.last() {
            self.is_within = *last != 0;
            self.last = Some(page);
        }
    }

    /// Notes that the line has taken bytes of the writer.
    pub fn moved(&mut self, now: Instant) {
        if let Some((_, heard)) = &mut self.holder {
            *heard = now;
        }
    }

    /// Notes that the last bytes were thrown away.
    pub fn cut(&mut self) {
        self.is_within = true;
    }

    /// A page has left. Returns whether it was the writer.
    pub fn leave(&mut self, page: u64) -> bool {
        let held = self.holder.is_some_and(|(holder, _)| holder == page);
        if held {
            self.holder = None;
        }
        held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: Permission = Permission { ends_rest: false };
    const REST: Permission = Permission { ends_rest: true };

    #[test]
    fn the_first_page_that_sends_keeps_writing_until_it_is_silent() {
        let (mut writer, start) = (Writer::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(writer.admit(1, at(0)), Some(WHOLE));
        assert_eq!(writer.admit(2, at(4)), None);
        assert_eq!(writer.admit(1, at(4)), Some(WHOLE));
        assert_eq!(writer.admit(2, at(8)), None);
        assert!(writer.admits(1, at(8)) && !writer.admits(2, at(8)));
        assert_eq!(writer.admit(2, at(9)), Some(WHOLE));
        assert_eq!(writer.admit(1, at(9)), None);
    }

    #[test]
    fn a_page_that_leaves_makes_way_for_the_next() {
        let (mut writer, now) = (Writer::default(), Instant::now());
        assert!(writer.admit(1, now).is_some());
        assert!(!writer.leave(2));
        assert_eq!(writer.admit(2, now), None);
        assert!(writer.leave(1));
        assert_eq!(writer.admit(2, now), Some(WHOLE));
    }

    #[test]
    fn a_page_whose_bytes_still_go_to_the_line_is_not_silent() {
        let (mut writer, start) = (Writer::default(), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        assert!(writer.admit(1, at(0)).is_some());
        writer.moved(at(4));
        assert_eq!(writer.admit(2, at(8)), None);
        assert!(writer.admit(2, at(9)).is_some());
    }

    #[test]
    fn the_rest_of_a_frame_is_ended_before_the_bytes_of_another_page() {
        let (mut writer, now) = (Writer::default(), Instant::now());
        writer.admit(1, now);
        writer.sent(1, &[0, 1, 2]);
        assert_eq!(writer.admit(1, now), Some(WHOLE));
        writer.leave(1);
        assert_eq!(writer.admit(2, now), Some(REST));
        writer.sent(2, &[0, 3, 0]);
        writer.leave(2);
        assert_eq!(writer.admit(3, now), Some(WHOLE));
    }
}
