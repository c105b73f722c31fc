//! What cooperative programs read as uniforms, and where a batch lies.

use crate::fft::twiddle::turn;

/// What a cooperative program reads as its next uniform; the order is the program's own.
///
/// `component` is 0 for real and 1 for imaginary parts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Word {
    /// Transforms that the program works on, at least 1.
    Transforms,
    /// 1 for the program that makes the locks of the VPM, 0 for all others.
    Opens,
    /// Programs beside the one that made the locks, which takes them back; -1 for the others. Of a pipeline with several
    /// groups of producers, bytes of code to what takes the last turn back.
    Peers,
    /// Address of the list, behind its head.
    List,
    /// Bytes from one transform of the program to its next.
    Step,
    /// 1.0, or -1.0 for the inverse: what the imaginary parts of the output are multiplied by.
    Conjugate,
    /// cos (π/16 `sixteenths`).
    Cosine {
        /// 1 to 7.
        sixteenths: u8,
    },
    /// Factor of the real parts of the input.
    FactorRe,
    /// Factor of the imaginary parts of the input.
    FactorIm,
    /// Address of the first point that the program reads.
    Input,
    /// Address of its twiddles.
    Twiddles,
    /// Setup of the first VPM writes: of a program that is alone, of four of outputs k and k + 4, real parts, imaginary
    /// parts.
    WriteSetup,
    /// Setup that reads one column of the program's own.
    Drain,
    /// Setup of the sixteen VPM reads of a part.
    ReadSetup {
        /// Part.
        component: u8,
    },
    /// Setup of the VPM writes of output rows.
    OutputSetup {
        /// Which of several groups of them.
        group: u8,
    },
    /// Setup word with the stride of stores.
    StoreStride,
    /// Setup of a store.
    StoreSetup {
        /// Which.
        index: u8,
    },
    /// Address of that store.
    Store {
        /// Which.
        index: u8,
    },
    /// What a program of a pipeline does: 0 for producers, 1 for consumers, -1 for those that only keep a QPU
    /// from getting another.
    Role,
    /// These bytes for consumers, 0 for others.
    OfConsumers(u32),
    /// Address of the words of consumers.
    ConsumerList,
    /// Rounds of a consumer. There may be none in pipelines with several groups of producers.
    Rounds,
    /// Bytes of code from what the first consumer waits for to what this one waits for.
    Turn,
    /// Address of the words that a consumer reads again in each round.
    RoundList,
    /// Bytes from the output of a consumer's first round to that of its second.
    RoundStep,
    /// Bytes from there to that of its third, and so on in turn: both together.
    RoundSteps,
    /// Of a pipeline with several groups of producers: bytes of code to what a producer does at the gate of its first
    /// round, or to what it does at those of its first two together.
    Gate {
        /// Whether together.
        both: bool,
    },
    /// Of such a pipeline: bytes of code to what a consumer does to pass its first round on, or its first two together.
    PassOn {
        /// Whether together.
        both: bool,
    },
    /// Of a short length ([`crate::fft::short`]): transforms of the batch behind the first of the program's first unit.
    Last,
    /// Transforms from one unit of the program to its next.
    NextUnit,
    /// Bytes from the component that is read first to the other one, 4 or -4.
    Component,
    /// Bytes from there to the next row.
    NextRow,
    /// Setup of the columns of outputs 0, 2, 4 and 6 of the first transform; those of the others are two further on.
    ColumnSetup {
        /// 0 for what the first transform takes for real parts, 1 for imaginary.
        component: u8,
    },
    /// Of 2^9 points: 1 for programs that have even k2, -1 for those that have odd ones: what every second row is multiplied
    /// by before it is added to another.
    Parity,
    /// Bytes of code to what follows next, which the generator has put there.
    Bytes(u32),
    /// Of a relay ([`crate::fft::relay`]): what one of a producer's units reads, or one of a consumer's rounds.
    Part {
        /// Which unit or round of a transform.
        part: u8,
        /// What.
        word: PartWord,
    },
}

/// A word of a unit or of a round.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PartWord {
    /// Address of the first point that is looked up.
    Input,
    /// Bytes from a row of the input to the one that is asked for next.
    RowStep {
        /// The row's number in the order in which they are asked for.
        number: u8,
    },
    /// Bytes from the real part of a point to its imaginary part.
    Component,
    /// Address of turns of late units that a consumer looks up ahead.
    TurnsAhead {
        /// Of which half.
        half: u8,
        /// Which lookup.
        number: u8,
    },
    /// Address of the turns behind the second transform.
    Turns,
    /// Address of the turns behind the first, of half 0 or 1 of its outputs.
    Twiddles {
        /// Which half.
        half: u8,
    },
    /// Setup of the vectors of a pair, 0 to 3.
    WriteSetup {
        /// Which pair.
        pair: u8,
    },
    /// Setup that reads one of these vectors.
    Drain {
        /// Which pair.
        pair: u8,
    },
    /// Bytes from the code of a round to what a consumer looks up of it ahead.
    CodeAhead,
    /// What an output of the second transform is turned by in odd lanes, W_32^k: the magnitude of its cosine, or its sine
    /// times [`Transform::output_conjugate`].
    Factor {
        /// Which output, k.
        output: u8,
        /// Which of both.
        is_sine: bool,
    },
    /// Address of a store of the outputs of a parity.
    Store {
        /// Which.
        half: u8,
    },
    /// Bytes of code to what a consumer waits for before it reads vectors of a round.
    Await(Units),
    /// Setup of the reads of these.
    ReadSetup(Units),
    /// Bytes of code to what it does when it has read them.
    PassOn(Units),
    /// Whether a consumer has all early vectors then: 0 when it goes on to others, 1 when to late ones.
    IsLast,
}

/// Whose vectors of a round: a consumer gets those of the units that are transformed early before the others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Units {
    /// Units that producers transform first.
    Early,
    /// The others.
    Late,
}

/// Where the parts of a batch lie, as V3D sees them, and which transform it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Transform {
    /// Interleaved complex input, at a multiple of 64.
    pub input: u32,
    /// Words of [`super::one_pass::OnePass::twiddle_word`], at a multiple of 64.
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
    /// inverse ([`Word::Conjugate`]).
    #[must_use]
    pub fn output_conjugate(&self) -> f32 {
        1f32.copysign(self.factors[0] * self.factors[1])
    }
}

/// cos (π/16 `sixteenths`), rounded once ([`Word::Cosine`]).
#[must_use]
pub fn cosine(sixteenths: u8) -> f32 {
    turn(sixteenths.into(), 32).0 as f32
}
