//! Bins of a real spectrum, sixteen at a time, from those of half the length.
//!
//! Both runs of a unit read the same lines of memory, one as bins and the other as mirrored bins:
//! groups are worked on in such an order, and looked up on such a TMU, that the second finds them
//! in its cache.

use crate::codelet::op_list::{Complex, OpList, Value, Wish, negate, positive};
use crate::kernels::spectral::{Bins, Record, Row, Stream};
use crate::kernels::unit_loop::{Source, UnitProgram, Word};
use qpu::generate::schedule::{Operation, Place};
use qpu::isa::{AddOp, Cond, File};

/// Addresses of the lanes of a run: of bins, and of mirrored bins.
#[derive(Clone, Copy)]
struct Addresses {
    groups: [Place; 2],
    /// Those of the first group, in which bin 0 may stand in for bin M.
    first: [Place; 2],
}

/// The input side of a program.
pub struct Half {
    runs: [Addresses; 2],
    /// Addresses of the roots of both runs.
    pub roots: [Place; 2],
}

/// The places of the twiddle factors of a group.
#[derive(Clone, Copy)]
pub enum Roots {
    /// To be looked up.
    Looked,
    /// Cosines and sines in these registers.
    Kept([Place; 2]),
}

/// The runs' groups in the order in which they are worked on: those that read the same memory
/// together.
pub fn order(bins: Bins) -> impl Iterator<Item = (u8, u8)> {
    let groups = bins.groups();
    (0..groups).flat_map(move |group| [(0, group), (1, groups - 1 - group)])
}

impl Half {
    /// Reads a unit's addresses from its record. Sets flags.
    pub fn begin_unit(program: &mut UnitProgram, lanes: [Place; 2]) -> Self {
        program.ops.set_lane_flags(15);
        let [input, mirrored] = lanes;
        let runs = [0, 1].map(|run| {
            let groups = [(Stream::Points, input), (Stream::Mirrored, mirrored)]
                .map(|(stream, lanes)| program.base(Record::Address { run, stream }, lanes));
            let [points, mirrored] = groups;
            let first = if run == 0 {
                [points, wrap(&mut program.ops, mirrored, run)]
            } else {
                [wrap(&mut program.ops, points, run), mirrored]
            };
            Addresses { groups, first }
        });
        let roots = [0, 1].map(|run| {
            let stream = Stream::Roots;
            program.base(Record::Address { run, stream }, lanes[usize::from(run)])
        });
        Self { runs, roots }
    }

    /// Every register that holds an address of bins, each once.
    pub fn addresses(&self) -> impl Iterator<Item = Place> {
        let [up, down] = self.runs;
        let groups = up.groups.into_iter().chain(down.groups);
        groups.chain([up.first[1], down.first[0]])
    }

    /// Twice the real spectrum's bins of a group, or the half's times 2 of those: see
    /// [`crate::kernels::spectral`].
    pub fn group(&self, program: &mut UnitProgram, run: u8, group: u8, roots: Roots) -> Complex {
        let addresses = self.runs[usize::from(run)];
        let [points, mirrored] = if group == 0 {
            addresses.first
        } else {
            addresses.groups
        };
        let fetch = |ops: &mut OpList<Word>, tmu, stream, component| {
            let address = match stream {
                Stream::Points => points,
                Stream::Mirrored => mirrored,
                Stream::Roots => self.roots[usize::from(run)],
                Stream::Kernels | Stream::Multiples => unreachable!("no part of half transforms"),
            };
            let word = Word::row(Row::group(run, stream, group, component));
            positive(ops.lookup_sum(tmu, address, word))
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
        let both = |ops: &mut OpList<Word>, component, wishes: [Wish; 2]| {
            let a = fetch(ops, run, Stream::Points, component);
            let kept = ops.load(a.place, Wish::AnyFile);
            let b = fetch(ops, 1 - run, Stream::Mirrored, component);
            let a = positive(kept);
            let sum = ops.add(a, b, wishes[0]);
            let difference = ops.subtract(a, b, wishes[1]);
            ops.give_back(kept);
            [sum, difference]
        };
        // A + conj B and A - conj B.
        let [even_re, odd_re] = both(ops, 0, [Wish::AnyFile, wish]);
        let [odd_im, even_im] = both(ops, 1, [wish, Wish::AnyFile]);
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
        let [re, im] = [sin_re, sin_im].map(|sine| if run == 0 { negate(sine) } else { sine });
        let multiplied = [
            ops.add(cos_im, re, Wish::Accumulator),
            ops.subtract(cos_re, im, Wish::Accumulator),
        ];
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
        let signed = |part| if self.run == 0 { part } else { negate(part) };
        let ([even_re, even_im], [re, im]) = (self.even, self.multiplied.map(signed));
        [
            ops.add(even_re, re, Wish::Accumulator),
            ops.subtract(even_im, im, Wish::Accumulator),
        ]
    }

    /// Gives their registers back.
    pub fn give_back(self, ops: &mut OpList<Word>) {
        ops.give_back_complex(self.multiplied);
        ops.give_back_complex(self.even);
    }
}

/// Lanes' addresses, of which that of lane 0, which has Z, may be moved to bin 0 or M.
pub fn wrap(ops: &mut OpList<Word>, addresses: Place, run: u8) -> Place {
    let to = ops.load(addresses, Wish::AnyFile);
    let wrap = Source::Uniform(Word::record(Record::Wrap { run }));
    ops.push(Operation::add(AddOp::Add, to, wrap, to).when(Cond::ZS));
    to
}
