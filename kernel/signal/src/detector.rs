//! Detectors: the combination of several blocks' powers, bin by bin.

crate::code! {
    /// The value that represents the powers of several blocks, bin by bin.
    Detector, "detector" {
        /// Their mean.
        #[default] Mean = 0 "mean",
        /// The greatest.
        Max = 1 "max",
        /// The least. A block with numbers that are not finite leaves no trace where others have
        /// none.
        Min = 2 "min",
    }
}

impl Detector {
    /// The value that a bin begins with: [`Detector::take`] of a power then is that power.
    #[must_use]
    pub const fn start(self) -> f64 {
        match self {
            Self::Mean | Self::Max => 0.0,
            Self::Min => f64::INFINITY,
        }
    }

    /// Takes the power of a block: adds it, or lets the greater or the lesser stay.
    pub const fn take(self, held: &mut f64, power: f64) {
        match self {
            Self::Mean => *held += power,
            Self::Max if power > *held => *held = power,
            Self::Min if power < *held => *held = power,
            Self::Max | Self::Min => {}
        }
    }

    /// The number of powers that a bin's value is the sum of, after `blocks` blocks.
    #[must_use]
    pub const fn count(self, blocks: u32) -> u32 {
        match self {
            Self::Mean if blocks > 1 => blocks,
            Self::Mean | Self::Max | Self::Min => 1,
        }
    }
}
