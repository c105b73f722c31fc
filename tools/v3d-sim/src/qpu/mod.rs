//! One QPU: fetches, waits, executes.
//!
//! An instruction either waits, with no effect at all, or executes whole. Reads come first, then
//! both ALUs, flags, writes, the signal, and last the program counter.

mod ahead;
mod branch;
mod demand;
mod execute;
mod flags;
pub mod handlers;
mod hazards;
mod io_read;
mod io_write;
pub mod operands;
mod program;
mod races;
mod run;
pub mod state;
mod texture;
mod wait;
mod writeback;

use crate::code::{CodeCache, Cursor};
use crate::conflicts::Conflicts;
use crate::decoded::Code;
use crate::dma::{vdr, vdw};
use crate::event::{FaultKind, Place, Wait};
use crate::memory::Memory;
use crate::report::At;
use crate::rule::Rule;
use crate::shared::Shared;
use crate::tmu::Tmus;
use crate::uniforms::Uniforms;
use crate::vpm::setup::{BlockSetup, ReadQueue};
use branch::Flow;
use hazards::Hazards;
use state::Registers;

/// The state of a QPU: it has no program, or one that goes on or does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QpuStatus {
    /// It has no program.
    Idle,
    /// It executes or waits.
    Running,
    /// It stands still for the host, after a breakpoint signal or DBQHLT.
    Halted,
    /// It has faulted.
    Hung,
}

/// The outcome of a round for a QPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// An instruction.
    Executed,
    /// An instruction, the last of its program.
    Ended,
    /// Nothing.
    Waited(Wait),
}

/// Why an instruction was not executed.
pub(crate) enum Stop {
    /// It can be, later.
    Wait(Wait),
    /// It never will.
    Fault(Box<FaultKind>),
}

impl From<FaultKind> for Stop {
    fn from(kind: FaultKind) -> Self {
        Self::Fault(Box::new(kind))
    }
}

/// A QPU.
pub struct Qpu {
    pub(crate) number: u8,
    /// The source it follows where sources conflict.
    conflicts: Conflicts,
    /// Never `Halted`: `halted` says that of a program that runs.
    status: QpuStatus,
    /// It has stopped for the host to see: after a breakpoint or DBQHLT, until DBQRUN.
    pub halted: bool,
    pub(crate) pc: u32,
    /// The instruction of the last step.
    pub(crate) word: Option<u64>,
    cursor: Cursor,
    pub(crate) registers: Registers,
    hazards: Hazards,
    flow: Flow,
    pub(crate) uniforms: Uniforms,
    pub(crate) tmus: Tmus,
    vpm_write: BlockSetup,
    vpm_write_given: bool,
    pub(crate) vpm_reads: ReadQueue,
    vdr: vdr::Setup,
    vdw: vdw::Setup,
    /// True if the program has started a load, and a store, that it has neither waited for since
    /// nor asked about.
    unwatched: [bool; 2],
    /// Instructions that it has yet to execute, in rounds that have come or will: a run, if there
    /// are any.
    pub owed: u32,
    /// The last instructions: PC and word, by the number of the instruction modulo four.
    trail: [(u32, u64); TRAIL],
}

/// Instructions that a QPU remembers.
const TRAIL: usize = 4;

impl Qpu {
    /// The state after a power cycle.
    #[must_use]
    pub fn new(number: u8, conflicts: Conflicts) -> Self {
        Self {
            number,
            conflicts,
            status: QpuStatus::Idle,
            halted: false,
            pc: 0,
            word: None,
            cursor: Cursor::default(),
            registers: Registers::garbage(number),
            hazards: Hazards::default(),
            flow: Flow::default(),
            uniforms: Uniforms::default(),
            tmus: Tmus::default(),
            vpm_write: BlockSetup::from_word(0).expect("SIZE 0 is bytes"),
            vpm_write_given: false,
            vpm_reads: ReadQueue::default(),
            vdr: vdr::Setup::default(),
            vdw: vdw::Setup::default(),
            unwatched: [false; 2],
            trail: [(0, 0); TRAIL],
            owed: 0,
        }
    }

