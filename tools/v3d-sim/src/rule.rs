//! Rules whose breaking is a warning: forbidden by a source, or an open question.
//!
//! Rules that `qpuscope check` finds too have their entry in qpu's catalogue ([`qpu::rules`]), and
//! are here by name. Those that only a run can break have theirs here: source, sentence, remedy.
//! The effect in the simulator is in parentheses.

use qpu::rules::{CATALOGUE, Entry, entry};

macro_rules! rules {
    (@entry $id:literal) => { entry(&CATALOGUE, $id) };
    (@entry $id:literal, $($text:literal),*) => { &Entry::new($id, $($text),*) };
    ($($name:ident: $($text:literal),*;)*) => {
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
                match self { $(Rule::$name => const { rules!(@entry $($text),*) },)* }
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
    RegfileReadAfterWrite: "regfile-read-after-write";
    SfuResultTooEarly: "sfu-result-too-early";
    SfuResultOverwritten: "sfu-result-overwritten";
    TmuNoswapTooLate: "tmu-noswap-too-late";
    TmuWriteTooEarly: "tmu-write-too-early";
    TmuTooManyOutstanding: "tmu-too-many-outstanding";
    TextureWithUniform: "texture-with-uniform";
    TmuUnreadAtEnd: "tmu-unread-at-end";
    TmuStaleLine: "tmu-stale-line", "Broadcom's guide; vc4asm",
        "A line that a TMU has read and that was stored to since must not be read again before the caches are cleared.",
        "clear L2C and the TMU caches between launches, or store to another buffer";
    UniformStaleLine: "uniform-stale-line", "Broadcom's guide; vc4asm",
        "A line that uniforms were read from and that was stored to since must not be read again before the caches are cleared.",
        "clear L2C and the uniform caches between launches, or keep uniforms elsewhere";
    UniformsAddressTooLate: "uniforms-address-too-late";
    UniformsAbsent: "uniforms-absent", "Broadcom's guide, SRQUA and SRQUL",
        "A uniform was read beyond the length given in SRQUL, or without a uniforms address.",
        "give SRQUA an address, and SRQUL the count of uniforms or 0xfff";
    UniformsNotPut: "uniforms-not-put", "Broadcom's guide, SRQUA: the chip reads on, whatever lies there",
        "A uniform was read from memory that was never written (it is 0 here, and anything on the chip).",
        "give as many uniforms as the program reads, or write what it reads to the uniforms address";
    UniformsPointer: "uniforms-pointer", "Broadcom's driver sources",
        "The uniforms address must be memory even when no uniform is read: two words are fetched ahead.",
        "give SRQUA an address of memory";
    UniformBothPorts: "uniform-both-ports", "open question; vc4asm, py-videocore",
        "A uniform must not be read through both ports in one instruction (one word is taken).",
        "read the uniform through one port and use it for both operands";
    VpmSetupIgnored: "vpm-setup-ignored";
    VpmUnreadAtEnd: "vpm-unread-at-end";
    VpmSurplusRead: "vpm-surplus-read", "Broadcom's guide against vc4asm, VC4C",
        "A VPM read without vectors left gives undefined data (0 here), or waits for ever.",
        "read as many vectors as the setup asks for";
    VpmNotPut: "vpm-not-put", "no source defines the VPM before it is written",
        "VPM words that were never written hold earlier values (0 here, and anything on the chip).",
        "write the row, or load it by DMA, before it is read or stored, and look at the rows that the setup names";
    SetupBeforeWrite: "setup-before-write";
    SetupUnknown: "setup-unknown";
    SetupReservedBits: "setup-reserved-bits", "Broadcom's guide",
        "Bits of a setup word that its table does not have must be 0 (they are ignored).",
        "write 0 to them";
    DmaOutsideWindow: "dma-outside-window", "Broadcom's guide, HW-2253; asurati",
        "DMA should stay in VPM rows 0..63: those beyond belong to the 3D pipeline.",
        "use rows 0..63";
    DmaRowsWrap: "dma-rows-wrap", "open question",
        "DMA beyond VPM row 127 is used by no published program (it goes on in row 0).",
        "move fewer rows, or begin lower";
    VpmReadOutsideReservation: "vpm-read-outside-reservation", "Broadcom's guide, VPMBASE and ERRSTAT",
        "A program must not read VPM rows that VPMBASE does not reserve (they are read).",
        "write VPMBASE = 16 before the launch";
    VpmOutsideReservation: "vpm-outside-reservation", "Broadcom's guide, VPMBASE",
        "QPU writes to VPM rows that VPMBASE does not reserve are masked.",
        "write VPMBASE = 16 before the launch";
    VpmRace: "vpm-race", "Broadcom's guide: QPUs run independently",
        "VPM words that two QPUs use, one of them writing, need an order between the two.",
        "drain the writes with a VPM read, then hand over with a semaphore or the mutex";
    VpmWriteUndrained: "vpm-write-undrained", "Broadcom's driver sources, HW-2497; GPU_FFT",
        "VPM writes must be drained by a VPM read before a semaphore or the mutex hands them over.",
        "write rd_setup 0x101a00 and read the vector (its value can be dropped) before the release";
    VpmSetupBeforeAcquire: "vpm-setup-before-acquire", "Terminus-IMRC: vectors are fetched from the setup on",
        "A VPM read setup fetches its vectors at once, so it must come after they are written. Writes of other QPUs and loads are ordered by an acquire or by the wait for the load, which must come before the setup.",
        "write rd_setup after the vectors are written, the semaphore or the mutex is acquired, or ld_wait is read";
    DmaNotAwaited: "dma-not-awaited";
    StoreRace: "store-race", "Broadcom's guide: QPUs run independently",
        "DMA stores of two QPUs to the same bytes need an order between the two.",
        "start the second after a semaphore or the mutex that follows the first";
    LoadRace: "load-race", "Broadcom's guide: QPUs run independently",
        "Bytes that a DMA store writes must not be read by a lookup or a DMA load before its end is known.",
        "let the QPU that stores read st_wait, and then release what the reader acquires";
    VpmReadWithSetup: "vpm-read-with-setup";
    VpmWriteWithSetup: "vpm-write-with-setup";
    BothSetups: "both-setups";
    LdtmuWithVpm: "ldtmu-with-vpm";
    LdtmuBesideVpm: "ldtmu-beside-vpm";
    VdrWidePitch: "vdr-wide-pitch", "Broadcom's guide against py-videocore and QMKL",
        "By the guide the pitch of a DMA load has 13 bits, 8191 bytes at most (14 bits are used).",
        "load with several commands, or lay the rows closer together";
    VdwBlockmode: "vdw-blockmode", "Broadcom's guide against QPULib, VC4C",
        "BLOCKMODE 1 has conflicting descriptions (it is treated like 0).",
        "write 0 to BLOCKMODE";
    VdwStrideUnset: "vdw-stride-unset";
    DmaSubwordVertical: "dma-subword-vertical", "open question",
        "The layout of vertical 16- and 8-bit DMA is an assumption.",
        "move words, or horizontal rows";
    DmaRowWraps: "dma-row-wraps", "open question",
        "A horizontal DMA row that runs past column 15 is used by no published program (it goes on in the next VPM row).",
        "keep rows inside columns 0..15";
    DmaUnfinishedAtEnd: "dma-unfinished-at-end";
    DmaStartLost: "dma-start-lost", "Broadcom's guide against py-videocore, Broadcom's shaders",
        "A DMA start while the last transfer is not complete is lost.",
        "read ld_wait or st_wait before the next start";
    DmaBusyRead: "dma-busy-read";
    OneUnitPerInstruction: "one-unit-per-instruction";
    MutexBeforeDrain: "mutex-before-drain";
    MutexReleaseWithoutHolding: "mutex-release-without-holding";
    MutexHeldAtEnd: "mutex-held-at-end";
    SemaphoreLeft: "semaphore-left", "counts survive programs",
        "All semaphores must be 0 at the end of a launch.",
        "give every increment its decrement";
    RotateAfterWrite: "rotate-after-write";
    RotateR5AfterWrite: "rotate-r5-after-write";
    SameDestination: "same-destination";
    ConditionalPeripheralWrite: "conditional-peripheral-write";
    NeverPeripheralWrite: "never-peripheral-write";
    FlagsCondNever: "flags-cond-never";
    MulFlagsCarry: "mul-flags-carry", "vc4asm against VC4C",
        "The C flag of a mul-ALU operation has conflicting descriptions.",
        "use Z or N, or let the add ALU set C";
    LdiFlagsMulOnly: "ldi-flags-mul-only", "open question; VC4C",
        "Flags of a load immediate that only the mul side writes are an open question (cond_mul is taken).",
        "let the add side write when flags are set";
    UnpackMixed: "unpack-mixed";
    UnpackInput: "unpack-input";
    PackNoEffect: "pack-no-effect";
    PackReserved: "pack-reserved";
    PackToPeripheral: "pack-to-peripheral";
    PackOverflow: "pack-overflow", "VC4C, recorded on hardware",
        "A packed sum or difference that overflows has surprising results on the chip.",
        "keep the sum inside 32 bits before it is packed";
    NopRead: "nop-read";
    NopMulWrite: "nop-mul-write";
    UnmappedRead: "unmapped-read";
    UndefinedRead: "undefined-read";
    BranchTooClose: "branch-too-close";
    BranchElements: "branch-elements", "vc4asm, Broadcom's shaders against the guide",
        "The elements of a branch register differ (element 15 is used).",
        "write the register in all elements";
    BranchOddRegister: "branch-odd-register";
    BranchAlignment: "branch-alignment", "instructions are 8 bytes",
        "Code addresses must be multiples of 8.",
        "use a multiple of 8";
    LinkDestination: "link-destination";
    EndUniform: "end-uniform";
    EndVpm: "end-vpm";
    EndRegister14: "end-register-14";
    EndRegfileWrite: "end-regfile-write";
    EndBranch: "end-branch";
    UniformsAlignment: "uniforms-alignment", "uniforms are 4 bytes",
        "Uniforms addresses must be multiples of 4 (the low bits are ignored).",
        "use a multiple of 4";
    DmaAlignment: "dma-alignment", "open question",
        "DMA addresses should be multiples of the element width (they are used as they are).",
        "use a multiple of the element width";
    DmaUnprotected: "dma-unprotected", "py-videocore, VC4C use the mutex",
        "Two QPUs used one DMA engine at a time without the mutex.",
        "hold the mutex from the setup to the wait";
    CacheClearWhileRunning: "cache-clear-while-running", "Broadcom's driver sources, HW-2422",
        "V3D caches must not be cleared while a TMU lookup is outstanding.",
        "clear caches before the launch";
    VpmbaseWhileRunning: "vpmbase-while-running", "Broadcom's driver sources, HW-2791",
        "VPMBASE must be written while V3D is idle, and hold at most 16.",
        "write 0..16 before the launch";
    QueueOverflow: "queue-overflow", "Broadcom's guide, SRQPC",
        "The queue of user programs holds 16; this request was dropped.",
        "wait for SRQCS.QPURQL < 16";
    RegisterUnknown: "register-unknown", "not modelled",
        "This V3D register is not modelled (it reads 0, writes are ignored).",
        "leave it alone";
    BreakpointUnseen: "breakpoint-unseen", "open question",
        "A breakpoint with DBCFG = 0 may be seen by no debugger (the QPU halts).",
        "write DBCFG = 1 before the launch";
}

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
        // An entry of its own is not one of the catalogue under the same name.
        for entry in Rule::ALL.iter().map(|rule| rule.entry()) {
            let same = CATALOGUE.iter().find(|known| known.id == entry.id);
            assert!(
                same.is_none_or(|known| std::ptr::eq(known, entry)),
                "{}",
                entry.id
            );
        }
    }
}
