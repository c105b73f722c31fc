//! The health of a stream: what came, what was lost, and the sentence about it.

/// The health of a stream, for people and for JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Health {
    /// Bytes received.
    pub bytes: u64,
    /// Frames whose checksum held.
    pub frames: u64,
    /// Bytes of readable text.
    pub text_bytes: u64,
    /// Bytes that were neither.
    pub lost_bytes: u64,
    /// Frames whose checksum did not hold.
    pub crc_errors: u64,
    /// Frames missing by their sequence numbers.
    pub sequence_gaps: u64,
    /// Times the board started anew.
    pub restarts: u64,
    /// Whole spectra.
    pub spectra: u64,
    /// Spectra that could not be shown, because their descriptor has not come.
    pub unexplained_spectra: u64,
    /// Spectra of which a part was lost.
    pub incomplete_spectra: u64,
}

impl Health {
    /// Returns whether anything was lost.
    #[must_use]
    pub fn is_lossy(&self) -> bool {
        self.lost_bytes + self.crc_errors + self.sequence_gaps + self.incomplete_spectra > 0
    }
}

impl std::fmt::Display for Health {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} spectra in {} frames; {} bytes lost, {} CRC errors, {} sequence gaps, {} incomplete spectra",
            self.spectra,
            self.frames,
            self.lost_bytes,
            self.crc_errors,
            self.sequence_gaps,
            self.incomplete_spectra
        )?;
        if self.restarts > 0 {
            write!(f, ", the board restarted {} times", self.restarts)?;
        }
        Ok(())
    }
}