    /// True if it has no program.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.status == QpuStatus::Idle
    }

    /// True if it has a program, and what that does.
    pub fn status(&self) -> QpuStatus {
        match self.status {
            QpuStatus::Running if self.halted => QpuStatus::Halted,
            status => status,
        }
    }

    /// True if lookups are on their way.
    #[must_use]
    pub fn has_lookups(&self) -> bool {
        self.tmus.outstanding(0) + self.tmus.outstanding(1) > 0
    }

    /// Its place.
    #[must_use]
    pub fn place(&self) -> Place {
        self.at().place()
    }

    fn at(&self) -> At {
        At {
            qpu: self.number,
            pc: self.pc,
            word: self.word,
        }
    }

    /// [`crate::Defect::WrongQpu`], from the next instruction on.
    pub fn set_wrong(&mut self, wrong: bool) {
        self.cursor.set_wrong(wrong);
    }

    /// Stops for good.
    pub fn hang(&mut self, at: At, kind: FaultKind, shared: &mut Shared) {
        self.status = QpuStatus::Hung;
        shared.report.fault(at, kind);
    }

    /// One round.
    pub fn step(
        &mut self,
        cache: &mut CodeCache,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Step {
        if self.status == QpuStatus::Hung {
            return Step::Waited(Wait::Hung);
        }
        if self.halted {
            return Step::Waited(Wait::Host);
        }
        self.word = None;
        if let Some(time) = &mut shared.time
            && !time.has_code(usize::from(self.number), self.pc, shared.now)
        {
            return Step::Waited(Wait::Instruction);
        }
        let code = match cache.fetch(
            self.pc,
            &mut self.cursor,
            memory,
            &mut shared.totals.caches.code_lines,
        ) {
            Ok(code) => code,
            Err(fault) => {
                self.word = fault.word;
                self.hang(self.at(), fault.kind, shared);
                return Step::Waited(Wait::Hung);
            }
        };
        if let Err(wait) = self.attempt(code, shared, memory) {
            return Step::Waited(wait);
        }
        shared.totals.instructions[usize::from(self.number)] += 1;
        self.advance(shared)
    }

    /// Executes an instruction, or waits, or hangs.
    #[inline]
    fn attempt(
        &mut self,
        code: &Code,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<(), Wait> {
        self.word = Some(code.word);
        let is_clear = (code.plain || code.tidy) && self.hazards.is_clear(code);
        if code.plain && is_clear {
            self.execute_plain(code);
            return Ok(());
        }
        let done = if is_clear {
            self.execute_tidy::<false>(code, shared, memory)
        } else if let Some(branch) = code.branch()
            && self.hazards.calm
            && code.rules.is_empty()
        {
            self.hazards.begin();
            self.execute_branch(branch, code, shared);
            Ok(())
        } else {
            self.execute(code, shared, memory)
        };
        self.conclude(done, shared)
    }

    /// The outcome of an instruction that uses units.
    #[inline]
    fn conclude(&mut self, done: Result<(), Stop>, shared: &mut Shared) -> Result<(), Wait> {
        match done {
            Ok(()) => {}
            Err(Stop::Wait(wait)) => {
                if let Wait::SemaphoreDecrement(number) = wait {
                    shared.semaphores.wait(number, self.number);
                }
                return Err(wait);
            }
            Err(Stop::Fault(kind)) => {
                self.hang(self.at(), *kind, shared);
                return Err(Wait::Hung);
            }
        }
        if let Some(kind) = shared.report.take_broken() {
            self.hang(self.at(), kind, shared);
            return Err(Wait::Hung);
        }
        Ok(())
    }

    /// Waits (then nothing has happened) or executes.
    fn execute(
        &mut self,
        code: &Code,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<(), Stop> {
        if code.units.any() {
            self.must_wait(code, shared)?;
        }
        if self.hazards.index == 0 {
            self.check_uniforms(shared, memory);
        }
        self.start_instruction();
        self.check_instruction(code, shared);
        self.execute_instruction(code, shared, memory)
    }

    /// The chip fetches two uniforms before the first instruction, whether the program reads any or
    /// not.
    fn check_uniforms(&self, shared: &mut Shared, memory: &mut impl Memory) {
        let address = self.uniforms.address;
        if self.uniforms.is_given() && memory.read_word(address).is_err() {
            self.warn(Rule::UniformsPointer, shared, || format!("{address:#010x}"));
        }
    }
}
