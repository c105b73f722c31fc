//! 2^4 to 2^7 points in one pass, as many transforms at a time as have 128 points; 2^8 on two QPUs
//! and 2^9 on four.
//!
//! N = 8 · N2. Input index n = N2 n1 + n2, output index k = k1 + 8 k2, and
//! X\[k\] = Σ_n2 W_N2^(n2 k2) · W_N^(n2 k1) · Σ_n1 W_8^(n1 k1) x\[n\].
//!
//! A program has rows n1 in registers, real and imaginary parts apart, and in its lanes the columns
//! n2 of one transform of 2^7 points, of two of 2^6, and so on: lane = N2 t + n2. It writes output
//! k1 into two columns of sixteen rows of the VPM, which it then reads as rows: each has the
//! interleaved numbers of 8 k1. So the second transform has N2 rows in registers, of 8 points in
//! pairs of lanes, and its outputs are whole rows of memory, in order.
//!
//! 2^8 is 16 · 16: each of two programs j has eight columns n2 = 8 j + lane mod 8, and rows n1 = 2
//! m + lane / 8 in registers m. What it has transformed over m it multiplies by W_16^(k lane/8) and
//! transforms over halves of the lanes, so that lane / 8 is that of k1 = k + 8 (lane / 8). It
//! writes sixteen rows of the VPM, of which each program reads those of its own k1 = 8 j .. 8 j +
//! 8, after a barrier; output goes through other rows.
//!
//! 2^9 is 16 · 32, and its first half the same on four programs, whose sixteen rows each are the
//! whole VPM. Of the second half program j has k1 = 8 (j mod 2) .. + 8 and of the 32 outputs k2
//! even or odd ones, as j / 2 is: it reads all rows of these k1, adds n2 + 16 to n2 or takes it
//! away, multiplies what is left by W_32^n2 where k2 are odd, and transforms 16 rows as before. Its
//! output goes through rows that others have read, after another barrier. Programs that have
//! nothing to multiply are done earlier, and store while the others still compute.
//!
//! Barriers are conducted by one more program, which does nothing else.
//!
//! The inverse is the same with real and imaginary parts exchanged at both ends: the first half
//! reads imaginary parts first, and writes what it takes for real parts into the columns of
//! imaginary ones. The second half has all factors of i with the other sign.
//!
//! Every program up to 2^7 points has sixteen rows of the VPM for itself, through which its output
//! goes, too. So there are at most four that work, and rows have no locks; each does every fourth
//! unit. Of 2^6 and 2^7 points programs begin to write one after the other, by the mutex: who is
//! first can store while others still share the VPM's port.
//!
//! QPUs are given programs one after the other, and those of a slice share its TMUs, which is where
//! units of a small batch wait: so QPUs between those that work are left out ([`Short::worker`]).

use crate::kernels::context::{Buffers, ProgramContext};
use crate::kernels::layout::{Entry, OnePass, not_in_its_lists};
use crate::kernels::one_pass::cosine;
use crate::kernels::one_pass::uniforms::one_pass_uniforms;
use crate::kernels::sizes::POINT_BYTES;
use crate::kernels::twiddle;
use crate::kernels::uniform::{Pack, UniformId};
use qpu::machine::{LANES, VPM_ROWS};
use qpu::vpm::{Block, Store, store_stride};

/// Points of the first transform.
const FIRST: u32 = 8;
/// Points that a program has in registers.
const POINTS: u32 = Short::UNIT_POINTS;
/// Rows of the VPM that a program has.
const ROWS: u32 = LANES;

/// Programs that have rows of the VPM of their own.
const WORKERS: u32 = VPM_ROWS as u32 / ROWS;
/// The programs that work: in different slices, or side by side where there are fewer QPUs. A
/// fourth is better beside the second than beside the third: ten of 2^7 points take 5,104 clocks
/// for 5,232 (simulated, when that was chosen).
const SPREAD: [u32; WORKERS as usize] = [0, 4, 8, 5];
const TOGETHER: [u32; WORKERS as usize] = [0, 1, 2, 3];

/// Buffers that `parts` programs are spread over.
fn spread(parts: u32) -> u32 {
    let last = SPREAD[..parts as usize].iter().max();
    last.map_or(0, |last| last + 1)
}

