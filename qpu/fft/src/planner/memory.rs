//! The memory of a plan beside the caller's buffers, and the places in it.
//!
//! One block, taken from the runner at once: so the size is known before anything is taken, and a
//! plan that does not fit leaves nothing behind. It holds, for each pass, code, lists of uniforms,
//! vectors of lanes, the table of twiddles and the factors on samples, then the scratch areas
//! between passes.

use super::request::{Error, Request};
use super::steps::{Area, MAX_AREAS, MAX_LAUNCHES, MAX_STEPS, Step, Steps};
use super::streams::Streams;
use crate::kernels::catalogue::Pass;
use crate::kernels::layout::{Entry, Layout};
use crate::kernels::program::{Lanes, Program, TABLE_ALIGN, Tail};
use crate::kernels::spectral::power::PowerPass;
use crate::split::Split;
use qpu::isa::{self, INSTRUCTION_BYTES, Instruction, Signal};
use qpu::machine::{LINE_BYTES, QPUS, VECTOR_BYTES};

/// Bytes after code and uniforms that V3D may fetch ahead.
const PREFETCH_BYTES: u32 = 128;
/// Units of a program in a stretch. At 2^21 points programs have lost their order after 200, now
/// and then after 50; each further launch costs 15,000 to 40,000 clocks (both simulated).
const STRETCH: u32 = 48;
/// Greatest address range that a plan can have.
const ADDRESSABLE: u64 = 1 << 30;

/// A pass, its program, and where what belongs to it begins in the block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PassMemory {
    /// The pass, and where it reads and writes.
    pub step: Step,
    /// Its program.
    pub program: &'static Program,
    /// Programs that run at the same time, and QPUs between them that are left out.
    pub programs: u32,
    /// The first of them, which are not there: their QPUs are left out ([`Layout::idle`]).
    pub idle: u32,
    /// Number of the pass in its launch: 0 for one that opens a launch.
    pub gate: u32,
    /// Launches, one after the other, in which it is done ([`Layout::needs_relaunch`]).
    pub stretches: u32,
    /// Units that a program does in each, at the most: in the last the rest.
    pub stretch: u32,
    /// True for the reads (points, table, records) that go past the system L2 ([`Streams::of`]).
    pub streamed: [bool; 3],
    /// The code.
    pub code: u32,
    /// The start lists.
    pub starts: u32,
    /// The lane vectors.
    pub lanes: u32,
    /// The records.
    pub records: u32,
    /// The row lists.
    pub rows: u32,
    /// The scalar lists.
    pub scalars: u32,
    /// The vectors that row lists name.
    pub vectors: u32,
    /// The table of twiddles.
    pub table: u32,
    /// The factors on samples.
    pub factors: u32,
}

/// Bytes from a list of these words, with what is fetched ahead, to the next of its kind.
pub(super) fn pitch<T>(list: &[T]) -> u32 {
    (4 * list.len() as u32 + 8).next_multiple_of(VECTOR_BYTES)
}

/// Bytes of a record.
const fn record_bytes(program: &Program) -> u64 {
    4 * program.record.len() as u64
}

/// Bytes of a tail, with what is fetched ahead.
const fn tail_bytes(program: &Program) -> u64 {
    4 * program.tail.len() as u64 + 8
}

impl PassMemory {
    /// The layout of the pass.
    #[must_use]
    pub const fn layout(&self) -> &dyn Layout {
        self.step.pass.layout()
    }

    /// Units of all programs.
    #[must_use]
    pub fn units(&self) -> u32 {
        self.layout().units(self.step.batch)
    }

    /// Distance of a lane vector: those of a kind for all units, then for a last unit that has
    /// fewer transforms.
    #[must_use]
    pub fn lane_vector(&self, lanes: Lanes, is_rest: bool) -> u32 {
        self.lanes + (2 * lanes.index() as u32 + is_rest as u32) * VECTOR_BYTES
    }

    /// Transforms of a unit: of the last one, where it has fewer, or of all others.
    #[must_use]
    pub fn transforms(&self, is_rest: bool) -> u32 {
        let all = self.layout().transforms_per_unit();
        if is_rest { self.step.batch % all } else { all }
    }

