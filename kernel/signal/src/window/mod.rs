//! Windows: their names, codes and terms.
//!
//! A new window is a variant of [`Window`], a place in [`Window::ALL`], and a line each for its
//! code, its name and its terms. Lists of names in help, settings and error messages follow from
//! these.

mod beta;
mod coefficients;
mod response;

use core::fmt;

pub use beta::Beta;
pub use coefficients::{Gain, cosines, harmonics, kaiser};

/// The window that a block is multiplied with, in the periodic form that fits a transform.
///
/// Its text is its name in settings and in output: `hann`, `kaiser:8.6`.
///
/// Coefficients: F. J. Harris, "On the use of windows for harmonic analysis with the discrete
/// Fourier transform", Proc. IEEE 66 (1978); flat-top: G. Heinzel et al., "Spectrum and spectral
/// density estimation by the DFT" (2002), the five-term SR785 window scaled to a maximum of 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Window {
    /// All ones.
    Rectangular,
    /// Two terms, falls off fast.
    #[default]
    Hann,
    /// Two terms, first side lobe lowest.
    Hamming,
    /// Four terms, side lobes below -92 dB.
    BlackmanHarris,
    /// Five terms; between two bins it reads less than 0.01 dB low.
    FlatTop,
    /// Kaiser's: the greater β, the lower the side lobes and the wider the line. 0 is the
    /// rectangular window.
    Kaiser(Beta),
}

impl Window {
    /// Every kind in order of its code, Kaiser's with a β of 8.6.
    pub const ALL: [Self; 6] = [
        Self::Rectangular,
        Self::Hann,
        Self::Hamming,
        Self::BlackmanHarris,
        Self::FlatTop,
        Self::Kaiser(Beta::DEFAULT),
    ];

    /// The byte on the wire.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Rectangular => 0,
            Self::Hann => 1,
            Self::Hamming => 2,
            Self::BlackmanHarris => 3,
            Self::FlatTop => 4,
            Self::Kaiser(_) => 5,
        }
    }

    /// The name, without β.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rectangular => "rectangular",
            Self::Hann => "hann",
            Self::Hamming => "hamming",
            Self::BlackmanHarris => "blackman-harris",
            Self::FlatTop => "flat-top",
            Self::Kaiser(_) => "kaiser",
        }
    }

    /// a(0), a(1), ... with the alternating signs left out; `None` for Kaiser's window, which is no
    /// sum of few cosines.
    #[must_use]
    pub const fn terms(self) -> Option<&'static [f64]> {
        Some(match self {
            Self::Kaiser(_) => return None,
            Self::Rectangular => &[1.0],
            Self::Hann => &[0.5, 0.5],
            Self::Hamming => &[0.54, 0.46],
            Self::BlackmanHarris => &[0.35875, 0.48829, 0.14128, 0.01168],
            Self::FlatTop => &[
                0.215_578_95,
                0.416_631_58,
                0.277_263_158,
                0.083_578_947,
                0.006_947_368,
            ],
        })
    }

    /// β of Kaiser's window, else 0.
    #[must_use]
    pub const fn beta(self) -> Beta {
        match self {
            Self::Kaiser(beta) => beta,
            _ => Beta::ZERO,
        }
    }

    /// The window with this code, Kaiser's with a β of 8.6.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|window| window.code() == code)
    }

    /// The window with this name: `hann`, `kaiser:8.6`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let (name, beta) = match name.split_once(':') {
            Some((name, beta)) => (name, Some(Beta::from_decimal(beta)?)),
            None => (name, None),
        };
        match (Self::ALL.into_iter().find(|it| it.name() == name)?, beta) {
            (Self::Kaiser(_), beta) => beta.map(Self::Kaiser),
            (window, None) => Some(window),
            (_, Some(_)) => None,
        }
    }

    /// The names of the windows without a parameter, as settings have them.
    pub fn names(separator: &str) -> impl fmt::Display {
        let plain = Self::ALL.into_iter().filter(|it| it.terms().is_some());
        fmt::from_fn(move |f| {
            plain.clone().enumerate().try_for_each(|(index, window)| {
                f.write_str(if index > 0 { separator } else { "" })?;
                f.write_str(window.name())
            })
        })
    }

    /// Half the width of the main lobe, in bins, rounded up.
    #[must_use]
    pub fn main_lobe(self) -> usize {
        match self.terms() {
            Some(terms) => terms.len(),
            // The transform is sinh(z) / z, z^2 = β^2 - (πk)^2 in bin k: first 0 where z^2 is -π^2.
            None => libm::ceil(libm::hypot(
                self.beta().value() / core::f64::consts::PI,
                1.0,
            )) as usize,
        }
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::Kaiser(beta) => write!(f, ":{beta}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for window in Window::ALL {
            assert_eq!(Window::from_name(&window.to_string()), Some(window));
        }
        for text in ["0", "30", "8.6", "8.05", "0.001", "29.999", "12.34"] {
            let name = format!("kaiser:{text}");
            let window = Window::from_name(&name).unwrap();
            assert_eq!(window.to_string(), name);
        }
        let beta = |text: &str| Window::from_name(text).map(|window| window.beta().milli());
        assert_eq!(beta("kaiser:08.600"), Some(8600));
        for text in [
            "kaiser",
            "kaiser:",
            "kaiser:.5",
            "kaiser:5.",
            "kaiser:-1",
            "kaiser:30.001",
            "kaiser:65",
            "kaiser:99999999",
            "kaiser:8.6001",
            "kaiser:8.6e0",
            "kaiser:8,6",
            "hann:5",
            "triangle",
        ] {
            assert_eq!(beta(text), None, "{text}");
        }
    }

    #[test]
    fn codes_are_those_of_the_order() {
        for (code, window) in (0..).zip(Window::ALL) {
            assert_eq!(Window::from_code(code), Some(window));
        }
        assert_eq!(Window::from_code(Window::ALL.len() as u8), None);
    }

    #[test]
    fn bandwidths_and_main_lobes_are_those_in_the_literature() {
        // Noise bandwidth and half the main lobe, in bins; the bandwidth of Kaiser's window is by
        // integrals of the function that it samples.
        let literature = [
            (1.0, 1),
            (1.5, 2),
            (1.3628, 2),
            (2.0044, 4),
            (3.7702, 5),
            (1.7214, 3),
        ];
        assert_eq!(literature.len(), Window::ALL.len());
        for (window, (enbw_bins, main_lobe)) in Window::ALL.into_iter().zip(literature) {
            let table: Vec<_> = (0..4096).map(|i| window.coefficient(i, 4096)).collect();
            let found = window.gain(&table).enbw_bins;
            assert!((found - enbw_bins).abs() < 1e-4, "{window:?}: {found}");
            assert_eq!(window.main_lobe(), main_lobe, "{window:?}");
        }
    }
}
