//! Detectors: the combination of several blocks' powers, bin by bin.
//!
//! Two can work at once: a bin then has two values, the first of each bin before the second of any.

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
        /// Their mean and the greatest: two values of each bin.
        MeanMax = 3 "mean+max",
    }
}

impl Detector {
    /// The detectors that each make one value of a bin, in the order of the values.
    #[must_use]
    pub const fn parts(self) -> &'static [Self] {
        match self {
            Self::Mean => &[Self::Mean],
            Self::Max => &[Self::Max],
            Self::Min => &[Self::Min],
            Self::MeanMax => &[Self::Mean, Self::Max],
        }
    }

    /// The detector of a bin's first value.
    #[must_use]
    pub const fn first(self) -> Self {
        self.parts()[0]
    }

    /// The detector of a bin's second value, where there is one.
    #[must_use]
    pub const fn second(self) -> Option<Self> {
        match self {
            Self::MeanMax => Some(Self::Max),
            Self::Mean | Self::Max | Self::Min => None,
        }
    }

    /// The number that a bin's first value begins with: [`Detector::take`] of a power then is that
    /// power.
    #[must_use]
    pub const fn start(self) -> f64 {
        match self {
            Self::Mean | Self::Max | Self::MeanMax => 0.0,
            Self::Min => f64::INFINITY,
        }
    }

    /// Lets a bin's first value take the power of a block: adds it, or lets the greater or the
    /// lesser stay.
    pub const fn take(self, held: &mut f64, power: f64) {
        match self {
            Self::Mean | Self::MeanMax => *held += power,
            Self::Max if power > *held => *held = power,
            Self::Min if power < *held => *held = power,
            Self::Max | Self::Min => {}
        }
    }

    /// The number of powers that a bin's first value is the sum of, after `blocks` blocks.
    #[must_use]
    pub const fn count(self, blocks: u32) -> u32 {
        match self {
            Self::Mean | Self::MeanMax if blocks > 1 => blocks,
            Self::Mean | Self::MeanMax | Self::Max | Self::Min => 1,
        }
    }
}
