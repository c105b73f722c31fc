//! The simulator's reports: faults, warnings and deadlocks.
//!
//! A *fault* leaves nothing to compute; its QPU stays hung, as on the chip until a power cycle. A
//! *warning* is anything else that the reference forbids or leaves open; the run goes on with the
//! value that the reference recommends. Every report names QPU, PC and instruction.

use crate::memory::MemoryFault;
use crate::rule::Rule;
use std::fmt;

/// Place in a program at which something happened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// QPU number, 0..11.
    pub qpu: u8,
    /// Bus address of the instruction.
    pub pc: u32,
    /// The instruction as text, or empty when it could not be read.
    pub disassembly: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "QPU {} at {:#010x}", self.qpu, self.pc)?;
        match self.disassembly.as_str() {
            "" => Ok(()),
            text => write!(f, " `{text}`"),
        }
    }
}

/// The purpose of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// An instruction fetch.
    Code,
    /// A uniform read.
    Uniform,
    /// A TMU lookup; the number is the lane.
    Tmu(u8),
    /// A load by the VPM DMA.
    Vdr,
    /// A store by the VPM DMA.
    Vdw,
}

/// The begin of a sentence whose next word is an address.
impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code => f.write_str("instruction fetch at"),
            Self::Uniform => f.write_str("uniform read at"),
            Self::Vdr => f.write_str("DMA load at"),
            Self::Vdw => f.write_str("DMA store at"),
            Self::Tmu(lane) => write!(f, "TMU lane {lane} reads"),
        }
    }
}

/// The reason why a QPU stopped.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FaultKind {
    /// Memory that is not there.
    #[error("{0} {addr:#010x}: {reason}", addr = .1.addr, reason = .1.reason)]
    Memory(Access, MemoryFault),
    /// A word that is no instruction of user programs; why.
    #[error("not an instruction: {0}")]
    Instruction(String),
    /// A function of the 3D pipeline, which user programs cannot use; which.
    #[error(
        "{0} belongs to the 3D pipeline, which starts fragment shaders from control lists and is not simulated; run \
         a user program, or look at the shader with `qpu check`"
    )]
    ThreeD(&'static str),
    /// A texture lookup that this simulator has not; which.
    #[error(
        "{0} is not simulated: of textures only RGBA32R without a filter is (type 16, both filters nearest, one \
         level); to read words, write tmu_s alone, with their addresses"
    )]
    Texture(&'static str),
    /// `ldtmu` without a lookup outstanding on the TMU of this number.
    #[error("ldtmu{0} without a lookup outstanding would wait for ever; write tmu{0}_s first")]
    LdtmuWithoutRequest(u8),
    /// A VPM read when no read setup has vectors left.
    #[error(
        "a VPM read without vectors left would wait for ever; write rd_setup with enough vectors first"
    )]
    VpmReadWithoutSetup,
    /// A VPM or DMA setup word with a reserved field; which.
    #[error("setup word without a function: {0}")]
    Setup(&'static str),
    /// Execution ran into a word of zeros, where no code is.
    #[error("execution ran into a word of zeros: is a program end or a branch missing?")]
    RanOffCode,
    /// A warning while the simulator is strict.
    #[error("{}", Broken(*.0, .1))]
    Strict(Rule, String),
}

impl FaultKind {
    /// A short name that does not change: `memory`.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Memory(..) => "memory",
            Self::Instruction(_) => "instruction",
            Self::ThreeD(_) => "3d-only",
            Self::Texture(_) => "texture",
            Self::LdtmuWithoutRequest(_) => "ldtmu-without-request",
            Self::VpmReadWithoutSetup => "vpm-read-without-setup",
            Self::Setup(_) => "reserved-setup",
            Self::RanOffCode => "ran-off-code",
            Self::Strict(rule, _) => rule.id(),
        }
    }
}

/// A rule that was broken: the rule, the details, its source, and the remedy.
struct Broken<'a>(Rule, &'a str);

impl fmt::Display for Broken<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entry = self.0.entry();
        f.write_str(entry.sentence())?;
        if !self.1.is_empty() {
            write!(f, ": {}", self.1)?;
        }
        write!(f, " ({}); {}", entry.source, entry.remedy)
    }
}

/// A QPU that cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The place. `None` for a register write by the ARM.
    pub place: Option<Place>,
    /// The kind.
    pub kind: FaultKind,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.kind),
            None => write!(f, "{}", self.kind),
        }
    }
}

/// A rule that was broken: the first time, and how often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// The rule.
    pub rule: Rule,
    /// The place of the first time. `None` for a register write by the ARM and for the end of a
    /// launch.
    pub place: Option<Place>,
    /// The details of the first time; may be empty.
    pub detail: String,
    /// The other instruction that it takes two of, the first time, when one is known: who wrote
    /// what is read, say. `detail` tells what it did.
    pub other: Option<Place>,
    /// The count so far.
    pub count: u64,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        Broken(self.rule, &self.detail).fmt(f)
    }
}

