//! Powers of bins: sums, greatest or least of several spectra.
//!
//! A unit keeps the powers of its bins in registers while it reads one spectrum after the other.
//! What a real spectrum's bins turn by is in registers too. Where a constant is to be removed,
//! multiples of bin 0 are taken from bins first ([`super::removed`]).

use super::super::Word;
use super::super::frame::{Frame, Shape, Source, Stores, Written};
use super::half::{self, Half, Turns, row};
use super::removed::{Removed, multiple};
use crate::fft::bins::power::DECIBELS;
use crate::fft::bins::{Bins, Record, Row, Start, Stream};
use crate::fft::program::{self, Lanes, Task};
use crate::generate::fft::draft::{Complex, Wish, positive};
use crate::generate::schedule::{Destination, Operation, Place};
use crate::isa::{AddOp, Cond, File, MulOp};
use crate::vpm::Block;

/// Bytes from a turn to that of the next group, less those from a cosine to its sine.
const NEXT_TURN: i32 = 128 - 4;

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
    input: Input,
}

enum Input {
    /// Addresses of complex bins.
    Complex(Place),
    /// Half spectra and what they are turned by.
    Half(Half, Vec<[Place; 2]>),
}

/// The program.
pub fn program(bins: Bins) -> Written {
    let shape = Shape {
        write: Block::row(0),
        stores: Stores::Listed(bins.stores()),
    };
    let mut frame = Frame::new(Task::Bins(bins), &shape);
    let lanes = match bins {
        Bins::Power { .. } => vec![frame.lanes(Lanes::Input)],
        _ => half::lanes(&mut frame).to_vec(),
    };
    let [pitch, spectra] = [Start::Pitch, Start::Spectra].map(|word| frame.number(word));
    let loaded = Loaded {
        bins,
        lanes,
        pitch,
        spectra,
    };
    frame.begin_unit();
    let unit = Unit::begin(&mut frame, loaded);
    frame.piece(None);
    unit.spectrum(&mut frame);
    frame.piece(Some(unit.left));
    let rows = unit.end(&mut frame);
    frame.written(rows, None)
}

impl Unit {
    /// Reads the record and what the unit keeps.
    fn begin(frame: &mut Frame, loaded: Loaded) -> Self {
        let bins = loaded.bins;
        let (input, turns) = match bins {
            Bins::Power { .. } => {
                let word = Record::Address {
                    run: 0,
                    stream: Stream::Points,
                };
                let base = frame.base(word, loaded.lanes[0]);
                (Input::Complex(base), None)
            }
            _ => {
                let lanes = [loaded.lanes[0], loaded.lanes[1]];
                let half = Half::begin_unit(frame, lanes, true);
                let turns = half.turns();
                (Input::Half(half, Vec::new()), Some(turns))
            }
        };
        let zero = frame.word(Record::Zero);
        let left = frame.draft.take(Wish::File(File::A));
        let from = Source::Place(loaded.spectra);
        frame.draft.copy(from, Destination::Place(left));
        // 4 · lane, for vectors of words.
        let vectors = frame.draft.take(Wish::Accumulator);
        let to = Destination::Place(vectors);
        let sources = [Source::Lane, Source::Small(2)];
        frame.draft.add_op(AddOp::Shl, sources, to);
        let multiples = Removed::addresses(frame, bins, vectors);
        let sources = [
            Source::Place(vectors),
            Source::Uniform(Word::record(Record::Vectors)),
        ];
        frame.draft.add_op(AddOp::Add, sources, to);
        let kept = power_vectors(frame, vectors, bins);
        frame.draft.give_back(vectors);
        let (near, factors) = kept.split_at(match bins {
            Bins::Power { .. } => 2,
            _ => 1,
        });
        let removed = Removed::new(frame, multiples, near);
        let mut unit = Self {
            rows: frame.draft.take(Wish::AnyFile),
            left,
            sign: frame.draft.take(Wish::AnyFile),
            zero,
            removed,
            factors: factors.to_vec(),
            powers: Vec::new(),
            input,
            loaded,
        };
        if let (Input::Half(_, kept), Some(turns)) = (&mut unit.input, turns) {
            *kept = keep_turns(frame, turns, bins);
        }
        unit.read_rows(frame);
        unit
    }

