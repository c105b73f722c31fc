//! Rules whose breaking is a warning: forbidden by a source, or an open question.
//!
//! Rules that `qpu check` finds too have their entry in qpu's catalogue ([`qpu::rules`]);
//! those that only a run can break have theirs in `rules.txt`.

use qpu::rules::{CATALOGUE, Entry, entry, parse};

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
    VdwColumnPassesBlock = CATALOGUE "vdw-column-passes-block";
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
static OWN: [Entry; 37] = parse(include_str!("rules.txt"));

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
