//! The layout of a pass: all that a plan asks of a kernel.
//!
//! A plan is a list of passes ([`crate::planner::steps`]). It is independent of what a pass
//! computes: it takes the program for the pass's [`Task`] from the catalogue, and asks the pass's
//! layout how much memory, how many programs and which tables it needs, and for the value of each
//! uniform. Defaults are those of a kernel whose programs work alone and have no table, no lists
//! and no vectors.

use super::context::{Buffers, ProgramContext, UnitContext};
use super::program::{Lanes, Task};
use super::uniform::UniformId;
use qpu::machine::{LANES, QPUS, QPUS_PER_SLICE};
use qpu::vpm::{Store, store_stride};

/// QPUs of a slice.
pub(super) const QPUS_OF_A_SLICE: u32 = QPUS_PER_SLICE as u32;

/// A vector of words, one for each lane.
pub type Vector = [u32; LANES as usize];

/// The place at which a program starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    /// At its first instruction.
    Beginning,
    /// Behind the first program end, where the code of another role begins.
    BehindTheEnd,
    /// Nowhere: its QPU is left out, so that others run on the QPUs that suit them.
    Nowhere,
}

/// The places of everything in a pass, and the division of its work.
pub trait Layout {
    /// The program that it takes.
    fn task(&self) -> Task;

    /// Units of work for `batch` transforms.
    fn units(&self, batch: u32) -> u32;

    /// Bytes of points and bins that it looks up, and of those that it stores, for `batch`
    /// transforms; without tables and lists. Data that several parts read count as often.
    fn traffic(&self, batch: u32) -> [u64; 2];

    /// The one-pass transform that it is, if it is one.
    fn one_pass(&self) -> Option<&dyn OnePass> {
        None
    }

    // Programs.

    /// Programs that must run at the same time, because they wait for each other.
    fn least_programs(&self) -> u32 {
        1
    }

    /// Programs that may work at the same time.
    fn most_programs(&self) -> u32 {
        QPUS.into()
    }

    /// Programs that share tiles: all or none of them run.
    fn programs_together(&self) -> u32 {
        1
    }

    /// QPUs left out before those that work, if all are there: a slice whose instruction cache
    /// keeps the code of the pass beside this one.
    fn idle(&self) -> u32 {
        0
    }

    /// The place at which program `index` of `programs` for `batch` transforms starts.
    fn entry(&self, _batch: u32, _programs: u32, _index: u32) -> Entry {
        Entry::Beginning
    }

    /// True if programs lose their order over time, so that several launches are faster than one.
    fn needs_relaunch(&self) -> bool {
        false
    }

    // The order of units.

    /// Transforms of a batch that a unit works on. A last unit that has fewer gets lane vectors of
    /// its own.
    fn transforms_per_unit(&self) -> u32 {
        1
    }

    /// The unit that is done as number `number` of those of `batch` transforms.
    fn unit_in_order(&self, number: u32, _batch: u32) -> u32 {
        number
    }

    /// The number by which program `program` of `programs` knows itself ([`super::unit::pairs`]).
    fn number_of_program(&self, program: u32, _programs: u32) -> u32 {
        program
    }

    /// Number of units, of `units`, that program `program` of `programs` does.
    fn units_of_program(&self, units: u32, programs: u32, program: u32) -> u32 {
        units / programs + u32::from(program < units % programs)
    }

    /// The unit that program `program` of `programs` does as its number `number`, where its layout
    /// and not [`Layout::unit_in_order`] says so.
    fn unit_of_program(
        &self,
        _units: u32,
        _programs: u32,
        _program: u32,
        _number: u32,
    ) -> Option<u32> {
        None
    }

    // Accuracy.

    /// The expected loss of its outputs by truncation, in units of 2^-24.
    fn loss(&self) -> f64 {
        0.0
    }

    /// The loss of its outputs where its inputs have lost `lost`.
    fn loss_behind(&self, lost: f64) -> f64 {
        lost + self.loss()
    }

    /// True if the factor on its table makes up for its own loss, and for that of the passes
    /// without a table that follow it.
    fn has_gain(&self) -> bool {
        false
    }

    // Tables.

    /// Bytes of the table of twiddles, a multiple of a cache line.
    fn table_bytes(&self) -> u32 {
        0
    }

    /// Gives the words of that table in order, times `gain`: the index of the first word, and the
    /// words.
    fn fill_table(&self, _gain: f64, _put: &mut dyn FnMut(u32, &[u32])) {}