    /// Reads the part of the row list that is read once: bins' initial powers and their sign.
    fn read_rows(&mut self, frame: &mut Frame) {
        let draft = &mut frame.draft;
        let address = draft.take(Wish::Accumulator);
        let to = Destination::Place(address);
        let word = Word::Record(program::Record::Rows);
        draft.copy(Source::Uniform(word), to);
        draft.copy(Source::Place(address), Destination::UniformsAddress);
        let sources = [Source::Place(address), Source::Small(8)];
        draft.add_op(AddOp::Add, sources, Destination::Place(self.rows));
        draft.give_back(address);
        let to = Destination::Place(self.sign);
        draft.copy(Source::Uniform(row(Row::Sign)), to);
        let initial = draft.take(Wish::Accumulator);
        let to = Destination::Place(initial);
        draft.copy(Source::Uniform(row(Row::Initial)), to);
        let bins = self.loaded.bins;
        for _ in 0..bins.runs() * bins.groups() {
            let power = draft.take(Wish::AnyFile);
            draft.copy(Source::Place(initial), Destination::Place(power));
            self.powers.push(power);
        }
        draft.give_back(initial);
    }

    /// Adds the powers of a spectrum, or keeps them.
    fn spectrum(&self, frame: &mut Frame) {
        let bins = self.loaded.bins;
        let rows = Source::Place(self.rows);
        frame.draft.copy(rows, Destination::UniformsAddress);
        let detector = Source::Uniform(row(Row::Detector));
        let nothing = Destination::Nothing;
        frame
            .draft
            .add_op_setting_flags(AddOp::Or, [detector; 2], nothing);
        let zero = self.bin_zero(frame);
        match &self.input {
            Input::Complex(base) => {
                for group in 0..bins.groups() {
                    let x = self.complex(frame, *base, group, &zero);
                    self.add(frame, usize::from(group), x);
                }
            }
            Input::Half(half, turns) => {
                let groups = usize::from(bins.groups());
                for (run, group) in half::order(bins) {
                    let index = groups * usize::from(run) + usize::from(group);
                    let mut x = half.group(frame, run, group, Turns::Kept(turns[index]));
                    if let Some(removed) = self.removed.of_group(frame, bins, run, group) {
                        let multiple = multiple(frame, removed, zero[0]);
                        let re = frame.draft.subtract(x[0], multiple, Wish::Accumulator);
                        frame.draft.give_back(multiple.place);
                        frame.draft.give_back(x[0].place);
                        x[0] = re;
                        self.removed.give_back(frame, removed);
                    }
                    self.add(frame, index, x);
                }
            }
        }
        for place in zero {
            frame.draft.give_back(place);
        }
        let pitch = frame.draft.take(Wish::Accumulator);
        let from = Source::Place(self.loaded.pitch);
        frame.draft.copy(from, Destination::Place(pitch));
        let addresses = match &self.input {
            Input::Complex(base) => vec![*base],
            Input::Half(half, _) => half.addresses().collect(),
        };
        for address in addresses.into_iter().chain([self.zero]) {
            let sources = [address, pitch].map(Source::Place);
            let to = Destination::Place(address);
            frame.draft.add_op(AddOp::Add, sources, to);
        }
        frame.draft.give_back(pitch);
    }

    /// Bin 0 in all lanes: both parts, or of a real spectrum the one that it has.
    fn bin_zero(&self, frame: &mut Frame) -> Vec<Place> {
        let draft = &mut frame.draft;
        let mut parts = Vec::new();
        for component in 0..2 {
            if component == 0 {
                draft.copy(Source::Place(self.zero), Destination::Tmu(0));
            } else {
                let sources = [Source::Place(self.zero), Source::Small(4)];
                draft.add_op(AddOp::Add, sources, Destination::Tmu(0));
            }
            draft.push(Operation::fetch(0));
            let part = draft.take(Wish::File(File::A));
            draft.copy(Source::Place(Place::R4), Destination::Place(part));
            parts.push(part);
        }
        if let Input::Half(..) = self.input {
            let im = parts.pop().expect("two parts");
            let other = draft.take(Wish::Accumulator);
            draft.copy(Source::Place(im), Destination::Place(other));
            let sources = [parts[0], other].map(Source::Place);
            draft.add_op(AddOp::Fadd, sources, Destination::Place(parts[0]));
            draft.give_back(im);
            draft.give_back(other);
        }
        parts
    }

