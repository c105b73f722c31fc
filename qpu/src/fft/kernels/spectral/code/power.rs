//! Powers of bins: sums, greatest or least of several spectra.
//!
//! A unit keeps the powers of its bins in registers while it reads one spectrum after the other.
//! What a real spectrum's bins are multiplied by is in registers too. Where a constant is to be
//! removed, multiples of bin 0 are taken from bins first ([`super::removed`]).
//!
//! A program of both detectors keeps the greatest power of each bin beside the sum. It replaces
//! what is in memory.

use super::half::{self, Half, Roots, row};
use super::removed::{Removed, multiple};
use crate::fft::kernels::program::{self, Lanes, Task};
use crate::fft::kernels::spectral::power::DECIBELS;
use crate::fft::kernels::spectral::{Bins, Record, Row, Start, Stream};
use crate::fft::kernels::unit_loop::{Shape, Source, Stores, UnitProgram, Word, Written};
use crate::generate::codelet::op_list::{Complex, Wish, positive};
use crate::generate::schedule::{Destination, Operation, Place};
use crate::isa::{AddOp, Cond, File, MulOp};
use crate::vpm::Block;

/// Bytes from a root to that of the next group, less those from a cosine to its sine.
const NEXT_ROOT: i32 = 128 - 4;

/// Values that are loaded at the start.
struct Loaded {
    bins: Bins,
    lanes: Vec<Place>,
    pitch: Place,
    spectra: Place,
}

/// A unit being written.
struct Unit {
    loaded: Loaded,
    /// Address of what is read of the row list for each spectrum.
    rows: Place,
    left: Place,
    /// -1.0 where the least is kept, else 1.0.
    sign: Place,
    zero: Place,
    removed: Removed,
    /// Factors of the first group of each run, where they are its own.
    factors: Vec<Place>,
    powers: Vec<Place>,
    /// The greatest, where they are kept beside sums.
    greatest: Vec<Place>,
    input: Input,
}

enum Input {
    /// Addresses of complex bins.
    Complex(Place),
    /// Half spectra and what they are multiplied by.
    Half(Half, Vec<[Place; 2]>),
}

/// The program.
pub fn program(bins: Bins) -> Written {
    let shape = Shape {
        write: Block::row(0),
        stores: Stores::Listed(bins.stores()),
    };
    let mut program = UnitProgram::new(Task::Bins(bins), &shape, super::name);
    let lanes = match bins {
        Bins::Power { .. } => vec![program.lanes(Lanes::Input)],
        _ => half::lanes(&mut program).to_vec(),
    };
    let [pitch, spectra] = [Start::Pitch, Start::Spectra].map(|word| program.number(word));
    let loaded = Loaded {
        bins,
        lanes,
        pitch,
        spectra,
    };
    program.begin_unit();
    let unit = Unit::begin(&mut program, loaded);
    program.piece(None);
    unit.spectrum(&mut program);
    program.piece(Some(unit.left));
    let rows = unit.end(&mut program);
    program.written(rows, None)
}

impl Unit {
    /// Reads the record and what the unit keeps.
    fn begin(program: &mut UnitProgram, loaded: Loaded) -> Self {
        let bins = loaded.bins;
        let (input, roots) = match bins {
            Bins::Power { .. } => {
                let word = Record::Address {
                    run: 0,
                    stream: Stream::Points,
                };
                let base = program.base(word, loaded.lanes[0]);
                (Input::Complex(base), None)
            }
            _ => {
                let lanes = [loaded.lanes[0], loaded.lanes[1]];
                let half = Half::begin_unit(program, lanes, true);
                let roots = half.roots();
                (Input::Half(half, Vec::new()), Some(roots))
            }
        };
        let zero = program.word(Record::Zero);
        let left = program.ops.load(loaded.spectra, Wish::File(File::A));
        // 4 · lane, for vectors of words.
        let vectors = program.ops.take(Wish::Accumulator);
        let to = Destination::Place(vectors);
        program.ops.add_op(AddOp::Shl, Source::Lane, 2, to);
        let multiples = Removed::addresses(program, bins, vectors);
        program.ops.add_op(
            AddOp::Add,
            vectors,
            Source::Uniform(Word::record(Record::Vectors)),
            to,
        );
        let kept = power_vectors(program, vectors, bins);
        program.ops.give_back(vectors);
        let (near, factors) = kept.split_at(match bins {
            Bins::Power { .. } => 2,
            _ => 1,
        });
        let removed = Removed::new(program, multiples, near);
        let mut unit = Self {
            rows: program.ops.take(Wish::AnyFile),
            left,
            sign: program.ops.take(Wish::AnyFile),
            zero,
            removed,
            factors: factors.to_vec(),
            powers: Vec::new(),
            greatest: Vec::new(),
            input,
            loaded,
        };
        if let (Input::Half(_, kept), Some(roots)) = (&mut unit.input, roots) {
            *kept = keep_roots(program, roots, bins);
        }
        unit.read_rows(program);
        unit
    }

