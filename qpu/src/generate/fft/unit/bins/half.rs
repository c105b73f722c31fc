//! Bins of a real spectrum, sixteen at a time, from those of half the length.
//!
//! Both runs of a unit read the same lines of memory, one as bins and the other as mirrored bins:
//! groups are worked on in such an order, and looked up on such a TMU, that the second finds them
//! in its cache.

use super::super::Word;
use super::super::frame::{Frame, Source};
use crate::fft::bins::{Bins, Record, Row, Stream};
use crate::fft::program::Lanes;
use crate::generate::fft::draft::{Complex, Draft, Value, Wish, positive};
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
    /// Addresses of the turns, or none where they are in registers.
    turns: Option<[Place; 2]>,
}

/// The places of the twiddle factors of a group.
#[derive(Clone, Copy)]
pub enum Turns {
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
    pub fn begin_unit(frame: &mut Frame, [input, mirrored]: [Place; 2], turns: bool) -> Self {
        let sources = [Source::Lane, Source::Small(15)];
        let nothing = Destination::Nothing;
        frame
            .draft
            .add_op_setting_flags(AddOp::And, sources, nothing);
        let address = |frame: &mut Frame, run, stream, lanes| {
            let word = Record::Address { run, stream };
            frame.base(word, lanes)
        };
        let runs = [0, 1].map(|run| {
            let points = address(frame, run, Stream::Points, input);
            let backwards = address(frame, run, Stream::Mirrored, mirrored);
            let wrapped = if run == 0 { backwards } else { points };
            let first = frame.draft.take(Wish::AnyFile);
            let to = Destination::Place(first);
            frame.draft.copy(Source::Place(wrapped), to);
            let wrap = Word::record(Record::Wrap { run });
            let sources = [Source::Place(first), Source::Uniform(wrap)];
            let add = Operation::add(AddOp::Add, sources, to).when(Cond::ZS);
            frame.draft.push(add);
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
        let turns = turns.then(|| {
            [
                address(frame, 0, Stream::Turns, input),
                address(frame, 1, Stream::Turns, mirrored),
            ]
        });
        Self { runs, turns }
    }

    /// Every register that holds an address of bins, each once.
    pub fn addresses(&self) -> impl Iterator<Item = Place> {
        let [up, down] = self.runs;
        let all = [up, down].map(|run| [run.points, run.mirrored]);
        all.into_iter()
            .flatten()
            .chain([up.first[1], down.first[0]])
    }

    /// Addresses of the turns of both runs, where they are to be read.
    pub fn turns(&self) -> [Place; 2] {
        self.turns.expect("turns are read")
    }

    /// Looks up a component of a group, into r4.
    fn fetch(&self, draft: &mut Draft<Word>, tmu: u8, word: Row) -> Value {
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
            (Stream::Turns, _) => self.turns.expect("turns are looked up here")[run],
            (Stream::Kernels | Stream::Multiples, _) => unreachable!("no part of half transforms"),
        };
        positive(draft.lookup_sum(tmu, address, row(word)))
    }

    /// Twice the real spectrum's bins of a group, or the half's times 2 of those: see
    /// [`crate::fft::bins`].
    pub fn group(&self, frame: &mut Frame, run: u8, group: u8, turns: Turns) -> Complex {
        let fetch = |draft: &mut Draft<Word>, tmu, stream, component| {
            let row = Row::Group {
                run,
                stream,
                group,
                component,
            };
            self.fetch(draft, tmu, row)
        };
        let draft = &mut frame.draft;
        let terms = Terms::new(draft, (run, group), turns, fetch);
        let x = terms.bins(draft);
        terms.give_back(draft);
        x
    }
}

/// The terms of which the bins of a group are sums and differences.
pub struct Terms {
    run: u8,
    /// A + conj B.
    pub even: Complex,
    /// The other term, turned; in accumulators.
    pub turned: Complex,
}

impl Terms {
    /// Writes those of a group; `fetch` looks up on a TMU a component of what the group reads, into
    /// r4.
    pub fn new(
        draft: &mut Draft<Word>,
        (run, group): (u8, u8),
        turns: Turns,
        fetch: impl Fn(&mut Draft<Word>, u8, Stream, u8) -> Value,
    ) -> Self {
        // Turns are read through the other file's port.
        let wish = match turns {
            Turns::Looked => Wish::AnyFile,
            Turns::Kept(_) => Wish::File(File::A),
        };
        let both = |draft: &mut Draft<Word>, component| {
            let a = fetch(draft, run, Stream::Points, component);
            let kept = draft.take(Wish::AnyFile);
            draft.copy(Source::Place(a.place), Destination::Place(kept));
            let b = fetch(draft, 1 - run, Stream::Mirrored, component);
            let a = positive(kept);
            // A + conj B, then A - conj B.
            let wishes = if component == 0 {
                [Wish::AnyFile, wish]
            } else {
                [wish, Wish::AnyFile]
            };
            let sum = draft.add(a, b, wishes[0]);
            let difference = draft.subtract(a, b, wishes[1]);
            draft.give_back(kept);
            if component == 0 {
                [sum, difference]
            } else {
                [difference, sum]
            }
        };
        let [even_re, odd_re] = both(draft, 0);
        let [even_im, odd_im] = both(draft, 1);
        let factor = |draft: &mut Draft<Word>, component: u8| match turns {
            Turns::Looked => {
                let tmu = (run + group) % 2;
                Source::Place(fetch(draft, tmu, Stream::Turns, component).place)
            }
            Turns::Kept(places) => Source::Place(places[usize::from(component)]),
        };
        let cos = factor(draft, 0);
        let cos_im = draft.multiply(odd_im, cos, Wish::Accumulator);
        let cos_re = draft.multiply(odd_re, cos, Wish::Accumulator);
        let sin = factor(draft, 1);
        let sin_re = draft.multiply(odd_re, sin, Wish::AnyFile);
        let sin_im = draft.multiply(odd_im, sin, Wish::AnyFile);
        draft.give_back_complex([odd_re, odd_im]);
        // The second run looks up the cosine of an angle that half a turn less the other makes.
        let turned = if run == 0 {
            [
                draft.subtract(cos_im, sin_re, Wish::Accumulator),
                draft.add(cos_re, sin_im, Wish::Accumulator),
            ]
        } else {
            [
                draft.add(cos_im, sin_re, Wish::Accumulator),
                draft.subtract(cos_re, sin_im, Wish::Accumulator),
            ]
        };
        for value in [cos_im, cos_re, sin_re, sin_im] {
            draft.give_back(value.place);
        }
        Self {
            run,
            even: [even_re, even_im],
            turned,
        }
    }

    /// The bins of the group, in accumulators.
    pub fn bins(&self, draft: &mut Draft<Word>) -> Complex {
        let ([even_re, even_im], [re, im]) = (self.even, self.turned);
        if self.run == 0 {
            [
                draft.add(even_re, re, Wish::Accumulator),
                draft.subtract(even_im, im, Wish::Accumulator),
            ]
        } else {
            [
                draft.subtract(even_re, re, Wish::Accumulator),
                draft.add(even_im, im, Wish::Accumulator),
            ]
        }
    }

    /// Gives their registers back.
    pub fn give_back(self, draft: &mut Draft<Word>) {
        draft.give_back_complex(self.turned);
        draft.give_back_complex(self.even);
    }
}

/// Lane vectors of a split.
pub fn lanes(frame: &mut Frame) -> [Place; 2] {
    [Lanes::Input, Lanes::Mirrored].map(|lanes| frame.lanes(lanes))
}
