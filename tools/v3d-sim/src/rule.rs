//! Rules whose breaking is a warning: forbidden by a source, or an open question.
//!
//! Rules that `qpuscope check` finds too have their entry in qpu's catalogue ([`qpu::rules`]);
//! those that only a run can break have theirs here. The effect in the simulator is in parentheses.

use qpu::rules::{CATALOGUE, Entry, entry};

macro_rules! rules {
    ($($name:ident = $table:ident $id:literal;)*) => {
        /// A rule that a program or its driver can break without stopping the simulation.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs, reason = "each is documented by its entry")]
        pub enum Rule { $($name,)* }

        impl Rule {
            /// All rules.
            pub const ALL: &'static [Rule] = &[$(Rule::$name,)*];

            /// The texts.
            #[must_use]
            pub const fn entry(self) -> &'static Entry {
                match self { $(Rule::$name => const { entry(&$table, $id) },)* }
            }
        }
    };
}

impl Rule {
    /// The short name, which does not change: `regfile-read-after-write`.
    #[must_use]
    pub const fn id(self) -> &'static str {
        self.entry().id
    }

    /// The rule of this name.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.id() == id)
    }
}

rules! {
    RegfileReadAfterWrite = CATALOGUE "regfile-read-after-write";
    SfuResultTooEarly = CATALOGUE "sfu-result-too-early";
    SfuResultOverwritten = CATALOGUE "sfu-result-overwritten";
    TmuNoswapTooLate = CATALOGUE "tmu-noswap-too-late";
    TmuWriteTooEarly = CATALOGUE "tmu-write-too-early";
    TmuTooManyOutstanding = CATALOGUE "tmu-too-many-outstanding";
    TextureWithUniform = CATALOGUE "texture-with-uniform";
    TmuUnreadAtEnd = CATALOGUE "tmu-unread-at-end";
    TmuStaleLine = OWN "tmu-stale-line";
    UniformStaleLine = OWN "uniform-stale-line";
    UniformsAddressTooLate = CATALOGUE "uniforms-address-too-late";
    UniformsAbsent = OWN "uniforms-absent";
    UniformsNotPut = OWN "uniforms-not-put";
    UniformsPointer = OWN "uniforms-pointer";
    UniformBothPorts = OWN "uniform-both-ports";
    VpmSetupIgnored = CATALOGUE "vpm-setup-ignored";
    VpmUnreadAtEnd = CATALOGUE "vpm-unread-at-end";
    VpmSurplusRead = OWN "vpm-surplus-read";
    VpmNotPut = OWN "vpm-not-put";
    SetupBeforeWrite = CATALOGUE "setup-before-write";
    SetupUnknown = CATALOGUE "setup-unknown";
    SetupReservedBits = OWN "setup-reserved-bits";
    DmaOutsideWindow = OWN "dma-outside-window";
    DmaRowsWrap = OWN "dma-rows-wrap";
    VpmReadOutsideReservation = OWN "vpm-read-outside-reservation";
    VpmOutsideReservation = OWN "vpm-outside-reservation";
    VpmRace = OWN "vpm-race";
    VpmWriteUndrained = OWN "vpm-write-undrained";
    VpmSetupBeforeAcquire = OWN "vpm-setup-before-acquire";
    DmaNotAwaited = CATALOGUE "dma-not-awaited";
    StoreRace = OWN "store-race";
    LoadRace = OWN "load-race";
    VpmReadWithSetup = CATALOGUE "vpm-read-with-setup";
    VpmWriteWithSetup = CATALOGUE "vpm-write-with-setup";
    BothSetups = CATALOGUE "both-setups";
    LdtmuWithVpm = CATALOGUE "ldtmu-with-vpm";
    LdtmuBesideVpm = CATALOGUE "ldtmu-beside-vpm";
    VdrWidePitch = OWN "vdr-wide-pitch";
    VdwBlockmode = OWN "vdw-blockmode";
    VdwStrideUnset = CATALOGUE "vdw-stride-unset";
    DmaSubwordVertical = OWN "dma-subword-vertical";
    DmaRowWraps = OWN "dma-row-wraps";
    DmaUnfinishedAtEnd = CATALOGUE "dma-unfinished-at-end";
    DmaStartLost = OWN "dma-start-lost";
    DmaBusyRead = CATALOGUE "dma-busy-read";
    OneUnitPerInstruction = CATALOGUE "one-unit-per-instruction";
    MutexBeforeDrain = CATALOGUE "mutex-before-drain";
    MutexReleaseWithoutHolding = CATALOGUE "mutex-release-without-holding";
    MutexHeldAtEnd = CATALOGUE "mutex-held-at-end";
    SemaphoreLeft = OWN "semaphore-left";
    RotateAfterWrite = CATALOGUE "rotate-after-write";
    RotateR5AfterWrite = CATALOGUE "rotate-r5-after-write";
    SameDestination = CATALOGUE "same-destination";
    ConditionalPeripheralWrite = CATALOGUE "conditional-peripheral-write";
    NeverPeripheralWrite = CATALOGUE "never-peripheral-write";
    FlagsCondNever = CATALOGUE "flags-cond-never";
    MulFlagsCarry = OWN "mul-flags-carry";
    LdiFlagsMulOnly = OWN "ldi-flags-mul-only";
    UnpackMixed = CATALOGUE "unpack-mixed";
    UnpackInput = CATALOGUE "unpack-input";
    PackNoEffect = CATALOGUE "pack-no-effect";
    PackReserved = CATALOGUE "pack-reserved";
    PackToPeripheral = CATALOGUE "pack-to-peripheral";
    PackOverflow = OWN "pack-overflow";
    NopRead = CATALOGUE "nop-read";
    NopMulWrite = CATALOGUE "nop-mul-write";
    UnmappedRead = CATALOGUE "unmapped-read";
    UndefinedRead = CATALOGUE "undefined-read";
    BranchTooClose = CATALOGUE "branch-too-close";
    BranchElements = OWN "branch-elements";
    BranchOddRegister = CATALOGUE "branch-odd-register";
    BranchAlignment = OWN "branch-alignment";
    LinkDestination = CATALOGUE "link-destination";
    EndUniform = CATALOGUE "end-uniform";
    EndVpm = CATALOGUE "end-vpm";
    EndRegister14 = CATALOGUE "end-register-14";
    EndRegfileWrite = CATALOGUE "end-regfile-write";
    EndBranch = CATALOGUE "end-branch";
    UniformsAlignment = OWN "uniforms-alignment";
    DmaAlignment = OWN "dma-alignment";
    DmaUnprotected = OWN "dma-unprotected";
    CacheClearWhileRunning = OWN "cache-clear-while-running";
    VpmbaseWhileRunning = OWN "vpmbase-while-running";
    QueueOverflow = OWN "queue-overflow";
    RegisterUnknown = OWN "register-unknown";
    BreakpointUnseen = OWN "breakpoint-unseen";
}