    /// Reads the part of the row list that is read once: bins' initial powers and their sign.
    fn read_rows(&mut self, program: &mut UnitProgram) {
        let ops = &mut program.ops;
        let address = ops.take(Wish::Accumulator);
        let word = Word::Record(program::Record::Rows);
        ops.copy(Source::Uniform(word), address);
        ops.copy(address, Destination::UniformsAddress);
        ops.add_op(AddOp::Add, address, 8, self.rows);
        ops.give_back(address);
        ops.copy(Source::Uniform(row(Row::Sign)), self.sign);
        let initial = ops.load(Source::Uniform(row(Row::Initial)), Wish::Accumulator);
        let bins = self.loaded.bins;
        for _ in 0..bins.runs() * bins.groups() {
            let power = ops.load(initial, Wish::AnyFile);
            self.powers.push(power);
            if bins.has_greatest() {
                let greatest = ops.load(initial, Wish::AnyFile);
                self.greatest.push(greatest);
            }
        }
        ops.give_back(initial);
    }

    /// Adds the powers of a spectrum, or keeps them.
    fn spectrum(&self, program: &mut UnitProgram) {
        let bins = self.loaded.bins;
        program.ops.copy(self.rows, Destination::UniformsAddress);
        if !bins.has_greatest() {
            let detector = Source::Uniform(row(Row::Detector));
            program.ops.set_flags(AddOp::Or, detector, detector);
        }
        let zero = self.bin_zero(program);
        match &self.input {
            Input::Complex(base) => {
                for group in 0..bins.groups() {
                    let x = self.complex(program, *base, group, &zero);
                    self.add(program, usize::from(group), x);
                }
            }
            Input::Half(half, roots) => {
                let groups = usize::from(bins.groups());
                for (run, group) in half::order(bins) {
                    let index = groups * usize::from(run) + usize::from(group);
                    let mut x = half.group(program, run, group, Roots::Kept(roots[index]));
                    if let Some(removed) = self.removed.of_group(program, bins, run, group) {
                        let multiple = multiple(program, removed, zero[0]);
                        let re = program.ops.subtract(x[0], multiple, Wish::Accumulator);
                        program.ops.give_back(multiple.place);
                        program.ops.give_back(x[0].place);
                        x[0] = re;
                        self.removed.give_back(program, removed);
                    }
                    self.add(program, index, x);
                }
            }
        }
        for place in zero {
            program.ops.give_back(place);
        }
        let pitch = program.ops.take(Wish::Accumulator);
        program.ops.copy(self.loaded.pitch, pitch);
        let addresses = match &self.input {
            Input::Complex(base) => vec![*base],
            Input::Half(half, _) => half.addresses().collect(),
        };
        for address in addresses.into_iter().chain([self.zero]) {
            program.ops.add_op(AddOp::Add, address, pitch, address);
        }
        program.ops.give_back(pitch);
    }

    /// Bin 0 in all lanes: both parts, or of a real spectrum the one that it has.
    fn bin_zero(&self, program: &mut UnitProgram) -> Vec<Place> {
        let ops = &mut program.ops;
        let mut parts = Vec::new();
        for component in 0..2 {
            if component == 0 {
                ops.copy(self.zero, Destination::Tmu(0));
            } else {
                ops.add_op(AddOp::Add, self.zero, 4, Destination::Tmu(0));
            }
            ops.push(Operation::fetch(0));
            let part = ops.load(Place::R4, Wish::File(File::A));
            parts.push(part);
        }
        if let Input::Half(..) = self.input {
            let im = parts.pop().expect("two parts");
            let other = ops.load(im, Wish::Accumulator);
            ops.add_op(AddOp::Fadd, parts[0], other, parts[0]);
            ops.give_back(im);
            ops.give_back(other);
        }
        parts
    }

