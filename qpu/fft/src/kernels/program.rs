//! Generated programs as a planner sees them: words, and the meaning of each uniform.
//!
//! A program runs units (256 points, [`super::unit::geometry`]) one after the other on one QPU:
//!
//! ```text
//! read the start list                          once per launch, in the order of Program::start
//! for each unit:
//!     read the unit's record                   Program::record; those of a program in a row
//!     read the row list that the record names  Program::rows; the same for all units of a part
//!     read the scalars that the record names   Program::scalars; middle passes only
//!     compute, then store 32 VPM rows
//! read the tail, behind the last record        Program::tail
//! go on with the next pass, or end
//! ```
//!
//! Programs that know nothing of each other, which are those of few bins ([`super::spectral`]) and
//! those that convert ([`super::convert::layout`]), have no row lists and no tail: the words of
//! their first unit follow the start list ([`Start::Record`]), those of others are read from their
//! records, and then they end.
//!
//! Every address that a program looks up is a sum: lane vector + word of the record + word of the
//! row list. Programs add the last by bytes, without a carry from one to the next, where they look
//! up the twiddles of first passes of up to 32 points, vectors of roots, and the factors of
//! samples: so tables of twiddles and of factors begin at multiples of [`TABLE_ALIGN`], vectors of
//! roots at multiples of 64 bytes. All lists begin on a word boundary; uniforms are fetched ahead,
//! so 8 more bytes after each list must be memory.
//!
//! # Lanes and vectors
//!
//! A program transforms 16 complex vectors m = 0..16 (F times as many in F parts, m = 0..16 F).
//! Outputs are numbered k' = k_lo + 16 k_hi, with k_lo = 0..16; a pass computes k = q + F k' in
//! part q.
//!
//! | kind | lane | row of vector m | k_hi of the lane |
//! |---|---|---|---|
//! | First, Single up to 128 | c g + column, c = 256/R | R/16 m + r, r = g with its bits reversed | g |
//! | Middle | 8 r + i | 2 m + r | lane / 8 |
//! | Middle 16 | 8 octet + i | m | 0 |
//! | Last 32 .. 128 | 2 i + r | 2 m + r | both: VPM row k_lo + 16 k_hi |
//! | Last 16 | 2 i + octet | m | 0 |
//!
//! First and last passes of tiles that QPUs share have other rows and outputs
//! ([`super::tile::layout`]), and a row list for each part and QPU.
//!
//! # Stores
//!
//! Rows of 64 bytes, in the order of VPM rows 0..32 of the area:
//!
//! | kind | row | stores |
//! |---|---|---|
//! | First | 16 (k_lo / 8) + lane: 8 real, then 8 imaginary parts of bins 8 (k_lo / 8).. + 16 k_hi | 1 of 32 rows |
//! | Middle | k_lo + 16 k_hi: 8 real, then 8 imaginary parts of i = 0..8 | 1 of 32 rows |
//! | Middle 16 | k_lo + 16 octet: 8 real, then 8 imaginary parts of i = 0..8 | 1 of 32 rows |
//! | Last 32 .. 128 | k_lo + 16 k_hi: interleaved points i = 0..8 | 1 of 32 rows |
//! | Last 16 | k_lo + 16 octet: interleaved points i = 0..8 | one of 16 rows for each octet |
//! | Single up to 128 | 16 (k_lo / 8) + lane: interleaved points of bins 8 (k_lo / 8).. + 16 k_hi | R/8 of c rows: store s is k_lo / 8 = s mod 2, k_hi = s / 2 |
//!
//! A unit of a shared tile stores 16 rows of a first pass twice, and 8 rows of a last pass four
//! times.
//!
//! The store stride is common to the stores of a program.
//!
//! # Numbers
//!
//! W_M^x = cos - i sin: lists hold the cosine (component 0) and the sine (component 1) of the
//! positive angle 2π x / M. The programs compute the forward transform; for the inverse, imaginary
//! parts are negated at both ends ([`Start::Conjugate`], [`Start::Scale`], [`Lanes::Scale`]).
//!
//! # Samples
//!
//! First passes have programs for points that are not f32, or that are multiplied by a window
//! ([`Samples`]); before single passes and transforms through the VPM, and of i32 before all, runs
//! a program that only converts ([`super::convert::layout`]). They convert a sample exactly, then
//! multiply each component by a factor that is looked up ([`super::unit::uniforms`]; the lane's
//! offset is 4 · lane): full scale, the window, and a minus for the imaginary parts of the inverse.
//! The word of two points of bytes is looked up in both lanes that hold them, which are neighbours.
//!
//! # Programs that run at the same time
//!
//! All programs of a launch run at the same time on different QPUs. Those that know nothing of each
//! other have rows of the VPM of their own, and the launch ends with them. Of others, one is the
//! leader. It makes the locks of the two VPM areas, and takes them back when all others have ended,
//! so that all semaphores are 0 at rest. [`Tail::Peers`] says which one that is.

