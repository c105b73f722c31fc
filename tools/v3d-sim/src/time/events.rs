//! What is due when: the queue that makes all units act in the order of time.
//!
//! Events of the same time come in the order in which they were made, so equal runs are equal.

use super::ticks::{NEVER, Ticks};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Something that is due.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Event {
    /// The TMU of this number looks up the next lanes.
    TmuLookup(u8),
    /// The read bus takes the next line.
    ReadBus,
    /// A line that was read over the bus is in the L2C: its place there.
    L2cLine(u8),
    /// A line has come to who asked for it.
    Line(Client),
    /// The load engine asks for its next line, or starts a transfer.
    VdrLine,
    /// The load engine has all lines of a row.
    VdrRow,
    /// The store engine ends a row, and starts the next.
    VdwRow,
    /// The store engine hands a line to the write bus.
    VdwLine,
}

/// Who asks for lines of memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Client {
    /// The instruction cache of a slice.
    Code {
        /// Its slice.
        slice: u8,
        /// The line.
        line: u32,
    },
    /// The uniform cache of a slice.
    Uniforms {
        /// Its slice.
        slice: u8,
        /// The line.
        line: u32,
    },
    /// A TMU.
    Tmu {
        /// Its number.
        tmu: u8,
        /// Which of its misses.
        miss: u8,
    },
    /// The load engine.
    Vdr,
}

/// The queue.
#[derive(Default)]
pub struct Events {
    heap: BinaryHeap<Reverse<(Ticks, u64, Event)>>,
    made: u64,
}

impl Events {
    /// Makes `event` due at `at`.
    pub fn push(&mut self, at: Ticks, event: Event) {
        self.made += 1;
        self.heap.push(Reverse((at, self.made, event)));
    }

    /// When the next is due.
    pub fn next_at(&self) -> Ticks {
        self.heap.peek().map_or(NEVER, |Reverse((at, _, _))| *at)
    }

    /// The next, if it is due at `until` or earlier.
    pub fn pop(&mut self, until: Ticks) -> Option<(Ticks, Event)> {
        if self.next_at() > until {
            return None;
        }
        self.heap.pop().map(|Reverse((at, _, event))| (at, event))
    }

    /// Whether nothing will ever be due.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_comes_first_and_equals_in_order() {
        let mut events = Events::default();
        for (at, event) in [
            (7, Event::ReadBus),
            (3, Event::VdwRow),
            (7, Event::VdrLine),
            (3, Event::ReadBus),
        ] {
            events.push(at, event);
        }
        assert_eq!(events.pop(2), None);
        let order: Vec<_> = std::iter::from_fn(|| events.pop(7)).collect();
        assert_eq!(
            order,
            [
                (3, Event::VdwRow),
                (3, Event::ReadBus),
                (7, Event::ReadBus),
                (7, Event::VdrLine)
            ]
        );
        assert_eq!(events.next_at(), NEVER);
    }
}
