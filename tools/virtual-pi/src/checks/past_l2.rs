//! Lines of memory that were written past the system L2, which may hold them as they were before.
//!
//! As with the ARM's cache, the L2 is taken to hold every line that was ever reached through it:
//! what stands in memory alone may only be read past it, and what was not written past it may not.
//!
//! Source: docs/hardware/platform.md, D.5: the ARM and V3D of a BCM2835 reach memory through the
//! L2.

use std::collections::HashSet;

/// log2 of the bytes of a line.
const LINE_LOG2: u32 = 6;

/// The lines, by number.
#[derive(Default)]
pub struct PastL2 {
    lines: HashSet<u32>,
}

impl PastL2 {
    /// The lines of a range of at least a byte.
    fn range(physical: u32, bytes: u32) -> std::ops::RangeInclusive<u32> {
        physical >> LINE_LOG2..=(physical + (bytes.max(1) - 1)) >> LINE_LOG2
    }

    /// Memory was written past the L2.
    pub fn write_past(&mut self, physical: u32, bytes: u32) {
        self.lines.extend(Self::range(physical, bytes));
    }

    /// Memory was written through the L2; a whole line is then right in both.
    pub fn write_through(&mut self, physical: u32, bytes: u32) {
        if self.lines.is_empty() {
            return;
        }
        let end = u64::from(physical) + u64::from(bytes);
        for line in Self::range(physical, bytes) {
            let first = u64::from(line) << LINE_LOG2;
            if first >= physical.into() && first + (1 << LINE_LOG2) <= end {
                self.lines.remove(&line);
            }
        }
    }

    /// The first address of a range that the L2 may hold an old copy of.
    #[inline]
    pub fn old_in_l2(&self, physical: u32, bytes: u32) -> Option<u32> {
        if self.lines.is_empty() {
            return None;
        }
        let mut lines = Self::range(physical, bytes);
        let old = lines.find(|line| self.lines.contains(line))?;
        Some((old << LINE_LOG2).max(physical))
    }

    /// The first address of a range that memory may hold an old copy of.
    pub fn old_in_memory(&self, physical: u32, bytes: u32) -> Option<u32> {
        let mut lines = Self::range(physical, bytes);
        let old = lines.find(|line| !self.lines.contains(line))?;
        Some((old << LINE_LOG2).max(physical))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_past_is_old_in_the_l2_until_a_whole_line_goes_through() {
        let mut past = PastL2::default();
        assert_eq!(past.old_in_memory(0x1004, 4), Some(0x1004));
        past.write_past(0x1030, 0x20);
        assert_eq!(past.old_in_l2(0x1000, 4), Some(0x1000));
        assert_eq!(past.old_in_l2(0x0fc0, 0x100), Some(0x1000));
        assert_eq!(past.old_in_l2(0x1080, 64), None);
        assert_eq!(past.old_in_memory(0x1000, 128), None);
        past.write_through(0x1004, 0x3c);
        assert_eq!(
            past.old_in_l2(0x1000, 4),
            Some(0x1000),
            "a part is not enough"
        );
        past.write_through(0x1000, 0x40);
        assert_eq!(past.old_in_l2(0x1000, 64), None);
        assert_eq!(past.old_in_l2(0x1000, 65), Some(0x1040));
    }
}
