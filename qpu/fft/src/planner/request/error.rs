//! Why a plan is refused.

use crate::Direction;
use crate::kernels::program::Task;
use crate::kernels::samples::Format;
use crate::split::{MAX_LOG2_POINTS, MIN_LOG2_POINTS, Split};
use qpu::machine::QPUS;

/// One of the caller's buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// The buffer that is read.
    Input,
    /// The buffer that is written.
    Output,
}

/// Why a plan could not be made or run. `E` is the runner's own reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error<E> {
    /// No plan of the kind has this many points.
    Length {
        /// Points, as a power of two.
        log2_points: u32,
        /// The shortest that there is.
        least: u32,
        /// The longest.
        most: u32,
    },
    /// The kind of transform has this direction only.
    Direction(Direction),
    /// No plane has this many rows and columns, given as powers of two.
    Plane {
        /// Rows.
        log2_rows: u32,
        /// Columns.
        log2_columns: u32,
    },
    /// No bins were asked for, or such as there are not.
    Bins {
        /// The first that there is.
        least: i32,
        /// The one behind the last.
        most: i32,
    },
    /// The greater in one place and the lesser in another, or two detectors with something that
    /// there is for one at a time only.
    Combination,
    /// A window by whose sum powers cannot be divided, or of which a constant cannot be removed.
    Window,
    /// There are no powers to combine with.
    NoPowers,
    /// A batch of no transforms.
    EmptyBatch,
    /// 2 to 12 QPUs can be used, not this many.
    Qpus(u8),
    /// The split asked for needs more QPUs, which share a transform.
    TooFewQpus {
        /// QPUs that the split needs.
        needed: u32,
        /// QPUs that may be used.
        qpus: u8,
    },
    /// The split asked for is one of another length, or of columns where it should be of rows.
    Split(Split),
    /// The catalogue lacks a program.
    Program(Task),
    /// More memory than V3D can address: bytes that are needed at least, with input and output.
    TooLarge(u64),
    /// The runner has not this much memory left.
    Memory {
        /// Bytes that the plan needs beside input and output.
        bytes: u32,
        /// Bytes of those two, where the plan takes them from the runner as well.
        buffers: u32,
        /// The error of the runner.
        error: E,
    },
    /// Transforms of this kind read f32 only, one after the other and without a window.
    Samples(Format),
    /// Only of frames of two i32 one number can be taken as real samples, or both in the other
    /// order as complex ones.
    Channels,
    /// Transforms would begin inside a word.
    Hop {
        /// The hop that was asked for, in samples.
        hop: u32,
        /// The number of samples that it must be a multiple of.
        multiple: u32,
    },
    /// A window for a plan whose request is not `windowed`.
    NoWindow,
    /// The inverse, by a plan with a window.
    WindowedInverse,
    /// A buffer does not hold all transforms of the batch.
    Short {
        /// The buffer.
        which: Which,
        /// Bytes that it must have.
        needed: u32,
        /// Bytes that it has.
        bytes: u32,
    },
    /// A buffer does not begin at a multiple of 64 bytes.
    Unaligned(Which),
    /// Input and output overlap without being the same.
    Overlap,
    /// Input and output are the same, and the points of the one do not lie where those of the other
    /// do.
    InPlace,
    /// The runner could not write memory, or a job did not end well.
    Runner(E),
}

impl<E> From<E> for Error<E> {
    fn from(error: E) -> Self {
        Self::Runner(error)
    }
}

