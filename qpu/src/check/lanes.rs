//! The lanes of a rotated operand that its destination takes.
//!
//! Programs keep vectors of scalars: one lane of a register is written under a condition, and
//! another is rotated to where r5, an address or a setup takes it. Source: Broadcom's shaders for
//! `OpenVG`, py-videocore's products of matrices.

use super::facts::{Facts, Write};
use crate::isa::{AddOp, Rotation, Slot, waddr};

/// True if a destination takes the first lane of a result or of each quad, and no other.
fn takes_first_lanes(write: &Write) -> bool {
    matches!(
        write.waddr,
        waddr::ACC5
            | waddr::TMU_NOSWAP
            | waddr::UNIFORMS_ADDRESS
            | waddr::VPMVCD_SETUP
            | waddr::VPM_ADDR
    )
}

/// True if all that is wanted of a rotated result are the first lanes of its quads.
pub(super) fn rotates_to_first_lanes(at: &Facts) -> bool {
    let Some(alu) = at.alu().filter(|alu| alu.rotation().is_some()) else {
        return false;
    };
    let sets_flags = alu.write.sf && alu.op_add == AddOp::Nop;
    let mut products = at.writes.iter().filter(|write| write.slot == Slot::Mul);
    !sets_flags && products.all(takes_first_lanes)
}

/// True if all that is wanted of a rotated result comes from its own quad, over all lanes or inside
/// quads: `<< 1` to `<< 3`, into the first lanes.
pub(super) fn stays_in_quads(at: &Facts) -> bool {
    let by = at.alu().and_then(|alu| alu.rotation());
    matches!(by, Some(Rotation::By(13..=15))) && rotates_to_first_lanes(at)
}
