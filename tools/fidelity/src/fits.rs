//! Where descents of `fidelity fit` start, and what they found from the fitting set alone.
//!
//! Written down in `fits.json` and not run by the report, because each takes minutes. A descent
//! from far away can end where no single constant helps any more, with a cost above that of the
//! best; how far such ends lie apart shows how much the fitting set leaves open.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use v3d_sim::LaunchOrder;

/// Values of constants by name.
pub type Values = BTreeMap<String, f64>;

/// The file.
#[derive(Deserialize)]
pub struct Fits {
    /// Starting points: one beyond the fast end of what is plausible, one beyond the slow end, and
    /// one between them.
    pub starts: BTreeMap<String, Values>,
    /// Each is `fidelity fit --start START --printed PRINTED --set order=ORDER`.
    pub descents: Vec<Descent>,
    /// Values that the fitting set gives to a model whose SDRAM turns and recovers in no time,
    /// found by an earlier form of the descent: four rounds with all lengths, from the values that
    /// were recommended then.
    pub no_turnaround: Values,
}

/// Result of a descent from the fitting set alone.
#[derive(Deserialize)]
pub struct Descent {
    /// The order in which QPUs were given programs: [`LaunchOrder::name`].
    pub order: String,
    /// Its starting point.
    pub start: String,
    /// The reading of published times ([`crate::fit::Printed`]).
    pub printed: String,
    /// Its cost.
    pub cost: f64,
    /// The values that it found.
    pub found: Values,
}

/// All of them.
///
/// # Panics
/// When `fits.json` is not of this form.
pub fn fits() -> &'static Fits {
    static FITS: LazyLock<Fits> = LazyLock::new(|| {
        serde_json::from_str(include_str!("../fits.json")).expect("fits.json is of this form")
    });
    &FITS
}

impl Fits {
    /// Values that the descent from the middle found, for an order of QPUs and a reading of the
    /// printed times.
    ///
    /// # Panics
    /// When there is no such descent.
    #[must_use]
    pub fn found(&self, order: LaunchOrder, printed: &str) -> &Values {
        let wanted = (order.name(), "middle", printed);
        let is_it = |it: &&Descent| (it.order.as_str(), &*it.start, &*it.printed) == wanted;
        let descent = self.descents.iter().find(is_it);
        &descent.expect("there is a descent from the middle").found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::free;
    use v3d_sim::Constants;

    #[test]
    fn each_starts_somewhere_and_found_a_value_for_all_that_is_free() {
        for descent in &fits().descents {
            assert!(fits().starts.contains_key(&descent.start));
            for constant in free() {
                assert!(descent.found.contains_key(&constant.name));
            }
            let mut constants = Constants::recommended();
            for (name, value) in &descent.found {
                assert!(constants.set(name, *value), "{name}");
            }
        }
    }
}