/// The rules that only a run can break.
static OWN: [Entry; 37] = [
    Entry::new(
        "tmu-stale-line",
        "Broadcom's guide; vc4asm",
        "A line that a TMU has read and that was stored to since must not be read again before the caches are cleared.",
        "clear L2C and the TMU caches between launches, or store to another buffer",
    ),
    Entry::new(
        "uniform-stale-line",
        "Broadcom's guide; vc4asm",
        "A line that uniforms were read from and that was stored to since must not be read again before the caches are cleared.",
        "clear L2C and the uniform caches between launches, or keep uniforms elsewhere",
    ),
    Entry::new(
        "uniforms-absent",
        "Broadcom's guide, SRQUA and SRQUL",
        "A uniform was read beyond the length given in SRQUL, or without a uniforms address.",
        "give SRQUA an address, and SRQUL the count of uniforms or 0xfff",
    ),
    Entry::new(
        "uniforms-not-put",
        "Broadcom's guide, SRQUA: the chip reads on, whatever lies there",
        "A uniform was read from memory that was never written (it is 0 here, and anything on the chip).",
        "give as many uniforms as the program reads, or write what it reads to the uniforms address",
    ),
    Entry::new(
        "uniforms-pointer",
        "Broadcom's driver sources",
        "The uniforms address must be memory even when no uniform is read: two words are fetched ahead.",
        "give SRQUA an address of memory",
    ),
    Entry::new(
        "uniform-both-ports",
        "open question; vc4asm, py-videocore",
        "A uniform must not be read through both ports in one instruction (one word is taken).",
        "read the uniform through one port and use it for both operands",
    ),
    Entry::new(
        "vpm-surplus-read",
        "Broadcom's guide against vc4asm, VC4C",
        "A VPM read without vectors left gives undefined data (0 here), or waits for ever.",
        "read as many vectors as the setup asks for",
    ),
    Entry::new(
        "vpm-not-put",
        "no source defines the VPM before it is written",
        "VPM words that were never written hold earlier values (0 here, and anything on the chip).",
        "write the row, or load it by DMA, before it is read or stored, and look at the rows that the setup names",
    ),
    Entry::new(
        "setup-reserved-bits",
        "Broadcom's guide",
        "Bits of a setup word that its table does not have must be 0 (they are ignored).",
        "write 0 to them",
    ),
    Entry::new(
        "dma-outside-window",
        "Broadcom's guide, HW-2253; asurati",
        "DMA should stay in VPM rows 0..63: those beyond belong to the 3D pipeline.",
        "use rows 0..63",
    ),
    Entry::new(
        "dma-rows-wrap",
        "open question",
        "DMA beyond VPM row 127 is used by no published program (it goes on in row 0).",
        "move fewer rows, or begin lower",
    ),
    Entry::new(
        "vpm-read-outside-reservation",
        "Broadcom's guide, VPMBASE and ERRSTAT",
        "A program must not read VPM rows that VPMBASE does not reserve (they are read).",
        "write VPMBASE = 16 before the launch",
    ),
    Entry::new(
        "vpm-outside-reservation",
        "Broadcom's guide, VPMBASE",
        "QPU writes to VPM rows that VPMBASE does not reserve are masked.",
        "write VPMBASE = 16 before the launch",
    ),
    Entry::new(
        "vpm-race",
        "Broadcom's guide: QPUs run independently",
        "VPM words that two QPUs use, one of them writing, need an order between the two.",
        "drain the writes with a VPM read, then hand over with a semaphore or the mutex",
    ),
    Entry::new(
        "vpm-write-undrained",
        "Broadcom's driver sources, HW-2497; GPU_FFT",
        "VPM writes must be drained by a VPM read before a semaphore or the mutex hands them over.",
        "write rd_setup 0x101a00 and read the vector (its value can be dropped) before the release",
    ),
    Entry::new(
        "vpm-setup-before-acquire",
        "Terminus-IMRC: vectors are fetched from the setup on",
        "A VPM read setup fetches its vectors at once, so it must come after they are written. Writes of other QPUs and loads are ordered by an acquire or by the wait for the load, which must come before the setup.",
        "write rd_setup after the vectors are written, the semaphore or the mutex is acquired, or ld_wait is read",
    ),
    Entry::new(
        "store-race",
        "Broadcom's guide: QPUs run independently",
        "DMA stores of two QPUs to the same bytes need an order between the two.",
        "start the second after a semaphore or the mutex that follows the first",
    ),
    Entry::new(
        "load-race",
        "Broadcom's guide: QPUs run independently",
        "Bytes that a DMA store writes must not be read by a lookup or a DMA load before its end is known.",
        "let the QPU that stores read st_wait, and then release what the reader acquires",
    ),
    Entry::new(
        "vdr-wide-pitch",
        "Broadcom's guide against py-videocore and QMKL",
        "By the guide the pitch of a DMA load has 13 bits, 8191 bytes at most (14 bits are used).",
        "load with several commands, or lay the rows closer together",
    ),
    Entry::new(
        "vdw-blockmode",
        "Broadcom's guide against QPULib, VC4C",
        "BLOCKMODE 1 has conflicting descriptions (it is treated like 0).",
        "write 0 to BLOCKMODE",
    ),
    Entry::new(
        "dma-subword-vertical",
        "open question",
        "The layout of vertical 16- and 8-bit DMA is an assumption.",
        "move words, or horizontal rows",
    ),
    Entry::new(
        "dma-row-wraps",
        "open question",
        "A horizontal DMA row that runs past column 15 is used by no published program (it goes on in the next VPM row).",
        "keep rows inside columns 0..15",
    ),
    Entry::new(
        "dma-start-lost",
        "Broadcom's guide against py-videocore, Broadcom's shaders",
        "A DMA start while the last transfer is not complete is lost.",
        "read ld_wait or st_wait before the next start",
    ),
    Entry::new(
        "semaphore-left",
        "counts survive programs",
        "All semaphores must be 0 at the end of a launch.",
        "give every increment its decrement",
    ),
    Entry::new(
        "mul-flags-carry",
        "vc4asm against VC4C",
        "The C flag of a mul-ALU operation has conflicting descriptions.",
        "use Z or N, or let the add ALU set C",
    ),
    Entry::new(
        "ldi-flags-mul-only",
        "open question; VC4C",
        "Flags of a load immediate that only the mul side writes are an open question (cond_mul is taken).",
        "let the add side write when flags are set",
    ),
    Entry::new(
        "pack-overflow",
        "VC4C, recorded on hardware",
        "A packed sum or difference that overflows has surprising results on the chip.",
        "keep the sum inside 32 bits before it is packed",
    ),
    Entry::new(
        "branch-elements",
        "vc4asm, Broadcom's shaders against the guide",
        "The elements of a branch register differ (element 15 is used).",
        "write the register in all elements",
    ),
    Entry::new(
        "branch-alignment",
        "instructions are 8 bytes",
        "Code addresses must be multiples of 8.",
        "use a multiple of 8",
    ),
    Entry::new(
        "uniforms-alignment",
        "uniforms are 4 bytes",
        "Uniforms addresses must be multiples of 4 (the low bits are ignored).",
        "use a multiple of 4",
    ),
    Entry::new(
        "dma-alignment",
        "open question",
        "DMA addresses should be multiples of the element width (they are used as they are).",
        "use a multiple of the element width",
    ),
    Entry::new(
        "dma-unprotected",
        "py-videocore, VC4C use the mutex",
        "Two QPUs used one DMA engine at a time without the mutex.",
        "hold the mutex from the setup to the wait",
    ),
    Entry::new(
        "cache-clear-while-running",
        "Broadcom's driver sources, HW-2422",
        "V3D caches must not be cleared while a TMU lookup is outstanding.",
        "clear caches before the launch",
    ),
    Entry::new(
        "vpmbase-while-running",
        "Broadcom's driver sources, HW-2791",
        "VPMBASE must be written while V3D is idle, and hold at most 16.",
        "write 0..16 before the launch",
    ),
    Entry::new(
        "queue-overflow",
        "Broadcom's guide, SRQPC",
        "The queue of user programs holds 16; this request was dropped.",
        "wait for SRQCS.QPURQL < 16",
    ),
    Entry::new(
        "register-unknown",
        "not modelled",
        "This V3D register is not modelled (it reads 0, writes are ignored).",
        "leave it alone",
    ),
    Entry::new(
        "breakpoint-unseen",
        "open question",
        "A breakpoint with DBCFG = 0 may be seen by no debugger (the QPU halts).",
        "write DBCFG = 1 before the launch",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_own_identifier_and_whole_sentences() {
        let mut ids: Vec<_> = Rule::ALL.iter().map(|rule| rule.id()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), Rule::ALL.len());
        for rule in Rule::ALL {
            assert_eq!(rule.entry().problem(), None, "{rule:?}");
        }
        let is_apart = |own: &Entry| CATALOGUE.iter().all(|entry| entry.id != own.id);
        assert!(OWN.iter().all(is_apart));
    }
}
