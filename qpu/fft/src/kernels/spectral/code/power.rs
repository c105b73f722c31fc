//! Powers of bins: sums, greatest or least of several spectra.
//!
//! A unit keeps the powers of its bins in registers while it reads one spectrum after the other.
//! What a real spectrum's bins are multiplied by is in registers too. Where a constant is to be
//! removed, multiples of bin 0 are taken from bins first ([`super::removed`]).
//!
//! A program of both detectors keeps the greatest power of each bin beside the sum. It replaces
//! what is in memory.

use super::half::{self, Half, Roots};
use super::removed::{Removed, multiple};
use crate::codelet::op_list::{Complex, OpList, Wish, positive};
use crate::kernels::program::{self, Lanes};
use crate::kernels::spectral::power::DECIBELS;
use crate::kernels::spectral::{Bins, PowerWay, Record, Row, Start, Stream};
use crate::kernels::unit_loop::{Source, UnitProgram, Word, Written};
use qpu::generate::schedule::{Destination, Operation, Place};
use qpu::isa::{AddOp, Cond, File, MulOp};

/// A unit being written.
struct Unit {
    bins: Bins,
    /// Bytes from a spectrum to the next.
    pitch: Place,
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
    /// Every register that holds an address of bins.
    addresses: Vec<Place>,
    /// Half spectra and what they are multiplied by, where bins are not complex.
    half: Option<(Half, Vec<[Place; 2]>)>,
}

/// The program.
pub fn written(mut program: UnitProgram, bins: Bins) -> Written {
    let unit = Unit::begin(&mut program, bins);
    program.piece(None);
    unit.spectrum(&mut program);
    program.piece(Some(unit.left));
    let rows = unit.end(&mut program);
    program.written(rows, None)
}

/// A word of the row list.
fn row(word: Row) -> Source {
    Source::Uniform(Word::row(word))
}

impl Unit {
    /// Reads the start list, the record and what the unit keeps.
    fn begin(program: &mut UnitProgram, bins: Bins) -> Self {
        let is_real = bins.runs() == 2;
        let input = program.lanes(Lanes::Input);
        let mirrored = is_real.then(|| program.lanes(Lanes::Mirrored));
        let [pitch, spectra] = [Start::Pitch, Start::Spectra].map(|word| program.number(word));
        program.begin_unit();
        let half = mirrored.map(|mirrored| Half::begin_unit(program, [input, mirrored]));
        let addresses = match &half {
            Some(half) => half.addresses().collect(),
            None => {
                let (run, stream) = (0, Stream::Points);
                vec![program.base(Record::Address { run, stream }, input)]
            }
        };
        let zero = program.word(Record::Zero);
        let left = program.ops.load(spectra, Wish::File(File::A));
        // 4 · lane, for vectors of words.
        let vectors = program.ops.take(Wish::Accumulator);
        program.ops.add_op(AddOp::Shl, Source::Lane, 2, vectors);
        let multiples = Removed::addresses(program, bins, vectors);
        let word = Source::Uniform(Word::record(Record::Vectors));
        program.ops.add_op(AddOp::Add, vectors, word, vectors);
        let kept = power_vectors(program, vectors, if is_real { 3 } else { 2 });
        program.ops.give_back(vectors);
        let (near, factors) = kept.split_at(if is_real { 1 } else { 2 });
        let removed = Removed::new(program, multiples, near);
        let [rows, sign] = [(); 2].map(|()| program.ops.take(Wish::AnyFile));
        let mut unit = Self {
            bins,
            pitch,
            rows,
            left,
            sign,
            zero,
            removed,
            factors: factors.to_vec(),
            powers: Vec::new(),
            greatest: Vec::new(),
            addresses,
            half: half.map(|half| {
                let roots = keep_roots(program, half.roots, bins);
                (half, roots)
            }),
        };
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
        ops.copy(row(Row::Sign), self.sign);
        let initial = ops.load(row(Row::Initial), Wish::Accumulator);
        for _ in 0..self.bins.runs() * self.bins.groups() {
            self.powers.push(ops.load(initial, Wish::AnyFile));
            if self.bins.is_way(PowerWay::Both) {
                self.greatest.push(ops.load(initial, Wish::AnyFile));
            }
        }
        ops.give_back(initial);
    }

