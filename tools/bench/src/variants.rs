//! Transforms on models with other constants: the part of a ratio that is the model's.

use crate::case::Case;
use crate::run::{PeerSource, run};
use crate::tried::{Tried, TriedRow};
use anyhow::Result;
use fidelity::Userland;
use fidelity::variants::{LARGEST, Variant, all};
use qpu_fft::Direction;

/// True if a case is run with other constants: if the peer has it as well, up to the greatest
/// length with published times.
#[must_use]
pub fn is_tried(case: &Case) -> bool {
    case.has_peer() && case.direction == Direction::Inverse && case.log2n <= LARGEST
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
    if cases.is_empty() {
        return Ok(Vec::new());
    }
    let source = PeerSource::Shaders(userland);
    let of_variant = |variant: Variant| {
        progress(&format!("with other constants: {}", variant.name));
        let rows = run(&cases, &source, &variant.constants, &|_| ())?;
        let rows = rows.iter().filter_map(|row| {
            Some(TriedRow {
                log2n: row.case.log2n,
                batch: row.case.batch,
                cycles: row.ours.as_ref()?.cycles,
                peer_cycles: row.peer.as_ref()?.cycles,
            })
        });
        Ok(Tried {
            name: variant.name.into(),
            rows: rows.collect(),
        })
    };
    all().into_iter().map(of_variant).collect()
}