use super::code::Code;
use super::spectral::Bins;
use super::uniform::{Pack, UniformId};
use crate::split::Role;

/// Alignment of tables of twiddles, in bytes: the bytes that a unit reads of one that is laid out
/// by unit.
pub const TABLE_ALIGN: u32 = 2048;

/// The task of a program of complex transforms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Kind {
    /// The pass of a transform.
    pub role: Role,
    /// Points of the pass: 16 .. 128, of last passes in shared tiles up to 256.
    pub radix: u16,
    /// The kind of points that it reads.
    pub samples: Samples,
    /// QPUs that share the rows of a tile ([`super::tile::layout`]): 1, 2 or 4.
    pub sharers: u8,
}

impl Kind {
    /// Rows that a QPU transforms by itself.
    #[must_use]
    pub const fn own_radix(&self) -> u16 {
        self.radix / self.sharers as u16
    }
}

/// The caller's points in memory, real part first. Of real samples, two that follow each other are
/// a point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Samples {
    /// Two f32, taken as they are. All passes but first ones have these.
    #[default]
    Points,
    /// Two f32, times factors.
    Windowed,
    /// Two i16, times factors.
    I16,
    /// Two i32, times factors. They need not lie side by side.
    I32,
    /// Two upper bytes of 16 bits, made signed, the lower ones masked, times factors.
    HighBytes,
    /// Two bytes, made unsigned, less their middle, times factors.
    Bytes,
}

impl Samples {
    /// Every kind of samples.
    pub const ALL: [Self; 6] = [
        Self::Points,
        Self::Windowed,
        Self::I16,
        Self::I32,
        Self::HighBytes,
        Self::Bytes,
    ];

    /// True if each component is a word of its own.
    #[must_use]
    pub const fn has_words(self) -> bool {
        matches!(self, Self::Points | Self::Windowed | Self::I32)
    }

    /// True if a pass of its own converts them before every transform: I2S brings few enough of
    /// them, and first passes that read them would only make the image larger.
    #[must_use]
    pub const fn is_converted_apart(self) -> bool {
        matches!(self, Self::I32)
    }

    /// True if programs that convert get the input's address once, in their start list, so that it
    /// is soon moved ([`crate::Plan::set_input`]).
    #[must_use]
    pub const fn has_base(self) -> bool {
        matches!(self, Self::I32 | Self::HighBytes)
    }

    /// Bytes of a point.
    #[must_use]
    pub const fn point_bytes(self) -> u32 {
        match self {
            Self::Points | Self::Windowed | Self::I32 => 8,
            Self::I16 | Self::HighBytes => 4,
            Self::Bytes => 2,
        }
    }
}

/// The task of a program, of all that programs do: the key by which a catalogue is searched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Task {
    /// A pass of complex transforms.
    Points(Kind),
    /// Real spectra and powers.
    Bins(Bins),
    /// Samples to points ([`super::convert::layout`]).
    Convert(Samples),
    /// Complex transforms of 2^`log2_points` points in one pass, through the VPM
    /// ([`super::one_pass`]).
    OnePass {
        /// Points, as a power of two.
        log2_points: u8,
    },
    /// The counterpart for several transforms at a time ([`super::short::layout`]; for 2^9 and 2^10
    /// points [`super::pipeline::layout`]).
    OnePassBatch {
        /// Points, as a power of two.
        log2_points: u8,
    },
}

impl Task {
    /// The name of its program and listing: `fft-first-32-i16`, say.
    #[must_use]
    pub const fn name(self) -> Name {
        Name(self)
    }
}

/// The name of a task's program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name(Task);

impl core::fmt::Display for Name {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let suffix = |samples| match samples {
            Samples::Points => "",
            Samples::Windowed => "-windowed",
            Samples::I16 => "-i16",
            Samples::I32 => "-i32",
            Samples::HighBytes => "-high-bytes",
            Samples::Bytes => "-bytes",
        };
        match self.0 {
            Task::Points(kind) => {
                let role = match kind.role {
                    Role::Single => "single",
                    Role::First => "first",
                    Role::Middle => "middle",
                    Role::Last => "last",
                };
                let sharers = match kind.sharers {
                    1 => "",
                    2 => "-shared",
                    _ => "-quad",
                };
                write!(
                    f,
                    "fft-{role}-{}{sharers}{}",
                    kind.radix,
                    suffix(kind.samples)
                )
            }
            Task::Bins(bins) => write!(f, "fft-{bins}"),
            Task::Convert(samples) => write!(f, "fft-convert{}", suffix(samples)),
            Task::OnePass { log2_points: 9 } => write!(f, "fft-short-9"),
            Task::OnePass { log2_points } => write!(f, "fft-pipeline-{log2_points}"),
            Task::OnePassBatch { log2_points } if log2_points > 8 => {
                write!(f, "fft-pipeline-batch-{log2_points}")
            }
            Task::OnePassBatch { log2_points } => write!(f, "fft-short-{log2_points}"),
        }
    }
}

