//! What the planner knows of the generated programs: words, and what each uniform means.

/// Which of the two passes over memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pass {
    /// Columns of the input to transposed planes, with the twiddles of N.
    First,
    /// Planes to the output in natural order.
    Second,
}

/// What a program reads as its next uniform. The order is the program's own.
///
/// `row` counts the rows of the pass, 0 to 16 · parts - 1; `component` is 0 for the real and 1 for
/// the imaginary part of what the program computes, which need not be the part that it reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Uniform {
    /// Address of what the first lane reads of a row.
    Row {
        /// Row.
        row: u8,
        /// Which sum it goes into.
        component: u8,
    },
    /// +1 or -1: how row `16 · block + n` enters the sum of its residue n.
    Sign {
        /// Rows divided by 16.
        block: u8,
        /// Which sum.
        component: u8,
    },
    /// Cosine of the angle by which the part turns the sum of residue `n`.
    PartCos {
        /// Row modulo 16.
        n: u8,
    },
    /// Sine of that angle.
    PartSin {
        /// Row modulo 16.
        n: u8,
    },
    /// Address of the twiddles of output `output`; the sine follows each cosine.
    Twiddle {
        /// Output of the program, 0 to 15.
        output: u8,
        /// 0 for cosines, 1 for sines.
        component: u8,
    },
    /// Bits of a column number that select the part of pass 1 it comes from.
    LaneMask,
    /// How many bits those are.
    LaneShift,
    /// Setup word with the stride of the store.
    StoreStride,
    /// Address of a store.
    Store {
        /// Pass 1 stores once, pass 2 twice.
        index: u8,
    },
}

/// A program for one pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Program {
    /// Its pass.
    pub pass: Pass,
    /// How many programs share a transform: it has 16 · `parts` points. 1, 2 or 4.
    pub parts: u8,
    /// Instructions.
    pub code: &'static [u64],
    /// Uniforms in the order in which it reads them.
    pub uniforms: &'static [Uniform],
}

/// The programs that a planner can choose from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Catalogue {
    /// One for each pass and number of parts.
    pub fft: &'static [Program],
}

impl Catalogue {
    /// The program for a pass of 16 · `parts` points.
    #[must_use]
    pub fn find(&self, pass: Pass, parts: u32) -> Option<&'static Program> {
        self.fft
            .iter()
            .find(|program| program.pass == pass && u32::from(program.parts) == parts)
    }
}
