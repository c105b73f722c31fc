//! β, the parameter of Kaiser's window.

use core::fmt;

/// The shape of Kaiser's window: β, from 0 to 30 in thousandths.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Beta(u16);

impl Beta {
    /// 0, which makes the rectangular window.
    pub const ZERO: Self = Self(0);
    /// 8.6, which makes a window like Blackman's.
    pub const DEFAULT: Self = Self(8_600);
    /// The greatest, in thousandths.
    pub const MAX_MILLI: u16 = 30_000;

    /// β of so many thousandths, 30,000 at the most.
    #[must_use]
    pub const fn from_milli(milli: u16) -> Option<Self> {
        if milli <= Self::MAX_MILLI {
            Some(Self(milli))
        } else {
            None
        }
    }

    /// β in thousandths.
    #[must_use]
    pub const fn milli(self) -> u16 {
        self.0
    }

    /// β as a number.
    #[must_use]
    pub fn value(self) -> f64 {
        f64::from(self.0) / 1000.0
    }

    /// A decimal number with up to three decimals, so that it is printed as it was written.
    pub(super) fn from_decimal(text: &str) -> Option<Self> {
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
