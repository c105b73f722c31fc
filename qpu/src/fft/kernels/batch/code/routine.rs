//! The 16-point transform as a routine, so that both codelets share its words.
//!
//! Points are in fixed registers, point n in file A or B as its butterfly wants it, and outputs
//! come in fixed registers, real parts in file B and imaginary parts in file A. The last three
//! instructions are in the shadow of the branch back.

use crate::fft::kernels::batch::layout::Word;
use crate::generate::codelet::op_list::{Complex, OpList, Wish, positive};
use crate::generate::codelet::radix16::{Butterfly, Constants, Ends, butterfly_of, dft16, file_of};
use crate::generate::schedule::Operation;

/// Register of file A that holds where the routine goes back to; an even one.
pub const LINK: u8 = 16;

/// The routine.
pub struct Routine {
    /// Operations of the routine.
    pub operations: Vec<Operation<Word>>,
    /// The registers in which it leaves outputs.
    pub outputs: [Complex; 16],
}

/// Takes the registers of the points.
pub fn points(ops: &mut OpList<Word>) -> [Complex; 16] {
    std::array::from_fn(|n| [0; 2].map(|_| positive(ops.take(Wish::File(file_of(n))))))
}

impl Routine {
    /// Writes it; `ops` then has its outputs taken and its points given back.
    pub fn new(ops: &mut OpList<Word>, constants: &Constants, points: [Complex; 16]) -> Self {
        assert!(ops.cut().is_empty());
        let mut inner = Inner {
            ops: ops.clone(),
            points,
            outputs: [None; 16],
        };
        dft16(&mut inner, constants);
        *ops = inner.ops;
        Self {
            operations: ops.cut(),
            outputs: inner.outputs.map(|output| output.expect("transformed")),
        }
    }
}

struct Inner {
    ops: OpList<Word>,
    points: [Complex; 16],
    outputs: [Option<Complex>; 16],
}

impl Ends for Inner {
    type Uniform = Word;

    fn ops(&mut self) -> &mut OpList<Word> {
        &mut self.ops
    }

    fn butterfly(&mut self, n: usize) -> Butterfly {
        let points = [n, n + 8].map(|n| self.points[n]);
        butterfly_of(&mut self.ops, n, points)
    }

    fn output(&mut self, k: usize, y: Complex) {
        self.outputs[k] = Some(y);
    }
}
