//! The import circles that packages may have.

/// Import circles by package: how many, and how many modules the largest has. Others have none.
pub const CIRCLES: &[(&str, usize, usize)] = &[("v3d-sim", 1, 6), ("virtual-pi", 1, 11)];
