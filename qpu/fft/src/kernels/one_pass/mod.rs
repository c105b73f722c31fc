//! Transforms of 2^4 to 2^12 points in one pass over memory, which pass through the VPM on their
//! way.
//!
//! There are three kinds: several transforms on a QPU or one on several ([`super::short::layout`],
//! up to 2^9), and producers and consumers of longer ones ([`super::pipeline::layout`],
//! [`super::pipeline::double_buffered::layout`]). Their programs have one list of uniforms and one
//! table.

#[cfg(feature = "generate")]
pub(super) mod lookups;
#[cfg(feature = "generate")]
pub(super) mod program;
#[cfg(feature = "generate")]
pub(super) mod rows;
pub(super) mod uniforms;

use super::context::{Buffers, ProgramContext};
use super::layout::{Entry, Layout, OnePass, Vector};
use super::program::Task;
use super::sizes::POINT_BYTES;
use super::truncation::{LOSS_OF_A_SUM, LOSS_OF_A_TWIDDLE};
use super::twiddle::root;
use super::uniform::UniformId;
use qpu::machine::LANES;

impl<T: OnePass> Layout for T {
    fn task(&self) -> Task {
        let log2_points = self.log2_points() as u8;
        if self.is_of_several() {
            Task::OnePassBatch { log2_points }
        } else {
            Task::OnePass { log2_points }
        }
    }

    fn units(&self, batch: u32) -> u32 {
        self.programs(batch)
    }

    fn traffic(&self, batch: u32) -> [u64; 2] {
        [(u64::from(batch) * u64::from(POINT_BYTES)) << self.log2_points(); 2]
    }

    fn one_pass(&self) -> Option<&dyn OnePass> {
        Some(self)
    }

    fn least_programs(&self) -> u32 {
        OnePass::least_programs(self)
    }

    fn entry(&self, batch: u32, programs: u32, index: u32) -> Entry {
        OnePass::entry(self, batch, programs, index)
    }

    /// The loss, as `Geometry::loss`, for both transforms.
    fn loss(&self) -> f64 {
        LOSS_OF_A_SUM * f64::from(self.log2_points())
            + LOSS_OF_A_TWIDDLE * self.twiddles_of_an_output()
    }

    fn has_gain(&self) -> bool {
        true
    }

    fn table_bytes(&self) -> u32 {
        4 * self.twiddle_words()
    }

    fn fill_table(&self, gain: f64, put: &mut dyn FnMut(u32, &[u32])) {
        for first in (0..self.twiddle_words()).step_by(LANES as usize) {
            let word = |lane| self.twiddle_word(first + lane as u32, gain);
            let words: Vector = core::array::from_fn(word);
            put(first, &words);
        }
    }

    fn start(&self, buffers: &Buffers, program: &ProgramContext, id: UniformId) -> u32 {
        self.uniform(buffers, program, id)
    }
}

/// cos (π/16 `sixteenths`), rounded once.
#[must_use]
pub fn cosine(sixteenths: u8) -> f32 {
    root(sixteenths.into(), 32).0 as f32
}
