//! Import circles: no more of them than the limits allow, and none that is larger.

use crate::circles::{self, Package};
use anyhow::Result;
use std::path::Path;

/// A sentence for each package of the workspace at `root` with more circles than `limits` allow.
///
/// # Errors
/// When a source cannot be read.
pub fn check(root: &Path, limits: &[(&str, usize, usize)]) -> Result<Vec<String>> {
    let packages = circles::packages(root)?;
    Ok(packages
        .iter()
        .filter_map(|package| too_many(package, limits))
        .collect())
}

fn too_many(package: &Package, limits: &[(&str, usize, usize)]) -> Option<String> {
    let limit = limits.iter().find(|(name, ..)| *name == package.name);
    let (_, most, largest) = *limit.unwrap_or(&("", 0, 0));
    let count = package.circles.len();
    let size = package.circles.iter().map(Vec::len).max().unwrap_or(0);
    (count > most || size > largest).then(|| {
        format!(
            "{} has {count} import circles, the largest of {size} modules; allowed are {most}, of at most \
             {largest}; `cargo xtask circles` prints the names that tie them",
            package.name
        )
    })
}
