//! Which schedule each kind's loop has: what searches found.
//!
//! Made by `cargo run --release -p qpu --example search_schedules`; without an entry, a few simple
//! mixtures are tried when the program is built.

use crate::fft::Role;
use crate::fft::program::Kind;
use crate::generate::schedule::Taste;

/// The taste of a kind.
pub fn of(kind: Kind) -> Taste {
    let entry = TASTES
        .iter()
        .find(|(role, radix, ..)| (*role, *radix) == (kind.role, kind.radix));
    entry.map_or_else(Taste::default, |(_, _, order, moves)| Taste {
        order: Some(*order),
        moves: moves.to_vec(),
    })
}

/// Role, radix, share of program order, moves.
#[rustfmt::skip]
const TASTES: &[(Role, u16, u8, &[u16])] = &[
];