/// Why a QPU could not execute its next instruction in a round.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Wait {
    /// An increment of the semaphore of this number above 15.
    SemaphoreIncrement(u8),
    /// A decrement of the semaphore of this number below 0.
    SemaphoreDecrement(u8),
    /// The mutex.
    Mutex,
    /// Room in the request FIFO of the TMU of this number.
    TmuRequest(u8),
    /// The result of a lookup on the TMU of this number.
    TmuResult(u8),
    /// A vector that the VPM has not delivered.
    VpmRead,
    /// Room in its FIFO of writes to the VPM.
    VpmWrite,
    /// The end of this QPU's DMA load.
    DmaLoad,
    /// The end of this QPU's DMA store.
    DmaStore,
    /// The host, after a breakpoint or DBQHLT.
    Host,
    /// Nothing: the QPU has faulted.
    Hung,
    /// A line of code.
    Instruction,
    /// A uniform.
    Uniform,
    /// The SFU of its slice.
    Sfu,
}

impl Wait {
    /// The names of all causes.
    pub const CAUSES: [&'static str; 11] = [
        "semaphore",
        "mutex",
        "tmu",
        "vpm",
        "vdr",
        "vdw",
        "host",
        "hung",
        "code",
        "uniform",
        "sfu",
    ];

    pub(crate) const TMU_CAUSE: usize = 2;

    /// The place of its cause in [`Wait::CAUSES`].
    #[must_use]
    pub const fn cause_number(self) -> usize {
        match self {
            Self::SemaphoreIncrement(_) | Self::SemaphoreDecrement(_) => 0,
            Self::Mutex => 1,
            Self::TmuRequest(_) | Self::TmuResult(_) => Self::TMU_CAUSE,
            Self::VpmRead | Self::VpmWrite => 3,
            Self::DmaLoad => 4,
            Self::DmaStore => 5,
            Self::Host => 6,
            Self::Hung => 7,
            Self::Instruction => 8,
            Self::Uniform => 9,
            Self::Sfu => 10,
        }
    }

    /// The name of its cause, as in the output of a job.
    #[must_use]
    pub const fn cause(self) -> &'static str {
        Self::CAUSES[self.cause_number()]
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SemaphoreIncrement(number) => write!(f, "semaphore {number} to fall below 15"),
            Self::SemaphoreDecrement(number) => write!(f, "semaphore {number} to rise above 0"),
            Self::Mutex => write!(f, "the mutex"),
            Self::TmuRequest(tmu) => write!(f, "room in the request FIFO of TMU {tmu}"),
            Self::TmuResult(tmu) => write!(f, "a result of TMU {tmu}"),
            Self::VpmRead => write!(f, "a vector from the VPM"),
            Self::VpmWrite => write!(f, "room for a write to the VPM"),
            Self::DmaLoad => write!(f, "its DMA load"),
            Self::DmaStore => write!(f, "its DMA store"),
            Self::Host => write!(f, "the host: it is halted (DBQRUN resumes it)"),
            Self::Hung => write!(f, "nothing: it has faulted"),
            Self::Instruction => write!(f, "a line of code"),
            Self::Uniform => write!(f, "a uniform"),
            Self::Sfu => write!(f, "the SFU of its slice"),
        }
    }
}

/// The waits of all QPUs when nothing inside V3D can go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadlockReport {
    /// Every QPU with a program, and what it waits for.
    pub waiting: Vec<(Place, Wait)>,
    /// The counts of the sixteen semaphores.
    pub semaphores: [u8; 16],
    /// The QPU that holds the mutex.
    pub mutex_holder: Option<u8>,
    /// Programs still queued.
    pub queued: u32,
}

impl fmt::Display for DeadlockReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "deadlock: no QPU can go on")?;
        for (place, wait) in &self.waiting {
            writeln!(f, "  {place} waits for {wait}")?;
        }
        write!(f, "  semaphores:")?;
        for (number, count) in self
            .semaphores
            .iter()
            .enumerate()
            .filter(|(_, count)| **count != 0)
        {
            write!(f, " {number}={count}")?;
        }
        if self.semaphores == [0; 16] {
            write!(f, " all 0")?;
        }
        match self.mutex_holder {
            Some(qpu) => write!(f, "; mutex: held by QPU {qpu}")?,
            None => write!(f, "; mutex: free")?,
        }
        write!(f, "; programs queued: {}", self.queued)
    }
}

/// Something to tell the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A QPU stopped for good.
    Fault(Fault),
    /// A rule was broken for the first time since reset; later times are only counted.
    Warning(Warning),
    /// Nothing inside V3D can go on.
    Deadlock(DeadlockReport),
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => write!(f, "V3D fault: {fault}"),
            Self::Warning(warning) => write!(f, "V3D warning: {warning}"),
            Self::Deadlock(report) => write!(f, "V3D {report}"),
        }
    }
}
