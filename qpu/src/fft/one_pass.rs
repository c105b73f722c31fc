//! Transforms of 2^4 to 2^12 points in one pass over memory, which pass through the VPM on their way.
//!
//! There are four kinds: a transform on each QPU ([`super::columns`], a batch of 2^8), several transforms on a QPU
//! or one on several ([`super::short`], up to 2^9), and producers and consumers of longer ones ([`super::pipeline`],
//! [`super::relay`]). Their programs have one list of uniforms and one table.

use super::context::{Buffers, ProgramContext};
use super::geometry::{Geometry, LANES, POINT_BYTES};
use super::layout::{Entry, Layout};
use super::program::Task;
use super::twiddle::turn;
use super::uniform::UniformId;

/// A kind of one-pass transform.
pub trait OnePass {
    /// The length as a power of two.
    fn log2_points(&self) -> u32;

    /// Points of the transforms that it is made of, first one first.
    fn radices(&self) -> [u32; 2];

    /// Points that a QPU has in registers.
    fn points_of_a_unit(&self) -> u32 {
        LANES * LANES
    }

    /// Whether its program is the one for several transforms at a time.
    fn is_of_several(&self) -> bool {
        false
    }

    /// Programs that can work on a batch at the same time.
    fn programs(&self, batch: u32) -> u32;

    /// Programs that must run at the same time.
    fn least_programs(&self) -> u32;

    /// Where program `index` of `programs` for `batch` transforms starts.
    fn entry(&self, _batch: u32, _programs: u32, _index: u32) -> Entry {
        Entry::Beginning
    }

    /// Words of the twiddle table.
    fn twiddle_words(&self) -> u32;

    /// Word `index` of that, times `gain`.
    fn twiddle_word(&self, index: u32, gain: f64) -> u32;

    /// Twiddles on the path of an output, each counted by the share of outputs that it is inexact for.
    fn twiddles_of_an_output(&self) -> f64;

    /// The value of a uniform of program `index`, whose list is at `list`.
    fn uniform(&self, transform: &Transform, index: u32, list: u32, id: UniformId) -> u32;
}

impl<T: OnePass> Layout for T {
    fn task(&self) -> Task {
        let log2_points = self.log2_points() as u8;
        if self.is_of_several() {
            Task::Several { log2_points }
        } else {
            Task::Shared { log2_points }
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

    /// As [`Geometry::loss`], for both transforms.
    fn loss(&self) -> f64 {
        Geometry::LOSS_OF_A_SUM * f64::from(self.log2_points())
            + Geometry::LOSS_OF_A_TURN * self.twiddles_of_an_output()
    }

    fn has_gain(&self) -> bool {
        true
    }

    fn table_bytes(&self) -> u32 {
        4 * self.twiddle_words()
    }

    fn fill_table(&self, gain: f64, put: &mut dyn FnMut(u32, &[u32])) {
        for first in (0..self.twiddle_words()).step_by(LANES as usize) {
            let lane = |lane: usize| self.twiddle_word(first + lane as u32, gain);
            put(
                first,
                &core::array::from_fn::<_, { LANES as usize }, _>(lane),
            );
        }
    }

    fn start(&self, buffers: &Buffers, program: &ProgramContext, id: UniformId) -> u32 {
        let transform = Transform {
            input: buffers.from,
            twiddles: buffers.table,
            output: buffers.to,
            batch: program.batch,
            programs: program.programs,
            conjugate: program.conjugate,
            factors: program.scale,
        };
        self.uniform(&transform, program.program, program.start, id)
    }
}

/// Where the parts of a batch lie, as V3D sees them, and which transform it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Transform {
    /// Interleaved complex input, at a multiple of 64.
    pub input: u32,
    /// Words of [`OnePass::twiddle_word`], at a multiple of 64.
    pub twiddles: u32,
    /// Interleaved complex output, at a multiple of 64; may be the input.
    pub output: u32,
    /// Transforms, which lie one behind the other.
    pub batch: u32,
    /// Programs that run at the same time.
    pub programs: u32,
    /// -1 to negate the imaginary parts of the input, else 1.
    pub conjugate: f32,
    /// Factors of the real and imaginary parts of the output, which are the same or each other's negative.
    pub factors: [f32; 2],
}

impl Transform {
    /// What the imaginary parts of the output are multiplied by beside the factor of the real ones: 1, or -1 for the
    /// inverse.
    #[must_use]
    pub fn output_conjugate(&self) -> f32 {
        1f32.copysign(self.factors[0] * self.factors[1])
    }
}

/// cos (π/16 `sixteenths`), rounded once.
#[must_use]
pub fn cosine(sixteenths: u8) -> f32 {
    turn(sixteenths.into(), 32).0 as f32
}
