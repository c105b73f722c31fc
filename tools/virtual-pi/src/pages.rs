//! A table with `SIZE` values for each page of memory, which are kept from when one is changed.
//!
//! A board has 512 MiB, and a guest uses a few. All values are in one vector: constant ones first,
//! then those of each page that was made. The TLB remembers where a page's values start, so that
//! the ARM's fast path finds one with one index. Pages that were not made share the first constant
//! values, which nobody changes.

/// Pages of the largest board.
pub const PAGES: usize = (512 << 20) / 4096;

/// The start of the values of every page that was not made.
pub const NOT_MADE: u32 = 0;

/// Pages for which there is room at least when the vector grows, which copies it.
const GROWTH: usize = 256;

/// The table.
pub struct Pages<T, const SIZE: usize> {
    /// Where the values of each page start.
    starts: Box<[u32; PAGES]>,
    values: Vec<T>,
    /// The number of each page that was made, in the order of their values.
    made: Vec<u32>,
}

impl<T: Clone, const SIZE: usize> Pages<T, SIZE> {
    /// No page made, and constant values, of which those of number n start at n times `SIZE`. The
    /// first are those of pages that were not made.
    pub fn new(constants: &[[T; SIZE]]) -> Self {
        let starts = vec![NOT_MADE; PAGES].into_boxed_slice();
        let Ok(starts) = starts.try_into() else {
            unreachable!("the vector was made with PAGES values");
        };
        Self {
            starts,
            values: constants.as_flattened().to_vec(),
            made: Vec::new(),
        }
    }

    /// Where the values of a page start; numbers wrap at [`PAGES`].
    #[inline(always)]
    pub fn start(&self, page: u32) -> u32 {
        self.starts[page as usize % PAGES]
    }

    /// Where the values of a page start, which may be changed.
    #[inline(always)]
    pub fn make(&mut self, page: u32) -> u32 {
        match self.start(page) {
            NOT_MADE => self.make_new(page),
            start => start,
        }
    }

    #[cold]
    #[inline(never)]
    fn make_new(&mut self, page: u32) -> u32 {
        let start = self.values.len();
        if self.values.capacity() - start < SIZE {
            // A quarter at a time: of twice as much half would be empty, in a browser for good.
            let quarter = start / SIZE / 4;
            self.values.reserve_exact(SIZE * GROWTH.max(quarter));
        }
        self.values.extend_from_within(..SIZE);
        self.starts[page as usize % PAGES] = start as u32;
        self.made.push(page % PAGES as u32);
        start as u32
    }

    /// The page, which was made, whose values start at `start`.
    pub fn page(&self, start: u32) -> u32 {
        let constants = self.values.len() / SIZE - self.made.len();
        self.made[start as usize / SIZE - constants]
    }

    /// A value of the page whose values start at `start`; indices wrap at `SIZE`.
    #[inline(always)]
    pub fn at(&self, start: u32, index: usize) -> &T {
        &self.values[start as usize + index % SIZE]
    }

    /// A value of a page that was made.
    #[inline(always)]
    pub fn at_mut(&mut self, start: u32, index: usize) -> &mut T {
        &mut self.values[start as usize + index % SIZE]
    }

    /// The values of a page from `index` on.
    pub fn rest(&self, page: u32, index: usize) -> &[T] {
        let start = self.start(page) as usize;
        &self.values[start + index % SIZE..start + SIZE]
    }

    /// The values of a page from `index` on, which may be changed.
    pub fn rest_mut(&mut self, page: u32, index: usize) -> &mut [T] {
        let start = self.make(page) as usize;
        &mut self.values[start + index % SIZE..start + SIZE]
    }

    /// The pages that were made, with their values.
    pub fn made_mut(&mut self) -> impl Iterator<Item = (u32, &mut [T])> {
        let constants = self.values.len() - self.made.len() * SIZE;
        let values = self.values[constants..].chunks_exact_mut(SIZE);
        self.made.iter().copied().zip(values)
    }

    /// Pages that were made.
    pub fn count(&self) -> usize {
        self.made.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_made_once_and_stay_where_they_are() {
        let mut pages = Pages::new(&[[0u8, 0], [8, 9]]);
        assert_eq!((pages.start(7), *pages.at(NOT_MADE, 1)), (NOT_MADE, 0));
        let start = pages.make(7);
        *pages.at_mut(start, 1) = 5;
        for page in 100..1000 {
            pages.make(page);
        }
        assert_eq!((pages.make(7), pages.page(start)), (start, 7));
        assert_eq!(pages.start(7 + PAGES as u32), start);
        assert_eq!(
            (pages.rest(7, 0), pages.rest(7, 1)),
            (&[0, 5][..], &[5][..])
        );
        assert_eq!(pages.rest(8, 0), [0, 0]);
        assert_eq!((*pages.at(2, 1), pages.count()), (9, 901));
        let first = pages.made_mut().next();
        assert_eq!(first, Some((7, &mut [0, 5][..])));
    }
}
