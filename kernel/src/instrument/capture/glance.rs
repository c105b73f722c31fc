//! A glance at samples that the QPUs transform where they lie: the ARM counts the clipped ones.
//!
//! A word takes the ARM 26 ns (simulated), so at 20 MS/s a look at each would take a quarter of its
//! time. Then it looks at some only, and the count is the least.

use core::ops::Range;

use super::{Capture, Port};

/// The bytes that the ARM can look at in a second beside its other work: a tenth of what it could
/// with no other.
const GLANCE_BYTES_A_SECOND: f64 = 4e6;
/// Frames that are looked at together, or left out.
const GLANCE_FRAMES: u64 = 128;

impl Capture {
    /// Hands over frames as [`super::Ring::read`] does, but at high rates the ARM has no time for
    /// all of them: then some are left out ([`Self::glances_at`]).
    pub(in crate::instrument) fn glance(
        &self,
        port: &mut impl Port,
        first: u64,
        count: u64,
        mut take: impl FnMut(&[u32], Range<usize>),
    ) {
        let part = u64::from(self.glances_at());
        let end = first + count;
        let mut at = first;
        while at < end {
            let stop = end.min(at - at % GLANCE_FRAMES + GLANCE_FRAMES);
            let is_seen = (at / GLANCE_FRAMES).is_multiple_of(part);
            if is_seen {
                self.ring.read(port.memory(), at, stop - at, &mut take);
            }
            at = stop;
        }
    }

    /// One in so many frames is looked at for clipping.
    pub(in crate::instrument) fn glances_at(&self) -> u32 {
        let rate = self.rate().map_or(0.0, |it| it.rate.to_hz());
        let bytes = rate * f64::from(self.wiring.frame_bytes());
        let fits = |part: &u32| bytes <= f64::from(*part) * GLANCE_BYTES_A_SECOND;
        [1, 2, 4, 8].into_iter().find(fits).unwrap_or(16)
    }
}
