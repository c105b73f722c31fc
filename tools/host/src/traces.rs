//! The traces of a spectrum of two detectors: the mean of each bin, and the greatest.
//!
//! What has room for one level of each bin shows the mean, or the trace that was asked for.

use crate::spectrum::{Detector, Spectrum};

/// One of two traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Trace {
    /// The mean of each bin
    Mean,
    /// The greatest of each bin
    Max,
}

impl Spectrum {
    /// The greatest of each bin as a spectrum of its own, where there are two traces.
    #[must_use]
    pub fn greatest_alone(&self) -> Option<Self> {
        let power = self.greatest.clone()?;
        Some(Self {
            power,
            greatest: None,
            detector: Detector::Max,
            exponential: 0,
            ..self.clone()
        })
    }

    /// Leaves one trace of two. A spectrum that has only one stays as it is.
    #[must_use]
    pub fn with_trace(self, trace: Trace) -> Self {
        match (trace, self.greatest_alone()) {
            (Trace::Max, Some(greatest)) => greatest,
            (Trace::Mean, Some(_)) => Self {
                greatest: None,
                detector: Detector::Mean,
                ..self
            },
            (_, None) => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::example;

    #[test]
    fn a_trace_alone_is_a_spectrum_of_its_detector() {
        let one = example(16, false);
        for trace in [Trace::Mean, Trace::Max] {
            assert_eq!(one.clone().with_trace(trace), one);
        }
        let two = Spectrum {
            greatest: Some(vec![0.5; 9]),
            detector: Detector::MeanMax,
            exponential: 8,
            ..one.clone()
        };
        assert_eq!(
            two.made_of(),
            "average and max of 3 blocks, average over 8 records (exponential)"
        );
        let mean = two.clone().with_trace(Trace::Mean);
        assert_eq!((mean.detector, &mean.power), (Detector::Mean, &one.power));
        assert!(mean.greatest.is_none() && mean.exponential == 8);
        let max = two.with_trace(Trace::Max);
        assert_eq!((max.detector, max.power), (Detector::Max, vec![0.5; 9]));
        assert!(max.greatest.is_none() && max.exponential == 0);
    }
}
