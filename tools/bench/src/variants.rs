//! Transforms on models with other constants: the part of a ratio that is the model's.

use crate::case::{Case, Kind, PEER_LENGTHS};
use crate::copy;
use crate::row::Row;
use crate::run::{PeerSource, run};
use anyhow::Result;
use fidelity::Userland;
use fidelity::variants::{LARGEST, Variant, all};
use qpu::fft::Direction;

/// Results with one set of constants.
pub struct Tried {
    /// The set.
    pub variant: Variant,
    /// A row for each case that [`is_tried`].
    pub rows: Vec<Row>,
}

/// True if a case is run with other constants: if the peer has it as well, up to the greatest
/// length with published times.
#[must_use]
pub fn is_tried(case: &Case) -> bool {
    case.kind == Kind::Complex
        && case.direction == Direction::Inverse
        && PEER_LENGTHS.contains(&case.log2n)
        && case.log2n <= LARGEST
}

/// Runs both sides of those of the cases with each set. `progress` is told what is done.
///
/// # Errors
/// The first that happened.
pub fn try_all(
    cases: &[Case],
    userland: &Userland,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Tried>> {
    let cases: Vec<Case> = cases.iter().copied().filter(is_tried).collect();
    let source = PeerSource::Shaders(userland);
    let of_variant = |variant: Variant| {
        progress(&format!("with other constants: {}", variant.name));
        let roofline = copy::roofline(&variant.constants)?;
        let rows = run(&cases, &source, &roofline, &variant.constants, &|_| ())?;
        Ok(Tried { variant, rows })
    };
    all().into_iter().map(of_variant).collect()
}
