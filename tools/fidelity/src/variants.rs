//! Other constants whose run times the report prints beside those of the recommended ones.

use crate::fits::{Values, fits};
use v3d_sim::{Constants, LaunchOrder};

/// Longest transforms (log2) that are run with other constants: the rest take most of the time.
pub const LARGEST: u32 = 18;

/// A set of constants, and why it is looked at.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    /// A short name.
    pub name: &'static str,
    /// The difference and its purpose.
    pub why: &'static str,
    /// The set.
    pub constants: Constants,
}

/// All of them.
#[must_use]
pub fn all() -> Vec<Variant> {
    let fits = fits();
    let order = Constants::recommended().launch_order;
    let other_order = match order {
        LaunchOrder::Descending => LaunchOrder::RoundSlices,
        LaunchOrder::RoundSlices => LaunchOrder::Descending,
    };
    vec![
        Variant {
            name: "as printed",
            why: "the constants that the fitting set gives when its times are what is printed",
            constants: with(fits.found(order, "middle")),
        },
        Variant {
            name: "fast end",
            why: "the same when its times are the shortest that are printed so: the fast end of SDRAM and system L2",
            constants: with(fits.found(order, "fast")),
        },
        Variant {
            name: "slow end",
            why: "the same when they are the longest: the slow end",
            constants: with(fits.found(order, "slow")),
        },
        Variant {
            name: match other_order {
                LaunchOrder::Descending => "order 11, 10, 9",
                LaunchOrder::RoundSlices => "order 11, 7, 3",
            },
            why: "programs given to QPUs in the other order for which there is evidence, with the constants that the fitting set gives for it",
            constants: Constants {
                launch_order: other_order,
                ..with(fits.found(other_order, "middle"))
            },
        },
        Variant {
            name: "no turnaround",
            why: "SDRAM that turns between reads and writes in no time, with the constants that the fitting set gives for it",
            constants: with(&fits.no_turnaround),
        },
        Variant {
            name: "icache 2 KiB",
            why: "instruction caches of half the published size, which fitted the times of the study better",
            constants: Constants::with_small_instruction_cache(),
        },
    ]
}

/// The recommended constants with some of another value.
fn with(values: &Values) -> Constants {
    let mut constants = Constants::recommended();
    for (name, value) in values {
        assert!(constants.set(name, *value), "no constant is called {name}");
    }
    constants
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_names_constants_that_exist() {
        assert_eq!(all().len(), 6);
    }
}
