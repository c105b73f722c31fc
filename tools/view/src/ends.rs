//! The levels at the top and at the bottom of the spectrum: set by a user, or following what is
//! there.

/// Levels are whole multiples of this.
const GRID_DB: f64 = 10.0;
/// Room above the highest level.
const ROOM_DB: f64 = 3.0;
/// Room below the level that few bins of noise are below.
const NOISE_ROOM_DB: f64 = 8.0;
/// Records during which the picture may be higher than it needs to be.
const PATIENCE: u32 = 60;
/// The least and the greatest range.
const RANGE_DB: [f64; 2] = [10.0, 400.0];

/// The reference level, at the top, and the range below it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Scale {
    /// Level at the top.
    pub reference_db: f64,
    /// Decibels from the top to the bottom.
    pub range_db: f64,
    /// True if both follow the records.
    pub is_automatic: bool,
    /// Records since the last one that needed the whole height.
    unused: u32,
}

impl Default for Scale {
    fn default() -> Self {
        Self {
            reference_db: 0.0,
            range_db: 120.0,
            is_automatic: true,
            unused: 0,
        }
    }
}

impl Scale {
    /// Sets both and ends following. What is no number, or no range, changes nothing.
    pub fn set(&mut self, reference_db: f64, range_db: f64) {
        let [least, most] = RANGE_DB;
        if reference_db.is_finite() && (least..=most).contains(&range_db) {
            self.reference_db = reference_db.clamp(-400.0, 400.0);
            self.range_db = range_db;
            self.is_automatic = false;
        }
    }

    /// Follows the highest level of a record and the level of its noise.
    pub(crate) fn follow(&mut self, highest_db: f64, noise_db: f64) {
        if !self.is_automatic || !highest_db.is_finite() || !noise_db.is_finite() {
            return;
        }
        // Nothing is added to a zero that has a sign.
        let top = ((highest_db + ROOM_DB) / GRID_DB).ceil() * GRID_DB + 0.0;
        let bottom = ((noise_db - NOISE_ROOM_DB) / GRID_DB).floor() * GRID_DB;
        let bottom = bottom.clamp(top - 200.0, top - 40.0);
        let shown = [self.reference_db, self.reference_db - self.range_db];
        let is_less = top < shown[0] || bottom > shown[1];
        self.unused = if is_less { self.unused + 1 } else { 0 };
        let [mut to, mut from] = [top.max(shown[0]), bottom.min(shown[1])];
        if self.unused > PATIENCE {
            [to, from] = [top, bottom];
            self.unused = 0;
        }
        (self.reference_db, self.range_db) = (to, to - from);
    }

    /// Lets the next record decide alone.
    pub(crate) fn forget(&mut self) {
        self.unused = PATIENCE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_grows_at_once_and_shrinks_late() {
        let mut scale = Scale::default();
        scale.forget();
        scale.follow(-20.0, -91.0);
        assert_eq!((scale.reference_db, scale.range_db), (-10.0, 90.0));
        scale.follow(4.0, -91.0);
        assert_eq!((scale.reference_db, scale.range_db), (10.0, 110.0));
        for _ in 0..PATIENCE {
            scale.follow(-20.0, -91.0);
        }
        assert_eq!(scale.reference_db, 10.0);
        scale.follow(-20.0, -91.0);
        assert_eq!((scale.reference_db, scale.range_db), (-10.0, 90.0));
        scale.follow(f64::NAN, f64::INFINITY);
        assert_eq!(scale.reference_db, -10.0);
    }

    #[test]
    fn a_scale_that_was_set_stays() {
        let mut scale = Scale::default();
        scale.set(-30.0, 60.0);
        scale.follow(20.0, -150.0);
        scale.set(f64::NAN, 60.0);
        scale.set(0.0, 0.0);
        assert_eq!((scale.reference_db, scale.range_db), (-30.0, 60.0));
        assert!(!scale.is_automatic);
    }
}
