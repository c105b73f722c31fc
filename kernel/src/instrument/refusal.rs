//! Refusals: a code for programs and a sentence for people, which says what to do.

use core::fmt;

use wire::{NakCode, PayloadError};

use super::capture::Trouble;
use super::settings::{MAX_N, MIN_N, SettingError};
use crate::baud::BaudError;
use crate::engine::literals::Stray;

/// Why a request is not carried out.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Refusal {
    /// One sentence that is always the same.
    Plain(NakCode, &'static str),
    Setting(SettingError),
    Payload(PayloadError),
    Baud(BaudError),
    /// The bins asked for leave the spectrum.
    Bins {
        lowest: i64,
        highest: i64,
    },
    /// An upload that is shorter than one block.
    Short {
        samples: u64,
        n: u32,
    },
    /// A plan of a length that the instrument does not have.
    PlanLength,
    /// Samples from here on are missing.
    Gap(u64),
    /// More samples than granted; continue here.
    NoCredit(u64),
    /// Bytes that are no whole number of samples.
    Torn {
        bytes: usize,
        sample: usize,
    },
    /// A QPU program ran into its limit.
    QpuTimeout(u32),
    /// A QPU program names an address that is not its own.
    Stray(Stray),
    /// The live input does not begin.
    Input(Trouble),
}

impl Refusal {
    pub(super) const NO_UPLOAD: Self = Self::Plain(
        NakCode::WRONG_STATE,
        "no upload is under way; send UPLOAD_BEGIN first",
    );

    pub(super) const fn code(&self) -> NakCode {
        match self {
            Self::Plain(code, _) => *code,
            Self::Setting(error) => error.code(),
            Self::Payload(PayloadError::UnknownKind) => NakCode::UNKNOWN_REQUEST,
            Self::Payload(_) | Self::Torn { .. } => NakCode::BAD_PAYLOAD,
            Self::Baud(_) => NakCode::BAUD,
            Self::Bins { .. } | Self::Short { .. } | Self::PlanLength => NakCode::BAD_VALUE,
            Self::Gap(_) => NakCode::GAP,
            Self::NoCredit(_) => NakCode::NO_CREDIT,
            Self::QpuTimeout(_) => NakCode::QPU_FAILED,
            Self::Stray(_) => NakCode::BAD_VALUE,
            Self::Input(_) => NakCode::NOT_AVAILABLE,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Plain(_, sentence) => f.write_str(sentence),
            Self::Setting(error) => error.fmt(f),
            Self::Payload(PayloadError::UnknownKind) => f.write_str(
                "this firmware does not know this request; update the card, or ask with HELLO \
                 what it can do",
            ),
            Self::Payload(error) => error.fmt(f),
            Self::Baud(error) => error.fmt(f),
            Self::Bins { lowest, highest } => write!(
                f,
                "first and bins leave the spectrum, which has bins {lowest} to {highest}; set \
                 first=all bins=0"
            ),
            Self::Short { samples, n } => write!(
                f,
                "{samples} samples are less than one block of n={n}; send more, or set a smaller n"
            ),
            Self::PlanLength => write!(
                f,
                "plans are of {MIN_N} to {MAX_N} points; ask for a power of two from {} to {}",
                MIN_N.ilog2(),
                MAX_N.ilog2()
            ),
            Self::Gap(sample) => {
                write!(f, "samples from {sample} on are missing; continue there")
            }
            Self::NoCredit(sample) => write!(
                f,
                "more samples than granted; wait for credit and continue at sample {sample}"
            ),
            Self::Torn { bytes, sample } => write!(
                f,
                "{bytes} bytes are no whole number of samples of {sample} bytes; send whole ones"
            ),
            Self::QpuTimeout(limit_us) => write!(
                f,
                "the QPU program did not end within {limit_us} us and V3D was restarted; check \
                 that it ends with thrend, or raise the limit"
            ),
            Self::Input(trouble) => trouble.fmt(f),
            Self::Stray(stray) => write!(
                f,
                "instruction {} of a program names address {:#010x}, which is not in the block of memory that JOB_MEMORY \
                 gave; nothing was run",
                stray.instruction, stray.address
            ),
        }
    }
}
