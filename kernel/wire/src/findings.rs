//! Answers about the board itself: plans of the QPUs by name and what came of holding one to the
//! ARM, the result of a microbenchmark of the image, and of a look at the live input.

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

/// The result of a microbenchmark, in words whose meaning follows from its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Measured<'a> {
    /// Its number.
    pub number: u8,
    /// The number of microbenchmarks; their numbers begin at 0.
    pub of: u8,
    /// Microseconds that all of it took.
    pub elapsed_us: u32,
    /// Its name.
    pub name: &'a str,
    /// Bytes of the words.
    bytes: &'a [u8],
}

impl<'a> Measured<'a> {
    /// The most words.
    pub const MAX_WORDS: usize = 64;

    /// The result of the microbenchmark of that number and name. `bytes` holds words, 32-bit,
    /// little-endian; bytes behind the last whole word are left out.
    #[must_use]
    pub fn new(number: u8, of: u8, elapsed_us: u32, name: &'a str, bytes: &'a [u8]) -> Self {
        let bytes = &bytes[..bytes.len() / 4 * 4];
        Self {
            number,
            of,
            elapsed_us,
            name,
            bytes,
        }
    }

    /// The words.
    pub fn words(&self) -> impl ExactSizeIterator<Item = u32> + use<'a> {
        let words = self.bytes.as_chunks().0.iter();
        words.map(|word| u32::from_le_bytes(*word))
    }
}

impl<'a> Field<'a> for Measured<'a> {
    fn read(r: &mut Reader<'a>) -> Result<Self, PayloadError> {
        let (number, of, elapsed_us, name) = (r.get()?, r.get()?, r.get()?, r.get()?);
        let words: u8 = r.get()?;
        if usize::from(words) > Self::MAX_WORDS {
            return Err(PayloadError::OutOfRange { field: "words" });
        }
        let bytes = r.take(4 * usize::from(words))?;
        Ok(Self::new(number, of, elapsed_us, name, bytes))
    }

    fn write(&self, w: &mut Writer) -> Result<(), PayloadError> {
        let words = self.bytes.len() / 4;
        if words > Self::MAX_WORDS {
            return Err(PayloadError::TooLong);
        }
        w.bytes(&[self.number, self.of])?;
        self.elapsed_us.write(w)?;
        self.name.write(w)?;
        (words as u8).write(w)?;
        w.bytes(&self.bytes[..4 * words])
    }
}

/// The samples of a slot of I2S, full scale being 1.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Slot {
    /// The lowest.
    pub lowest: f32,
    /// The highest.
    pub highest: f32,
    /// Their mean.
    pub mean: f32,
    /// The root of the mean square of what differs from the mean.
    pub rms: f32,
}

payload!(Slot {
    lowest,
    highest,
    mean,
    rms
});

/// The findings about the pins.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Probed<'a> {
    /// Sentences that say what is wrong; 0: all is well.
    pub troubles: u8,
    /// Frames that were looked at; 0: none came, and what follows up to the text says nothing.
    pub frames: u32,
    /// Frames a second, as they were measured.
    pub rate_hz: f64,
    /// The true rate is not further away than this.
    pub within_hz: f64,
    /// The rate that is set; 0: none.
    pub expected_hz: f64,
    /// The left slot.
    pub left: Slot,
    /// The right slot.
    pub right: Slot,
    /// Sentences, each ended by LF, those about what is wrong first.
    pub text: &'a str,
}

payload!(Probed<'a> { troubles, frames, rate_hz, within_hz, expected_hz, left, right, text });
