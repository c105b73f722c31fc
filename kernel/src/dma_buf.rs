//! Memory that V3D and the mailbox see: whole cache lines with one owner.
//!
//! The ARM's L1 is not snooped. So nothing shares a line with a [`DmaBuf`], every write through it
//! is followed by a clean, every read of what the other side wrote is preceded by an invalidation,
//! and between the two no line of it is dirty. That is what makes invalidating safe.
//!
//! [`Arena`] is the RAM after the image, up to what the mailbox says the ARM owns.
#![allow(unsafe_code)]

use core::ptr::NonNull;

use qpu::job::BusAddr;

use crate::arch::cpu;
use crate::board::RAM_ALIAS;

/// Alignment and granularity: a line of the Cortex-A53 too, so that buffers are the same
/// everywhere.
pub const LINE_BYTES: usize = 64;

/// The RAM that is given out, in order, never taken back.
pub struct Arena {
    next: usize,
    end: usize,
}

impl Arena {
    /// The first megabyte after the image, which every board has and which is mapped from the
    /// start.
    ///
    /// # Panics
    /// When called twice: the arena owns what it gives out.
    #[must_use]
    pub fn after_image() -> Self {
        static TAKEN: core::sync::atomic::AtomicBool = core::sync::atomic::AtomicBool::new(false);
        assert!(
            !TAKEN.swap(true, core::sync::atomic::Ordering::Relaxed),
            "one arena owns the RAM after the image"
        );
        Self {
            next: cpu::image_end(),
            end: cpu::image_end() + cpu::FIRST_ARENA_BYTES,
        }
    }

    /// Takes in the RAM up to `ram_bytes`, which the ARM owns and which is mapped by now.
    pub fn grow(&mut self, ram_bytes: usize) {
        self.end = self.end.max(ram_bytes);
    }

    /// Leaves out what comes before `address`, if anything does.
    pub fn skip_to(&mut self, address: usize) {
        self.next = self.next.max(address).min(self.end);
    }

    /// Bytes that are left.
    #[must_use]
    pub fn left(&self) -> usize {
        self.end - self.next
    }

    /// The next `bytes` bytes, rounded up to whole lines; `None` when there are not as many.
    pub fn take(&mut self, bytes: usize) -> Option<DmaBuf> {
        let bytes = bytes.checked_next_multiple_of(LINE_BYTES)?;
        if bytes > self.left() {
            return None;
        }
        let start = NonNull::new(self.next as *mut u32)?;
        self.next += bytes;
        Some(DmaBuf {
            start,
            words: bytes / 4,
        })
    }
}

/// A block of lines that one owner shares with the other side of the bus.
pub struct DmaBuf {
    start: NonNull<u32>,
    words: usize,
}

// SAFETY: a buffer is the only handle to its memory.
unsafe impl Send for DmaBuf {}

impl DmaBuf {
    /// The first byte as the VideoCore's bus sees it.
    #[must_use]
    pub fn bus(&self) -> BusAddr {
        BusAddr(self.start.as_ptr() as usize as u32 | RAM_ALIAS)
    }

    /// The number of words.
    #[must_use]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.words
    }

    /// The buffer as the ARM sees it. Writes of the other side are in it after
    /// [`DmaBuf::invalidate`].
    #[must_use]
    pub fn words(&self) -> &[u32] {
        // SAFETY: the buffer owns this memory (`Arena::take` hands each byte out once, mapped and
        // aligned), and the other side writes it only while its owner waits for it.
        unsafe { core::slice::from_raw_parts(self.start.as_ptr(), self.words) }
    }

    /// The buffer for writing. The other side sees it after [`DmaBuf::clean`].
    pub fn words_mut(&mut self) -> &mut [u32] {
        // SAFETY: as in `words`.
        unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr(), self.words) }
    }

    /// Writes the whole buffer back to RAM.
    pub fn clean(&self) {
        cpu::clean_data_cache(self.start.as_ptr() as usize, self.words * 4);
    }

    /// Forgets what the ARM has cached of the whole buffer.
    pub fn invalidate(&mut self) {
        cpu::invalidate_data_cache(self.start.as_ptr() as usize, self.words * 4);
    }

    /// Copies `words` to word `first` on and writes them back to RAM; `false` when they do not fit.
    #[must_use]
    pub fn write(&mut self, first: usize, words: &[u32]) -> bool {
        let Some(range) = self.range(first, words.len()) else {
            return false;
        };
        let at = self.start.as_ptr() as usize + first * 4;
        let bytes = words.len() * 4;
        // A line at either end may also hold words that the other side has written since, and no
        // store may go to an old copy of a line.
        cpu::invalidate_data_cache(at, bytes);
        self.words_mut()[range].copy_from_slice(words);
        cpu::clean_data_cache(at, bytes);
        true
    }

    /// Reads from RAM, from word `first` on; `false` when `words` does not lie in the buffer.
    #[must_use]
    pub fn read(&mut self, first: usize, words: &mut [u32]) -> bool {
        let Some(range) = self.range(first, words.len()) else {
            return false;
        };
        cpu::invalidate_data_cache(self.start.as_ptr() as usize + first * 4, words.len() * 4);
        words.copy_from_slice(&self.words()[range]);
        true
    }

    /// `count` words from word `first` on, as they are in RAM; none where they do not lie in the
    /// buffer.
    #[must_use]
    pub fn look(&mut self, first: usize, count: usize) -> &[u32] {
        let Some(range) = self.range(first, count) else {
            return &[];
        };
        cpu::invalidate_data_cache(self.start.as_ptr() as usize + first * 4, count * 4);
        &self.words()[range]
    }

    fn range(&self, first: usize, count: usize) -> Option<core::ops::Range<usize>> {
        let end = first.checked_add(count)?;
        (end <= self.words).then_some(first..end)
    }
}

