//! Conditions: of a write, per lane, and of a branch, over all lanes.
//!
//! Flags of a lane are Z (result was zero), N (bit 31) and C. Both kinds use the flags as they were
//! before the instruction. Source: Architecture Reference Guide, "Condition codes" and "Branch
//! conditions".

use super::bits::field_values;

field_values! {
    /// The condition on which a lane of a result is written.
    Cond {
        /// In no lane.
        Never = 0, "never";
        /// In every lane.
        Always = 1, "always";
        /// Lanes where Z is set.
        ZS = 2, "ifz";
        /// Lanes where Z is clear.
        ZC = 3, "ifnz";
        /// Lanes where N is set.
        NS = 4, "ifn";
        /// Lanes where N is clear.
        NC = 5, "ifnn";
        /// Lanes where C is set.
        CS = 6, "ifc";
        /// Lanes where C is clear.
        CC = 7, "ifcc";
    }
}

field_values! {
    /// The condition on which a branch is taken. Values 12..14 are reserved.
    BranchCond {
        /// Z is set in all lanes.
        AllZS = 0, "allz";
        /// Z is clear in all lanes.
        AllZC = 1, "allnz";
        /// Z is set in some lane.
        AnyZS = 2, "anyz";
        /// Z is clear in some lane.
        AnyZC = 3, "anynz";
        /// N is set in all lanes.
        AllNS = 4, "alln";
        /// N is clear in all lanes.
        AllNC = 5, "allnn";
        /// N is set in some lane.
        AnyNS = 6, "anyn";
        /// N is clear in some lane.
        AnyNC = 7, "anynn";
        /// C is set in all lanes.
        AllCS = 8, "allc";
        /// C is clear in all lanes.
        AllCC = 9, "allnc";
        /// C is set in some lane.
        AnyCS = 10, "anyc";
        /// C is clear in some lane.
        AnyCC = 11, "anync";
        /// Always.
        Always = 15, "";
    }
}

impl Cond {
    /// True if flags decide.
    #[must_use]
    pub const fn asks_flags(self) -> bool {
        !matches!(self, Self::Always | Self::Never)
    }

    /// The condition that holds exactly where this one does not.
    #[must_use]
    pub const fn inverse(self) -> Self {
        match Self::from_bits(self.bits() ^ 1) {
            Some(inverse) => inverse,
            None => unreachable!(),
        }
    }

    /// True if no lane meets both conditions. Zero is not negative, and all three flags of a lane
    /// are always set from one result.
    #[must_use]
    pub fn excludes(self, other: Self) -> bool {
        match (self, other) {
            (Self::Never, _) | (_, Self::Never) => true,
            (Self::ZS, Self::NS) | (Self::NS, Self::ZS) => true,
            _ => other == self.inverse(),
        }
    }
}
