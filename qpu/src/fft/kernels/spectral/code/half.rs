//! Bins of a real spectrum, sixteen at a time, from those of half the length.
//!
//! Both runs of a unit read the same lines of memory, one as bins and the other as mirrored bins:
//! groups are worked on in such an order, and looked up on such a TMU, that the second finds them
//! in its cache.

use crate::fft::kernels::program::Lanes;
use crate::fft::kernels::spectral::{Bins, Record, Row, Stream};
use crate::fft::kernels::unit_loop::{Source, UnitProgram, Word};
use crate::generate::codelet::op_list::{Complex, OpList, Value, Wish, positive};
use crate::generate::schedule::{Destination, Operation, Place};
use crate::isa::{AddOp, Cond, File};

/// Addresses of the lanes of a run.
#[derive(Clone, Copy)]
struct Addresses {
    points: Place,
    mirrored: Place,
    /// Addresses of the first group, in which bin 0 may stand in for bin M.
    first: [Place; 2],
}

/// The input side of a program.
pub struct Half {
    runs: [Addresses; 2],
    /// Addresses of the roots, or none where they are in registers.
    roots: Option<[Place; 2]>,
}

/// The places of the twiddle factors of a group.
#[derive(Clone, Copy)]
pub enum Roots {
    /// To be looked up.
    Looked,
    /// Cosines and sines in these registers.
    Kept([Place; 2]),
}

/// A word of the row list.
pub fn row(row: Row) -> Word {
    Word::row(row)
}

/// The runs' groups in the order in which they are worked on: those that read the same memory
/// together.
pub fn order(bins: Bins) -> impl Iterator<Item = (u8, u8)> {
    let groups = bins.groups();
    (0..groups).flat_map(move |group| [(0, group), (1, groups - 1 - group)])
}

impl Half {
    /// Reads a unit's addresses from its record. Sets flags.
    pub fn begin_unit(
        program: &mut UnitProgram,
        [input, mirrored]: [Place; 2],
        roots: bool,
    ) -> Self {
        program.ops.set_lane_flags(15);
        let address = |program: &mut UnitProgram, run, stream, lanes| {
            let word = Record::Address { run, stream };
            program.base(word, lanes)
        };
        let runs = [0, 1].map(|run| {
            let points = address(program, run, Stream::Points, input);
            let backwards = address(program, run, Stream::Mirrored, mirrored);
            let wrapped = if run == 0 { backwards } else { points };
            let first = program.ops.take(Wish::AnyFile);
            let to = Destination::Place(first);
            program.ops.copy(wrapped, to);
            let wrap = Word::record(Record::Wrap { run });
            let add = Operation::add(AddOp::Add, first, Source::Uniform(wrap), to).when(Cond::ZS);
            program.ops.push(add);
            Addresses {
                points,
                mirrored: backwards,
                first: if run == 0 {
                    [points, first]
                } else {
                    [first, backwards]
                },
            }
        });
        let roots = roots.then(|| {
            [
                address(program, 0, Stream::Roots, input),
                address(program, 1, Stream::Roots, mirrored),
            ]
        });
        Self { runs, roots }
    }

    /// Every register that holds an address of bins, each once.
    pub fn addresses(&self) -> impl Iterator<Item = Place> {
        let [up, down] = self.runs;
        let all = [up, down].map(|run| [run.points, run.mirrored]);
        all.into_iter()
            .flatten()
            .chain([up.first[1], down.first[0]])
    }

    /// Addresses of the roots of both runs, where they are to be read.
    pub fn roots(&self) -> [Place; 2] {
        self.roots.expect("roots are read")
    }

    /// Looks up a component of a group, into r4.
    fn fetch(&self, ops: &mut OpList<Word>, tmu: u8, word: Row) -> Value {
        let Row::Group {
            run, stream, group, ..
        } = word
        else {
            unreachable!("groups are looked up");
        };
        let run = usize::from(run);
        let addresses = self.runs[run];
        let address = match (stream, group) {
            (Stream::Points, 0) => addresses.first[0],
            (Stream::Points, _) => addresses.points,
            (Stream::Mirrored, 0) => addresses.first[1],
            (Stream::Mirrored, _) => addresses.mirrored,
            (Stream::Roots, _) => self.roots.expect("roots are looked up here")[run],
            (Stream::Kernels | Stream::Multiples, _) => unreachable!("no part of half transforms"),
        };
        positive(ops.lookup_sum(tmu, address, row(word)))
    }