    /// Adds the powers of a spectrum, or keeps them.
    fn spectrum(&self, program: &mut UnitProgram) {
        let bins = self.bins;
        program.ops.copy(self.rows, Destination::UniformsAddress);
        if self.greatest.is_empty() {
            let detector = row(Row::Detector);
            program.ops.set_flags(AddOp::Or, detector, detector);
        }
        let zero = self.bin_zero(program);
        if let Some((half, roots)) = &self.half {
            for (run, group) in half::order(bins) {
                let index = usize::from(bins.groups() * run + group);
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
        } else {
            for group in 0..bins.groups() {
                let x = self.complex(program, group, &zero);
                self.add(program, group.into(), x);
            }
        }
        for place in zero {
            program.ops.give_back(place);
        }
        let pitch = program.ops.load(self.pitch, Wish::Accumulator);
        for &address in self.addresses.iter().chain([&self.zero]) {
            program.ops.add_op(AddOp::Add, address, pitch, address);
        }
        program.ops.give_back(pitch);
    }

    /// Bin 0 in all lanes: both parts, or of a real spectrum the one that it has.
    fn bin_zero(&self, program: &mut UnitProgram) -> Vec<Place> {
        let ops = &mut program.ops;
        ops.copy(self.zero, Destination::Tmu(0));
        ops.push(Operation::fetch(0));
        let re = ops.load(Place::R4, Wish::File(File::A));
        ops.add_op(AddOp::Add, self.zero, 4, Destination::Tmu(0));
        ops.push(Operation::fetch(0));
        let im = ops.load(Place::R4, Wish::File(File::A));
        if self.half.is_none() {
            return vec![re, im];
        }
        let other = ops.load(im, Wish::Accumulator);
        ops.add_op(AddOp::Fadd, re, other, re);
        ops.give_back(im);
        ops.give_back(other);
        vec![re]
    }

    /// A group of complex bins.
    fn complex(&self, program: &mut UnitProgram, group: u8, zero: &[Place]) -> Complex {
        let removed = self.removed.of_group(program, self.bins, 0, group);
        let x = [0u8, 1].map(|component| {
            let word = Word::row(Row::group(0, Stream::Points, group, component));
            let fetched = program.ops.lookup_sum(group % 2, self.addresses[0], word);
            // r4 is taken before it changes.
            let kept = program.ops.load(fetched, Wish::Accumulator);
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
        let greatest = self.greatest.get(index);
        let squares = x.map(|part| {
            let square = if greatest.is_some() {
                ops.multiply(part, Source::Place(part.place), Wish::Accumulator)
            } else {
                let signed = ops.multiply(part, Source::Place(self.sign), Wish::AnyFile);
                let square = ops.multiply(part, Source::Place(signed.place), Wish::Accumulator);
                ops.give_back(signed.place);
                square
            };
            ops.give_back(part.place);
            square
        });
        let power = ops.add(squares[0], squares[1], Wish::Accumulator).place;
        ops.give_back_complex(squares);
        let kept = self.powers[index];
        if let Some(&greatest) = greatest {
            ops.add_op(AddOp::Fadd, kept, power, kept);
            ops.add_op(AddOp::Fmax, greatest, power, greatest);
        } else {
            combine(ops, kept, power, kept);
        }
        ops.give_back(power);
    }

    /// The factor that makes the power of group `index` of a sum: of the first group of a run its
    /// own, where there is one, else `scale`.
    fn factor(&self, index: usize, scale: Place) -> Place {
        let groups = usize::from(self.bins.groups());
        match self.factors.get(index / groups) {
            Some(&of_first) if index.is_multiple_of(groups) => of_first,
            _ => scale,
        }
    }

    /// Combines with what is in memory; the rows to be stored.
    fn end(self, program: &mut UnitProgram) -> Vec<Place> {
        let bins = self.bins;
        let roots = self.half.iter().flat_map(|(_, roots)| roots.as_flattened());
        // Registers of what is not needed any more.
        let others = [self.zero, self.left, self.rows];
        let others = self.addresses.iter().chain(roots).chain(&others);
        for &place in others.chain(self.removed.places()) {
            program.ops.give_back(place);
        }
        let load =
            |program: &mut UnitProgram, word| program.ops.load(row(word), Wish::File(File::B));
        if bins.is_way(PowerWay::Both) {
            let [scale, of_greatest] = [Row::Scale, Row::Greatest].map(|word| load(program, word));
            return self.end_both(program, scale, of_greatest);
        }
        let hold = row(Row::Hold);
        program.ops.set_flags(AddOp::Or, hold, hold);
        let [keep, scale, back] =
            [Row::Keep, Row::Scale, Row::Back].map(|word| load(program, word));
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
        let ops = &mut program.ops;
        for (index, &power) in self.powers.iter().enumerate() {
            let group = index as u8;
            let word = Word::record(Record::Old { group });
            let old = positive(ops.lookup_sum(group % 2, words, word));
            let old = ops.multiply(old, Source::Place(keep), Wish::Accumulator);
            // The power and its factor may be in the same file.
            let new = ops.load(power, Wish::Accumulator);
            let scale = self.factor(index, scale);
            ops.push(Operation::mul(MulOp::Fmul, new, scale, new));
            combine(ops, old.place, new, new);
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
            ops.give_back(new);
        }
        rows.extend(levels);
        rows
    }

    /// Makes powers of sums, and of the greatest; the rows to be stored.
    fn end_both(self, program: &mut UnitProgram, scale: Place, of_greatest: Place) -> Vec<Place> {
        program.late_record(0);
        let ops = &mut program.ops;
        for (index, (&sum, &most)) in self.powers.iter().zip(&self.greatest).enumerate() {
            let scale = self.factor(index, scale);
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
        self.powers.into_iter().chain(self.greatest).collect()
    }
}

/// a + b, or the greater of both where flag Z is clear.
fn combine(ops: &mut OpList<Word>, a: Place, b: Place, to: Place) {
    for (op, cond) in [(AddOp::Fadd, Cond::ZS), (AddOp::Fmax, Cond::ZC)] {
        ops.push(Operation::add(op, a, b, to).when(cond));
    }
}

/// The vectors of a unit's set, in registers.
fn power_vectors(program: &mut UnitProgram, address: Place, count: u8) -> Vec<Place> {
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
        // To the next group, less the bytes from a cosine to its sine.
        let step = [128i32, -128][run] - 4;
        let [at, next] = [0, 1].map(|_| ops.take(Wish::Accumulator));
        ops.copy(address, at);
        ops.immediate(step as u32, next);
        for _ in 0..bins.groups() {
            roots.push([0, 1].map(|component| {
                ops.copy(at, Destination::Tmu(run as u8));
                let step = [Source::Small(4), Source::Place(next)][component];
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
