//! Static hazards: what the QPU does not interlock and a walk can see.
//!
//! The walk follows fall-through, branch targets after the third delay slot, and returns (a branch
//! to a bare register is taken to reach every place that a link points to). Lookups, VPM vectors, DMA and
//! the mutex are counted up to the first branch. Values, and what loops and other QPUs do, are for the
//! simulator to judge.
//!
//! Where sources disagree the strict end is taken. Published programs break some of these rules without
//! harm on real chips, which is why [`check`] reports and does not judge; `generate::Builder` refuses
//! what is reported unless the rule is waived.
//!
//! Sources: VideoCore IV 3D Architecture Reference Guide, "QPU instruction restrictions"; vc4asm's
//! addendum and validator; Broadcom's hardware-issue numbers (HW-nnnn) from its 2014 driver sources.

mod accounts;
mod facts;
mod instruction;
mod paths;
mod program;
mod sequence;

use crate::isa::INSTRUCTION_BYTES;
use facts::Facts;

macro_rules! rules {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $fix:literal;)+) => {
        /// What can be wrong.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Rule { $($(#[$doc])* $variant,)+ }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Short name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// What to do, to follow "to mend it, ".
            #[must_use]
            pub const fn fix(self) -> &'static str {
                match self { $(Self::$variant => $fix,)+ }
            }
        }
    };
}

rules! {
    /// A word that is no instruction.
    Undecodable = "undecodable", "write a defined instruction";

    /// A register of file A or B is read in the instruction after it was written (old or undefined value).
    RegisterFile = "register-file-read-after-write", "put an instruction between, or keep the value in r0..r3";
    /// r4 is read, or loaded by something else, in the two instructions after a write to the SFU.
    SfuResult = "sfu-result", "leave two instructions that do not touch r4, SFU, TMU results or tile buffer";
    /// A TMU is written in the two instructions after `tmu_noswap` (or beside it).
    TmuNoswap = "tmu-noswap", "write tmu_noswap at least three instructions before the first TMU write";
    /// A TMU is written in the first two instructions (Broadcom's HW-2615).
    TmuAtStart = "tmu-at-program-start", "put two other instructions first";
    /// A uniform is read in the two instructions after the uniforms address was written.
    UniformsAddress = "uniforms-address", "leave two instructions without a uniform read";
    /// A rotated accumulator was written in the instruction before.
    RotationSource = "rotation-source", "put an instruction between the write and the rotation";
    /// A rotation by r5 follows a write to r5.
    RotationAmount = "rotation-amount", "put an instruction between the write to r5 and the rotation";
    /// A branch in the first two delay slots of another, or reached within two instructions of it.
    BranchSpacing = "branch-spacing", "keep two instructions that are no branches between branches";

    /// More than one of: TMU write, TMU or tile buffer load, tile buffer write, SFU write, mutex read, semaphore.
    OnePeripheral = "one-peripheral", "put one of the accesses into another instruction";
    /// A texture request consumes a uniform while the instruction reads one.
    TmuUniform = "tmu-uniform", "read the uniform in another instruction";
    /// `rd_setup` and `wr_setup` in one instruction.
    BothSetups = "both-setups", "write one of the setups in another instruction";
    /// A VPM read beside a setup.
    VpmReadAndSetup = "vpm-read-and-setup", "put the setup into another instruction";
    /// A VPM write beside a setup.
    VpmWriteAndSetup = "vpm-write-and-setup", "put the setup into another instruction";
    /// A VPM read beside a VPM write: sources disagree on whether both work.
    VpmReadAndWrite = "vpm-read-and-write", "write in another instruction";
    /// A TMU load signal beside a VPM access: unreliable according to vc4asm.
    TmuLoadAndVpm = "tmu-load-and-vpm", "put the signal on another instruction";
    /// A semaphore instruction that writes TMU, SFU, VPM, DMA or tile buffer.
    SemaphoreWrite = "semaphore-write", "write it in another instruction";
    /// Both ALUs write one register.
    SameDestination = "same-destination", "write different registers, or use opposite conditions on an accumulator";
    /// Two ports read the same FIFO or mutex.
    SameRead = "same-read", "read it through one port and use it in both operations";
    /// A condition on a peripheral write, which happens all the same.
    ConditionalPeripheral = "conditional-peripheral-write", "write always, and select the value before";
    /// A host interrupt raised by a constant 0, which raises none.
    HostIntZero = "host-int-zero", "write a value that is not 0";
    /// 8-bit packing of the mul result into I/O, or a reserved code.
    PackMul = "pack-mul", "pack into a register or accumulator with a defined code, and write that to I/O";
    /// A pack mode for file A without a result that goes to a register of file A.
    PackWithoutFileA = "pack-without-file-a", "write the result to a register of file A";
    /// Unpacking of I/O through file A's port: no source shows what it does.
    UnpackIo = "unpack-io", "read it into a register of file A first";
    /// An unpacked operand used as float by one ALU and as integer by the other.
    UnpackMixed = "unpack-mixed", "split the instruction";
    /// Flags from an add operation whose condition is never: sources disagree on whose flags are set.
    FlagsOfNever = "flags-of-never", "use condition always with destination `-`";
    /// A live destination on an idle mul ALU, which writes what was left over.
    IdleMulWrite = "idle-mul-write", "give the idle ALU destination 39 and condition never";
    /// An operand taken from a port that reads nothing.
    NoRead = "no-read", "name what is to be read";
    /// A read of an address behind which nothing lies.
    UnmappedRead = "unmapped-read", "read a register that exists";
    /// A read of a DMA busy flag; on real chips it was seen constant.
    BusyRead = "busy-read", "read ld_wait or st_wait";
    /// Something that only fragment shaders may do.
    FragmentOnly = "fragment-only", "leave it out: a user program has no tile buffer, varyings or second thread";

    /// A branch with an odd register number sets flags (Broadcom's HW-2780).
    BranchOddRegister = "branch-odd-register", "use an even register, and 0 where none is added";
    /// A link in an odd register of file A, from which no branch can return without setting flags.
    LinkOddRegister = "link-odd-register", "link to an even register of file A";
    /// A link that goes to I/O.
    LinkIo = "link-io", "link to a register or accumulator";
    /// A relative branch to something that is no instruction of the program.
    BranchTarget = "branch-target", "branch to an instruction of the program";
    /// The program runs off its last word.
    NoProgramEnd = "no-program-end", "end every path with `nop; thrend`, `nop`, `nop`, or a branch with three delay slots";
    /// A uniform or varying read in the last three instructions.
    EndUniform = "end-uniform", "read it before the thrend instruction";
    /// VPM or DMA in the last three instructions.
    EndVpm = "end-vpm", "do it before the thrend instruction";
    /// Register 14 of file A or B in the last three instructions.
    EndRegister14 = "end-register-14", "use another register";
    /// The thrend instruction writes a register of file A or B.
    EndRegisterWrite = "end-register-write", "write it an instruction earlier, or give thrend to a nop";
    /// A tile buffer Z write in the last instruction.
    EndTlbZ = "end-tlb-z", "write it before";
    /// A branch among the last three instructions, or a second program end in the last two.
    EndBranch = "end-branch", "end the program once, after the branch's delay slots";

    /// A TMU result is loaded that nothing asked for: the QPU would wait for ever.
    TmuNothingToLoad = "tmu-nothing-to-load", "write an address to the TMU first";
    /// More lookups outstanding than a TMU holds results for.
    TmuTooMany = "tmu-too-many", "load a result before the next lookup";
    /// Lookups that are never loaded.
    TmuUnread = "tmu-unread", "load every result";
    /// A VPM vector is read that no setup asked for: the QPU would wait for ever.
    VpmNothingToRead = "vpm-nothing-to-read", "write rd_setup for as many vectors as are read";
    /// A VPM read setup that comes while more than one vector of the last is unread.
    VpmSetupIgnored = "vpm-setup-ignored", "read all but one of the vectors before";
    /// Vectors that were set up and are never read.
    VpmUnread = "vpm-unread", "set up as many vectors as are read";
    /// VPM or DMA is used before its setup is written; what is there at program start is undefined.
    SetupMissing = "setup-missing", "write the setup first";
    /// DMA that the program does not wait for.
    DmaUnfinished = "dma-unfinished", "read ld_wait or st_wait before the end";
    /// The mutex is taken twice, given back without holding it, or held at the end.
    Mutex = "mutex", "take it once and give it back once";
    /// The mutex is taken with VPM writes on their way (Broadcom's HW-2497).
    MutexAfterVpmWrite = "mutex-after-vpm-write", "set up and read a vector of the VPM first, or take the mutex before the writes";
}