    /// Twice the real spectrum's bins of a group, or the half's times 2 of those: see
    /// [`crate::fft::kernels::spectral`].
    pub fn group(&self, program: &mut UnitProgram, run: u8, group: u8, roots: Roots) -> Complex {
        let fetch = |ops: &mut OpList<Word>, tmu, stream, component| {
            let row = Row::Group {
                run,
                stream,
                group,
                component,
            };
            self.fetch(ops, tmu, row)
        };
        let ops = &mut program.ops;
        let terms = Terms::new(ops, (run, group), roots, fetch);
        let x = terms.bins(ops);
        terms.give_back(ops);
        x
    }
}

/// The terms of which the bins of a group are sums and differences.
pub struct Terms {
    run: u8,
    /// A + conj B.
    pub even: Complex,
    /// The other term, multiplied; in accumulators.
    pub multiplied: Complex,
}

impl Terms {
    /// Writes those of a group; `fetch` looks up on a TMU a component of what the group reads, into
    /// r4.
    pub fn new(
        ops: &mut OpList<Word>,
        (run, group): (u8, u8),
        roots: Roots,
        fetch: impl Fn(&mut OpList<Word>, u8, Stream, u8) -> Value,
    ) -> Self {
        // Roots are read through the other file's port.
        let wish = match roots {
            Roots::Looked => Wish::AnyFile,
            Roots::Kept(_) => Wish::File(File::A),
        };
        let both = |ops: &mut OpList<Word>, component| {
            let a = fetch(ops, run, Stream::Points, component);
            let kept = ops.load(a.place, Wish::AnyFile);
            let b = fetch(ops, 1 - run, Stream::Mirrored, component);
            let a = positive(kept);
            // A + conj B, then A - conj B.
            let wishes = if component == 0 {
                [Wish::AnyFile, wish]
            } else {
                [wish, Wish::AnyFile]
            };
            let sum = ops.add(a, b, wishes[0]);
            let difference = ops.subtract(a, b, wishes[1]);
            ops.give_back(kept);
            if component == 0 {
                [sum, difference]
            } else {
                [difference, sum]
            }
        };
        let [even_re, odd_re] = both(ops, 0);
        let [even_im, odd_im] = both(ops, 1);
        let factor = |ops: &mut OpList<Word>, component: u8| match roots {
            Roots::Looked => {
                let tmu = (run + group) % 2;
                Source::Place(fetch(ops, tmu, Stream::Roots, component).place)
            }
            Roots::Kept(places) => Source::Place(places[usize::from(component)]),
        };
        let cos = factor(ops, 0);
        let cos_im = ops.multiply(odd_im, cos, Wish::Accumulator);
        let cos_re = ops.multiply(odd_re, cos, Wish::Accumulator);
        let sin = factor(ops, 1);
        let sin_re = ops.multiply(odd_re, sin, Wish::AnyFile);
        let sin_im = ops.multiply(odd_im, sin, Wish::AnyFile);
        ops.give_back_complex([odd_re, odd_im]);
        // The second run looks up the cosine of an angle that half a turn less the other makes.
        let multiplied = if run == 0 {
            [
                ops.subtract(cos_im, sin_re, Wish::Accumulator),
                ops.add(cos_re, sin_im, Wish::Accumulator),
            ]
        } else {
            [
                ops.add(cos_im, sin_re, Wish::Accumulator),
                ops.subtract(cos_re, sin_im, Wish::Accumulator),
            ]
        };
        for value in [cos_im, cos_re, sin_re, sin_im] {
            ops.give_back(value.place);
        }
        Self {
            run,
            even: [even_re, even_im],
            multiplied,
        }
    }

    /// The bins of the group, in accumulators.
    pub fn bins(&self, ops: &mut OpList<Word>) -> Complex {
        let ([even_re, even_im], [re, im]) = (self.even, self.multiplied);
        if self.run == 0 {
            [
                ops.add(even_re, re, Wish::Accumulator),
                ops.subtract(even_im, im, Wish::Accumulator),
            ]
        } else {
            [
                ops.subtract(even_re, re, Wish::Accumulator),
                ops.add(even_im, im, Wish::Accumulator),
            ]
        }
    }

    /// Gives their registers back.
    pub fn give_back(self, ops: &mut OpList<Word>) {
        ops.give_back_complex(self.multiplied);
        ops.give_back_complex(self.even);
    }
}

/// Lane vectors of a split.
pub fn lanes(program: &mut UnitProgram) -> [Place; 2] {
    [Lanes::Input, Lanes::Mirrored].map(|lanes| program.lanes(lanes))
}