    /// A group of complex bins.
    fn complex(&self, frame: &mut Frame, base: Place, group: u8, zero: &[Place]) -> Complex {
        let removed = self.removed.of_group(frame, self.loaded.bins, 0, group);
        let x = [0u8, 1].map(|component| {
            let word = row(Row::Group {
                run: 0,
                stream: Stream::Points,
                group,
                component,
            });
            let fetched = positive(frame.draft.lookup_sum(group % 2, base, word));
            // r4 is taken before it changes.
            let kept = frame.draft.take(Wish::Accumulator);
            let to = Destination::Place(kept);
            frame.draft.copy(Source::Place(fetched.place), to);
            let x = positive(kept);
            let Some(removed) = removed else {
                return x;
            };
            let multiple = multiple(frame, removed, zero[usize::from(component)]);
            let rest = frame.draft.subtract(x, multiple, Wish::Accumulator);
            frame.draft.give_back(kept);
            frame.draft.give_back(multiple.place);
            rest
        });
        if let Some(removed) = removed {
            self.removed.give_back(frame, removed);
        }
        x
    }

    /// The power of a group, to what is kept of it. Gives back x, which is in accumulators.
    fn add(&self, frame: &mut Frame, index: usize, x: Complex) {
        let draft = &mut frame.draft;
        let sign = Source::Place(self.sign);
        let squares = x.map(|part| {
            let signed = draft.multiply(part, sign, Wish::AnyFile);
            let factor = Source::Place(signed.place);
            let square = draft.multiply(part, factor, Wish::Accumulator);
            draft.give_back(signed.place);
            draft.give_back(part.place);
            square
        });
        let power = draft.add(squares[0], squares[1], Wish::Accumulator);
        draft.give_back_complex(squares);
        let kept = self.powers[index];
        combine(frame, kept, power.place, kept);
        frame.draft.give_back(power.place);
    }