/// One place where a program breaks a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// Byte address, from the start of the program, of the instruction that comes too early or is wrong.
    pub pc: u32,
    /// What is wrong, in one sentence.
    pub reason: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { rule, pc, reason } = self;
        write!(
            f,
            "{pc:#06x}: {}: {reason}; to mend it, {}",
            rule.name(),
            rule.fix()
        )
    }
}

/// All findings in a program, in order of address. The first word is where it starts.
#[must_use]
pub fn check(words: &[u64]) -> Vec<Finding> {
    let facts: Vec<Option<Facts>> = words.iter().map(|word| Facts::new(*word).ok()).collect();
    let mut findings = Vec::new();
    let mut report = |rule, index: usize, reason: String| {
        let pc = index as u32 * INSTRUCTION_BYTES;
        findings.push(Finding { rule, pc, reason });
    };
    for (index, word) in words.iter().enumerate() {
        if let Err(error) = Facts::new(*word) {
            report(Rule::Undecodable, index, error.to_string());
        }
    }
    instruction::check(&facts, &mut report);
    sequence::check(&facts, &mut report);
    program::check(&facts, &mut report);
    accounts::check(&facts, &mut report);
    findings
        .sort_by(|one, two| (one.pc, one.rule, &one.reason).cmp(&(two.pc, two.rule, &two.reason)));
    findings.dedup();
    findings
}

#[cfg(all(test, feature = "generate"))]
mod tests;
