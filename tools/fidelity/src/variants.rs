//! Other constants whose run times the report prints beside those of the recommended ones.

use v3d_sim::{Constants, LaunchOrder};

/// Longest transforms (log2) that are run with other constants: the rest take most of the time.
pub const LARGEST: u32 = 18;

/// A set of constants, and why it is looked at.
#[derive(Clone, PartialEq, Debug)]
pub struct Variant {
    /// A short name.
    pub name: &'static str,
    /// What differs, and what for.
    pub why: &'static str,
    /// The set.
    pub constants: Constants,
}

/// Constants that coordinate descent gave from the fitting set alone (`fidelity fit --largest 16`), with
/// the recommended order of QPUs.
const FITTED_ALONE: &[(&str, f64)] = &[
    ("read_bus", 5.16),
    ("system_l2_hit", 23.68),
    ("sdram_latency", 0.17),
    ("sdram_line", 8.15),
    ("sdram_row", 9.69),
    ("vpm_column", 7.87),
    ("direct_launch_us", 12.5),
];

/// Both ends of what the published times allow for sustained SDRAM and system L2 rates. Faster than
/// the one, 2^13 leaves its bands further; slower than the other, 2^14 leaves its own and so do the
/// clocks of the counter table.
const FAST_MEMORY: &[(&str, f64)] = &[
    ("read_bus", 5.1),
    ("sdram_line", 8.1),
    ("sdram_row", 9.7),
    ("sdram_latency", 1.9),
];
const SLOW_MEMORY: &[(&str, f64)] = &[
    ("read_bus", 5.4),
    ("sdram_line", 8.7),
    ("sdram_row", 11.5),
    ("sdram_latency", 1.3),
];

/// All of them.
#[must_use]
pub fn all() -> Vec<Variant> {
    let recommended = Constants::recommended();
    let other_order = match recommended.launch_order {
        LaunchOrder::Descending => LaunchOrder::RoundSlices,
        LaunchOrder::RoundSlices => LaunchOrder::Descending,
    };
    vec![
        Variant {
            name: "fitting set alone",
            why: "the same structure, with the constants that the fitting set alone gave; without its 2^18, and in the recommended order of QPUs only",
            constants: with(FITTED_ALONE),
        },
        Variant {
            name: "icache 2 KiB",
            why: "instruction caches of half the published size, which fitted the times of the study better",
            constants: Constants::with_small_instruction_cache(),
        },
        Variant {
            name: match other_order {
                LaunchOrder::Descending => "order 11, 10, 9",
                LaunchOrder::RoundSlices => "order 11, 7, 3",
            },
            why: "programs given to QPUs in the other order for which there is evidence",
            constants: Constants {
                launch_order: other_order,
                ..recommended
            },
        },
        Variant {
            name: "fast memory",
            why: "the fast end of the range of SDRAM and system L2 that the published times leave",
            constants: with(FAST_MEMORY),
        },
        Variant {
            name: "slow memory",
            why: "its slow end",
            constants: with(SLOW_MEMORY),
        },
    ]
}

/// The recommended constants with some of another value.
fn with(values: &[(&str, f64)]) -> Constants {
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
        assert_eq!(all().len(), 5);
    }
}
