//! Rules whose breaking is a warning: what is forbidden or an open question.
//!
//! Each has a short identifier, who says so, a sentence, and what to do instead. Broadcom's guide is the
//! VideoCore IV 3D Architecture Reference Guide, its driver sources are the release of 2014, and the
//! others are projects that found it on hardware. "Against" means that sources conflict, "open question"
//! that none knows.

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident, $id:literal, $source:literal, $text:literal, $fix:literal;)*) => {
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

            /// The rule of that name.
            #[must_use]
            pub fn from_id(id: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|rule| rule.id() == id)
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

            /// What to do instead, as the end of a sentence.
            #[must_use]
            pub const fn fix(self) -> &'static str {
                match self { $(Rule::$name => $fix,)* }
            }
        }
    };
}

rules! {
    RegfileReadAfterWrite, "regfile-read-after-write", "Broadcom's guide; vc4asm",
        "a ra/rb register written by an instruction must not be read by the next one (the old value is used)",
        "put an instruction between the write and the read";
    SfuResultTooEarly, "sfu-result-too-early", "Broadcom's guide",
        "r4 must not be read in the two instructions after an SFU write (the old value is used)",
        "put two instructions that leave r4 alone after the SFU write";
    SfuResultOverwritten, "sfu-result-overwritten", "Broadcom's guide",
        "r4 must not be written by the TMU or the SFU again in the two instructions after an SFU write",
        "keep two instructions between an SFU write and the next SFU write or ldtmu";
    TmuNoswapTooLate, "tmu-noswap-too-late", "Broadcom's guide",
        "tmu_noswap must be written three instructions before the first TMU write",
        "write tmu_noswap first, and the TMU three instructions later";
    TmuWriteTooEarly, "tmu-write-too-early", "Broadcom's driver sources, HW-2615",
        "no TMU write in the first two instructions of a program",
        "put other instructions first";
    TmuTooManyOutstanding, "tmu-too-many-outstanding", "vc4asm, VC4C, Broadcom's compiler",
        "at most four direct lookups per TMU and QPU may be outstanding",
        "fetch a result with ldtmu before the fifth lookup";
    TextureWithUniform, "texture-with-uniform", "Broadcom's guide",
        "a TMU write that belongs to a texture lookup takes a uniform and must not share its instruction with another",
        "read the uniform in another instruction";
    TmuUnreadAtEnd, "tmu-unread-at-end", "Broadcom's guide",
        "every TMU lookup must be fetched with ldtmu before the program ends",
        "add an ldtmu for each lookup";
    TmuStaleLine, "tmu-stale-line", "Broadcom's guide; vc4asm",
        "a line that a TMU has read and that was stored to since must not be read again before the caches are cleared",
        "clear L2C and the TMU caches between launches, or store to another buffer";
    UniformStaleLine, "uniform-stale-line", "Broadcom's guide; vc4asm",
        "a line that uniforms were read from and that was stored to since must not be read again before the caches are cleared",
        "clear L2C and the uniform caches between launches, or keep uniforms elsewhere";
    UniformsAddressTooLate, "uniforms-address-too-late", "Broadcom's guide",
        "no uniform read in the two instructions after a write of the uniforms address",
        "put two other instructions after the write";
    UniformsAbsent, "uniforms-absent", "Broadcom's guide, SRQUA and SRQUL",
        "a uniform was read beyond the length given in SRQUL, or without a uniforms address",
        "give SRQUA an address, and SRQUL the count of uniforms or 0xfff";
    UniformsNotPut, "uniforms-not-put", "Broadcom's guide, SRQUA: the chip reads on, whatever lies there",
        "a uniform was read where nothing was put into memory (it is 0 here, and anything on the chip)",
        "give as many uniforms as the program reads, or put what it reads under the uniforms address";
    UniformsPointer, "uniforms-pointer", "Broadcom's driver sources",
        "the uniforms address must be memory even when no uniform is read: two words are fetched ahead",
        "give SRQUA an address of memory";
    UniformBothPorts, "uniform-both-ports", "open question; vc4asm, py-videocore",
        "a uniform must not be read through both ports in one instruction (one word is taken)",
        "read the uniform through one port and use it for both operands";
    VpmSetupIgnored, "vpm-setup-ignored", "vc4asm",
        "a VPM read setup while more than one vector of the last one is unread is ignored",
        "read all but the last vector of a setup before the next one";
    VpmUnreadAtEnd, "vpm-unread-at-end", "Broadcom's guide",
        "all vectors of a VPM read setup must be read before the program ends",
        "read them, or ask for fewer in the setup";
    VpmSurplusRead, "vpm-surplus-read", "Broadcom's guide against vc4asm, VC4C",
        "a VPM read without vectors left gives undefined data (0 here), or waits for ever",
        "read as many vectors as the setup asks for";
    VpmNotPut, "vpm-not-put", "no source defines the VPM before it is written",
        "VPM words that nothing has written hold what was there before (0 here, and anything on the chip)",
        "write the row, or load it by DMA, before it is read or stored, and look at the rows that the setup names";
    SetupBeforeWrite, "setup-before-write", "no source defines the setup at program start",
        "VPM and DMA setup must be written before it is used",
        "write the setup words in the same program";
    SetupUnknown, "setup-unknown", "Broadcom's guide",
        "a setup word with bits 31:30 = 1, or with a reserved mode, has no documented function (it is ignored)",
        "use a word that the tables of the setup registers describe";
    SetupReservedBits, "setup-reserved-bits", "Broadcom's guide",
        "bits of a setup word that its table does not have must be 0 (they are ignored)",
        "write 0 to them";
    DmaOutsideWindow, "dma-outside-window", "Broadcom's guide, HW-2253; asurati",
        "DMA should stay in VPM rows 0..63: what is beyond belongs to the 3D pipeline",
        "use rows 0..63";
    DmaRowsWrap, "dma-rows-wrap", "open question",
        "DMA beyond VPM row 127 is used by no published program (it goes on in row 0)",
        "move fewer rows, or begin lower";
    VpmReadOutsideReservation, "vpm-read-outside-reservation", "Broadcom's guide, VPMBASE and ERRSTAT",
        "VPM rows that VPMBASE does not reserve are not the program's to read (they are read)",
        "write VPMBASE = 16 before the launch";
    VpmOutsideReservation, "vpm-outside-reservation", "Broadcom's guide, VPMBASE",
        "QPU writes to VPM rows that VPMBASE does not reserve are masked",
        "write VPMBASE = 16 before the launch";
    VpmRace, "vpm-race", "Broadcom's guide: QPUs run independently",
        "VPM words that two QPUs use, one of them writing, need an order between the two",
        "drain the writes with a VPM read, then hand over with a semaphore or the mutex";
    VpmWriteUndrained, "vpm-write-undrained", "Broadcom's driver sources, HW-2497; GPU_FFT",
        "VPM writes must be drained by a VPM read before a semaphore or the mutex hands them over",
        "write rd_setup 0x101a00 and read the vector (its value can be dropped) before the release";
    VpmSetupBeforeAcquire, "vpm-setup-before-acquire", "Terminus-IMRC: vectors are fetched from the setup on",
        "a VPM read setup fetches its vectors at once, so it must come after what writes them: the QPU's own writes, or the acquire, or the wait for a load, that orders others",
        "write rd_setup after the vectors are written, the semaphore or the mutex is acquired, or ld_wait is read";
    DmaNotAwaited, "dma-not-awaited", "Broadcom's guide",
        "VPM words of a DMA transfer must not be used before its QPU has waited for it",
        "read ld_wait or st_wait before them, and before a semaphore or the mutex hands them over";
    StoreRace, "store-race", "Broadcom's guide: QPUs run independently",
        "DMA stores of two QPUs to the same bytes need an order between the two",
        "start the second after a semaphore or the mutex that follows the first";
    LoadRace, "load-race", "Broadcom's guide: QPUs run independently",
        "bytes that a DMA store writes must not be read by a lookup or a DMA load before its end is known",
        "let the QPU that stores read st_wait, and then release what the reader acquires";
    VpmReadWithSetup, "vpm-read-with-setup", "Broadcom's guide and compiler",
        "a VPM read must not share an instruction with a VPM setup",
        "put them in two instructions";
    VpmWriteWithSetup, "vpm-write-with-setup", "Broadcom's guide",
        "a VPM write must not share an instruction with a VPM setup",
        "put them in two instructions";
    BothSetups, "both-setups", "Broadcom's guide",
        "rd_setup and wr_setup must not be written in one instruction",
        "put them in two instructions";
    LdtmuWithVpm, "ldtmu-with-vpm", "vc4asm, Broadcom's driver sources of HW-2522 against the guide",
        "sources conflict on ldtmu together with a VPM read",
        "put them in two instructions";
    LdtmuBesideVpm, "ldtmu-beside-vpm", "vc4asm against the guide, Terminus-IMRC",
        "sources conflict on ldtmu together with a VPM write (published programs do it without harm)",
        "put them in two instructions";
    VdrWidePitch, "vdr-wide-pitch", "Broadcom's guide against py-videocore and QMKL",
        "by the guide the pitch of a DMA load has 13 bits, 8191 bytes at most (14 bits are used)",
        "load with several commands, or lay the rows closer together";
    VdwBlockmode, "vdw-blockmode", "Broadcom's guide against QPULib, VC4C",
        "BLOCKMODE 1 has conflicting descriptions (it is treated like 0)",
        "write 0 to BLOCKMODE";
    VdwStrideUnset, "vdw-stride-unset", "no source defines the setup at program start",
        "a store of several rows needs the stride word to be written first",
        "write the stride word first";
    DmaSubwordVertical, "dma-subword-vertical", "open question",
        "the layout of vertical 16- and 8-bit DMA is an assumption",
        "move words, or horizontal rows";
    DmaRowWraps, "dma-row-wraps", "open question",
        "a horizontal DMA row that runs past column 15 is used by no published program (it goes on in the next VPM row)",
        "keep rows inside columns 0..15";
    DmaUnfinishedAtEnd, "dma-unfinished-at-end", "Broadcom's guide",
        "DMA must be waited for before the program ends",
        "read ld_wait or st_wait before the end";
    DmaStartLost, "dma-start-lost", "Broadcom's guide against py-videocore, Broadcom's shaders",
        "a DMA start while the last transfer is not complete is lost",
        "read ld_wait or st_wait before the next start";
    DmaBusyRead, "dma-busy-read", "Broadcom's guide against VC4C",
        "the busy registers have conflicting descriptions; use the wait registers",
        "read ld_wait or st_wait";
    OneUnitPerInstruction, "one-unit-per-instruction", "Broadcom's guide",
        "at most one TMU write, TMU read, SFU write, mutex read or semaphore in one instruction",
        "put them in two instructions";
    MutexBeforeDrain, "mutex-before-drain", "Broadcom's driver sources, HW-2497",
        "VPM writes must be drained by a VPM read before the mutex is acquired",
        "read a VPM row (its value can be dropped) before the mutex";
    MutexReleaseWithoutHolding, "mutex-release-without-holding", "open question",
        "a QPU must not release a mutex that it does not hold (ignored)",
        "release once for each acquire";
    MutexHeldAtEnd, "mutex-held-at-end", "the mutex has no other way back",
        "a QPU must release the mutex before its program ends",
        "write mutex_release before the end";
    SemaphoreLeft, "semaphore-left", "counts survive programs",
        "all semaphores must be 0 at the end of a launch",
        "give every increment its decrement";
    RotateAfterWrite, "rotate-after-write", "Broadcom's guide; vc4asm; Broadcom's shaders",
        "an accumulator lane that is rotated to a lower quad must not be written by the instruction before; the guide forbids all rotations then, which `qpuscope check` tells of",
        "put an instruction between the write and the rotation";
    RotateR5AfterWrite, "rotate-r5-after-write", "Broadcom's guide",
        "a rotation by r5 must not follow a write of r5 at once",
        "put an instruction between the write and the rotation";
    SameDestination, "same-destination", "Broadcom's guide",
        "both ALUs must not write one destination (the mul ALU wins)",
        "write two destinations, or give the ALUs complementary conditions";
    ConditionalPeripheralWrite, "conditional-peripheral-write", "vc4asm",
        "a condition does not keep disabled lanes out of a TMU, VPM or setup write",
        "write without a condition, of a value that was selected before";
    NeverPeripheralWrite, "never-peripheral-write", "open question",
        "a write to a peripheral with condition never is an open question (no write happens)",
        "write to nop, or leave the condition out";
    FlagsCondNever, "flags-cond-never", "Broadcom's guide against vc4asm, VC4C",
        "flags with cond_add = never have conflicting descriptions (no lane is updated)",
        "leave the add ALU idle when the flags are to come from the mul ALU";
    MulFlagsCarry, "mul-flags-carry", "vc4asm against VC4C",
        "the C flag of a mul-ALU operation has conflicting descriptions",
        "use Z or N, or let the add ALU set C";
    LdiFlagsMulOnly, "ldi-flags-mul-only", "open question; VC4C",
        "flags of a load immediate that only the mul side writes are an open question (cond_mul is taken)",
        "let the add side write when flags are set";
    UnpackMixed, "unpack-mixed", "Broadcom's guide; vc4asm",
        "an integer and a float operation share one unpacked operand (both see floats)",
        "unpack for one kind of operation at a time";
    UnpackInput, "unpack-input", "open question",
        "unpack of an I/O read is shown by no source (it is applied)",
        "move the value to ra0..ra31 first";
    PackNoEffect, "pack-no-effect", "open question",
        "pack with pm = 0 acts on ra0..ra31 only (it is ignored)",
        "pack into ra0..ra31";
    PackReserved, "pack-reserved", "Broadcom's guide",
        "with pm = 1 only the pack codes 0 and 3..7 exist (11..15 are taken for 3..7), and none for a load immediate (it is ignored)",
        "use one of the pack codes 0 and 3..7 with an ALU instruction";
    PackToPeripheral, "pack-to-peripheral", "vc4asm",
        "packs into one byte do not work on I/O destinations",
        "pack into a register first";
    PackOverflow, "pack-overflow", "VC4C, recorded on hardware",
        "pack of an add or sub that overflows has surprising results on the chip",
        "keep the sum inside 32 bits before it is packed";
    NopRead, "nop-read", "vc4asm, VC4C",
        "reading address 39 gives left-overs of the last read through that port",
        "read a register, or write a constant (1 to host_int)";
    NopMulWrite, "nop-mul-write", "vc4asm",
        "a mul nop with a live destination writes left-overs of the last mul result",
        "give the idle mul ALU the destination nop";
    UnmappedRead, "unmapped-read", "Broadcom's guide",
        "this read address has no function; element or QPU number is returned",
        "read an address that has a function";
    UndefinedRead, "undefined-read", "no source defines them at program start",
        "registers, accumulators and flags are undefined until the program writes them",
        "write it first";
    BranchTooClose, "branch-too-close", "vc4asm",
        "at least two instructions without a branch must lie between two branches",
        "put two other instructions between the branches";
    BranchElements, "branch-elements", "vc4asm, Broadcom's shaders against the guide",
        "the elements of a branch register differ (element 15 is used)",
        "write the register in all elements";
    BranchOddRegister, "branch-odd-register", "Broadcom's driver sources, HW-2780",
        "a taken branch with an odd raddr_a sets the flags, and they are asked for",
        "keep branch targets in even registers";
    BranchAlignment, "branch-alignment", "instructions are 8 bytes",
        "code addresses must be multiples of 8",
        "use a multiple of 8";
    LinkDestination, "link-destination", "Broadcom's guide",
        "a link address can go to registers and accumulators only",
        "write the link to a register";
    EndUniform, "end-uniform", "Broadcom's guide",
        "no uniform read in the last three instructions of a program",
        "read it earlier";
    EndVpm, "end-vpm", "Broadcom's guide",
        "no VPM or DMA access in the last three instructions of a program",
        "access it earlier";
    EndRegister14, "end-register-14", "Broadcom's guide",
        "no access to ra14 or rb14 in the last three instructions of a program",
        "use another register";
    EndRegfileWrite, "end-regfile-write", "Broadcom's guide",
        "the instruction with the program-end signal must not write ra or rb",
        "write it earlier";
    EndBranch, "end-branch", "Broadcom's guide",
        "no branch, and no second program end, in the last two instructions of a program",
        "end once, and branch earlier";
    UniformsAlignment, "uniforms-alignment", "uniforms are 4 bytes",
        "uniforms addresses must be multiples of 4 (the low bits are ignored)",
        "use a multiple of 4";
    DmaAlignment, "dma-alignment", "open question",
        "DMA addresses should be multiples of the element width (used as they are)",
        "use a multiple of the element width";
    DmaUnprotected, "dma-unprotected", "py-videocore, VC4C use the mutex",
        "two QPUs used one DMA engine at a time without the mutex",
        "hold the mutex from the setup to the wait";
    CacheClearWhileRunning, "cache-clear-while-running", "Broadcom's driver sources, HW-2422",
        "V3D caches must not be cleared while a TMU lookup is outstanding",
        "clear caches before the launch";
    VpmbaseWhileRunning, "vpmbase-while-running", "Broadcom's driver sources, HW-2791",
        "VPMBASE must be written while V3D is idle, and hold at most 16",
        "write 0..16 before the launch";
    QueueOverflow, "queue-overflow", "Broadcom's guide, SRQPC",
        "the queue of user programs holds 16; this request was dropped",
        "wait for SRQCS.QPURQL < 16";
    RegisterUnknown, "register-unknown", "not modelled",
        "this V3D register is not modelled (reads 0, writes are ignored)",
        "leave it alone";
    BreakpointUnseen, "breakpoint-unseen", "open question",
        "a breakpoint with DBCFG = 0: nobody may see it (the QPU halts)",
        "write DBCFG = 1 before the launch";
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
