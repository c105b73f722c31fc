//! Pages by their number, of which few are there.

/// Boxed pages by number.
///
/// The table is as long as the highest page that was made needs: the bus has a quarter of a million
/// pages, a program touches a few of the lowest, and a simulator is made, cleared and dropped for
/// each of many programs.
#[derive(Clone)]
pub struct Sparse<T>(Vec<Option<Box<T>>>);

impl<T> Default for Sparse<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Sparse<T> {
    /// The page, if it is there.
    #[inline]
    pub fn get(&self, number: usize) -> Option<&T> {
        self.0.get(number)?.as_deref()
    }

    /// The page, which `make` makes where there is none.
    #[inline]
    pub fn get_or_make(&mut self, number: usize, make: impl FnOnce() -> Box<T>) -> &mut T {
        if self.0.len() <= number {
            self.0.resize_with(number + 1, || None);
        }
        self.0[number].get_or_insert_with(make)
    }

    /// Takes the page out.
    pub fn take(&mut self, number: usize) -> Option<Box<T>> {
        self.0.get_mut(number)?.take()
    }

    /// Removes pages by what is in them.
    pub fn retain(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        for page in &mut self.0 {
            page.take_if(|page| !keep(page));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_there_once_they_are_made_and_until_they_are_taken() {
        let mut pages = Sparse::default();
        assert_eq!(pages.take(3), None);
        assert_eq!(pages.get(3), None);
        *pages.get_or_make(3, || Box::new(7)) += 1;
        assert_eq!(*pages.get_or_make(3, || Box::new(0)), 8);
        pages.get_or_make(1, || Box::new(1));
        assert_eq!(
            (pages.get(1), pages.get(2), pages.get(4)),
            (Some(&1), None, None)
        );
        pages.retain(|page| *page == 8);
        assert_eq!(pages.get(1), None);
        assert_eq!(pages.take(3), Some(Box::new(8)));
        assert_eq!(pages.get(3), None);
    }
}
