//! Where sources conflict: which of them the simulator follows.
//!
//! The default of each choice is the value that the evidence speaks for; the others are there so that a
//! program can be tried on every chip that has been described. A program that comes out the same with
//! all of them needs no luck. Places where no source says anything have no choice: one comment in the
//! code marks each.

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
    /// The write of a DMA address while this QPU's last transfer in the same direction is not complete.
    dma_start_while_busy: DmaStartWhileBusy, "dma-start-while-busy" {
        /// It waits (py-videocore and Broadcom's shaders rely on it).
        Wait = "wait",
        /// It is lost (one reading of the guide's "cannot be started").
        Lost = "lost",
    }
    /// Whose setup words of both DMA engines are.
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
