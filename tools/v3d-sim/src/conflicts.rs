//! Conflicts of sources: the source that the simulator follows.
//!
//! The default of each choice is the value that the evidence speaks for; the others are there so
//! that a program can be tried on every chip that has been described. A program that comes out the
//! same with all of them needs no luck. Places where no source says anything have no choice: one
//! comment in the code marks each.

macro_rules! conflicts {
    ($($(#[$doc:meta])* $field:ident: $choice:ident, $id:literal {
        $(#[$first_doc:meta])* $first:ident = $first_id:literal,
        $($(#[$other_doc:meta])* $other:ident = $other_id:literal,)*
    })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
            pub enum $choice {
                $(#[$first_doc])*
                #[default]
                $first,
                $($(#[$other_doc])* $other,)*
            }
        )*

        /// One choice for each conflict.
        #[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
        pub struct Conflicts {
            $($(#[$doc])* pub $field: $choice,)*
        }

        impl Conflicts {
            /// The name of each conflict, and the names of its choices, the default first.
            pub const ALL: &'static [(&'static str, &'static [&'static str])] =
                &[$(($id, &[$first_id $(, $other_id)*]),)*];

            /// Chooses by names, as in [`Conflicts::ALL`].
            ///
            /// # Errors
            /// A sentence with the names that there are.
            pub fn choose(&mut self, conflict: &str, choice: &str) -> Result<(), String> {
                match (conflict, choice) {
                    $(
                        ($id, $first_id) => self.$field = $choice::$first,
                        $(($id, $other_id) => self.$field = $choice::$other,)*
                    )*
                    _ => return Err(unknown(conflict, choice)),
                }
                Ok(())
            }
        }
    };
}

conflicts! {
    /// A VPM read setup that is written while vectors of an earlier one are unread.
    vpm_read_setups: VpmReadSetups, "vpm-read-setups" {
        /// Taken when at most one vector is unread, else ignored (vc4asm).
        AlmostRead = "almost-read",
        /// Two are queued, a third is ignored (the guide).
        QueueOfTwo = "queue-of-two",
        /// The unread vectors are dropped (Mesa).
        Replace = "replace",
    }
    /// A VPM read when no setup has vectors left.
    vpm_surplus_reads: VpmSurplusReads, "vpm-surplus-reads" {
        /// It waits for ever, which is a fault (vc4asm, VC4C).
        Block = "block",
        /// It gives undefined data, here zeros (the guide).
        Undefined = "undefined",
    }
    /// BLOCKMODE of a DMA store of several rows.
    vdw_blockmode: VdwBlockmode, "vdw-blockmode" {
        /// Without effect: each row starts at the next VPM row (QPULib and VC4C rely on it).
        Ignored = "ignored",
        /// Rows are taken from the VPM one behind the other (the guide).
        Packed = "packed",
    }
    /// VPITCH of a vertical DMA load.
    vdr_vertical_pitch: VdrVerticalPitch, "vdr-vertical-pitch" {
        /// Added to Y (py-videocore, asurati and QPULib on hardware).
        Rows = "rows",
        /// Added to X (VC4C's emulator).
        Columns = "columns",
    }
    /// The number of bits of MPITCHB, the row pitch of a DMA load.
    vdr_pitch_bits: VdrPitchBits, "vdr-pitch-bits" {
        /// 14: on hardware sgemm of py-videocore and QMKL is right with rows 12,288 bytes apart,
        /// and QMKL's reads wrong rows when they are 18,432 or 61,440 apart (Idein/qmkl, issue 42).
        Fourteen = "14",
        /// 16, as VDW's STRIDE.
        Sixteen = "16",
        /// 13 (the guide).
        Thirteen = "13",
    }
    /// The write of a DMA address while this QPU's last transfer in the same direction is not
    /// complete.
    dma_start_while_busy: DmaStartWhileBusy, "dma-start-while-busy" {
        /// It waits (py-videocore and Broadcom's shaders rely on it).
        Wait = "wait",
        /// It is lost (one reading of the guide's "cannot be started").
        Lost = "lost",
    }
    /// The owner of the setup words of both DMA engines.
    dma_setup_scope: DmaSetupScope, "dma-setup-scope" {
        /// Every QPU has its own (Broadcom's shaders, QPULib and V3DLib rely on it).
        PerQpu = "per-qpu",
        /// All QPUs share one set, as programs assume that hold the mutex (py-videocore, VC4C).
        Shared = "shared",
    }
    /// SRQUL = 0.
    srqul_zero: SrqulZero, "srqul-zero" {
        /// Uniforms without limit (Broadcom's driver, GPU_FFT and others leave 0).
        Unlimited = "unlimited",
        /// No uniforms (the guide).
        None = "none",
    }
    /// Lookups that a QPU may have on a TMU before the next write waits.
    tmu_depth: TmuDepth, "tmu-depth" {
        /// Eight requests (the guide).
        Eight = "eight",
        /// Four results (vc4asm, VC4C, V3DLib and Broadcom's compiler).
        Four = "four",
    }
    /// The ALU whose flags are set when the add ALU works and cond_add is never.
    flags_add_never: FlagsAddNever, "flags-add-never" {
        /// The add ALU's, in no lane (measured by vc4asm's author; VC4C).
        Add = "add",
        /// The mul ALU's (the guide).
        Mul = "mul",
    }
    /// True if flags are set in lanes where the condition of the result does not hold.
    flags_masked: FlagsMasked, "flags-masked" {
        /// No (vc4asm, VC4C, Broadcom's shaders).
        Masked = "masked",
        /// Yes: the guide does not say that they are not.
        Everywhere = "everywhere",
    }
    /// The C flag of itof.
    itof_carry: ItofCarry, "itof-carry" {
        /// Set for a result above 0 (recorded on hardware by VC4C).
        Positive = "positive",
        /// Clear (vc4asm).
        Clear = "clear",
    }
    /// The C flag of fmul.
    fmul_carry: FmulCarry, "fmul-carry" {
        /// Clear (vc4asm).
        Clear = "clear",
        /// Set for a result above 0 (VC4C).
        Positive = "positive",
    }
    /// The C flag of mul24: set for products above so many bits.
    mul24_carry: Mul24Carry, "mul24-carry" {
        /// 32 (VC4C).
        Above32 = "32",
        /// 24 (vc4asm).
        Above24 = "24",
    }
    /// The operand of ftoi, itof, not and clz.
    unary_operand: UnaryOperand, "unary-operand" {
        /// The first (py-videocore on hardware, vc4asm).
        First = "first",
        /// The second (hermanhermitage).
        Second = "second",
    }
    /// The rounding of ftoi.
    ftoi_rounding: FtoiRounding, "ftoi-rounding" {
        /// Toward zero (py-videocore, Mesa; recorded on hardware by VC4C).
        Truncate = "truncate",
        /// To the nearest, halves to even (vc4asm's emulator).
        Nearest = "nearest",
    }
    /// The conversion of the mul result to 8-bit colour.
    colour_rounding: ColourRounding, "colour-rounding" {
        /// Rounded to nearest (the guide).
        Nearest = "nearest",
        /// Truncated (VC4C).
        Truncate = "truncate",
    }
    /// The element of its register that a branch adds.
    branch_element: BranchElement, "branch-element" {
        /// 15 (measured by vc4asm's author; Broadcom's shaders).
        Fifteen = "15",
        /// 0 (the guide).
        Zero = "0",
    }
    /// A rotation with one operand in r0..r3 and one elsewhere.
    mixed_rotation: MixedRotation, "mixed-rotation" {
        /// Each operand moves in its own way (the guide's figure; Broadcom's shaders).
        PerOperand = "per-operand",
        /// Both move inside their quads only (vc4asm).
        InQuads = "in-quads",
    }
    /// Unpack of an I/O address read through port A.
    unpack_input: UnpackInput, "unpack-input" {
        /// It is applied.
        Applied = "applied",
        /// It is ignored.
        Ignored = "ignored",
    }
    /// The values of the DMA busy registers.
    dma_busy: DmaBusy, "dma-busy" {
        /// 1 while this QPU's transfer runs (the guide).
        Flag = "flag",
        /// Element or QPU number, as an address without a function gives (VC4C).
        Constant = "constant",
    }
}

fn unknown(conflict: &str, choice: &str) -> String {
    let known = Conflicts::ALL.iter().find(|(id, _)| *id == conflict);
    match known {
        Some((_, choices)) => format!(
            "{conflict} cannot be {choice:?}; use one of {}",
            choices.join(", ")
        ),
        None => {
            let names: Vec<_> = Conflicts::ALL.iter().map(|(id, _)| *id).collect();
            format!(
                "no conflict is called {conflict:?}; there are {}",
                names.join(", ")
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_can_be_made_by_its_name() {
        for (conflict, choices) in Conflicts::ALL {
            let mut made = Vec::new();
            for choice in *choices {
                let mut conflicts = Conflicts::default();
                conflicts.choose(conflict, choice).unwrap();
                assert!(!made.contains(&conflicts), "{conflict} {choice}");
                made.push(conflicts);
            }
            assert_eq!(made[0], Conflicts::default(), "{conflict}");
        }
    }

    #[test]
    fn unknown_names_are_answered_with_the_known_ones() {
        let mut conflicts = Conflicts::default();
        let error = conflicts.choose("tmu-depth", "nine").unwrap_err();
        assert!(error.contains("eight, four"), "{error}");
        let error = conflicts.choose("tmu", "four").unwrap_err();
        assert!(error.contains("vpm-read-setups"), "{error}");
    }
}
