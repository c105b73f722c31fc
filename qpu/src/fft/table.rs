//! Which split each length takes: the fastest on the simulator.

use super::split::Split;

/// The split of 2^`log2_points` points, for a batch of `batch`; `None` for lengths that have none.
#[must_use]
pub fn split(log2_points: u32, batch: u32) -> Option<Split> {
    let _ = batch;
    let radices: &[u8] = match log2_points {
        4..=8 => &[log2_points as u8],
        9 => &[4, 5],
        10 => &[5, 5],
        11 => &[6, 5],
        12 => &[6, 6],
        13 => &[6, 7],
        14 => &[4, 5, 5],
        15 => &[5, 5, 5],
        16 => &[6, 5, 5],
        17 => &[6, 5, 6],
        18 => &[6, 6, 6],
        19 => &[6, 6, 7],
        20 => &[6, 7, 7],
        21 => &[6, 5, 5, 5],
        22 => &[6, 5, 5, 6],
        _ => return None,
    };
    Split::new(radices)
}