    /// True if the last unit has fewer transforms than the others. It has a program of its own
    /// then, because lanes are the program's.
    #[must_use]
    pub fn ends_with_a_rest(&self) -> bool {
        self.transforms(true) != 0
    }

    /// Units of a program.
    #[must_use]
    pub fn units_of(&self, program: u32) -> u32 {
        let rest = self.ends_with_a_rest() as u32;
        if rest == 1 && program == self.programs - 1 {
            return 1;
        }
        if program < self.idle {
            return 0;
        }
        let (program, all) = (program - self.idle, self.programs - self.idle);
        let (units, programs) = (self.units() - rest, all - rest);
        self.layout().units_of_program(units, programs, program)
    }

    /// Units that a program does in a stretch.
    #[must_use]
    pub fn units_in(&self, program: u32, stretch: u32) -> u32 {
        let before = stretch * self.stretch;
        let left = self.units_of(program).saturating_sub(before);
        left.min(self.stretch)
    }

    /// Address of the start list of a program.
    #[must_use]
    pub fn start_of(&self, program: u32, stretch: u32) -> u32 {
        self.starts + (stretch * self.programs + program) * pitch(self.program.start)
    }

    /// The number by which a program knows itself among those of its launch
    /// ([`crate::kernels::unit::pairs`]).
    #[must_use]
    pub fn number_of(&self, program: u32) -> u32 {
        self.layout().number_of_program(program, self.programs)
    }

    /// Number of the unit that a program does as its number `number`.
    #[must_use]
    pub fn unit_of(&self, program: u32, number: u32) -> u32 {
        let rest = self.ends_with_a_rest() as u32;
        if rest == 1 && program == self.programs - 1 {
            return self.units() - 1;
        }
        let (layout, units) = (self.layout(), self.units());
        if let Some(unit) = layout.unit_of_program(units, self.programs, program, number) {
            return unit;
        }
        let workers = self.programs - self.idle;
        let number = program.saturating_sub(self.idle) + number * (workers - rest);
        layout.unit_in_order(number, self.step.batch)
    }

    /// Bytes from the first instruction of the code to the first of a program; none where its QPU
    /// is left out.
    #[must_use]
    pub fn entry_of(&self, program: u32) -> Option<u32> {
        match self.entry(program) {
            Entry::Beginning => Some(0),
            Entry::BehindTheEnd => {
                let code = self.program.code.iter();
                let is_end = |word: u64| matches!(isa::decode(word), Ok(Instruction::Alu(alu)) if alu.signal() == Signal::ProgramEnd);
                let before = code.take_while(|word| !is_end(*word)).count() as u32;
                // The end takes three instructions.
                Some(INSTRUCTION_BYTES * (before + 3))
            }
            Entry::Nowhere => None,
        }
    }

    fn entry(&self, program: u32) -> Entry {
        if program < self.idle {
            return Entry::Nowhere;
        }
        self.layout().entry(self.step.batch, self.programs, program)
    }

    /// Programs that run: for those with a number, [`PassMemory::programs`], less those whose QPU
    /// is left out.
    #[must_use]
    pub fn running(&self) -> u32 {
        let runs = |program: &u32| self.entry(*program) != Entry::Nowhere;
        (0..self.programs).filter(runs).count() as u32
    }

    /// Bytes from the first record of all to the first of a program in a stretch.
    #[must_use]
    pub fn records_of(&self, program: u32, stretch: u32) -> u32 {
        let before: u32 = (0..program).map(|program| self.units_of(program)).sum();
        let records = u64::from(before + stretch * self.stretch);
        let tails = u64::from(program * self.stretches + stretch);
        (records * record_bytes(self.program) + tails * tail_bytes(self.program)) as u32
    }
}

/// The memory that a plan needs beside input and output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    /// Bytes of programs and uniforms.
    pub programs: u32,
    /// Bytes of tables of twiddles.
    pub tables: u32,
    /// Bytes of scratch memory: cells between passes.
    pub scratch: u32,
}

impl Memory {
    /// Bytes of all of it.
    #[must_use]
    pub const fn total(&self) -> u32 {
        self.programs + self.tables + self.scratch
    }
}

