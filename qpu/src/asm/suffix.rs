//! Suffixes after a dot: flags, conditions, pack and unpack modes.

use crate::isa::{BranchCond, Cond};
use crate::names::{BRANCH_CONDITIONS, CONDITIONS, find};

/// A pack or unpack mode as written: `8a`, `16bf`, `8abcds`, `32s`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Packing {
    pub part: Part,
    /// `s`: saturate.
    pub saturate: bool,
    /// `i` or `f`: said to be integers or floats.
    pub float: Option<bool>,
}

/// The bits of the word that are meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// All of it.
    Word,
    /// Half 0 or 1.
    Half(u8),
    /// Byte 0..=3.
    Byte(u8),
    /// All four bytes.
    Bytes,
    /// Byte 3 to all four (unpack only).
    Replicated,
}

/// A suffix of an operation or operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Suffix {
    SetFlags,
    Condition(Cond),
    Branch(BranchCond),
    /// On the operand it follows, or on the destination.
    Packing(Packing),
    /// `.pack...` on an operation.
    Pack(Packing),
    /// `.unpack...` on an operation.
    Unpack(Packing),
}

/// A suffix and its bytes of the line.
pub(super) type Marked = (Suffix, (u32, u32));

impl Suffix {
    /// A suffix of an operation: `.setf`, `.ifnz`, `.pack8a`, `.unpack16b`, and hermanhermitage's
    /// `.zc`.
    pub fn of_operation(name: &str) -> Option<Self> {
        if matches!(name, "setf" | "sf") {
            return Some(Self::SetFlags);
        }
        match name {
            "never" | "ifnever" => return Some(Self::Condition(Cond::Never)),
            "always" => return Some(Self::Condition(Cond::Always)),
            _ => (),
        }
        if let Some(cond) = name
            .strip_prefix("if")
            .and_then(|name| find(CONDITIONS, name))
        {
            return Some(Self::Condition(cond));
        }
        if let Some(cond) = find(CONDITIONS, name).filter(|_| name.len() == 2) {
            return Some(Self::Condition(cond));
        }
        if let Some(packing) = name.strip_prefix("unpack") {
            return Packing::parse(packing).map(Self::Unpack);
        }
        if let Some(packing) = name.strip_prefix("pack") {
            return Packing::parse(packing).map(Self::Pack);
        }
        find(BRANCH_CONDITIONS, name).map(Self::Branch)
    }

    /// True if a name means carry clear to Broadcom's assembler, and negative clear to vc4asm:
    /// `.ifnc`, `.nc`.
    pub fn is_disputed(name: &str) -> bool {
        matches!(name, "ifnc" | "nc")
    }

    /// A suffix of an operand: `.setf`, `.nz`, `.8a`.
    pub fn of_operand(name: &str) -> Option<Self> {
        Packing::parse(name)
            .map(Self::Packing)
            .or_else(|| find(CONDITIONS, name).map(Self::Condition))
            .or_else(|| Self::of_operation(name))
    }
}

impl Packing {
    /// The kind of result that a 16-bit mode says it packs: a float (true), or an integer (false).
    pub fn float_half(self) -> Option<bool> {
        self.float.filter(|_| matches!(self.part, Part::Half(_)))
    }

    pub fn parse(name: &str) -> Option<Self> {
        let (name, float) = match name.strip_suffix('f') {
            Some(name) => (name, Some(true)),
            None => name
                .strip_suffix('i')
                .map_or((name, None), |name| (name, Some(false))),
        };
        let (name, saturate) = name
            .strip_suffix('s')
            .map_or((name, false), |name| (name, true));
        let part = match name {
            "32" => Part::Word,
            "16a" => Part::Half(0),
            "16b" => Part::Half(1),
            "8a" => Part::Byte(0),
            "8b" => Part::Byte(1),
            "8c" => Part::Byte(2),
            "8d" => Part::Byte(3),
            "8abcd" | "8888" => Part::Bytes,
            "8dr" => Part::Replicated,
            _ => return None,
        };
        Some(Self {
            part,
            saturate,
            float,
        })
    }
}
