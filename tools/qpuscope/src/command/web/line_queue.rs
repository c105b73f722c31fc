//! The queue of what waits for the line.
//!
//! It is bounded in bytes, and in items too, because a change of the rate has no bytes. What has no
//! room is refused: were it left in the connection, the megabytes that the kernel keeps there would
//! go to the board after their tab has left.

use std::collections::VecDeque;

use axum::body::Bytes;

/// The most bytes that wait for the line.
pub const TO_LINE: usize = 64 << 10;
/// The most items that wait for the line: pages send a frame at a time, of some tens of bytes.
pub const ITEMS: usize = 1024;
/// The most bytes that a tab leaves behind: its last commands, in a tenth of a second of a line.
pub const LEFT: usize = 1024;

/// Something for the line.
#[derive(Clone, PartialEq, Debug)]
pub enum ToLine {
    /// Bytes for the board.
    Bytes(Bytes),
    /// Another rate of this computer's side.
    Baud(u32),
}

impl ToLine {
    /// Its bytes for the board.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Baud(_) => &[],
        }
    }
}

/// The queue.
#[derive(Default)]
pub struct LineQueue {
    items: VecDeque<ToLine>,
    bytes: usize,
}

impl LineQueue {
    /// Returns whether there is room for something more.
    #[must_use]
    pub fn has_room(&self, what: &ToLine) -> bool {
        let bytes = self.bytes + what.bytes().len();
        self.items.len() < ITEMS && (self.bytes == 0 || bytes <= TO_LINE)
    }

    /// Puts something at the end.
    pub fn put(&mut self, what: ToLine) {
        self.bytes += what.bytes().len();
        self.items.push_back(what);
    }

    /// Takes what is next, at most so many bytes of it.
    pub fn take(&mut self, most: usize) -> Option<ToLine> {
        let mut next = self.items.pop_front()?;
        if let ToLine::Bytes(bytes) = &mut next
            && bytes.len() > most
        {
            let rest = bytes.split_off(most);
            self.items.push_front(ToLine::Bytes(rest));
        }
        self.bytes -= next.bytes().len();
        Some(next)
    }

    /// Throws away all but the first [`LEFT`] bytes and what is between them. Returns whether that
    /// cut bytes off.
    pub fn cut(&mut self) -> bool {
        let before = self.bytes;
        let mut kept = Self::default();
        while kept.bytes < LEFT
            && let Some(next) = self.take(LEFT - kept.bytes)
        {
            kept.put(next);
        }
        *self = kept;
        self.bytes < before
    }

    /// Returns whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_keeps_the_first_bytes_and_their_order() {
        let mut queue = LineQueue::default();
        let bytes = |count| ToLine::Bytes(Bytes::from(vec![7; count]));
        for what in [bytes(LEFT - 1), ToLine::Baud(9600), bytes(2), bytes(9)] {
            queue.put(what);
        }
        assert!(queue.cut());
        let kept: Vec<_> = std::iter::from_fn(|| queue.take(LEFT)).collect();
        assert_eq!(kept, [bytes(LEFT - 1), ToLine::Baud(9600), bytes(1)]);
        queue.put(bytes(LEFT));
        assert!(!queue.cut() && queue.take(LEFT) == Some(bytes(LEFT)));
        assert!(!queue.cut() && queue.is_empty());
    }
}
