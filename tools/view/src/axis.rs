//! The frequency axis of a spectrum, and the part of it that is shown.

use signal::Rate;
use wire::{Descriptor, Domain};

/// Bins that a span has at the least: fewer show nothing.
const LEAST_BINS: f64 = 4.0;

/// The frequencies of a spectrum's bins.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Axis {
    /// Bin number of the first; negative below the centre of a complex spectrum.
    pub first_bin: i64,
    /// Bins.
    pub bins: usize,
    /// Points of the transform.
    pub n: u32,
    /// True if the samples were complex.
    pub is_complex: bool,
    /// The frequency of bin 0.
    pub centre_hz: f64,
    /// Samples a second: this number divided by `rate_under`. A quotient keeps fractions exact.
    pub rate_over: f64,
    /// See `rate_over`.
    pub rate_under: f64,
}

impl Axis {
    /// The axis of a descriptor's spectra, whose samples stand for others that are `multiplier`
    /// times as fast.
    #[must_use]
    pub fn new(descriptor: &Descriptor, multiplier: Rate) -> Self {
        let Descriptor {
            rate, centre_hz, ..
        } = *descriptor;
        Self {
            first_bin: descriptor.first_bin.into(),
            bins: descriptor.bins as usize,
            n: descriptor.n.max(1),
            is_complex: descriptor.domain == Domain::Complex,
            centre_hz: if centre_hz.is_finite() {
                centre_hz
            } else {
                0.0
            },
            rate_over: rate.num.max(1) as f64 * multiplier.num as f64,
            rate_under: rate.den.max(1) as f64 * multiplier.den as f64,
        }
    }

    /// Samples a second.
    #[must_use]
    pub fn rate_hz(&self) -> f64 {
        self.rate_over / self.rate_under
    }

    /// The width of a bin in hertz.
    #[must_use]
    pub fn bin_hz(&self) -> f64 {
        self.rate_over / (self.rate_under * f64::from(self.n))
    }

    /// The frequency at an index, which may lie between bins.
    #[must_use]
    pub fn hz(&self, index: f64) -> f64 {
        let bin = self.first_bin as f64 + index;
        self.centre_hz + bin * self.rate_over / (self.rate_under * f64::from(self.n))
    }

    /// The index, between bins, of a frequency.
    #[must_use]
    pub fn index(&self, hz: f64) -> f64 {
        (hz - self.centre_hz) / self.bin_hz() - self.first_bin as f64
    }

    /// The bin that a frequency is in.
    #[must_use]
    pub fn bin_at(&self, hz: f64) -> Option<usize> {
        let index = self.index(hz).round();
        (index >= 0.0 && index < self.bins as f64).then_some(index as usize)
    }

    /// From the lower edge of the first bin to the upper edge of the last.
    #[must_use]
    pub fn whole(&self) -> Span {
        Span {
            from_hz: self.hz(-0.5),
            to_hz: self.hz(self.bins as f64 - 0.5),
        }
    }

    /// Returns whether cycles a day say more than hertz: slower than one sample in ten seconds.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        self.rate_hz() < 0.1
    }
}

/// Frequencies from the left side of a picture to the right.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Span {
    /// Left.
    pub from_hz: f64,
    /// Right.
    pub to_hz: f64,
}

impl Span {
    /// Its width.
    #[must_use]
    pub fn width_hz(&self) -> f64 {
        self.to_hz - self.from_hz
    }

    /// The frequency at a share of the width.
    #[must_use]
    pub fn at(&self, share: f64) -> f64 {
        self.from_hz + share * self.width_hz()
    }

    /// The begin nearest to `hz` of a span of this width that lies within this one. Rounding can
    /// leave less room than none, which `clamp` would not bear.
    fn nearest_begin(&self, hz: f64, width_hz: f64) -> f64 {
        hz.min(self.to_hz - width_hz).max(self.from_hz)
    }

    /// The span with its width divided by `factor`; the frequency at `share` stays where it is.
    #[must_use]
    pub fn zoomed(&self, factor: f64, share: f64) -> Self {
        if !(factor > 0.0 && factor.is_finite() && share.is_finite()) {
            return *self;
        }
        let (hz, width) = (self.at(share), self.width_hz() / factor);
        Self {
            from_hz: hz - share * width,
            to_hz: hz + (1.0 - share) * width,
        }
    }

    /// The span moved by a share of its width, as far as the axis goes.
    #[must_use]
    pub fn moved(&self, share: f64, axis: &Axis) -> Self {
        let (whole, width) = (axis.whole(), self.width_hz());
        let from_hz = self.from_hz + share * width;
        if !(from_hz.is_finite() && width < whole.width_hz()) {
            return *self;
        }
        let from_hz = whole.nearest_begin(from_hz, width);
        Self {
            from_hz,
            to_hz: from_hz + width,
        }
    }

    /// The span moved and, where that is not enough, made narrower so that it lies within an axis;
    /// at least a few bins wide. All of the axis where it has nothing of it.
    #[must_use]
    pub fn within(&self, axis: &Axis) -> Self {
        let whole = axis.whole();
        let is_usable = self.from_hz.is_finite() && self.to_hz > self.from_hz;
        if !is_usable || self.to_hz <= whole.from_hz || self.from_hz >= whole.to_hz {
            return whole;
        }
        let least = (LEAST_BINS * axis.bin_hz()).min(whole.width_hz());
        let width = self.width_hz().max(least).min(whole.width_hz());
        let middle = (self.from_hz + self.to_hz) / 2.0;
        let from_hz = whole.nearest_begin(middle - width / 2.0, width);
        Self {
            from_hz,
            to_hz: from_hz + width,
        }
    }
}