/// Everything of a plan but the addresses of its buffers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrangement {
    /// The split of the length: for a plane, that of its rows.
    pub split: Split,
    passes: [Option<PassMemory>; MAX_STEPS],
    /// Addresses at which the scratch areas begin.
    areas: [u32; MAX_AREAS],
    /// The memory that it needs.
    pub memory: Memory,
}

impl Arrangement {
    /// Buffers the passes of a request whose transforms of one dimension (of a plane the rows) are
    /// split by `split`.
    ///
    /// # Errors
    /// What is wrong with the request, or that there is no program for a pass.
    pub fn new<E>(
        catalogue: &'static [Program],
        request: &Request,
        split: Split,
    ) -> Result<Self, Error<E>> {
        request.check()?;
        // Scratch memory is at most twice the data and an eighth: sums below fit u32.
        let [input, output] = [request.input_bytes(), request.output_bytes()];
        let buffers = input.saturating_add(output);
        if input.max(output) > ADDRESSABLE {
            return Err(Error::TooLarge(buffers));
        }
        // So do numbers of points: those of segments that overlap are more than the input has.
        let points = u64::from(request.rows()) << request.transform.log2_row();
        if 8 * points > ADDRESSABLE {
            return Err(Error::TooLarge(8 * points));
        }
        let steps = request.steps(&split)?;
        let mut end = 0u64;
        let mut passes = [None; MAX_STEPS];
        let stretches = most_stretches(&steps);
        for (step, memory) in steps.iter().zip(&mut passes) {
            let pass = PassMemory::new(catalogue, step, request, stretches, &mut end)?;
            *memory = Some(pass);
        }
        let lists_end = end as u32;
        for memory in passes.iter_mut().flatten() {
            let pass = memory.layout();
            let [table, factors] = [pass.table_bytes(), pass.factors_bytes()].map(|bytes| {
                if bytes > 0 {
                    end = end.next_multiple_of(TABLE_ALIGN.into());
                }
                take(&mut end, bytes.into())
            });
            (memory.table, memory.factors) = (table, factors);
        }
        let tables_end = end as u32;
        let areas = steps.areas.map(|bytes| take(&mut end, bytes));
        if end + buffers > ADDRESSABLE {
            return Err(Error::TooLarge(end + buffers));
        }
        let streams = request
            .streams
            .unwrap_or(Streams::unmeasured(request.rows()));
        for (number, memory) in passes.iter_mut().flatten().enumerate() {
            memory.streamed = streams.of(number);
        }
        if request.one_launch {
            chain(&steps, &mut passes);
        }
        Ok(Self {
            split,
            passes,
            areas,
            memory: Memory {
                programs: lists_end,
                tables: tables_end - lists_end,
                scratch: end as u32 - tables_end,
            },
        })
    }

    /// The passes, first to last.
    pub fn passes(&self) -> impl Iterator<Item = &PassMemory> {
        self.passes.iter().flatten()
    }

    /// The pass that makes powers, and its number.
    pub(super) fn power(&mut self) -> Option<(usize, &mut PowerPass)> {
        let passes = self.passes.iter_mut().flatten().enumerate();
        let mut powers = passes.filter_map(|(number, memory)| match &mut memory.step.pass {
            Pass::Power(power) => Some((number, power)),
            _ => None,
        });
        powers.next()
    }

    /// Pass number `number`.
    #[must_use]
    pub fn pass(&self, number: usize) -> Option<&PassMemory> {
        self.passes.get(number)?.as_ref()
    }

    /// The loss of the passes without a table that follow pass number `number` ([`Layout::loss`]):
    /// the table of that pass makes up for it.
    #[must_use]
    pub fn loss_after(&self, number: usize) -> f64 {
        let after = self.passes().skip(number + 1);
        let without = after.take_while(|pass| !pass.layout().has_gain());
        without.map(|pass| pass.layout().loss()).sum()
    }

    /// The loss of the passes that come before any with a table: the factor of the last pass makes
    /// up for it. Nothing is made up for in a transform of one pass, whose factor is 1 or 1/N
    /// exactly.
    #[must_use]
    pub fn loss_before_tables(&self) -> f64 {
        if self.passes().count() == 1 {
            return 0.0;
        }
        let before = self.passes().take_while(|pass| !pass.layout().has_gain());
        before.fold(0.0, |lost, pass| pass.layout().loss_behind(lost))
    }