impl core::fmt::Display for Task {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Points(kind) => write!(
                f,
                "a pass {:?} of {} points that reads {:?}",
                kind.role, kind.radix, kind.samples
            ),
            Self::Bins(bins) => write!(f, "a pass over bins, {bins}"),
            Self::Convert(samples) => write!(f, "a pass that converts {samples:?}"),
            Self::OnePass { log2_points } | Self::OnePassBatch { log2_points } => {
                write!(f, "transforms of 2^{log2_points} points in one pass")
            }
        }
    }
}

/// A vector of sixteen words, one for each lane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lanes {
    /// Byte offset at which the lane reads a row.
    Input,
    /// Byte offset at which the lane reads twiddles after a first pass.
    Twiddle,
    /// Factors of the output of a last pass: of real parts in even lanes, of imaginary in odd.
    Scale,
    /// Byte offset at which the lane reads mirrored bins ([`super::spectral`]).
    Mirrored,
    /// Byte offset at which the lane reads roots of a tile: 8 · row of the lane.
    Root,
}

impl Lanes {
    /// All, in the order in which plans keep them.
    pub const ALL: [Self; 5] = [
        Self::Input,
        Self::Twiddle,
        Self::Scale,
        Self::Mirrored,
        Self::Root,
    ];

    /// Index in [`Lanes::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// A word of the start list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Start {
    /// Address of the sixteen words of a lane vector; 64-byte aligned.
    Lanes(Lanes),
    /// Address of the program's first record.
    Records,
    /// Number of records, at least 1.
    Units,
    /// The half of the VPM: 0 or 1.
    Area,
    /// Setup word with the bytes from the end of a stored row to the start of the next
    /// ([`qpu::vpm::store_stride`]). In a last pass also, without the mark of a setup word, the
    /// bytes from the start of a row to the start of the next: rows are then stored one by one.
    StoreStride,
    /// Setup of the writes of a program's own rows of the VPM. Only programs that know nothing of
    /// each other.
    WriteSetup,
    /// 1.0, or -1.0 to negate the imaginary parts of the input. Programs that multiply by factors
    /// have none.
    Conjugate,
    /// Factor of the real (0) or imaginary (1) parts of the output, where no lane vector has it.
    Scale {
        /// The part.
        component: u8,
    },
    /// 1 for the leader of the first pass of a launch, which makes the locks and looks its code up
    /// so that it is in the L2C; 0 for all others.
    Opens,
    /// Address of the program's own first instruction.
    Code,
    /// Number of the program among those of its launch. Only programs that share tiles.
    Number,
    /// 1.0, or -1.0 where bit `bit` is set of the program's number among those that share a tile.
    Sharer {
        /// 0 or 1.
        bit: u8,
    },
    /// A word of the record of the first unit.
    Record(Record),
    /// A word of the row list of the first unit.
    Row(UniformId),
    /// A word that the kernel knows.
    Kernel(UniformId),
}

impl<T: Pack> From<T> for Start {
    fn from(uniform: T) -> Self {
        Self::Kernel(uniform.id())
    }
}

/// A word of the tail, which follows the last record of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Tail {
    /// Number of programs beside it that the pass has; only the leader gets it, the others get -1.
    Peers,
    /// 0 or 1, in turn from pass to pass of a launch.
    Gate,
    /// Address of this program's start list of the next pass; any memory when there is none.
    NextStart,
    /// Address of the code of the next pass of the launch, or 0 when the launch ends with this one.
    /// The same pass follows for all programs of the launch.
    NextCode,
}

/// A word of a unit's record.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Record {
    /// Address of the row list: of the unit's part.
    Rows,
    /// Address of the scalar list.
    Scalars,
    /// Address of the first row of a store.
    Store {
        /// Number of the store.
        index: u8,
    },
    /// Setup word of a store ([`qpu::vpm::Store::rows`]), because units may store fewer rows than
    /// others.
    StoreSetup {
        /// Number of the store.
        index: u8,
    },
    /// A word that the kernel knows.
    Kernel(UniformId),
}

impl<T: Pack> From<T> for Record {
    fn from(uniform: T) -> Self {
        Self::Kernel(uniform.id())
    }
}

/// A generated program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Program {
    /// The task.
    pub task: Task,
    /// Instructions.
    pub code: Code,
    /// Start list.
    pub start: &'static [Start],
    /// Words of a record.
    pub record: &'static [Record],
    /// Words of the tail.
    pub tail: &'static [Tail],
    /// Words of a row list.
    pub rows: &'static [UniformId],
    /// Words of a scalar list.
    pub scalars: &'static [UniformId],
}
