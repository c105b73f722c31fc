//! Signals that an ALU instruction can carry (sig 0..12).
//!
//! Sig 13, 14 and 15 select other formats, so small immediates, load immediates and branches carry
//! no signal. Source: Architecture Reference Guide, "Signaling bits".

use super::bits::field_values;

field_values! {
    /// The action of an ALU instruction beside its two operations.
    Signal {
        /// Executes, then halts the QPU until the host resumes it through `DBQRUN`.
        Breakpoint = 0, "bkpt";
        /// Nothing.
        None = 1, "";
        /// Thread switch after two more instructions; threaded fragment shaders only.
        ThreadSwitch = 2, "thrsw";
        /// Program end: two more instructions execute.
        ProgramEnd = 3, "thrend";
        /// Wait for the scoreboard; fragment shaders only.
        WaitScoreboard = 4, "sbwait";
        /// Unlock the scoreboard; fragment shaders only.
        UnlockScoreboard = 5, "sbdone";
        /// Last thread switch; fragment shaders only.
        LastThreadSwitch = 6, "lthrsw";
        /// Tile buffer coverage to r4; fragment shaders only.
        LoadCoverage = 7, "loadcv";
        /// Tile buffer colour to r4; fragment shaders only.
        LoadColour = 8, "loadc";
        /// Tile buffer colour to r4, and program end; fragment shaders only.
        LoadColourProgramEnd = 9, "ldcend";
        /// Pops a result of TMU 0 into r4; stalls until there is one.
        LoadTmu0 = 10, "ldtmu0";
        /// Pops a result of TMU 1 into r4; stalls until there is one.
        LoadTmu1 = 11, "ldtmu1";
        /// Tile buffer alpha mask to r4; fragment shaders only.
        LoadAlphaMask = 12, "loadam";
    }
}

impl Signal {
    /// True if the signal delivers a value to r4.
    #[must_use]
    pub const fn loads_r4(self) -> bool {
        matches!(
            self,
            Self::LoadCoverage
                | Self::LoadColour
                | Self::LoadColourProgramEnd
                | Self::LoadTmu0
                | Self::LoadTmu1
                | Self::LoadAlphaMask
        )
    }

    /// True if the program ends two instructions later.
    #[must_use]
    pub const fn ends_program(self) -> bool {
        matches!(self, Self::ProgramEnd | Self::LoadColourProgramEnd)
    }
}
