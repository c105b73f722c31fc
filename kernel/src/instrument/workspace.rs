//! The instrument's memory: static buffers, all zero bits at the start.
//!
//! About 8 MiB, given by the kernel as a static: whatever is long lies here and not in the
//! instrument, which is made on the stack. Nothing in it has a bit set before the first
//! use, so it lies in BSS and adds nothing to the image.

use dsp::Complex;
use wire::{Decoder, MAX_CHUNK_DATA, MAX_FRAME, MAX_PAYLOAD};

use super::kept::{Entries, KEPT_BYTES};
use super::settings::MAX_N;

/// Bytes of uploaded samples that wait for their transform.
pub(super) const FIFO_BYTES: usize = 32 * 1024;

const POINTS: usize = MAX_N as usize;
/// Values of the longest record: of each bin two, where two detectors are at work.
const VALUES: usize = 2 * POINTS;

/// Every buffer of the instrument.
pub struct Workspace {
    /// Twiddles of the CPU engine.
    pub(super) twiddles: [Complex<f32>; POINTS],
    /// The samples of two lots of blocks under way, and of the next: two words each, at the most.
    pub(super) history: [u32; 6 * POINTS],
    /// The block that is transformed.
    pub(super) work: [Complex<f32>; POINTS],
    /// Coefficients of the window.
    pub(super) window: [f32; POINTS],
    /// The detector's values of all bins.
    pub(super) held: [f64; VALUES],
    /// The exponential average of each bin.
    pub(super) averaged: [f64; POINTS],
    /// The signal of a proof: as much as a lot of blocks has.
    pub(super) noise: [u32; 2 * POINTS],
    /// Bins of the ARM that a proof or a check compares.
    pub(super) wanted: [f64; VALUES],
    /// Those of the QPUs.
    pub(super) got: [f64; VALUES],
    /// The last record's powers.
    pub(super) power: [f32; VALUES],
    /// Values of the last records, as they are sent.
    pub(super) kept: [u8; KEPT_BYTES],
    /// What they are.
    pub(super) entries: Entries,
    /// Uploaded samples.
    pub(super) fifo: [u8; FIFO_BYTES],
    /// A payload before it becomes a frame.
    pub(super) payload: [u8; MAX_PAYLOAD],
    /// Words of an answer.
    pub(super) words: [u8; MAX_CHUNK_DATA],
    /// The frame that is being sent.
    pub(super) frame: [u8; MAX_FRAME],
    /// The receiving end of the line.
    pub(super) decoder: Decoder,
}

impl Workspace {
    /// An unused workspace.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            twiddles: [Complex::new(0.0, 0.0); POINTS],
            history: [0; 6 * POINTS],
            work: [Complex::new(0.0, 0.0); POINTS],
            window: [0.0; POINTS],
            held: [0.0; VALUES],
            averaged: [0.0; POINTS],
            noise: [0; 2 * POINTS],
            wanted: [0.0; VALUES],
            got: [0.0; VALUES],
            power: [0.0; VALUES],
            kept: [0; KEPT_BYTES],
            entries: Entries::new(),
            fifo: [0; FIFO_BYTES],
            payload: [0; MAX_PAYLOAD],
            words: [0; MAX_CHUNK_DATA],
            frame: [0; MAX_FRAME],
            decoder: Decoder::new(),
        }
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}
