//! Text that waits to be sent.

use core::fmt;

/// A failure in words.
pub(super) type Sentence = heapless::String<192>;

/// Text for people, until the outbox takes it. A piece that does not fit is left out as a whole.
#[derive(Default)]
pub(super) struct Notice(heapless::String<2048>);

impl Notice {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Bytes that still fit.
    pub(super) fn room(&self) -> usize {
        self.0.capacity() - self.0.len()
    }

    /// Puts a line behind what waits.
    pub(super) fn say(&mut self, line: &str) {
        if self.room() >= line.len() + 2 {
            let _ = self.0.push_str(line);
            let _ = self.0.push_str("\r\n");
        }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl fmt::Write for Notice {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write_str(text)
    }
}
