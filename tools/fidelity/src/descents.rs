//! Results of the fitting set alone: the descents of `fidelity fit`, as they were run.
//!
//! Written down and not run by the report, because each takes minutes. A descent from far away can
//! end where no single constant helps any more, with a cost above that of the best; how far such
//! ends lie apart shows how much the fitting set leaves open.

use crate::fit::Values;
use v3d_sim::LaunchOrder;

/// Result of a descent (`fidelity fit`) from the fitting set alone.
pub struct Descent {
    /// The order in which QPUs were given programs.
    pub order: LaunchOrder,
    /// Its starting point: a name in [`crate::fit::STARTS`].
    pub start: &'static str,
    /// The reading of published times ([`crate::fit::Printed`]).
    pub printed: &'static str,
    /// Its cost.
    pub cost: f64,
    /// The values that it found.
    pub found: Values,
}

/// All descents. Each is `fidelity fit --start START --printed PRINTED --set order=ORDER`.
pub const DESCENTS: &[Descent] = &[
    Descent {
        order: LaunchOrder::Descending,
        start: "middle",
        printed: "middle",
        cost: 0.2415,
        found: &[
            ("read_bus", 5.3),
            ("system_l2_hit", 22.0),
            ("sdram_latency", 3.21),
            ("sdram_line", 6.79),
            ("sdram_row", 12.1),
            ("vpm_column", 7.125),
            ("tmu_misses", 8.0),
            ("direct_launch_us", 12.73),
        ],
    },
    Descent {
        order: LaunchOrder::Descending,
        start: "slow",
        printed: "middle",
        cost: 0.3564,
        found: &[
            ("read_bus", 5.488),
            ("system_l2_hit", 19.66),
            ("sdram_latency", 4.701),
            ("sdram_line", 7.634),
            ("sdram_row", 10.84),
            ("vpm_column", 7.82),
            ("tmu_misses", 6.0),
            ("direct_launch_us", 13.17),
        ],
    },
    Descent {
        order: LaunchOrder::Descending,
        start: "fast",
        printed: "middle",
        cost: 0.3409,
        found: &[
            ("read_bus", 5.28),
            ("system_l2_hit", 23.53),
            ("sdram_latency", 2.301),
            ("sdram_line", 6.164),
            ("sdram_row", 10.86),
            ("vpm_column", 7.237),
            ("tmu_misses", 12.0),
            ("direct_launch_us", 12.1),
        ],
    },
    Descent {
        order: LaunchOrder::Descending,
        start: "middle",
        printed: "fast",
        cost: 0.2409,
        found: &[
            ("read_bus", 5.4),
            ("system_l2_hit", 23.39),
            ("sdram_latency", 2.348),
            ("sdram_line", 6.263),
            ("sdram_row", 12.78),
            ("vpm_column", 6.573),
            ("tmu_misses", 8.0),
            ("direct_launch_us", 12.3),
        ],
    },
    Descent {
        order: LaunchOrder::Descending,
        start: "middle",
        printed: "slow",
        cost: 0.2176,
        found: &[
            ("read_bus", 5.4),
            ("system_l2_hit", 24.35),
            ("sdram_latency", 0.5053),
            ("sdram_line", 7.143),
            ("sdram_row", 12.78),
            ("vpm_column", 6.903),
            ("tmu_misses", 10.0),
            ("direct_launch_us", 12.69),
        ],
    },
    Descent {
        order: LaunchOrder::RoundSlices,
        start: "middle",
        printed: "middle",
        cost: 0.2968,
        found: &[
            ("read_bus", 5.333),
            ("system_l2_hit", 23.68),
            ("sdram_latency", 1.685),
            ("sdram_line", 6.638),
            ("sdram_row", 12.94),
            ("vpm_column", 6.174),
            ("tmu_misses", 7.0),
            ("direct_launch_us", 12.46),
        ],
    },
    Descent {
        order: LaunchOrder::RoundSlices,
        start: "slow",
        printed: "middle",
        cost: 0.4,
        found: &[
            ("read_bus", 5.437),
            ("system_l2_hit", 18.93),
            ("sdram_latency", 5.489),
            ("sdram_line", 7.577),
            ("sdram_row", 10.7),
            ("vpm_column", 7.87),
            ("tmu_misses", 10.0),
            ("direct_launch_us", 12.69),
        ],
    },
    Descent {
        order: LaunchOrder::RoundSlices,
        start: "fast",
        printed: "middle",
        cost: 0.3974,
        found: &[
            ("read_bus", 5.263),
            ("system_l2_hit", 23.97),
            ("sdram_latency", 1.863),
            ("sdram_line", 6.164),
            ("sdram_row", 10.65),
            ("vpm_column", 6.548),
            ("tmu_misses", 8.0),
            ("direct_launch_us", 12.1),
        ],
    },
];

/// Values that the descent from the middle found, for an order of QPUs and a reading of the printed
/// times.
#[must_use]
pub fn found(order: LaunchOrder, printed: &str) -> Values {
    let from_the_middle = |descent: &&Descent| {
        (descent.order, descent.start, descent.printed) == (order, "middle", printed)
    };
    let descent = DESCENTS.iter().find(from_the_middle);
    descent.map_or(&[], |descent| descent.found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{STARTS, free};
    use v3d_sim::Constants;

    #[test]
    fn each_starts_somewhere_and_found_a_value_for_all_that_is_free() {
        for descent in DESCENTS {
            assert!(STARTS.iter().any(|(name, _)| *name == descent.start));
            for constant in free() {
                let is_it = |(name, _): &(&str, f64)| *name == constant.name;
                assert!(descent.found.iter().any(is_it), "{}", constant.name);
            }
            let mut constants = Constants::recommended();
            for (name, value) in descent.found {
                assert!(constants.set(name, *value), "{name}");
            }
        }
        for (order, printed) in [
            (LaunchOrder::Descending, "fast"),
            (LaunchOrder::Descending, "middle"),
            (LaunchOrder::Descending, "slow"),
            (LaunchOrder::RoundSlices, "middle"),
        ] {
            assert!(!found(order, printed).is_empty());
        }
    }
}