    /// A group of complex bins.
    fn complex(
        &self,
        program: &mut UnitProgram,
        base: Place,
        group: u8,
        zero: &[Place],
    ) -> Complex {
        let removed = self.removed.of_group(program, self.loaded.bins, 0, group);
        let x = [0u8, 1].map(|component| {
            let word = row(Row::Group {
                run: 0,
                stream: Stream::Points,
                group,
                component,
            });
            let fetched = positive(program.ops.lookup_sum(group % 2, base, word));
            // r4 is taken before it changes.
            let kept = program.ops.load(fetched.place, Wish::Accumulator);
            let x = positive(kept);
            let Some(removed) = removed else {
                return x;
            };
            let multiple = multiple(program, removed, zero[usize::from(component)]);
            let rest = program.ops.subtract(x, multiple, Wish::Accumulator);
            program.ops.give_back(kept);
            program.ops.give_back(multiple.place);
            rest
        });
        if let Some(removed) = removed {
            self.removed.give_back(program, removed);
        }
        x
    }

    /// The power of a group, to what is kept of it. Gives back x, which is in accumulators.
    fn add(&self, program: &mut UnitProgram, index: usize, x: Complex) {
        let ops = &mut program.ops;
        if let Some(&greatest) = self.greatest.get(index) {
            let squares = x.map(|part| {
                let square = ops.multiply(part, Source::Place(part.place), Wish::Accumulator);
                ops.give_back(part.place);
                square
            });
            let power = ops.add(squares[0], squares[1], Wish::Accumulator);
            ops.give_back_complex(squares);
            let kept = self.powers[index];
            ops.add_op(AddOp::Fadd, kept, power.place, kept);
            ops.add_op(AddOp::Fmax, greatest, power.place, greatest);
            ops.give_back(power.place);
            return;
        }
        let sign = Source::Place(self.sign);
        let squares = x.map(|part| {
            let signed = ops.multiply(part, sign, Wish::AnyFile);
            let factor = Source::Place(signed.place);
            let square = ops.multiply(part, factor, Wish::Accumulator);
            ops.give_back(signed.place);
            ops.give_back(part.place);
            square
        });
        let power = ops.add(squares[0], squares[1], Wish::Accumulator);
        ops.give_back_complex(squares);
        let kept = self.powers[index];
        combine(program, kept, power.place, kept);
        program.ops.give_back(power.place);
    }

    /// Combines with what is in memory; the rows to be stored.
    fn end(self, program: &mut UnitProgram) -> Vec<Place> {
        let bins = self.loaded.bins;
        let half = match &self.input {
            Input::Complex(base) => vec![*base],
            Input::Half(half, roots) => {
                let roots = roots.iter().flatten().copied();
                half.addresses().chain(roots).collect()
            }
        };
        // Registers of what is not needed any more.
        let others = [self.zero, self.left, self.rows];
        let removed = self.removed.places();
        for place in half.into_iter().chain(others).chain(removed) {
            program.ops.give_back(place);
        }
        if bins.has_greatest() {
            return end_both(program, bins, &self.factors, [self.powers, self.greatest]);
        }
        let hold = Source::Uniform(row(Row::Hold));
        program.ops.set_flags(AddOp::Or, hold, hold);
        let keep = program
            .ops
            .load(Source::Uniform(row(Row::Keep)), Wish::File(File::B));
        let scale = program
            .ops
            .load(Source::Uniform(row(Row::Scale)), Wish::File(File::B));
        let back = program
            .ops
            .load(Source::Uniform(row(Row::Back)), Wish::File(File::B));
        let words = program.ops.take(Wish::AnyFile);
        program.ops.add_op(AddOp::Shl, Source::Lane, 2, words);
        program.late_record(bins.runs() * bins.groups());
        let constants = bins.has_decibels().then(|| {
            DECIBELS.map(|value: f32| {
                let place = program.ops.take(Wish::File(File::B));
                program.ops.immediate(value.to_bits(), place);
                place
            })
        });
        let mut rows = Vec::new();
        let mut levels = Vec::new();
        for (index, &power) in self.powers.iter().enumerate() {
            let first_of_run = index % usize::from(bins.groups()) == 0;
            let own = self.factors.get(index / usize::from(bins.groups()));
            let scale = match own {
                Some(&own) if first_of_run => own,
                _ => scale,
            };
            let ops = &mut program.ops;
            let group = index as u8;
            let word = Word::record(Record::Old { group });
            let old = positive(ops.lookup_sum(group % 2, words, word));
            let old = ops.multiply(old, Source::Place(keep), Wish::Accumulator);
            // The power and its factor may be in the same file.
            let new = ops.load(power, Wish::Accumulator);
            ops.push(Operation::mul(MulOp::Fmul, new, scale, new));
            combine(program, old.place, new, new);
            let ops = &mut program.ops;
            ops.give_back(old.place);
            ops.push(Operation::mul(MulOp::Fmul, new, back, power));
            rows.push(power);
            if let Some([factor, offset]) = constants {
                ops.push(Operation::mul(MulOp::Fmul, new, back, Destination::Log2));
                let level = ops.take(Wish::AnyFile);
                let in_octaves = positive(Place::R4);
                let factor = Source::Place(factor);
                let scaled = ops.multiply(in_octaves, factor, Wish::Accumulator);
                ops.add_op(AddOp::Fadd, scaled.place, offset, level);
                ops.give_back(scaled.place);
                levels.push(level);
            }
            program.ops.give_back(new);
        }
        rows.extend(levels);
        rows
    }
}