#[cfg(test)]
mod fake {
    use super::*;

    impl DmaBuf {
        /// Memory of the test's own, aligned to lines as the arena's is.
        pub fn fake(words: usize) -> Self {
            // Addresses are cut to 32 bits, so memory of this computer may pass their end.
            let passes_end = |fake: &Self| {
                let bytes = u32::try_from(4 * words).expect("less than the board's memory");
                fake.bus().0.checked_add(bytes).is_none()
            };
            let mut tries = std::iter::repeat_with(|| {
                // Of zeros, for which a system has pages only where they are used.
                let memory = vec![0_u32; words + LINE_BYTES / 4].leak();
                let skipped = memory.as_ptr().align_offset(LINE_BYTES);
                let start = NonNull::from(&mut memory[skipped..]).cast();
                Self { start, words }
            });
            let fake = tries.find(|fake| !passes_end(fake)).expect("one of them");
            let start = fake.start;
            FAKES.with_borrow_mut(|fakes| fakes.push((fake.bus(), start, words)));
            fake
        }

        /// The words at an address in one of this thread's [`Self::fake`]s, as V3D would see them.
        pub fn peek(buffer: qpu::job::Buffer) -> Vec<u32> {
            let count = buffer.bytes.div_ceil(4) as usize;
            let found = FAKES.with_borrow(|fakes| {
                let mut places = fakes.iter().map(|&(bus, start, words)| {
                    let first = buffer.addr.0.wrapping_sub(bus.0) as usize / 4;
                    (start, first, words)
                });
                places.find(|(_, first, words)| first + count <= *words)
            });
            let (start, first, _) = found.expect("it is a fake's");
            // SAFETY: a fake is leaked, `first` and `count` lie in it, and no reference to its
            // words outlives the call that took it.
            unsafe { core::slice::from_raw_parts(start.as_ptr().add(first), count) }.to_vec()
        }
    }

    std::thread_local! {
        /// The fakes of this thread: address, start and words.
        static FAKES: core::cell::RefCell<Vec<(BusAddr, NonNull<u32>, usize)>> =
            const { core::cell::RefCell::new(Vec::new()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arena_gives_out_whole_lines_and_ends() {
        let mut arena = Arena {
            next: 0x10_0000,
            end: 0x10_0100,
        };
        let first = arena.take(1).expect("one line fits");
        let second = arena.take(64).expect("a second one too");
        assert_eq!(first.bus(), BusAddr(0x4010_0000));
        assert_eq!(second.bus(), BusAddr(0x4010_0040));
        assert_eq!(second.len(), 16);
        assert!(arena.take(129).is_none());
        assert!(arena.take(usize::MAX).is_none());
        assert_eq!(arena.left(), 128);
    }

    #[test]
    fn reads_and_writes_stay_in_the_buffer() {
        let mut buffer = DmaBuf::fake(16);
        assert!(buffer.write(14, &[1, 2]));
        assert!(!buffer.write(15, &[3, 4]));
        assert!(!buffer.write(usize::MAX, &[3]));
        let mut out = [0; 3];
        assert!(buffer.read(13, &mut out));
        assert_eq!(out, [0, 1, 2]);
        assert!(!buffer.read(14, &mut out));
    }
}
