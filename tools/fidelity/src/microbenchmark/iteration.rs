//! Time of an iteration of a loop: the difference between runs of few and many iterations.

use crate::machine::{Machine, MachineError, Run, config};
use qpu::generate::{Builder, NONE, UNIF, ra};
use qpu::isa::BranchCond;
use v3d_sim::{Board, Constants, SOURCES};

/// Iterations of the two runs. Both are past all first misses, and their difference is exact in
/// f64.
const FEW: u32 = 32;
/// The largest number of iterations of a run.
pub const MANY: u32 = 160;

/// No microbenchmark takes this long.
const LIMIT_CLOCKS: u64 = 10_000_000;

/// Bytes of a V3D cache line.
pub const LINE_BYTES: u32 = 64;

/// Clocks of a slot, in which a QPU issues one instruction.
pub const SLOT_CLOCKS: f64 = 4.0;

/// The register with the address of a loop's data.
pub const DATA: qpu::generate::Reg = ra(1);

/// A loop on one QPU of a Pi 2, or the same on several.
pub struct Loop<'a> {
    /// Bytes of data, zeros that nobody has touched.
    pub data_bytes: u32,
    /// Uniforms that the program finds after its own two.
    pub uniforms: &'a [u32],
    /// Runs once; r0 to r5 and registers from 2 on are its own.
    pub setup: &'a dyn Fn(&mut Builder),
    /// Runs in each iteration.
    pub body: &'a dyn Fn(&mut Builder),
}

/// Time and work of one iteration.
pub struct Iteration {
    /// V3D clocks.
    pub clocks: f64,
    /// Instructions, those of the loop included.
    pub instructions: f64,
    /// Performance counters by source.
    pub counters: [f64; SOURCES],
}

impl Iteration {
    /// Slots in which nothing was issued.
    pub fn stall_slots(&self) -> f64 {
        self.clocks / SLOT_CLOCKS - self.instructions
    }
}

/// A loop whose number of iterations is its first uniform.
pub fn looped(setup: impl Fn(&mut Builder), body: impl Fn(&mut Builder)) -> Vec<u32> {
    let mut b = Builder::new();
    b.mov(ra(0), UNIF);
    setup(&mut b);
    let again = b.here("again");
    body(&mut b);
    b.sub(ra(0), ra(0), 1).setf();
    b.brr(BranchCond::AnyZC, again);
    b.nops(3);
    b.end();
    halves(&words(&b))
}

/// Measures one iteration, from runs of few and of many.
pub fn timed(run: impl Fn(u32) -> Result<Run, MachineError>) -> Result<Iteration, MachineError> {
    let few = run(FEW)?;
    let many = run(MANY)?;
    let each = |few: u64, many: u64| (many as f64 - few as f64) / f64::from(MANY - FEW);
    let instructions = |run: &Run| run.statistics.instructions.iter().sum();
    Ok(Iteration {
        clocks: each(few.clocks, many.clocks),
        instructions: each(instructions(&few), instructions(&many)),
        counters: std::array::from_fn(|id| {
            each(few.statistics.counters[id], many.statistics.counters[id])
        }),
    })
}

impl Loop<'_> {
    /// The data's address is the second uniform.
    fn run(&self, constants: &Constants, iterations: u32) -> Result<Run, MachineError> {
        let setup = |b: &mut Builder| {
            b.mov(DATA, UNIF);
            b.nop();
            (self.setup)(b);
        };
        let code = looped(setup, self.body);
        let page = |words: usize| (4 * words as u32).next_multiple_of(4096);
        let uniform_count = 2 + self.uniforms.len();
        let bytes = page(code.len()) + page(uniform_count) + self.data_bytes;
        let mut machine = Machine::new(config(Board::Pi2, constants), bytes);
        let mut place = |bytes| machine.alloc(bytes).expect("memory for all three");
        let (at, uniforms_at, data) = (
            place(page(code.len())),
            place(page(uniform_count)),
            place(self.data_bytes),
        );
        let mut uniforms = vec![iterations, data];
        uniforms.extend_from_slice(self.uniforms);
        machine.store(at, &code);
        machine.store(uniforms_at, &uniforms);
        machine.run(&[(at, uniforms_at)], LIMIT_CLOCKS)
    }

    /// Measures one iteration.
    pub fn measure(&self, constants: &Constants) -> Result<Iteration, MachineError> {
        timed(|iterations| self.run(constants, iterations))
    }
}

/// Words of a program that the checks let pass.
pub fn words(builder: &Builder) -> Vec<u64> {
    match builder.finish() {
        Ok(words) => words,
        Err(error) => unreachable!("a microbenchmark breaks a rule: {error}"),
    }
}

/// 32-bit words of instructions, low half first.
pub fn halves(words: &[u64]) -> Vec<u32> {
    let halves = words
        .iter()
        .flat_map(|word| [*word as u32, (*word >> 32) as u32]);
    halves.collect()
}

/// Appends `count` instructions that read a uniform each.
pub fn read_uniforms(b: &mut Builder, count: usize) {
    for _ in 0..count {
        b.mov(NONE, UNIF);
    }
}