one_pass_uniforms! {
/// A word of the list of a program; the order is the program's own.
pub enum Word {
    /// Transforms of the batch behind the first of the program's first unit.
    Last,
    /// Transforms from one unit of the program to its next.
    NextUnit,
    /// Bytes from the component that is read first to the other one, 4 or -4.
    Component,
    /// Bytes from there to the next row.
    NextRow,
    /// Setup of the columns of outputs 0, 2, 4 and 6 of what the first transform takes for real
    /// parts, component 0, or imaginary ones; those of other outputs are two further on.
    ColumnSetup { component: u8 },
    /// For 2^9 points: 1 for programs that have even k2, -1 for those that have odd ones: the
    /// factor of every second row before it is added to another.
    Parity,
}
}

/// A length that is transformed so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Short {
    log2_points: u32,
}

impl Short {
    /// Points that a program has in registers.
    pub const UNIT_POINTS: u32 = FIRST * LANES;

    /// Outputs of the first transform in the order in which programs multiply and write them.
    pub const OUTPUTS: [u32; FIRST as usize] = [0, 2, 4, 6, 1, 3, 5, 7];

    /// The short length of 2^`log2_points` points; `None` when there is none.
    pub const fn new(log2_points: u32) -> Option<Self> {
        match log2_points {
            4..=9 => Some(Self { log2_points }),
            _ => None,
        }
    }

    /// Length of a transform.
    pub const fn points(&self) -> u32 {
        1 << self.log2_points
    }

    /// Points of the first transform: those in registers, where QPUs share it twice as many.
    const fn rows(&self) -> u32 {
        if self.is_shared() { 2 * FIRST } else { FIRST }
    }

    /// Columns of a transform, and points of the second transform.
    pub const fn columns(&self) -> u32 {
        self.points() / self.rows()
    }

    /// QPUs that share a transform.
    pub const fn sharers(&self) -> u32 {
        self.points().div_ceil(POINTS)
    }

    /// True if several QPUs share a transform. One more conducts them.
    pub const fn is_shared(&self) -> bool {
        self.sharers() > 1
    }

    /// True if program `index` is the one that lets those go on that share a transform.
    pub const fn synchronizes(&self, index: u32) -> bool {
        self.is_shared() && index == self.sharers()
    }

    /// Transforms of a unit.
    pub const fn transforms(&self) -> u32 {
        POINTS * self.sharers() / self.points()
    }

    /// Lanes that follow each other in memory: columns of a transform, or of a program.
    pub const fn run(&self) -> u32 {
        self.columns() / self.sharers()
    }

    /// Programs that a batch has work for, up to [`WORKERS`].
    fn parts(&self, batch: u32) -> u32 {
        if self.is_shared() {
            return self.sharers();
        }
        batch.div_ceil(self.transforms()).min(WORKERS)
    }

    /// The number of program `index` of `programs` among those that work; `None` where a QPU is
    /// left out.
    ///
    /// Whichever order QPUs are given programs in, down from the last or round the slices, these
    /// are in different slices as far as that can be. Those that share a transform are not spread:
    /// one would wait for the start of the other.
    pub fn worker(&self, batch: u32, programs: u32, index: u32) -> Option<u32> {
        let parts = self.parts(batch);
        let places = if !self.is_shared() && spread(parts) <= programs {
            SPREAD
        } else {
            TOGETHER
        };
        let number = places.iter().position(|&place| place == index)? as u32;
        (number < parts).then_some(number)
    }

    /// The number of `programs` that work.
    fn workers(&self, batch: u32, programs: u32) -> u32 {
        self.parts(batch).min(programs)
    }

    /// Vectors of a program's twiddles.
    pub const fn twiddle_vectors(&self) -> u32 {
        2 * FIRST - !self.is_shared() as u32
    }

    /// True if the transform over halves of the lanes leaves the upper half of an output with a
    /// minus sign, which its twiddles take away.
    pub const fn is_negative(output: u32) -> bool {
        output <= FIRST / 2
    }
}

impl OnePass for Short {
    fn log2_points(&self) -> u32 {
        self.log2_points
    }

    fn radices(&self) -> [u32; 2] {
        [self.rows(), self.columns()]
    }

    fn points_of_a_unit(&self) -> u32 {
        Self::UNIT_POINTS
    }

