//! The rules: names, what they say, who says so, and what to do.
//!
//! Names are those of the simulator's rules (`v3d_sim::Rule`) where both watch the same thing.
//! "Broadcom's guide" in the sources is the VideoCore IV 3D Architecture Reference Guide, HW-nnnn its list
//! of hardware issues in the driver sources of 2014.

macro_rules! rules {
    ($($variant:ident = $name:literal, $source:literal, $text:literal, $fix:literal;)+) => {
        /// What can be wrong.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Rule { $(#[doc = $text] $variant,)+ }

        impl Rule {
            /// Every rule.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Short name, which does not change.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The rule with this name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().find(|rule| rule.name() == name).copied()
            }

            /// Whether one source alone forbids what others allow and published programs do without harm. The
            /// builder of this library's own programs keeps to such rules too.
            #[must_use]
            pub const fn is_disputed(self) -> bool {
                matches!(self, Self::TmuLoadBesideVpm | Self::PackUndocumented)
            }

            /// What the hardware does and does not do, in a short paragraph.
            #[must_use]
            pub const fn explanation(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// Who says so.
            #[must_use]
            pub const fn source(self) -> &'static str {
                match self { $(Self::$variant => $source,)+ }
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
    Undecodable = "undecodable", "Broadcom's guide, instruction encoding tables",
        "A word on the way of the program is no instruction: it uses an opcode, condition or load-immediate kind that no source defines. Data among code is fine as long as no way leads to it.",
        "write a defined instruction, or branch around the data";

    RegisterFile = "regfile-read-after-write", "Broadcom's guide, QPU instruction restrictions; vc4asm's addendum",
        "A register of file A or B that an instruction writes cannot be read by the next one: the write comes too late, and the old value is read. Accumulators r0..r3 and r5 can. It holds over branches (the last delay slot is followed by the target), for load immediates and for links. A write and a read under opposite conditions touch different lanes and are fine.",
        "put an instruction between, or keep the value in r0..r3";
    SfuResultTooEarly = "sfu-result-too-early", "Broadcom's guide, special function unit",
        "A write to an SFU register starts a function whose result is in r4 three instructions later. The two instructions between read the old r4.",
        "leave two instructions that do not read r4 after the write to the SFU";
    SfuResultOverwritten = "sfu-result-overwritten", "Broadcom's guide, special function unit",
        "While an SFU result is on its way to r4, in the two instructions after the write, nothing else may load r4: no TMU or tile buffer signal and no other SFU function.",
        "leave two instructions without SFU write and load signal after the write to the SFU";
    TmuNoswap = "tmu-noswap-too-late", "Broadcom's guide, tmu_noswap",
        "QPUs 2 and 3 of each slice use the other TMU than the program names, until tmu_noswap is written. That takes effect three instructions later; a TMU access before it would go to one unit and its result be taken from the other.",
        "write tmu_noswap at least three instructions before the first TMU write";
    TmuAtStart = "tmu-write-too-early", "Broadcom's driver sources, HW-2615",
        "The swapping of TMUs is not settled in the first two instructions of a program.",
        "put two other instructions first";
    UniformsAddress = "uniforms-address-too-late", "Broadcom's guide, uniforms address",
        "A new uniforms address takes effect two instructions later. A uniform that is read before (also by a texture request) comes from the old or the new stream.",
        "leave two instructions without a uniform read after the write";
    RotationSource = "rotate-after-write", "Broadcom's guide, horizontal vector rotation; vc4asm's addendum",
        "A rotation takes operands from other lanes, for which a result of the instruction before comes too late. The addendum found that only moves to a lower quad fail, and Broadcom's shaders make others; the guide forbids all. A write under a condition is not counted where one lane is taken, as by r5 and addresses: one lane of a vector of scalars is written, and another is taken. The simulator sees which, and goes by the addendum.",
        "put an instruction between the write and the rotation";
    RotationAmount = "rotate-r5-after-write", "Broadcom's guide, horizontal vector rotation",
        "A rotation by r5 takes its amount from element 0 of r5, which must not be written by the instruction before.",
        "put an instruction between the write to r5 and the rotation";
    RotationInQuad = "rotate-in-quad", "vc4asm's addendum; py-videocore's tests on hardware",
        "Only r0..r3 are rotated over all 16 lanes. Other operands move inside their group of four lanes, by the amount modulo 4. Some programs want that; who reads the text does not expect it. Where only the first lane is taken, as by r5 and addresses, << 1 to << 3 are the same for all operands.",
        "move the value to r0, r1, r2 or r3 two instructions before";
    BranchSpacing = "branch-too-close", "vc4asm's addendum",
        "Between two branches there must be two instructions that are none; a branch may stand in the third delay slot of another, not in the first two. Otherwise no branch is taken or the QPU hangs, even if only one of them would be taken.",
        "keep two instructions that are no branches between branches";

    OnePeripheral = "one-unit-per-instruction", "Broadcom's guide, QPU instruction restrictions",
        "One instruction can do only one of: TMU write, TMU or tile buffer load signal, tile buffer write, SFU write, mutex read, semaphore; loading one colour of the tile buffer and writing another counts as one. Uniforms and the VPM can go with them.",
        "put one of the accesses into another instruction";
    TmuUniform = "texture-with-uniform", "Broadcom's guide, texture and memory units",
        "A texture request (one that writes t, r or b) takes its setup from the uniforms, so the instruction cannot read a uniform as well. Plain lookups, which write only s, can.",
        "read the uniform in another instruction";
    BothSetups = "both-setups", "Broadcom's guide, VPM and VCD",
        "rd_setup and wr_setup are one port to the VPM and cannot both be written in one instruction.",
        "write one of the setups in another instruction";
    VpmReadAndSetup = "vpm-read-with-setup", "Broadcom's guide; its compiler",
        "A VPM read and a setup in one instruction use the same port. Which comes first is not defined.",
        "put the setup into another instruction";
    VpmWriteAndSetup = "vpm-write-with-setup", "Broadcom's guide; vc4asm's addendum",
        "A VPM write and a setup in one instruction use the same port. Which comes first is not defined.",
        "put the setup into another instruction";
    TmuLoadAndVpm = "ldtmu-with-vpm", "vc4asm's addendum; Broadcom's driver sources, HW-2522; against the guide",
        "A TMU load signal beside a read of a VPM vector is unreliable according to vc4asm, and Broadcom's compiler kept the two apart for the first stepping, which is in no Raspberry Pi. The guide allows it.",
        "put the signal on another instruction";
    TmuLoadBesideVpm = "ldtmu-beside-vpm", "vc4asm's addendum against the guide, Terminus-IMRC's measurements and FFmpeg",
        "A TMU load signal beside a VPM write, a setup, the start of a DMA or a wait for it: vc4asm's addendum calls all VPM access beside it unreliable. The guide allows it, and programs that ran on boards do it: copies by Terminus-IMRC beside VPM writes, FFmpeg's shader beside a wait, vc4asm's own FFT beside writes and setups. Only `--strict` tells of it.",
        "put the signal on another instruction";
    SemaphoreWrite = "semaphore-write", "Broadcom's guide, semaphore instruction",
        "A semaphore instruction delivers its low word like a load immediate. That must not go to the TMU, the SFU, the tile buffer or the VPM, whose stalls cannot be combined with the semaphore's.",
        "write it in another instruction";
    SameDestination = "same-destination", "Broadcom's guide, QPU instruction restrictions; vc4asm's addendum",
        "Both results go to one register, and one of them is lost. Under conditions that exclude each other, opposite ones or zero and negative, it is well defined for r0..r3, but not for a peripheral, which gets the mul result in all lanes.",
        "write different registers, or use conditions that exclude each other on an accumulator";
    SameRead = "read-through-both-ports", "open question; vc4asm's addendum, py-videocore",
        "Uniform, varying, VPM or mutex is read through both ports of one instruction. Both see one value and one is taken, as far as anybody knows; no known program does it.",
        "read it through one port and use it in both operations";
    ConditionalPeripheral = "conditional-peripheral-write", "vc4asm's addendum",
        "A condition does not keep a TMU, VPM, setup or address write from happening: in lanes where it fails, undefined data goes out. An SFU function is not told of, since its lanes do not depend on each other; what r4 then has in the others is not known.",
        "write always, and select the value before";
    NeverPeripheral = "never-peripheral-write", "open question",
        "A write to a peripheral with condition never: whether it happens is not known.",
        "remove the write, or give it condition always";
    HostIntZero = "host-interrupt-zero", "vc4asm's addendum; VC4C",
        "A host interrupt is raised by a value that is not 0, and writing 0 does nothing. `mov irq, nop` writes what elements 12 to 15 of the last read through that port were, by which a published program raises its interrupt; where nothing was read through the port before, that is whatever the program before left, and may be 0.",
        "write a value that is not 0, such as 1";
    PackReserved = "pack-reserved", "Broadcom's guide, pack tables",
        "With pm = 1 the guide has the pack codes 0 and 3..7. What 1, 2 and 8..10 do nobody says.",
        "use one of 8abcdsf, 8asf, 8bsf, 8csf, 8dsf";
    PackUndocumented = "pack-undocumented", "Broadcom's guide, pack tables, against vc4asm and kumaashi's shaders",
        "With pm = 1 the guide has the pack codes 0 and 3..7. vc4asm writes 11..15 for 8abcds and 8a..8d, and on a Pi Zero W these make the same colours.",
        "assemble the text with `qpuscope asm`, which writes 3..7";
    PackToPeripheral = "pack-to-peripheral", "vc4asm's addendum",
        "Packing of the mul result into one byte does not work on I/O destinations, which cannot be written in part. 8888, which writes all four bytes, does, and 8a to a VPM whose elements are bytes, by which remapvid makes the pictures of a camera; of 8a to words of the VPM only the simulator tells.",
        "pack into a register or accumulator, and write that to I/O";
    PackWithoutFileA = "pack-no-effect", "Broadcom's guide, pack tables",
        "A pack mode with pm = 0 acts on results that go to a register of file A, and none does here.",
        "write the result to a register of file A";
    UnpackIo = "unpack-input", "open question",
        "No source shows what unpacking does to I/O that is read through file A's port.",
        "read it into a register of file A first";
    UnpackMixed = "unpack-mixed", "Broadcom's guide; vc4asm's addendum",
        "An unpacked operand is widened once for both ALUs: if one of the operations that use it is a float operation, both see floats.",
        "split the instruction";
    PackKind = "pack-kind", "Broadcom's guide, pack operations; VC4C's recorded results",
        "A mode packs another kind of value than the operation gives. The 8-bit modes of file A take the low byte of a float's bits, or saturate them as an integer; they do not scale it. The mul ALU's colours (pm = 1) take an integer's bits as a float, which is 0 for all small numbers.",
        "write the mode with f (.8asf) for the mul ALU's colour, or turn the value with ftoi or itof before";
    UnpackKind = "unpack-kind", "Broadcom's guide, unpack operations",
        "A mode of r4 makes floats of halves and bytes, whatever takes them: an integer operation gets the float's bits. Only file A widens integers.",
        "copy r4 to a register of file A, and unpack that";
    FlagsOfNever = "flags-cond-never", "Broadcom's guide against vc4asm's addendum and VC4C",
        "Flags are to be set from an add result with condition never. By the guide the mul ALU sets them, by measurements no lane is updated.",
        "use condition always with destination `-`, or op nop on the add ALU";
    IdleMulWrite = "nop-mul-write", "vc4asm's addendum",
        "The mul ALU is idle and its destination is live: it writes what was left of the last mul result, repeated from the last quad.",
        "give the idle ALU destination `-` and condition never";
    NoRead = "nop-read", "vc4asm's addendum; VC4C",
        "An operand comes from a port that reads nothing (address 39). It gets what was left of the last read through that port, from lanes 12 to 15. Where nothing comes of it, nothing is wrong; of flags something comes when an instruction asks for them.",
        "name what is to be read";
    UnmappedRead = "unmapped-read", "Broadcom's guide, register address map",
        "Nothing lies behind this read address; element or QPU number is returned.",
        "read a register that exists";
    BusyRead = "dma-busy-read", "Broadcom's guide against VC4C",
        "The busy flags of the DMA engines were seen constant on real chips, whatever the engines did.",
        "read ld_wait or st_wait";
    FragmentOnly = "fragment-only", "Broadcom's guide",
        "Tile buffer, varyings, scoreboard and thread switches belong to fragment shaders. In a user program they stall or do nothing useful.",
        "leave it out: a user program has no tile buffer, varyings or second thread";

    BranchOddRegister = "branch-odd-register", "Broadcom's driver sources, HW-2780; vc4asm's addendum",
        "The lowest bit of a branch's register number is also its set-flags bit: a taken branch with an odd register sets all flags from the link address. Nothing is said of programs that ask for no flags.",
        "use an even register, and 0 where none is added";
    LinkIo = "link-destination", "Broadcom's guide, branch instruction",
        "A link address can go to registers and accumulators, not to I/O.",
        "link to a register or accumulator";
    BranchTarget = "branch-target", "the program's size; instructions are 8 bytes",
        "A relative branch goes to a place that is no instruction of the program.",
        "branch to an instruction of the program";
    NoProgramEnd = "no-program-end", "Broadcom's guide, program end",
        "A way through the program runs off its last word, or a delay slot lies behind it. The QPU executes whatever follows in memory.",
        "end every path with `nop; thrend`, `nop`, `nop`, or a branch with three delay slots";
    EndUniform = "end-uniform", "Broadcom's guide, program end",
        "The next program's uniforms may be set up already in the last three instructions, so they must not read uniforms or varyings.",
        "read it before the thrend instruction";
    EndVpm = "end-vpm", "Broadcom's guide, program end",
        "The last three instructions must not use VPM or DMA, waits included.",
        "do it before the thrend instruction";
    EndRegister14 = "end-register-14", "Broadcom's guide, program end",
        "The start of the next program writes ra14 and rb14 while the last three instructions run.",
        "use another register";
    EndRegisterWrite = "end-regfile-write", "Broadcom's guide, program end",
        "The instruction with thrend must not write a register of file A or B.",
        "write it an instruction earlier, or give thrend to a nop";
    EndTlbZ = "end-tlb-z", "Broadcom's guide, program end",
        "The last instruction must not write tile buffer Z.",
        "write it before";
    EndBranch = "end-branch", "Broadcom's guide, program end",
        "A branch among the last three instructions, or a second thrend in the last two.",
        "end the program once, after the branch's delay slots";

    TmuNothingToLoad = "tmu-nothing-to-load", "Broadcom's guide, texture and memory units",
        "A TMU result is loaded and no lookup is outstanding: the QPU waits for ever.",
        "write an address to the TMU first, on every way";
    TmuTooMany = "tmu-too-many-outstanding", "vc4asm's addendum; VC4C; Broadcom's compiler",
        "A TMU holds results of four lookups for a QPU. With more outstanding, lanes get results of later lookups when caches hit; at nine the QPU stalls.",
        "load a result before the next lookup";
    TmuUnread = "tmu-unread-at-end", "Broadcom's guide, program end",
        "The program ends with lookups that were not loaded; their results are left to the next program.",
        "load every result";
    VpmNothingToRead = "vpm-nothing-to-read", "vc4asm's addendum; VC4C",
        "A VPM vector is read that no setup asked for: the QPU waits for ever.",
        "write rd_setup for as many vectors as are read, on every way";
    VpmSetupIgnored = "vpm-setup-ignored", "vc4asm's addendum; Broadcom's guide says two may be queued",
        "A VPM read setup is ignored while more than one vector of the last one is unread.",
        "read all but one of the vectors before";
    VpmUnread = "vpm-unread-at-end", "Broadcom's guide, VPM reads",
        "The program ends with vectors of a VPM read setup that were not read.",
        "set up as many vectors as are read";
    SetupMissing = "setup-before-write", "no source defines the setup at program start",
        "VPM or DMA is used before its setup is written. What is there at the start of a program is left from another.",
        "write the setup first, on every way";
    SetupUnknown = "setup-unknown", "Broadcom's guide, VPM and VCD",
        "A setup word that is a constant has a field with a reserved value: SIZE 3, MODEW 1 or LANED 1 of a store, or 1 in bits 31:30. What comes of it is not known.",
        "make the word with vpm_setup, vdw_setup_0, vdw_setup_1, vdr_setup_0 or vdr_setup_1";
    StrideMissing = "vdw-stride-unset", "no source defines the setup at program start",
        "A DMA store of several rows starts, and its stride word was never written.",
        "write vdw_setup_1(...) to wr_setup first, on every way";
    DmaUnfinished = "dma-unfinished-at-end", "Broadcom's guide, program end",
        "The program ends and has not waited for a DMA transfer that it started. That the transfer is over by then is luck: other QPUs' transfers come before it, and memory takes its time.",
        "read ld_wait or st_wait before the end";
    DmaNotAwaited = "dma-not-awaited", "Broadcom's guide, VPM and VCD",
        "A VPM row is read that a DMA load still fills, or written that a DMA store still takes. Told where both setup words are constants; the simulator tells of all.",
        "read ld_wait or st_wait before";
    MutexTwice = "mutex-taken-twice", "follows from the mutex",
        "The mutex is read while this QPU holds it. It waits for itself for ever.",
        "take it once and give it back once, on every way";
    MutexNotHeld = "mutex-release-without-holding", "open question",
        "The mutex is given back by a QPU that does not hold it. No published program does it.",
        "take it before, on every way";
    MutexHeld = "mutex-held-at-end", "the mutex has no other way back",
        "The program ends while it holds the mutex. No other program can take it any more.",
        "give it back on every way to the end";
    MutexAfterVpmWrite = "mutex-before-drain", "Broadcom's driver sources, HW-2497",
        "VPM writes must have drained before the mutex is taken, or the QPU can hang. A VPM read, or a DMA store that was waited for, drains them.",
        "set up and read a vector of the VPM first, or take the mutex before the writes";

    UndefinedRead = "undefined-read", "no source defines them at program start",
        "A register, an accumulator, r4 or the flags are asked for what they hold, and no way from the start has written them: what is there is left from another program. Values that only some ways or lanes write are for the simulator to find. Nothing is said of a piece that runs off its end, which may find what comes before it, nor of a fragment shader, which finds what the 3D pipeline put there.",
        "write it first; flags are set by `.setf`";

    NotFollowed = "not-followed", "a limit of this checker",
        "The program has more ways through it than the checker follows. What it found is there; more may be.",
        "split the program, or run it on the simulator, which checks the ways that are taken";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_own_name_and_is_found_by_it() {
        for &rule in Rule::ALL {
            assert_eq!(Rule::from_name(rule.name()), Some(rule));
        }
        assert_eq!(Rule::from_name("register"), None);
    }

    #[test]
    fn texts_are_whole_sentences_and_fixes_follow_to_mend_it() {
        for rule in Rule::ALL {
            assert!(rule.explanation().ends_with('.'), "{rule:?}");
            assert!(!rule.fix().ends_with('.'), "{rule:?}");
            assert!(
                rule.fix().starts_with(|first: char| first.is_lowercase()),
                "{rule:?}"
            );
        }
    }
}
