//! Windows by name and code; Kaiser's has a parameter.

use core::fmt;

use crate::PayloadError;

/// The shape of Kaiser's window: β, from 0 to 30 in thousandths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Beta(u16);

impl Beta {
    /// The greatest, in thousandths.
    pub const MAX_MILLI: u16 = 30_000;

    /// That of so many thousandths, 30,000 at the most.
    #[must_use]
    pub const fn from_milli(milli: u16) -> Option<Self> {
        if milli <= Self::MAX_MILLI {
            Some(Self(milli))
        } else {
            None
        }
    }

    /// In thousandths.
    #[must_use]
    pub const fn milli(self) -> u16 {
        self.0
    }

    /// A decimal number with up to three decimals, so that it is printed as it was written.
    fn from_decimal(text: &str) -> Option<Self> {
        let (whole, fraction) = match text.split_once('.') {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (text, "0"),
        };
        let mut milli = 0u16;
        let decimals = fraction.bytes().chain(core::iter::repeat(b'0')).take(3);
        for digit in whole.bytes().chain(decimals) {
            let digit = u16::from(digit.checked_sub(b'0').filter(|digit| *digit <= 9)?);
            milli = milli.checked_mul(10)?.checked_add(digit)?;
        }
        let fits = !whole.is_empty() && fraction.len() <= 3;
        Self::from_milli(milli).filter(|_| fits)
    }
}

impl fmt::Display for Beta {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (whole, milli) = (self.0 / 1000, self.0 % 1000);
        match milli {
            0 => write!(f, "{whole}"),
            _ if milli.is_multiple_of(100) => write!(f, "{whole}.{}", milli / 100),
            _ if milli.is_multiple_of(10) => write!(f, "{whole}.{:02}", milli / 10),
            _ => write!(f, "{whole}.{milli:03}"),
        }
    }
}

/// The window a block is multiplied with (periodic form).
///
/// Its text is its name in settings and in output: `hann`, `kaiser:8.6`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
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
    /// Five terms, amplitude right between bins.
    FlatTop,
    /// Kaiser's: the greater β, the lower the side lobes and the wider the line.
    Kaiser(Beta),
}

impl Window {
    /// The code of Kaiser's.
    const KAISER: u8 = 5;

    /// Every kind in order of its code, Kaiser's with a β of 8.6.
    pub const ALL: &[Self] = &[
        Self::Rectangular,
        Self::Hann,
        Self::Hamming,
        Self::BlackmanHarris,
        Self::FlatTop,
        Self::Kaiser(Beta(8_600)),
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
            Self::Kaiser(_) => Self::KAISER,
        }
    }

    /// β of Kaiser's window, else 0.
    #[must_use]
    pub const fn beta(self) -> Beta {
        match self {
            Self::Kaiser(beta) => beta,
            _ => Beta(0),
        }
    }

    /// The window with this code, and this β where it has one.
    pub(crate) fn from_code(code: u8, beta: Option<Beta>) -> Result<Self, PayloadError> {
        if code == Self::KAISER {
            return beta.map(Self::Kaiser).ok_or(PayloadError::Short);
        }
        let known = Self::ALL.iter().find(|window| window.code() == code);
        known.copied().ok_or(PayloadError::UnknownCode {
            field: "window",
            value: code,
        })
    }

    /// The window with this name: `hann`, `kaiser:8.6`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        if let Some(beta) = name.strip_prefix("kaiser:") {
            return Beta::from_decimal(beta).map(Self::Kaiser);
        }
        let without_beta = Self::ALL
            .iter()
            .filter(|window| window.code() != Self::KAISER);
        without_beta
            .copied()
            .find(|window| window.kind_name() == name)
    }

    /// The name without β.
    const fn kind_name(self) -> &'static str {
        match self {
            Self::Rectangular => "rectangular",
            Self::Hann => "hann",
            Self::Hamming => "hamming",
            Self::BlackmanHarris => "blackman-harris",
            Self::FlatTop => "flat-top",
            Self::Kaiser(_) => "kaiser",
        }
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.kind_name())?;
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
            assert_eq!(Window::from_name(&window.to_string()), Some(*window));
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
            "triangle",
        ] {
            assert_eq!(beta(text), None, "{text}");
        }
    }

    #[test]
    fn codes_are_read_back() {
        for window in Window::ALL {
            let read = Window::from_code(window.code(), Some(window.beta()));
            assert_eq!(read, Ok(*window));
        }
        assert_eq!(Window::from_code(5, None), Err(PayloadError::Short));
        assert!(Window::from_code(6, None).is_err());
    }
}
