//! Levels: their coding in the waterfall, and the levels at both ends of its scale.
//!
//! A row of the waterfall keeps hundredths of a decibel in 16 bits, like the protocol, so that
//! minutes of it fit in memory.

/// Decibels of a step.
const STEP_DB: f64 = 0.01;
/// The level of step 0, which stands for a power of 0 and for all that is less than this.
const LEAST_DB: f64 = -400.0;
/// The step of a bin that was lost.
pub const LOST: u16 = u16::MAX;

/// The share of bins below the scale: noise looks like the background, nearly.
const LOW_SHARE: f32 = 0.30;
/// The share of bins below the upper end.
const HIGH_SHARE: f32 = 0.9995;
/// The least and the most decibels of a scale: what lies further below is rounding.
const RANGE_DB: [f64; 2] = [20.0, 120.0];
/// The weight that a record keeps when the next one comes.
const KEPT: f32 = 0.9;
/// The share of the way to new levels that is gone at each record.
const PACE: f64 = 0.2;
/// The distance from which on the scale follows: each time all rows are drawn anew.
const SLACK_DB: f64 = 1.5;
/// Steps of a level in a column of the histogram: half a decibel.
const COLUMN: usize = 50;
const COLUMNS: usize = LOST as usize / COLUMN + 1;

/// Level of a linear power, in dB; zero power reads -300, not minus infinity. NaN stays NaN.
#[must_use]
pub fn decibels(power: f64) -> f64 {
    if power.is_nan() {
        return f64::NAN;
    }
    10.0 * power.max(1e-30).log10()
}

/// The step of a linear power; one that is lost or no number is [`LOST`].
#[must_use]
pub fn step_of(power: f64) -> u16 {
    if !(power >= 0.0 && power.is_finite()) {
        return LOST;
    }
    let step = ((10.0 * power.log10() - LEAST_DB) / STEP_DB).round();
    // The logarithm of 0 is minus infinity, which is step 0.
    step.clamp(0.0, f64::from(LOST - 1)) as u16
}

/// The level of a step in dB; NaN if it was lost.
#[must_use]
pub fn db_of(step: u16) -> f64 {
    match step {
        LOST => f64::NAN,
        step => f64::from(step) * STEP_DB + LEAST_DB,
    }
}

/// The levels at both ends of a scale of colours.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ends {
    /// The weakest.
    pub from_db: f64,
    /// The strongest.
    pub to_db: f64,
}

/// Levels that follow the percentiles of the last records until they are locked.
#[derive(Clone, Debug)]
pub struct Levels {
    /// Weights of bins by level.
    histogram: Vec<f32>,
    /// The smoothed percentiles, which the shown ends follow.
    pub found: Option<Ends>,
    /// The ends of the scale that is shown; [`Levels::set`] keeps them at least a decibel apart.
    pub shown: Ends,
    /// True if they stay as they are.
    pub is_locked: bool,
}

impl Default for Levels {
    fn default() -> Self {
        Self {
            histogram: vec![0.0; COLUMNS],
            found: None,
            shown: Ends {
                from_db: -120.0,
                to_db: 0.0,
            },
            is_locked: false,
        }
    }
}

impl Levels {
    /// Sets both ends and locks them. Ends that are no numbers, or less than a decibel apart,
    /// change nothing.
    pub fn set(&mut self, ends: Ends) {
        if ends.from_db.is_finite() && ends.to_db.is_finite() && ends.to_db - ends.from_db >= 1.0 {
            self.shown = ends;
            self.is_locked = true;
        }
    }

    /// Forgets what came before: spectra of another kind follow.
    pub fn forget(&mut self) {
        self.histogram.fill(0.0);
        self.found = None;
    }

