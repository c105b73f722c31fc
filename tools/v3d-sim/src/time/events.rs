//! Events and their times: the queue that makes all units act in the order of time.
//!
//! Events of the same time come in the order in which they were made, so equal runs are equal.
//!
//! The queue is a wheel: a ring of slots, each for a short stretch of time, with a bit for each
//! slot that holds something. Nearly everything is due within one turn of the wheel; the rest waits
//! in a heap.

use super::ticks::{NEVER, Ticks};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Something that is due.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Event {
    /// The scheduler gives out the next program.
    Dispatch,
    /// The program of the QPU of this number starts.
    Start(u8),
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

/// A client that asks for lines of memory.
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
        /// The index of one of its misses.
        miss: u8,
    },
    /// The load engine.
    Vdr,
}

/// A slot is 64 ticks long, the wheel 2,600 clocks.
const SLOT_LOG2: u32 = 6;
const SLOTS: usize = 64 * 64;

/// No event.
const NONE: u32 = u32::MAX;

/// An event in the list of its slot.
#[derive(Clone, Copy)]
struct Node {
    at: Ticks,
    event: Event,
    /// The one after it; of the last one the first.
    next: u32,
}

/// The queue.
pub struct Events {
    nodes: Vec<Node>,
    /// The first of the nodes that are not in use.
    free: u32,
    /// The last event of each slot; events of a slot are in their order.
    last: Box<[u32; SLOTS]>,
    /// A bit for each slot with events, and one for each of its words.
    used: [u64; 64],
    used_words: u64,
    /// The slot, counted from time 0, that no event lies before, and that the turn begins with.
    first: u64,
    /// Time at which the next event is due.
    pub next_at: Ticks,
    /// Events due after this turn: time, and a number in order of making.
    later: BinaryHeap<Reverse<(Ticks, u64, Event)>>,
    made: u64,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            free: NONE,
            last: Box::new([NONE; SLOTS]),
            used: [0; 64],
            used_words: 0,
            first: 0,
            next_at: NEVER,
            later: BinaryHeap::new(),
            made: 0,
        }
    }
}

impl Events {
    /// Makes `event` due at `at`.
    #[inline]
    pub fn push(&mut self, at: Ticks, event: Event) {
        if (at >> SLOT_LOG2).saturating_sub(self.first) >= SLOTS as u64 {
            self.push_later(at, event);
        } else {
            self.put(at, event);
        }
        self.next_at = self.next_at.min(at);
    }

    #[cold]
    fn push_later(&mut self, at: Ticks, event: Event) {
        self.made += 1;
        self.later.push(Reverse((at, self.made, event)));
    }

    /// Puts an event into the slot of its time, behind those of the same time. What is late comes
    /// first.
    #[inline]
    fn put(&mut self, at: Ticks, event: Event) {
        let slot = (at >> SLOT_LOG2).max(self.first) as usize % SLOTS;
        let mut node = Node {
            at,
            event,
            next: NONE,
        };
        let number = match self.free {
            NONE => self.nodes.len() as u32,
            free => free,
        };
        let last = self.last[slot];
        if last == NONE {
            node.next = number;
            self.last[slot] = number;
            self.used[slot / 64] |= 1 << (slot % 64);
            self.used_words |= 1 << (slot / 64);
        } else {
            let mut before = last;
            if self.nodes[last as usize].at > at {
                loop {
                    let next = self.nodes[before as usize].next;
                    if self.nodes[next as usize].at > at {
                        break;
                    }
                    before = next;
                }
            } else {
                self.last[slot] = number;
            }
            node.next = std::mem::replace(&mut self.nodes[before as usize].next, number);
        }
        if self.free == NONE {
            self.nodes.push(node);
        } else {
            self.free = std::mem::replace(&mut self.nodes[number as usize], node).next;
        }
    }

