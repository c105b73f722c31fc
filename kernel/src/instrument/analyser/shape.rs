//! The shape of the analyser's work, from settings and an upload's format.

use wire::{Dc, Detector, Window};

use crate::engine::samples::Coding;
use crate::engine::{Manner, Spectra};
use crate::instrument::settings::{EngineChoice, Settings};

/// The work of the analyser on samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::instrument) struct Shape {
    pub n: usize,
    pub overlap: usize,
    pub average: u32,
    /// Records of an exponential average of means; 0: none.
    pub exponential: u32,
    pub window: Window,
    pub coding: Coding,
    pub engine: EngineChoice,
    /// The first bin that is sent and the one behind the last, in order of frequency.
    pub sent: [usize; 2],
    pub detector: Detector,
    pub removes_mean: bool,
}

impl Shape {
    /// `bins`: the first of those that are sent, in order of frequency, and how many.
    pub(in crate::instrument) fn new(
        settings: &Settings,
        coding: Coding,
        (first, bins): (u32, u32),
    ) -> Self {
        Self {
            n: settings.n as usize,
            overlap: settings.overlap_samples() as usize,
            average: settings.average,
            exponential: settings.exponential,
            window: settings.window,
            coding,
            engine: settings.engine,
            sent: [first as usize, (first + bins) as usize],
            detector: settings.detector,
            removes_mean: settings.dc == Dc::Remove,
        }
    }

    pub(super) fn log2n(&self) -> u32 {
        self.n.trailing_zeros()
    }

    pub(super) fn hop(&self) -> usize {
        self.n - self.overlap
    }

    /// Bins of a spectrum.
    pub(super) fn bins(&self) -> usize {
        self.coding.domain.bins(self.n)
    }

    /// Values of a record.
    pub(super) fn values(&self) -> usize {
        self.bins() * self.detector.parts().len()
    }

    pub(super) fn spectra(&self, blocks: u32) -> Spectra {
        Spectra {
            log2n: self.log2n(),
            coding: self.coding,
            window: self.window,
            hop: self.hop(),
            blocks,
            bins: self.sent,
            detector: self.detector,
            removes_mean: self.removes_mean,
            manner: Manner::Fastest,
            split_for: 0,
        }
    }
}