    /// Combines with what is in memory; the rows to be stored.
    fn end(self, frame: &mut Frame) -> Vec<Place> {
        let bins = self.loaded.bins;
        let half = match &self.input {
            Input::Complex(base) => vec![*base],
            Input::Half(half, turns) => {
                let turns = turns.iter().flatten().copied();
                half.addresses().chain(turns).collect()
            }
        };
        // Registers of what is not needed any more.
        let others = [self.zero, self.left, self.rows];
        let removed = self.removed.places();
        for place in half.into_iter().chain(others).chain(removed) {
            frame.draft.give_back(place);
        }
        let hold = Source::Uniform(row(Row::Hold));
        let nothing = Destination::Nothing;
        frame
            .draft
            .add_op_setting_flags(AddOp::Or, [hold; 2], nothing);
        let keep = frame.draft.take(Wish::File(File::B));
        let to = Destination::Place(keep);
        frame.draft.copy(Source::Uniform(row(Row::Keep)), to);
        let scale = frame.draft.take(Wish::File(File::B));
        let to = Destination::Place(scale);
        frame.draft.copy(Source::Uniform(row(Row::Scale)), to);
        let back = frame.draft.take(Wish::File(File::B));
        let to = Destination::Place(back);
        frame.draft.copy(Source::Uniform(row(Row::Back)), to);
        let words = frame.draft.take(Wish::AnyFile);
        let sources = [Source::Lane, Source::Small(2)];
        let to = Destination::Place(words);
        frame.draft.add_op(AddOp::Shl, sources, to);
        frame.late_record(bins.runs() * bins.groups());
        let constants = bins.has_decibels().then(|| {
            DECIBELS.map(|value: f32| {
                let place = frame.draft.take(Wish::File(File::B));
                let to = [Destination::Place(place), nothing];
                frame.draft.immediate(value.to_bits(), to);
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
            let draft = &mut frame.draft;
            let group = index as u8;
            let word = Word::record(Record::Old { group });
            let old = positive(draft.lookup_sum(group % 2, words, word));
            let old = draft.multiply(old, Source::Place(keep), Wish::Accumulator);
            // The power and its factor may be in the same file.
            let new = draft.take(Wish::Accumulator);
            draft.copy(Source::Place(power), Destination::Place(new));
            let to = Destination::Place(new);
            let sources = [new, scale].map(Source::Place);
            draft.push(Operation::mul(MulOp::Fmul, sources, to));
            combine(frame, old.place, new, new);
            let draft = &mut frame.draft;
            draft.give_back(old.place);
            let sources = [new, back].map(Source::Place);
            let to = Destination::Place(power);
            draft.push(Operation::mul(MulOp::Fmul, sources, to));
            rows.push(power);
            if let Some([factor, offset]) = constants {
                draft.push(Operation::mul(
                    MulOp::Fmul,
                    [new, back].map(Source::Place),
                    Destination::Log2,
                ));
                let level = draft.take(Wish::AnyFile);
                let in_octaves = positive(Place::R4);
                let factor = Source::Place(factor);
                let scaled = draft.multiply(in_octaves, factor, Wish::Accumulator);
                let sources = [scaled.place, offset].map(Source::Place);
                draft.add_op(AddOp::Fadd, sources, Destination::Place(level));
                draft.give_back(scaled.place);
                levels.push(level);
            }
            frame.draft.give_back(new);
        }
        rows.extend(levels);
        rows
    }
}

/// a + b, or the greater of both where flag Z is clear.
fn combine(frame: &mut Frame, a: Place, b: Place, to: Place) {
    let sources = [a, b].map(Source::Place);
    let to = Destination::Place(to);
    for (op, cond) in [(AddOp::Fadd, Cond::ZS), (AddOp::Fmax, Cond::ZC)] {
        frame.draft.push(Operation::add(op, sources, to).when(cond));
    }
}

/// The vectors of a unit's set, in registers.
fn power_vectors(frame: &mut Frame, address: Place, bins: Bins) -> Vec<Place> {
    let count = match bins {
        Bins::Power { .. } => 2,
        _ => 3,
    };
    let draft = &mut frame.draft;
    let step = draft.take(Wish::Accumulator);
    draft.immediate(64, [Destination::Place(step), Destination::Nothing]);
    let vectors = (0..count).map(|_| {
        draft.copy(Source::Place(address), Destination::Tmu(0));
        let sources = [address, step].map(Source::Place);
        draft.add_op(AddOp::Add, sources, Destination::Place(address));
        draft.push(Operation::fetch(0));
        let kept = draft.take(Wish::File(File::B));
        draft.copy(Source::Place(Place::R4), Destination::Place(kept));
        kept
    });
    let vectors = vectors.collect();
    draft.give_back(step);
    vectors
}

/// Cosines and sines of all groups, those of run 0 first, in registers.
fn keep_turns(frame: &mut Frame, addresses: [Place; 2], bins: Bins) -> Vec<[Place; 2]> {
    let draft = &mut frame.draft;
    let mut turns = Vec::new();
    for (run, address) in addresses.into_iter().enumerate() {
        let step = if run == 0 { NEXT_TURN } else { -128 - 4 };
        let [at, next] = [0, 1].map(|_| draft.take(Wish::Accumulator));
        draft.copy(Source::Place(address), Destination::Place(at));
        let to = [Destination::Place(next), Destination::Nothing];
        draft.immediate(step as u32, to);
        for _ in 0..bins.groups() {
            turns.push([0, 1].map(|component| {
                draft.copy(Source::Place(at), Destination::Tmu(run as u8));
                let step = if component == 0 {
                    Source::Small(4)
                } else {
                    Source::Place(next)
                };
                let sources = [Source::Place(at), step];
                draft.add_op(AddOp::Add, sources, Destination::Place(at));
                draft.push(Operation::fetch(run as u8));
                let kept = draft.take(Wish::File(File::B));
                draft.copy(Source::Place(Place::R4), Destination::Place(kept));
                kept
            }));
        }
        draft.give_back(at);
        draft.give_back(next);
        draft.give_back(address);
    }
    turns
}