    /// Takes the steps of a record in; returns whether the shown ends have changed, which they may
    /// only where `may_change`.
    pub fn take(&mut self, steps: &[u16], may_change: bool) -> bool {
        for weight in &mut self.histogram {
            *weight *= KEPT;
        }
        // Nothing, step 0, says nothing about noise.
        for &step in steps.iter().filter(|&&step| step != 0 && step != LOST) {
            self.histogram[step as usize / COLUMN] += 1.0;
        }
        let Some(found) = self.percentiles() else {
            return false;
        };
        let is_first = self.found.is_none();
        let smooth = self.found.get_or_insert(found);
        smooth.from_db += PACE * (found.from_db - smooth.from_db);
        smooth.to_db += PACE * (found.to_db - smooth.to_db);
        let away = |shown: f64, now: f64| (shown - now).abs() > SLACK_DB;
        let is_away =
            away(self.shown.from_db, smooth.from_db) || away(self.shown.to_db, smooth.to_db);
        if self.is_locked || !may_change || !(is_away || is_first) {
            return false;
        }
        let before = self.shown;
        self.shown = Ends {
            from_db: smooth.from_db.round(),
            to_db: smooth.to_db.round(),
        };
        self.shown != before
    }

    /// The percentiles of the last records, at a useful distance from each other.
    fn percentiles(&self) -> Option<Ends> {
        let total: f32 = self.histogram.iter().sum();
        if total < 0.5 {
            return None;
        }
        let place = |share: f32| {
            let mut left = share * total;
            let column = self.histogram.iter().position(|&weight| {
                left -= weight;
                left <= 0.0 && weight > 0.0
            });
            let last = self.histogram.iter().rposition(|&weight| weight > 0.0);
            let column = column.or(last).unwrap_or(0);
            (column as f64 + 0.5) * COLUMN as f64 * STEP_DB + LEAST_DB
        };
        let to_db = place(HIGH_SHARE);
        let [least, most] = RANGE_DB;
        let from_db = place(LOW_SHARE).clamp(to_db - most, to_db);
        Some(Ends {
            from_db,
            to_db: to_db.max(from_db + least),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_hundredths_of_a_decibel() {
        for (power, step, db) in [
            (1.0, 40_000, 0.0),
            (0.0, 0, -400.0),
            (1e-9, 31_000, -90.0),
            (1e300, 65_534, 255.34),
        ] {
            assert_eq!(step_of(power), step, "{power}");
            assert!((db_of(step) - db).abs() < 1e-9, "{power}");
        }
        for power in [f64::NAN, f64::INFINITY, -1.0] {
            assert_eq!(step_of(power), LOST, "{power}");
        }
        assert!(db_of(LOST).is_nan());
    }

    /// Noise at a level with three bins of a tone at 0 dB, and numbers that are none.
    fn record(noise_db: f64) -> Vec<u16> {
        let mut steps: Vec<u16> = (0..2049)
            .map(|bin| step_of(10_f64.powf((noise_db + f64::from(bin % 11) - 5.0) / 10.0)))
            .collect();
        steps[500..503].fill(step_of(1.0));
        steps[7] = LOST;
        steps[8] = 0;
        steps
    }

    #[test]
    fn ends_follow_percentiles_smoothly_unless_they_are_locked() {
        let mut levels = Levels::default();
        assert!(levels.take(&record(-90.0), true));
        let first = levels.shown;
        assert!((first.from_db + 92.0).abs() <= 1.0, "{first:?}");
        assert!(first.to_db.abs() <= 1.0, "{first:?}");
        // The same again draws nothing anew.
        assert!((0..50).all(|_| !levels.take(&record(-90.0), true)));
        levels.take(&record(-60.0), true);
        assert!(levels.shown.from_db < -80.0, "one record is no level");
        levels.is_locked = true;
        let locked = levels.shown;
        assert!((0..100).all(|_| !levels.take(&record(-60.0), true)));
        assert_eq!(levels.shown, locked);
        levels.is_locked = false;
        levels.take(&record(-60.0), true);
        assert!((levels.shown.from_db + 62.0).abs() <= 2.0);
    }

    #[test]
    fn silence_and_nonsense_change_nothing() {
        let mut levels = Levels::default();
        let before = levels.shown;
        assert!(!levels.take(&[0, LOST, LOST], true));
        levels.set(Ends {
            from_db: f64::NAN,
            to_db: 0.0,
        });
        levels.set(Ends {
            from_db: -3.0,
            to_db: -3.5,
        });
        assert_eq!((levels.shown, levels.is_locked), (before, false));
    }
}
