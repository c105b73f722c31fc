//! Samples that the host brings while the board runs, for a part that gives the clocks.
//!
//! The part's clock decides when a frame is due, so virtual time must not outrun the queue:
//! [`crate::VirtualPi::run_until_ns`] stops with [`crate::Stop::Starved`] before a frame that has
//! not come yet. So no sample is made up, and none is lost.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::quantise;

/// Frames that stay after their time: what reads a frame's last bit reads the one before it.
const KEPT: u64 = 4;

/// A queue of frames, left and right. A clone is the same queue.
#[derive(Clone, Debug)]
pub struct Feed(Arc<Mutex<Queue>>);

#[derive(Debug, Default)]
struct Queue {
    frames: VecDeque<[i32; 2]>,
    /// The number of the first frame in the queue.
    first: u64,
    /// The number of the frame that the part plays.
    playing: u64,
    /// Frames that may wait.
    capacity: usize,
}

impl Queue {
    fn end(&self) -> u64 {
        self.first + self.frames.len() as u64
    }

    fn waiting(&self) -> usize {
        self.end().saturating_sub(self.playing) as usize
    }
}

impl PartialEq for Feed {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Feed {
    /// An empty queue in which so many frames may wait.
    pub fn new(capacity: usize) -> Self {
        Self(Arc::new(Mutex::new(Queue {
            capacity,
            ..Queue::default()
        })))
    }

    fn with<T>(&self, act: impl FnOnce(&mut Queue) -> T) -> T {
        // Nothing panics half-way through a change.
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds frames of 24 bits in the upper bits of each `i32`, as many as there is room for;
    /// returns their number.
    pub fn push(&self, frames: impl IntoIterator<Item = [i32; 2]>) -> usize {
        self.with(|queue| {
            let room = queue.capacity.saturating_sub(queue.waiting());
            let before = queue.frames.len();
            queue.frames.extend(frames.into_iter().take(room));
            queue.frames.len() - before
        })
    }

    /// Adds frames as numbers of -1 .. 1, which are rounded to 24 bits; what is beyond is clipped.
    pub fn push_numbers(&self, frames: impl IntoIterator<Item = [f32; 2]>) -> usize {
        let words = frames.into_iter();
        self.push(words.map(|frame| frame.map(|value| quantise(value.into()))))
    }

    /// Frames that have not been played.
    pub fn waiting(&self) -> usize {
        self.with(|queue| queue.waiting())
    }

    /// Frames that [`Feed::push`] would take.
    pub fn room(&self) -> usize {
        self.with(|queue| queue.capacity.saturating_sub(queue.waiting()))
    }

    /// Frames that have been played.
    pub fn played(&self) -> u64 {
        self.with(|queue| queue.playing)
    }

    /// The part plays frame `index` now; returns the number of frames that have come, from the
    /// first one on.
    pub(crate) fn play(&self, index: u64) -> u64 {
        self.with(|queue| {
            queue.playing = queue.playing.max(index);
            let gone = queue.playing.saturating_sub(KEPT + queue.first) as usize;
            queue.frames.drain(..gone.min(queue.frames.len()));
            queue.first += gone as u64;
            queue.end()
        })
    }

    /// The part's clock begins anew: what waits has the numbers from 0 on.
    pub(crate) fn begin(&self) {
        self.with(|queue| {
            let gone = queue.playing.saturating_sub(queue.first) as usize;
            queue.frames.drain(..gone.min(queue.frames.len()));
            (queue.first, queue.playing) = (0, 0);
        });
    }

    /// Frame `index`; zeros where there is none.
    pub(crate) fn frame(&self, index: u64) -> [i32; 2] {
        self.with(|queue| {
            let place = index.checked_sub(queue.first);
            let frame = place.and_then(|place| queue.frames.get(place as usize));
            frame.copied().unwrap_or_default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_takes_no_more_and_what_was_played_makes_room() {
        let feed = Feed::new(10);
        assert_eq!(feed.push((0..12).map(|index| [index << 8, 0])), 10);
        assert_eq!((feed.waiting(), feed.room()), (10, 0));
        assert_eq!(feed.play(6), 10);
        assert_eq!((feed.waiting(), feed.room(), feed.played()), (4, 6, 6));
        assert_eq!(feed.frame(9), [9 << 8, 0]);
        assert_eq!(feed.frame(2), [2 << 8, 0], "four stay");
        assert_eq!(feed.push([[77, 7]; 9]), 6);
        assert_eq!(feed.frame(15), [77, 7]);
        assert_eq!(feed.frame(16), [0, 0]);
        feed.begin();
        assert_eq!((feed.waiting(), feed.frame(0)), (10, [6 << 8, 0]));
        assert_eq!((feed.play(4), feed.frame(9)), (10, [77, 7]));
    }

    #[test]
    fn numbers_are_rounded_to_24_bits() {
        let feed = Feed::new(4);
        assert_eq!(feed.push_numbers([[0.5, -1.0], [2.0, f32::NAN]]), 2);
        assert_eq!(feed.frame(0), [1 << 30, i32::MIN]);
        assert_eq!(feed.frame(1), [0x7fff_ff00, 0]);
    }
}
