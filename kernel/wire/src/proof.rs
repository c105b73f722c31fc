//! Plans of the QPUs by name, and what came of holding one to the ARM.

use signal::code;

use crate::PayloadError;
use crate::field::{Field, Reader, Writer, payload};

code! {
    /// The computation of a plan.
    PlanKind, "kind of plan" {
        /// A complex transform, in both directions.
        #[default] Transform = 0 "transform",
        /// Powers of real samples in f32, with a window.
        RealF32 = 1 "real-f32",
        /// Powers of I/Q samples in f32, with a window.
        ComplexF32 = 2 "iq-f32",
        /// Powers of real samples in i16, with a window.
        RealI16 = 3 "real-i16",
        /// Powers of I/Q samples in u8, with a window.
        ComplexU8 = 4 "iq-u8",
        /// Powers of real samples in i32, with a window.
        RealI32 = 5 "real-i32",
    }
}

code! {
    /// The result of holding a plan to the ARM.
    Verdict, "verdict" {
        /// It computes what the ARM does.
        #[default] Right = 0 "right",
        /// It computes something else.
        Wrong = 1 "wrong",
        /// It did not end, or V3D reported an error.
        Failed = 2 "failed",
        /// This board has no such plan.
        Missing = 3 "missing",
    }
}

/// The name of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlanName {
    /// Points of a block, as a power of two.
    pub log2n: u8,
    /// Its computation.
    pub kind: PlanKind,
    /// True for the conservative plan, which stands in for one that a board does not run rightly.
    pub conservative: bool,
}

impl Field<'_> for PlanName {
    fn read(r: &mut Reader) -> Result<Self, PayloadError> {
        Ok(Self {
            log2n: r.get()?,
            kind: r.get()?,
            conservative: match r.get()? {
                0u8 => false,
                1 => true,
                value => {
                    return Err(PayloadError::UnknownCode {
                        field: "plan",
                        value,
                    });
                }
            },
        })
    }

    fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        w.bytes(&[self.log2n, self.kind.code(), self.conservative.into()])
    }
}

/// The answer to `PROVE`: the result of holding a plan to the ARM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proof {
    /// The plan.
    pub plan: PlanName,
    /// The verdict on the plan.
    pub verdict: Verdict,
    /// Relative rms difference from the ARM, in parts of 10^9; all ones where it is not known.
    pub error_ppb: u32,
    /// Time of one run on the QPUs, in microseconds.
    pub qpu_us: u32,
}

payload!(Proof {
    plan,
    verdict,
    error_ppb,
    qpu_us
});