/// Makes powers of sums, and of the greatest; the rows to be stored.
fn end_both(
    program: &mut UnitProgram,
    bins: Bins,
    factors: &[Place],
    [sums, greatest]: [Vec<Place>; 2],
) -> Vec<Place> {
    let [scale, of_greatest] = [Row::Scale, Row::Greatest].map(|word| {
        let word = Source::Uniform(row(word));
        program.ops.load(word, Wish::File(File::B))
    });
    program.late_record(0);
    let ops = &mut program.ops;
    let groups = usize::from(bins.groups());
    for (index, (&sum, &most)) in sums.iter().zip(&greatest).enumerate() {
        let scale = match factors.get(index / groups) {
            Some(&own) if index % groups == 0 => own,
            _ => scale,
        };
        for (power, factor) in [(sum, None), (most, Some(of_greatest))] {
            // A power and its factor may be in the same file.
            let new = ops.load(power, Wish::Accumulator);
            if let Some(factor) = factor {
                ops.push(Operation::mul(MulOp::Fmul, new, factor, new));
            }
            ops.push(Operation::mul(MulOp::Fmul, new, scale, power));
            ops.give_back(new);
        }
    }
    sums.into_iter().chain(greatest).collect()
}

/// a + b, or the greater of both where flag Z is clear.
fn combine(program: &mut UnitProgram, a: Place, b: Place, to: Place) {
    for (op, cond) in [(AddOp::Fadd, Cond::ZS), (AddOp::Fmax, Cond::ZC)] {
        program.ops.push(Operation::add(op, a, b, to).when(cond));
    }
}

/// The vectors of a unit's set, in registers.
fn power_vectors(program: &mut UnitProgram, address: Place, bins: Bins) -> Vec<Place> {
    let count = match bins {
        Bins::Power { .. } => 2,
        _ => 3,
    };
    let ops = &mut program.ops;
    let step = ops.take(Wish::Accumulator);
    ops.immediate(64, step);
    let vectors = (0..count).map(|_| {
        ops.copy(address, Destination::Tmu(0));
        ops.add_op(AddOp::Add, address, step, address);
        ops.push(Operation::fetch(0));
        ops.load(Place::R4, Wish::File(File::B))
    });
    let vectors = vectors.collect();
    ops.give_back(step);
    vectors
}

/// Cosines and sines of all groups, those of run 0 first, in registers.
fn keep_roots(program: &mut UnitProgram, addresses: [Place; 2], bins: Bins) -> Vec<[Place; 2]> {
    let ops = &mut program.ops;
    let mut roots = Vec::new();
    for (run, address) in addresses.into_iter().enumerate() {
        let step = if run == 0 { NEXT_ROOT } else { -128 - 4 };
        let [at, next] = [0, 1].map(|_| ops.take(Wish::Accumulator));
        ops.copy(address, at);
        ops.immediate(step as u32, next);
        for _ in 0..bins.groups() {
            roots.push([0, 1].map(|component| {
                ops.copy(at, Destination::Tmu(run as u8));
                let step = if component == 0 {
                    Source::Small(4)
                } else {
                    Source::Place(next)
                };
                ops.add_op(AddOp::Add, at, step, at);
                ops.push(Operation::fetch(run as u8));
                ops.load(Place::R4, Wish::File(File::B))
            }));
        }
        ops.give_back(at);
        ops.give_back(next);
        ops.give_back(address);
    }
    roots
}
