//! The limits that lint holds the tree to, in one place.
//!
//! Each is the number found when it was written down, or the one that was decided, if that is
//! reached; a check without one may find nothing. A limit may only fall: `cargo xtask lint --count`
//! prints what is found beside it.

/// Import circles by package: how many, and how many modules the largest has. Others have none.
/// Decided: qpu 2 circles, v3d-sim 1 of 12 modules, virtual-pi 1 of 11, others none.
pub const CIRCLES: &[(&str, usize, usize)] =
    &[("qpu", 1, 2), ("v3d-sim", 1, 6), ("virtual-pi", 1, 11)];

/// Lines of the longest of nine tenths of all files. Decided: 350.
pub const P90: usize = 350;

/// Lines of the longest function of the product. Decided: 100.
pub const FUNCTION: usize = 100;

/// Lines with names that are gone, by package. Decided: none but where a word means something else.
pub const NAMES: &[(&str, usize)] = &[("qpu", 18)];

/// Doc comments with a poor opening, in percent of each package. Decided: 2.
pub const OPENINGS: usize = 2;
