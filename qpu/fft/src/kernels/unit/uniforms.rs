//! Uniforms of the programs that transform units of 256 points.

use crate::kernels::uniform::uniforms;

uniforms! {
/// A word of the start list.
pub enum Start {
    /// [`Record::InputAhead`] of the unit before the first.
    InputAhead,
    /// And [`Record::TwiddleAhead`].
    TwiddleAhead,
    /// Iterations of a loop of five instructions that a program which shares tiles with three
    /// others does before its first unit: groups begin one after the other ([`super::pairs`]).
    Delay,
}

/// A word of a unit's record.
pub enum Record {
    /// Address to which lane vector and row are added to look up a row.
    Input,
    /// Input address of the unit that follows; for the last unit, its own. Programs of first passes
    /// that share tiles look its first rows up before they store.
    InputAhead,
    /// Twiddle address of that unit.
    TwiddleAhead,
    /// Address to which lane vector and row are added to look up twiddles.
    Twiddle,
    /// Address to which 4 · lane and row are added to look up factors of samples.
    Factors,
}

/// A word of a row list.
pub enum Row {
    /// Byte offset of vector m = `vector`; of points of less than a word, of the word. `component`
    /// is the sum (0 real, 1 imaginary) that it goes into ([`super::addresses`]).
    Input {
        /// m.
        vector: u8,
        /// The sum.
        component: u8,
    },
    /// Byte offset of the factors of vector m = `vector`.
    Factor {
        /// m.
        vector: u8,
        /// 0: of real parts, 1: of imaginary parts.
        component: u8,
    },
    /// The mask with which bytes are exclusive-ored, four at a time: 0x80808080 for signed ones and
    /// for upper bytes of 16 bits, else 0.
    Flip,
    /// The bits of a word that count in two upper bytes of 16 bits.
    Mask,
    /// The number that is subtracted from an unsigned byte, as f32.
    Middle,
    /// 1.0 or -1.0: how vectors 16 `block` .. enter the sum of `component`. Blocks 1 and up.
    Sign {
        /// b.
        block: u8,
        /// The sum.
        component: u8,
    },
    /// W_(R/2)^(q m): what the sum of vectors m, m + 16, .. is multiplied by, m from 1 on, or from
    /// 0 where all columns have the same code ([`Row::Column`]). Several parts only, and tiles,
    /// where it also shifts the outputs ([`crate::kernels::tile::layout`]).
    Part {
        /// m.
        vector: u8,
        /// 0: cosine, 1: sine.
        component: u8,
    },
    /// W16^(n k): the factor of output k of radix 4 over points n, n + 4, n + 8 and n + 12, in
    /// programs that have one code for all columns.
    Column {
        /// n, 0 to 3.
        column: u8,
        /// k, 1 to 3.
        output: u8,
        /// 0: cosine, 1: sine.
        component: u8,
    },
    /// The factor of lanes with r = 1 before the lanes' own transform. First and single passes of
    /// 32 points: -W_32^k_lo, k_lo from 1. Last passes from 32 points: W_R^(q + F k_lo), from 1 in
    /// one part, from 0 in several.
    Root {
        /// k_lo.
        output: u8,
        /// 0: cosine, 1: sine.
        component: u8,
    },
    /// Address of sixteen words, for each lane its own: (-1)^(bits set in r) W_R^(r k_lo). Only
    /// passes from 64 points. Sines of k_lo = 0 are 0, and read by routines for groups only.
    RootVector {
        /// k_lo.
        output: u8,
        /// 0: cosines, 1: sines.
        component: u8,
    },
    /// Address of what output `output` is multiplied by in each row of the lanes, before what the
    /// QPUs of a tile exchange ([`crate::kernels::tile::layout`]);
    /// [`Lanes::Root`](crate::kernels::program::Lanes::Root) is added to it. Last passes have
    /// two more, for sums (16) and differences (17) behind the exchange.
    RootOfRow {
        /// The output, in the order of the program's own transform.
        output: u8,
        /// 0: cosine, 1: sine.
        component: u8,
    },
    /// Address of the part of the twiddles of output `output` of a tile that depends on the column
    /// within it ([`crate::kernels::tile::layout`]); 8 · column of the lane is added to it.
    RootOfColumn {
        /// The output, in the order of the program's own outputs.
        output: u8,
        /// 0: cosine, 1: sine.
        component: u8,
    },
    /// Byte offset of what output `output` = k_lo is multiplied by before the lanes' own transform,
    /// as a [`Row::Twiddle`] is found: the factor of [`Row::RootVector`] and the part of the
    /// twiddles that depends on k_lo, in one. First passes from 64 points. Sines of k_lo = 0 are as
    /// there.
    Before {
        /// k_lo.
        output: u8,
        /// 0: cosine, 1: sine.
        component: u8,
    },
    /// Byte offset of the twiddles of output `output` = k_lo. After a middle pass and after a first
    /// pass from 64 points there is one vector only (output 0), common to all k_lo. Of tiles,
    /// output 16 is such a vector beside the others, which the lanes have in common where four QPUs
    /// share a tile ([`crate::kernels::tile::layout`]). After a middle pass and of tiles, the
    /// vector's lane offset is 8 · lane.
    Twiddle {
        /// k_lo.
        output: u8,
        /// 0: cosine, 1: sine.
        component: u8,
    },
    /// Setup of the VPM for a program's share of what the QPUs of a tile exchange
    /// ([`crate::kernels::tile::layout`]).
    Exchange(Exchange),
}

/// A setup word of the VPM, of which each QPU of a tile has as many rows.
pub enum Exchange {
    /// Writes of vectors to the program's own rows.
    Write,
    /// A read of the first of them: when it is read, all are written.
    Drain,
    /// Reads of half of the partner's vectors: real (0) or imaginary parts (1). In the second step
    /// programs with an odd number take them for each other, which is a product with ±i.
    Read {
        /// 0 or 1.
        step: u8,
        /// The sum that they go into.
        component: u8,
    },
}

/// A word of a scalar list, in the order in which it is read.
pub enum Scalars {
    /// The part of the twiddles after a middle pass that depends on k_lo alone, together with the
    /// root of the lanes before their own transform: W_P(j+1)^(n(j+1) P(j-1) F k_lo) for r = 0, the
    /// same times -W_R^(q + F k_lo) for r = 1. Of 16 points there is no r = 1.
    Scalar {
        /// k_lo.
        output: u8,
        /// r.
        row: u8,
        /// 0: cosine, 1: sine.
        component: u8,
    },
}
}
