//! Losses by truncation, and what makes up for them.
//!
//! Both ALUs truncate. Losses are in units of 2^-24 of a number;
//! [`Geometry::loss`](super::unit::Geometry::loss) derives them from the operations on an
//! output's path.

/// The loss of a product, on average over mantissas.
pub const LOSS_OF_A_PRODUCT: f64 = 0.5 / core::f64::consts::LN_2;
/// The expected loss of a sum on an output's path.
pub const LOSS_OF_A_SUM: f64 = 0.25;
/// The expected loss of a product with a twiddle.
pub const LOSS_OF_A_TWIDDLE: f64 = 1.01;

/// The factor on a table that makes up for losses.
#[must_use]
pub fn gain(losses: f64) -> f64 {
    1.0 + losses / f64::from(1 << 24)
}