impl<E> Error<E> {
    /// The sentence of an error that has no numbers.
    const fn sentence(&self) -> &'static str {
        match self {
            Self::Combination => {
                "the greatest of several spectra and the least of several calls (or the other way round) \
                 cannot be had together, nor two detectors with decibels, with a constant removed from every \
                 bin, or with powers in memory: keep one of them in a plan of its own"
            }
            Self::Window => {
                "the window's coefficients must be finite, with a sum that is not 0, and the same from both ends \
                 where a constant is to be removed"
            }
            Self::NoPowers => {
                "the plan makes no powers: make it from a request of `Transform::Powers`"
            }
            Self::Channels => {
                "one channel of two is for real samples of i32, and swapped ones for complex ones of i32: take all \
                 numbers of other samples"
            }
            Self::EmptyBatch => {
                "a batch must have at least one transform, and a spectrum one segment"
            }
            Self::NoWindow => {
                "the plan multiplies by no window: make it from a request that is `windowed`"
            }
            Self::WindowedInverse => {
                "a plan with a window transforms forward only: make another for the inverse"
            }
            Self::Overlap => "input and output overlap: they must be the same buffer or lie apart",
            Self::InPlace => {
                "in place, input and output must have the same layout: give smaller samples and other \
                 hops an output of their own"
            }
            _ => "",
        }
    }
}

impl<E: core::fmt::Debug> core::fmt::Display for Error<E> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let name = |which: &Which| match which {
            Which::Input => "input",
            Which::Output => "output",
        };
        match self {
            Self::Length {
                log2_points,
                least,
                most,
            } => write!(
                f,
                "the QPUs transform 2^{least} to 2^{most} points, not 2^{log2_points}"
            ),
            Self::Direction(direction) => write!(
                f,
                "the plan is for {direction:?} transforms: make another for the other direction"
            ),
            Self::Plane {
                log2_rows,
                log2_columns,
            } => write!(
                f,
                "the QPUs transform planes of 2^{MIN_LOG2_POINTS} to 2^{MAX_LOG2_POINTS} rows and as many \
                 columns, not of 2^{log2_rows} by 2^{log2_columns}"
            ),
            Self::Bins { least, most } => write!(
                f,
                "a spectrum has bins {least} to {}: ask for some of these",
                most - 1
            ),
            Self::Qpus(qpus) => write!(f, "a plan uses 2 to {QPUS} QPUs, not {qpus}"),
            Self::TooFewQpus { needed, qpus } => write!(
                f,
                "the split needs {needed} QPUs that share a transform, and may use {qpus}: take more \
                 QPUs or another split"
            ),
            Self::Split(split) => write!(
                f,
                "{split} is the split of another length, or of columns where rows are split (or the other way round)"
            ),
            Self::Program(task) => write!(f, "the catalogue has no QPU program for {task}"),
            Self::TooLarge(bytes) => write!(
                f,
                "with input and output the plan needs at least {bytes} bytes, more than V3D can address: make the \
                 batch smaller, or the transform"
            ),
            Self::Memory {
                bytes,
                buffers,
                error,
            } => {
                write!(f, "the plan needs {bytes} bytes beside input and output")?;
                if *buffers > 0 {
                    write!(f, " and {buffers} for those")?;
                }
                write!(
                    f,
                    ", and they are not there ({error:?}): release other plans or make the batch smaller"
                )
            }
            Self::Samples(format) => write!(
                f,
                "this kind of transform reads f32, one transform after the other and without a window: \
                 samples of {format}, hops and windows are for complex and real ones"
            ),
            Self::Hop { hop: 0, multiple } => write!(
                f,
                "a hop of 0 samples: every transform would be the first; give {multiple} or more"
            ),
            Self::Hop { hop, multiple } => write!(
                f,
                "a hop of {hop} samples: transforms must begin at words, so make it a multiple of {multiple}"
            ),
            Self::Short {
                which,
                needed,
                bytes,
            } => write!(
                f,
                "the {} needs {needed} bytes and has {bytes}",
                name(which)
            ),
            Self::Unaligned(which) => write!(
                f,
                "the {} must begin at a multiple of 64 bytes",
                name(which)
            ),
            Self::Runner(error) => write!(f, "the QPU runner failed: {error:?}"),
            Self::Combination
            | Self::Window
            | Self::NoPowers
            | Self::Channels
            | Self::EmptyBatch
            | Self::NoWindow
            | Self::WindowedInverse
            | Self::Overlap
            | Self::InPlace => f.write_str(self.sentence()),
        }
    }
}

impl<E: core::fmt::Debug> core::error::Error for Error<E> {}
