//! Uniforms of producers and consumers ([`super::layout`], [`super::double_buffered::layout`]).

use crate::kernels::one_pass::uniforms::one_pass_uniforms;

one_pass_uniforms! {
/// A word of the list of a program; the order is the program's own.
pub enum Word {
    /// The role of a program of a pipeline: 0 for producers, 1 for consumers, -1 for those that
    /// only keep a QPU from getting another.
    Role,
    /// These bytes for consumers, 0 for others.
    OfConsumers(u32),
    /// Address of the words of consumers.
    ConsumerList,
    /// Rounds of a consumer. There may be none in pipelines with several groups of producers.
    Rounds,
    /// Bytes of code from what the first consumer waits for to what this one waits for.
    Slot,
    /// Address of the words that a consumer reads again in each round.
    RoundList,
    /// Bytes from the output of a consumer's first round to that of its second.
    RoundStep,
    /// Bytes from there to that of its third, and so on in turn: both together.
    RoundSteps,
    /// For a pipeline with several groups of producers: bytes of code to what a producer does at
    /// the gate of its first round, or at those of its first two together.
    Gate { both: bool },
    /// For such a pipeline: bytes of code to what a consumer does to pass its first round on, or
    /// its first two together.
    PassOn { both: bool },
    /// Bytes of code to what follows next, which the generator has put there.
    Bytes(u32),
    /// For the double-buffered pipeline
    /// ([`crate::kernels::pipeline::double_buffered::layout`]): a word of one of a producer's
    /// units, or of one of a consumer's rounds.
    Part { part: u8, word: PartWord },
}

/// A word of a unit or of a round.
pub enum PartWord {
    /// Address of the first point that is looked up.
    Input,
    /// Bytes from row `number` of the input, in the order in which rows are asked for, to the next.
    RowStep { number: u8 },
    /// Bytes from the real part of a point to its imaginary part.
    Component,
    /// Address of roots of half `half` of late units that a consumer looks up ahead.
    RootsAhead { half: u8, number: u8 },
    /// Address of the roots behind the second transform.
    Roots,
    /// Address of the roots behind the first, of half 0 or 1 of its outputs.
    Twiddles { half: u8 },
    /// Setup of the vectors of a pair, 0 to 3.
    WriteSetup { pair: u8 },
    /// Setup that reads one of these vectors.
    Drain { pair: u8 },
    /// Bytes from the code of a round to what a consumer looks up of it ahead.
    CodeAhead,
    /// The factor of output k of the second transform in odd lanes, W_32^k: the magnitude of its
    /// cosine, or its sine times the
    /// [conjugate](crate::kernels::context::ProgramContext::output_conjugate).
    Factor { output: u8, is_sine: bool },
    /// Address of a store of the outputs of parity `half`.
    Store { half: u8 },
    /// Bytes of code to what a consumer waits for before it reads vectors of a round.
    Await(Units),
    /// Setup of the reads of these.
    ReadSetup(Units),
    /// Bytes of code to what it does when it has read them.
    PassOn(Units),
    /// 1 if a consumer has all early vectors then and goes on to late ones, else 0.
    IsLast,
}

/// Units by the time at which they are transformed: of the vectors of a round, a consumer gets
/// those of the units that are transformed early before the others.
pub enum Units {
    /// Units that producers transform first.
    Early,
    /// The others.
    Late,
}
}