    /// Address of memory that passes read or write, given those of the buffers.
    #[must_use]
    pub fn address(&self, area: Area, [input, output, block]: [u32; 3]) -> u32 {
        match area {
            Area::Input => input,
            Area::Output => output,
            Area::Scratch(area) => block + self.areas[usize::from(area)],
        }
    }
}

/// Takes memory behind `end`, and moves that.
fn take(end: &mut u64, bytes: u64) -> u32 {
    let start = *end;
    *end = (start + bytes).next_multiple_of(LINE_BYTES.into());
    start as u32
}

/// Launches for each pass that is done in several.
fn most_stretches(steps: &Steps) -> u32 {
    let several = steps
        .iter()
        .filter(|step| step.pass.layout().needs_relaunch())
        .count();
    let spare = MAX_LAUNCHES - steps.count();
    1 + spare.checked_div(several).unwrap_or(0) as u32
}

/// Stretches of a pass and units of a program in each, so that every program has some in all of
/// them.
fn stretches(pass: &dyn Layout, units: u32, programs: u32, most: u32) -> (u32, u32) {
    if !pass.needs_relaunch() {
        return (1, u32::MAX);
    }
    let [least, all] = [units / programs, units.div_ceil(programs)];
    let mut stretches = (all / STRETCH).clamp(1, most);
    while stretches > 1 && (stretches - 1) * all.div_ceil(stretches) >= least {
        stretches -= 1;
    }
    (stretches, all.div_ceil(stretches))
}

impl PassMemory {
    /// Finds the pass's program, and takes memory for all but its table.
    fn new<E>(
        catalogue: &'static [Program],
        step: &Step,
        request: &Request,
        most_stretches: u32,
        end: &mut u64,
    ) -> Result<Self, Error<E>> {
        let mut take = |bytes: u64| take(end, bytes);
        let (pass, qpus) = (step.pass.layout(), request.qpus);
        let task = pass.task();
        let program = catalogue.iter().find(|program| program.task == task);
        let program = program.ok_or(Error::Program(task))?;
        let needed = pass.least_programs();
        if needed > qpus.into() {
            return Err(Error::TooFewQpus { needed, qpus });
        }
        let units = pass.units(step.batch);
        let together = pass.programs_together();
        let idle = if request.conservative || qpus < QPUS {
            0
        } else {
            pass.idle()
        };
        let most = pass.most_programs().min(u32::from(qpus) - idle);
        let workers = units.min(most) / together * together;
        let programs = idle + workers;
        let (stretches, stretch) = stretches(pass, units, workers, most_stretches);
        Ok(Self {
            step: *step,
            program,
            programs,
            idle,
            gate: 0,
            stretches,
            stretch,
            streamed: [false; 3],
            code: take(8 * program.code.len() as u64 + u64::from(PREFETCH_BYTES)),
            starts: take(u64::from(
                stretches * programs * pitch(program.start) + PREFETCH_BYTES,
            )),
            lanes: take(u64::from(2 * Lanes::ALL.len() as u32 * VECTOR_BYTES)),
            records: take(
                u64::from(units) * record_bytes(program)
                    + u64::from(stretches * programs) * tail_bytes(program)
                    + u64::from(PREFETCH_BYTES),
            ),
            rows: take(u64::from(
                pass.row_lists() * pitch(program.rows) + PREFETCH_BYTES,
            )),
            scalars: take(u64::from(
                pass.scalar_lists() * pitch(program.scalars) + PREFETCH_BYTES,
            )),
            vectors: take(u64::from(pass.vector_bytes())),
            table: 0,
            factors: 0,
        })
    }
}

/// Lets passes follow each other in launches, as many as may. All programs of a launch go on to the
/// next pass, so it has as many; programs without the address of the next code end.
fn chain(steps: &Steps, passes: &mut [Option<PassMemory>]) {
    let mut first = 0;
    let mut programs = None;
    for (number, pass) in passes.iter_mut().flatten().enumerate() {
        let goes_on = pass.program.tail.contains(&Tail::NextCode) && pass.stretches == 1;
        if goes_on && programs == Some(pass.programs) && steps.may_share_a_launch(first, number) {
            pass.gate = (number - first) as u32;
        } else {
            (first, programs) = (number, goes_on.then_some(pass.programs));
        }
    }
}
