//! Acknowledgements that wait for the end of the record under way.

use wire::Uploaded;

/// Acknowledgements that may wait. A host asks again after a second, and a record at the lowest
/// rate and the greatest length takes longer than that; more than this nobody asks.
const LATE_ACKS: usize = 8;

/// An acknowledgement that waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LateAck {
    pub request: u16,
    pub stream: u16,
    /// The number of records that had begun to leave: the record under way is the last of them.
    pub behind: u32,
    /// The values that an upload has brought, where a host wants to know at its end.
    pub brought: Option<Uploaded>,
}

/// The acknowledgements that wait, first come first.
#[derive(Default)]
pub(super) struct LateAcks(heapless::Deque<LateAck, LATE_ACKS>);

impl LateAcks {
    /// Lets one more wait. Of too many the oldest is given up: its host has asked again since.
    pub(super) fn push(&mut self, ack: LateAck) {
        if self.0.is_full() {
            self.0.pop_front();
        }
        let _ = self.0.push_back(ack);
    }

    /// Takes the next one whose record has come to its end, when `emitted` records have begun to
    /// leave and the last of them `is_leaving`.
    pub(super) fn pop(&mut self, emitted: u32, is_leaving: bool) -> Option<LateAck> {
        let ack = self.0.front()?;
        if is_leaving && ack.behind == emitted {
            return None;
        }
        self.0.pop_front()
    }
}