    /// Bytes of the factors on samples, or on bin 0.
    fn factors_bytes(&self) -> u32 {
        0
    }

    /// Gives the factors on samples in order, as [`Layout::fill_table`] does. Those on bin 0 are 0
    /// until they are measured ([`Plan::learn_window`](crate::Plan::learn_window)).
    fn fill_factors(
        &self,
        _window: &mut dyn FnMut(u32) -> f64,
        _is_inverse: bool,
        _put: &mut dyn FnMut(u32, &[u32]),
    ) {
    }

    // Lists.

    /// Number of row lists.
    fn row_lists(&self) -> u32 {
        0
    }

    /// Number of scalar lists.
    fn scalar_lists(&self) -> u32 {
        0
    }

    /// Bytes of vectors that the row list names by address.
    fn vector_bytes(&self) -> u32 {
        0
    }

    /// Vector `index` of these.
    fn vector(&self, _index: u32) -> Vector {
        [0; LANES as usize]
    }

    /// A lane vector, for units of `transforms` transforms.
    fn lane_vector(&self, _lanes: Lanes, _transforms: u32, _scale: [f32; 2]) -> Vector {
        [0; LANES as usize]
    }

    /// The row list that unit `index` reads.
    fn row_list(&self, _index: u32) -> u32 {
        0
    }

    /// The scalar list that unit `index` reads.
    fn scalar_list(&self, _index: u32) -> u32 {
        0
    }

    /// The factor of outputs where a plan wants `scale`.
    fn factor(&self, scale: f32) -> f32 {
        scale
    }

    // Stores.

    /// The setup word of the stride between stored rows, or their pitch where they are stored one
    /// by one.
    fn store_stride(&self) -> u32 {
        store_stride(0)
    }

    /// The first row of the VPM that program `program` has for itself, where programs have rows of
    /// their own.
    fn own_row(&self, _program: u32) -> u8 {
        0
    }

    /// Address at which a unit's store number `index` begins.
    fn store(&self, _buffers: &Buffers, _unit: &UnitContext, _index: u8) -> u32 {
        not_in_its_lists()
    }

    /// The rows that it stores.
    fn store_rows(&self, _unit: &UnitContext, _index: u8) -> Store {
        not_in_its_lists()
    }

    // Uniforms that only the kernel knows.

    /// True if the only words with addresses of the input are those of the start list that the
    /// kernel knows.
    fn has_base(&self) -> bool {
        false
    }

    /// The value of a word of a start list.
    fn start(&self, _buffers: &Buffers, _program: &ProgramContext, _id: UniformId) -> u32 {
        not_in_its_lists()
    }

    /// The value of a word of a record.
    fn record(&self, _buffers: &Buffers, _unit: &UnitContext, _id: UniformId) -> u32 {
        not_in_its_lists()
    }

    /// The value of a word of row list `list`.
    fn row(&self, _buffers: &Buffers, _list: u32, _id: UniformId) -> u32 {
        not_in_its_lists()
    }

    /// The value of a word of scalar list `list`.
    fn scalar(&self, _list: u32, _id: UniformId) -> u32 {
        not_in_its_lists()
    }
}

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

    /// True if its program is the one for several transforms at a time.
    fn is_of_several(&self) -> bool {
        false
    }

    /// Programs that can work on a batch at the same time.
    fn programs(&self, batch: u32) -> u32;

    /// Programs that must run at the same time.
    fn least_programs(&self) -> u32;

    /// The place at which program `index` of `programs` for `batch` transforms starts.
    fn entry(&self, _batch: u32, _programs: u32, _index: u32) -> Entry {
        Entry::Beginning
    }

    /// Words of the twiddle table.
    fn twiddle_words(&self) -> u32;

    /// Word `index` of that, times `gain`.
    fn twiddle_word(&self, index: u32, gain: f64) -> u32;

    /// Twiddles on the path of an output, each counted by the share of outputs that it is inexact
    /// for.
    fn twiddles_of_an_output(&self) -> f64;

    /// The value of a uniform of a program. Buffers begin at multiples of 64; the output may be the
    /// input.
    fn uniform(&self, buffers: &Buffers, program: &ProgramContext, id: UniformId) -> u32;
}

/// The answer to a request for a word that no program of the kernel reads.
pub(super) fn not_in_its_lists() -> ! {
    unreachable!("lists hold uniforms of their kernel only")
}
