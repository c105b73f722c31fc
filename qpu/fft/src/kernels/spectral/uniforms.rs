//! Uniforms of the programs over bins. `run` is 0 or 1; `component` is 0 for a real part or a
//! cosine, 1 for an imaginary part or a sine.

use crate::kernels::uniform::uniforms;

uniforms! {
/// A stream of numbers that a run reads.
pub enum Stream {
    /// Bin k.
    Points,
    /// Bin M - k.
    Mirrored,
    /// Cosine and sine of the angle of bin k.
    Roots,
    /// Bin k of the kernel.
    Kernels,
    /// The multiple of bin 0 that is taken from bin k; one word, not two.
    Multiples,
}

/// A word of the start list, beside those that programs of any kind have.
pub enum Start {
    /// Bytes from a spectrum to the next one that goes into the same powers.
    Pitch,
    /// Number of spectra that go into the same powers.
    Spectra,
}

/// A word of a record.
pub enum Record {
    /// Address to which lane vector and row are added to look up a group of a run.
    Address { run: u8, stream: Stream },
    /// The counterpart of [`Record::Address`] for a component of a group, to which no row is added.
    Component { run: u8, stream: Stream, group: u8, component: u8 },
    /// Added in lane 0 of the first group of run 0 to the address of the mirrored bin, of run 1 to
    /// that of the bin: -8 M where that bin is number M of Z, which is bin 0; else 0.
    Wrap { run: u8 },
    /// Address of bin 0 of the first spectrum.
    Zero,
    /// Address of a set of vectors ([`super::power`]).
    Vectors,
    /// Address of the powers in memory that those of a group are combined with; groups of run 0
    /// come first.
    Old { group: u8 },
}

/// A word of a row list.
pub enum Row {
    /// Byte offset of a component of a group.
    Group { run: u8, stream: Stream, group: u8, component: u8 },
    /// 0 when powers of a bin are added up, else the greatest is kept.
    Detector,
    /// Factor of powers before that: 1.0, or -1.0 to keep the least.
    Sign,
    /// 0 when what was found is added to what is in memory, else the greater is kept.
    Hold,
    /// Factor of powers in memory.
    Keep,
    /// Initial value of bin powers: 0.0, or for the least -infinity.
    Initial,
    /// Factor that makes powers of sums.
    Scale,
    /// Factor of the greatest before that.
    Greatest,
    /// [`Row::Sign`] again, for what is stored.
    Back,
}
}

impl Row {
    /// The word [`Row::Group`].
    pub const fn group(run: u8, stream: Stream, group: u8, component: u8) -> Self {
        Self::Group {
            run,
            stream,
            group,
            component,
        }
    }
}
