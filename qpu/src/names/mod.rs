//! The words of assembly text: registers, operations, signals, conditions, directives.
//!
//! The assembler accepts every name in these tables; the disassembler writes, for each meaning, the
//! first name that has it. Sources: vc4asm's documentation ("Expression syntax", "Instruction
//! extensions", "Directives"), Broadcom's Architecture Reference Guide for the long names.

mod addresses;
mod nearest;

pub(crate) use addresses::{push_read_name, push_small, push_write_name};
pub use addresses::{read_name, write_name};
pub use nearest::nearest;

use crate::isa::{AddOp, BranchCond, Cond, File, MulOp, Raddr, Signal, Waddr, raddr, waddr};

/// A name for what a port reads: the name, the file if only one has it, the address.
pub type ReadName = (&'static str, Option<File>, Raddr);
/// A name for what a port writes: the name, the file if only one has it, the address.
pub type WriteName = (&'static str, Option<File>, Waddr);

const A: Option<File> = Some(File::A);
const B: Option<File> = Some(File::B);

/// Names that can be read, except r0..r5, raN and rbN.
#[rustfmt::skip]
pub const READS: &[ReadName] = &[
    ("unif", None, raddr::UNIFORM), ("uniform", None, raddr::UNIFORM),
    ("vary", None, raddr::VARYING), ("varying", None, raddr::VARYING),
    ("elem_num", A, raddr::ELEMENT_QPU), ("element_number", A, raddr::ELEMENT_QPU),
    ("qpu_num", B, raddr::ELEMENT_QPU), ("qpu_number", B, raddr::ELEMENT_QPU),
    ("-", None, raddr::NOP), ("nop", None, raddr::NOP),
    ("x_coord", A, raddr::XY_PIXEL_COORD), ("y_coord", B, raddr::XY_PIXEL_COORD),
    ("ms_flags", A, raddr::MS_REV_FLAGS), ("ms_mask", A, raddr::MS_REV_FLAGS),
    ("rev_flag", B, raddr::MS_REV_FLAGS),
    ("vpm", None, raddr::VPM_READ), ("vpm_read", None, raddr::VPM_READ),
    ("ld_busy", A, raddr::VPM_BUSY), ("vr_busy", A, raddr::VPM_BUSY), ("vpm_ld_busy", A, raddr::VPM_BUSY),
    ("st_busy", B, raddr::VPM_BUSY), ("vw_busy", B, raddr::VPM_BUSY), ("vpm_st_busy", B, raddr::VPM_BUSY),
    ("ld_wait", A, raddr::VPM_WAIT), ("vr_wait", A, raddr::VPM_WAIT), ("vpm_ld_wait", A, raddr::VPM_WAIT),
    ("st_wait", B, raddr::VPM_WAIT), ("vw_wait", B, raddr::VPM_WAIT), ("vpm_st_wait", B, raddr::VPM_WAIT),
    ("mutex", None, raddr::MUTEX_ACQUIRE), ("mutex_acq", None, raddr::MUTEX_ACQUIRE),
    ("mutex_acquire", None, raddr::MUTEX_ACQUIRE),
];

/// Names that can be written, except r0..r3, raN and rbN.
#[rustfmt::skip]
pub const WRITES: &[WriteName] = &[
    ("tmu_noswap", None, waddr::TMU_NOSWAP), ("tmurs", None, waddr::TMU_NOSWAP),
    ("r5quad", A, waddr::ACC5),
    ("r5all", B, waddr::ACC5), ("r5rep", B, waddr::ACC5),
    ("host_int", None, waddr::HOST_INT), ("irq", None, waddr::HOST_INT), ("interrupt", None, waddr::HOST_INT),
    ("-", None, waddr::NOP), ("nop", None, waddr::NOP),
    ("unif_addr", A, waddr::UNIFORMS_ADDRESS), ("uniforms_address", A, waddr::UNIFORMS_ADDRESS),
    ("unif_addr_rel", B, waddr::UNIFORMS_ADDRESS), ("uniforms_address_rel", B, waddr::UNIFORMS_ADDRESS),
    ("x_coord", A, waddr::QUAD_XY), ("quad_x", A, waddr::QUAD_XY),
    ("y_coord", B, waddr::QUAD_XY), ("quad_y", B, waddr::QUAD_XY),
    ("ms_flags", A, waddr::MS_REV_FLAGS), ("ms_mask", A, waddr::MS_REV_FLAGS),
    ("rev_flag", B, waddr::MS_REV_FLAGS),
    ("tlb_stencil_setup", None, waddr::TLB_STENCIL_SETUP), ("stencil", None, waddr::TLB_STENCIL_SETUP),
    ("tlb_z", None, waddr::TLB_Z), ("tlbz", None, waddr::TLB_Z),
    ("tlb_colour_ms", None, waddr::TLB_COLOUR_MS), ("tlb_color_ms", None, waddr::TLB_COLOUR_MS),
    ("tlbm", None, waddr::TLB_COLOUR_MS),
    ("tlb_colour_all", None, waddr::TLB_COLOUR_ALL), ("tlb_color_all", None, waddr::TLB_COLOUR_ALL),
    ("tlbc", None, waddr::TLB_COLOUR_ALL),
    ("tlb_alpha_mask", None, waddr::TLB_ALPHA_MASK), ("tlbam", None, waddr::TLB_ALPHA_MASK),
    ("vpm", None, waddr::VPM_WRITE), ("vpm_write", None, waddr::VPM_WRITE),
    ("rd_setup", A, waddr::VPMVCD_SETUP), ("vr_setup", A, waddr::VPMVCD_SETUP),
    ("vpmvcd_rd_setup", A, waddr::VPMVCD_SETUP),
    ("wr_setup", B, waddr::VPMVCD_SETUP), ("vw_setup", B, waddr::VPMVCD_SETUP),
    ("vpmvcd_wr_setup", B, waddr::VPMVCD_SETUP),
    ("ld_addr", A, waddr::VPM_ADDR), ("vr_addr", A, waddr::VPM_ADDR), ("vpm_ld_addr", A, waddr::VPM_ADDR),
    ("st_addr", B, waddr::VPM_ADDR), ("vw_addr", B, waddr::VPM_ADDR), ("vpm_st_addr", B, waddr::VPM_ADDR),
    ("mutex", None, waddr::MUTEX_RELEASE), ("mutex_rel", None, waddr::MUTEX_RELEASE),
    ("mutex_release", None, waddr::MUTEX_RELEASE),
    ("sfu_recip", None, waddr::SFU_RECIP), ("recip", None, waddr::SFU_RECIP),
    ("sfu_recipsqrt", None, waddr::SFU_RECIPSQRT), ("recipsqrt", None, waddr::SFU_RECIPSQRT),
    ("rsqrt", None, waddr::SFU_RECIPSQRT),
    ("sfu_exp", None, waddr::SFU_EXP), ("exp", None, waddr::SFU_EXP),
    ("sfu_log", None, waddr::SFU_LOG), ("log", None, waddr::SFU_LOG),
    ("tmu0_s", None, waddr::TMU0_S), ("t0s", None, waddr::TMU0_S),
    ("tmu0_t", None, waddr::TMU0_T), ("t0t", None, waddr::TMU0_T),
    ("tmu0_r", None, waddr::TMU0_R), ("t0r", None, waddr::TMU0_R),
    ("tmu0_b", None, waddr::TMU0_B), ("t0b", None, waddr::TMU0_B),
    ("tmu1_s", None, waddr::TMU1_S), ("t1s", None, waddr::TMU1_S),
    ("tmu1_t", None, waddr::TMU1_T), ("t1t", None, waddr::TMU1_T),
    ("tmu1_r", None, waddr::TMU1_R), ("t1r", None, waddr::TMU1_R),
    ("tmu1_b", None, waddr::TMU1_B), ("t1b", None, waddr::TMU1_B),
];

/// Accumulators as operands: their number is their index.
pub const ACCUMULATORS: &[&str] = &["r0", "r1", "r2", "r3", "r4", "r5"];

/// Conditions of a write, as they follow `.if` on the operation, or `.` on the destination.
#[rustfmt::skip]
pub const CONDITIONS: &[(&str, Cond)] = &[
    ("z", Cond::ZS), ("zs", Cond::ZS), ("nz", Cond::ZC), ("zc", Cond::ZC),
    ("n", Cond::NS), ("ns", Cond::NS), ("nn", Cond::NC), ("nc", Cond::NC),
    ("c", Cond::CS), ("cs", Cond::CS), ("cc", Cond::CC),
];

/// Conditions of a branch.
#[rustfmt::skip]
pub const BRANCH_CONDITIONS: &[(&str, BranchCond)] = &[
    ("allz", BranchCond::AllZS), ("allzs", BranchCond::AllZS), ("allnz", BranchCond::AllZC), ("allzc", BranchCond::AllZC),
    ("anyz", BranchCond::AnyZS), ("anyzs", BranchCond::AnyZS), ("anynz", BranchCond::AnyZC), ("anyzc", BranchCond::AnyZC),
    ("alln", BranchCond::AllNS), ("allns", BranchCond::AllNS), ("allnn", BranchCond::AllNC),
    ("anyn", BranchCond::AnyNS), ("anyns", BranchCond::AnyNS), ("anynn", BranchCond::AnyNC),
    ("allc", BranchCond::AllCS), ("allcs", BranchCond::AllCS), ("allnc", BranchCond::AllCC), ("allcc", BranchCond::AllCC),
    ("anyc", BranchCond::AnyCS), ("anycs", BranchCond::AnyCS), ("anync", BranchCond::AnyCC), ("anycc", BranchCond::AnyCC),
    ("always", BranchCond::Always),
];

/// Directives, without the dot.
#[rustfmt::skip]
pub const DIRECTIVES: &[&str] = &[
    "align", "assert", "back", "bit", "byte", "clone", "code", "const", "define", "double", "elif", "else", "elseif",
    "endb", "endf", "endfor", "endif", "endloc", "endm", "endr", "equ", "float", "foreach", "func", "global",
    "half", "if", "ifset", "include", "int", "lconst", "local", "long", "lset", "lunset", "macro", "rep",
    "rodata", "set", "short", "text", "unset",
];

/// Other names that vc4asm takes for directives, and whose they are.
#[rustfmt::skip]
pub const OTHER_DIRECTIVES: &[(&str, &str)] = &[
    ("dword", "int"), ("endback", "endb"), ("endfunc", "endf"), ("endrep", "endr"), ("float16", "half"),
    ("float32", "float"), ("float64", "double"), ("int1", "bit"), ("int16", "short"), ("int32", "int"),
    ("int64", "long"), ("int8", "byte"), ("qword", "long"), ("undef", "unset"), ("word", "short"),
];

/// The name of [`DIRECTIVES`] for a directive, if it goes by another.
#[must_use]
pub fn directive(name: &str) -> &str {
    let other = OTHER_DIRECTIVES.iter().find(|(other, _)| *other == name);
    other.map_or(name, |(_, own)| own)
}

/// Operations that are none of one ALU: synthesized, or of other formats.
#[rustfmt::skip]
pub const OTHER_OPERATIONS: &[&str] = &[
    "mov", "amov", "mmov", "anop", "mnop", "ldi", "ldis", "ldiu", "read", "sacq", "srel", "bra", "brr",
    "mutex_acq", "mutex_rel",
];

/// Every operation and signal that a line can begin with.
pub fn mnemonics() -> impl Iterator<Item = &'static str> {
    let add = AddOp::ALL.iter().map(|op| op.name());
    let mul = MulOp::ALL.iter().map(|op| op.name());
    let mul = mul.filter(|name| AddOp::ALL.iter().all(|op| op.name() != *name));
    let signals = Signal::ALL.iter().map(|signal| signal.name());
    add.chain(mul)
        .chain(OTHER_OPERATIONS.iter().copied())
        .chain(signals.filter(|name| !name.is_empty()))
}

/// The operation of the add ALU with this name.
#[must_use]
pub fn add_op(name: &str) -> Option<AddOp> {
    AddOp::ALL.iter().copied().find(|op| op.name() == name)
}

/// The operation of the mul ALU with this name.
#[must_use]
pub fn mul_op(name: &str) -> Option<MulOp> {
    MulOp::ALL.iter().copied().find(|op| op.name() == name)
}

/// The signal with this name.
#[must_use]
pub fn signal(name: &str) -> Option<Signal> {
    let mut all = Signal::ALL.iter().copied();
    all.find(|signal| signal.name() == name && *signal != Signal::None)
}

/// The value beside a name in one of the tables.
#[must_use]
pub fn find<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    let entry = table.iter().find(|(entry, _)| *entry == name);
    entry.map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_means_two_things_on_one_side() {
        for table in [
            READS.iter().map(|(name, ..)| *name).collect::<Vec<_>>(),
            WRITES.iter().map(|(name, ..)| *name).collect(),
            mnemonics().collect(),
            DIRECTIVES
                .to_vec()
                .into_iter()
                .chain(OTHER_DIRECTIVES.iter().map(|(name, _)| *name))
                .collect(),
        ] {
            let mut sorted = table.clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), table.len(), "{table:?}");
        }
    }
}
