//! Knowledge of the flags between two instructions that set them.
//!
//! A branch that was taken, or not, says something of the flags, and the next branch may ask the
//! same again: `brr.allz` and then `brr.anynz` are never both taken.

use crate::isa::BranchCond;

/// The state of each flag Z, N, C, set or not in all lanes, and in any, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Conditions([Known; 3]);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Known {
    all: Option<bool>,
    any: Option<bool>,
}

/// The sign of a constant, which is all that flags show of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Sign {
    Negative,
    Zero,
    Positive,
}

impl Sign {
    pub fn of(word: u32) -> Self {
        match word as i32 {
            ..0 => Self::Negative,
            0 => Self::Zero,
            1.. => Self::Positive,
        }
    }

    /// A constant of this sign, to stand for all.
    pub const fn example(self) -> u32 {
        match self {
            Self::Negative => 1 << 31,
            Self::Zero => 0,
            Self::Positive => 1,
        }
    }
}

/// The flag that a condition asks, true if it asks of all lanes (false: of any), and what the
/// answer must be. Each flag has four conditions.
const fn question(cond: BranchCond) -> Option<(usize, bool, bool)> {
    if matches!(cond, BranchCond::Always) {
        return None;
    }
    let (of_all, wanted) = match cond.bits() % 4 {
        0 => (true, true),
        // "All clear" is "not any set", "any clear" is "not all set".
        1 => (false, false),
        2 => (false, true),
        _ => (true, false),
    };
    Some((cond.bits() as usize / 4, of_all, wanted))
}

impl Conditions {
    /// After an instruction that set the flags in all lanes, to those of a constant.
    pub fn of(sign: Sign) -> Self {
        let known = |set| Known {
            all: Some(set),
            any: Some(set),
        };
        let carry = Known::default();
        Self([
            known(sign == Sign::Zero),
            known(sign == Sign::Negative),
            carry,
        ])
    }

    /// Reports if a branch is taken, where that is known.
    pub fn is_taken(self, cond: BranchCond) -> Option<bool> {
        let Some((flag, of_all, wanted)) = question(cond) else {
            return Some(true);
        };
        let known = self.0[flag];
        let answer = if of_all { known.all } else { known.any };
        answer.map(|answer| answer == wanted)
    }

    /// Adds the fact that a branch was taken or not.
    pub fn with(mut self, cond: BranchCond, taken: bool) -> Self {
        if let Some((flag, of_all, wanted)) = question(cond) {
            let answer = Some(taken == wanted);
            let known = &mut self.0[flag];
            match (of_all, taken == wanted) {
                // Set in all lanes is set in any; set in none is not set in all.
                (true, true) | (false, false) => (known.all, known.any) = (answer, answer),
                (true, false) => known.all = answer,
                (false, true) => known.any = answer,
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_tells_of_its_opposite() {
        let opposites = [
            (BranchCond::AllZS, BranchCond::AnyZC),
            (BranchCond::AllZC, BranchCond::AnyZS),
            (BranchCond::AllNS, BranchCond::AnyNC),
            (BranchCond::AllCC, BranchCond::AnyCS),
        ];
        for (one, other) in opposites {
            for taken in [true, false] {
                let known = Conditions::default().with(one, taken);
                assert_eq!(known.is_taken(one), Some(taken));
                assert_eq!(known.is_taken(other), Some(!taken), "{one:?}");
                assert_eq!(
                    Conditions::default().with(other, taken).is_taken(one),
                    Some(!taken)
                );
            }
        }
    }

    #[test]
    fn all_implies_any_and_not_the_other_way() {
        let all = Conditions::default().with(BranchCond::AllZS, true);
        assert_eq!(all.is_taken(BranchCond::AnyZS), Some(true));
        let any = Conditions::default().with(BranchCond::AnyZS, true);
        assert_eq!(any.is_taken(BranchCond::AllZS), None);
        assert_eq!(any.is_taken(BranchCond::AnyNS), None);
        assert_eq!(any.is_taken(BranchCond::Always), Some(true));
    }
}
