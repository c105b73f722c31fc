//! The rules that the checker looks for; the texts are in the catalogue ([`crate::rules`]).

use crate::rules::{CATALOGUE, Entry, entry};

macro_rules! rules {
    ($($variant:ident = $id:literal;)+) => {
        /// A rule that a program can break. Its entry in the catalogue says what it is.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs, reason = "each is documented by its entry")]
        pub enum Rule { $($variant,)+ }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The texts.
            #[must_use]
            pub const fn entry(self) -> &'static Entry {
                match self { $(Self::$variant => const { entry(&CATALOGUE, $id) },)+ }
            }
        }
    };
}

impl Rule {
    /// The short name, which does not change.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.entry().id
    }

    /// The remedy, to follow "to fix it, ".
    #[must_use]
    pub const fn fix(self) -> &'static str {
        self.entry().remedy
    }

    /// The rule with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|rule| rule.name() == name).copied()
    }

    /// True if one source alone forbids what others allow and published programs do without harm.
    /// The builder of this library's own programs keeps to such rules too.
    #[must_use]
    pub const fn is_disputed(self) -> bool {
        matches!(self, Self::TmuLoadBesideVpm | Self::PackUndocumented)
    }
}

rules! {
    Undecodable = "undecodable";
    RegisterFile = "regfile-read-after-write";
    SfuResultTooEarly = "sfu-result-too-early";
    SfuResultOverwritten = "sfu-result-overwritten";
    TmuNoswap = "tmu-noswap-too-late";
    TmuAtStart = "tmu-write-too-early";
    UniformsAddress = "uniforms-address-too-late";
    RotationSource = "rotate-after-write";
    RotationAmount = "rotate-r5-after-write";
    RotationInQuad = "rotate-in-quad";
    BranchSpacing = "branch-too-close";
    OnePeripheral = "one-unit-per-instruction";
    TmuUniform = "texture-with-uniform";
    BothSetups = "both-setups";
    VpmReadAndSetup = "vpm-read-with-setup";
    VpmWriteAndSetup = "vpm-write-with-setup";
    TmuLoadAndVpm = "ldtmu-with-vpm";
    TmuLoadBesideVpm = "ldtmu-beside-vpm";
    SemaphoreWrite = "semaphore-write";
    SameDestination = "same-destination";
    SameRead = "read-through-both-ports";
    ConditionalPeripheral = "conditional-peripheral-write";
    NeverPeripheral = "never-peripheral-write";
    HostIntZero = "host-interrupt-zero";
    PackReserved = "pack-reserved";
    PackUndocumented = "pack-undocumented";
    PackToPeripheral = "pack-to-peripheral";
    PackWithoutFileA = "pack-no-effect";
    UnpackIo = "unpack-input";
    UnpackMixed = "unpack-mixed";
    PackKind = "pack-kind";
    UnpackKind = "unpack-kind";
    FlagsOfNever = "flags-cond-never";
    IdleMulWrite = "nop-mul-write";
    NoRead = "nop-read";
    UnmappedRead = "unmapped-read";
    BusyRead = "dma-busy-read";
    FragmentOnly = "fragment-only";
    BranchOddRegister = "branch-odd-register";
    LinkIo = "link-destination";
    BranchTarget = "branch-target";
    NoProgramEnd = "no-program-end";
    EndUniform = "end-uniform";
    EndVpm = "end-vpm";
    EndRegister14 = "end-register-14";
    EndRegisterWrite = "end-regfile-write";
    EndTlbZ = "end-tlb-z";
    EndBranch = "end-branch";
    TmuNothingToLoad = "tmu-nothing-to-load";
    TmuTooMany = "tmu-too-many-outstanding";
    TmuUnread = "tmu-unread-at-end";
    VpmNothingToRead = "vpm-nothing-to-read";
    VpmSetupIgnored = "vpm-setup-ignored";
    VpmUnread = "vpm-unread-at-end";
    SetupMissing = "setup-before-write";
    SetupUnknown = "setup-unknown";
    StrideMissing = "vdw-stride-unset";
    ColumnPassesBlock = "vdw-column-passes-block";
    DmaUnfinished = "dma-unfinished-at-end";
    DmaNotAwaited = "dma-not-awaited";
    MutexTwice = "mutex-taken-twice";
    MutexNotHeld = "mutex-release-without-holding";
    MutexHeld = "mutex-held-at-end";
    MutexAfterVpmWrite = "mutex-before-drain";
    UndefinedRead = "undefined-read";
    NotFollowed = "not-followed";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_a_rule_and_is_found_by_its_name() {
        assert_eq!(Rule::ALL.len(), CATALOGUE.len());
        for &rule in Rule::ALL {
            assert_eq!(Rule::from_name(rule.name()), Some(rule));
        }
        assert_eq!(Rule::from_name("register"), None);
    }
}
