//! The rules whose breaking is a warning: what the reference forbids or leaves open.
//!
//! Each has a short identifier, a sentence, and its place in the project's reference for the QPU
//! (`qpu.md`; "hazard n" is row n of its section 3, "G" the Broadcom guide VideoCoreIV-AG100-R).

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident, $id:literal, $source:literal, $text:literal;)*) => {
        /// A rule that a program or its driver can break without stopping the simulation.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs, reason = "the sentence beside each variant is its text()")]
        pub enum Rule { $($name,)* }

        impl Rule {
            /// All rules, in the order of their numbers.
            pub const ALL: &'static [Rule] = &[$(Rule::$name,)*];

            /// A short name that does not change: `regfile-read-after-write`.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self { $(Rule::$name => $id,)* }
            }

            /// The rule, as a sentence without its full stop.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Rule::$name => $text,)* }
            }

            /// Where the rule comes from.
            #[must_use]
            pub const fn source(self) -> &'static str {
                match self { $(Rule::$name => $source,)* }
            }
        }
    };
}

rules! {
    RegfileReadAfterWrite, "regfile-read-after-write", "hazard 1; G section 2.1",
        "a ra/rb register written by an instruction must not be read by the next one (the old value is used)";
    SfuResultTooEarly, "sfu-result-too-early", "hazard 3",
        "r4 must not be read in the two instructions after an SFU write (the old value is used)";
    SfuResultOverwritten, "sfu-result-overwritten", "hazard 3",
        "r4 must not be written by the TMU or the SFU again in the two instructions after an SFU write";
    TmuNoswapTooLate, "tmu-noswap-too-late", "hazard 5",
        "tmu_noswap must be written three instructions before the first TMU write";
    TmuWriteTooEarly, "tmu-write-too-early", "hazard 5 (HW-2615)",
        "no TMU write in the first two instructions of a program";
    TmuTooManyOutstanding, "tmu-too-many-outstanding", "4.2",
        "at most four direct lookups per TMU and QPU may be outstanding";
    TmuUnreadAtEnd, "tmu-unread-at-end", "4.2",
        "every TMU lookup must be fetched with ldtmu before the program ends";
    TmuStaleLine, "tmu-stale-line", "4.1",
        "a line that a TMU has read and that was stored to since must not be read again before the caches are cleared";
    UniformsAddressTooLate, "uniforms-address-too-late", "hazard 7",
        "no uniform read in the two instructions after a write of the uniforms address";
    UniformsAbsent, "uniforms-absent", "6.2 SRQUA",
        "a uniform was read beyond the length given in SRQUL, or without a uniforms address";
    UniformBothPorts, "uniform-both-ports", "2.1, open question 8",
        "a uniform must not be read through both ports in one instruction (one word is taken)";
    VpmSetupIgnored, "vpm-setup-ignored", "hazard 9",
        "a VPM read setup while more than one vector of the last one is unread is ignored";
    VpmUnreadAtEnd, "vpm-unread-at-end", "hazards 10, 23",
        "all vectors of a VPM read setup must be read before the program ends";
    SetupBeforeWrite, "setup-before-write", "5.3, 5.4",
        "VPM and DMA setup must be written before it is used";
    SetupUnknown, "setup-unknown", "5.3, 5.4",
        "a setup word with bits 31:30 = 1, or with a reserved mode, has no documented function (it is ignored)";
    VpmOutsideReservation, "vpm-outside-reservation", "5.1",
        "QPU writes to VPM rows that VPMBASE does not reserve are masked";
    VpmReadWithSetup, "vpm-read-with-setup", "hazard 17",
        "a VPM read must not share an instruction with a VPM setup";
    VpmWriteWithSetup, "vpm-write-with-setup", "hazard 17",
        "a VPM write must not share an instruction with a VPM setup";
    BothSetups, "both-setups", "hazard 17",
        "rd_setup and wr_setup must not be written in one instruction";
    VpmReadWithWrite, "vpm-read-with-write", "11",
        "sources conflict on a VPM read and a VPM write in one instruction";
    LdtmuWithVpm, "ldtmu-with-vpm", "hazard 18",
        "sources conflict on ldtmu together with a VPM access";
    VdwBlockmode, "vdw-blockmode", "5.4, 11",
        "BLOCKMODE 1 has conflicting descriptions (it is treated like 0)";
    VdwStrideUnset, "vdw-stride-unset", "5.4",
        "a store of several rows needs the stride word to be written first";
    DmaSubwordVertical, "dma-subword-vertical", "open question 13",
        "the layout of vertical 16- and 8-bit DMA is an assumption";
    DmaRowWraps, "dma-row-wraps", "5.4, 5.5",
        "a horizontal DMA row that runs past column 15 is used by no published program (it goes on in the next VPM row)";
    DmaUnfinishedAtEnd, "dma-unfinished-at-end", "hazard 23",
        "DMA must be waited for before the program ends";
    DmaBusyRead, "dma-busy-read", "11",
        "the busy registers have conflicting descriptions; use the wait registers";
    OneUnitPerInstruction, "one-unit-per-instruction", "hazards 16, 19",
        "at most one TMU write, TMU read, SFU write, mutex read or semaphore in one instruction";
    MutexReleaseWithoutHolding, "mutex-release-without-holding", "hazard 29",
        "a QPU must not release a mutex that it does not hold (ignored)";
    MutexHeldAtEnd, "mutex-held-at-end", "hazard 29",
        "a QPU must release the mutex before its program ends";
    SemaphoreLeft, "semaphore-left", "1.3",
        "all semaphores must be 0 at the end of a launch";
    RotateAfterWrite, "rotate-after-write", "1.11",
        "an accumulator that is rotated must not be written by the instruction before";
    RotateR5AfterWrite, "rotate-r5-after-write", "1.11",
        "a rotation by r5 must not follow a write of r5 at once";
    SameDestination, "same-destination", "2.2",
        "both ALUs must not write one destination (the mul ALU wins)";
    ConditionalPeripheralWrite, "conditional-peripheral-write", "1.5, hazard 26",
        "a condition does not keep disabled lanes out of a TMU, VPM or setup write";
    NeverPeripheralWrite, "never-peripheral-write", "1.5",
        "a write to a peripheral with condition never is an open question (no write happens)";
    FlagsCondNever, "flags-cond-never", "1.6, 11",
        "flags with cond_add = never have conflicting descriptions (no lane is updated)";
    MulFlagsCarry, "mul-flags-carry", "11",
        "the C flag of a mul-ALU operation has conflicting descriptions";
    LdiFlagsMulOnly, "ldi-flags-mul-only", "1.2, open question 27",
        "flags of a load immediate that only the mul side writes are an open question (cond_mul is taken)";
    UnpackMixed, "unpack-mixed", "1.12",
        "an integer and a float operation share one unpacked operand (both see floats)";
    UnpackInput, "unpack-input", "1.12, open question 5",
        "unpack of an I/O read is shown by no source (it is applied)";
    PackNoEffect, "pack-no-effect", "1.12, open question 5",
        "pack with pm = 0 acts on ra0..ra31 only (it is ignored)";
    PackReserved, "pack-reserved", "1.12",
        "with pm = 1 only the pack codes 0 and 3..7 exist (it is ignored)";
    PackToPeripheral, "pack-to-peripheral", "hazard 27",
        "byte packs do not work on I/O destinations";
    PackOverflow, "pack-overflow", "1.12",
        "pack of an add or sub that overflows has surprising results on the chip";
    NopRead, "nop-read", "1.13",
        "reading address 39 gives left-overs of the last read through that port";
    NopMulWrite, "nop-mul-write", "1.13",
        "a mul nop with a live destination writes left-overs of the last mul result";
    UnmappedRead, "unmapped-read", "2.1",
        "this read address has no function; element or QPU number is returned";
    UndefinedRead, "undefined-read", "6.4, open question 21",
        "registers, accumulators and flags are undefined until the program writes them";
    BranchTooClose, "branch-too-close", "hazard 21",
        "at least two instructions without a branch must lie between two branches";
    BranchElements, "branch-elements", "1.4, 11",
        "the elements of a branch register differ (element 15 is used)";
    BranchOddRegister, "branch-odd-register", "1.4 (HW-2780)",
        "a taken branch with an odd raddr_a sets the flags";
    BranchAlignment, "branch-alignment", "1",
        "code addresses must be multiples of 8";
    LinkDestination, "link-destination", "1.4",
        "a link address can go to registers and accumulators only";
    EndUniform, "end-uniform", "hazard 22",
        "no uniform read in the last three instructions of a program";
    EndVpm, "end-vpm", "hazard 22",
        "no VPM or DMA access in the last three instructions of a program";
    EndRegister14, "end-register-14", "hazard 22",
        "no access to ra14 or rb14 in the last three instructions of a program";
    EndRegfileWrite, "end-regfile-write", "hazard 22",
        "the instruction with the program-end signal must not write ra or rb";
    EndBranch, "end-branch", "hazards 21, 22",
        "no branch, and no second program end, in the last two instructions of a program";
    HostInterruptZero, "host-interrupt-zero", "hazard 28",
        "a host interrupt needs a value that is not 0";
    HostInterruptLost, "host-interrupt-lost", "6.2 DBQITC",
        "a host interrupt came before the last one of this QPU was cleared";
    UniformsAlignment, "uniforms-alignment", "6.2 SRQUA",
        "uniforms addresses must be multiples of 4 (the low bits are ignored)";
    DmaAlignment, "dma-alignment", "5.6",
        "DMA addresses should be multiples of the element width (used as they are)";
    DmaUnprotected, "dma-unprotected", "5.6",
        "two QPUs used one DMA engine at a time without the mutex";
    CacheClearWhileRunning, "cache-clear-while-running", "hazard 33",
        "V3D caches must not be cleared while a TMU lookup is outstanding";
    VpmbaseWhileRunning, "vpmbase-while-running", "5.1 (HW-2791)",
        "VPMBASE must be written while V3D is idle, and hold at most 16";
    QueueOverflow, "queue-overflow", "6.2 SRQPC",
        "the queue of user programs holds 16; this request was dropped";
    RegisterUnknown, "register-unknown", "6.1",
        "this V3D register is not modelled (reads 0, writes are ignored)";
    BreakpointUnseen, "breakpoint-unseen", "1.9, open question 25",
        "a breakpoint with DBCFG = 0: nobody may see it (the QPU halts)";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_own_identifier() {
        let mut ids: Vec<_> = Rule::ALL.iter().map(|rule| rule.id()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), Rule::ALL.len());
    }
}
