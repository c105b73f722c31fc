//! In which commands a program of 2^9 points stores its outputs.

use super::CODELET;

/// Outputs of a program of 2^9 points that it stores together: every `step`th from `first` on, of each two rows of
/// memory, 16 apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outputs {
    pub(super) first: u8,
    /// Rows of memory from one to the next; a power of two.
    pub step: u8,
}

/// What it stores, in order. The first is short, so that the engine starts early; the last is long, because each
/// takes a start.
pub const STORES: [Outputs; 3] = [
    Outputs { first: 1, step: 4 },
    Outputs { first: 3, step: 4 },
    Outputs { first: 0, step: 2 },
];

impl Outputs {
    /// Numbers of the outputs.
    pub fn all(self) -> impl Iterator<Item = u8> {
        (self.first..CODELET as u8).step_by(usize::from(self.step))
    }

    /// Their rows.
    pub(super) const fn rows(self) -> u8 {
        2 * CODELET as u8 / self.step
    }
}

/// Rows of the stores before number `index`.
pub(super) fn rows_before(index: u8) -> u8 {
    let before = STORES.iter().take(usize::from(index));
    before.map(|outputs| outputs.rows()).sum()
}