    fn is_of_several(&self) -> bool {
        self.log2_points < 9
    }

    /// Programs for a batch and QPUs left out between them, if there are as many.
    fn programs(&self, batch: u32) -> u32 {
        if self.is_shared() {
            self.least_programs()
        } else {
            spread(self.parts(batch))
        }
    }

    fn least_programs(&self) -> u32 {
        if self.is_shared() {
            self.sharers() + 1
        } else {
            1
        }
    }

    fn entry(&self, batch: u32, programs: u32, index: u32) -> Entry {
        if self.synchronizes(index) {
            Entry::BehindTheEnd
        } else if self.worker(batch, programs, index).is_none() {
            Entry::Nowhere
        } else {
            Entry::Beginning
        }
    }

    /// Words of the twiddle table: for each program that shares a transform, a vector of cosines
    /// and one of sines for each output, in the order of [`Short::OUTPUTS`]; no sines for output 0
    /// where all its factors are 1.
    fn twiddle_words(&self) -> u32 {
        self.sharers() * self.twiddle_vectors() * LANES
    }

    fn twiddle_word(&self, index: u32, gain: f64) -> u32 {
        let (vector, lane) = (index / LANES, index % LANES);
        let vectors = self.twiddle_vectors();
        let (program, vector) = (vector / vectors, vector % vectors);
        // Cosines are vectors 0, 1, 3, 5 .. of one program, 0, 2, 4 .. of two.
        let number = vector + u32::from(!self.is_shared() && vector > 0);
        let (output, is_sine) = (Self::OUTPUTS[number as usize / 2], number % 2 == 1);
        let column = program * self.run() + lane % self.run();
        let is_upper = self.is_shared() && lane >= self.run();
        let k1 = output + FIRST * u32::from(is_upper);
        let (cos, sin) = twiddle::root(column * k1 % self.points(), self.points());
        let value = gain * if is_sine { sin } else { cos };
        let is_negative = is_upper && Self::is_negative(output);
        (if is_negative { -value } else { value } as f32).to_bits()
    }

    fn twiddles_of_an_output(&self) -> f64 {
        // By the table, whose output 0 is only multiplied; inside the first transform half of the
        // outputs, and of these half of what is summed, and of 16 points 6 more outputs of 8 in
        // half of the lanes; inside the second one of 16 points 9 outputs of 16, 3 of them exactly,
        // and before it, for one of 32 points, 15 of 16 for half of the outputs, one of them
        // exactly.
        let roots = if self.is_shared() { 1.5 } else { 1.25 };
        let inside = match self.columns() {
            32 => 0.94,
            16 => 0.5,
            8 => 0.25,
            _ => 0.0,
        };
        roots + inside
    }