    /// The next, if it is due at `until` or earlier.
    #[inline]
    pub fn pop(&mut self, until: Ticks) -> Option<(Ticks, Event)> {
        if self.next_at > until || self.is_empty() {
            return None;
        }
        if self.used_words == 0 {
            self.advance_to(self.next_at >> SLOT_LOG2);
        }
        // Its slot is that of its time, or the first if it was late.
        let slot = (self.next_at >> SLOT_LOG2).max(self.first) as usize % SLOTS;
        let last = self.last[slot];
        let number = self.nodes[last as usize].next;
        let Node { at, event, next } = self.nodes[number as usize];
        self.nodes[number as usize].next = std::mem::replace(&mut self.free, number);
        if number == last {
            self.last[slot] = NONE;
            self.used[slot / 64] &= !(1 << (slot % 64));
            self.used_words &= !(u64::from(self.used[slot / 64] == 0) << (slot / 64));
            self.advance_to(at >> SLOT_LOG2);
            self.next_at = self.find_next();
        } else {
            self.nodes[last as usize].next = next;
            self.advance_to(at >> SLOT_LOG2);
            self.next_at = self.nodes[next as usize].at;
        }
        Some((at, event))
    }

    /// The wheel begins at slot `first` or, if that is past, stays as it is.
    #[inline]
    fn advance_to(&mut self, first: u64) {
        if first > self.first {
            self.first = first;
            while let Some(Reverse((at, _, event))) = self.later.peek().copied()
                && (at >> SLOT_LOG2) - first < SLOTS as u64
            {
                self.later.pop();
                self.put(at, event);
            }
        }
    }

    /// The first slot of the turn that holds something.
    #[inline]
    fn first_used(&self) -> Option<usize> {
        let first = self.first as usize % SLOTS;
        let (word, bit) = (first / 64, first % 64);
        let here = self.used[word] >> bit;
        if here != 0 {
            return Some(first + here.trailing_zeros() as usize);
        }
        // The last of these is the word where the turn began, for what comes before its beginning.
        let others = self.used_words.rotate_right(word as u32 + 1);
        if others == 0 {
            return None;
        }
        let word = (word + 1 + others.trailing_zeros() as usize) % 64;
        Some(word * 64 + self.used[word].trailing_zeros() as usize)
    }

    fn find_next(&self) -> Ticks {
        match self.first_used() {
            Some(slot) => {
                let first = self.nodes[self.last[slot] as usize].next;
                self.nodes[first as usize].at
            }
            None => self.later.peek().map_or(NEVER, |Reverse((at, ..))| *at),
        }
    }

    /// True if nothing will ever be due.
    pub fn is_empty(&self) -> bool {
        self.used_words == 0 && self.later.is_empty()
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
        assert_eq!(events.next_at, NEVER);
    }

    #[test]
    fn the_wheel_gives_what_a_sorted_list_gives() {
        let mut events = Events::default();
        let mut wanted: Vec<(Ticks, u32)> = Vec::new();
        // Numerical Recipes' generator, seeded with nothing in particular.
        let mut random = 1_u32;
        let mut next = |below: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) % below
        };
        let mut now = 0;
        for number in 0..20_000 {
            // Most of them near, some beyond the turn, some late, some after a long silence.
            let ahead = match next(16) {
                0 => next(2_000_000),
                1 => 262_144 + next(200),
                _ => next(3_000),
            };
            let at = (now + Ticks::from(ahead)).saturating_sub(Ticks::from(next(100)));
            let client = Client::Code {
                slice: 0,
                line: number,
            };
            events.push(at, Event::Line(client));
            wanted.push((at, number));
            for _ in 0..next(3) {
                let until = now + Ticks::from(next(4_000));
                wanted.sort_by_key(|(at, _)| *at);
                assert_eq!(
                    events.next_at,
                    wanted.first().map_or(NEVER, |event| event.0)
                );
                let popped = events.pop(until).map(|(at, event)| match event {
                    Event::Line(Client::Code { line, .. }) => (at, line),
                    _ => unreachable!("no other was made"),
                });
                let due = wanted.first().is_some_and(|(at, _)| *at <= until);
                assert_eq!(popped, due.then(|| wanted.remove(0)));
                now = popped.map_or(now, |(at, _)| now.max(at));
                if wanted.is_empty() && next(4) == 0 {
                    now += 10_000_000;
                }
            }
        }
    }
}