    fn uniform(&self, buffers: &Buffers, program: &ProgramContext, id: UniformId) -> u32 {
        let (index, batch, programs) = (program.program, program.batch, program.programs);
        let Some(worker) = self.worker(batch, programs, index) else {
            // Who conducts reads the list as far as that.
            let is_read = self.synchronizes(index) && Word::of(id) == Word::Last;
            return if is_read { batch - 1 } else { 0 };
        };
        let setup = |word: Result<u32, _>| word.expect("there are rows for all that work");
        let is_inverse = program.conjugate < 0.0;
        let unit_bytes = POINT_BYTES * POINTS;
        let rows = (ROWS * worker) as u8;
        let is_shared = self.is_shared();
        // Of each program's first unit, and from one to its next.
        let (first, step) = if is_shared {
            (0, self.sharers() * unit_bytes)
        } else {
            (
                worker * unit_bytes,
                self.workers(batch, programs) * unit_bytes,
            )
        };
        // Where there is half of a transform in every program's rows, output goes through the other
        // half of the VPM.
        let output_rows = if self.sharers() == 2 {
            2 * ROWS as u8 + rows
        } else {
            rows
        };
        // The program's half of the k1, and whether its k2 are odd.
        let (half, parity) = (worker % 2, worker / 2);
        // From the component that is read first to the other.
        let component = if is_inverse { -4i32 } else { 4 };
        match Word::of(id) {
            Word::Last if is_shared => batch - 1,
            Word::Last => batch - worker * self.transforms() - 1,
            Word::NextUnit if is_shared => 1,
            Word::NextUnit => self.workers(batch, programs) * self.transforms(),
            Word::Input => {
                let share = if is_shared { 64 * worker } else { 0 };
                buffers.from + first + share + 4 * u32::from(is_inverse)
            }
            Word::Component => component as u32,
            Word::NextRow => {
                let rows = self.rows() / FIRST;
                (POINT_BYTES * self.columns() * rows).wrapping_sub(component as u32)
            }
            Word::FactorRe => program.scale[0].to_bits(),
            Word::Cosine { sixteenths } => cosine(sixteenths).to_bits(),
            Word::Conjugate => program.conjugate.to_bits(),
            Word::Twiddles if is_shared => {
                buffers.table + 4 * LANES * self.twiddle_vectors() * worker
            }
            Word::Twiddles => buffers.table,
            Word::Drain => setup(Block::row(rows).read_setup(1)),
            Word::ColumnSetup { component } => {
                let column = component ^ u8::from(is_inverse);
                setup(Block::column(rows, column).stride(4).write_setup())
            }
            Word::ReadSetup { component } if is_shared => {
                let (first, run) = (ROWS as u8 * component, (LANES / 2) as u8);
                setup(Block::row(first + run * half as u8).read_setup(run))
            }
            Word::ReadSetup { .. } => setup(Block::row(rows).read_setup(ROWS as u8)),
            Word::OutputSetup { .. } => setup(Block::row(output_rows).write_setup()),
            // Rows of memory have 16 points, of which the program has 8; where four share a
            // transform, in every second one.
            Word::StoreStride if is_shared => store_stride((64 * (self.sharers() - 1)) as u16),
            Word::StoreStride => store_stride(0),
            // Of one transform, or of a program's share of it.
            Word::StoreSetup { .. } => {
                let rows = (ROWS / self.transforms()) as u8;
                setup(Store::rows(rows, output_rows).setup())
            }
            Word::Store { .. } if is_shared => buffers.to + 64 * half + 128 * parity,
            Word::Parity if parity == 0 => 1f32.to_bits(),
            Word::Parity => (-1f32).to_bits(),
            Word::Store { .. } => buffers.to + first,
            Word::Step => step,
            _ => not_in_its_lists(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_of_a_batch_is_done_once_on_however_many_qpus() {
        for short in (4..=9).filter_map(Short::new) {
            for batch in 1..=40 {
                for qpus in short.least_programs()..=12 {
                    let programs = short.programs(batch).min(qpus);
                    let all = (0..programs).map(|index| short.worker(batch, programs, index));
                    let mut workers: Vec<u32> = all.flatten().collect();
                    workers.sort_unstable();
                    let expected: Vec<u32> = (0..short.workers(batch, programs)).collect();
                    assert_eq!(workers, expected, "{short:?} x {batch} on {qpus}");
                    assert_eq!(short.worker(batch, programs, 0), Some(0));
                }
            }
        }
    }

    /// The definition of the first half's outputs, at every place of every table.
    #[test]
    fn tables_multiply_each_column_by_its_output() {
        for short in (4..=9).filter_map(Short::new) {
            let points = f64::from(short.points());
            for word in 0..short.twiddle_words() {
                let (vector, lane) = (word / LANES, word % LANES);
                let (program, vector) = match short.sharers() {
                    1 => (0, vector + u32::from(vector > 0)),
                    _ => (vector / 16, vector % 16),
                };
                let output = [0, 2, 4, 6, 1, 3, 5, 7][vector as usize / 2];
                let (column, k1, sign) = match (short.sharers(), lane) {
                    (1, lane) => (lane % short.columns(), output, 1.0),
                    (_, 0..8) => (8 * program + lane, output, 1.0),
                    (_, lane) if output <= 4 => (8 * program + lane - 8, output + 8, -1.0),
                    (_, lane) => (8 * program + lane - 8, output + 8, 1.0),
                };
                let angle = core::f64::consts::TAU * f64::from(column * k1) / points;
                let expected = sign * [angle.cos(), angle.sin()][vector as usize % 2];
                let got = f64::from(f32::from_bits(short.twiddle_word(word, 1.0)));
                assert!((got - expected).abs() < 1e-7, "{short:?}, word {word}");
            }
        }
    }
}
